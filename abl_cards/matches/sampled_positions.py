"""Sample positions from play or from records, to compare agents and knowledge bases on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, GreedyAgent, RandomAgent
from abl_cards.core import ErrorCode, GameError, derive_key, scale_to_range_array, seed64, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.notation import choices_at_acts, find_choice_acts
from abl_cards.games.sampling import (
    EpisodeStartRecorder,
    SituationSet,
    sample_reachable_decisions,
    sample_stacked_tables,
)
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves, count_move_cards

MAX_DEPTH = 240
"""Most decisions before a position: two episodes and more, so that most levels of tricks and hands occur."""
_RNG_PURPOSE = 5  # stream of random numbers
_RANDOM_MOVE_PERIOD = 5
"""One decision in this many is random, so that hands are split in other ways than the heuristic's."""

_MAX_EXCHANGE_DECISIONS = 4 * MAX_DEPTH
"""Most decisions at a table without a card exchange."""
_EXCHANGE_PERIOD, _STACKED_PERIOD = 10, 4
"""One position in 10 is a card exchange; one in 4 comes from a stacked deal or has random cards."""
_MIN_STACKED_PLAYS = 8
"""Fewest such positions for which matches are played."""
_EARLY_DECISIONS, _NUM_CANDIDATES = 16, 4
"""Most decisions before an early position of a stacked deal; random moves to select from."""
_NUM_MATCHES, _DECISIONS_PER_MATCH = 64, 400
"""Matches that show how episodes begin, and their decisions: most levels of Guandan occur."""


def sample_from_play(engine: Engine, n_states: int, seed: int) -> Decisions:
    """Sample positions from play between baseline agents, each at a table of its own."""
    keys = splitmix64_array(np.full(n_states, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(n_states))
    left = scale_to_range_array(splitmix64_array(keys, _RNG_PURPOSE), MAX_DEPTH)
    return _play_until(engine, engine.start_matches(keys), left, seed).decisions(np.arange(n_states))


def _play_until(
    engine: Engine, tables: Tables, remaining: NDArray[np.int64], seed: int,
    players: tuple[Agent, Agent] | None = None, random_move_period: int | NDArray[np.int64] = _RANDOM_MOVE_PERIOD,
    on_decision: Callable[[Decisions | Choices], None] | None = None,
) -> Tables:  # fmt: skip
    """Let baseline agents make the remaining decisions [n] of each table, and play on until a play is due."""
    agents = players or (GreedyAgent(engine.label_traits), RandomAgent())
    while (unfinished := _unfinished_tables(tables, remaining)).size:
        remaining[unfinished] -= 1
        over = unfinished[tables.winner[unfinished] != -1]
        if over.size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], _RNG_PURPOSE))
        chance = scale_to_range_array(
            splitmix64_array(tables.keys[unfinished], tables.num_decisions[unfinished]),
            np.broadcast_to(random_move_period, len(tables))[unfinished],
        )
        if on_decision is not None:
            on_decision(tables.decisions(tables.rows_to_play()))
            on_decision(tables.choices(tables.rows_to_choose()))
        with attribute_table_errors(lambda table: f"seed {seed}, position {table}"):
            for player, turn in zip(agents, (chance > 0, chance == 0), strict=True):
                _step_tables(tables, unfinished[turn], player)
    return tables


