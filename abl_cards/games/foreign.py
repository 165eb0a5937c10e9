"""Records of other platforms: a folder says by ``platform(Name)`` whose records of its game are read besides our own.

The platform's package exports an ``ARCHIVE`` where it has such records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from abl_cards.errors import GameError
from abl_cards.games.moment import Moment
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.platforms import platform_attribute
from abl_cards.games.reading.rules import Rules
from abl_cards.games.results import Replay
from abl_cards.games.tables import Listener


class Archive(Protocol):
    """Records in a form of its own."""

    def reads(self, record: Mapping[str, Any]) -> bool:
        """Whether a record has this form, and not ours."""

    def moment(self, rules: Rules, record: Mapping[str, Any], move: int | None) -> Moment:
        """As Engine.moment."""

    def recorded(self, rules: Rules, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """As Engine.recorded."""

    def replay(
        self,
        rules: Rules,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        kept: dict[str, Any],
    ) -> Replay:
        """As Engine.replay."""

    def acts(self, record: Mapping[str, Any]) -> int:
        """How many plays a record has."""


def archive_of(folder: Folder) -> Archive | None:
    """The records of others that are read for a folder's game."""
    found: Archive | None = platform_attribute(folder, "ARCHIVE")
    return found
