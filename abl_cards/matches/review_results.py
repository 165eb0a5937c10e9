"""Results of a review: moves with their expected points, decisions, and sums for each seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl_cards.games.tables import DecisionPoint
from abl_cards.reasoners.explain import PreferenceDifference, PreferenceLine


@dataclass(frozen=True)
class EvaluatedMove:
    """A move of a decision with its expected points.

    Attributes:
        row: Index among all moves of the decision.
        cost: Cost by the preferences.
        points: Expected points of the episode for the seat to decide; None where the move was not evaluated.
        error: Standard error of these points; None where the move was not evaluated.
    """

    row: int
    cost: int
    points: float | None
    error: float | None = None

    def to_json(self, decision_point: DecisionPoint) -> dict[str, Any]:
        """Return plain values, the move as JSON."""
        points = None if self.points is None else round(self.points, 4)
        return {"move": decision_point.actions[self.row].to_json(), "label": decision_point.labels[self.row],
                "cost": self.cost, "points": points}  # fmt: skip


@dataclass(frozen=True)
class ReviewedDecision:
    """One decision of a record, compared with the best move found.

    Attributes:
        act: Number of the act in the record, from 1.
        seat: Seat that decided.
        decision_point: State and legal moves.
        evaluated_moves: Evaluated moves, the best first.
        played_move: Move that was played.
        agent_move: Choice of the agent that is compared.
        loss: Points given away, estimated on the second half of the deals.
        error: Standard error of the loss.
        is_mistake: Whether the loss exceeds twice its error and the least loss of a mistake.
        reasons: Preferences in which the best move differs from the one that was played.
        reason_lines: These preferences with their instances merged, the largest difference first.
    """

    act: int
    seat: int
    decision_point: DecisionPoint
    evaluated_moves: tuple[EvaluatedMove, ...]
    played_move: EvaluatedMove
    agent_move: EvaluatedMove
    loss: float
    error: float
    is_mistake: bool
    reasons: tuple[PreferenceDifference, ...]
    reason_lines: tuple[PreferenceLine, ...]

    @property
    def best_move(self) -> EvaluatedMove:
        """Best move by the first half of the deals."""
        return self.evaluated_moves[0]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "act": self.act, "seat": self.seat, "state": dict(self.decision_point.state),
            "moves": len(self.decision_point.actions),
            "made": self.played_move.to_json(self.decision_point), "best": self.best_move.to_json(self.decision_point),
            "agent": self.agent_move.to_json(self.decision_point),
            "tried": [move.to_json(self.decision_point) for move in self.evaluated_moves],
            "loss": round(self.loss, 4), "error": round(self.error, 4), "mistake": self.is_mistake,
            "why": [{"name": reason.name, "group": reason.group, "best": reason.first_weight,
                     "made": reason.second_weight, "words": reason.text} for reason in self.reasons],
        }  # fmt: skip


@dataclass(frozen=True)
class SeatSummary:
    """Decisions of one seat in a record.

    Attributes:
        seat: Index of the seat.
        plays: Number of plays.
        choices: Plays with more than one legal move.
        agreed: Choices equal to those of the agent that is compared.
        mistakes: Number of mistakes.
        loss: Points that the mistakes gave away.
    """

    seat: int
    plays: int
    choices: int
    agreed: int
    mistakes: int
    loss: float

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"seat": self.seat, "plays": self.plays, "choices": self.choices, "agreed": self.agreed,
                "mistakes": self.mistakes, "loss": round(self.loss, 4)}  # fmt: skip


@dataclass(frozen=True)
class RecordReview:
    """Review of one record.

    Attributes:
        decisions: Decisions with more than one legal move, in their order.
        seats: Summary of each seat that decided.
    """

    decisions: tuple[ReviewedDecision, ...]
    seats: tuple[SeatSummary, ...]

    @property
    def mistakes(self) -> tuple[ReviewedDecision, ...]:
        """Mistakes, the most expensive first."""
        return tuple(sorted((decision for decision in self.decisions if decision.is_mistake), key=lambda d: -d.loss))

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "seats": [seat.to_json() for seat in self.seats],
            "decisions": [decision.to_json() for decision in self.decisions],
        }
