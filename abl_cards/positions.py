"""Positions to compare players and knowledge bases on: met in play, or written down in records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Greedy, Random
from abl_cards.games import Choices, Decisions, Engine, GameError, Indices, Tables
from abl_cards.games.faults import naming
from abl_cards.streams import below_all, key_of, mix_all, seed64

DEPTH = 240
"""Decisions before a position: two episodes and more, so that most levels of the tricks and hands come up."""
_WHAT_FOR = 5  # the random numbers of this module
_HEADSTRONG = 5
"""One decision in so many is random, so that hands come apart in other ways than the heuristic's."""

_LONG_ENOUGH = 4 * DEPTH
"""Decisions until a table where no card had to be given is given up."""
_GIVING, _RANDOM = 10, 4
"""One choice in so many is of a card to give, one play in so many a random one."""


def met_in_play(engine: Engine, states: int, seed: int) -> Decisions:
    """Plays to decide that come up between plain players, each at a table of its own, in the first match or later."""
    keys = mix_all(np.full(states, key_of(seed, _WHAT_FOR), np.uint64), np.arange(states))
    left = below_all(mix_all(keys, _WHAT_FOR), DEPTH)
    tables = engine.tables(keys)
    players: tuple[Agent, Agent] = Greedy(engine.traits), Random()
    while (which := _on_the_way(tables, left)).size:
        left[which] -= 1
        over = which[tables.winner[which] != -1]
        if over.size:
            tables.begin_match(over, mix_all(tables.keys[over], _WHAT_FOR))
        chance = below_all(mix_all(tables.keys[which], tables.clock[which]), _HEADSTRONG)
        with naming(lambda table: f"seed {seed}, position {table}"):
            for player, turn in zip(players, (chance > 0, chance == 0), strict=True):
                _decide(tables, which[turn], player)
    return tables.decisions(np.arange(states))


def cards_to_give(engine: Engine, states: int, seed: int) -> Choices | None:
    """Cards to choose, to be paid or returned, that come up between plain players at up to so many tables.

    None in a game where nobody gives a card.
    """
    keys = mix_all(np.full(states, key_of(seed, _WHAT_FOR), np.uint64), np.arange(states))
    tables, player = engine.tables(keys), Greedy(engine.traits)
    waiting = np.zeros(states, bool)
    while (which := np.flatnonzero(~waiting & (tables.clock < _LONG_ENOUGH) & (tables.winner == -1))).size:
        giving = which[np.isin(which, tables.choosing())]
        chance = below_all(mix_all(tables.keys[giving], tables.clock[giving]), 2)
        waiting[giving[chance == 0]] = True
        moving = np.setdiff1d(which, giving[chance == 0])
        if moving.size:
            with naming(lambda table: f"seed {seed}, position {table}"):
                _decide(tables, moving, player)
    return tables.choices(np.flatnonzero(waiting)) if waiting.any() else None


def of_all_kinds(engine: Engine, states: int, seed: int) -> Iterator[Decisions | Choices]:
    """So many choices: cards to give, random plays rich in bombs, runs and wild cards; most are met in play."""
    given, random = cards_to_give(engine, states // _GIVING, seed), states // _RANDOM
    met = states - random - (0 if given is None else len(given.which))
    yield met_in_play(engine, met, seed)
    if random:
        yield engine.sample_decisions(random, seed)
    if given is not None:
        yield given


def _on_the_way(tables: Tables, left: NDArray[np.int64]) -> Indices:
    """The tables where decisions are left to make, or where there is nothing to play just now."""
    ready = np.zeros(len(tables), bool)
    ready[tables.playing()] = True
    return np.flatnonzero(~ready | (left > 0))


def _decide(tables: Tables, which: Indices, player: Agent) -> None:
    keys = mix_all(tables.keys[which], tables.clock[which])
    giving, playing = (np.isin(which, there) for there in (tables.choosing(), tables.playing()))
    if giving.any():
        tables.choose(which[giving], player.choose(tables.choices(which[giving]), keys[giving]))
    if playing.any():
        tables.play(which[playing], player.play(tables.decisions(which[playing]), keys[playing]))


def out_of_records(engine: Engine, records: Sequence[Mapping[str, Any]], states: int, seed: int) -> Decisions:
    """Plays to decide drawn from records, without repetition while there are enough; raises GameError."""
    moves = [(number, move) for number, plays in enumerate(engine.plays_of(records)) for move in plays]
    if not moves:
        raise GameError("the records hold no plays")
    chosen = np.random.default_rng(seed64(seed)).permutation(len(moves))[:states]
    pairs = [moves[index] for index in chosen]
    return engine.recorded([records[number] for number, _ in pairs], [move for _, move in pairs])
