"""Positions to compare players and knowledge bases on: met in play, or written down in records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Greedy, Random
from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Engine, Indices, Moves, Tables
from abl_cards.games.faults import naming
from abl_cards.games.telling.beginnings import Beginnings
from abl_cards.games.telling.situations import Situations
from abl_cards.seeds import seed64
from abl_cards.streams import below_all, key_of, mix_all

DEPTH = 240
"""Decisions before a position: two episodes and more, so that most levels of the tricks and hands come up."""
_WHAT_FOR = 5  # the random numbers of this module
_HEADSTRONG = 5
"""One decision in so many is random, so that hands come apart in other ways than the heuristic's."""

_LONG_ENOUGH = 4 * DEPTH
"""Decisions until a table where no card had to be given is given up."""
_GIVING, _STACKED = 10, 4
"""One choice in so many is of a card to give, one play in so many comes from a stacked deal or is a random one."""
_WORTH_PLAYING = 8
"""With fewer such plays than this matches are not played for them."""
_FEW, _TRIES = 16, 4
"""Decisions before a play from a stacked deal, at most, where it is an early one; random moves that are weighed up."""
_MATCHES, _LONG = 64, 400
"""Matches that are played for what episodes begin with, and their decisions: most levels of Guandan come up."""


def met_in_play(engine: Engine, states: int, seed: int) -> Decisions:
    """Plays to decide that come up between plain players, each at a table of its own, in the first match or later."""
    keys = mix_all(np.full(states, key_of(seed, _WHAT_FOR), np.uint64), np.arange(states))
    left = below_all(mix_all(keys, _WHAT_FOR), DEPTH)
    return _played_on(engine, engine.tables(keys), left, seed).decisions(np.arange(states))


def _played_on(
    engine: Engine, tables: Tables, left: NDArray[np.int64], seed: int,
    players: tuple[Agent, Agent] | None = None, headstrong: int | NDArray[np.int64] = _HEADSTRONG,
    note: Callable[[Decisions | Choices], None] | None = None,
) -> Tables:  # fmt: skip
    """Let plain players decide as often as is left [n] at each table, and until there is a play to decide."""
    both = players or (Greedy(engine.traits), Random())
    while (which := _on_the_way(tables, left)).size:
        left[which] -= 1
        over = which[tables.winner[which] != -1]
        if over.size:
            tables.begin_match(over, mix_all(tables.keys[over], _WHAT_FOR))
        chance = below_all(
            mix_all(tables.keys[which], tables.clock[which]), np.broadcast_to(headstrong, len(tables))[which]
        )
        if note is not None:
            note(tables.decisions(tables.playing()))
            note(tables.choices(tables.choosing()))
        with naming(lambda table: f"seed {seed}, position {table}"):
            for player, turn in zip(both, (chance > 0, chance == 0), strict=True):
                _decide(tables, which[turn], player)
    return tables


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


def from_stacked_deals(engine: Engine, states: int, seed: int) -> Decisions:
    """Plays to decide after few acts of an episode whose hands are rich in bombs, runs and wild cards.

    Matches are played first, so that an episode begins as one of them has come to. All is played by the rules: they
    lead to every one of these states.
    """
    tables, kept = engine.sample_deals(_matches(engine, seed)[0], states, seed)
    third, cards = below_all(mix_all(tables.keys, 2), 3), int(engine.rules.pack.copies.sum())
    left = np.where(third == 0, 0, below_all(mix_all(tables.keys, 1), np.where(third == 1, _FEW, cards)))
    keeping = third == 2
    players = Greedy(engine.traits), _Keeping(np.where(keeping[:, None, None], kept, 0))
    return _played_on(engine, tables, left, seed, players, 2).decisions(np.arange(states))


@dataclass(frozen=True)
class _Keeping:
    """Plays at random, but keeps some cards of each hand for later: so plays that need a whole hand come up."""

    kept: NDArray[np.uint8]  # [tables, seats, kinds]

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """Of some random moves the one with the fewest of these cards."""
        view, rows = decisions.view, np.arange(len(keys))
        spare = np.maximum(view.hand.astype(np.int64) - self.kept[view.which, view.seats], 0)
        moves = [Random().play(decisions, mix_all(keys, number)) for number in range(_TRIES)]
        used = [np.maximum(_counts(each.cards, spare.shape[1]) - spare, 0).sum(axis=1) for each in moves]
        best = np.argmin(used, axis=0)
        forms, cards = [each.form for each in moves], [each.cards for each in moves]
        return Moves(np.stack(forms)[best, rows], np.stack(cards)[best, rows])

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """A random option."""
        return Random().choose(choices, keys)


def _counts(cards: NDArray[np.uint8], kinds: int) -> NDArray[np.int64]:
    """[n, kinds] how many cards of each kind there are among cards [n, most]."""
    found = np.zeros((len(cards), 256), np.int64)
    np.add.at(found, (np.arange(len(cards))[:, None], cards), 1)
    return found[:, :kinds]


def situations(engine: Engine, seed: int) -> Situations:
    """What is remembered together in matches between plain players, as far as they come up in some of them."""
    return _matches(engine, seed)[1]


def play_matches(
    engine: Engine,
    begin: Callable[[NDArray[np.uint64]], Tables],
    seed: int,
    note: Callable[[Decisions | Choices], None],
) -> None:
    """Play matches between plain players at tables that are begun with keys [n]; note is called with all decisions."""
    keys = mix_all(np.full(_MATCHES, key_of(seed, _WHAT_FOR), np.uint64), np.arange(_MATCHES))
    _played_on(engine, begin(keys), np.full(_MATCHES, _LONG), seed, note=note)


def _matches(engine: Engine, seed: int) -> tuple[Beginnings, Situations]:
    """Where episodes begin in some matches, and the situations of their decisions; played once a knowledge base."""
    kept = engine.rules.kb.kept
    if (_matches, seed) not in kept:
        begun, met = Beginnings(), Situations(engine.rules)
        play_matches(engine, lambda keys: engine.tables(keys, begun), seed, met.note)
        kept[_matches, seed] = begun, met
    found: tuple[Beginnings, Situations] = kept[_matches, seed]
    return found


def of_all_kinds(engine: Engine, states: int, seed: int) -> Iterator[Decisions | Choices]:
    """So many choices: cards to give; plays from stacked deals, and random ones in situations of play; most are met.

    The random plays have cards that a table may have, and remember what play brings together: so rare plays come up
    without states that no play comes to.
    """
    given, few = cards_to_give(engine, states // _GIVING, seed), states // _STACKED
    few = few if few >= _WORTH_PLAYING else 0
    stacked = few // 2
    random = engine.sample_situations(situations(engine, seed), few - stacked, seed) if few else None
    met = states - stacked - sum(len(each.which) for each in (given, random) if each is not None)
    yield met_in_play(engine, met, seed)
    if stacked:
        yield from_stacked_deals(engine, stacked, seed)
    if random is not None and len(random.which):
        yield random
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
