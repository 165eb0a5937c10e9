"""Records of other platforms: a folder says by ``platform(Name)`` whose records of its game are read besides our own.

The platform's package exports a ``RECORD_IMPORTER`` where it has such records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Folder, platform_attribute
from abl_cards.games.tables import DecisionPoint, Decisions, Listener
from abl_cards.games.types import ReplayResult


class RecordImporter(Protocol):
    """Records in a form of its own."""

    def can_read(self, record: Mapping[str, Any]) -> bool:
        """Whether a record has this form, and not ours."""

    def read_decision_point(self, rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
        """As Engine.read_decision_point."""

    def decisions_at_acts(
        self, rules: CompiledGame, records: Sequence[Mapping[str, Any]], moves: Sequence[int]
    ) -> Decisions:
        """As Engine.decisions_at_acts."""

    def replay(
        self,
        rules: CompiledGame,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        carry_over: dict[str, Any],
    ) -> ReplayResult:
        """As Engine.replay."""

    def count_plays(self, record: Mapping[str, Any]) -> int:
        """How many plays a record has."""


def find_importer(folder: Folder) -> RecordImporter | None:
    """The records of others that are read for a folder's game."""
    found: RecordImporter | None = platform_attribute(folder, "RECORD_IMPORTER")
    return found
