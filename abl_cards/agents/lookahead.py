"""Looking ahead: what the likely labels come to over whole deals that the estimate of the hidden hands makes likely.

The policy proposes. Each of its likeliest labels is tried on a few deals: its move is made, what leaves nobody a choice
follows, and the critic, before whom all the hands of such a deal lie open, says what the position is worth. The mean
over the deals changes the probabilities by ``exp(points / TEMPERATURE)``: of all policies that is the one that expects
the most points, less TEMPERATURE times its divergence from what was proposed.

Deals are drawn by what the seat sees alone. Without ABLN they are drawn as the counts and the facts have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.mind import Mind, View
from abl_cards.games import Decisions, Indices, Moves, Tables
from abl_cards.games.hidden import Constraints
from abl_cards.streams import mix_all
from learners.told import Told, counted
from reasoners.hands import Estimate, counting, draw
from reasoners.replies import keys_of
from reasoners.survey import Survey, survey

DEALS = 16
"""Deals that each label is tried on."""
LABELS, LEAST = 5, 0.01
"""Labels that are tried at most, and how probable they must be."""
TEMPERATURE = 0.1
"""Points of an episode that outweigh a factor e between two probabilities."""
_AT_ONCE = 64  # decisions, for the sake of memory
_AHEAD = 17  # what the random numbers are for


@dataclass(frozen=True)
class Foresight:
    """What became of a policy at k decisions."""

    log_probabilities: NDArray[np.float32]  # [k, labels]
    points: NDArray[np.float32]  # [k, labels] expected of the episode, NaN for the labels that were not tried
    first: NDArray[np.float32]  # [k, labels] the same in the first deal alone


class Lookahead:
    """Tries the labels that a mind finds likely."""

    def __init__(
        self, mind: Mind, deals: int = DEALS, temperature: float = TEMPERATURE, at_once: int = _AT_ONCE
    ) -> None:
        """The critic of the mind's networks must have learned. So many decisions are looked at together."""
        self._mind, self._deals, self._temperature, self._at_once = mind, deals, temperature, at_once
        self._power = mind.networks.preset.ppo.power

    def consider(
        self,
        decisions: Decisions,
        view: View,
        proposed: NDArray[np.float32],
        asked: NDArray[np.bool_] | None = None,
        truth: NDArray[np.uint8] | None = None,
    ) -> Foresight:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice.

        Only those [k] are looked at that are asked about. Who teaches may know the truth, the hidden hands
        [k, others, cards]: they are the first of the deals then.
        """
        tried = _likely(proposed)
        if asked is not None:
            tried &= asked[:, None]
        points, first = (np.full(proposed.shape, np.nan, np.float32) for _ in range(2))
        known = decisions.hidden()
        for part in _portions(np.flatnonzero(tried.any(axis=1)), self._at_once):
            place, label = np.nonzero(tried[part])
            deals = self._draw(known.at(view.choice[part]), view, part, None if truth is None else truth[part])
            each = self._expect(decisions, deals, view, part, place, label)
            points[part[place], label], first[part[place], label] = each.mean(axis=1), each[:, 0]
        return Foresight(_tilted(proposed, points, self._temperature), points, first)

    def _draw(
        self, constraints: Constraints, view: View, rows: Indices, truth: NDArray[np.uint8] | None
    ) -> NDArray[np.uint8]:
        """[r, deals, others, cards] for rows [r] of the view; the truth [r, others, cards] first, if it is known."""
        first = [] if truth is None else [truth[:, None]]
        drawn = self._deals - len(first)
        if drawn:
            keys = mix_all(keys_of(view.observation[rows]), _AHEAD)
            estimate: Estimate = view.estimate[rows] if self._mind.estimates else counting(constraints)
            first.append(draw(estimate, constraints, keys, drawn))
        return np.concatenate(first, axis=1)

    def _expect(
        self,
        decisions: Decisions,
        deals: NDArray[np.uint8],
        view: View,
        rows: Indices,
        place: Indices,
        label: Indices,
    ) -> NDArray[np.float32]:
        """[t, deals] points of labels [t] in the deals [r, ...] of rows [r] of the view, each at one, by its place."""
        which = view.choice[rows]
        moves = view.survey.lists.rows(np.repeat(view.survey.row[which[place], label], self._deals))
        hands = deals[place].reshape(-1, *deals.shape[2:])
        tables = self._mind.engine.imagine(decisions, np.repeat(which[place], self._deals), hands)
        return self._play_on(tables, moves).reshape(-1, self._deals)

    def _play_on(self, tables: Tables, moves: Moves) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to the seats that decide, after their moves."""
        seat = tables.seat.copy()
        tables.play(np.arange(len(tables)), moves)
        return self.worth(tables, seat)

    def worth(self, tables: Tables, seat: NDArray[np.int8]) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to seats [m], where somebody is to play or the episode is over."""
        points, valued = np.zeros(len(tables), np.float32), np.zeros(len(tables), np.bool_)
        while (running := (playing := tables.playing())[~valued[playing]]).size:
            decisions = tables.decisions(running)
            found = survey(self._mind.engine, self._mind.judge, decisions)
            several = found.choosable.sum(axis=1) > 1
            free, forced = np.flatnonzero(several), np.flatnonzero(~several)
            here = running[free]
            value = self._value(decisions.at(free), found, free, tables, here)
            points[here] = value * counted(tables.rate(here, tables.seat[here], seat[here]), self._power)
            valued[here] = True
            only = found.row[forced, found.choosable[forced].argmax(axis=1)]
            tables.play(running[forced], found.lists.rows(only))
        over = np.flatnonzero(~valued)
        ends = self._mind.engine.rewards(tables, over)[np.arange(len(over)), seat[over]]
        points[over] = counted(ends, self._power)
        return points

    def _value(
        self, decisions: Decisions, found: Survey, rows: Indices, tables: Tables, here: Indices
    ) -> NDArray[np.float32]:
        """[n] what decisions at tables are worth to who decides; they are rows of a survey."""
        opened = self._mind.lay_open(tables, here, decisions.context)
        return self._mind.value(_told(decisions, found, rows), opened)


def _portions(rows: Indices, size: int) -> Iterator[Indices]:
    yield from (rows[first : first + size] for first in range(0, len(rows), size))


def _likely(proposed: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[k, labels] what is to be tried, in decisions with more than one such label."""
    rank = np.argsort(np.argsort(-proposed, axis=1, kind="stable"), axis=1)
    likely: NDArray[np.bool_] = (rank < LABELS) & (proposed > np.log(LEAST))
    return likely & (likely.sum(axis=1, keepdims=True) > 1)


def _tilted(
    proposed: NDArray[np.float32], points: NDArray[np.float32], temperature: float = TEMPERATURE
) -> NDArray[np.float32]:
    """[k, labels] log-probabilities after looking ahead; a label that was not tried loses what the best one gains."""
    tried = ~np.isnan(points)
    best = np.where(tried, points, -np.inf).max(axis=1, keepdims=True)
    weighed = proposed + np.where(tried, points - best, 0).astype(np.float32) / np.float32(temperature)
    changed = tried.any(axis=1)
    weighed[changed] -= np.log(np.exp(weighed[changed]).sum(axis=1, keepdims=True))
    return weighed


def _told(decisions: Decisions, found: Survey, rows: Indices) -> Told:
    """What the critic is told of decisions, rows of a survey; it wants neither costs nor estimates."""
    n = len(rows)
    return Told(
        observation=decisions.observe(),
        legal=found.choosable[rows],
        to_beat=decisions.label_to_beat,
        regret=np.zeros((n, 0), np.float32),
        plays=found.plays[rows],
        estimate=np.zeros((n, 0, 0), np.float32),
        replies=np.zeros((n, 0, 0), np.uint8),
    )
