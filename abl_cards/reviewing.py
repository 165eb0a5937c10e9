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

from abl_cards.agents import Agent, Reasoned
from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Indices, MoveLists, Tables
from abl_cards.games.moment import Moment, is_play
from abl_cards.streams import key_of, mix_all
from reasoners.explanation import Difference, Scores, compare
from reasoners.hands import draw, reckon
from reasoners.minimiser import Minimiser
from reasoners.phrases import Phrasebook

AT_ONCE = 4096
"""Imagined tables played on side by side."""
_DEALS, _ON = 21, 22  # what the random numbers are for


@dataclass(frozen=True)
class Plan:
    """How records are looked over."""

    engine: Engine
    player: Agent  # whose choice is compared
    onward: Agent  # who plays imagined deals to their end
    deals: int = 100  # a move is tried on; half of them choose
    moves: int = 6  # of a decision that are tried at most
    least: float = 0.0  # points that a mistake costs at least
    seed: int = 0
    language: str = "en"


@dataclass(frozen=True)
class Tried:
    """A move of a decision, and what came of it."""

    row: int  # among all moves of the decision
    cost: int  # by the preferences
    points: float | None  # expected of the episode; None where it was not tried

    def to_json(self, moment: Moment) -> dict[str, Any]:
        """Plain values."""
        points = None if self.points is None else round(self.points, 4)
        return {"move": moment.actions[self.row].to_json(), "label": moment.labels[self.row],
                "cost": self.cost, "points": points}  # fmt: skip


@dataclass(frozen=True)
class Reviewed:
    """One decision of a record."""

    act: int  # its number in the record, from 1
    seat: int
    moment: Moment
    tried: tuple[Tried, ...]  # the best first
    made: Tried
    chosen: Tried  # by the agent that is compared
    loss: float  # points given away
    error: float  # standard error of that
    mistake: bool
    why: tuple[Difference, ...]  # the preferences that tell the best from the move that was made

    @property
    def best(self) -> Tried:
        """What half of the deals liked best."""
        return self.tried[0]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "act": self.act, "seat": self.seat, "state": dict(self.moment.state), "moves": len(self.moment.actions),
            "made": self.made.to_json(self.moment), "best": self.best.to_json(self.moment),
            "agent": self.chosen.to_json(self.moment), "tried": [each.to_json(self.moment) for each in self.tried],
            "loss": round(self.loss, 4), "error": round(self.error, 4), "mistake": self.mistake,
            "why": [{"name": each.name, "group": each.group, "best": each.first, "made": each.second,
                     "words": each.words} for each in self.why],
        }  # fmt: skip


@dataclass(frozen=True)
class Summary:
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


