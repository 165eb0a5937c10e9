"""Dou dizhu in Botzone's words: FightTheLandlord, and FightTheLandlord2 where it is bid for.

Cards are numbers: four to a rank from the 3 on, 52 and 53 the jokers. A response is a list of cards, empty for a pass,
or a bid. The first request of play has the seat's cards (``own``) and the bottom cards (``publiccard``), with bids also
``landlord``, ``pos`` and ``finalbid``; each has ``history``, what the two seats before it have done last. A request for
a bid has ``own`` and the bids so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Choices, Decisions, Moves, Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.logic.terms import parse_name
from abl_cards.platforms.botzone import faults
from abl_cards.platforms.botzone.card_numbers import Numbers
from abl_cards.platforms.botzone.combinations import is_combination, move_of
from abl_cards.platforms.botzone.dialect import HERE, Cards, Dialect, Undelivered
from abl_cards.platforms.botzone.faults import Fault, shown

LANDLORD, BID = "landlord", "bid"
"""Fluents of the folder: who plays alone, and what each seat has bid."""
_LETTERS = "3456789TJQKA2"
_JOKERS = "XD"


def numbers_of(rules: Rules) -> Numbers:
    """The kinds of 0 to 53."""
    letters = [*(letter for letter in _LETTERS for _ in range(4)), *_JOKERS]
    return Numbers(tuple(rules.letters.kinds[letter] for letter in letters))


def bids_of(rules: Rules) -> tuple[int, ...]:
    """What each option bids."""
    return tuple(int(parse_name(option)[1][0]) for option in rules.words.options)


class LandlordRound(Undelivered):
    """One round; see ``dialect.Round``."""

    def __init__(self, rules: Rules, tables: Tables, cards: Cards) -> None:
        """Cards are dealt, and nothing else has happened."""
        self._rules, self._tables, self._cards = rules, tables, cards
        self._numbers, self._bids = numbers_of(rules), bids_of(rules)
        self._held = [list(hand) for hand in cards.allocation]
        self._last: list[list[int]] = [[] for _ in self._held]
        self._opened: set[int] = set()
        self._taken = False

    def opening(self) -> dict[str, Any]:
        """All the cards."""
        return self._cards.to_json()

    def _remembered(self, name: str) -> list[int]:
        """The numbers that the table remembers under the name of a fluent; -1 for none."""
        fluent = self._rules.fluents.named(name)
        assert fluent is not None
        return [int(number) for number in self._tables.state.fluents[0, fluent.first : fluent.slots.stop]]

    def request(self, seat: int) -> dict[str, Any]:
        """A bid, or a play; the first request of play says what the bidding came to."""
        (landlord,) = self._remembered(LANDLORD)
        bids = [bid for bid in self._remembered(BID) if bid >= 0]
        if landlord < 0:
            return {"own": list(self._held[seat]), "bid": bids}
        if not self._taken:
            self._taken = True
            self._held[landlord] += self._cards.publiccard
        before = [(seat + ahead) % len(self._held) for ahead in range(1, len(self._held))]
        request: dict[str, Any] = {"history": [list(self._last[each]) for each in before]}
        if seat in self._opened:
            return request
        self._opened.add(seat)
        if self._rules.words.stages:
            request |= {"landlord": landlord, "pos": seat, "finalbid": max([*bids, 1])}
        return request | {"own": list(self._held[seat]), "publiccard": list(self._cards.publiccard)}

    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """A bid; raises Fault."""
        if type(response) is not int:
            raise Fault(faults.NO_ANSWER, f"{shown(response)} is no bid")
        option = self._bids.index(response) if response in self._bids else -1
        if option < 0 or not choices.options[0, option]:
            raise Fault(faults.NOT_ALLOWED, f"{shown(response)} is no legal bid")
        return (option,)

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """Cards; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbers.read(response, self._held[seat], seat)
        move = move_of(decisions, self._numbers, cards)
        if move is not None:
            return move
        if cards and not is_combination(self._rules, self._tables, self._numbers, cards):
            raise Fault(faults.NO_COMBINATION, f"{shown(response)} are no play of seat {seat}")
        raise Fault(faults.NOT_ALLOWED, f"{shown(response)} is no legal move of seat {seat}")

    def choice(self, options: Sequence[int]) -> int:
        """The bid."""
        return self._bids[options[0]]

    def move(self, cards: NDArray[np.uint8]) -> list[int]:
        """Cards of the seat to decide, the low ones first."""
        held = sorted(self._held[int(self._tables.seat[0])])
        return self._numbers.find(cards[cards != NO_CARD].tolist(), held)

    def note(self, seat: int, response: Any) -> None:
        """Cards leave the hand."""
        if isinstance(response, list):
            self._held[seat] = [card for card in self._held[seat] if card not in response]
            self._last[seat] = response

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Who has done what."""
        return {"event": {"player": seat, "action": response}}

    def scores(self) -> list[int]:
        """The points of the rules."""
        return [int(points) for points in self._tables.points[HERE][0]]


LANDLORD_GAME = Dialect(
    fits=lambda rules: bool(rules.fluents.named(LANDLORD)) and rules.letters.kinds.keys() == {*_LETTERS, *_JOKERS},
    numbers=numbers_of,
    begin=LandlordRound,
)
"""Dou dizhu."""
