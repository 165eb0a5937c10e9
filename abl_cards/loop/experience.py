"""Decisions of running episodes, kept until their returns are known; generalised advantages (Schulman et al. 2016).

Rows lie in flat arrays. Each remembers the decision the same seat made before it in the same episode, so an episode
that ends is walked backwards, seat by seat.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games import Indices
from abl_cards.games.hidden import Constraints
from learners.examples import Examples
from learners.told import Opened

NO_ROW = -1
_FREE, _OPEN, _READY = range(3)
_NOT_FOR_CRITIC = (
    "regret", "estimate", "replies", "prior", "foreseen", "unseen", "left", "at_least", "at_most", "later",
)  # fmt: skip


@dataclass(frozen=True)
class Experience(Examples, Opened):
    """Decisions with what PPO needs besides."""

    log_probability: NDArray[np.float32]  # [n] of the label when it was chosen
    value: NDArray[np.float32]  # [n] what the critic expected
    advantage: NDArray[np.float32]  # [n] how much better it went
    total: NDArray[np.float32]  # [n] what the critic should have expected
    earned: NDArray[np.float32]  # [n] what the side's piles had earned by then; zeros where they earn nothing
    foreseen: NDArray[np.float16]  # [n, labels] what looking ahead makes of the policy, or zeros; no columns without it
    worth: NDArray[np.float32]  # [n] what it expects of the deal that lies there, or NaN
    shown: NDArray[np.bool_]  # [n] whether ABLN is told the hidden hands; where it is not, they are abduced
    unseen: NDArray[np.uint8]  # [n, cards] this and the next three: what the seat knew of the hidden hands
    left: NDArray[np.int8]  # [n, others]
    at_least: NDArray[np.uint8]  # [n, others, cards]
    at_most: NDArray[np.uint8]  # [n, others, cards]
    later: NDArray[
        np.uint8
    ]  # [n, others, cards] laid down before; when the row is ready, what was laid down afterwards

    @property
    def constraints(self) -> Constraints:
        """What the seats knew of the hidden hands."""
        return Constraints(self.unseen, self.left, self.at_least, self.at_most)

    def for_critic(self) -> Self:
        """The same decisions without what the critic is not told."""
        left_out = {name: getattr(self, name) for name in _NOT_FOR_CRITIC}
        nothing = {name: np.zeros((len(self), 0, *of.shape[2:]), of.dtype) for name, of in left_out.items()}
        return replace(self, **nothing)


class Memory:
    """Room for a number of decisions."""

    def __init__(self, rows: int, tables: int, seats: int, like: Experience) -> None:
        """With arrays of the shapes and types of an example."""
        self.rows = Experience(
            **{
                field.name: np.zeros((rows, *getattr(like, field.name).shape[1:]), getattr(like, field.name).dtype)
                for field in fields(Experience)
            }
        )
        self.before = np.full(rows, NO_ROW, np.int64)  # [rows] the seat's decision before
        self.state = np.full(rows, _FREE, np.uint8)
        self.order = np.zeros(rows, np.int64)  # [rows] when the row became ready
        self.last = np.full((tables, seats), NO_ROW, np.int64)
        self.table, self.seat = np.zeros(rows, np.int64), np.zeros(rows, np.int8)
        self.finished = 0

    def arrays(self) -> dict[str, Any]:
        """Everything there is to save: of the rows, those in use."""
        used = np.flatnonzero(self.state != _FREE)
        rows = {field.name: getattr(self.rows, field.name)[used] for field in fields(Experience)}
        marks = {
            name: getattr(self, name) for name in ("before", "state", "order", "last", "table", "seat", "finished")
        }
        return marks | {"used": used, "rows": rows}

    def restore(self, saved: dict[str, Any]) -> None:
        """Take up what was saved; raises ValueError where that has rows, tables or seats that are not here."""
        tables, seats = self.last.shape
        limits = {"before": len(self.state), "last": len(self.state), "table": tables, "seat": seats}
        for name, limit in limits.items():  # compiled functions go where these say
            if not ((saved[name] >= NO_ROW) & (saved[name] < limit)).all():
                raise ValueError(f"numbers of '{name}' that are not here")
        for name in ("before", "state", "order", "last", "table", "seat"):
            getattr(self, name)[...] = saved[name]
        for name, rows in saved["rows"].items():
            getattr(self.rows, name)[saved["used"]] = rows
        self.finished = saved["finished"]

    @property
    def ready(self) -> int:
        """Rows whose return is known."""
        return int((self.state == _READY).sum())

    @property
    def room(self) -> int:
        """Rows that are free."""
        return int((self.state == _FREE).sum())

    def remember(self, tables: Indices, seats: NDArray[np.int8], rows: Experience) -> None:
        """Keep new decisions of seats [n] at tables [n], no two at one table."""
        places = np.flatnonzero(self.state == _FREE)[: len(rows)]
        if len(places) < len(rows):
            raise MemoryError("the memory of decisions is full: make it larger than two updates and the open episodes")
        for field in fields(Experience):
            getattr(self.rows, field.name)[places] = getattr(rows, field.name)
        self.before[places] = self.last[tables, seats]
        self.last[tables, seats] = places
        self.table[places], self.seat[places] = tables, seats
        self.state[places] = _OPEN

    def open_at(self, tables: Indices) -> Indices:
        """The rows of episodes that are running at these tables."""
        return np.flatnonzero((self.state == _OPEN) & np.isin(self.table, tables))

    def finish(
        self, tables: Indices, rewards: NDArray[np.float32], discount: float, trace: float,
        earned: NDArray[np.float32] | None = None,
    ) -> None:  # fmt: skip
        """Episodes ended at these tables with rewards [n, seats]: their decisions get advantages.

        What was earned on the way [n, seats] is a reward where it was earned.
        """
        ends = np.zeros_like(rewards) if earned is None else earned
        self.finished = _finish(
            self.last, self.before, self.state, self.order, self.rows.value, self.rows.advantage, self.rows.total,
            self.rows.earned, tables, rewards, ends, discount, trace, self.finished,
        )  # fmt: skip

    def take(self, n: int) -> Experience:
        """The n rows that became ready first, in that order; forgets them."""
        places = np.flatnonzero(self.state == _READY)
        places = places[np.argsort(self.order[places], kind="stable")][:n]
        self.state[places] = _FREE
        return self.rows.at(places)


@njit(cache=True)
def _finish(
    last, before, state, order, value, advantage, total, earned, tables, rewards, ends, discount, trace, finished
):
    """Walk the decisions of each seat backwards; returns how many rows have become ready so far."""
    for i in range(len(tables)):
        for seat in range(last.shape[1]):
            row, gain, after, had = last[tables[i], seat], 0.0, 0.0, ends[i, seat]
            first = True
            while row >= 0:
                if first:
                    gain = rewards[i, seat] + had - earned[row] - value[row]
                else:
                    gain = had - earned[row] + discount * after - value[row] + discount * trace * gain
                first = False
                after, had = value[row], earned[row]
                advantage[row], total[row] = gain, gain + value[row]
                state[row], order[row] = 2, finished
                finished += 1
                row = before[row]
            last[tables[i], seat] = -1
    return finished
