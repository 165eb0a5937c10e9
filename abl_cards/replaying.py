"""Playing the records of a file again, piece by piece: the file may be larger than the memory, and end anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.results import Disagreement
from abl_cards.records import Cut, Record, all_in_own_form, pieces

MOST_DISAGREEMENTS = 10_000
"""A file with more is none of records, and reading on would tell nothing new."""
_LONGEST_TEXT = 1_000  # characters; what is wrong may be quoted, and that may be a whole line


@dataclass(frozen=True)
class FileReplay:
    """What came of a file."""

    lines: int  # that were read
    episodes: int
    plays: int
    disagreements: tuple[Disagreement, ...]
    cut: int | None  # the last line, where the file ends in the middle of it
    stopped: bool  # before the end of the file, for there were too many disagreements


def replay_file(
    engine: Engine, file: Path, limit: int | None = None, tell: Callable[[int], None] = lambda episodes: None
) -> FileReplay:
    """Play the first lines of a file again; a match may go on in another piece. Tells how many episodes are done."""
    lines, episodes, plays, cut = 0, 0, 0, None
    kept: dict[str, Any] = {}
    wrong: list[Disagreement] = []
    for piece in pieces(file, limit):
        if isinstance(piece[-1], Cut):
            piece.pop()
            cut = lines + len(piece) + 1
        found = engine.replay(_finished(piece, all_in_own_form(engine, piece)), kept=kept)
        wrong += [Disagreement(lines + each.line, each.text[:_LONGEST_TEXT]) for each in found.disagreements]
        lines, episodes, plays = lines + len(piece), episodes + found.episodes, plays + found.plays
        tell(episodes)
        if len(wrong) > MOST_DISAGREEMENTS:
            return FileReplay(lines, episodes, plays, tuple(wrong[:MOST_DISAGREEMENTS]), cut, stopped=True)
    return FileReplay(lines, episodes, plays, tuple(wrong), cut, stopped=False)


def _finished(piece: Sequence[Record | GameError], own: Sequence[Record | GameError]) -> list[Record | GameError]:
    """Records in our form; in place of a log of Botzone's without a result why it has none."""
    from abl_cards.platforms.botzone.log_record import unfinished

    found: list[Record | GameError] = []
    for value, record in zip(piece, own, strict=True):
        if isinstance(value, GameError) or isinstance(record, GameError):
            found.append(record)
        else:
            problem = unfinished(value, record)
            found.append(GameError(problem) if problem else record)
    return found
