"""A Big2 game as text."""

from __future__ import annotations

from abl_cards.games.big2.engine import engine_of
from tests.games.random_play import match_keys, step


def big2_game(seed: int) -> str:
    """A whole game at random: the hands, every play with how many labels were legal, the points."""
    engine = engine_of()
    recorder = engine.recorder(1)
    tables = engine.tables(match_keys(1, seed), recorder)
    lines, legal = [engine.draw(tables, 0)], []
    while (playing := tables.playing()).size:
        legal.append(int(tables.decisions(playing).legal.sum()))
        step(tables)
    (record,) = recorder.records(0)
    for (seat, cards), count in zip(record["plays"], legal, strict=True):
        lines.append(f"seat {seat} {cards or 'PASS':<14} of {count} labels")
    return "\n".join([*lines, f"points {record['points']}", ""])
