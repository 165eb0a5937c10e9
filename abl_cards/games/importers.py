"""Import records of other platforms, which a folder names by ``platform(Name)``.

A platform with its own form of records exports a ``RECORD_IMPORTER`` from its package.
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
    """Reader of records in the form of another platform."""

    def can_read(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record has the form of the platform."""

    def read_decision_point(self, rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
        """Read the decision of a record before a move (from 1); raises GameError."""

    def decisions_at_acts(
        self, rules: CompiledGame, records: Sequence[Mapping[str, Any]], moves: Sequence[int]
    ) -> Decisions:
        """Read one decision of each record, before the given move (from 1); raises GameError."""

    def replay(
        self,
        rules: CompiledGame,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        carry_over: dict[str, Any],
    ) -> ReplayResult:
        """Replay records and compare them with the rules; ``carry_over`` holds state between parts of a file."""

    def count_plays(self, record: Mapping[str, Any]) -> int:
        """Return the number of plays of a record."""


def find_importer(folder: Folder) -> RecordImporter | None:
    """Return the record importer of the platform that a folder names; None where there is none."""
    importer: RecordImporter | None = platform_attribute(folder, "RECORD_IMPORTER")
    return importer