def review(
    plan: Plan,
    record: Mapping[str, Any],
    seats: frozenset[int] | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> list[Reviewed]:
    """Look over the plays of a record, or those of some seats, with more than one legal move; raises GameError."""
    engine = plan.engine
    acts, decisions = _plays(engine, record, seats)
    if decisions is None:
        return []
    moments = [engine.moment(record, act) for act in acts]
    lists, seat = decisions.moves(), decisions.view.seats
    keys = mix_all(np.full(len(acts), key_of(plan.seed, _DEALS), np.uint64), np.array(acts))
    made = lists.start[:-1] + np.array([_made(moment) for moment in moments])
    chosen = lists.find(plan.player.play(decisions, keys))
    judge = plan.player.judge if isinstance(plan.player, Reasoned) else engine.judge()
    cost, _ = judge.costs(decisions, lists)
    tried = _candidates(decisions, lists, Minimiser(judge).order(decisions, lists), made, chosen, plan.moves)
    points = _expected(plan, decisions, lists, tried, keys, tell)
    found, book = [], Phrasebook.of(judge.kb, engine, plan.language)
    for row, (act, moment) in enumerate(zip(acts, moments, strict=True)):
        begin = int(lists.start[row])
        found.append(_reviewed(
            plan, act, int(seat[row]), moment, {number: points[number] for number in tried[row]}, begin,
            int(made[row]), int(chosen[row]), cost, Scores(judge, moment, book, None),
        ))  # fmt: skip
    return found


def summaries(engine: Engine, record: Mapping[str, Any], found: list[Reviewed]) -> list[Summary]:
    """What each seat did that was looked at."""
    plays = _plays_by_seat(engine, record)
    return [_summary(seat, plays, [each for each in found if each.seat == seat])
            for seat in sorted({each.seat for each in found})]  # fmt: skip


def _summary(seat: int, plays: Mapping[int, int], mine: list[Reviewed]) -> Summary:
    agreed, mistakes = sum(each.made.row == each.chosen.row for each in mine), [each for each in mine if each.mistake]
    return Summary(seat, plays.get(seat, 0), len(mine), agreed, len(mistakes), sum(each.loss for each in mistakes))


# --- what is looked at ------------------------------------------------------------------------------------------------


def _plays(
    engine: Engine, record: Mapping[str, Any], seats: frozenset[int] | None
) -> tuple[list[int], Decisions | None]:
    """The acts with something to choose among, and their decisions."""
    acts = _acts(engine, record)
    decisions = engine.recorded([record] * len(acts), acts)
    several = np.diff(decisions.moves().start) > 1
    if seats is not None:
        several &= np.isin(decisions.view.seats, list(seats))
    rows = np.flatnonzero(several)
    return [acts[row] for row in rows], decisions.at(rows) if rows.size else None


def _acts(engine: Engine, record: Mapping[str, Any]) -> list[int]:
    (acts,) = engine.plays_of([record])
    return acts or _acts_so_far(engine, record)


def _acts_so_far(engine: Engine, record: Mapping[str, Any]) -> list[int]:
    """The plays of a record that has only come so far; raises GameError that says what is wrong with another."""
    acts, act = [], 1
    while (moment := engine.moment(record, act)).made is not None:
        if is_play(moment.decision):
            acts.append(act)
        act += 1
    if not acts:
        raise GameError("nothing is played in this record")
    return acts


def _plays_by_seat(engine: Engine, record: Mapping[str, Any]) -> dict[int, int]:
    acts = _acts(engine, record)
    seats, counts = np.unique(engine.recorded([record] * len(acts), acts).view.seats, return_counts=True)
    return dict(zip(seats.tolist(), counts.tolist(), strict=True))


def _made(moment: Moment) -> int:
    assert moment.made is not None
    return moment.made


def _candidates(
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


def _expected(
    plan: Plan, decisions: Decisions, lists: MoveLists, tried: list[list[int]], keys: NDArray[np.uint64],
    tell: Callable[[int, int], None],
) -> dict[int, NDArray[np.float64]]:  # fmt: skip
    """By row of the lists, the points [deals] that the seat to decide has at the end of each imagined deal."""
    hands = _deals(plan, decisions, keys)
    deals = hands.shape[1]
    rows = [(decision, row) for decision, mine in enumerate(tried) for row in mine]
    found: dict[int, NDArray[np.float64]] = {}
    size = max(1, AT_ONCE // deals)
    for begin in range(0, len(rows), size):
        part = np.array(rows[begin : begin + size])
        which, deal = np.repeat(part[:, 0], deals), np.tile(np.arange(deals), len(part))
        tables = plan.engine.imagine(decisions, which, hands[which, deal])
        points = _play_on(plan, tables, lists, np.repeat(part[:, 1], deals))
        found |= {int(row): points[at * deals : (at + 1) * deals] for at, row in enumerate(part[:, 1])}
        tell(min(begin + size, len(rows)), len(rows))
    return found


def _deals(plan: Plan, decisions: Decisions, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """[n, deals, others, kinds] what the others may hold, as the seats to decide see it."""
    if decisions.rules.open_hands:
        return np.repeat(decisions.view.hidden_hands[:, None], plan.deals, axis=1)
    known = decisions.hidden()
    return draw(reckon(known, decisions.hints()), known, keys, plan.deals)


def _play_on(plan: Plan, tables: Tables, lists: MoveLists, rows: Indices) -> NDArray[np.float64]:
    """[m] the points that the seats to decide have in the end, after their moves."""
    everywhere, seat = np.arange(len(tables)), tables.seat.copy()
    lots = key_of(plan.seed, _ON)
    tables.play(everywhere, lists.rows(rows))
    while (playing := tables.playing()).size + (choosing := tables.choosing()).size:
        if playing.size:
            keys = mix_all(np.full(len(playing), lots, np.uint64), tables.clock[playing])
            tables.play(playing, plan.onward.play(tables.decisions(playing), keys))
        if choosing.size:
            keys = mix_all(np.full(len(choosing), lots, np.uint64), tables.clock[choosing])
            tables.choose(choosing, plan.onward.choose(tables.choices(choosing), keys))
    rewards = plan.engine.rewards(tables, everywhere)
    return rewards[everywhere, seat].astype(np.float64)


def _reviewed(
    plan: Plan, act: int, seat: int, moment: Moment, points: Mapping[int, NDArray[np.float64]], begin: int, made: int,
    chosen: int, cost: NDArray[np.int32], scores: Scores,
) -> Reviewed:  # fmt: skip
    half = plan.deals // 2
    ordered = sorted(points, key=lambda row: (-points[row][:half].mean(), cost[row]))
    tried = {row: Tried(row - begin, int(cost[row]), float(points[row].mean())) for row in ordered}
    more = points[ordered[0]][half:] - points[made][half:]
    loss, error = float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more))) if len(more) > 1 else 0.0
    best = scores.verdict(ordered[0] - begin)
    return Reviewed(
        act, seat, moment, tuple(tried.values()), tried[made], tried[chosen], loss, error,
        loss > max(2 * error, plan.least) and ordered[0] != made, compare(best, scores.verdict(made - begin)),
    )  # fmt: skip
