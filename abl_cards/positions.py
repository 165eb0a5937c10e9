"""Positions to compare players and knowledge bases on: met in play, or written down in records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Greedy, Random
from abl_cards.games import Decisions, Engine, GameError, Indices, Tables
from abl_cards.streams import below_all, key_of, mix_all

DEPTH = 240
"""Decisions before a position: two episodes and more, so that most levels of the tricks and hands come up."""
_WHAT_FOR = 5  # the random numbers of this module
_HEADSTRONG = 5
"""One decision in so many is random, so that hands come apart in other ways than the heuristic's."""


def met_in_play(engine: Engine, states: int, seed: int) -> Decisions:
    """Plays to decide that come up between plain players, each at a table of its own."""
    keys = mix_all(np.full(states, key_of(seed, _WHAT_FOR), np.uint64), np.arange(states))
    depth = below_all(mix_all(keys, _WHAT_FOR), DEPTH)
    tables = engine.tables(keys)
    players: tuple[Agent, Agent] = Greedy(engine.traits), Random()
    taken = np.zeros(states, np.int64)  # decisions at each table, over as many matches as it takes
    while (which := _on_the_way(tables, taken < depth)).size:
        over = which[tables.winner[which] != -1]
        if over.size:
            tables.begin_match(over, mix_all(tables.keys[over], _WHAT_FOR))
        chance = below_all(mix_all(tables.keys[which], tables.clock[which]), _HEADSTRONG)
        for player, turn in zip(players, (chance > 0, chance == 0), strict=True):
            _decide(tables, which[turn], player)
        taken[which] += 1
    return tables.decisions(np.arange(states))


def _on_the_way(tables: Tables, early: NDArray[np.bool_]) -> Indices:
    """The tables that have not come deep enough, or have nothing to play just now."""
    ready = np.zeros(len(tables), bool)
    ready[tables.playing()] = True
    return np.flatnonzero(~ready | early)


def _decide(tables: Tables, which: Indices, player: Agent) -> None:
    keys = mix_all(tables.keys[which], tables.clock[which])
    giving, playing = (np.isin(which, there) for there in (tables.exchanging(), tables.playing()))
    if giving.any():
        tables.give(which[giving], player.give(tables.exchanges(which[giving]), keys[giving]))
    if playing.any():
        tables.play(which[playing], player.play(tables.decisions(which[playing]), keys[playing]))


def out_of_records(engine: Engine, records: Sequence[Mapping[str, Any]], states: int, seed: int) -> Decisions:
    """Plays to decide drawn from records, without repetition while there are enough; raises GameError."""
    moves = [(number, move) for number, record in enumerate(records) for move in range(1, 1 + _length(record))]
    if not moves:
        raise GameError("the records hold no plays")
    chosen = np.random.default_rng(seed).permutation(len(moves))[:states]
    pairs = [moves[index] for index in chosen]
    return engine.recorded([records[number] for number, _ in pairs], [move for _, move in pairs])


def _length(record: Mapping[str, Any]) -> int:
    plays = record.get("plays")
    return len(plays) if isinstance(plays, list) else 0
