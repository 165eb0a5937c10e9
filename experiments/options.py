"""How many options decisions have: of the steps that plays are laid by, and of whole plays."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.agents import agent
from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Tables
from abl_cards.streams import key_of, mix_all
from experiments.desk import Desk, Tell
from experiments.players import rules_mark
from experiments.report import Cell, Table

_EVERY = 7
"""Of so many steps of the tables one is counted: neighbours are alike."""
_TABLES = 16


def options_table(desk: Desk, engine: Engine, decisions: int, seed: int) -> Table:
    """Of so many decisions of kb with a choice: how many options, and how often more than a network has places for."""
    from learners.pictures import MOST_OPTIONS

    what = {"options": decisions, "rules": rules_mark(engine), "seed": seed}
    found = desk.cell(what, lambda tell: _count(engine, decisions, seed, tell), "options", decisions)
    columns = (
        "laid",
        "decisions",
        "on average",
        "at most",
        f"more than {MOST_OPTIONS}",
        "paper: on average",
        "paper: at most",
    )
    rows: list[list[Cell]] = [
        _row("step by step", found["steps"], MOST_OPTIONS), _row("as a whole", found["whole"], MOST_OPTIONS),
    ]  # fmt: skip
    rows[1] = [*rows[1][:-2], 6.7, 38_760]
    note = (
        "Networks choose step by step, so nothing is cut off; of more options those that cost kb least are shown. "
        "The paper's figures are those of random play, which has its own options."
    )
    return Table("options", "Options", columns, rows, note, frozenset(columns[4:5]))


def _row(name: str, counts: list[int], most: int) -> list[Cell]:
    numbers = np.array(counts)
    return [name, len(counts), float(numbers.mean()), int(numbers.max()), float((numbers > most).mean()), None, None]


def _count(engine: Engine, wanted: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Options where a play begins, in games of kb against itself."""
    kb = agent("kb", engine)
    keys = mix_all(np.full(_TABLES, key_of(seed), np.uint64), np.arange(_TABLES))
    tables: Tables = engine.tables(keys)
    steps: list[int] = []
    whole: list[int] = []
    step = 0
    while len(steps) < wanted:
        giving = tables.choosing()
        if giving.size:
            tables.choose(giving, kb.choose(tables.choices(giving), tables.keys[giving]))
        which = tables.playing()
        decisions = tables.decisions(which)
        step += 1
        if which.size and step % _EVERY == 0:
            begun = tables.state.picking[which]
            rows = np.flatnonzero((decisions.legal.sum(axis=0) > 1) & ~begun)[: wanted - len(steps)]
            steps += np.diff(decisions.at(rows).moves().start).tolist()
            whole += [_whole(engine, decisions, int(row)) for row in rows]
            tell(len(steps), "decisions")
        if which.size:
            tables.play(which, kb.play(decisions, tables.keys[which]))
    return {"steps": steps, "whole": whole}


def _whole(engine: Engine, decisions: Decisions, row: int) -> int:
    """The whole plays of a decision; of too many to list as many as are listed at most."""
    from abl_cards.games.words.whole import MOST

    try:
        return len(engine.whole_plays(decisions, row).form)
    except GameError:
        return MOST
