"""A log of Botzone's as a record of ours: the judge plays it again, and what it sees is written down."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.protocols.botzone.registry import PLATFORM, BotzoneGame


def is_log(value: Mapping[str, Any]) -> bool:
    """Return whether a record is a log of Botzone: ``{"log": […]}``, as ``match --botzone-log`` writes it."""
    return isinstance(value.get("log"), list)


def find_profile(value: Mapping[str, Any], profiles: Collection[str]) -> str | None:
    """The profile that a line names; of a log that of the platform, where the game has one."""
    named = value.get("profile")
    if isinstance(named, str):
        return named
    return PLATFORM if is_log(value) and PLATFORM in profiles else None


def convert_log(engine: Engine, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A log as a record, as far as the round has come; anything else as it is. Raises GameError for what is no log."""
    if not is_log(value):
        return value
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        raise GameError(
            f"{engine.game} is not played on Botzone: its folder does not say platform({PLATFORM})",
            ErrorCode.UNSUPPORTED_GAME,
        )
    return platform.create_judge().to_record(value)


def find_missing_result(value: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """Return why the round of a log has no result; None for one that has, and for what is no log.

    Args:
        value: the log
        record: the same as a record
    """
    if not is_log(value) or "points" in record:
        return None
    acts = f"after {len(record['acts'])} acts"
    if _has_finish_entry(value["log"]):
        return f"log: a fault of a player ended the round {acts}: there is no result by the rules"
    return f"log: the round is not over {acts}: only a round that is over can be replayed"


def _has_finish_entry(log: list[Any]) -> bool:
    """Return whether the last entry of a log ends the round."""
    said = log[-1].get("output") if len(log) % 2 and isinstance(log[-1], Mapping) else None
    return isinstance(said, Mapping) and said.get("command") == "finish"
