"""Which counter counts the plays of a game, and what it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting.chains import ChainCounter, SetCounter
from abl_cards.games.counting.fronts import FrontCounter
from abl_cards.games.counting.hand_sizes import HandSizes
from abl_cards.games.counting.shapes import CannotCount, read_shapes
from abl_cards.games.counting.small_hands import SmallHandCounter
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.reading.questions import place_of
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Signature
from abl_cards.logic.errors import Diagnostic, error


class Counter(Protocol):
    """Counts the plays that empty hands."""

    def hands(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """[n] the plays of hands [n, kinds], in contexts [n]."""

    def after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """[moves] the plays after each move of decisions; start and cards as in MoveLists."""


_COUNTERS = SetCounter, ChainCounter, FrontCounter


def counter_of(rules: Rules) -> Counter:
    """The counter of a game; where none counts its plays, one that counts the cards of hands."""
    key = "plays", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, _choose(rules)  # what is kept holds the rules, so no others can have their id
    found: Counter = rules.kb.kept[key][1]
    return found


def _choose(rules: Rules) -> Counter:
    reasons: list[str] = []
    try:
        shapes = read_shapes(rules)
        for counter in _COUNTERS:
            try:
                return counter.of(shapes)
            except CannotCount as problem:
                reasons.append(str(problem))
    except CannotCount as problem:
        reasons.append(str(problem))
    try:
        return SmallHandCounter.of(rules)
    except CannotCount as problem:
        reasons.append(str(problem))
    if rules.composing:
        return HandSizes("plays are composed, and nobody counts them")
    return HandSizes(f"{rules.folder.name} does not count plays: {'; '.join(dict.fromkeys(reasons))}")


def uncounted(rules: Rules) -> Iterator[Diagnostic]:
    """An error where preferences read ``plays_left/1`` and nobody counts the plays, at the first rule that does."""
    costs = Signature("cost", 2)
    read = {name for name, _ in rules.kb.circuit("cost/2", "violated/1").inputs}
    if "plays_left" in read:
        counter = counter_of(rules)
        if isinstance(counter, HandSizes):
            place = place_of(rules.folder.program(rules.profile), Signature("plays_left", 1), [costs])
            yield error(place, f"plays_left/1 is never known: {counter.why}", "leave it out of the preferences")


def plays_left(rules: Rules, decisions: Decisions | Choices, lists: MoveLists) -> NDArray[np.uint8]:
    """[moves] the least number of plays that empties the hand after each move; what was asked before is remembered."""
    counter, view = counter_of(rules), decisions.view
    for known, asked, found in view.counted:
        if asked is lists and known is counter:
            return found
    cards = decisions.cards_given(lists) if isinstance(decisions, Choices) else lists.cards
    found = counter.after(view.hand, view.context, lists.start, cards)
    view.counted.append((counter, lists, found))
    return found


def plays_to_go(rules: Rules, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[n] the least number of plays that empties each of hands [n, kinds], in contexts [n]."""
    return counter_of(rules).hands(hands, context)
