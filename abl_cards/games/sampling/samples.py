"""Random circuit inputs that cover the rules, for verification and measurement.

Each state serves one query and gets the input groups that play supplies for it (``description/queries.py``), and no
others. So rules that read inputs which never occur together show no differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.circuit import Circuit
from abl_cards.core import seed64
from abl_cards.games.binding import CircuitQuery, make_gather_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EVENTS, QUERY_SPECS, ColumnWriter, referee_groups
from abl_cards.games.preferences import GamePreferenceInputs
from abl_cards.games.sampling.episode_starts import EpisodeStartRecorder
from abl_cards.games.sampling.random_states import sample_stacked_deals, sample_state
from abl_cards.games.sampling.situations import SituationSet
from abl_cards.games.state import CHOICE, TableState, deal_cards
from abl_cards.games.tables import (
    NO_FORM,
    Choices,
    DealtEpisodes,
    Decisions,
    EventRules,
    PlayerView,
    Tables,
    find_max_declared,
    largest_hand,
    sample_fluents,
)
from abl_cards.games.types import NO_CARD, HandEstimate, Indices, MoveLists, sample_hand_estimates

InputRows = NDArray[np.uint8]
_PLAYS_SHARE = 0.6
_OVERSAMPLING = 4  # random states for each state to return, as some are unreachable


def sample_decisions(rules: CompiledGame, num_states: int, seed: int) -> Decisions:
    """Draw decisions about plays in random states.

    Args:
        rules: Compiled rules.
        num_states: Number of decisions.
        seed: Random seed.

    Returns:
        Decisions, some of which may have no legal move.
    """
    return _build_decisions(rules, sample_state(rules, num_states, np.random.default_rng(seed64(seed))))


def sample_reachable_decisions(rules: CompiledGame, situations: SituationSet, num_states: int, seed: int) -> Decisions:
    """Draw decisions about plays in random states whose situations occur in play.

    Args:
        rules: Compiled rules.
        situations: Situations recorded from play.
        num_states: Largest number of decisions.
        seed: Random seed.

    Returns:
        At most ``num_states`` decisions, each with a legal move.
    """
    random = np.random.default_rng([seed, 3])
    fluents = situations.fluents[_balance_contexts(rules, situations.fluents, _OVERSAMPLING * num_states, random)]
    decisions = _build_decisions(rules, sample_state(rules, len(fluents), random, fluents))
    covered = np.flatnonzero(situations.covers(decisions) & decisions.legal_mask.any(axis=0))
    decisions = decisions.select(covered)
    with_moves = np.flatnonzero(np.diff(decisions.first_card_sets(1)[0].start) > 0)
    return decisions.select(with_moves[:num_states])


def _balance_contexts(
    rules: CompiledGame, fluents: NDArray[np.int16], n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw n rows of fluents such that all order contexts are equally frequent."""
    _, group = np.unique(rules.contexts.compute_index(fluents), return_inverse=True)
    order = np.lexsort((rng.random(len(group)), group))
    first, size = np.searchsorted(group[order], np.arange(group.max() + 1)), np.bincount(group)
    chosen = rng.permutation(np.resize(np.arange(len(size)), n))
    rows: NDArray[np.int64] = order[first[chosen] + rng.integers(0, size[chosen])]
    return rows


def sample_stacked_tables(
    rules: CompiledGame, recorder: EpisodeStartRecorder, num_states: int, seed: int
) -> tuple[Tables, InputRows]:
    """Draw tables at the start of an episode with hands that can beat each other.

    Args:
        rules: Compiled rules.
        recorder: Starts of episodes recorded from play, whose order contexts occur equally often.
        num_states: Number of tables.
        seed: Random seed.

    Returns:
        The tables, and uint8 [n, seats, kinds], the cards of the forms of the same kind in each hand.
    """
    random, starts = np.random.default_rng([seed, 2]), recorder.combined
    begun = starts.select(_balance_contexts(rules, starts.fluents, num_states, random))
    (hands, aside, stock), form_cards = sample_stacked_deals(rules, rules.contexts.compute_index(begun.fluents), random)
    dealt = DealtEpisodes(hands, aside, begun.fluents, begun.lots, begun.match_points, begun.episode, stock)
    return Tables.resume(rules, dealt, keys=random.integers(0, 2**63, num_states).astype(np.uint64)), form_cards


