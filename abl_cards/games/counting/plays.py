"""Choosing the counter that fits the forms of a game, and counting what moves leave with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.any_forms import AnyFormCounter
from abl_cards.games.counting.chains import ChainCounter, SetCounter
from abl_cards.games.counting.fronts import FrontCounter
from abl_cards.games.counting.hand_sizes import HandSizes
from abl_cards.games.counting.leads import Leads
from abl_cards.games.counting.shapes import CannotCount, read_shapes
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.reading.questions import place_of
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import MoveLists
from abl_cards.logic import KnowledgeBase, Location, Signature
from abl_cards.logic.errors import Diagnostic, error, warning


class Counter(Protocol):
    """Counts the plays that empty hands."""

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""


_EXACT = SetCounter, FrontCounter


def counter_of(rules: Rules) -> Counter:
    """The counter of a game; where plays are composed card by card, one that counts the cards of hands."""
    key = "plays", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, _choose(rules)  # what is kept holds the rules, so no others can have their id
    found: Counter = rules.kb.kept[key][1]
    return found


def _choose(rules: Rules) -> Counter:
    if rules.composing:
        return HandSizes("plays are composed card by card")
    reasons: list[str] = []
    for counter in _EXACT:
        if found := _fitting(counter, rules, reasons):
            return found
    every = AnyFormCounter.of(rules)
    if not every.bounds:
        return every
    return _fitting(ChainCounter, rules, reasons) or AnyFormCounter.of(rules, "; ".join(dict.fromkeys(reasons)))


def _fitting(
    counter: type[SetCounter] | type[FrontCounter] | type[ChainCounter], rules: Rules, reasons: list[str]
) -> Counter | None:
    """The counter where it fits the forms of a game; else None, and the reason goes to the reasons."""
    try:
        found = counter.of(read_shapes(rules))
        Leads(rules).check()
    except CannotCount as problem:
        reasons.append(str(problem))
        return None
    return found


def uncounted(rules: Rules) -> Iterator[Diagnostic]:
    """An error where preferences read ``plays_left/1`` and nobody counts the plays, at the first rule that does."""
    if reads_plays_left(rules.kb):
        counter = counter_of(rules)
        if isinstance(counter, HandSizes):
            yield error(
                _reader(rules), f"plays_left/1 is never known: {counter.why}", "leave it out of the preferences"
            )


def bounded(rules: Rules) -> Iterator[Diagnostic]:
    """A warning where preferences read ``plays_left/1`` and large hands get an upper bound of it, at the first rule."""
    if reads_plays_left(rules.kb):
        counter = counter_of(rules)
        if isinstance(counter, AnyFormCounter) and counter.bounds:
            yield warning(
                _reader(rules),
                f"plays_left/1 is an upper bound (at most N more plays) in {counter.bounds}: {counter.why}",
                'smaller hands are counted exactly; "explain" says "at most" where it is a bound',
            )


def reads_plays_left(kb: KnowledgeBase) -> bool:
    """Whether the preferences of a knowledge base read ``plays_left/1``."""
    return "plays_left" in {name for name, _ in kb.circuit("cost/2", "violated/1").inputs}


def _reader(rules: Rules) -> Location | None:
    """The first rule of preferences that reads ``plays_left/1``."""
    return place_of(rules.folder.program(rules.profile), Signature("plays_left", 1), [Signature("cost", 2)])


def plays_left(rules: Rules, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves] the least number of plays that empties the hand after each move; what was asked before is remembered.

    An upper bound of it where ``at_most`` says so.
    """
    counter, view = counter_of(rules), decisions.view
    for known, asked, found in view.counted:
        if asked is lists and known is counter:
            return found
    found = counter.after(view.hand, view.context, lists.start, _cards(decisions, lists))
    view.counted.append((counter, lists, found))
    return found


def at_most(rules: Rules, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.bool_]:
    """[moves] whether ``plays_left`` of each move is an upper bound."""
    counter, view = counter_of(rules), decisions.view
    if not isinstance(counter, AnyFormCounter):
        return np.zeros(len(lists.cards), np.bool_)
    return counter.counted(view.hand, view.context, lists.start, _cards(decisions, lists))[1]


def _cards(decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves, cards] the cards that leave the hand by each move."""
    return decisions.cards_given(lists) if isinstance(decisions, Choices) else lists.cards


def plays_to_go(rules: Rules, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n] the least number of plays that empties each of hands [n, kinds], in contexts [n], or an upper bound of it."""
    return counter_of(rules).hands(hands, context)
