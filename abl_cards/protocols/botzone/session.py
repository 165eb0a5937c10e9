"""Translate a game at one table to Botzone's protocol: the requests of every seat, and the log of its judge.

A program reads ``{"requests": […], "responses": […]}``, the requests of its seat in this round and its responses, and
writes ``{"response": …}``. A log alternates outputs of the judge and responses of a seat:

    {"output": {"command": "request", "content": {"0": {…}}, "display": {…}}}
    {"0": {"verdict": "OK", "response": […]}}
    …
    {"output": {"command": "finish", "content": {"0": 2, "1": -1, "2": -1}, "display": {…}}}

The table's engine decides legality and scores. When cards are drawn one by one, the engine requests a decision only
from seats with a choice, while Botzone sends a request after every card. Those requests need an empty response: from
each seat at the judge, automatically at other tables.
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import Choices, Decisions, NullListener, Tables
from abl_cards.games.types import ONLY_TABLE, Indices, Moves
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.adapter import BotzoneRound, DealtCards, find_adapter
from abl_cards.protocols.botzone.faults import Fault, quote_json
from abl_cards.protocols.botzone.initdata import lots_to_json
from abl_cards.protocols.common import WriteLog

LogEntry = dict[str, Any]
"""Entry of a log."""


class PendingRequest(NamedTuple):
    """Request without a response yet."""

    seat: int
    is_forced: bool  # whether the rules leave no choice


class AutoAnsweredRequest(NamedTuple):
    """Request that was answered automatically."""

    request_index: int  # index among the requests of the seat
    log_index: int  # index in the log


class BotzoneSession(NullListener):
    """Listener of one table that writes requests and logs of Botzone; implements ProgramSession."""

    def __init__(self, rules: CompiledGame, cards: DealtCards | None = None, write: WriteLog | None = None) -> None:
        """Make a session of a table.

        Args:
            rules: Rules of the game.
            cards: Card numbers of the round; None to number dealt cards at random.
            write: Function that receives the log of each finished round, or None.
        """
        self._rules, self._adapter, self._fixed_cards, self._write = rules, find_adapter(rules), cards, write
        self._tables: Tables | None = None
        self._round: BotzoneRound | None = None
        self._reset(0)
        self.initdata: dict[str, Any] = {}

    def _reset(self, seats: int) -> None:
        """Clear the state of the round."""
        self._pending_response: tuple[Any] | None = None  # response that was read but not yet applied
        self._queued_options = deque[int]()  # further options of the response
        self._partial_options = list[int]()  # options of an incomplete response
        self._last_response: tuple[int, Any] | None = None  # seat and response
        self._deliveries = deque[tuple[int, dict[str, Any]]]()  # deliveries without a request
        self._pending_request: PendingRequest | None = None
        self._auto_answered: list[deque[AutoAnsweredRequest]] = [deque() for _ in range(seats)]
        self._display: dict[str, Any] = {}
        self._requests: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
        self._responses: list[list[Any]] = [[] for _ in range(seats)]
        self.log: list[LogEntry] = []

    # --- events of the table -----------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Begin a log; raises GameError if given cards would be dealt again."""
        if self._fixed_cards and tables.num_deals[0]:
            raise GameError(
                f"profile {self._rules.profile} deals again, which Botzone's protocol does not support",
                ErrorCode.UNSUPPORTED_GAME,
            )
        cards = self._fixed_cards or self._assign_numbers(tables)
        seats = len(cards.allocation)
        self._tables, self._round = tables, self._adapter.start_round(self._rules, tables, cards)
        self.initdata = cards.to_json() | self._adapter.next_initdata(self._rules, tables) | lots_to_json(tables)
        self._reset(seats)
        self._display = self._round.opening_display()

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Queue the delivery of a card."""
        seat = int(tables.state.last_drawer[0])
        self._deliveries.append((seat, self._current_round().delivery_request(seat)))

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Log a choice when its response is complete."""
        self._answer_deliveries()
        self._partial_options.append(int(options[0]))
        response = self._current_round().choice_response(self._partial_options)
        if response is not None:
            self._partial_options = []
            self._log_response(response)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Log a play or a pass."""
        self._answer_deliveries()
        self._log_response(self._current_round().play_response(moves.cards[0]))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Finish the log."""
        self._finish(self._current_round().scores())

    def _assign_numbers(self, tables: Tables) -> DealtCards:
        """Number the dealt cards; the numbers of equal cards reveal nothing about the other hands."""
        numbering, state = self._adapter.numbering(self._rules), tables.state
        pool = list(range(len(numbering.kind_of)))
        Random(f"{tables.keys[0]} {tables.num_deals[0]} {tables.num_episodes[0]}").shuffle(pool)
        if self._rules.has_draws:
            seats, first_seat = self._rules.seating.seats, self._adapter.first_seat(self._rules, state.fluents[0])
            public = len(pool) - sum(self._rules.seating.num_dealt)
            return DealtCards.from_draw_order(
                numbering.find_numbers(state.stock[0].tolist(), pool), seats, public, first_seat
            )
        public_cards = numbering.take_numbers(pool, state.aside[0])
        return DealtCards(
            tuple(tuple(numbering.take_numbers(pool, hand)) for hand in state.hands[0]), tuple(public_cards)
        )

    def _current_round(self) -> BotzoneRound:
        if self._round is None:
            raise GameError("no round has begun", ErrorCode.INVALID_MESSAGE)
        return self._round

    def _log_response(self, response: Any) -> None:
        """Log the pending act of the seat to decide, by its own response if there is one."""
        if self._pending_response:
            (response,) = self._pending_response
        seat = self.issue_request()
        self.log.append(_response_entry(seat, faults.OK, response))
        self._responses[seat].append(response)
        self._current_round().record_response(seat, response)
        self._last_response, self._pending_response, self._pending_request = (seat, response), None, None

    # --- requests and answers ----------------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """Seat that responds next."""
        self._current_round()
        assert self._tables is not None
        if self._pending_request:
            return self._pending_request.seat
        return self._deliveries[0][0] if self._deliveries else int(self._tables.seat[0])

    def issue_request(self) -> int:
        """Log the current request, once; return the seat that responds."""
        if self._pending_request is None:
            seat, round_ = self.seat, self._current_round()
            is_forced = len(self._deliveries) > int(round_.awaits_response())
            request = self._deliveries.popleft()[1] if self._deliveries else round_.request(seat)
            self._pending_request = PendingRequest(seat, is_forced)
            self._requests[seat].append(request)
            self._log_output("request", {str(seat): request})
        return self._pending_request.seat

    @property
    def is_forced(self) -> bool:
        """Return whether the current request has only one possible answer."""
        self.issue_request()
        assert self._pending_request
        return self._pending_request.is_forced

    def _answer_deliveries(self) -> None:
        """Answer pending deliveries automatically, up to the current decision."""
        while self.is_forced:
            seat = self.seat
            self._auto_answered[seat].append(AutoAnsweredRequest(len(self._requests[seat]) - 1, len(self.log)))
            self._log_response([])

    def auto_answered_message(self) -> dict[str, Any] | None:
        """Return the first request of the program that was answered automatically."""
        self._answer_deliveries()
        seat = self.seat
        if not self._auto_answered[seat]:
            return None
        index = self._auto_answered[seat][0].request_index
        return {"requests": self._requests[seat][: index + 1], "responses": self._responses[seat][:index]}

    def check_empty_answer(self, answer: Any) -> None:
        """Check the answer of a program or of a judge's seat; raises Fault unless it is empty."""
        seat = self.issue_request()
        response = self._read_response(answer)
        auto_answered = self._auto_answered[seat]
        self._current_round().check_empty_response(
            seat, auto_answered[0].request_index if auto_answered else len(self._requests[seat]) - 1, response
        )
        if auto_answered:
            auto_answered.popleft()
        else:
            self._log_response(response)

    def message(self) -> dict[str, Any]:
        """Return the message for the program of the seat to decide."""
        self._answer_deliveries()
        seat = self.seat
        return {"requests": self._requests[seat], "responses": self._responses[seat]}

    def read_choice(self, choices: Choices, answer: Any) -> int:
        """Return the first option of a program's answer; raises Fault."""
        response = self._read_response(answer)
        self._queued_options = deque(self._current_round().read_choice(choices, response))
        self._pending_response = (response,)
        return self._queued_options.popleft()

    def next_option(self, choices: Choices) -> int | None:
        """Return the next option of the same answer, if any; raises Fault if it is not legal."""
        if not self._queued_options:
            return None
        option = self._queued_options.popleft()
        if not choices.options[0, option]:
            (response,) = self._pending_response or (None,)
            raise Fault(faults.ILLEGAL_MOVE, f"{quote_json(response)} chooses what may not be chosen together")
        return option

    def read_play(self, decisions: Decisions, answer: Any) -> Moves:
        """Return the move of a program's answer; raises Fault."""
        response = self._read_response(answer)
        move = self._current_round().read_play(decisions, response)
        self._pending_response = (response,)
        return move

    def _read_response(self, answer: Any) -> Any:
        """Return the response in an answer; raises Fault."""
        self.issue_request()
        self._pending_response = None
        self._queued_options.clear()
        public_text = f"{quote_json(None)} is no response"
        if not isinstance(answer, dict) or "response" not in answer:
            raise Fault(
                faults.INVALID_FORMAT,
                f'{quote_json(answer)} is no answer like {{"response":[0,1]}}',
                public_text=public_text,
            )
        if answer["response"] is None:
            raise Fault(faults.INVALID_FORMAT, public_text)
        return answer["response"]

    def forfeit(self, fault: Fault, response: Any = None, seat: int | None = None) -> list[int]:
        """End the round by a fault, and log it.

        Args:
            fault: Error of the response.
            response: JSON value of the response.
            seat: Seat of the fault; None for the seat that responds next.

        Returns:
            Score of each seat.
        """
        expected_seat = self.issue_request()
        offender = expected_seat if seat is None else seat
        if self._auto_answered[offender]:
            del self.log[
                self._auto_answered[offender][0].log_index :
            ]  # the faulty response replaces the automatic ones
        if self._pending_response:
            (response,) = self._pending_response
        self.log.append(_response_entry(offender, fault.verdict, response))
        event = {"player": offender, "action": response, "error": fault.kind, "text": fault.public_text}
        assert self._tables is not None
        scores = faults.fault_scores(self._tables.sides(ONLY_TABLE)[0].tolist(), offender)
        self._last_response, self._display = None, {"event": event}
        self._finish(scores)
        return scores

    def _finish(self, scores: list[int]) -> None:
        self._log_output("finish", {str(seat): score for seat, score in enumerate(scores)})
        if self._write:
            self._write({"initdata": self.initdata, "log": self.log})

    def _log_output(self, command: str, content: dict[str, Any]) -> None:
        display = self._display if self._last_response is None else self._current_round().display(*self._last_response)
        self.log.append({"output": {"command": command, "content": content, "display": display}})
        self._last_response, self._display = None, {}


def _response_entry(seat: int, verdict: str, response: Any) -> LogEntry:
    return {str(seat): {"verdict": verdict, "response": response}}