def sample_lead_decisions(rules: CompiledGame, num_states: int, seed: int) -> Decisions:
    """Draw decisions of seats that lead with full hands.

    Args:
        rules: Compiled rules.
        num_states: Number of decisions.
        seed: Random seed.

    Returns:
        Decisions.
    """
    random, state, n = np.random.default_rng(seed64(seed)), rules.create_state(num_states), num_states
    keys = random.integers(0, 2**63, n).astype(np.uint64)
    deal_cards(
        keys, np.arange(n), rules.pack.deck, np.array(rules.seating.num_dealt, np.int64), state.hands, state.aside
    )
    state.num_drawn[:] = sum(rules.seating.num_dealt) if rules.has_draws else 0
    state.fluents[:] = sample_fluents(rules, n, random)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    dealt = np.array(rules.seating.num_dealt)
    state.seat[:] = random.choice(np.flatnonzero(dealt == dealt.max()), n)
    state.owner[:] = state.last_actor[:] = state.seat
    if Signature("takes_aside", 1) in rules.derived_outputs:  # the leader takes the kitty
        state.hands[np.arange(n), state.seat] += state.aside
        state.aside[:] = 0
    return _build_decisions(rules, state)


def sample_estimate(rules: CompiledGame, decisions: Decisions | Choices, seed: int) -> HandEstimate:
    """Draw estimates of the other hands.

    Args:
        rules: Compiled rules.
        decisions: n decisions or choices.
        seed: Random seed.

    Returns:
        float32 [n, others, kinds], unseen copies divided at random, in whole or in parts; zeros for a quarter of the
        decisions.
    """
    return sample_hand_estimates(decisions.view.unseen, rules.seating.seats - 1, seed)


def _build_decisions(rules: CompiledGame, state: TableState) -> Decisions:
    """Make the decisions of all tables of a state."""
    return Decisions(PlayerView(rules, state, np.arange(len(state.seat)), state.seat.copy(), has_hand_sizes=False))


def sample_input_rows(rules: CompiledGame, num_states: int, seed: int) -> InputRows:
    """Draw circuit inputs of random states, each for one query.

    Args:
        rules: Compiled rules.
        num_states: Number of states.
        seed: Random seed.

    Returns:
        uint8 [inputs, states], in the order of ``kb.input_atoms``.
    """
    random = np.random.default_rng([seed64(seed), 1])
    sampler = _InputSampler(rules, sample_state(rules, num_states, random), random, seed)
    samplers = list(sampler.list_samplers())
    shares = np.array([share for share, _ in samplers])
    chosen = random.choice(len(samplers), num_states, p=shares / shares.sum())
    chosen[: len(samplers)] = np.arange(len(samplers))[:num_states]  # each query at least once
    rows = np.zeros((len(rules.kb.input_atoms), num_states), np.uint8)
    for index, (_, make) in enumerate(samplers):
        states = np.flatnonzero(chosen == index)
        if states.size:
            rows[:, states] = make(states)
    return rows


def list_events(rules: CompiledGame) -> tuple[str, ...]:
    """Return the events that can happen in a game."""
    absent = {
        event
        for event, is_possible in (("draw", rules.has_draws), ("shown", rules.has_composed_plays))
        if not is_possible
    }
    return tuple(event for event in EVENTS if event not in absent)


RowSampler = Callable[[Indices], InputRows]
"""Function of tables [n] that returns input rows [inputs, n]."""


