"""Reviews of records in the browser: frames at once, decisions on request, mistakes in the background."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from abl_cards.agents import Agent, ExplainableAgent
from abl_cards.asp import Signature
from abl_cards.core import LANGUAGES, ErrorCode, GameError, format_seed, parse_json_line
from abl_cards.games import Engine
from abl_cards.games.tables import DecisionPoint
from abl_cards.matches import ReviewConfig, ReviewedDecision, grade_move, review_record, summarise_seats
from abl_cards.protocols import convert_douzero_record
from abl_cards.protocols.botzone import convert_log
from abl_cards.reasoners.explain import Explanation, MoveAssessment, explain
from abl_cards.web import hints
from abl_cards.web.fairness import LOCAL_CLIENT, CapacityError, choose_eviction
from abl_cards.web.limits import MAX_REVIEWS, MAX_RUNNING_REVIEWS_EACH
from abl_cards.web.marked_text import with_tens
from abl_cards.web.replay_frames import build_replay_frames
from abl_cards.web.review_branches import BranchList
from abl_cards.web.review_estimates import EstimateCheck, check_estimates, estimate_json
from abl_cards.web.review_positions import include_chosen
from abl_cards.web.texts import BilingualText, card_kinds, deck_json, move_text

MAX_RANKED = 60
MAX_LINES = 5000
MAX_DAMAGED = 10
"""Most damaged lines beside the record of a review that the browser shows."""
DEFAULT_DEALS, MAX_DEALS = 100, 1000
"""Sampled deals per move; the first as in ``abl-cards review``, which finds the same mistakes."""


class ReviewMethod(NamedTuple):
    """Settings of the search for the mistakes of a record.

    Attributes:
        agent: Agent whose choices are compared with the moves that were played.
        rollout_agent: Agent that plays sampled deals to their end.
        deals: Sampled deals per move.
        seed: Seed of deals and rollouts.
        language: Language of the reasons.
    """

    agent: str
    rollout_agent: str
    deals: int
    seed: int
    language: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values; the seed as text, because JavaScript would round large numbers."""
        return self._asdict() | {"seed": format_seed(self.seed)}


def parse_numbered_records(text: str, max_records: int = MAX_LINES) -> dict[int, Mapping[str, Any]]:
    """Return records by their lines, from 1; raises GameError that names the line."""
    records = {}
    for line_number, record in parse_record_lines(text, max_records).items():
        if isinstance(record, GameError):
            raise record
        records[line_number] = record
    return records


