"""Past decisions of other seats, with hypothetical hands."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load

TABLES = 24


def played(name: str, acts: int) -> tuple[Any, Any, list[dict[str, Any]]]:
    """Play a number of acts with the agent ``kb`` at tables with a history; return the decisions of each act."""
    engine = load(name).engine()
    tables: Any = engine.start_matches(splitmix64_array(np.arange(TABLES).astype(np.uint64), 5))
    tables.record_history()
    player, acted = make_agent("kb", engine), []
    keys = np.zeros(TABLES, np.uint64)
    while (choosing := tables.rows_to_choose()).size:
        tables.choose(choosing, player.choose(tables.choices(choosing), keys[choosing]))
    for _ in range(acts):
        decisions = tables.decisions(np.arange(TABLES))
        moves = player.play(decisions, keys)
        acted.append({
            "seat": tables.seat.copy(), "hands": tables.state.hands.copy(), "legal": decisions.legal_mask.copy(),
            "observed": decisions.observe(), "label": decisions.labels_of(moves.form),
        })  # fmt: skip
        tables.play(np.arange(TABLES), moves)
    return engine, tables, acted


@pytest.mark.parametrize("name", ["whist", "hearts", "president", "paodekuai"])
def test_past_decisions_with_true_hands_equal_those_made(name: str) -> None:
    engine, tables, acted = played(name, 7)
    decisions = tables.decisions(np.arange(TABLES))
    rows = np.arange(TABLES)
    past = list(decisions.past_decisions(rows, decisions.view.hidden_hands))
    num_others = int(engine.teams.size) - 1
    assert sum(len(indices) for indices, _, _ in past) > TABLES, "several acts of others are remembered"
    for indices, then, label in past:
        acts = then.view.state.num_acts
        assert ((acts >= 7 - num_others) & (acts < 7)).all()
        assert (then.view.seats != decisions.view.seats[indices]).all()
        for index, row in enumerate(indices):
            was = acted[int(acts[index])]
            assert was["seat"][row] == then.view.seats[index]
            assert was["label"][row] == label[index]
            assert (was["hands"][row] == then.view.state.hands[index]).all()
            assert (was["legal"][:, row] == then.legal_mask[:, index]).all()
        if name != "hearts":  # its observations have private fluents
            observed = then.observe()
            assert all((acted[int(acts[index])]["observed"][row] == observed[index]).all()
                       for index, row in enumerate(indices))  # fmt: skip


def test_past_decisions_do_not_depend_on_hidden_hands() -> None:
    """Past decisions do not change if the hidden hands are exchanged at the table and in its history."""
    _, tables, _ = played("whist", 6)
    decisions = tables.decisions(np.arange(TABLES))
    imagined = decisions.view.hidden_hands.copy()
    before = list(decisions.past_decisions(np.arange(TABLES), imagined))
    seats = tables.seat.copy()
    for state in (tables.state, tables.history._states):
        for table, me in enumerate(np.resize(seats, len(state.seat))):
            theirs = [seat for seat in range(4) if seat != me]
            hands = state.hands[table, theirs]
            state.hands[table, theirs] = np.stack([_with_as_many(hands.sum(axis=0), size) for size in _cuts(hands)])
    after = list(tables.decisions(np.arange(TABLES)).past_decisions(np.arange(TABLES), imagined))
    assert len(before) == len(after) > 0
    for (indices, then, label), (again, now, same) in zip(before, after, strict=True):
        assert (indices == again).all()
        assert (label == same).all()
        assert (then.observe() == now.observe()).all()
        assert (then.legal_mask == now.legal_mask).all()


def _cuts(hands: np.ndarray) -> list[tuple[int, int]]:
    ends = np.cumsum([0, *hands.sum(axis=1).tolist()])
    return [(int(first), int(last)) for first, last in pairwise(ends)]


def _with_as_many(cards: np.ndarray, part: tuple[int, int]) -> np.ndarray:
    kinds = np.repeat(np.arange(len(cards)), cards.astype(np.int64))[part[0] : part[1]]
    return np.bincount(kinds, minlength=len(cards)).astype(np.uint8)


def test_history_is_opt_in_and_starts_with_the_episode() -> None:
    engine = load("whist").engine()
    tables: Any = engine.start_matches(splitmix64_array(np.arange(2).astype(np.uint64), 5))
    first = tables.decisions(np.arange(2))
    assert list(first.past_decisions(np.arange(2), first.view.hidden_hands)) == []
    tables.record_history()
    player, keys = make_agent("greedy", engine), np.zeros(2, np.uint64)
    for _ in range(52):
        tables.play(np.arange(2), player.play(tables.decisions(np.arange(2)), keys))
    tables.begin_match(np.arange(2), keys)
    fresh = tables.decisions(np.arange(2))
    assert list(fresh.past_decisions(np.arange(2), fresh.view.hidden_hands)) == []