def sample_exchanges(engine: Engine, n_states: int, seed: int) -> Choices | None:
    """Sample card exchanges from play between baseline agents at up to this many tables.

    Returns None in a game without card exchanges.
    """
    keys = splitmix64_array(np.full(n_states, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(n_states))
    tables, player = engine.start_matches(keys), GreedyAgent(engine.label_traits)
    waiting = np.zeros(n_states, bool)
    while (
        unfinished := np.flatnonzero(
            ~waiting & (tables.num_decisions < _MAX_EXCHANGE_DECISIONS) & (tables.winner == -1)
        )
    ).size:
        giving = unfinished[np.isin(unfinished, tables.rows_to_choose())]
        chance = scale_to_range_array(splitmix64_array(tables.keys[giving], tables.num_decisions[giving]), 2)
        waiting[giving[chance == 0]] = True
        moving = np.setdiff1d(unfinished, giving[chance == 0])
        if moving.size:
            with attribute_table_errors(lambda table: f"seed {seed}, position {table}"):
                _step_tables(tables, moving, player)
    return tables.choices(np.flatnonzero(waiting)) if waiting.any() else None


def sample_from_stacked_deals(engine: Engine, n_states: int, seed: int) -> Decisions:
    """Sample positions soon after deals that are rich in bombs, runs and wild cards.

    Episodes begin as those of matches that are played first. All acts follow the rules, so each position can occur.
    """
    tables, kept_cards = sample_stacked_tables(engine.rules, _play_reference_matches(engine, seed)[0], n_states, seed)
    third, cards = scale_to_range_array(splitmix64_array(tables.keys, 2), 3), int(engine.rules.pack.copies.sum())
    left = np.where(
        third == 0,
        0,
        scale_to_range_array(splitmix64_array(tables.keys, 1), np.where(third == 1, _EARLY_DECISIONS, cards)),
    )
    keeping = third == 2
    players = GreedyAgent(engine.label_traits), _CardKeeper(np.where(keeping[:, None, None], kept_cards, 0))
    return _play_until(engine, tables, left, seed, players, 2).decisions(np.arange(n_states))


@dataclass(frozen=True)
class _CardKeeper:
    """Agent that plays at random but saves some cards of each hand, so that plays of a whole hand occur."""

    kept_cards: NDArray[np.uint8]  # [tables, seats, kinds]

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """Return the one of several random moves that uses fewest of these cards."""
        view, rows = decisions.view, np.arange(len(keys))
        spare = np.maximum(view.hand.astype(np.int64) - self.kept_cards[view.rows, view.seats], 0)
        moves = [RandomAgent().play(decisions, splitmix64_array(keys, number)) for number in range(_NUM_CANDIDATES)]
        used = [np.maximum(count_move_cards(move.cards, spare.shape[1]) - spare, 0).sum(axis=1) for move in moves]
        best = np.argmin(used, axis=0)
        forms, cards = [move.form for move in moves], [move.cards for move in moves]
        return Moves(np.stack(forms)[best, rows], np.stack(cards)[best, rows])

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Return a random option."""
        return RandomAgent().choose(choices, keys)


def collect_situations(engine: Engine, seed: int) -> SituationSet:
    """Collect the situations (values of fluents) that occur together in matches between baseline agents.

    Args:
        engine: Compiled game.
        seed: Seed of the matches.

    Returns:
        The situations.
    """
    return _play_reference_matches(engine, seed)[1]


def play_baseline_matches(
    engine: Engine,
    make_tables: Callable[[NDArray[np.uint64]], Tables],
    seed: int,
    on_decision: Callable[[Decisions | Choices], None],
) -> None:
    """Play matches between baseline agents.

    Args:
        engine: Compiled game.
        make_tables: Makes tables from keys, uint64 [n].
        seed: Seed of the matches.
        on_decision: Called with all decisions and choices of each step.
    """
    keys = splitmix64_array(np.full(_NUM_MATCHES, derive_key(seed, _RNG_PURPOSE), np.uint64), np.arange(_NUM_MATCHES))
    _play_until(engine, make_tables(keys), np.full(_NUM_MATCHES, _DECISIONS_PER_MATCH), seed, on_decision=on_decision)


def _play_reference_matches(engine: Engine, seed: int) -> tuple[EpisodeStartRecorder, SituationSet]:
    """Return how episodes begin in some matches, and the situations of their decisions; cached by knowledge base."""
    memo = engine.rules.kb.memo
    if (_play_reference_matches, seed) not in memo:
        starts, situations = EpisodeStartRecorder(), SituationSet(engine.rules)
        play_baseline_matches(engine, lambda keys: engine.start_matches(keys, starts), seed, situations.add)
        memo[_play_reference_matches, seed] = starts, situations
    result: tuple[EpisodeStartRecorder, SituationSet] = memo[_play_reference_matches, seed]
    return result


def sample_positions(engine: Engine, n_states: int, seed: int) -> Iterator[Decisions | Choices]:
    """Sample positions of all kinds: most from play, some from stacked deals, random cards and card exchanges.

    Positions with random cards combine values of fluents that occurred together in play. So rare plays occur, but no
    states that play cannot reach.

    Args:
        engine: Compiled game.
        n_states: Number of positions.
        seed: Seed of the positions.

    Yields:
        Decisions or choices, ``n_states`` in all.
    """
    given, few = sample_exchanges(engine, n_states // _EXCHANGE_PERIOD, seed), n_states // _STACKED_PERIOD
    few = few if few >= _MIN_STACKED_PLAYS else 0
    stacked = few // 2
    random = (
        sample_reachable_decisions(engine.rules, collect_situations(engine, seed), few - stacked, seed) if few else None
    )
    met = n_states - stacked - sum(len(positions.rows) for positions in (given, random) if positions is not None)
    yield sample_from_play(engine, met, seed)
    if stacked:
        yield sample_from_stacked_deals(engine, stacked, seed)
    if random is not None and len(random.rows):
        yield random
    if given is not None:
        yield given


def _unfinished_tables(tables: Tables, remaining: NDArray[np.int64]) -> Indices:
    """Return the tables where decisions are left, or where no play is due."""
    ready = np.zeros(len(tables), bool)
    ready[tables.rows_to_play()] = True
    return np.flatnonzero(~ready | (remaining > 0))


def _step_tables(tables: Tables, rows: Indices, player: Agent) -> None:
    keys = splitmix64_array(tables.keys[rows], tables.num_decisions[rows])
    giving, playing = (np.isin(rows, there) for there in (tables.rows_to_choose(), tables.rows_to_play()))
    if giving.any():
        tables.choose(rows[giving], player.choose(tables.choices(rows[giving]), keys[giving]))
    if playing.any():
        tables.play(rows[playing], player.play(tables.decisions(rows[playing]), keys[playing]))


def sample_from_records(
    engine: Engine, records: Sequence[Mapping[str, Any]], n_states: int, seed: int
) -> list[Decisions | Choices]:
    """Draw positions from records, without repetition.

    Args:
        engine: Compiled game.
        records: Records of this game.
        n_states: Most positions.
        seed: Seed of the draw.

    Returns:
        The plays, and the choices if some are drawn, each in random order; fewer where the records hold fewer acts.

    Raises:
        GameError: A record is invalid, or there are no acts.
    """
    plays, choices = map(_flatten, (engine.find_play_acts(records), find_choice_acts(engine.rules, records)))
    acts = [*plays, *choices]
    if not acts:
        raise GameError("the records hold no plays", ErrorCode.NO_RECORDS)
    chosen = np.random.default_rng(seed64(seed)).permutation(len(acts))[:n_states]
    parts: list[Decisions | Choices] = []
    for read, rows in (
        (engine.decisions_at_acts, chosen[chosen < len(plays)]),
        (partial(choices_at_acts, engine.rules), chosen[chosen >= len(plays)]),
    ):
        if rows.size:
            pairs = [acts[row] for row in rows]
            parts.append(read([records[number] for number, _ in pairs], [act for _, act in pairs]))
    return parts


def _flatten(acts: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return [(number, act) for number, of_record in enumerate(acts) for act in of_record]
