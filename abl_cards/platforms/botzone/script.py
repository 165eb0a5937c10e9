"""Follows a game at one table in Botzone's words: the requests of every seat, and the log that its judge would have.

A program reads ``{"requests": […], "responses": […]}``, what its seat was asked in this round and what it answered, and
writes ``{"response": …}``. A log alternates what the judge says and what a seat responds:

    {"output": {"command": "request", "content": {"0": {…}}, "display": {…}}}
    {"0": {"verdict": "OK", "response": […]}}
    …
    {"output": {"command": "finish", "content": {"0": 2, "1": -1, "2": -1}, "display": {…}}}

The table's engine decides what is legal and what it is worth; this module writes it down. Where cards are drawn one by
one the engine asks only who has something to choose, and Botzone asks after every card: those requests wait until
somebody answers them with silence, a judge's seats one by one, at other tables this module itself.
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, Moves
from abl_cards.platforms.botzone import faults
from abl_cards.platforms.botzone.dialect import HERE, Cards, Round, dialect_of
from abl_cards.platforms.botzone.faults import Fault, shown
from abl_cards.platforms.botzone.initdata import lots_at
from abl_cards.platforms.programs import Write

Entry = dict[str, Any]
"""A line of a log."""


class Asked(NamedTuple):
    """A request that waits for its response."""

    seat: int
    silent: bool  # the rules leave nothing to choose


class Unheard(NamedTuple):
    """A request that was answered for its seat."""

    number: int  # among the requests of the seat
    place: int  # in the log


class BotzoneScript(Quiet):
    """Follows one table."""

    def __init__(self, rules: Rules, cards: Cards | None = None, write: Write | None = None) -> None:
        """Nothing has happened yet; where no cards are given the dealt ones get numbers at random."""
        self._rules, self._dialect, self._given, self._write = rules, dialect_of(rules), cards, write
        self._tables: Tables | None = None
        self._round: Round | None = None
        self._forget(0)
        self.initdata: dict[str, Any] = {}

    def _forget(self, seats: int) -> None:
        """Nothing has happened in the round."""
        self._said: tuple[Any] | None = None  # a response that was understood, and is about to be made
        self._ahead = deque[int]()  # options that it chooses besides
        self._chosen = list[int]()  # options of a response that is not whole
        self._done: tuple[int, Any] | None = None  # who did what last
        self._owed = deque[tuple[int, dict[str, Any]]]()  # deliveries that nobody was asked to answer
        self._asked: Asked | None = None
        self._unheard: list[deque[Unheard]] = [deque() for _ in range(seats)]
        self._display: dict[str, Any] = {}
        self._requests: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
        self._responses: list[list[Any]] = [[] for _ in range(seats)]
        self.log: list[Entry] = []

    # --- what the table tells ----------------------------------------------------------------------------------------

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Begin a log; cards that are dealt again begin another one. Raises GameError where these cards are given."""
        if self._given and tables.deals[0]:
            raise GameError(f"profile {self._rules.profile} deals anew, and Botzone's judges have no word for that")
        cards = self._given or self._number(tables)
        seats = len(cards.allocation)
        self._tables, self._round = tables, self._dialect.begin(self._rules, tables, cards)
        self.initdata = cards.to_json() | self._dialect.known(self._rules, tables) | lots_at(tables)
        self._forget(seats)
        self._display = self._round.opening()

    def drew(self, tables: Tables, which: Indices) -> None:
        """Take note of a delivery."""
        seat = int(tables.state.drew[0])
        self._owed.append((seat, self._at().delivery(seat)))

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Write down a choice, when the response is whole that makes it."""
        self._attend()
        self._chosen.append(int(card[0]))
        response = self._at().choice(self._chosen)
        if response is not None:
            self._chosen = []
            self._note(response)

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Write down a play or a pass."""
        self._attend()
        self._note(self._at().move(moves.cards[0]))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Close the log."""
        self._finish(self._at().scores())

    def _number(self, tables: Tables) -> Cards:
        """Numbers for the cards as they are dealt; which of equal cards a seat has tells nothing of the others."""
        numbers, state = self._dialect.numbers(self._rules), tables.state
        pool = list(range(len(numbers.kind)))
        Random(f"{tables.keys[0]} {tables.deals[0]} {tables.episode[0]}").shuffle(pool)
        if self._rules.draws:
            seats, first = self._rules.table.seats, self._dialect.first(self._rules, state.fluents[0])
            public = len(pool) - sum(self._rules.table.dealt)
            return Cards.drawn(numbers.find(state.stock[0].tolist(), pool), seats, public, first)
        aside = numbers.take(pool, state.aside[0])
        return Cards(tuple(tuple(numbers.take(pool, hand)) for hand in state.hands[0]), tuple(aside))

    def _at(self) -> Round:
        if self._round is None:
            raise GameError("no game has begun")
        return self._round

    def _note(self, response: Any) -> None:
        """Write down what the seat that was asked is about to do, in its own words where it has said them."""
        if self._said:
            (response,) = self._said
        seat = self.ask()
        self.log.append(_answered(seat, faults.OK, response))
        self._responses[seat].append(response)
        self._at().note(seat, response)
        self._done, self._said, self._asked = (seat, response), None, None

    # --- what is asked, and answered ---------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """The seat that is to respond."""
        self._at()
        assert self._tables is not None
        if self._asked:
            return self._asked.seat
        return self._owed[0][0] if self._owed else int(self._tables.seat[0])

    def ask(self) -> int:
        """Write down the request at hand, once; the seat that is to respond."""
        if self._asked is None:
            seat, round_ = self.seat, self._at()
            silent = len(self._owed) > int(round_.awaits())
            request = self._owed.popleft()[1] if self._owed else round_.request(seat)
            self._asked = Asked(seat, silent)
            self._requests[seat].append(request)
            self._say("request", {str(seat): request})
        return self._asked.seat

    @property
    def silent(self) -> bool:
        """Whether what is asked leaves nothing to choose."""
        self.ask()
        assert self._asked
        return self._asked.silent

    def _attend(self) -> None:
        """Go on to the decision at hand: nobody has chosen anything before."""
        while self.silent:
            seat = self.seat
            self._unheard[seat].append(Unheard(len(self._requests[seat]) - 1, len(self.log)))
            self._note([])

    def unheard(self) -> dict[str, Any] | None:
        """What the program of the seat to decide reads of the first request that was answered for it."""
        self._attend()
        seat = self.seat
        if not self._unheard[seat]:
            return None
        number = self._unheard[seat][0].number
        return {"requests": self._requests[seat][: number + 1], "responses": self._responses[seat][:number]}

    def silence(self, answer: Any) -> None:
        """What it answers, or a judge's seat; raises Fault where it is not silent."""
        seat = self.ask()
        response = self._response(answer)
        unheard = self._unheard[seat]
        self._at().read_silence(seat, unheard[0].number if unheard else len(self._requests[seat]) - 1, response)
        if unheard:
            unheard.popleft()
        else:
            self._note(response)

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads."""
        self._attend()
        seat = self.seat
        return {"requests": self._requests[seat], "responses": self._responses[seat]}

    def choose(self, choices: Choices, answer: Any) -> int:
        """The option of a program's answer, the first of several; raises Fault."""
        response = self._response(answer)
        self._ahead = deque(self._at().read_choice(choices, response))
        self._said = (response,)
        return self._ahead.popleft()

    def ahead(self, choices: Choices) -> int | None:
        """The next option of the same answer, None for no more; raises Fault where it may not be chosen."""
        if not self._ahead:
            return None
        option = self._ahead.popleft()
        if not choices.options[0, option]:
            (response,) = self._said or (None,)
            raise Fault(faults.NOT_ALLOWED, f"{shown(response)} chooses what may not be chosen together")
        return option

    def play(self, decisions: Decisions, answer: Any) -> Moves:
        """The move of a program's answer; raises Fault."""
        response = self._response(answer)
        move = self._at().read_play(decisions, response)
        self._said = (response,)
        return move

    def _response(self, answer: Any) -> Any:
        """What an answer responds; raises Fault."""
        self.ask()
        self._said = None
        self._ahead.clear()
        judged = f"{shown(None)} is no response"
        if not isinstance(answer, dict) or "response" not in answer:
            raise Fault(faults.NO_ANSWER, f'{shown(answer)} is no answer like {{"response":[0,1]}}', judged=judged)
        if answer["response"] is None:
            raise Fault(faults.NO_ANSWER, judged)
        return answer["response"]

    def give_up(self, fault: Fault, response: Any = None, seat: int | None = None) -> list[int]:
        """Write down that a seat, by default the one to decide, ends the round by a fault; what that is worth."""
        asked = self.ask()
        offender = asked if seat is None else seat
        if self._unheard[offender]:
            del self.log[self._unheard[offender][0].place :]  # its own words end the round, where it was answered for
        if self._said:
            (response,) = self._said
        self.log.append(_answered(offender, fault.verdict, response))
        event = {"player": offender, "action": response, "error": fault.kind, "text": fault.judged}
        assert self._tables is not None
        scores = faults.scores(self._tables.sides(HERE)[0].tolist(), offender)
        self._done, self._display = None, {"event": event}
        self._finish(scores)
        return scores

    def _finish(self, scores: list[int]) -> None:
        self._say("finish", {str(seat): score for seat, score in enumerate(scores)})
        if self._write:
            self._write({"initdata": self.initdata, "log": self.log})

    def _say(self, command: str, content: dict[str, Any]) -> None:
        display = self._display if self._done is None else self._at().display(*self._done)
        self.log.append({"output": {"command": command, "content": content, "display": display}})
        self._done, self._display = None, {}


def _answered(seat: int, verdict: str, response: Any) -> Entry:
    return {str(seat): {"verdict": verdict, "response": response}}
