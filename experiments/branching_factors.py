"""Number of options per decision, for the steps of plays and for whole plays."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.agents import make_agent, rules_fingerprint
from abl_cards.core import GameError, derive_key, splitmix64_array
from abl_cards.experiments.report import Cell, ReportTable
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.tables import Decisions, Tables

_SAMPLE_INTERVAL = 7
"""Steps of the tables per counted step; neighbouring steps are similar."""
_NUM_TABLES = 16


def branching_table(workspace: ExperimentWorkspace, engine: Engine, num_decisions: int, seed: int) -> ReportTable:
    """Count the options of decisions of kb, and how often they exceed the capacity of a network."""
    from abl_cards.learners import MAX_OPTIONS

    what = {"options": num_decisions, "rules": rules_fingerprint(engine), "seed": seed}
    counts = workspace.measure_cell(
        what, lambda tell: _count_options(engine, num_decisions, seed, tell), "options", num_decisions
    )
    columns = (
        "laid",
        "decisions",
        "on average",
        "at most",
        f"more than {MAX_OPTIONS}",
        "paper: on average",
        "paper: at most",
    )
    rows: list[list[Cell]] = [
        _row("step by step", counts["steps"], MAX_OPTIONS), _row("as a whole", counts["whole"], MAX_OPTIONS),
    ]  # fmt: skip
    rows[1] = [*rows[1][:-2], 6.7, 38_760]
    note = (
        "Networks choose step by step, so nothing is cut off; of more options those that cost kb least are shown. "
        "The paper's figures are those of random play, which has its own options."
    )
    return ReportTable("options", "Options", columns, rows, note, frozenset(columns[4:5]))


def _row(name: str, counts: list[int], most: int) -> list[Cell]:
    numbers = np.array(counts)
    return [name, len(counts), float(numbers.mean()), int(numbers.max()), float((numbers > most).mean()), None, None]


def _count_options(engine: Engine, num_decisions: int, seed: int, on_progress: ProgressCallback) -> dict[str, Any]:
    """Count the options at the start of plays, in games of kb against itself."""
    kb = make_agent("kb", engine)
    keys = splitmix64_array(np.full(_NUM_TABLES, derive_key(seed), np.uint64), np.arange(_NUM_TABLES))
    tables: Tables = engine.start_matches(keys)
    steps: list[int] = []
    whole: list[int] = []
    step = 0
    while len(steps) < num_decisions:
        giving = tables.rows_to_choose()
        if giving.size:
            tables.choose(giving, kb.choose(tables.choices(giving), tables.keys[giving]))
        play_rows = tables.rows_to_play()
        decisions = tables.decisions(play_rows)
        step += 1
        if play_rows.size and step % _SAMPLE_INTERVAL == 0:
            begun = tables.state.is_composing[play_rows]
            rows = np.flatnonzero((decisions.legal_mask.sum(axis=0) > 1) & ~begun)[: num_decisions - len(steps)]
            steps += np.diff(decisions.select(rows).moves().start).tolist()
            whole += [_count_whole_plays(engine, decisions, int(row)) for row in rows]
            on_progress(len(steps), "decisions")
        if play_rows.size:
            tables.play(play_rows, kb.play(decisions, tables.keys[play_rows]))
    return {"steps": steps, "whole": whole}


def _count_whole_plays(engine: Engine, decisions: Decisions, row: int) -> int:
    """Count the whole plays of a decision, up to the limit of listed plays."""
    from abl_cards.games.notation import MAX_COMPOSED_PLAYS, list_composed_plays

    try:
        return len(list_composed_plays(decisions, row).form)
    except GameError:
        return MAX_COMPOSED_PLAYS
