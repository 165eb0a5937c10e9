"""Botzone's judge: reads a log and initdata, returns the next output.

The judge contains no rules: it replays the responses of the log at a table of the engine, and returns the next request
or the scores. On Botzone it runs in a new process at every step; a long-running process gets the whole log too, and
plays only its new entries. If a log ends with an output of a judge, that output is compared with this judge's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.notation import MatchRecorder
from abl_cards.games.tables import Listener, ListenerList, Tables
from abl_cards.games.types import ONLY_TABLE
from abl_cards.protocols.botzone import faults
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.faults import Fault, program_fault, quote_json
from abl_cards.protocols.botzone.initdata import build_deal, complete_initdata, read_dealt_cards
from abl_cards.protocols.botzone.session import BotzoneSession

MAX_LOG_ENTRIES = 10_000
"""Limit of the entries of a log; the longest rounds have some hundreds."""
INITDATA_KEY, NEXT_INITDATA_KEY = "initdata", "next"

JudgeOutput = dict[str, Any]
"""Output ``{"command", "content", "display"}``; the first of a round has the initdata, too."""


class BotzoneJudge:
    """Judge of rounds of one game; keeps the state of the last round."""

    def __init__(self, engine: Engine, initdata: Mapping[str, Any] | None = None) -> None:
        """Make a judge.

        Args:
            engine: Rules of the game.
            initdata: Defaults for fields that the initdata of a round lacks.
        """
        self._engine, self._initdata = engine, dict(initdata or {})
        self._round: JudgedRound | None = None

    def next_output(self, request: Any) -> JudgeOutput:
        """Return the next output of the judge.

        Args:
            request: JSON object ``{"log": […], "initdata": {…}}``.

        Returns:
            The next request, or the scores of a finished round.

        Raises:
            GameError: The log or the initdata is invalid, or the last output of the log differs from this judge's.
        """
        log, initdata = self._read_request(request)
        responses = log[1::2]
        judged_round = self._round
        if (
            judged_round is None
            or judged_round.initdata != initdata
            or judged_round.responses != responses[: len(judged_round.responses)]
        ):
            judged_round = self._round = JudgedRound(self._engine, initdata)
        try:
            for entry in responses[len(judged_round.responses) :]:
                judged_round.add_response(entry)
        except GameError:
            self._round = None
            raise
        if len(log) % 2:
            _check_output(judged_round.output, _read_output(log[-1]), len(log))
        return judged_round.output | ({INITDATA_KEY: initdata} if not log else {})

    def to_record(self, request: Any) -> dict[str, Any]:
        """Convert a log to a record of this project.

        Args:
            request: JSON object ``{"log": […], "initdata": {…}}``.

        Returns:
            The record, unfinished if the round is not over.

        Raises:
            GameError: The log or the initdata is invalid.
        """
        log, initdata = self._read_request(request)
        recorder = MatchRecorder(self._engine.rules, 1, {})
        judged_round = JudgedRound(self._engine, initdata, recorder)
        for entry in log[1::2]:
            judged_round.add_response(entry)
        records = recorder.pop_records(0)
        return records[0] if records else recorder.unfinished_record(0)

    def _read_request(self, request: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return the log and the completed initdata of a request."""
        if not isinstance(request, dict):
            raise GameError('must be an object like {"log":[],"initdata":{}}', ErrorCode.INVALID_MESSAGE)
        log, requested = request.get("log"), request.get(INITDATA_KEY)
        if not isinstance(log, list) or len(log) > MAX_LOG_ENTRIES:
            raise GameError(f"log: must be a list of at most {MAX_LOG_ENTRIES:,} entries", ErrorCode.INVALID_MESSAGE)
        logged = _read_output(log[0]).get(INITDATA_KEY) if log else None
        initdata: dict[str, Any] = dict(self._initdata)
        for fields in (logged, requested):
            if fields not in (None, "") and not isinstance(fields, dict):
                raise GameError("initdata: must be an object", ErrorCode.INVALID_MESSAGE)
            initdata |= fields or {}
        if log and not {"allocation", "seed"} & initdata.keys():
            raise GameError(
                "initdata: the round has begun, but its cards or seed are missing", ErrorCode.INVALID_MESSAGE
            )
        return log, complete_initdata(self._engine.rules, initdata)


