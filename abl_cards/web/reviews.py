"""Reviews of records in the browser: frames at once, decisions on request, mistakes in the background."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ExplainableAgent
from abl_cards.asp import Signature
from abl_cards.core import ErrorCode, GameError, parse_json_line
from abl_cards.games import Engine
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import other_seats
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.matches import ReviewConfig, ReviewedDecision, review_record, summarise_seats
from abl_cards.protocols import convert_douzero_record
from abl_cards.protocols.botzone import convert_log
from abl_cards.reasoners.explain import Explanation, MoveAssessment, explain
from abl_cards.reasoners.hidden_hands import prior_estimate
from abl_cards.web import hints
from abl_cards.web.fairness import LOCAL_CLIENT, Allocation, CapacityError, choose_eviction
from abl_cards.web.limits import IDLE_TIMEOUT, MAX_REVIEWS, MAX_RUNNING_REVIEWS_EACH
from abl_cards.web.replay_frames import build_replay_frames
from abl_cards.web.texts import BilingualText, deck_json

if TYPE_CHECKING:
    from abl_cards.agents import AblAgent
    from abl_cards.reasoners.explain import ModelExplanation

MAX_RANKED = 60
MAX_LINES = 5000
MAX_DEALS = 1000


def parse_records(text: str) -> list[Mapping[str, Any]]:
    """The records of a text, one a line; raises GameError that names the line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or len(lines) > MAX_LINES:
        raise GameError(f"expected 1 to {MAX_LINES} records, one a line", ErrorCode.INVALID_RECORD)
    found = []
    for number, line in enumerate(lines, 1):
        try:
            value = parse_json_line(line.encode("utf-8", "replace"))
            if not isinstance(value, dict):
                raise GameError("not a record: a record is a JSON object", ErrorCode.INVALID_RECORD)
            found.append(convert_douzero_record(value))
        except GameError as problem:
            raise GameError(f"line {number}: {problem}", ErrorCode.INVALID_RECORD) from None
    return found


