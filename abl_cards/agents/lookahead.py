"""Looking ahead: what the likely labels come to over whole deals that the estimate of the hidden hands makes likely.

The policy proposes. Each of its likeliest labels is tried on a few deals: its move is made, what leaves nobody a choice
follows, and the critic, before whom all the hands of such a deal lie open, says what the position is worth. Who is
given a time to think tries them in rounds, all on the same deals, leaves out what has no hope any more, and plays the
others on with the answers of the policy, to the end of most episodes if there is time for that.

The mean over the deals changes the probabilities by ``exp(points / TEMPERATURE)``: of all policies that is the one that
expects the most points, less TEMPERATURE times its divergence from what was proposed. Deals are drawn by what the seat
sees alone; without ABLN as the counts and the facts have them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.effort import DEPTHS, MOST_DEALS, USUAL, Pace, Step, timed
from abl_cards.agents.hindsight import MORE, recalled
from abl_cards.agents.imagining import Imagination
from abl_cards.agents.mind import Mind, View
from abl_cards.agents.trials import DOUBT, Trials
from abl_cards.games import Decisions, Indices, Tables
from abl_cards.streams import mix_all
from reasoners.replies import keys_of

TEMPERATURE = 0.1
"""Points of an episode that outweigh a factor e between two probabilities."""
_AT_ONCE = 64  # decisions, for the sake of memory
_FIRST = np.zeros(1, np.int64)
_AHEAD = 17  # what the random numbers are for


@dataclass(frozen=True)
class Foresight:
    """What became of a policy at k decisions."""

    log_probabilities: NDArray[np.float32]  # [k, labels]
    points: NDArray[np.float32]  # [k, labels] expected of the episode, NaN for the labels that were not tried
    first: NDArray[np.float32]  # [k, labels] the same in the first deal alone


@dataclass(frozen=True)
class _Asked:
    """Decisions [k] as a policy proposes them, and the rows [r] of them that are looked at."""

    decisions: Decisions
    view: View
    rows: Indices
    truth: NDArray[np.uint8] | None  # [r, others, cards] the hidden hands, where they are known


class Lookahead:
    """Tries the labels that a mind finds likely."""

    def __init__(
        self,
        mind: Mind,
        steps: Sequence[Step] = USUAL,
        temperature: float = TEMPERATURE,
        at_once: int = _AT_ONCE,
        think: float | None = None,
    ) -> None:
        """The critic of the mind's networks must have learned. So many decisions are looked at together.

        With so many seconds to think for a decision it goes on until they are over, see ``effort.timed``.
        """
        self._mind, self._temperature, self._at_once = mind, temperature, at_once
        rounds: tuple[Sequence[Step], Sequence[int]] = (steps, DEPTHS) if think is None else timed(steps[-1])
        self._steps, self._depths = rounds
        self._imagination, self._pace, self._think = Imagination(mind), Pace(), think
        self._hindsight, self._tried = mind.networks.preset.hindsight, mind.networks.preset.tried

    def consider(
        self,
        decisions: Decisions,
        view: View,
        proposed: NDArray[np.float32],
        asked: NDArray[np.bool_] | None = None,
        truth: NDArray[np.uint8] | None = None,
        began: float | None = None,
    ) -> Foresight:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice.

        Only those [k] are looked at that are asked about. Who teaches may know the truth, the hidden hands
        [k, others, cards]: they are the first of the deals then. Time to think counts from when it began, a time of
        ``time.monotonic``, or from now.
        """
        until = time.monotonic() if began is None else began
        tried = likely(proposed, *self._tried)
        if asked is not None:
            tried &= asked[:, None]
        points, first = (np.full(proposed.shape, np.nan, np.float32) for _ in range(2))
        for part in _portions(np.flatnonzero(tried.any(axis=1)), self._at_once):
            place, label = np.nonzero(tried[part])
            trials = Trials(place, label, proposed[part[place], label], self._temperature)
            asking = _Asked(decisions, view, part, None if truth is None else truth[part])
            until += len(part) * (self._think or 0)
            self._go(asking, trials, None if self._think is None else until)
            points[part[place], label], first[part[place], label] = trials.points, trials.first
        return Foresight(tilted(proposed, points, self._temperature), points, first)

    def imagined(self, decisions: Decisions, view: View, number: int) -> NDArray[np.uint8]:
        """[number, others, cards] the first of the deals on which the first choice of a view is looked at."""
        deals: NDArray[np.uint8] = self._draw(_Asked(decisions, view, _FIRST, None), _FIRST, 0, number)[0]
        return deals

    def worth(self, tables: Tables, seat: NDArray[np.int8]) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to seats [m], where somebody is to play or the episode is over."""
        return self._imagination.worth(tables, seat)

    def _go(self, asking: _Asked, trials: Trials, until: float | None) -> None:
        """Round after round, the first in any case, until time or hope is over."""
        for number, step in enumerate(self._steps):
            tables = step.deals * len(trials.open)
            late = until is not None and number and time.monotonic() + self._pace.seconds(tables, step.answers) > until
            if not tables or late:
                return
            self._round(asking, trials, step)
        if until is None:
            return
        if self._depths[0] > self._steps[-1].answers:
            trials.reopen(DOUBT)
        first = self._pace.deepest(len(trials.open), until, self._depths) if trials.open.size else None
        while first is not None and trials.open.size and trials.deals < MOST_DEALS:
            if time.monotonic() + self._pace.seconds(first.deals * len(trials.open), first.answers) > until:
                return
            self._round(asking, trials, first)

    def _round(self, asking: _Asked, trials: Trials, step: Step) -> None:
        """Try what is open on some more deals."""
        began, open_ = time.monotonic(), trials.open
        here, place = np.unique(trials.place[open_], return_inverse=True)
        deals = self._draw(asking, here, trials.deals, step.deals)
        which = asking.view.choice[asking.rows[trials.place[open_]]]
        survey, hands = asking.view.survey, deals[place].reshape(-1, *deals.shape[2:])
        tables = self._mind.engine.imagine(asking.decisions, np.repeat(which, step.deals), hands)
        seat = tables.seat.copy()
        moves = survey.lists.rows(np.repeat(survey.row[which, trials.label[open_]], step.deals))
        tables.play(np.arange(len(tables)), moves)
        trials.note(self._imagination.worth(tables, seat, step.answers).reshape(-1, step.deals), step.answers)
        self._pace.learn(len(tables), step.answers, began)

    def _draw(self, asking: _Asked, here: Indices, first: int, deals: int) -> NDArray[np.uint8]:
        """[r, deals, others, cards] for some of the rows, from a number on; the truth is number 0, if it is known."""
        rows = asking.rows[here]
        known = [] if asking.truth is None or first else [asking.truth[here, None]]
        drawn = deals - len(known)
        if drawn and self._hindsight:
            known.append(self._recall(asking, rows, first, drawn))
        elif drawn:
            keys = mix_all(keys_of(asking.view.observation[rows]), _AHEAD)
            each = mix_all(np.repeat(keys, drawn), np.tile(np.arange(first, first + drawn), len(rows)))
            known.append(self._mind.deals(asking.decisions, asking.view, rows, each.reshape(len(rows), drawn)))
        return np.concatenate(known, axis=1)

    def _recall(self, asking: _Asked, rows: Indices, first: int, deals: int) -> NDArray[np.uint8]:
        """The same of more deals by what the others have just done."""
        keys = mix_all(keys_of(asking.view.observation[rows]), _AHEAD)
        more = np.arange(MORE * first, MORE * (first + deals))
        each = mix_all(np.repeat(keys, len(more)), np.tile(more, len(rows))).reshape(len(rows), len(more))
        drawn = self._mind.deals(asking.decisions, asking.view, rows, each)
        return recalled(self._mind, asking.decisions, asking.view, rows, drawn, deals)


def _portions(rows: Indices, size: int) -> Iterator[Indices]:
    yield from (rows[first : first + size] for first in range(0, len(rows), size))


def likely(proposed: NDArray[np.float32], labels: int, least: float) -> NDArray[np.bool_]:
    """[k, labels] what is to be tried: at most so many labels that are so probable; none where it is one alone."""
    rank = np.argsort(np.argsort(-proposed, axis=1, kind="stable"), axis=1)
    among: NDArray[np.bool_] = (rank < labels) & (proposed > np.log(least))
    return among & (among.sum(axis=1, keepdims=True) > 1)


def tilted(
    proposed: NDArray[np.float32], points: NDArray[np.float32], temperature: float = TEMPERATURE
) -> NDArray[np.float32]:
    """[k, labels] log-probabilities after looking ahead; a label that was not tried loses what the best one gains."""
    tried = ~np.isnan(points)
    best = np.where(tried, points, -np.inf).max(axis=1, keepdims=True)
    weighed = proposed + np.where(tried, points - best, 0).astype(np.float32) / np.float32(temperature)
    changed = tried.any(axis=1)
    weighed[changed] -= np.log(np.exp(weighed[changed]).sum(axis=1, keepdims=True))
    return weighed
