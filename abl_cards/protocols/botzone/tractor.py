"""Adapter of Tractor for Botzone: cards delivered one by one, covered cards, and tricks.

Cards are numbers, 54 per pack: four per rank from the ace on, spade heart club diamond, then the jokers. A response is
a list of cards: none, one or two that are shown after a delivery, buried cards, or a play. Every request has ``stage``
and ``global``. A delivery and the cover have ``deliver``. A play has ``history``: the previous and the current trick,
each a list of plays in order, and their leaders. Cards taken back from a failed throw are in no history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import NO_CARD, ONLY_TABLE, Moves
from abl_cards.protocols.botzone import faults, tractor_match
from abl_cards.protocols.botzone.adapter import BotzoneRound, DealtCards, GameAdapter
from abl_cards.protocols.botzone.card_numbers import CardNumbering
from abl_cards.protocols.botzone.combinations import find_move
from abl_cards.protocols.botzone.faults import Fault, quote_json
from abl_cards.protocols.botzone.tractor_match import BANKER, GIVEN, LEVEL, LEVELS, STANDING, TOTAL, TRUMP

DECLARE, BURY, NONE = "declare", "bury", "none"
"""Stages and options of the folder: ``declare(Suit)`` shows one card, ``overturn(Suit)`` two, ``none`` none."""
DEAL, COVER, PLAY = "deal", "cover", "play"
_SUITS = "shcd"
_JOKERS = ("small", "big")
NOBODY = -1


def _card_terms() -> list[str]:
    """Return the folder's terms of the cards of a pack in the order of Botzone's numbers."""
    plain = [f"card({rank},{suit})" for rank in LEVELS.values() for suit in _SUITS]
    return [*plain, *(f"card({joker},joker)" for joker in _JOKERS)]


def tractor_numbering(rules: CompiledGame) -> CardNumbering:
    """Return the numbering of the 108 cards."""
    terms = _card_terms()
    return CardNumbering(tuple(rules.pack.index[term] for term in terms * (len(rules.pack.deck) // len(terms))))


def _supports(rules: CompiledGame) -> bool:
    has_fluents = all(rules.fluents.find(name) for name in (LEVEL, TRUMP, BANKER, GIVEN, TOTAL, STANDING))
    return has_fluents and rules.pack.index.keys() == {*_card_terms()} and {DECLARE, BURY} <= {*rules.schema.stages}


class TractorRound(BotzoneRound):
    """Round of Tractor."""

    def __init__(self, rules: CompiledGame, tables: Tables, cards: DealtCards) -> None:
        """Make a round before the first delivery."""
        super().__init__(rules, tables, cards)
        self._terms, seats = _card_terms(), len(cards.allocation)
        self._delivered, self._hands = [0] * seats, [list[int]() for _ in range(seats)]
        self._first_round = not self._read_fluent(GIVEN)
        self._declarers = {"called": NOBODY, "snatched": NOBODY}
        self._tricks: tuple[list[list[int]], list[list[int]]] = [], []
        self._leaders = NOBODY, NOBODY
        self._last_play: tuple[int, list[int], int] | None = None  # seat, cards, and points before the play
        self._penalty: int | None = None

    def _read_fluent(self, name: str) -> Any:
        return tractor_match.read_fluent(self._rules, self._tables.state.fluents[0], name)

    def _stage(self) -> str:
        """Return the stage of the current decision; DEAL if there is none."""
        state = self._tables.state
        if not self._tables.rows_to_choose().size:
            return PLAY if self._tables.rows_to_play().size else DEAL
        return COVER if self._rules.schema.stages[int(state.choice[0])] == BURY else DEAL

    # --- requests ----------------------------------------------------------------------------------------------------

    def delivery_request(self, seat: int) -> dict[str, Any]:
        """Return the request of a delivered card; raises GameError if the folder deals in another order."""
        index, state = self._delivered[seat], self._tables.state
        card = self._cards.allocation[seat][index]
        if self._numbering.kind_of[card] != state.stock[0, state.num_drawn[0] - 1]:
            raise GameError(f"seat {seat} draws in another order than Botzone delivers", ErrorCode.INVALID_MESSAGE)
        self._delivered[seat] += 1
        self._hands[seat].append(card)
        opening = {} if index else {"playerpos": seat}
        return {"stage": DEAL, "deliver": [card], **opening, "global": self._global_json(dealing=True)}

    def awaits_response(self) -> bool:
        """Return whether a seat may show cards now."""
        return bool(self._tables.rows_to_choose().size) and self._stage() == DEAL

    def request(self, seat: int) -> dict[str, Any]:
        """Return the request of the cover or of a play."""
        if self._stage() == COVER:
            self._hands[seat] += self._cards.publiccard
            return {"stage": COVER, "deliver": list(self._cards.publiccard), "global": self._global_json()}
        self._commit_last_play()
        current_trick = self._tricks[1]
        if not current_trick or len(current_trick) == len(self._hands):
            self._tricks, self._leaders = (current_trick, []), (self._leaders[1], seat)
        history = [*([list(cards) for cards in trick] for trick in self._tricks), *self._leaders]
        return {
            "stage": PLAY,
            "history": history,
            "global": self._global_json() | {"total_score": self._read_fluent(TOTAL)},
        }

    def _global_json(self, dealing: bool = False) -> dict[str, Any]:
        trump, banker = self._read_fluent(TRUMP), self._read_fluent(BANKER)
        nothing_yet = dealing and self._declarers["snatched"] < 0
        banking = {**self._declarers, "major": trump or ("" if nothing_yet else "n"),
                   "banker": NOBODY if banker is None else banker}  # fmt: skip
        level = tractor_match.rank_letter(self._read_fluent(LEVEL))
        return {"level": level, "first_round": self._first_round, "banking": banking}

    # --- reading of responses ----------------------------------------------------------------------------------------

    def check_empty_response(self, seat: int, request_index: int, response: Any) -> None:
        """Raise Fault if the response to a delivery shows cards."""
        delivered = self._cards.allocation[seat][: request_index + 1]
        if cards := self._numbering.read_cards(response, delivered, seat):
            self._declaration_option(cards)
            raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(cards)} may not be shown by seat {seat} now")

    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """Read shown or buried cards; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbering.read_cards(response, self._hands[seat], seat)
        if self._stage() == COVER:
            options = [self._terms[card % len(self._terms)] for card in cards]
            if self._may_stop_burying(choices):
                options.append(NONE)
            elif len(cards) != len(self._cards.publiccard):
                raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(cards)} are not {len(self._cards.publiccard)} cards")
        else:
            options = [self._declaration_option(cards) if cards else NONE]
        chosen = tuple(self._rules.schema.options.index(option) for option in options)
        if not choices.options[0, chosen[0]]:
            raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(cards)} may not be chosen by seat {seat} now")
        return chosen

    def _may_stop_burying(self, choices: Choices) -> bool:
        """Return whether a seat may stop burying, so that any number of cards is allowed."""
        return bool(choices.options[0, self._rules.schema.options.index(NONE)])

    def _declaration_option(self, cards: Sequence[int]) -> str:
        """Return the option that shows cards; raises Fault if there is none."""
        kinds = {card % len(self._terms) for card in cards}
        rank, _, suit = self._terms[kinds.pop()].removeprefix("card(").removesuffix(")").partition(",")
        level = rank == str(self._read_fluent(LEVEL))
        if not kinds and len(cards) == 1 and level:
            return f"declare({suit})"
        if not kinds and len(cards) > 1 and (level or rank in _JOKERS):
            return f"overturn({suit if level else rank})"
        raise Fault(faults.INVALID_COMBINATION, f"{quote_json(cards)} are nothing that could be shown")

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """Read the cards of a play; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbering.read_cards(response, self._hands[seat], seat)
        move = find_move(decisions, self._numbering, cards) if cards else None
        if move is not None:
            return move
        leads = self._leaders[1] == seat and not self._tricks[1]
        if cards and leads:
            raise Fault(faults.INVALID_COMBINATION, f"{quote_json(cards)} are no play of seat {seat}")
        raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(cards)} is no legal move of seat {seat}")

    # --- writing of responses ----------------------------------------------------------------------------------------

    def choice_response(self, options: Sequence[int]) -> list[int] | None:
        """Return shown cards, or all buried cards; None while buried cards are incomplete."""
        seat, names = int(self._tables.seat[0]), [str(self._rules.schema.options[option]) for option in options]
        if self._stage() == COVER:
            is_complete = NONE in names or (
                len(names) == len(self._cards.publiccard)
                and not self._may_stop_burying(self._tables.choices(ONLY_TABLE))
            )
            buried = [self._rules.pack.index[name] for name in names if name != NONE]
            return self._numbering.find_numbers(buried, sorted(self._hands[seat])) if is_complete else None
        (name,) = names
        if name == NONE:
            return []
        shows, _, argument = name.removesuffix(")").partition("(")
        level = self._read_fluent(LEVEL)
        term = f"card({argument},joker)" if argument in _JOKERS else f"card({level},{argument})"
        copies = [self._rules.pack.index[term]] * (1 if shows == "declare" else 2)
        return self._numbering.find_numbers(copies, sorted(self._hands[seat]))

    # --- state of the round ------------------------------------------------------------------------------------------

    def record_response(self, seat: int, response: Any) -> None:
        """Record shown cards and the cards that leave a hand."""
        stage = self._stage() if response else DEAL
        self._penalty = None
        if stage == PLAY:
            self._last_play = seat, response, self._read_fluent(TOTAL)
        elif stage == COVER:
            self._remove_cards(seat, response)
        elif response:
            self._declarers["called" if len(response) == 1 else "snatched"] = seat

    def _remove_cards(self, seat: int, cards: Sequence[int]) -> None:
        self._hands[seat] = [card for card in self._hands[seat] if card not in cards]

    def _commit_last_play(self) -> None:
        """Add the last play to the trick, without the cards that a failed throw has returned."""
        if self._last_play is None:
            return
        (seat, sent, points_before), self._last_play, state = self._last_play, None, self._tables.state
        act = state.recent_cards[0, (int(state.num_acts[0]) - 1) % state.recent_cards.shape[1]]
        laid_kinds = act[act != NO_CARD].tolist()
        if len(laid_kinds) < len(sent):
            sent = self._numbering.find_numbers(laid_kinds, sorted(sent))
            self._penalty = abs(self._read_fluent(TOTAL) - points_before)
        self._tricks[1].append(sent)
        self._remove_cards(seat, sent)

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Return the display of acts, with cards of the banker's partner and the cost of a failed throw during play."""
        playing = self._last_play is not None or self._leaders[1] != NOBODY
        self._commit_last_play()
        fields: dict[str, Any] = {"event": {"player": seat, "action": response}}
        if playing:
            fields["get_score"] = self._read_fluent(TOTAL)
        return fields if self._penalty is None else fields | {"punished": self._penalty}


TRACTOR_ADAPTER = GameAdapter(
    supports=_supports,
    numbering=tractor_numbering,
    start_round=TractorRound,
    initdata_keys=tractor_match.INITDATA_KEYS,
    read_initdata=tractor_match.read_initdata,
    next_initdata=tractor_match.to_initdata,
    first_seat=tractor_match.first_seat,
)
"""Adapter of Tractor."""
