"""Positions to compare players and knowledge bases on: met in play, or written down in records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, GreedyAgent, RandomAgent
from abl_cards.core import GameError, derive_key, scale_to_range_array, seed64, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.sampling import EpisodeStartRecorder, SituationSet
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves

MAX_DEPTH = 240
"""Decisions before a position: two episodes and more, so that most levels of the tricks and hands come up."""
_RNG_PURPOSE = 5  # the random numbers of this module
_RANDOM_MOVE_PERIOD = 5
"""One decision in so many is random, so that hands come apart in other ways than the heuristic's."""

_MAX_EXCHANGE_DECISIONS = 4 * MAX_DEPTH
"""Decisions until a table where no card had to be given is given up."""
_EXCHANGE_PERIOD, _STACKED_PERIOD = 10, 4
"""One choice in so many is of a card to give, one play in so many comes from a stacked deal or is a random one."""
_MIN_STACKED_PLAYS = 8
"""With fewer such plays than this matches are not played for them."""
_EARLY_DECISIONS, _NUM_CANDIDATES = 16, 4
"""Decisions before a play from a stacked deal, at most, where it is an early one; random moves that are weighed up."""
_NUM_MATCHES, _DECISIONS_PER_MATCH = 64, 400
"""Matches that are played for what episodes begin with, and their decisions: most levels of Guandan come up."""


def sample_from_play(engine: Engine, n_states: int, seed: int) -> Decisions:
    """Plays to decide that come up between plain players, each at a table of its own, in the first match or later."""
    keys = splitmix64_array(np.full(n_states, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(n_states))
    left = scale_to_range_array(splitmix64_array(keys, _RNG_PURPOSE), MAX_DEPTH)
    return _play_until(engine, engine.start_matches(keys), left, seed).decisions(np.arange(n_states))


def _play_until(
    engine: Engine, tables: Tables, remaining: NDArray[np.int64], seed: int,
    players: tuple[Agent, Agent] | None = None, random_move_period: int | NDArray[np.int64] = _RANDOM_MOVE_PERIOD,
    on_decision: Callable[[Decisions | Choices], None] | None = None,
) -> Tables:  # fmt: skip
    """Let plain players decide as often as is left [n] at each table, and until there is a play to decide."""
    both = players or (GreedyAgent(engine.label_traits), RandomAgent())
    while (which := _unfinished_tables(tables, remaining)).size:
        remaining[which] -= 1
        over = which[tables.winner[which] != -1]
        if over.size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], _RNG_PURPOSE))
        chance = scale_to_range_array(
            splitmix64_array(tables.keys[which], tables.num_decisions[which]),
            np.broadcast_to(random_move_period, len(tables))[which],
        )
        if on_decision is not None:
            on_decision(tables.decisions(tables.rows_to_play()))
            on_decision(tables.choices(tables.rows_to_choose()))
        with attribute_table_errors(lambda table: f"seed {seed}, position {table}"):
            for player, turn in zip(both, (chance > 0, chance == 0), strict=True):
                _step_tables(tables, which[turn], player)
    return tables


