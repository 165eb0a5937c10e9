"""Records of others: a folder says by ``platform(Name)`` whose records of its game are read besides our own.

The platform's module ``archive`` has an ``ARCHIVE``, its module ``service`` a ``SERVICE``, where it has such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, Protocol

from abl_cards.games.game import GameError, Replay
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Listener, Moment
from abl_cards.logic.errors import kb_error

_PLATFORMS = "abl_cards.platforms"
"""A floor above this one."""


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


def platforms() -> list[str]:
    """The platforms whose names a folder may write: packages of the room."""
    room = find_spec(_PLATFORMS)
    places = room.submodule_search_locations if room else None
    return sorted(each.name for each in iter_modules(places) if each.ispkg)


def of_platform(folder: Folder, module: str, name: str) -> Any:
    """What the platform that a folder names has in a module; None where it has no such. Raises KBError."""
    for platform in folder.platforms:
        place = f"{_PLATFORMS}.{platform}"
        if platform not in platforms():
            known = f"there are: {', '.join(platforms())}; without the fact ours serves it"
            raise kb_error(f"platform({platform}): there is no such platform", known)
        if find_spec(f"{place}.{module}") is not None:
            return getattr(import_module(f"{place}.{module}"), name)
    return None


def archive_of(folder: Folder) -> Archive | None:
    """The records of others that are read for a folder's game."""
    found: Archive | None = of_platform(folder, "archive", "ARCHIVE")
    return found
