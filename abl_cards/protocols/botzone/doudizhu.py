"""Adapter of Dou dizhu for Botzone: FightTheLandlord, and FightTheLandlord2 with bids.

Cards are numbers: four per rank from the 3 on, 52 and 53 for the jokers. A response is a list of cards, empty for a
pass, or a bid. The first request of play has the seat's cards (``own``) and the bottom cards (``publiccard``), with
bids also ``landlord``, ``pos`` and ``finalbid``. Each has ``history``, the latest actions of the two previous seats. A
request for a bid has ``own`` and the bids so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abl_cards.asp import split_term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Moves
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.adapter import BotzoneRound, DealtCards, GameAdapter
from abl_cards.protocols.botzone.card_numbers import CardNumbering
from abl_cards.protocols.botzone.combinations import find_move, is_combination
from abl_cards.protocols.botzone.faults import Fault, quote_json

LANDLORD, BID = "landlord", "bid"
"""Fluents of the folder: the landlord, and the bid of each seat."""
_LETTERS = "3456789TJQKA2"
_JOKERS = "XD"


def doudizhu_numbering(rules: CompiledGame) -> CardNumbering:
    """Return the numbering of the 54 cards."""
    letters = [*(letter for letter in _LETTERS for _ in range(4)), *_JOKERS]
    return CardNumbering(tuple(rules.card_codes.kind_by_text[letter] for letter in letters))


def option_bids(rules: CompiledGame) -> tuple[int, ...]:
    """Return the bid of each option."""
    return tuple(int(split_term(option)[1][0]) for option in rules.schema.options)


class DoudizhuRound(BotzoneRound):
    """Round of Dou dizhu."""

    def __init__(self, rules: CompiledGame, tables: Tables, cards: DealtCards) -> None:
        """Make a round after the deal."""
        super().__init__(rules, tables, cards)
        self._bids = option_bids(rules)
        self._hands = [list(hand) for hand in cards.allocation]
        self._last_responses: list[list[int]] = [[] for _ in self._hands]
        self._informed_seats: set[int] = set()
        self._bottom_taken = False

    def _read_fluent(self, name: str) -> list[int]:
        """Return the values of a fluent at the table; -1 for none."""
        fluent = self._rules.fluents.find(name)
        assert fluent is not None
        return [int(value) for value in self._tables.state.fluents[0, fluent.first_slot : fluent.slots.stop]]

    def request(self, seat: int) -> dict[str, Any]:
        """Return the request of a bid or a play; the first request of play includes the result of the bidding."""
        (landlord,) = self._read_fluent(LANDLORD)
        bids = [bid for bid in self._read_fluent(BID) if bid >= 0]
        if landlord < 0:
            return {"own": list(self._hands[seat]), "bid": bids}
        if not self._bottom_taken:
            self._bottom_taken = True
            self._hands[landlord] += self._cards.publiccard
        previous_seats = [(seat + step) % len(self._hands) for step in range(1, len(self._hands))]
        request: dict[str, Any] = {
            "history": [list(self._last_responses[previous_seat]) for previous_seat in previous_seats]
        }
        if seat in self._informed_seats:
            return request
        self._informed_seats.add(seat)
        if self._rules.schema.stages:
            request |= {"landlord": landlord, "pos": seat, "finalbid": max([*bids, 1])}
        return request | {"own": list(self._hands[seat]), "publiccard": list(self._cards.publiccard)}

    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """Read a bid; raises Fault."""
        if type(response) is not int:
            raise Fault(faults.INVALID_FORMAT, f"{quote_json(response)} is no bid")
        option = self._bids.index(response) if response in self._bids else -1
        if option < 0 or not choices.options[0, option]:
            raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(response)} is no legal bid")
        return (option,)

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """Read the cards of a play; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbering.read_cards(response, self._hands[seat], seat)
        move = find_move(decisions, self._numbering, cards)
        if move is not None:
            return move
        if cards and not is_combination(self._rules, self._tables, self._numbering, cards):
            raise Fault(faults.INVALID_COMBINATION, f"{quote_json(response)} are no play of seat {seat}")
        raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(response)} is no legal move of seat {seat}")

    def choice_response(self, options: Sequence[int]) -> int:
        """Return the bid of an option."""
        return self._bids[options[0]]

    def record_response(self, seat: int, response: Any) -> None:
        """Remove played cards from the hand."""
        if isinstance(response, list):
            self._hands[seat] = [card for card in self._hands[seat] if card not in response]
            self._last_responses[seat] = response

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Return the display of the acts."""
        return {"event": {"player": seat, "action": response}}


DOUDIZHU_ADAPTER = GameAdapter(
    supports=lambda rules: (
        bool(rules.fluents.find(LANDLORD)) and rules.card_codes.kind_by_text.keys() == {*_LETTERS, *_JOKERS}
    ),
    numbering=doudizhu_numbering,
    start_round=DoudizhuRound,
)
"""Adapter of Dou dizhu."""