class JudgedRound:
    """Round of a judge."""

    def __init__(self, engine: Engine, initdata: dict[str, Any], listener: Listener | None = None) -> None:
        """Deal a round from completed initdata; a listener is notified of its events. Raises GameError."""
        self.initdata, self.responses = initdata, list[Any]()
        self._engine, self._over, self._next_initdata = engine, False, dict[str, Any]()
        self._session = BotzoneSession(engine.rules, read_dealt_cards(engine.rules, initdata))
        listeners = ListenerList.combine([self._session, *([listener] if listener else [])])
        self._tables = Tables.resume(engine.rules, build_deal(engine.rules, initdata), listeners)
        self._advance()

    @property
    def output(self) -> JudgeOutput:
        """Last output of the judge."""
        output: JudgeOutput = self._session.log[-1]["output"]
        return (
            output | {"display": output["display"] | {NEXT_INITDATA_KEY: self._next_initdata}}
            if self._next_initdata
            else output
        )

    def add_response(self, entry: Any) -> None:
        """Apply the entry of a response; raises GameError if the log is invalid."""
        if self._over:
            raise GameError(
                f"log: entry {2 * len(self.responses) + 2}: the round was already over", ErrorCode.INVALID_MESSAGE
            )
        seat, verdict, response = self._read_entry(entry)
        self.responses.append(entry)
        try:
            if verdict != faults.OK:
                raise program_fault(verdict)
            if seat != self._session.seat:
                raise Fault(faults.WRONG_SEAT, f"seat {self._session.seat} is asked, and seat {seat} answers")
            self._apply_response(response)
        except Fault as fault:
            self._session.forfeit(fault, response, seat)
            self._over = True
            return
        self._advance()

    def _advance(self) -> None:
        """Issue the next request, or end the round."""
        self._over = not (self._tables.rows_to_play().size or self._tables.rows_to_choose().size)
        if not self._over:
            self._session.issue_request()
        elif self._tables.winner[0] == -1:
            self._next_initdata = find_adapter(self._engine.rules).next_initdata(self._engine.rules, self._tables)

    def _apply_response(self, response: Any) -> None:
        tables, answer = self._tables, {"response": response}
        if self._session.is_forced:
            self._session.check_empty_answer(answer)
            return
        if tables.rows_to_choose().size:
            option: int | None = self._session.read_choice(tables.choices(ONLY_TABLE), answer)
            while option is not None:
                tables.choose(ONLY_TABLE, np.array([option], np.uint8))
                option = self._session.next_option(tables.choices(ONLY_TABLE))
            return
        tables.play(ONLY_TABLE, self._session.read_play(tables.decisions(ONLY_TABLE), answer))

    def _read_entry(self, entry: Any) -> tuple[int, str, Any]:
        """Return seat, verdict and response of an entry; a seat without a request is preferred, if there is one."""
        entry_number, seats = 2 * len(self.responses) + 2, self._engine.rules.seating.seats
        if not isinstance(entry, dict) or not all(key in map(str, range(seats)) for key in entry):
            raise GameError(
                f'log: entry {entry_number} is not a response like {{"0":{{"verdict":"OK","response":[]}}}}',
                ErrorCode.INVALID_MESSAGE,
            )
        expected_seat = self._session.seat
        seat = next((int(key) for key in entry if int(key) != expected_seat), expected_seat)
        value = entry.get(str(seat))
        if isinstance(value, dict) and {"verdict", "response"} & value.keys():
            verdict = value.get("verdict", faults.OK)
            if not isinstance(verdict, str) or len(verdict) > 40:
                raise GameError(
                    f"log: entry {entry_number}: the verdict must be a word such as OK", ErrorCode.INVALID_MESSAGE
                )
            return seat, verdict, value.get("response")
        return seat, faults.OK, value


def _check_output(expected: JudgeOutput, actual: JudgeOutput, entry: int) -> None:
    """Raise GameError if the output of another judge differs."""
    for key in ("command", "content"):
        if expected[key] != actual.get(key):
            actual_text = quote_json(actual.get(key))
            raise GameError(
                f"log: entry {entry}: {key} is {actual_text}, but this judge computes {quote_json(expected[key])}",
                ErrorCode.JUDGES_DISAGREE,
            )


def _read_output(entry: Any) -> dict[str, Any]:
    """Return the output of a judge, with or without Botzone's frame."""
    value = entry.get("output", entry) if isinstance(entry, dict) else None
    if not isinstance(value, dict):
        raise GameError(
            'log: an entry with an odd number must be an output {"output":{"command":…}}', ErrorCode.INVALID_MESSAGE
        )
    return value
