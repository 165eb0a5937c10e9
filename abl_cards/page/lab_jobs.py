"""What takes longer than a moment in the rules lab: cases, mutations, matches with other weights; one a folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from abl_cards.errors import GameError
from abl_cards.lab import rewriting, trying, weighing
from abl_cards.lab.workbench import Workbench
from abl_cards.logic import KBError
from abl_cards.page import frames

MOST_EDITS, EDITS = 200, 24
MOST_GAMES, GAMES = 4000, 400
MOST_SHOWN = 60
LANGUAGES = ("en", "zh")
log = logging.getLogger(__name__)


class Stopped(Exception):
    """Somebody wants it no more."""


@dataclass
class Job:
    """One of them, and how far it has come."""

    what: str
    state: str = "waiting"  # then working; at last done, failed or stopped
    done: int = 0
    total: int = 0
    result: Any = None
    problem: str = ""
    _unwanted: Event = field(default_factory=Event)

    def to_json(self) -> dict[str, Any]:
        """How far it has come, and what is known so far."""
        return {"what": self.what, "state": self.state, "done": self.done, "total": self.total,
                "result": self.result, "problem": self.problem}  # fmt: skip

    def tell(self, done: int, total: int) -> None:
        """So many of so many are done; raises Stopped where nobody wants the rest."""
        self.done, self.total = done, total
        if self._unwanted.is_set():
            raise Stopped

    def stop(self) -> None:
        """Nobody wants it any more."""
        self._unwanted.set()
        if self.state == "waiting":
            self.state = "stopped"

    def run(self, work: Callable[[Job], Any]) -> None:
        """Do it, in a thread of its own."""
        if self._unwanted.is_set():
            return
        self.state = "working"
        try:
            self.result = work(self)
            self.state = "done"
        except Stopped:
            self.state = "stopped"
        except (GameError, KBError) as problem:
            self.state, self.problem = "failed", str(problem)[:2000]
        except Exception:
            log.exception("%s in the rules lab", self.what)
            self.state, self.problem = "failed", "the page has failed at this; see its log"


Work = Callable[[Job], Any]


def work(bench: Workbench, asked: Mapping[str, Any]) -> tuple[str, Work]:
    """What is asked for, checked: its name and how it is done; raises GameError."""
    message = dict(asked)
    what = frames.word(message, "what")
    seed = frames.number(message, "seed", 0, 10**6, 0)
    games = frames.number(message, "games", 2, MOST_GAMES, GAMES)
    if what == "cases":
        return what, lambda job: _cases(bench, job)
    if what == "mutations":
        edits = frames.number(message, "edits", 1, MOST_EDITS, EDITS)
        return what, lambda job: trying.unnoticed(bench, edits, job.tell, seed)
    if what == "match":
        factors = factors_of(message)
        return what, lambda job: weighing.match(bench, factors, games, seed, job.tell)
    if what == "ablation":
        return what, lambda job: weighing.ablated(bench, games, seed, job.tell, lambda some: _show(job, some))
    raise GameError("what: cases, mutations, match or ablation")


def factors_of(message: Mapping[str, Any]) -> dict[str, float]:
    """By preference, how many times its weight; raises GameError."""
    factors = message.get("factors", {})
    if not isinstance(factors, dict) or not all(type(each) in (int, float) for each in factors.values()):
        raise GameError("factors: a number for each preference is wanted")
    return factors


def _show(job: Job, result: Any) -> None:
    job.result = result


def _cases(bench: Workbench, job: Job) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    wrong = 0
    for each in _wrong(bench, job):
        wrong += 1
        if len(found) < MOST_SHOWN:
            found.append(each)
        job.result = {"wrong": wrong, "first": list(found)}
    return {"cases": job.total, "wrong": wrong, "first": found}


def _wrong(bench: Workbench, job: Job) -> Iterator[dict[str, Any]]:
    return (each.to_json() for each in trying.wrong_cases(bench, job.tell))


# --- what is known at once --------------------------------------------------------------------------------------------


def weights(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """The preferences that can be weighed."""
    return {"preferences": [each.to_json() for each in weighing.weights(bench.sound)]}


def keep_weights(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """Write these weights into the rules."""
    return {"changed": rewriting.write_weights(bench, factors_of(asked))}


def weigh(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What is chosen in pinned positions, before and with these weights."""
    states, language = asked.get("states", []), frames.word(asked, "language", "en")
    if not isinstance(states, list) or not all(isinstance(each, dict) for each in states):
        raise GameError("states: a list of positions is wanted")
    if language not in LANGUAGES:
        raise GameError("language: en or zh")
    if len(states) > weighing.MOST_PINNED:
        raise GameError(f"{weighing.MOST_PINNED} positions at most")
    factors = factors_of(asked)
    weighing.weighed(bench.sound.judge(), factors)  # what is wrong with them is said once

    def told(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return weighing.decided(bench, factors, state, language)
        except (GameError, KBError) as problem:
            return {"problem": str(problem)[:600]}

    return {"decisions": [told(each) for each in states]}
