"""Plain minimax by the engine's step-by-step interface: every move of every position, no bound and no cut.

Positions that are the same are looked at once; that is all it saves. It reads moves, turns and points off tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.arrays import copy_rows

_TELLING = ("seat", "to_beat", "owner", "passed", "passed_in_trick", "finish_order", "num_plays", "fluents", "hands")


def values(engine: Engine, tables: Tables) -> NDArray[np.float64]:
    """[n] what the side of the seat to decide wins at each table, a seat, when everybody plays as well as can be."""
    layers: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]] = []
    sides = tables.sides(np.arange(len(tables)))
    party = (sides != sides[:, :1]).astype(np.int8)  # [n, seats]
    root, now, seat = np.arange(len(tables)), tables, tables.seat.copy()
    ends: list[NDArray[np.float64]] = []
    while True:
        over = now.winner != -1
        over |= now.state.stage > 1
        mine = np.where(party[root] == 0, now.points, 0).sum(axis=1)
        ends.append(np.where(over, mine, np.nan).astype(np.float64))
        playing = np.flatnonzero(~over)
        if not playing.size:
            break
        lists = now.decisions(playing).moves()
        parent = playing[lists.decision_index]
        following = Tables(now.rules, len(parent))
        following.auto_next_episode = False
        copy_rows(now.state, parent, following.state)
        following.play(np.arange(len(parent)), lists.select(np.arange(len(parent))))
        told = [root[parent], following.state.stage > 1, following.points]
        told += [getattr(following.state, name) for name in _TELLING]
        flat = np.concatenate([np.asarray(each).reshape(len(parent), -1).astype(np.int64) for each in told], axis=1)
        _, first, same = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        wants_much = party[root[parent], now.seat[parent]] == 0
        layers.append((parent, same.ravel(), wants_much))
        now, root = _some(following, first), root[parent][first]
    best = ends.pop()
    for parent, child, wants_much in reversed(layers):
        found = ends.pop()
        values_of = best[child]
        most = np.full(len(found), -np.inf)
        np.maximum.at(most, parent[wants_much], values_of[wants_much])
        least = np.full(len(found), np.inf)
        np.minimum.at(least, parent[~wants_much], values_of[~wants_much])
        best = np.where(np.isnan(found), np.where(np.isfinite(most), most, least), found)
    everyone = np.arange(len(best))
    members = (party == party[everyone, seat][:, None]).sum(axis=1)
    return np.where(party[everyone, seat] == 0, best, -best) / members


def _some(tables: Tables, rows: NDArray[np.int64]) -> Tables:
    found = Tables(tables.rules, len(rows))
    found.auto_next_episode = False
    copy_rows(tables.state, rows, found.state)
    found.points[:], found.winner[:] = tables.points[rows], tables.winner[rows]
    return found


def small_hands(engine: Engine, n: int, cards: int, seed: int) -> Tables:
    """Tables where everybody holds few cards of few ranks, some with a play to beat; none where it is over."""
    random = np.random.default_rng(seed)
    tables = engine.start_matches(splitmix64_array(np.full(n, seed, np.uint64), np.arange(n)))
    tables.auto_next_episode = False
    while (which := tables.rows_to_choose()).size:
        options: Any = tables.choices(which).options
        lots = random.random(options.shape) * (options > 0)
        tables.choose(which, lots.argmax(axis=1).astype(np.uint8))
    state, deck = tables.state, engine.rules.pack.deck.astype(np.int64)
    kinds, seats = state.hands.shape[2], state.hands.shape[1]
    for table in range(n):
        few = random.permutation(kinds)[: random.integers(3, kinds + 1)]
        near = (np.arange(kinds) - random.integers(0, kinds)) % kinds < random.integers(8, 25)
        liked = deck[np.isin(deck, few) if random.random() < 0.3 else near[deck]]
        chosen = random.permutation(liked)
        sizes = random.multinomial(min(cards, len(chosen)) - seats, np.full(seats, 1 / seats)) + 1
        state.hands[table] = 0
        for seat, part in enumerate(np.split(chosen[: sizes.sum()], np.cumsum(sizes)[:-1])):
            state.hands[table, seat] = np.bincount(part, minlength=kinds)
    for _ in range(3):
        going = np.flatnonzero((random.random(n) < 0.4) & (state.stage == 0))
        lists = tables.decisions(going).moves()
        rows = lists.start[:-1] + (random.random(len(going)) * np.diff(lists.start)).astype(np.int64)
        tables.play(going, lists.select(rows))
    return _some(tables, np.flatnonzero(state.stage == 0))
