"""Records looked over in the browser: pictures at once, decisions when asked for, mistakes in the background."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Reasoned
from abl_cards.errors import GameError
from abl_cards.games import Engine, Moment
from abl_cards.games.moment import is_play
from abl_cards.games.words.letters import hand_of
from abl_cards.games.words.seats import others
from abl_cards.lines import parse_line
from abl_cards.logic import Signature
from abl_cards.page import advice
from abl_cards.page.bounds import IDLE, MOST_JOBS, MOST_WORKING_EACH
from abl_cards.page.fairness import LOCAL, Full, Holding, yielding
from abl_cards.page.film import film
from abl_cards.page.words import Pair, deck
from abl_cards.platforms.botzone import log_record
from abl_cards.platforms.douzero import own_record
from abl_cards.reviewing import Plan, Reviewed, review, summaries
from reasoners.explanation import Explanation, Verdict, explain
from reasoners.hands import reckon

if TYPE_CHECKING:
    from abl_cards.agents.learned import Abl

MOST_RANKED = 60
MOST_LINES = 5000
MOST_DEALS = 1000


def read_records(text: str) -> list[Mapping[str, Any]]:
    """The records of a text, one a line; raises GameError that names the line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or len(lines) > MOST_LINES:
        raise GameError(f"1 to {MOST_LINES} records are wanted, one a line")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            value = parse_line(line.encode("utf-8", "replace"))
            if not isinstance(value, dict):
                raise GameError("not a record: a record is a JSON object")
            found.append(own_record(value))
        except GameError as problem:
            raise GameError(f"line {number}: {problem}") from None
    return found


