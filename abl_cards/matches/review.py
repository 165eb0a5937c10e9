"""A whole record looked over: what each play gave away against the best that could be found at the time.

Only what the seat could know counts. Some moves of a decision are tried on whole deals drawn by what the seat sees:
the move is made, and the agent that plays on decides for every seat until the episode ends. One half of the deals says
which move is best, the other half what it is worth more than the move that was made: so chance does not pass for a
mistake. All moves of a decision are tried on the same deals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ExplainableAgent
from abl_cards.core import GameError, derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import DecisionPoint, Decisions, Tables, is_play_decision
from abl_cards.games.types import Indices, MoveLists
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import MoveScores, PreferenceDifference, PreferenceTexts, compare_moves
from abl_cards.reasoners.hidden_hands import draw_deals, prior_estimate

MAX_TABLES = 4096
"""Imagined tables played on side by side."""
_RNG_DEALS, _RNG_ROLLOUT = 21, 22  # what the random numbers are for


@dataclass(frozen=True)
class ReviewConfig:
    """How records are looked over."""

    engine: Engine
    agent: Agent  # whose choice is compared
    rollout_agent: Agent  # who plays imagined deals to their end
    n_deals: int = 100  # a move is tried on; half of them choose
    max_moves: int = 6  # of a decision that are tried at most
    min_loss: float = 0.0  # points that a mistake costs at least
    seed: int = 0
    language: str = "en"


@dataclass(frozen=True)
class EvaluatedMove:
    """A move of a decision, and what came of it."""

    row: int  # among all moves of the decision
    cost: int  # by the preferences
    points: float | None  # expected of the episode; None where it was not tried

    def to_json(self, decision_point: DecisionPoint) -> dict[str, Any]:
        """Plain values."""
        points = None if self.points is None else round(self.points, 4)
        return {"move": decision_point.actions[self.row].to_json(), "label": decision_point.labels[self.row],
                "cost": self.cost, "points": points}  # fmt: skip


@dataclass(frozen=True)
class ReviewedDecision:
    """One decision of a record."""

    act: int  # its number in the record, from 1
    seat: int
    decision_point: DecisionPoint
    evaluated_moves: tuple[EvaluatedMove, ...]  # the best first
    played_move: EvaluatedMove
    agent_move: EvaluatedMove  # by the agent that is compared
    loss: float  # points given away
    error: float  # standard error of that
    is_mistake: bool
    reasons: tuple[PreferenceDifference, ...]  # the preferences that tell the best from the move that was made

    @property
    def best_move(self) -> EvaluatedMove:
        """What half of the deals liked best."""
        return self.evaluated_moves[0]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "act": self.act, "seat": self.seat, "state": dict(self.decision_point.state),
            "moves": len(self.decision_point.actions),
            "made": self.played_move.to_json(self.decision_point), "best": self.best_move.to_json(self.decision_point),
            "agent": self.agent_move.to_json(self.decision_point),
            "tried": [each.to_json(self.decision_point) for each in self.evaluated_moves],
            "loss": round(self.loss, 4), "error": round(self.error, 4), "mistake": self.is_mistake,
            "why": [{"name": each.name, "group": each.group, "best": each.first_weight, "made": each.second_weight,
                     "words": each.text} for each in self.reasons],
        }  # fmt: skip


@dataclass(frozen=True)
class SeatSummary:
    """What a seat did in a record."""

    seat: int
    plays: int
    choices: int  # plays with more than one legal move
    agreed: int  # of these, what the agent would have done
    mistakes: int
    loss: float  # points that the mistakes gave away

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"seat": self.seat, "plays": self.plays, "choices": self.choices, "agreed": self.agreed,
                "mistakes": self.mistakes, "loss": round(self.loss, 4)}  # fmt: skip


def review_record(
    config: ReviewConfig,
    record: Mapping[str, Any],
    seats: frozenset[int] | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[ReviewedDecision]:
    """Look over the plays of a record, or those of some seats, with more than one legal move; raises GameError."""
    engine = config.engine
    acts, decisions = _decisions_with_choice(engine, record, seats)
    if decisions is None:
        return []
    moments = [engine.read_decision_point(record, act) for act in acts]
    lists, seat = decisions.moves(), decisions.view.seats
    keys = splitmix64_array(np.full(len(acts), derive_key(config.seed, _RNG_DEALS), np.uint64), np.array(acts))
    made = lists.start[:-1] + np.array([_played_row(moment) for moment in moments])
    chosen = lists.find(config.agent.play(decisions, keys))
    judge = config.agent.preference_model if isinstance(config.agent, ExplainableAgent) else engine.preference_model()
    cost, _ = judge.costs(decisions, lists)
    tried = _candidate_rows(decisions, lists, Minimiser(judge).order(decisions, lists), made, chosen, config.max_moves)
    points = _evaluate_moves(config, decisions, lists, tried, keys, on_progress)
    found, book = [], PreferenceTexts.of(judge.kb, engine, config.language)
    for row, (act, moment) in enumerate(zip(acts, moments, strict=True)):
        begin = int(lists.start[row])
        found.append(_make_reviewed_decision(
            config, act, int(seat[row]), moment, {number: points[number] for number in tried[row]}, begin,
            int(made[row]), int(chosen[row]), cost, MoveScores(judge, moment, book, None),
        ))  # fmt: skip
    return found


def summarise_seats(engine: Engine, record: Mapping[str, Any], reviewed: list[ReviewedDecision]) -> list[SeatSummary]:
    """What each seat did that was looked at."""
    plays = _count_plays_by_seat(engine, record)
    return [_summarise_seat(seat, plays, [each for each in reviewed if each.seat == seat])
            for seat in sorted({each.seat for each in reviewed})]  # fmt: skip


def _summarise_seat(seat: int, plays: Mapping[int, int], mine: list[ReviewedDecision]) -> SeatSummary:
    agreed, mistakes = (
        sum(each.played_move.row == each.agent_move.row for each in mine),
        [each for each in mine if each.is_mistake],
    )
    return SeatSummary(seat, plays.get(seat, 0), len(mine), agreed, len(mistakes), sum(each.loss for each in mistakes))


# --- what is looked at ------------------------------------------------------------------------------------------------


def _decisions_with_choice(
    engine: Engine, record: Mapping[str, Any], seats: frozenset[int] | None
) -> tuple[list[int], Decisions | None]:
    """The acts with something to choose among, and their decisions."""
    acts = _play_acts(engine, record)
    decisions = engine.decisions_at_acts([record] * len(acts), acts)
    several = np.diff(decisions.moves().start) > 1
    if seats is not None:
        several &= np.isin(decisions.view.seats, list(seats))
    rows = np.flatnonzero(several)
    return [acts[row] for row in rows], decisions.select(rows) if rows.size else None


def _play_acts(engine: Engine, record: Mapping[str, Any]) -> list[int]:
    (acts,) = engine.find_play_acts([record])
    return acts or _unfinished_play_acts(engine, record)


def _unfinished_play_acts(engine: Engine, record: Mapping[str, Any]) -> list[int]:
    """The plays of a record that has only come so far; raises GameError that says what is wrong with another."""
    acts, act = [], 1
    while (moment := engine.read_decision_point(record, act)).chosen_move is not None:
        if is_play_decision(moment.decision):
            acts.append(act)
        act += 1
    if not acts:
        raise GameError("nothing is played in this record")
    return acts


def _count_plays_by_seat(engine: Engine, record: Mapping[str, Any]) -> dict[int, int]:
    acts = _play_acts(engine, record)
    seats, counts = np.unique(engine.decisions_at_acts([record] * len(acts), acts).view.seats, return_counts=True)
    return dict(zip(seats.tolist(), counts.tolist(), strict=True))


def _played_row(moment: DecisionPoint) -> int:
    assert moment.chosen_move is not None
    return moment.chosen_move


def _candidate_rows(
    decisions: Decisions, lists: MoveLists, order: NDArray[np.int64], made: Indices, chosen: Indices, most: int
) -> list[list[int]]:
    """By decision, the rows that are tried: what was made, what the agent chooses, the cheapest of other labels."""
    labels, found = decisions.labels_of(lists.form), []
    for row, (first, last) in enumerate(zip(lists.start[:-1], lists.start[1:], strict=True)):
        mine = list(dict.fromkeys((int(made[row]), int(chosen[row]))))
        seen = {int(labels[each]) for each in mine}
        for each in order[first:last].tolist():
            if len(mine) < most and int(labels[each]) not in seen:
                mine.append(each)
                seen.add(int(labels[each]))
        found.append(mine)
    return found


# --- what comes of it -------------------------------------------------------------------------------------------------


def _evaluate_moves(
    plan: ReviewConfig, decisions: Decisions, lists: MoveLists, tried: list[list[int]], keys: NDArray[np.uint64],
    tell: Callable[[int, int], None],
) -> dict[int, NDArray[np.float64]]:  # fmt: skip
    """By row of the lists, the points [deals] that the seat to decide has at the end of each imagined deal."""
    hands = _sample_deals(plan, decisions, keys)
    deals = hands.shape[1]
    rows = [(decision, row) for decision, mine in enumerate(tried) for row in mine]
    found: dict[int, NDArray[np.float64]] = {}
    size = max(1, MAX_TABLES // deals)
    for begin in range(0, len(rows), size):
        part = np.array(rows[begin : begin + size])
        which, deal = np.repeat(part[:, 0], deals), np.tile(np.arange(deals), len(part))
        tables = plan.engine.determinize(decisions, which, hands[which, deal])
        points = _rollout(plan, tables, lists, np.repeat(part[:, 1], deals))
        found |= {int(row): points[at * deals : (at + 1) * deals] for at, row in enumerate(part[:, 1])}
        tell(min(begin + size, len(rows)), len(rows))
    return found


def _sample_deals(plan: ReviewConfig, decisions: Decisions, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[n, deals, others, kinds] what the others may hold, as the seats to decide see it."""
    if decisions.rules.has_open_hands:
        return np.repeat(decisions.view.hidden_hands[:, None], plan.n_deals, axis=1)
    known = decisions.information_set()
    return draw_deals(prior_estimate(known, decisions.belief_log_odds()), known, keys, plan.n_deals)