def sample_exchanges(engine: Engine, n_states: int, seed: int) -> Choices | None:
    """Cards to choose, to be paid or returned, that come up between plain players at up to so many tables.

    None in a game where nobody gives a card.
    """
    keys = splitmix64_array(np.full(n_states, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(n_states))
    tables, player = engine.start_matches(keys), GreedyAgent(engine.label_traits)
    waiting = np.zeros(n_states, bool)
    while (
        which := np.flatnonzero(~waiting & (tables.num_decisions < _MAX_EXCHANGE_DECISIONS) & (tables.winner == -1))
    ).size:
        giving = which[np.isin(which, tables.rows_to_choose())]
        chance = scale_to_range_array(splitmix64_array(tables.keys[giving], tables.num_decisions[giving]), 2)
        waiting[giving[chance == 0]] = True
        moving = np.setdiff1d(which, giving[chance == 0])
        if moving.size:
            with attribute_table_errors(lambda table: f"seed {seed}, position {table}"):
                _step_tables(tables, moving, player)
    return tables.choices(np.flatnonzero(waiting)) if waiting.any() else None


def sample_from_stacked_deals(engine: Engine, n_states: int, seed: int) -> Decisions:
    """Plays to decide after few acts of an episode whose hands are rich in bombs, runs and wild cards.

    Matches are played first, so that an episode begins as one of them has come to. All is played by the rules: they
    lead to every one of these states.
    """
    tables, kept = engine.sample_deals(_play_reference_matches(engine, seed)[0], n_states, seed)
    third, cards = scale_to_range_array(splitmix64_array(tables.keys, 2), 3), int(engine.rules.pack.copies.sum())
    left = np.where(
        third == 0,
        0,
        scale_to_range_array(splitmix64_array(tables.keys, 1), np.where(third == 1, _EARLY_DECISIONS, cards)),
    )
    keeping = third == 2
    players = GreedyAgent(engine.label_traits), _CardKeeper(np.where(keeping[:, None, None], kept, 0))
    return _play_until(engine, tables, left, seed, players, 2).decisions(np.arange(n_states))


@dataclass(frozen=True)
class _CardKeeper:
    """Plays at random, but keeps some cards of each hand for later: so plays that need a whole hand come up."""

    kept_cards: NDArray[np.uint8]  # [tables, seats, kinds]

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """Of some random moves the one with the fewest of these cards."""
        view, rows = decisions.view, np.arange(len(keys))
        spare = np.maximum(view.hand.astype(np.int64) - self.kept_cards[view.rows, view.seats], 0)
        moves = [RandomAgent().play(decisions, splitmix64_array(keys, number)) for number in range(_NUM_CANDIDATES)]
        used = [np.maximum(_count_kinds(each.cards, spare.shape[1]) - spare, 0).sum(axis=1) for each in moves]
        best = np.argmin(used, axis=0)
        forms, cards = [each.form for each in moves], [each.cards for each in moves]
        return Moves(np.stack(forms)[best, rows], np.stack(cards)[best, rows])

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """A random option."""
        return RandomAgent().choose(choices, keys)


def _count_kinds(cards: NDArray[np.uint8], kinds: int) -> NDArray[np.int64]:
    """[n, kinds] how many cards of each kind there are among cards [n, most]."""
    found = np.zeros((len(cards), 256), np.int64)
    np.add.at(found, (np.arange(len(cards))[:, None], cards), 1)
    return found[:, :kinds]


def collect_situations(engine: Engine, seed: int) -> SituationSet:
    """What is remembered together in matches between plain players, as far as they come up in some of them."""
    return _play_reference_matches(engine, seed)[1]


def play_baseline_matches(
    engine: Engine,
    make_tables: Callable[[NDArray[np.uint64]], Tables],
    seed: int,
    on_decision: Callable[[Decisions | Choices], None],
) -> None:
    """Play matches between plain players at tables that are begun with keys [n]; note is called with all decisions."""
    keys = splitmix64_array(np.full(_NUM_MATCHES, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(_NUM_MATCHES))
    _play_until(engine, make_tables(keys), np.full(_NUM_MATCHES, _DECISIONS_PER_MATCH), seed, on_decision=on_decision)


def _play_reference_matches(engine: Engine, seed: int) -> tuple[EpisodeStartRecorder, SituationSet]:
    """Where episodes begin in some matches, and the situations of their decisions; played once a knowledge base."""
    kept = engine.rules.kb.memo
    if (_play_reference_matches, seed) not in kept:
        begun, met = EpisodeStartRecorder(), SituationSet(engine.rules)
        play_baseline_matches(engine, lambda keys: engine.start_matches(keys, begun), seed, met.add)
        kept[_play_reference_matches, seed] = begun, met
    found: tuple[EpisodeStartRecorder, SituationSet] = kept[_play_reference_matches, seed]
    return found


def sample_positions(engine: Engine, n_states: int, seed: int) -> Iterator[Decisions | Choices]:
    """So many choices: cards to give; plays from stacked deals, and random ones in situations of play; most are met.

    The random plays have cards that a table may have, and remember what play brings together: so rare plays come up
    without states that no play comes to.
    """
    given, few = sample_exchanges(engine, n_states // _EXCHANGE_PERIOD, seed), n_states // _STACKED_PERIOD
    few = few if few >= _MIN_STACKED_PLAYS else 0
    stacked = few // 2
    random = engine.sample_situations(collect_situations(engine, seed), few - stacked, seed) if few else None
    met = n_states - stacked - sum(len(each.rows) for each in (given, random) if each is not None)
    yield sample_from_play(engine, met, seed)
    if stacked:
        yield sample_from_stacked_deals(engine, stacked, seed)
    if random is not None and len(random.rows):
        yield random
    if given is not None:
        yield given


def _unfinished_tables(tables: Tables, remaining: NDArray[np.int64]) -> Indices:
    """The tables where decisions are left to make, or where there is nothing to play just now."""
    ready = np.zeros(len(tables), bool)
    ready[tables.rows_to_play()] = True
    return np.flatnonzero(~ready | (remaining > 0))


def _step_tables(tables: Tables, which: Indices, player: Agent) -> None:
    keys = splitmix64_array(tables.keys[which], tables.num_decisions[which])
    giving, playing = (np.isin(which, there) for there in (tables.rows_to_choose(), tables.rows_to_play()))
    if giving.any():
        tables.choose(which[giving], player.choose(tables.choices(which[giving]), keys[giving]))
    if playing.any():
        tables.play(which[playing], player.play(tables.decisions(which[playing]), keys[playing]))


def sample_from_records(engine: Engine, records: Sequence[Mapping[str, Any]], n_states: int, seed: int) -> Decisions:
    """Plays to decide drawn from records, without repetition while there are enough; raises GameError."""
    moves = [(number, move) for number, plays in enumerate(engine.find_play_acts(records)) for move in plays]
    if not moves:
        raise GameError("the records hold no plays")
    chosen = np.random.default_rng(seed64(seed)).permutation(len(moves))[:n_states]
    pairs = [moves[index] for index in chosen]
    return engine.decisions_at_acts([records[number] for number, _ in pairs], [move for _, move in pairs])