@dataclass
class Sheet:
    """One record that is looked over."""

    game: str
    title: Pair
    engine: Engine
    records: list[Mapping[str, Any]]
    line: int
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def __post_init__(self) -> None:
        """Play it again; raises GameError."""
        self.record = log_record.own_record(self.engine, self.records[self.line - 1])
        self.film, self.numbers, self.problem = film(self.engine, self.record)
        self.state, self.done, self.total = "idle", 0, 0
        self.result: dict[str, Any] | None = None
        self.used, self.person = time.monotonic(), LOCAL  # who has opened it

    def to_json(self) -> dict[str, Any]:
        """All pictures, and what is known of mistakes."""
        players = self.record.get("players")
        seats = self.engine.rules.table.seats
        named = isinstance(players, list) and len(players) == seats
        return {
            "review": self.name, "game": self.game, "title": self.title, "deck": deck(self.engine.rules),
            "seats": seats, "teams": self.engine.teams.tolist(),
            "players": list(map(str, players or ())) if named else [],
            "after": list(self.engine.rules.table.after),
            "line": self.line, "lines": len(self.records), "problem": self.problem, "pictures": self.film.pictures,
            "ended": self.film.ended, **self.progress(),
        }  # fmt: skip

    def progress(self) -> dict[str, Any]:
        """How far the mistakes are looked for."""
        return {"state": self.state, "done": self.done, "total": self.total, "result": self.result}

    # --- one decision ------------------------------------------------------------------------------------------------

    def decision(self, player: Reasoned, place: int, language: str) -> dict[str, Any]:
        """What was made there, and what an agent makes of it; raises GameError."""
        number = self.numbers[place] if 0 <= place < len(self.numbers) else None
        if number is None:
            raise GameError("there is no decision to look at")
        moment = self.engine.moment(self.record, number)
        opinion = player.opinion(moment)
        found = explain(self.engine, player.judge, moment, language, opinion)
        rows, labels = found.scores.order[:MOST_RANKED], found.labels[: advice.MOST_LABELS] if opinion else ()
        return {
            "place": place, "moves": len(moment.actions),
            "best": self._verdict(found, found.chosen),
            "made": None if found.made is None else self._verdict(found, found.made),
            "difference": [] if found.made is None else advice.difference(found, found.made),
            "ranking": [self._ranked(found, found.verdict(row), row) for row in rows],
            "labels": [advice.label_json(found, each) for each in labels],
            "estimate": self._estimate(moment, opinion, place),
            "imagined": None if opinion is None else advice.imagined(self.engine, opinion),
        }  # fmt: skip

    def _verdict(self, found: Explanation, verdict: Verdict) -> dict[str, Any]:
        told = advice.verdict_json(found, verdict)
        for each in told["reasons"]:
            each["place"] = self._places.get(str(each["name"]).split(" × ")[0].partition("(")[0], "")
        return told

    def _ranked(self, found: Explanation, verdict: Verdict, row: int) -> dict[str, Any]:
        return {
            "text": found.book.move(verdict.label, verdict.action), "cost": verdict.cost, "row": row,
            "probability": verdict.probability, "points": verdict.ahead.points if verdict.ahead else None,
            "made": found.moment.made == row,
        }  # fmt: skip

    @cached_property
    def _places(self) -> dict[str, str]:
        """By preference, the file and the first line of the rules of its cost."""
        rules = self.engine.rules
        found: dict[str, str] = {}
        for use in rules.folder.program(rules.profile).heads:
            name = use.functor or str(use.pattern[0] if use.pattern else "")
            if use.signature == Signature("cost", 2) and name:
                file = use.location.file.replace("\\", "/").rpartition("/")[2]
                found.setdefault(name, f"{file}:{use.location.line}")
        return found

    def _estimate(self, moment: Moment, opinion: Any, place: int) -> dict[str, Any] | None:
        """What is expected in the hidden hands, and what is there: by the agent, else by counting."""
        if not is_play(moment.decision) or self.engine.rules.open_hands:
            return None
        rules, decision = self.engine.rules, moment.decision
        known = decision.hidden()
        copies = reckon(known, decision.hints())[0]
        if opinion is not None and opinion.estimate is not None:
            copies = opinion.estimate.copies
        truth = self._truth(place)
        kinds = np.flatnonzero(known.unseen[0]).tolist()
        held = max(1.0, float(truth.sum()))
        return {
            "cards": [rules.letters.texts[kind] for kind in kinds],
            "hands": [[round(float(row[kind]), 3) for kind in kinds] for row in copies],
            "truth": [[int(row[kind]) for kind in kinds] for row in truth],
            "error": round(float(np.abs(copies - truth).sum()) / (2 * held), 4),
        }  # fmt: skip

    def _truth(self, place: int) -> NDArray[np.uint8]:
        """[others, kinds] what the others held, in the order of play: the record tells, also where tables do not."""
        rules, picture = self.engine.rules, self.film.pictures[place]
        hands = [picture["hands"][seat] for seat in others(rules, picture["seat"])]
        return np.stack([hand_of((rules.letters.kinds[text] for text in hand), len(rules.pack)) for hand in hands])

    # --- all of them -------------------------------------------------------------------------------------------------

    def errors(self, player: Reasoned) -> list[float | None]:
        """By picture, the share of the hidden cards that the estimate lays into wrong hands."""
        places = [place for place, each in enumerate(self.film.pictures) if each["plays"] and self.numbers[place]]
        found: list[float | None] = [None] * len(self.numbers)
        if self.engine.rules.open_hands or not places:
            return found
        decisions = self.engine.recorded([self.record] * len(places), [self.numbers[place] or 0 for place in places])
        copies = reckon(decisions.hidden(), decisions.hints())
        mind = getattr(player, "mind", None)
        if mind is not None and mind.estimates:
            learned: Abl = player  # type: ignore[assignment]
            _, copies = learned.mind.estimate(decisions, decisions.observe(), np.arange(len(places)))
        truth = np.stack([self._truth(place) for place in places])
        wrong = np.abs(copies - truth).sum(axis=(1, 2)) / (2 * np.maximum(1, truth.sum(axis=(1, 2))))
        for place, error in zip(places, wrong.tolist(), strict=True):
            found[place] = round(error, 4)
        return found

    def look_over(self, player: Agent, onward: Agent, deals: int, language: str) -> None:
        """Find the mistakes: in a thread of its own, and told as far as it has come."""
        self.state, self.result = "working", None

        def tell(done: int, total: int) -> None:
            self.done, self.total = done, total

        try:
            plan = Plan(self.engine, player, onward, deals, language=language)
            found = review(plan, self.record, None, tell)
            errors = self.errors(player) if isinstance(player, Reasoned) else []
            sums = [each.to_json() for each in summaries(self.engine, self.record, found)]
            self.result = {
                "decisions": [self._looked_at(each) for each in found], "seats": sums, "errors": errors, "deals": deals,
            }  # fmt: skip
            self.state = "done"
        except GameError as problem:
            self.state, self.problem = "failed", str(problem)
            self.result = {"problem": str(problem)}
        except Exception:
            self.state, self.result = "failed", {"problem": "the page has failed at this; see its log"}
            raise

    def _looked_at(self, each: Reviewed) -> dict[str, Any]:
        place = self.numbers.index(each.act)
        tried = [tried.to_json(each.moment) | {"text": str(each.moment.actions[tried.row]),
                                               "made": tried.row == each.made.row} for tried in each.tried]  # fmt: skip
        return {
            "place": place, "seat": each.seat, "loss": round(each.loss, 3), "error": round(each.error, 3),
            "mistake": each.mistake, "made": each.made.points, "best": each.best.points,
            "better": str(each.moment.actions[each.best.row]), "tried": tried,
            "why": [{"words": reason.words, "weight": reason.more, "name": reason.name} for reason in each.why[:6]],
        }  # fmt: skip


class Shelf:
    """The records that are being looked over; the ones that nobody has used for long go first."""

    def __init__(self) -> None:
        """An empty shelf."""
        self.sheets: dict[str, Sheet] = {}

    def keep(self, sheet: Sheet) -> None:
        """Another one."""
        holdings = [Holding(each.name, each.person, each.state == "working", each.used)
                    for each in self.sheets.values()]  # fmt: skip
        try:
            other = yielding(sheet.person, holdings, MOST_JOBS, MOST_JOBS, time.monotonic(), IDLE)
        except Full:
            raise GameError("too many records are being looked over: wait for one") from None
        if other is not None:
            del self.sheets[other]
        self.sheets[sheet.name] = sheet

    def check_work(self, person: str) -> None:
        """Raise GameError for somebody whose records are looked over already, so many as one person may have."""
        working = sum(each.state == "working" and each.person == person for each in self.sheets.values())
        if person != LOCAL and working >= MOST_WORKING_EACH:
            raise GameError(f"{working} of your records are being looked over: wait for one")

    def find(self, name: str) -> Sheet:
        """One of them; raises GameError."""
        if name not in self.sheets:
            raise GameError("this record is no longer kept: open it again")
        self.sheets[name].used = time.monotonic()
        return self.sheets[name]