@dataclass
class ReviewSession:
    """One record that is looked over."""

    game: str
    title: BilingualText
    engine: Engine
    records: list[Mapping[str, Any]]
    record_number: int
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def __post_init__(self) -> None:
        """Play it again; raises GameError."""
        self.record = convert_log(self.engine, self.records[self.record_number - 1])
        self.replay_frames, self.decision_numbers, self.problem = build_replay_frames(self.engine, self.record)
        self.state, self.done, self.total = "idle", 0, 0
        self.result: dict[str, Any] | None = None
        self.last_used, self.client_id = time.monotonic(), LOCAL_CLIENT  # who has opened it

    def to_json(self) -> dict[str, Any]:
        """All pictures, and what is known of mistakes."""
        players = self.record.get("players")
        seats = self.engine.rules.seating.seats
        named = isinstance(players, list) and len(players) == seats
        return {
            "review": self.name, "game": self.game, "title": self.title, "deck": deck_json(self.engine.rules),
            "seats": seats, "teams": self.engine.teams.tolist(),
            "players": list(map(str, players or ())) if named else [],
            "after": list(self.engine.rules.seating.next_seat),
            "line": self.record_number, "lines": len(self.records), "problem": self.problem,
            "pictures": self.replay_frames.frames,
            "ended": self.replay_frames.episode_result, **self.progress(),
        }  # fmt: skip

    def progress(self) -> dict[str, Any]:
        """Return the progress of the search for mistakes."""
        return {"state": self.state, "done": self.done, "total": self.total, "result": self.result}

    # --- one decision ------------------------------------------------------------------------------------------------

    def explain_decision(self, player: ExplainableAgent, index: int, language: str) -> dict[str, Any]:
        """Explain a decision of the record by an agent; raises GameError."""
        number = self.decision_numbers[index] if 0 <= index < len(self.decision_numbers) else None
        if number is None:
            raise GameError("there is no decision to look at", ErrorCode.NOT_FOUND)
        moment = self.engine.read_decision_point(self.record, number)
        opinion = player.compute_model_explanation(moment)
        found = explain(self.engine, player.preference_model, moment, language, opinion)
        rows, labels = found.scores.order[:MAX_RANKED], found.labels[: hints.MAX_LABELS] if opinion else ()
        return {
            "place": index, "moves": len(moment.actions),
            "best": self._verdict_json(found, found.chosen),
            "made": None if found.made is None else self._verdict_json(found, found.made),
            "difference": [] if found.made is None else hints.difference_json(found, found.made),
            "ranking": [self._ranked_json(found, found.assess(row), row) for row in rows],
            "labels": [hints.label_json(found, each) for each in labels],
            "estimate": self._estimate(moment, opinion, index),
            "imagined": None if opinion is None else hints.sampled_deals_json(self.engine, opinion),
        }  # fmt: skip

    def _verdict_json(self, explanation: Explanation, verdict: MoveAssessment) -> dict[str, Any]:
        told = hints.verdict_json(explanation, verdict)
        for each in told["reasons"]:
            each["place"] = self._preference_locations.get(str(each["name"]).split(" × ")[0].partition("(")[0], "")
        return told

    def _ranked_json(self, explanation: Explanation, verdict: MoveAssessment, row: int) -> dict[str, Any]:
        return {
            "text": explanation.texts.move_text(verdict.label, verdict.action), "cost": verdict.cost, "row": row,
            "probability": verdict.probability,
            "points": verdict.lookahead.expected_points if verdict.lookahead else None,
            "made": explanation.decision_point.chosen_move == row,
        }  # fmt: skip

    @cached_property
    def _preference_locations(self) -> dict[str, str]:
        """By preference, the file and the first line of the rules of its cost."""
        rules = self.engine.rules
        found: dict[str, str] = {}
        for use in rules.folder.program(rules.profile).heads:
            name = use.functor or str(use.pattern[0] if use.pattern else "")
            if use.signature == Signature("cost", 2) and name:
                file = use.location.file.replace("\\", "/").rpartition("/")[2]
                found.setdefault(name, f"{file}:{use.location.line}")
        return found

    def _estimate(
        self, decision_point: DecisionPoint, model_explanation: ModelExplanation | None, index: int
    ) -> dict[str, Any] | None:
        """Return the expected and the true hidden hands; expected by the agent, or by counting."""
        if not is_play_decision(decision_point.decision) or self.engine.rules.has_open_hands:
            return None
        rules, decision = self.engine.rules, decision_point.decision
        known = decision.information_set()
        copies = prior_estimate(known, decision.belief_log_odds())[0]
        if model_explanation is not None and model_explanation.estimate is not None:
            copies = model_explanation.estimate.copies
        truth = self._truth(index)
        kinds = np.flatnonzero(known.unseen[0]).tolist()
        held = max(1.0, float(truth.sum()))
        return {
            "cards": [rules.card_codes.kind_texts[kind] for kind in kinds],
            "hands": [[round(float(row[kind]), 3) for kind in kinds] for row in copies],
            "truth": [[int(row[kind]) for kind in kinds] for row in truth],
            "error": round(float(np.abs(copies - truth).sum()) / (2 * held), 4),
        }  # fmt: skip

    def _truth(self, index: int) -> NDArray[np.uint8]:
        """Return the true hands [others, kinds] in the order of play, from the record."""
        rules, picture = self.engine.rules, self.replay_frames.frames[index]
        hands = [picture["hands"][seat] for seat in other_seats(rules, picture["seat"])]
        return np.stack(
            [
                counts_from_cards((rules.card_codes.kind_by_text[text] for text in hand), len(rules.pack))
                for hand in hands
            ]
        )

    # --- all of them -------------------------------------------------------------------------------------------------

    def estimate_errors(self, player: ExplainableAgent) -> list[float | None]:
        """By picture, the share of the hidden cards that the estimate lays into wrong hands."""
        places = [
            place
            for place, each in enumerate(self.replay_frames.frames)
            if each["plays"] and self.decision_numbers[place]
        ]
        found: list[float | None] = [None] * len(self.decision_numbers)
        if self.engine.rules.has_open_hands or not places:
            return found
        decisions = self.engine.decisions_at_acts(
            [self.record] * len(places), [self.decision_numbers[place] or 0 for place in places]
        )
        copies = prior_estimate(decisions.information_set(), decisions.belief_log_odds())
        policy = getattr(player, "policy", None)
        if policy is not None and policy.has_hand_estimator:
            learned: AblAgent = player  # type: ignore[assignment]
            _, copies = learned.policy.estimate_hands(decisions, decisions.observe(), np.arange(len(places)))
        truth = np.stack([self._truth(place) for place in places])
        wrong = np.abs(copies - truth).sum(axis=(1, 2)) / (2 * np.maximum(1, truth.sum(axis=(1, 2))))
        for place, error in zip(places, wrong.tolist(), strict=True):
            found[place] = round(error, 4)
        return found

    def run_review(self, player: Agent, rollout_agent: Agent, deals: int, language: str) -> None:
        """Find the mistakes in a thread of its own, and publish the progress."""
        self.state, self.result = "working", None

        def tell(done: int, total: int) -> None:
            self.done, self.total = done, total

        try:
            plan = ReviewConfig(self.engine, player, rollout_agent, deals, language=language)
            found = review_record(plan, self.record, None, tell)
            errors = self.estimate_errors(player) if isinstance(player, ExplainableAgent) else []
            sums = [each.to_json() for each in summarise_seats(self.engine, self.record, found)]
            self.result = {
                "decisions": [self._reviewed_json(each) for each in found], "seats": sums, "errors": errors,
                "deals": deals,
            }  # fmt: skip
            self.state = "done"
        except GameError as problem:
            self.state, self.problem = "failed", str(problem)
            self.result = {"problem": str(problem)}
        except Exception:
            self.state, self.result = "failed", {"problem": "the page has failed at this; see its log"}
            raise

    def _reviewed_json(self, reviewed: ReviewedDecision) -> dict[str, Any]:
        place = self.decision_numbers.index(reviewed.act)
        point, played = reviewed.decision_point, reviewed.played_move.row
        tried = [
            move.to_json(point) | {"text": str(point.actions[move.row]), "made": move.row == played}
            for move in reviewed.evaluated_moves
        ]
        return {
            "place": place, "seat": reviewed.seat, "loss": round(reviewed.loss, 3), "error": round(reviewed.error, 3),
            "mistake": reviewed.is_mistake, "made": reviewed.played_move.points, "best": reviewed.best_move.points,
            "better": str(reviewed.decision_point.actions[reviewed.best_move.row]), "tried": tried,
            "why": [{"words": reason.text, "weight": reason.cost_difference,
            "name": reason.name} for reason in reviewed.reasons[:6]],
        }  # fmt: skip


