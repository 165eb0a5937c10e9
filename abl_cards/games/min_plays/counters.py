"""Choosing the counter that fits the forms of a game, and counting what moves leave with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Diagnostic, Location, Signature, make_error, make_warning
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import find_read_location
from abl_cards.games.min_plays.any_forms import AnyFormCounter
from abl_cards.games.min_plays.card_count import CardCount
from abl_cards.games.min_plays.chain_counter import ChainCounter, SetCounter
from abl_cards.games.min_plays.form_shapes import UncountableError, read_shapes
from abl_cards.games.min_plays.leads import LeadFinder
from abl_cards.games.min_plays.pareto_counter import ParetoCounter
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import MoveLists


class MinPlaysCounter(Protocol):
    """Counts the plays that empty hands."""

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""


_EXACT_COUNTERS = SetCounter, ParetoCounter


def find_counter(rules: CompiledGame) -> MinPlaysCounter:
    """The counter of a game; where plays are composed card by card, one that counts the cards of hands."""
    key = "plays", id(rules)
    if key not in rules.kb.memo:
        rules.kb.memo[key] = (
            rules,
            _choose_counter(rules),
        )  # what is kept holds the rules, so no others can have their id
    found: MinPlaysCounter = rules.kb.memo[key][1]
    return found


def _choose_counter(rules: CompiledGame) -> MinPlaysCounter:
    if rules.has_composed_plays:
        return CardCount("plays are composed card by card")
    reasons: list[str] = []
    for counter in _EXACT_COUNTERS:
        if found := _try_counter(counter, rules, reasons):
            return found
    every = AnyFormCounter.from_rules(rules)
    if not every.bound_text:
        return every
    return _try_counter(ChainCounter, rules, reasons) or AnyFormCounter.from_rules(
        rules, "; ".join(dict.fromkeys(reasons))
    )


def _try_counter(
    counter: type[SetCounter] | type[ParetoCounter] | type[ChainCounter], rules: CompiledGame, reasons: list[str]
) -> MinPlaysCounter | None:
    """The counter where it fits the forms of a game; else None, and the reason goes to the reasons."""
    try:
        found = counter.from_shapes(read_shapes(rules))
        LeadFinder(rules).check_leadable()
    except UncountableError as problem:
        reasons.append(str(problem))
        return None
    return found


def plays_left_errors(rules: CompiledGame) -> Iterator[Diagnostic]:
    """An error where preferences read ``plays_left/1`` and nobody counts the plays, at the first rule that does."""
    if reads_plays_left(rules.kb):
        counter = find_counter(rules)
        if isinstance(counter, CardCount):
            yield make_error(
                _first_reader(rules),
                f"plays_left/1 is never known: {counter.reason}",
                "leave it out of the preferences",
            )


def plays_left_warnings(rules: CompiledGame) -> Iterator[Diagnostic]:
    """A warning where preferences read ``plays_left/1`` and large hands get an upper bound of it, at the first rule."""
    if reads_plays_left(rules.kb):
        counter = find_counter(rules)
        if isinstance(counter, AnyFormCounter) and counter.bound_text:
            yield make_warning(
                _first_reader(rules),
                f"plays_left/1 is an upper bound (at most N more plays) in {counter.bound_text}: {counter.reason}",
                'smaller hands are counted exactly; "explain" says "at most" where it is a bound',
            )


def reads_plays_left(kb: KnowledgeBase) -> bool:
    """Whether the preferences of a knowledge base read ``plays_left/1``."""
    return "plays_left" in {name for name, _ in kb.circuit("cost/2", "violated/1").inputs}


def _first_reader(rules: CompiledGame) -> Location | None:
    """The first rule of preferences that reads ``plays_left/1``."""
    return find_read_location(rules.folder.program(rules.profile), Signature("plays_left", 1), [Signature("cost", 2)])


def plays_left(rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves] the least number of plays that empties the hand after each move; what was asked before is remembered.

    An upper bound of it where ``is_upper_bound`` says so.
    """
    counter, view = find_counter(rules), decisions.view
    for known, asked, found in view.plays_left_cache:
        if asked is lists and known is counter:
            return found
    found = counter.min_plays_after(view.hand, view.context, lists.start, _cards_leaving(decisions, lists))
    view.plays_left_cache.append((counter, lists, found))
    return found


def is_upper_bound(rules: CompiledGame, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.bool_]:
    """[moves] whether ``plays_left`` of each move is an upper bound."""
    counter, view = find_counter(rules), decisions.view
    if not isinstance(counter, AnyFormCounter):
        return np.zeros(len(lists.cards), np.bool_)
    return counter.min_plays_and_bounds(view.hand, view.context, lists.start, _cards_leaving(decisions, lists))[1]


def _cards_leaving(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves, cards] the cards that leave the hand by each move."""
    return decisions.cards_given_away(lists) if isinstance(decisions, Choices) else lists.cards


def min_plays(rules: CompiledGame, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n] the least number of plays that empties each of hands [n, kinds], in contexts [n], or an upper bound of it."""
    return find_counter(rules).min_plays(hands, context)
