"""Random states that cover the rules, as what each question is told of them: for verification and for measuring.

A state is asked one question, and told what play supplies when it asks that: the groups of reading/questions.py, and no
others. So a rule that reads what cannot be known together differs nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.hidden import Estimate, share_out
from abl_cards.games.play.choices import NO_FORM, Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import CHOICE, State, deal
from abl_cards.games.play.tables import Dealt, Tables
from abl_cards.games.play.view import View
from abl_cards.games.reading.questions import QUESTIONS, TABLE
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, Indices, MoveLists
from abl_cards.games.telling.beginnings import Beginnings
from abl_cards.games.telling.columns import EVENTS
from abl_cards.games.telling.judging import FolderFacts
from abl_cards.games.telling.random_fluents import most_declared, random_fluents
from abl_cards.games.telling.random_states import random_state, stacked_deals
from abl_cards.games.telling.situations import Situations
from abl_cards.games.telling.writer import Fill, Told, lazily, rows_of
from abl_cards.logic import Circuit, Signature
from abl_cards.seeds import seed64

Rows = NDArray[np.uint8]
_PLAYS_SHARE = 0.6
_SPARE = 4  # random states for each that is wanted: some do not come up


def sample_decisions(rules: Rules, states: int, seed: int) -> Decisions:
    """Random plays to decide."""
    return _decisions(rules, random_state(rules, states, np.random.default_rng(seed64(seed))))


def sample_situations(rules: Rules, met: Situations, states: int, seed: int) -> Decisions:
    """Random plays to decide, at most so many, in situations that were met in play; each has a move."""
    random = np.random.default_rng([seed, 3])
    fluents = met.fluents[_in_every_context(rules, met.fluents, _SPARE * states, random)]
    found = _decisions(rules, random_state(rules, len(fluents), random, fluents))
    possible = np.flatnonzero(met.allows(found) & found.legal.any(axis=0))
    found = found.at(possible)
    movable = np.flatnonzero(np.diff(found.moves().start) > 0)
    return found.at(movable[:states])


def _in_every_context(
    rules: Rules, fluents: NDArray[np.int16], n: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """[n] rows of fluents, every context as often as any other."""
    _, group = np.unique(rules.contexts.of(fluents), return_inverse=True)
    order = np.lexsort((random.random(len(group)), group))
    first, size = np.searchsorted(group[order], np.arange(group.max() + 1)), np.bincount(group)
    chosen = random.permutation(np.resize(np.arange(len(size)), n))
    rows: NDArray[np.int64] = order[first[chosen] + random.integers(0, size[chosen])]
    return rows


def sample_deals(rules: Rules, beginnings: Beginnings, states: int, seed: int) -> tuple[Tables, Rows]:
    """Tables that begin an episode, in every context that matches have come to as often; the hands are stacked.

    Returns them, and the cards [n, seats, kinds] of the forms that were put into the hands.
    """
    random, every = np.random.default_rng([seed, 2]), beginnings.all
    begun = every.at(_in_every_context(rules, every.fluents, states, random))
    (hands, aside, stock), kept = stacked_deals(rules, rules.contexts.of(begun.fluents), random)
    dealt = Dealt(hands, aside, begun.fluents, begun.lots, begun.total, begun.episode, stock)
    return Tables.resume(rules, dealt, keys=random.integers(0, 2**63, states).astype(np.uint64)), kept


def sample_leads(rules: Rules, states: int, seed: int) -> Decisions:
    """Full hands that lead."""
    random, state, n = np.random.default_rng(seed64(seed)), rules.tables(states), states
    keys = random.integers(0, 2**63, n).astype(np.uint64)
    deal(keys, np.arange(n), rules.pack.deck, np.array(rules.table.dealt, np.int64), state.hands, state.aside)
    state.drawn[:] = sum(rules.table.dealt) if rules.draws else 0
    state.fluents[:] = random_fluents(rules, n, random)
    state.context[:] = rules.contexts.of(state.fluents)
    dealt = np.array(rules.table.dealt)
    state.seat[:] = random.choice(np.flatnonzero(dealt == dealt.max()), n)
    state.owner[:] = state.acted[:] = state.seat
    if Signature("takes_aside", 1) in rules.derived:  # then what is left over goes to who leads
        state.hands[np.arange(n), state.seat] += state.aside
        state.aside[:] = 0
    return _decisions(rules, state)


def sample_estimate(rules: Rules, decisions: Decisions | Choices, seed: int) -> Estimate:
    """[n, others, kinds] the unseen cards shared out at random, whole or in parts; zeros for one decision in four."""
    return share_out(decisions.view.unseen, rules.table.seats - 1, seed)


def _decisions(rules: Rules, state: State) -> Decisions:
    return Decisions(View(rules, state, np.arange(len(state.seat)), state.seat.copy(), at_table=False))


def sample_facts(rules: Rules, states: int, seed: int) -> Rows:
    """[every input of the knowledge base, states]; see the module."""
    random = np.random.default_rng([seed64(seed), 1])
    sampler = _Sampler(rules, random_state(rules, states, random), random, seed)
    makers = list(sampler.makers())
    shares = np.array([share for share, _ in makers])
    chosen = random.choice(len(makers), states, p=shares / shares.sum())
    chosen[: len(makers)] = np.arange(len(makers))[:states]  # each once, however few there are
    rows = np.zeros((len(rules.kb.input_atoms), states), np.uint8)
    for number, (_, make) in enumerate(makers):
        which = np.flatnonzero(chosen == number)
        if which.size:
            rows[:, which] = make(which)
    return rows


def events_of(rules: Rules) -> tuple[str, ...]:
    """What may happen in a game."""
    absent = {event for event, there in (("draw", rules.draws), ("shown", rules.composing)) if not there}
    return tuple(event for event in EVENTS if event not in absent)


Make = Callable[[Indices], Rows]


class _Sampler:
    """Tells the questions about random tables."""

    def __init__(self, rules: Rules, state: State, random: np.random.Generator, seed: int) -> None:
        self._rules, self._state, self._random, self._seed = rules, state, random, seed
        self._every: Circuit = replace(rules.play.circuit, inputs=rules.kb.input_atoms)

    def makers(self) -> Iterator[tuple[float, Make]]:
        """What may be asked: how often, and what it is told."""
        yield _PLAYS_SHARE, self._play
        if self._rules.words.stages and self._rules.words.options:
            yield 0.15, self._choice
        for event in events_of(self._rules):
            yield 0.03, self._at(event)
        yield 0.03, lambda which: self._table(which, None, TABLE)
        yield 0.03, lambda which: self._table(which, None, QUESTIONS["course"].told)
        if self._rules.taking is not None:
            yield 0.1, lambda which: self._table(which, None, QUESTIONS["takes"].told)
        if Signature("belief", 3) in self._rules.derived:
            yield 0.05, self._belief

    def _view(self, which: Indices) -> View:
        return View(self._rules, self._state, which, self._state.seat[which], at_table=False)

    # --- from the eyes of a seat --------------------------------------------------------------------------------------

    def _play(self, which: Indices) -> Rows:
        """A play to decide, with a random legal move where there is one; the plays left after it are any number."""
        decisions, random, n = Decisions(self._view(which)), self._random, len(which)
        labels = (decisions.legal * random.random(decisions.legal.shape)).argmax(axis=0).astype(np.int16)
        moves, found = decisions.try_random(labels, random.integers(0, 2**63, n).astype(np.uint64))
        nothing = (found == 0) | ~decisions.legal.any(axis=0)
        form, cards = np.where(nothing, NO_FORM, moves.form).astype(np.int16), moves.cards.copy()
        cards[nothing] = NO_CARD
        return self._told(decisions, MoveLists(np.arange(n + 1), form, cards))

    def _choice(self, which: Indices) -> Rows:
        """Something to choose, and one of the options, or any where none may be chosen."""
        rules, n = self._rules, len(which)
        self._state.stage[which] = CHOICE
        self._state.choice[which] = self._random.integers(0, len(rules.words.stages), n)
        choices = Choices(self._view(which))
        weight = (choices.options + 1e-6) * self._random.random((n, len(rules.words.options)))
        cards = np.full((n, rules.forms.most_cards), NO_CARD, np.uint8)
        cards[:, 0] = weight.argmax(axis=1)
        return self._told(choices, MoveLists(np.arange(n + 1), np.full(n, NO_FORM, np.int16), cards))

    def _told(self, decisions: Decisions | Choices, lists: MoveLists) -> Rows:
        facts, n = FolderFacts(self._rules), len(lists.form)
        rows = facts.of_decisions(self._every)(decisions)
        facts.of_estimates(self._every)(decisions, sample_estimate(self._rules, decisions, self._seed), rows)
        plays = self._random.integers(0, most_declared(self._rules, "plays_left", 1) + 1, n).astype(np.uint8)
        rows |= facts.of_counted_moves(self._every)(decisions, lists, plays)(lists, slice(0, n))
        return rows

    def _belief(self, which: Indices) -> Rows:
        """What a seat has shown of its habits: anything."""
        n, share = len(which), self._random.random(len(which)) * 0.3
        size = self._random.integers(0, largest_hand(self._rules) + 1, n)
        fills: dict[str, Fill] = {
            "shown": _kept(lambda _: self._random.random(n) < share),
            "size": lazily(lambda _: size),
            "fluents": rows_of(self._state.fluents, which),
        }
        return Told.of(self._every, self._rules.words, QUESTIONS["beliefs"].told).rows(n, fills)

    # --- from the eyes of the referee ---------------------------------------------------------------------------------

    def _at(self, event: str) -> Make:
        groups = TABLE | {"event"} | ({"move"} if event in ("shown", "play", "pass", "trick") else frozenset())
        return lambda which: self._table(which, event, groups)

    def _table(self, which: Indices, event: str | None, groups: frozenset[str]) -> Rows:
        state, rules, random, n = self._state, self._rules, self._random, len(which)
        if event == "choice":
            state.choice[which] = random.integers(-1, max(1, len(rules.words.stages)), n)
            state.chosen[which] = random.integers(-1, max(1, len(rules.words.options)), n)
        if event == "pass":
            state.laid[which] = rules.forms.passing
        if event == "end":
            self._finish(which)
        fills = Flow.of(rules).fills(state, which, event)
        return Told.of(self._every, rules.words, groups).rows(n, fills)

    def _finish(self, which: Indices) -> None:
        """Everybody has a place; who holds cards still is behind who does not."""
        state, seats = self._state, self._rules.table.seats
        order = self._random.permuted(np.tile(np.arange(seats, dtype=np.int8), (len(which), 1)), axis=1)
        holding = state.hands[which[:, None], order].sum(axis=2) > 0
        state.order[which] = np.take_along_axis(order, np.argsort(holding, axis=1, kind="stable"), axis=1)
        state.out[which] = (1 << seats) - 1


def _kept(values: Callable[[int], NDArray[np.bool_]]) -> Fill:
    """Columns of random bits, whichever share of the rows asks."""
    known: dict[int, NDArray[np.integer]] = {}

    def column(number: int) -> NDArray[np.integer]:
        if number not in known:
            known[number] = values(number).astype(np.int16)
        return known[number]

    return lazily(column)