class ReviewCache:
    """The records that are being looked over; the ones that nobody has used for long go first."""

    def __init__(self) -> None:
        """An empty shelf."""
        self.sessions: dict[str, ReviewSession] = {}

    def add(self, session: ReviewSession) -> None:
        """Another one."""
        holdings = [Allocation(each.name, each.client_id, each.state == "working", each.last_used)
                    for each in self.sessions.values()]  # fmt: skip
        try:
            other = choose_eviction(
                session.client_id, holdings, MAX_REVIEWS, MAX_REVIEWS, time.monotonic(), IDLE_TIMEOUT
            )
        except CapacityError:
            raise GameError(
                "too many records are being looked over: wait for one", ErrorCode.TOO_MANY_REQUESTS
            ) from None
        if other is not None:
            del self.sessions[other]
        self.sessions[session.name] = session

    def check_capacity(self, client_id: str) -> None:
        """Raise GameError for somebody whose records are looked over already, so many as one person may have."""
        working = sum(each.state == "working" and each.client_id == client_id for each in self.sessions.values())
        if client_id != LOCAL_CLIENT and working >= MAX_RUNNING_REVIEWS_EACH:
            raise GameError(
                f"{working} of your records are being looked over: wait for one", ErrorCode.TOO_MANY_REQUESTS
            )

    def find(self, name: str) -> ReviewSession:
        """One of them; raises GameError."""
        if name not in self.sessions:
            raise GameError("this record is no longer kept: open it again", ErrorCode.NOT_FOUND)
        self.sessions[name].last_used = time.monotonic()
        return self.sessions[name]
