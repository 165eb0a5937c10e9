"""Botzone's judge: a log and initdata in, what happens next out.

It knows no rule: it plays the responses of the log again at a table of the engine, by the rules of the folder, and says
whom it asks next, or how the round has ended. As on Botzone it may be asked in a new process at every step; who keeps
it running asks with the whole log all the same, and only what is new in it is played. A log that ends with what a judge
has said is compared with what this one says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games import Engine, Tables
from abl_cards.games.audience import Audience
from abl_cards.games.tables import Listener
from abl_cards.games.words.records import MatchRecorder
from abl_cards.platforms.botzone import faults
from abl_cards.platforms.botzone.dialect import HERE, dialect_of
from abl_cards.platforms.botzone.faults import Fault, failed, shown
from abl_cards.platforms.botzone.initdata import cards_of, completed, dealt_of
from abl_cards.platforms.botzone.script import BotzoneScript

LONGEST_LOG = 10_000
"""Entries; the longest rounds have some hundreds."""
INITDATA, NEXT = "initdata", "next"

Answer = dict[str, Any]
"""``{"command", "content", "display"}``, in the first answer of a round with the initdata."""


class BotzoneJudge:
    """Judges rounds of one game; it remembers the last one."""

    def __init__(self, engine: Engine, initdata: Mapping[str, Any] | None = None) -> None:
        """What initdata says holds for rounds whose own says nothing of it."""
        self._engine, self._initdata = engine, dict(initdata or {})
        self._case: Case | None = None

    def answer(self, asked: Any) -> Answer:
        """What comes next; raises GameError for what is no log."""
        log, initdata = self._read(asked)
        responses = log[1::2]
        case = self._case
        if case is None or case.initdata != initdata or case.heard != responses[: len(case.heard)]:
            case = self._case = Case(self._engine, initdata)
        try:
            for entry in responses[len(case.heard) :]:
                case.hear(entry)
        except GameError:
            self._case = None
            raise
        if len(log) % 2:
            _compare(case.said, _output(log[-1]), len(log))
        return case.said | ({INITDATA: initdata} if not log else {})

    def record(self, asked: Any) -> dict[str, Any]:
        """The round of a log as a record of ours, as far as it has come; raises GameError for what is no log."""
        log, initdata = self._read(asked)
        recorder = MatchRecorder(self._engine.rules, 1, {})
        case = Case(self._engine, initdata, recorder)
        for entry in log[1::2]:
            case.hear(entry)
        ended = recorder.records(0)
        return ended[0] if ended else recorder.begun(0)

    def _read(self, asked: Any) -> tuple[list[Any], dict[str, Any]]:
        """The log, and what the round begins with."""
        if not isinstance(asked, dict):
            raise GameError('no object like {"log":[],"initdata":{}}')
        log, own = asked.get("log"), asked.get(INITDATA)
        if not isinstance(log, list) or len(log) > LONGEST_LOG:
            raise GameError(f"log: there must be a list of at most {LONGEST_LOG:,} entries")
        first = _output(log[0]).get(INITDATA) if log else None
        given: dict[str, Any] = dict(self._initdata)
        for each in (first, own):
            if each not in (None, "") and not isinstance(each, dict):
                raise GameError("initdata: there must be an object")
            given |= each or {}
        if log and not {"allocation", "seed"} & given.keys():
            raise GameError("initdata: the round has begun, and nothing says with which cards")
        return log, completed(self._engine.rules, given)


class Case:
    """One round."""

    def __init__(self, engine: Engine, initdata: dict[str, Any], listener: Listener | None = None) -> None:
        """Deal; raises GameError. A listener hears the round."""
        self.initdata, self.heard = initdata, list[Any]()
        self._engine, self._over, self._carried = engine, False, dict[str, Any]()
        self._script = BotzoneScript(engine.rules, cards_of(engine.rules, initdata))
        heard = Audience.of([self._script, *([listener] if listener else [])])
        self._tables = Tables.resume(engine.rules, dealt_of(engine.rules, initdata), heard)
        self._go_on()

    @property
    def said(self) -> Answer:
        """What the judge has said last."""
        found: Answer = self._script.log[-1]["output"]
        return found | {"display": found["display"] | {NEXT: self._carried}} if self._carried else found

    def hear(self, entry: Any) -> None:
        """A response; raises GameError where the log cannot be one."""
        if self._over:
            raise GameError(f"log: entry {2 * len(self.heard) + 2}: the round was over before")
        seat, verdict, response = self._read(entry)
        self.heard.append(entry)
        try:
            if verdict != faults.OK:
                raise failed(verdict)
            if seat != self._script.seat:
                raise Fault(faults.WRONG_SEAT, f"seat {self._script.seat} is asked, and seat {seat} answers")
            self._act(response)
        except Fault as fault:
            self._script.give_up(fault, response, seat)
            self._over = True
            return
        self._go_on()

    def _go_on(self) -> None:
        """Ask on, or be done."""
        self._over = not (self._tables.playing().size or self._tables.choosing().size)
        if not self._over:
            self._script.ask()
        elif self._tables.winner[0] == -1:
            self._carried = dialect_of(self._engine.rules).known(self._engine.rules, self._tables)

    def _act(self, response: Any) -> None:
        tables, answer = self._tables, {"response": response}
        if self._script.silent:
            self._script.silence(answer)
            return
        if tables.choosing().size:
            option: int | None = self._script.choose(tables.choices(HERE), answer)
            while option is not None:
                tables.choose(HERE, np.array([option], np.uint8))
                option = self._script.ahead(tables.choices(HERE))
            return
        tables.play(HERE, self._script.play(tables.decisions(HERE), answer))

    def _read(self, entry: Any) -> tuple[int, str, Any]:
        """Who answers: whoever was not asked, if there is such; with the controller's verdict, and the response."""
        number, seats = 2 * len(self.heard) + 2, self._engine.rules.table.seats
        if not isinstance(entry, dict) or not all(key in map(str, range(seats)) for key in entry):
            raise GameError(f'log: entry {number} is no response like {{"0":{{"verdict":"OK","response":[]}}}}')
        asked = self._script.seat
        seat = next((int(key) for key in entry if int(key) != asked), asked)
        value = entry.get(str(seat))
        if isinstance(value, dict) and {"verdict", "response"} & value.keys():
            verdict = value.get("verdict", faults.OK)
            if not isinstance(verdict, str) or len(verdict) > 40:
                raise GameError(f"log: entry {number}: the verdict is no word such as OK")
            return seat, verdict, value.get("response")
        return seat, faults.OK, value


def _compare(here: Answer, there: Answer, entry: int) -> None:
    """Raises GameError where another judge has said something else."""
    for key in ("command", "content"):
        if here[key] != there.get(key):
            other = shown(there.get(key))
            raise GameError(f"log: entry {entry}: {key} is {other}, where this judge says {shown(here[key])}")


def _output(entry: Any) -> dict[str, Any]:
    """What a judge has said, in Botzone's frame or without it."""
    value = entry.get("output", entry) if isinstance(entry, dict) else None
    if not isinstance(value, dict):
        raise GameError('log: an entry with an odd number is what a judge says, {"output":{"command":…}}')
    return value
