"""Stored decisions of running episodes, and generalised advantages when they end (Schulman et al. 2016).

Rows are stored in flat arrays. Each holds the index of the same seat's decision before it in the episode, so an episode
that ends is traversed backwards, seat by seat.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel
from abl_cards.games.types import Indices, InformationSet
from abl_cards.learners import Examples, PrivilegedInputs

NO_ROW = -1
_FREE, _PENDING, _READY = range(3)
_POLICY_ONLY_FIELDS = (
    "regret", "estimate", "response_counts", "prior", "lookahead_policy", "unseen", "cards_left", "at_least",
    "at_most", "played_later",
)  # fmt: skip


@dataclass(frozen=True)
class Experience(Examples, PrivilegedInputs):
    """Decisions with the quantities that PPO needs."""

    log_probability: NDArray[np.float32]  # [n] log-probability of the label when it was chosen
    value: NDArray[np.float32]  # [n] return that the critic expected
    advantage: NDArray[np.float32]  # [n] generalised advantage
    value_target: NDArray[np.float32]  # [n] target of the critic
    trick_reward_so_far: NDArray[np.float32]  # [n] trick rewards of the side before the decision; 0 without them
    lookahead_policy: NDArray[np.float16]  # [n, labels] policy after looking ahead, or zeros; no columns without it
    lookahead_value: NDArray[np.float32]  # [n] value by looking ahead on the true deal, or NaN
    is_revealed: NDArray[np.bool_]  # [n] whether ABLN learns from the true hands; else they are abduced
    unseen: NDArray[np.uint8]  # [n, cards] this and the next three: constraints on the hidden hands
    cards_left: NDArray[np.int8]  # [n, others]
    at_least: NDArray[np.uint8]  # [n, others, cards]
    at_most: NDArray[np.uint8]  # [n, others, cards]
    played_later: NDArray[np.uint8]  # [n, others, cards] cards played before; in a ready row, cards played afterwards

    @property
    def constraints(self) -> InformationSet:
        """Constraints on the hidden hands, from the information of the seats."""
        return InformationSet(self.unseen, self.cards_left, self.at_least, self.at_most)

    def for_critic(self) -> Self:
        """Return the decisions without the fields that the critic does not read."""
        left_out = {name: getattr(self, name) for name in _POLICY_ONLY_FIELDS}
        nothing = {name: np.zeros((len(self), 0, *of.shape[2:]), of.dtype) for name, of in left_out.items()}
        return replace(self, **nothing)


def pad_columns(rows: NDArray[Any], num_columns: int, fill: float | bool) -> NDArray[Any]:
    """Return rows [n, columns] padded with a value to a number of columns; the same array if none is missing."""
    missing = num_columns - rows.shape[1]
    return np.pad(rows, [(0, 0), (0, missing)], constant_values=fill) if missing > 0 else rows


class RolloutBuffer:
    """A buffer of decisions."""

    def __init__(self, capacity: int, num_tables: int, num_seats: int, example: Experience) -> None:
        """Allocate arrays with the shapes and dtypes of an example."""
        self.rows = Experience(
            **{
                field.name: np.zeros(
                    (capacity, *getattr(example, field.name).shape[1:]), getattr(example, field.name).dtype
                )
                for field in fields(Experience)
            }
        )
        self.before = np.full(capacity, NO_ROW, np.int64)  # [rows] the seat's decision before
        self.state = np.full(capacity, _FREE, np.uint8)
        self.order = np.zeros(capacity, np.int64)  # [rows] when the row became ready
        self.last = np.full((num_tables, num_seats), NO_ROW, np.int64)
        self.table, self.seat = np.zeros(capacity, np.int64), np.zeros(capacity, np.int8)
        self.finished = 0

    def state_dict(self) -> dict[str, Any]:
        """Return the state; only rows in use are included."""
        used = np.flatnonzero(self.state != _FREE)
        rows = {name: array[used] for name, array in vars(self.rows).items()}
        marks = {
            name: getattr(self, name) for name in ("before", "state", "order", "last", "table", "seat", "finished")
        }
        return marks | {"used": used, "rows": rows}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state; raises ValueError where it has rows, tables or seats that do not exist here."""
        tables, seats = self.last.shape
        limits = {"before": len(self.state), "last": len(self.state), "table": tables, "seat": seats}
        for name, limit in limits.items():  # compiled functions use them as indices without checks
            if not ((state[name] >= NO_ROW) & (state[name] < limit)).all():
                raise ValueError(f"numbers of '{name}' that are not here")
        for name in ("before", "state", "order", "last", "table", "seat"):
            getattr(self, name)[...] = state[name]
        for name, array in vars(self.rows).items():
            array[state["used"]] = state["rows"][name]
        self.finished = state["finished"]

    @property
    def num_ready(self) -> int:
        """Number of rows whose return is known."""
        return int((self.state == _READY).sum())

    @property
    def num_free(self) -> int:
        """Number of free rows."""
        return int((self.state == _FREE).sum())

    def add(self, tables: Indices, seats: NDArray[np.int8], rows: Experience) -> None:
        """Store new decisions of seats [n] at tables [n], no two at one table."""
        places = np.flatnonzero(self.state == _FREE)[: len(rows)]
        if len(places) < len(rows):
            raise MemoryError("the memory of decisions is full: make it larger than two updates and the open episodes")
        for field in fields(Experience):
            getattr(self.rows, field.name)[places] = getattr(rows, field.name)
        self.before[places] = self.last[tables, seats]
        self.last[tables, seats] = places
        self.table[places], self.seat[places] = tables, seats
        self.state[places] = _PENDING

    def find_pending_rows(self, tables: Indices) -> Indices:
        """Return the rows of episodes that are running at these tables."""
        return np.flatnonzero((self.state == _PENDING) & np.isin(self.table, tables))

    def finish_episodes(
        self, tables: Indices, rewards: NDArray[np.float32], gamma: float, gae_lambda: float,
        trick_rewards: NDArray[np.float32] | None = None,
    ) -> None:  # fmt: skip
        """Compute the advantages of episodes that ended at tables [n] with rewards [n, seats].

        Trick rewards [n, seats] count at the decisions where they were earned.
        """
        ends = np.zeros_like(rewards) if trick_rewards is None else trick_rewards
        self.finished = _compute_advantages(
            self.last, self.before, self.state, self.order, self.rows.value, self.rows.advantage,
            self.rows.value_target, self.rows.trick_reward_so_far, tables, rewards, ends, gamma, gae_lambda,
            self.finished,
        )  # fmt: skip

    def pop_ready(self, n: int) -> Experience:
        """Remove and return the n rows that became ready first, in that order."""
        places = np.flatnonzero(self.state == _READY)
        places = places[np.argsort(self.order[places], kind="stable")][:n]
        self.state[places] = _FREE
        return self.rows.at(places)


@kernel
def _compute_advantages(
    last,
    before,
    state,
    order,
    value,
    advantage,
    value_target,
    trick_reward_so_far,
    tables,
    rewards,
    trick_rewards,
    gamma,
    gae_lambda,
    finished,
):
    """Traverse the decisions of each seat backwards; returns the number of rows that became ready so far."""
    for i in range(len(tables)):
        for seat in range(last.shape[1]):
            row, gain, after, had = last[tables[i], seat], 0.0, 0.0, trick_rewards[i, seat]
            first = True
            while row >= 0:
                if first:
                    gain = rewards[i, seat] + had - trick_reward_so_far[row] - value[row]
                else:
                    gain = had - trick_reward_so_far[row] + gamma * after - value[row] + gamma * gae_lambda * gain
                first = False
                after, had = value[row], trick_reward_so_far[row]
                advantage[row], value_target[row] = gain, gain + value[row]
                state[row], order[row] = 2, finished
                finished += 1
                row = before[row]
            last[tables[i], seat] = -1
    return finished
