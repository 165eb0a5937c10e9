"""Plain minimax by the step-by-step interface of the engine: every move of every position, without bounds or cuts.

Only equal positions are merged. Moves, turns and points are read from tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.arrays import copy_rows

_STATE_FIELDS = (
    "seat",
    "to_beat",
    "owner",
    "passed",
    "passed_in_trick",
    "finish_order",
    "num_plays",
    "fluents",
    "hands",
)


def values(engine: Engine, tables: Tables) -> NDArray[np.float64]:
    """Return the points of the seat to decide at each table [n], the share of its side, under optimal play."""
    layers: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]] = []
    sides = tables.sides(np.arange(len(tables)))
    party = (sides != sides[:, :1]).astype(np.int8)  # [n, seats]
    root, now, seat = np.arange(len(tables)), tables, tables.seat.copy()
    ends: list[NDArray[np.float64]] = []
    while True:
        is_over = now.winner != -1
        is_over |= now.state.stage > 1
        own_points = np.where(party[root] == 0, now.points, 0).sum(axis=1)
        ends.append(np.where(is_over, own_points, np.nan).astype(np.float64))
        playing = np.flatnonzero(~is_over)
        if not playing.size:
            break
        lists = now.decisions(playing).moves()
        parent = playing[lists.decision_index]
        following = Tables(now.rules, len(parent))
        following.auto_next_episode = False
        copy_rows(now.state, parent, following.state)
        following.play(np.arange(len(parent)), lists.select(np.arange(len(parent))))
        key_fields = [root[parent], following.state.stage > 1, following.points]
        key_fields += [getattr(following.state, name) for name in _STATE_FIELDS]
        flat = np.concatenate(
            [np.asarray(field).reshape(len(parent), -1).astype(np.int64) for field in key_fields], axis=1
        )
        _, first, same = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        is_maximising = party[root[parent], now.seat[parent]] == 0
        layers.append((parent, same.ravel(), is_maximising))
        now, root = _select_rows(following, first), root[parent][first]
    best = ends.pop()
    for parent, child, is_maximising in reversed(layers):
        end_values = ends.pop()
        values_of = best[child]
        max_values = np.full(len(end_values), -np.inf)
        np.maximum.at(max_values, parent[is_maximising], values_of[is_maximising])
        min_values = np.full(len(end_values), np.inf)
        np.minimum.at(min_values, parent[~is_maximising], values_of[~is_maximising])
        best = np.where(np.isnan(end_values), np.where(np.isfinite(max_values), max_values, min_values), end_values)
    all_rows = np.arange(len(best))
    members = (party == party[all_rows, seat][:, None]).sum(axis=1)
    return np.where(party[all_rows, seat] == 0, best, -best) / members


def _select_rows(tables: Tables, rows: NDArray[np.int64]) -> Tables:
    selected = Tables(tables.rules, len(rows))
    selected.auto_next_episode = False
    copy_rows(tables.state, rows, selected.state)
    selected.points[:], selected.winner[:] = tables.points[rows], tables.winner[rows]
    return selected


def small_hands(engine: Engine, n: int, cards: int, seed: int) -> Tables:
    """Make running tables with small hands of few ranks, some with a play to beat."""
    random = np.random.default_rng(seed)
    tables = engine.start_matches(splitmix64_array(np.full(n, seed, np.uint64), np.arange(n)))
    tables.auto_next_episode = False
    while (choosing := tables.rows_to_choose()).size:
        options: Any = tables.choices(choosing).options
        lots = random.random(options.shape) * (options > 0)
        tables.choose(choosing, lots.argmax(axis=1).astype(np.uint8))
    state, deck = tables.state, engine.rules.pack.deck.astype(np.int64)
    kinds, seats = state.hands.shape[2], state.hands.shape[1]
    for table in range(n):
        some_kinds = random.permutation(kinds)[: random.integers(3, kinds + 1)]
        is_near = (np.arange(kinds) - random.integers(0, kinds)) % kinds < random.integers(8, 25)
        cards_in_play = deck[np.isin(deck, some_kinds) if random.random() < 0.3 else is_near[deck]]
        chosen = random.permutation(cards_in_play)
        sizes = random.multinomial(min(cards, len(chosen)) - seats, np.full(seats, 1 / seats)) + 1
        state.hands[table] = 0
        for seat, part in enumerate(np.split(chosen[: sizes.sum()], np.cumsum(sizes)[:-1])):
            state.hands[table, seat] = np.bincount(part, minlength=kinds)
    for _ in range(3):
        playing = np.flatnonzero((random.random(n) < 0.4) & (state.stage == 0))
        lists = tables.decisions(playing).moves()
        rows = lists.start[:-1] + (random.random(len(playing)) * np.diff(lists.start)).astype(np.int64)
        tables.play(playing, lists.select(rows))
    return _select_rows(tables, np.flatnonzero(state.stage == 0))
