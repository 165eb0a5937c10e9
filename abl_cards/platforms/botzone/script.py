"""Follows a game at one table in Botzone's words: the requests of every seat, and the log that its judge would have.

A program reads ``{"requests": […], "responses": […]}``, what its seat was asked in this round and what it answered, and
writes ``{"response": …}``. A log alternates what the judge says and what a seat responds:

    {"output": {"command": "request", "content": {"0": {…}}, "display": {…}}}
    {"0": {"verdict": "OK", "response": […]}}
    …
    {"output": {"command": "finish", "content": {"0": 2, "1": -1, "2": -1}, "display": {…}}}

The table's engine decides what is legal and what it is worth; this module writes it down.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Choices, Decisions, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.game import GameError
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, Moves
from abl_cards.platforms.botzone import faults
from abl_cards.platforms.botzone.dialect import HERE, Cards, Round, dialect_of
from abl_cards.platforms.botzone.faults import Fault, shown
from abl_cards.platforms.programs import Write

Entry = dict[str, Any]
"""A line of a log."""


class BotzoneScript(Quiet):
    """Follows one table."""

    def __init__(self, rules: Rules, cards: Cards | None = None, write: Write | None = None) -> None:
        """Nothing has happened yet; where no cards are given the dealt ones get numbers at random."""
        self._rules, self._dialect, self._given, self._write = rules, dialect_of(rules), cards, write
        self._tables: Tables | None = None
        self._round: Round | None = None
        self._said: tuple[Any] | None = None  # a response that was understood, and is about to be made
        self._done: tuple[int, Any] | None = None  # who did what last
        self._display: dict[str, Any] = {}
        self._requests: list[list[dict[str, Any]]] = []
        self._responses: list[list[Any]] = []
        self.initdata: dict[str, Any] = {}
        self.log: list[Entry] = []

    # --- what the table tells ----------------------------------------------------------------------------------------

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Begin a log; cards that are dealt again begin another one."""
        cards = self._given or self._number(tables)
        seats = len(cards.allocation)
        self._tables, self._round = tables, self._dialect.begin(self._rules, tables, cards)
        self.initdata = cards.to_json() | self._dialect.known(self._rules, tables)
        self._requests, self._responses = [[] for _ in range(seats)], [[] for _ in range(seats)]
        self.log, self._said, self._done, self._display = [], None, None, self._round.opening()

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Write down a choice."""
        self._note(lambda round_: round_.choice(int(card[0])))

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Write down a play or a pass."""
        self._note(lambda round_: round_.move(moves.cards[0]))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Close the log."""
        self._finish(self._at().scores())

    def _number(self, tables: Tables) -> Cards:
        """Numbers for the cards as they are dealt; which of equal cards a seat has tells nothing of the others."""
        numbers, state = self._dialect.numbers(self._rules), tables.state
        pool = list(range(len(numbers.kind)))
        Random(f"{tables.keys[0]} {tables.deals[0]} {tables.episode[0]}").shuffle(pool)
        aside = numbers.take(pool, state.aside[0])
        return Cards(tuple(tuple(numbers.take(pool, hand)) for hand in state.hands[0]), tuple(aside))

    def _at(self) -> Round:
        if self._round is None:
            raise GameError("no game has begun")
        return self._round

    def _note(self, said: Callable[[Round], Any]) -> None:
        """Write down what the seat to decide is about to do, in its own words where it has said them."""
        seat = self.ask()
        response = self._said[0] if self._said else said(self._at())
        self._said = None
        self.log.append(_answered(seat, faults.OK, response))
        self._responses[seat].append(response)
        self._at().note(seat, response)
        self._done = seat, response

    # --- what is asked, and answered ---------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """The seat to decide."""
        self._at()
        assert self._tables is not None
        return int(self._tables.seat[0])

    def ask(self) -> int:
        """Write down the request of the decision at hand, once; the seat that is to decide."""
        seat = self.seat
        if len(self._requests[seat]) == len(self._responses[seat]):
            request = self._at().request(seat)
            self._requests[seat].append(request)
            self._say("request", {str(seat): request})
        return seat

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads."""
        seat = self.ask()
        return {"requests": self._requests[seat], "responses": self._responses[seat]}

    def choose(self, choices: Choices, answer: Any) -> int:
        """The option of a program's answer; raises Fault."""
        response = self._response(answer)
        option = self._at().read_choice(choices, response)
        self._said = (response,)
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