def _rollout(plan: ReviewConfig, tables: Tables, lists: MoveLists, rows: Indices) -> NDArray[np.float64]:
    """[m] the points that the seats to decide have in the end, after their moves."""
    everywhere, seat = np.arange(len(tables)), tables.seat.copy()
    lots = derive_key(plan.seed, _RNG_ROLLOUT)
    tables.play(everywhere, lists.select(rows))
    while (playing := tables.rows_to_play()).size + (choosing := tables.rows_to_choose()).size:
        if playing.size:
            keys = splitmix64_array(np.full(len(playing), lots, np.uint64), tables.num_decisions[playing])
            tables.play(playing, plan.rollout_agent.play(tables.decisions(playing), keys))
        if choosing.size:
            keys = splitmix64_array(np.full(len(choosing), lots, np.uint64), tables.num_decisions[choosing])
            tables.choose(choosing, plan.rollout_agent.choose(tables.choices(choosing), keys))
    rewards = plan.engine.rewards(tables, everywhere)
    return rewards[everywhere, seat].astype(np.float64)


def _make_reviewed_decision(
    plan: ReviewConfig, act: int, seat: int, moment: DecisionPoint, points: Mapping[int, NDArray[np.float64]],
    begin: int, made: int, chosen: int, cost: NDArray[np.int32], scores: MoveScores,
) -> ReviewedDecision:  # fmt: skip
    half = plan.n_deals // 2
    ordered = sorted(points, key=lambda row: (-points[row][:half].mean(), cost[row]))
    tried = {row: EvaluatedMove(row - begin, int(cost[row]), float(points[row].mean())) for row in ordered}
    more = points[ordered[0]][half:] - points[made][half:]
    loss, error = float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more))) if len(more) > 1 else 0.0
    best = scores.assess(ordered[0] - begin)
    return ReviewedDecision(
        act, seat, moment, tuple(tried.values()), tried[made], tried[chosen], loss, error,
        loss > max(2 * error, plan.min_loss) and ordered[0] != made, compare_moves(best, scores.assess(made - begin)),
    )  # fmt: skip