class _InputSampler:
    """Sampler of the circuit inputs of each query for random tables."""

    def __init__(self, rules: CompiledGame, state: TableState, rng: np.random.Generator, seed: int) -> None:
        """Make a sampler for random tables."""
        self._rules, self._state, self._rng, self._seed = rules, state, rng, seed
        self._full_circuit: Circuit = replace(rules.play_query.circuit, inputs=rules.kb.input_atoms)

    def list_samplers(self) -> Iterator[tuple[float, RowSampler]]:
        """Yield the relative frequency and the row sampler of each query."""
        yield _PLAYS_SHARE, self._sample_play
        if self._rules.schema.stages and self._rules.schema.options:
            yield 0.15, self._sample_choice
        for event in list_events(self._rules):
            yield 0.03, self._make_event_sampler(event)
        yield 0.03, lambda rows: self._write_table_inputs(rows, None, referee_groups())
        yield 0.03, lambda rows: self._write_table_inputs(rows, None, QUERY_SPECS["course"].input_groups)
        if self._rules.trick_query is not None:
            yield 0.1, lambda rows: self._write_table_inputs(rows, None, QUERY_SPECS["takes"].input_groups)
        if Signature("belief", 3) in self._rules.derived_outputs:
            yield 0.05, self._sample_belief

    def _build_view(self, rows: Indices) -> PlayerView:
        """Return the view of the seats to decide."""
        return PlayerView(self._rules, self._state, rows, self._state.seat[rows], has_hand_sizes=False)

    # --- from the view of a seat --------------------------------------------------------------------------------------

    def _sample_play(self, rows: Indices) -> InputRows:
        """Encode decisions about plays with a random legal move, if any, and a random number of plays left."""
        decisions, random, n = Decisions(self._build_view(rows)), self._rng, len(rows)
        labels = (decisions.legal_mask * random.random(decisions.legal_mask.shape)).argmax(axis=0).astype(np.int16)
        moves, num_found = decisions.try_sample_moves(labels, random.integers(0, 2**63, n).astype(np.uint64))
        has_no_move = (num_found == 0) | ~decisions.legal_mask.any(axis=0)
        form, cards = np.where(has_no_move, NO_FORM, moves.form).astype(np.int16), moves.cards.copy()
        cards[has_no_move] = NO_CARD
        return self._write_move_inputs(decisions, MoveLists(np.arange(n + 1), form, cards))

    def _sample_choice(self, rows: Indices) -> InputRows:
        """Encode choices with a random legal option, or any option if none is legal."""
        rules, n = self._rules, len(rows)
        self._state.stage[rows] = CHOICE
        self._state.choice[rows] = self._rng.integers(0, len(rules.schema.stages), n)
        choices = Choices(self._build_view(rows))
        weight = (choices.options + 1e-6) * self._rng.random((n, len(rules.schema.options)))
        cards = np.full((n, rules.forms.max_cards), NO_CARD, np.uint8)
        cards[:, 0] = weight.argmax(axis=1)
        return self._write_move_inputs(choices, MoveLists(np.arange(n + 1), np.full(n, NO_FORM, np.int16), cards))

    def _write_move_inputs(self, decisions: Decisions | Choices, lists: MoveLists) -> InputRows:
        """Encode decisions with one move each, an estimate of hands, and random numbers of plays left."""
        inputs, n = GamePreferenceInputs(self._rules), len(lists.form)
        rows = inputs.make_shared_writer(self._full_circuit)(decisions)
        inputs.make_estimate_writer(self._full_circuit)(
            decisions, sample_estimate(self._rules, decisions, self._seed), rows
        )
        plays = self._rng.integers(0, find_max_declared(self._rules, "plays_left", 1) + 1, n).astype(np.uint8)
        rows |= inputs.of_moves_with_counts(self._full_circuit)(decisions, lists, plays)(lists, slice(0, n))
        return rows

    def _sample_belief(self, rows: Indices) -> InputRows:
        """Encode random play statistics and hand sizes, for beliefs."""
        n, share = len(rows), self._rng.random(len(rows)) * 0.3
        size = self._rng.integers(0, largest_hand(self._rules) + 1, n)
        writers: dict[str, ColumnWriter] = {
            "shown": _make_cached_writer(lambda _: self._rng.random(n) < share),
            "size": make_lazy_writer(lambda _: size),
            "fluents": make_gather_writer(self._state.fluents, rows),
        }
        return CircuitQuery.from_circuit(
            self._full_circuit, self._rules.schema, QUERY_SPECS["beliefs"].input_groups
        ).build_rows(n, writers)

    # --- from full information ----------------------------------------------------------------------------------------

    def _make_event_sampler(self, event: str) -> RowSampler:
        """Return a row sampler of tables where an event happens."""
        groups = (
            referee_groups() | {"event"} | ({"move"} if event in ("shown", "play", "pass", "trick") else frozenset())
        )
        return lambda rows: self._write_table_inputs(rows, event, groups)

    def _write_table_inputs(self, rows: Indices, event: str | None, groups: frozenset[str]) -> InputRows:
        """Encode tables for an event, None for none, with the inputs of some groups."""
        state, rules, random, n = self._state, self._rules, self._rng, len(rows)
        if event == "choice":
            state.choice[rows] = random.integers(-1, max(1, len(rules.schema.stages)), n)
            state.chosen[rows] = random.integers(-1, max(1, len(rules.schema.options)), n)
        if event == "pass":
            state.last_form[rows] = rules.forms.pass_form
        if event == "end":
            self._sample_finish_order(rows)
        writers = EventRules.from_rules(rules).column_writers(state, rows, event)
        return CircuitQuery.from_circuit(self._full_circuit, rules.schema, groups).build_rows(n, writers)

    def _sample_finish_order(self, rows: Indices) -> None:
        """Draw complete orders of finish, in which seats with cards come last."""
        state, seats = self._state, self._rules.seating.seats
        order = self._rng.permuted(np.tile(np.arange(seats, dtype=np.int8), (len(rows), 1)), axis=1)
        has_cards = state.hands[rows[:, None], order].sum(axis=2) > 0
        state.finish_order[rows] = np.take_along_axis(order, np.argsort(has_cards, axis=1, kind="stable"), axis=1)
        state.seats_out[rows] = (1 << seats) - 1


def _make_cached_writer(values: Callable[[int], NDArray[np.bool_]]) -> ColumnWriter:
    """Return a writer that computes each column once, so that all ranges of rows read the same random bits."""
    cache: dict[int, NDArray[np.integer]] = {}

    def column(index: int) -> NDArray[np.integer]:
        if index not in cache:
            cache[index] = values(index).astype(np.int16)
        return cache[index]

    return make_lazy_writer(column)
