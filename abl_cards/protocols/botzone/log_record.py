"""Convert logs of Botzone to records of this project by replaying them with the judge."""

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
    """Return the rule profile of a record or a log.

    Args:
        value: Record or log.
        profiles: Profiles of the game.

    Returns:
        The profile that the value names; for a log without one the platform's profile, if the game has it; else None.
    """
    named = value.get("profile")
    if isinstance(named, str):
        return named
    return PLATFORM if is_log(value) and PLATFORM in profiles else None


def convert_log(engine: Engine, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a log of Botzone to a record of this project.

    Args:
        engine: Engine of the game.
        value: Record or log.

    Returns:
        The record of a log, unfinished if the round is not over; a value that is not a log is returned unchanged.

    Raises:
        GameError: The log is invalid, or the game is not played on Botzone.
    """
    if not is_log(value):
        return value
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        raise GameError(
            f"{engine.game} is not played on Botzone: its folder has no fact platform({PLATFORM})",
            ErrorCode.UNSUPPORTED_GAME,
        )
    return platform.create_judge().to_record(value)


def find_missing_result(value: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """Return the reason why the round of a log has no result.

    Args:
        value: Record or log.
        record: Record that ``convert_log`` returns for it.

    Returns:
        One line, or None for a finished round and for a value that is not a log.
    """
    if not is_log(value) or "points" in record:
        return None
    acts = f"after {len(record['acts'])} acts"
    if _has_finish_entry(value["log"]):
        return f"log: a fault of a player ended the round {acts}, so the rules give no result"
    return f"log: the round is not over {acts}, and only finished rounds can be replayed"


def _has_finish_entry(log: list[Any]) -> bool:
    """Return whether the last entry of a log ends the round."""
    output = log[-1].get("output") if len(log) % 2 and isinstance(log[-1], Mapping) else None
    return isinstance(output, Mapping) and output.get("command") == "finish"
