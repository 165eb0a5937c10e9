"""Playing the records of a file again, piece by piece: the file may be larger than the memory, and end anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.types import ReplayMismatch
from abl_cards.matches.records import Record, TruncatedRecord, normalise_records, read_record_chunks

MAX_DISAGREEMENTS = 10_000
"""A file with more is none of records, and reading on would tell nothing new."""
_MAX_TEXT = 1_000  # characters; what is wrong may be quoted, and that may be a whole line


@dataclass(frozen=True)
class FileReplay:
    """What came of a file."""

    lines: int  # that were read
    episodes: int
    plays: int
    disagreements: tuple[ReplayMismatch, ...]
    truncated_line: int | None  # the last line, where the file ends in the middle of it
    stopped_early: bool  # before the end of the file, for there were too many disagreements


def replay_file(
    engine: Engine, file: Path, limit: int | None = None, on_progress: Callable[[int], None] = lambda episodes: None
) -> FileReplay:
    """Play the first lines of a file again; a match may go on in another piece. Tells how many episodes are done."""
    lines, episodes, plays, cut = 0, 0, 0, None
    kept: dict[str, Any] = {}
    wrong: list[ReplayMismatch] = []
    for piece in read_record_chunks(file, limit):
        if isinstance(piece[-1], TruncatedRecord):
            piece.pop()
            cut = lines + len(piece) + 1
        found = engine.replay(_mark_unfinished(piece, normalise_records(engine, piece)), carry_over=kept)
        wrong += [ReplayMismatch(lines + each.line, each.text[:_MAX_TEXT]) for each in found.mismatches]
        lines, episodes, plays = lines + len(piece), episodes + found.episodes, plays + found.plays
        on_progress(episodes)
        if len(wrong) > MAX_DISAGREEMENTS:
            return FileReplay(lines, episodes, plays, tuple(wrong[:MAX_DISAGREEMENTS]), cut, stopped_early=True)
    return FileReplay(lines, episodes, plays, tuple(wrong), cut, stopped_early=False)


def _mark_unfinished(
    piece: Sequence[Record | GameError], own: Sequence[Record | GameError]
) -> list[Record | GameError]:
    """Records in our form; in place of a log of Botzone's without a result why it has none."""
    from abl_cards.protocols.botzone import find_missing_result

    found: list[Record | GameError] = []
    for value, record in zip(piece, own, strict=True):
        if isinstance(value, GameError) or isinstance(record, GameError):
            found.append(record)
        else:
            problem = find_missing_result(value, record)
            found.append(GameError(problem) if problem else record)
    return found
