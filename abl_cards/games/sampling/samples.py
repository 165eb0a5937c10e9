"""Random states that cover the rules, as what each question is told of them: for verification and for measuring.

A state is asked one question, and told what play supplies when it asks that: the groups of description/queries.py, and
no others. So a rule that reads what cannot be known together differs nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature
from abl_cards.circuit import Circuit
from abl_cards.core import seed64
from abl_cards.games.binding import CircuitQuery, ColumnWriter, make_gather_writer, make_lazy_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import EVENTS, QUERY_SPECS, TABLE_INPUT_GROUPS
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
_OVERSAMPLING = 4  # random states for each that is wanted: some do not come up


def sample_decisions(rules: CompiledGame, num_states: int, seed: int) -> Decisions:
    """Random plays to decide."""
    return _build_decisions(rules, sample_state(rules, num_states, np.random.default_rng(seed64(seed))))


def sample_reachable_decisions(rules: CompiledGame, situations: SituationSet, num_states: int, seed: int) -> Decisions:
    """Random plays to decide, at most so many, in situations that were met in play; each has a move."""
    random = np.random.default_rng([seed, 3])
    fluents = situations.fluents[_balance_contexts(rules, situations.fluents, _OVERSAMPLING * num_states, random)]
    found = _build_decisions(rules, sample_state(rules, len(fluents), random, fluents))
    possible = np.flatnonzero(situations.covers(found) & found.legal_mask.any(axis=0))
    found = found.select(possible)
    movable = np.flatnonzero(np.diff(found.moves().start) > 0)
    return found.select(movable[:num_states])


def _balance_contexts(
    rules: CompiledGame, fluents: NDArray[np.int16], n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """[n] rows of fluents, every context as often as any other."""
    _, group = np.unique(rules.contexts.compute_index(fluents), return_inverse=True)
    order = np.lexsort((rng.random(len(group)), group))
    first, size = np.searchsorted(group[order], np.arange(group.max() + 1)), np.bincount(group)
    chosen = rng.permutation(np.resize(np.arange(len(size)), n))
    rows: NDArray[np.int64] = order[first[chosen] + rng.integers(0, size[chosen])]
    return rows


def sample_stacked_tables(
    rules: CompiledGame, recorder: EpisodeStartRecorder, num_states: int, seed: int
) -> tuple[Tables, InputRows]:
    """Tables that begin an episode, in every context that matches have come to as often; the hands are stacked.

    Returns them, and the cards [n, seats, kinds] of the forms that were put into the hands.
    """
    random, every = np.random.default_rng([seed, 2]), recorder.combined
    begun = every.at(_balance_contexts(rules, every.fluents, num_states, random))
    (hands, aside, stock), kept = sample_stacked_deals(rules, rules.contexts.compute_index(begun.fluents), random)
    dealt = DealtEpisodes(hands, aside, begun.fluents, begun.lots, begun.match_points, begun.episode, stock)
    return Tables.resume(rules, dealt, keys=random.integers(0, 2**63, num_states).astype(np.uint64)), kept


def sample_lead_decisions(rules: CompiledGame, num_states: int, seed: int) -> Decisions:
    """Full hands that lead."""
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
    if Signature("takes_aside", 1) in rules.derived_outputs:  # then what is left over goes to who leads
        state.hands[np.arange(n), state.seat] += state.aside
        state.aside[:] = 0
    return _build_decisions(rules, state)


def sample_estimate(rules: CompiledGame, decisions: Decisions | Choices, seed: int) -> HandEstimate:
    """[n, others, kinds] the unseen cards shared out at random, whole or in parts; zeros for one decision in four."""
    return sample_hand_estimates(decisions.view.unseen, rules.seating.seats - 1, seed)


def _build_decisions(rules: CompiledGame, state: TableState) -> Decisions:
    return Decisions(PlayerView(rules, state, np.arange(len(state.seat)), state.seat.copy(), has_hand_sizes=False))


def sample_input_rows(rules: CompiledGame, num_states: int, seed: int) -> InputRows:
    """[every input of the knowledge base, states]; see the module."""
    random = np.random.default_rng([seed64(seed), 1])
    sampler = _InputSampler(rules, sample_state(rules, num_states, random), random, seed)
    makers = list(sampler.list_samplers())
    shares = np.array([share for share, _ in makers])
    chosen = random.choice(len(makers), num_states, p=shares / shares.sum())
    chosen[: len(makers)] = np.arange(len(makers))[:num_states]  # each once, however few there are
    rows = np.zeros((len(rules.kb.input_atoms), num_states), np.uint8)
    for number, (_, make) in enumerate(makers):
        which = np.flatnonzero(chosen == number)
        if which.size:
            rows[:, which] = make(which)
    return rows


def list_events(rules: CompiledGame) -> tuple[str, ...]:
    """What may happen in a game."""
    absent = {event for event, there in (("draw", rules.has_draws), ("shown", rules.has_composed_plays)) if not there}
    return tuple(event for event in EVENTS if event not in absent)


RowSampler = Callable[[Indices], InputRows]


class _InputSampler:
    """Tells the questions about random tables."""

    def __init__(self, rules: CompiledGame, state: TableState, rng: np.random.Generator, seed: int) -> None:
        self._rules, self._state, self._rng, self._seed = rules, state, rng, seed
        self._full_circuit: Circuit = replace(rules.play_query.circuit, inputs=rules.kb.input_atoms)

    def list_samplers(self) -> Iterator[tuple[float, RowSampler]]:
        """What may be asked: how often, and what it is told."""
        yield _PLAYS_SHARE, self._sample_play
        if self._rules.schema.stages and self._rules.schema.options:
            yield 0.15, self._sample_choice
        for event in list_events(self._rules):
            yield 0.03, self._make_event_sampler(event)
        yield 0.03, lambda which: self._write_table_inputs(which, None, TABLE_INPUT_GROUPS)
        yield 0.03, lambda which: self._write_table_inputs(which, None, QUERY_SPECS["course"].input_groups)
        if self._rules.trick_query is not None:
            yield 0.1, lambda which: self._write_table_inputs(which, None, QUERY_SPECS["takes"].input_groups)
        if Signature("belief", 3) in self._rules.derived_outputs:
            yield 0.05, self._sample_belief

    def _build_view(self, rows: Indices) -> PlayerView:
        return PlayerView(self._rules, self._state, rows, self._state.seat[rows], has_hand_sizes=False)

    # --- from the eyes of a seat --------------------------------------------------------------------------------------

    def _sample_play(self, rows: Indices) -> InputRows:
        """A play to decide, with a random legal move where there is one; the plays left after it are any number."""
        decisions, random, n = Decisions(self._build_view(rows)), self._rng, len(rows)
        labels = (decisions.legal_mask * random.random(decisions.legal_mask.shape)).argmax(axis=0).astype(np.int16)
        moves, found = decisions.try_sample_moves(labels, random.integers(0, 2**63, n).astype(np.uint64))
        nothing = (found == 0) | ~decisions.legal_mask.any(axis=0)
        form, cards = np.where(nothing, NO_FORM, moves.form).astype(np.int16), moves.cards.copy()
        cards[nothing] = NO_CARD
        return self._write_move_inputs(decisions, MoveLists(np.arange(n + 1), form, cards))

    def _sample_choice(self, rows: Indices) -> InputRows:
        """Something to choose, and one of the options, or any where none may be chosen."""
        rules, n = self._rules, len(rows)
        self._state.stage[rows] = CHOICE
        self._state.choice[rows] = self._rng.integers(0, len(rules.schema.stages), n)
        choices = Choices(self._build_view(rows))
        weight = (choices.options + 1e-6) * self._rng.random((n, len(rules.schema.options)))
        cards = np.full((n, rules.forms.max_cards), NO_CARD, np.uint8)
        cards[:, 0] = weight.argmax(axis=1)
        return self._write_move_inputs(choices, MoveLists(np.arange(n + 1), np.full(n, NO_FORM, np.int16), cards))

    def _write_move_inputs(self, decisions: Decisions | Choices, lists: MoveLists) -> InputRows:
        facts, n = GamePreferenceInputs(self._rules), len(lists.form)
        rows = facts.make_shared_writer(self._full_circuit)(decisions)
        facts.make_estimate_writer(self._full_circuit)(
            decisions, sample_estimate(self._rules, decisions, self._seed), rows
        )
        plays = self._rng.integers(0, find_max_declared(self._rules, "plays_left", 1) + 1, n).astype(np.uint8)
        rows |= facts.of_moves_with_counts(self._full_circuit)(decisions, lists, plays)(lists, slice(0, n))
        return rows

    def _sample_belief(self, rows: Indices) -> InputRows:
        """What a seat has shown of its habits: anything."""
        n, share = len(rows), self._rng.random(len(rows)) * 0.3
        size = self._rng.integers(0, largest_hand(self._rules) + 1, n)
        fills: dict[str, ColumnWriter] = {
            "shown": _make_cached_writer(lambda _: self._rng.random(n) < share),
            "size": make_lazy_writer(lambda _: size),
            "fluents": make_gather_writer(self._state.fluents, rows),
        }
        return CircuitQuery.from_circuit(
            self._full_circuit, self._rules.schema, QUERY_SPECS["beliefs"].input_groups
        ).build_rows(n, fills)

    # --- from the eyes of the referee ---------------------------------------------------------------------------------

    def _make_event_sampler(self, event: str) -> RowSampler:
        groups = (
            TABLE_INPUT_GROUPS | {"event"} | ({"move"} if event in ("shown", "play", "pass", "trick") else frozenset())
        )
        return lambda which: self._write_table_inputs(which, event, groups)

    def _write_table_inputs(self, rows: Indices, event: str | None, groups: frozenset[str]) -> InputRows:
        state, rules, random, n = self._state, self._rules, self._rng, len(rows)
        if event == "choice":
            state.choice[rows] = random.integers(-1, max(1, len(rules.schema.stages)), n)
            state.chosen[rows] = random.integers(-1, max(1, len(rules.schema.options)), n)
        if event == "pass":
            state.last_form[rows] = rules.forms.pass_form
        if event == "end":
            self._sample_finish_order(rows)
        fills = EventRules.from_rules(rules).column_writers(state, rows, event)
        return CircuitQuery.from_circuit(self._full_circuit, rules.schema, groups).build_rows(n, fills)

    def _sample_finish_order(self, rows: Indices) -> None:
        """Everybody has a place; who holds cards still is behind who does not."""
        state, seats = self._state, self._rules.seating.seats
        order = self._rng.permuted(np.tile(np.arange(seats, dtype=np.int8), (len(rows), 1)), axis=1)
        holding = state.hands[rows[:, None], order].sum(axis=2) > 0
        state.finish_order[rows] = np.take_along_axis(order, np.argsort(holding, axis=1, kind="stable"), axis=1)
        state.seats_out[rows] = (1 << seats) - 1


def _make_cached_writer(values: Callable[[int], NDArray[np.bool_]]) -> ColumnWriter:
    """Columns of random bits, whichever share of the rows asks."""
    known: dict[int, NDArray[np.integer]] = {}

    def column(number: int) -> NDArray[np.integer]:
        if number not in known:
            known[number] = values(number).astype(np.int16)
        return known[number]

    return make_lazy_writer(column)
