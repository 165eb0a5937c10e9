"""Trial of compiled rules: a few matches of random play, up to the first play of their second episodes.

Static checks cannot find some errors: a legal form whose cards no hand has, two seats that take one trick, or a wrong
fact about the cards of a seat. Random play finds most of these, and takes a fraction of a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature, make_kb_error
from abl_cards.core import ErrorCode, scale_to_range_array, splitmix64_array
from abl_cards.games.compiled import (
    MAX_IDLE_DECISIONS,
    CompiledGame,
    attribute_table_errors,
    join_names,
    raise_where,
    source_hint,
)
from abl_cards.games.description import HAND_OUTPUTS
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices

NUM_TABLES, MAX_STEPS = 8, 2 * MAX_IDLE_DECISIONS
"""Number of matches, and most decisions at a table: enough to find an endless choice after the first episode."""


def play_random_episodes(rules: CompiledGame, num_episodes: int = 1) -> None:
    """Play episodes at each of a few tables, and choose in the next one until play begins, at random.

    Args:
        rules: Compiled rules.
        num_episodes: Number of whole episodes; 0 to stop where play begins in the first.

    Raises:
        KBError: A seat is asked without end.
        GameError: The rules derive no seat or several seats to act, leave a seat without a move, never end an episode,
            or derive a wrong fact about a hand.
    """
    with attribute_table_errors(lambda table: f"random play, match {table + 1} of {NUM_TABLES}"):
        tables = Tables.begin(rules, splitmix64_array(np.arange(NUM_TABLES).astype(np.uint64), 1))
        num_choices = np.zeros(NUM_TABLES, np.int64)  # since the last play
        for _ in range(MAX_STEPS):
            to_choose, to_play = tables.rows_to_choose(), tables.rows_to_play()
            to_play = to_play[tables.num_episodes[to_play] < num_episodes]
            if not (to_choose.size or to_play.size):
                return
            num_choices[to_choose] += 1
            num_choices[to_play] = 0
            if num_choices.max() >= MAX_IDLE_DECISIONS:
                raise _endless_choices(tables, int(num_choices.argmax()))
            _choose(tables, to_choose)
            _play(tables, to_play)


def _choose(tables: Tables, rows: Indices) -> None:
    if rows.size:
        choices = tables.choices(rows)
        _check_known_hands(tables, choices)
        tables.choose(rows, _draw(tables, rows, choices.options).astype(np.uint8))


def _play(tables: Tables, rows: Indices) -> None:
    if rows.size:
        decisions = tables.decisions(rows)
        _check_known_hands(tables, decisions)
        labels = _draw(tables, rows, decisions.legal_mask.T).astype(np.int16)
        tables.play(rows, decisions.sample_moves(labels, _random_keys(tables, rows)))


def _check_known_hands(tables: Tables, decisions: Decisions | Choices) -> None:
    """Raise TableError where the real hands differ from what the rules say of them (``has, lacks``)."""
    rules, view = tables.rules, decisions.view
    if not any(Signature.parse(name) in rules.derived_outputs for name in HAND_OUTPUTS):
        return
    known, hands = decisions.information_set(), view.hidden_hands
    for bounds, is_wrong, words, prefix in (
        (known.min_copies, hands < known.min_copies, "at least", "has"),
        (known.max_copies, hands > known.max_copies, "at most", "lacks"),
    ):

        def describe(row: int, bounds: Any = bounds, is_wrong: Any = is_wrong, words: str = words,
                     prefix: str = prefix) -> str:  # fmt: skip
            seat, kind = map(int, np.argwhere(is_wrong[row])[0])
            derived = [name for name in HAND_OUTPUTS if Signature.parse(name) in rules.derived_outputs]
            names = [name for name in derived if name.startswith(prefix)] or derived
            return (
                f"by {join_names([f'`{name}`' for name in names])} seat {view.other_seats[row, seat]} has {words} "
                f"{bounds[row, seat, kind]} of {rules.pack.kinds[kind]}, and it has {hands[row, seat, kind]}"
                f"{source_hint(rules.kb, *names)}"
            )

        raise_where(is_wrong.reshape(len(view), -1).max(axis=1, initial=False), view.rows, describe)


def _random_keys(tables: Tables, rows: Indices) -> NDArray[np.uint64]:
    return splitmix64_array(tables.keys[rows], tables.num_decisions[rows])


def _draw(tables: Tables, rows: Indices, is_open: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Draw one open column of each row [n, columns] with equal probability; 0 where none is open."""
    rank = scale_to_range_array(_random_keys(tables, rows), np.maximum(1, is_open.sum(axis=1))).astype(np.int64)
    column: NDArray[np.int64] = (np.cumsum(is_open, axis=1, dtype=np.int64) > rank[:, None]).argmax(axis=1)
    return column


def _endless_choices(tables: Tables, row: int) -> Exception:
    stage = tables.rules.schema.stages[int(tables.state.choice[row])]
    return make_kb_error(
        f"asks/2: the stage {stage} is never left: after {MAX_IDLE_DECISIONS:,} choices a seat is still asked",
        "ask only while something is missing, and remember what was chosen: next(…) :- event(choice), chosen(…)",
        ErrorCode.RULES_NOT_PLAYABLE,
    )
