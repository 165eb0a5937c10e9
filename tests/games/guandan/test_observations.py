"""Observations: the layout, the numbers against a slow implementation, and no hidden information."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.contest.match_state import table_level
from tests.effort import amount
from tests.games.guandan.states import engine, wild_of
from tests.games.random_play import match_keys, step


class ActHistoryListener:
    """Keeps the acts of an episode at each table as lists."""

    def __init__(self, n: int) -> None:
        self.acts: list[list[tuple[int, list[int]]]] = [[] for _ in range(n)]

    def on_draw(self, tables: object, rows: np.ndarray) -> None:
        """Cards are dealt at once."""

    def on_episode_start(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        for table in rows:
            self.acts[table] = []

    def on_choice(self, tables: Tables, rows: NDArray[np.int64], card: NDArray[np.uint8]) -> None:
        pass

    def on_play(self, tables: Tables, rows: NDArray[np.int64], moves: Moves) -> None:
        for table, cards in zip(rows, moves.cards, strict=True):
            self.acts[table].append((int(tables.seat[table]), [int(card) for card in cards if card != 255]))

    def on_episode_end(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        pass

    def on_match_end(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        pass


def vector(cards: list[int]) -> NDArray[np.uint8]:
    return np.bincount(cards, minlength=54).astype(np.uint8) if cards else np.zeros(54, np.uint8)


def observe_from_acts(tables: Tables, acts: list[tuple[int, list[int]]], table: int, seat: int) -> NDArray[np.uint8]:
    """Return one observation computed from the acts of the episode, in the order of the layout."""
    hands = tables.state.hands[table]
    level = table_level(tables, table)
    order = [(seat + place) % 4 for place in range(4)]
    last = deque([*[(None, [])] * 7, *acts], maxlen=7)
    parts = [
        np.eye(13)[level - 2],
        np.eye(4)[seat],
        np.eye(3)[hands[seat, wild_of(np.array([level], np.int8))[0]]],
        hands[seat],
        *(np.eye(54)[hands[other].sum()] for other in order),
        *(vector([card for actor, cards in acts if actor == other for card in cards]) for other in order),
        *(vector(cards) for _, cards in last),
        *(np.zeros(4) if actor is None else np.eye(4)[order.index(actor)] for actor, _ in last),
    ]
    return np.concatenate(parts).astype(np.uint8)


def test_layout_equals_table_1_of_the_paper() -> None:
    """Table 1 of the paper: 506 numbers of state, 7 × (54 + 4) of sequence, side by side."""
    observation = engine().observation_features
    sizes = {feature.name: feature.size for feature in observation.features}
    assert sizes == {
        "level": 13, "seat": 4, "wild": 3, "hand": 54, "sizes": 216, "played": 216, "recent": 378, "recent_seat": 28,
    }  # fmt: skip
    places = [np.arange(observation.size)[observation[name]] for name in sizes]
    assert np.concatenate(places).tolist() == list(range(912))
    assert places[6][0] == 506
    assert all(name in observation.describe() for name in sizes)


def test_observations_equal_slow_implementation() -> None:
    """All four seats, over two episodes and the tribute between them, at tables in every stage."""
    n = amount(4, 12)
    act_recorder = ActHistoryListener(n)
    tables = engine().start_matches(match_keys(n, 11), act_recorder)
    exchanged = 0
    for taken in range(260):
        exchanged += len(tables.rows_to_choose())
        if taken % 5 == 0 or tables.rows_to_choose().size:
            rows = np.concatenate([tables.rows_to_play(), tables.rows_to_choose()])
            for seat in range(4):
                seen = tables.observe(rows, np.full(len(rows), seat, np.int8))
                expected = [observe_from_acts(tables, act_recorder.acts[table], table, seat) for table in rows]
                assert (seen == np.array(expected)).all()
            assert (tables.observe(rows) == tables.observe(rows, tables.seat[rows])).all()
        step(tables)
    assert exchanged > 0
    assert tables.num_episodes.min() > 0


@settings(max_examples=amount(6, 50, 2_000))
@given(st.integers(0, 2**32 - 1), st.integers(0, 120))
def test_unseen_cards_change_nothing(seed: int, steps: int) -> None:
    """Dealing the unseen cards again among the other seats changes no observation of any seat."""
    n, random = 4, np.random.default_rng(seed)
    tables = engine().start_matches(match_keys(n, seed % 2**31))
    for _ in range(steps):
        step(tables)
    hands = tables.state.hands.copy()
    for seat in range(4):
        seats = np.full(n, seat, np.int8)
        before = tables.observe(np.arange(n), seats)
        for table in range(n):
            others = [other for other in range(4) if other != seat]
            unseen = random.permutation(np.repeat(np.tile(np.arange(54), 3), hands[table, others].ravel()))
            shares = np.split(unseen, hands[table, others].sum(axis=1).cumsum()[:-1])
            for other, share in zip(others, shares, strict=True):
                tables.state.hands[table, other] = vector(share.tolist())
        assert (tables.observe(np.arange(n), seats) == before).all()
        tables.state.hands[:] = hands


def test_observing_decisions_without_a_table_raises() -> None:
    """Decisions made of hands alone have no history."""
    with pytest.raises(GameError) as raised:
        engine().sample_decisions(2, 1).observe()
    assert raised.value.code == ErrorCode.INCOMPLETE_STATE
