"""Replay the records of a file in chunks: it may be larger than memory, and may be truncated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, check_path
from abl_cards.games import Engine
from abl_cards.games.tables import Listener
from abl_cards.games.types import ReplayMismatch
from abl_cards.matches.records import (
    Record,
    TruncatedRecord,
    normalise_records,
    read_record_chunks,
    skip_blank_lines,
)

MAX_DISAGREEMENTS = 10_000
"""Most disagreements reported of a file; reading stops there."""
_MAX_TEXT = 1_000  # characters of a disagreement, which may quote a whole line


@dataclass(frozen=True)
class FileReplay:
    """Result of a replay.

    Attributes:
        lines: Lines read.
        episodes: Episodes replayed.
        plays: Plays replayed.
        disagreements: Lines that the rules do not confirm.
        truncated_line: Number of the last line if it is incomplete; else None.
        stopped_early: Whether reading stopped before the end, after too many disagreements.
    """

    lines: int
    episodes: int
    plays: int
    disagreements: tuple[ReplayMismatch, ...]
    truncated_line: int | None
    stopped_early: bool


def replay_file(
    engine: Engine,
    file: str | Path,
    limit: int | None = None,
    on_progress: Callable[[int], None] = lambda episodes: None,
) -> FileReplay:
    """Replay the records of a file by the rules; a match may continue in the next chunk.

    Args:
        engine: Compiled game.
        file: File of records.
        limit: Most lines to read; None for all.
        on_progress: Called with the number of replayed episodes.

    Returns:
        Counts, and the lines that the rules do not confirm.

    Raises:
        GameError: The file is not text, or the limit is not a whole number from 0 on.
        OSError: The file cannot be read.
    """
    file = check_path("file", file)
    lines, episodes, plays, truncated = 0, 0, 0, None
    carried: dict[str, Any] = {}
    wrong: list[ReplayMismatch] = []
    for chunk in read_record_chunks(file, limit):
        if isinstance(chunk[-1], TruncatedRecord):
            chunk.pop()
            truncated = lines + len(chunk) + 1
        numbers, filled = skip_blank_lines(chunk, lines + 1)
        result = engine.replay(_mark_unfinished(filled, normalise_records(engine, filled)), carry_over=carried)
        wrong += [ReplayMismatch(numbers[one.line - 1], one.text[:_MAX_TEXT]) for one in result.mismatches]
        lines, episodes, plays = lines + len(chunk), episodes + result.episodes, plays + result.plays
        on_progress(episodes)
        if len(wrong) > MAX_DISAGREEMENTS:
            return FileReplay(lines, episodes, plays, tuple(wrong[:MAX_DISAGREEMENTS]), truncated, stopped_early=True)
    return FileReplay(lines, episodes, plays, tuple(wrong), truncated, stopped_early=False)


def _mark_unfinished(
    chunk: Sequence[Record | GameError], own: Sequence[Record | GameError]
) -> list[Record | GameError]:
    """Return records; a log of Botzone without a result becomes an error."""
    from abl_cards.protocols.botzone import find_missing_result

    records: list[Record | GameError] = []
    for value, record in zip(chunk, own, strict=True):
        if isinstance(value, GameError) or isinstance(record, GameError):
            records.append(record)
        else:
            problem = find_missing_result(value, record)
            records.append(GameError(problem, ErrorCode.INVALID_RECORD) if problem else record)
    return records


def replay_confirmed(
    engine: Engine,
    records: Sequence[Mapping[str, Any]],
    listener: Listener,
    file: str | Path | None = None,
    lines: Sequence[int] | None = None,
) -> None:
    """Replay records that the rules must confirm, each at its own table.

    Args:
        engine: Compiled game.
        records: Records of a file.
        listener: Called at every event.
        file: Name of the file in an error; None for records that were not read from one.
        lines: Line of each record in the file, from 1; None if record i is on line i + 1.

    Raises:
        GameError: The rules do not confirm a record.
    """
    wrong = engine.replay(records, listener).mismatches if records else ()
    if wrong:
        line = wrong[0].line if lines is None else lines[wrong[0].line - 1]
        number = len({mismatch.line for mismatch in wrong})
        place = f"record {line}" if file is None else f"{file}:{line}"
        message = f"{place}: {wrong[0].text} (the rules do not confirm {number} of {len(records)} records)"
        raise GameError(message, ErrorCode.INVALID_RECORD)