def parse_record_lines(text: str, max_records: int = MAX_LINES) -> dict[int, Mapping[str, Any] | GameError]:
    """Return the record, or the error, of each line that is not empty, by its number from 1.

    Raises:
        GameError: There are no lines, or too many.
    """
    lines = {number: line for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    if not 0 < len(lines) <= max_records:
        problem = f"expected 1 to {max_records} records, one per line"
        raise GameError(problem, ErrorCode.INVALID_RECORD)
    records: dict[int, Mapping[str, Any] | GameError] = {}
    for line_number, line in lines.items():
        try:
            value = parse_json_line(line.encode("utf-8", "replace"))
            if not isinstance(value, dict):
                raise GameError("not a record: a record is a JSON object", ErrorCode.INVALID_RECORD)
            records[line_number] = convert_douzero_record(value)
        except GameError as error:
            records[line_number] = GameError(f"line {line_number}: {error}", ErrorCode.INVALID_RECORD, [line_number])
    return records


@dataclass
class ReviewSession:
    """Review of one record."""

    game: str
    title: BilingualText
    engine: Engine
    records: Sequence[Mapping[str, Any] | GameError]
    record_number: int
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def __post_init__(self) -> None:
        """Replay the record; raises GameError."""
        record = self.records[self.record_number - 1]
        if isinstance(record, GameError):
            raise record
        self.record = convert_log(self.engine, record)
        self.replay_frames, self.decision_numbers, self.problem = build_replay_frames(self.engine, self.record)
        self.branch_list = BranchList(self.engine, self.record, self.replay_frames.frames, self.decision_numbers)
        self.state, self.done, self.total = "idle", 0, 0
        self.result: dict[str, Any] | None = None
        self.last_used, self.client_id = time.monotonic(), LOCAL_CLIENT  # client that opened it

    def to_json(self) -> dict[str, Any]:
        """Return all frames, the variations, and the mistakes found so far."""
        players = self.record.get("players")
        seats = self.engine.rules.seating.seats
        has_names = isinstance(players, list) and len(players) == seats
        return {
            "review": self.name, "game": self.game, "title": self.title, "deck": deck_json(self.engine.rules),
            "seats": seats, "teams": self.engine.teams.tolist(),
            "players": list(map(str, players or ())) if has_names else [],
            "after": list(self.engine.rules.seating.next_seat),
            "profile": self.engine.rules.profile or "", "line": self.record_number, "lines": len(self.records),
            "problem": self.problem,
            "damaged": [str(record) for record in self.records if isinstance(record, GameError)][:MAX_DAMAGED],
            "pictures": self.replay_frames.frames,
            "ended": self.replay_frames.episode_result, "branches": self.branch_list.to_json(), **self.progress(),
        }  # fmt: skip

    def progress(self) -> dict[str, Any]:
        """Return the progress of the search for mistakes."""
        return {"state": self.state, "done": self.done, "total": self.total, "result": self.result}

    # --- one decision ------------------------------------------------------------------------------------------------

    def explain_decision(
        self, player: ExplainableAgent, index: int, language: str, line: int | None = None
    ) -> dict[str, Any]:
        """Explain a decision of the record, or of a variation, by an agent; raises GameError."""
        decision_point = self._decision_point(line, index)
        model_explanation = player.compute_model_explanation(decision_point)
        explanation = explain(self.engine, player.preference_model, decision_point, language, model_explanation)
        rows, labels = (
            explanation.scores.order[:MAX_RANKED],
            explanation.labels[: hints.MAX_LABELS] if model_explanation else (),
        )
        return {
            "place": index, "moves": len(decision_point.actions), "state": decision_point.state,
            "best": self._verdict_json(explanation, explanation.chosen),
            "made": None if explanation.made is None else self._verdict_json(explanation, explanation.made),
            "difference": [] if explanation.made is None else hints.difference_json(explanation, explanation.made),
            "ranking": [self._ranked_json(explanation, explanation.assess(row), row) for row in rows],
            "labels": [hints.label_json(explanation, label) for label in labels],
            "estimate": estimate_json(self.engine, decision_point, model_explanation, self._frame(line, index)),
            "imagined": None if model_explanation is None else hints.sampled_deals_json(self.engine, model_explanation),
        }  # fmt: skip

    def _frame(self, line: int | None, index: int) -> dict[str, Any]:
        """Return a frame of the record, or of a variation."""
        if line is not None and index >= (branch := self.branch_list.branches[line]).start:
            return branch.frames[index - branch.start]
        return self.replay_frames.frames[index]

    def _decision_point(self, line: int | None, index: int) -> DecisionPoint:
        """Read a decision; raises GameError where there is none."""
        if line is None:
            return self.engine.read_decision_point(self.record, self._decision_number(index))
        position = self.branch_list.position(line, index)
        if position.is_over:
            raise GameError("no decision at this place", ErrorCode.NOT_FOUND)
        point = self.engine.decision_point_at(position.decision)
        return include_chosen(self.engine, point, self.branch_list.next_act(line, index))

    def _decision_number(self, index: int) -> int:
        """Return the number of the decision at a frame of the record; raises GameError where there is none."""
        number = self.decision_numbers[index] if 0 <= index < len(self.decision_numbers) else None
        if number is None:
            raise GameError("no decision at this place", ErrorCode.NOT_FOUND)
        return number

    def grade_play(self, player: Agent, rollout_agent: Agent, method: ReviewMethod, index: int, value: Any) -> Any:
        """Compare a play of the user at a decision of the record with the best one; raises GameError."""
        config = self._config(player, rollout_agent, method)
        return self._reviewed_json(grade_move(config, self.record, self._decision_number(index), value))

    def _verdict_json(self, explanation: Explanation, verdict: MoveAssessment) -> dict[str, Any]:
        verdict_fields = hints.verdict_json(explanation, verdict)
        for reason in verdict_fields["reasons"]:
            reason["place"] = self._preference_locations.get(str(reason["name"]).split(" × ")[0].partition("(")[0], "")
        return verdict_fields

    def _ranked_json(self, explanation: Explanation, verdict: MoveAssessment, row: int) -> dict[str, Any]:
        return {
            "text": hints.verdict_text(explanation, row, with_cards=True), "cost": verdict.cost, "row": row,
            "probability": verdict.probability,
            "points": verdict.lookahead.expected_points if verdict.lookahead else None,
            "made": explanation.decision_point.chosen_move == row,
        }  # fmt: skip

    @cached_property
    def _preference_locations(self) -> dict[str, str]:
        """File and line of the first cost rule of each preference."""
        rules = self.engine.rules
        locations: dict[str, str] = {}
        for use in rules.folder.program(rules.profile).heads:
            name = use.functor or str(use.pattern[0] if use.pattern else "")
            if use.signature == Signature("cost", 2) and name:
                file = use.location.file.replace("\\", "/").rpartition("/")[2]
                locations.setdefault(name, f"{file}:{use.location.line}")
        return locations

    # --- all decisions ------------------------------------------------------------------------------------------------

    def run_review(self, player: Agent, rollout_agent: Agent, method: ReviewMethod) -> None:
        """Find the mistakes in a thread of its own, and publish the progress."""
        self.state, self.result = "working", None

        def report_progress(done: int, total: int) -> None:
            self.done, self.total = done, total

        try:
            config, last_act = self._config(player, rollout_agent, method), self._last_valid_act
            decisions = review_record(config, self.record, None, report_progress, last_act)
            check = EstimateCheck([], [])
            if isinstance(player, ExplainableAgent):
                frames = self.replay_frames.frames
                check = check_estimates(self.engine, player, self.record, frames, self.decision_numbers)
            seat_summaries = [item.to_json() for item in summarise_seats(self.engine, self.record, decisions, last_act)]
            self.result = {
                "decisions": [self._reviewed_json(item) for item in decisions], "seats": seat_summaries,
                "errors": check.errors, "calibration": check.calibration, "method": method.to_json(),
            }  # fmt: skip
            self.state = "done"
        except GameError as error:
            self.state, self.problem = "failed", str(error)
            self.result = {"problem": str(error), "code": str(error.code)}
        except Exception:
            self.state, self.result = "failed", {"problem": "internal error; see the log of the server"}
            raise

    @property
    def _last_valid_act(self) -> int | None:
        """Number of the last act that the rules confirm; None where they confirm the record."""
        return self.decision_numbers[-1] if self.problem else None

    def _config(self, player: Agent, rollout_agent: Agent, method: ReviewMethod) -> ReviewConfig:
        return ReviewConfig(
            self.engine, player, rollout_agent, method.deals, seed=method.seed, language=method.language
        )

    def _reviewed_json(self, reviewed: ReviewedDecision) -> dict[str, Any]:
        index = self.decision_numbers.index(reviewed.act)
        point, played = reviewed.decision_point, reviewed.played_move.row
        moves = [
            move.to_json(point)
            | {"text": self._move_texts(point, move.row), "made": move.row == played, "error": move.error}
            for move in reviewed.evaluated_moves
        ]
        return {
            "place": index, "act": reviewed.act, "seat": reviewed.seat, "loss": reviewed.loss, "error": reviewed.error,
            "mistake": reviewed.is_mistake, "agreed": reviewed.agent_move.row == played,
            "made": reviewed.played_move.points, "best": reviewed.best_move.points,
            "madeError": reviewed.played_move.error, "moves": len(point.actions),
            "better": self._move_texts(point, reviewed.best_move.row), "tried": moves,
            "why": [{"words": with_tens(reason.text), "weight": reason.weight, "name": reason.name}
                    for reason in reviewed.reason_lines[:6]],
        }  # fmt: skip

    def _move_texts(self, point: DecisionPoint, row: int) -> BilingualText:
        """Return the name and the marked cards of a move."""
        cards = [self.engine.rules.card_codes.kind_texts[card] for card in card_kinds(point.move_lists.cards[row])]
        return [move_text(self.engine, point.labels[row], cards, language) for language in LANGUAGES]


class ReviewCache:
    """Open reviews; the least recently used ones are evicted first."""

    def __init__(self) -> None:
        """Make an empty cache."""
        self.sessions: dict[str, ReviewSession] = {}

    def add(self, session: ReviewSession) -> None:
        """Add a review; raises GameError if all others are running."""
        sessions = self.sessions.values()
        try:
            evicted = choose_eviction(
                session.client_id, sessions, MAX_REVIEWS, is_busy=lambda item: item.state == "working"
            )
        except CapacityError:
            problem = "too many reviews are running: wait for one"
            raise GameError(problem, ErrorCode.REVIEWS_RUNNING) from None
        if evicted is not None:
            del self.sessions[evicted.name]
        self.sessions[session.name] = session

    def check_capacity(self, client_id: str) -> None:
        """Raise GameError if a remote client has too many running reviews."""
        working = sum(
            session.state == "working" and session.client_id == client_id for session in self.sessions.values()
        )
        if client_id != LOCAL_CLIENT and working >= MAX_RUNNING_REVIEWS_EACH:
            problem = f"{working} of your reviews are running: wait for one"
            raise GameError(problem, ErrorCode.REVIEWS_RUNNING, [working])

    def find(self, name: str) -> ReviewSession:
        """Return a review by name; raises GameError."""
        if name not in self.sessions:
            raise GameError("the review has expired: open it again", ErrorCode.EXPIRED)
        self.sessions[name].last_used = time.monotonic()
        return self.sessions[name]
