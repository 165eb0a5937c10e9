"""The queue of rollouts between actors and learner; it is bounded, and drops the oldest rows.

Dropped rows are counted. A decision counts when the learner draws it, so that it counts once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

from abl_cards.training.experience import Experience
from abl_cards.training.selfplay import Score


@dataclass(frozen=True)
class Rollout:
    """Consecutive decisions of an actor, with the results of its episodes."""

    actor: int  # number of the actor, never used twice
    number: int  # number of the rollout of its actor, from 0
    version: int  # version of the weights: the update before which they were the newest
    rows: int  # decisions with a choice whose returns are known
    decisions: int  # all decisions made meanwhile, those without a choice and of opponents too
    score: Score
    load_rows: Callable[[], Experience]  # unpacks the rows


StateDict = dict[str, Any]
"""The state of an object, to save it or to send it to another process."""


class RolloutSource(Protocol):
    """Source of rollouts for a learner: an actor in its own process, or many actors in other processes."""

    def collect_rollouts(self, min_rows: int) -> Sequence[Rollout]:
        """Return the rollouts since the last call; wait if there are none.

        Args:
            min_rows: Number of decisions that the learner lacks.
        """

    def broadcast(self, version: int) -> None:
        """Update the networks that play to the current ones of the learner, with this version number."""

    def update_opponent(self) -> None:
        """Update the former networks to play against to the current ones of the learner."""


@dataclass(frozen=True)
class QueueStats:
    """Counts of drawn and dropped rows since the last call."""

    drawn: int = 0  # rows that the learner has drawn
    total_lag: int = 0  # sum over these rows of the updates since their weights
    dropped_full: int = 0  # rows dropped because the queue was full
    dropped_stale: int = 0  # rows dropped because their weights were too old
    dropped_repeated: int = 0  # rows dropped because they had arrived before
    lost_actors: int = 0  # actors that ended and were replaced

    def __add__(self, other: QueueStats) -> QueueStats:
        return QueueStats(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(QueueStats)))

    @property
    def staleness(self) -> float | None:
        """Mean age, in updates, of the weights that played the drawn rows; None without rows."""
        return self.total_lag / self.drawn if self.drawn else None

    @classmethod
    def total(cls, pools: Sequence[QueueStats]) -> QueueStats:
        """Return the sum over several queues."""
        return sum(pools, QueueStats())


@dataclass(eq=False)
class _QueuedRollout:
    """Rollout in the queue, with the number of its first rows that have been drawn."""

    rollout: Rollout
    drawn: int = 0
    loaded_rows: Experience | None = None

    @property
    def num_left(self) -> int:
        return self.rollout.rows - self.drawn

    def take(self, n: int) -> tuple[Experience, int]:
        """Return the next n rows, and their share of the rollout's decisions."""
        portion, first, self.drawn = self.rollout, self.drawn, self.drawn + n
        self.loaded_rows = self.loaded_rows or portion.load_rows()
        count = portion.decisions * self.drawn // portion.rows - portion.decisions * first // portion.rows
        return self.loaded_rows.at(slice(first, self.drawn)), count


@dataclass(frozen=True)
class SampledBatch:
    """Rows of an update, and the number of decisions that they stand for."""

    rows: Experience
    decisions: int


class RolloutQueue:
    """A queue of rollouts that holds a number of rows."""

    def __init__(self, capacity: int, max_lag: int | None = None) -> None:
        """Create an empty queue.

        Args:
            capacity: Rows beyond which the oldest are dropped.
            max_lag: Age in updates beyond which rows are dropped; None to drop none by age.
        """
        self._capacity, self._max_lag = capacity, max_lag
        self._queue: deque[_QueuedRollout] = deque()
        self._last_numbers: dict[int, int] = {}  # the last number of each actor
        self._stats = QueueStats()

    @property
    def num_rows(self) -> int:
        """Number of rows in the queue."""
        return sum(queued.num_left for queued in self._queue)

    def put(self, rollout: Rollout) -> bool:
        """Add a rollout; returns False for one that was added before, which is dropped.

        Args:
            rollout: The rollout.
        """
        if rollout.number <= self._last_numbers.get(rollout.actor, -1):
            self._add_stats(QueueStats(dropped_repeated=rollout.rows))
            return False
        self._last_numbers[rollout.actor] = rollout.number
        self._queue.append(_QueuedRollout(rollout))
        self._add_stats(QueueStats(dropped_full=self._drop_oldest(self.num_rows - self._capacity)))
        return True

    def pop(self, n: int, version: int) -> SampledBatch | None:
        """Remove and return the oldest rows.

        Args:
            n: Number of rows.
            version: Version of the learner.

        Returns:
            The rows; None where fewer are left that are not too old.
        """
        self._drop_stale(version)
        if self.num_rows < n:
            return None
        parts, decisions, behind = list[Experience](), 0, 0
        while n:
            first = self._queue[0]
            rows = min(n, first.num_left)
            part, stand_for = first.take(rows)
            parts.append(part)
            decisions, behind, n = decisions + stand_for, behind + rows * (version - first.rollout.version), n - rows
            self._remove_if_empty()
        experience = Experience.concatenate(parts)
        self._add_stats(QueueStats(drawn=len(experience), total_lag=behind))
        return SampledBatch(experience, decisions)

    def discard(self, num_actors: int) -> None:
        """Count actors that ended with rows that they had not delivered."""
        self._add_stats(QueueStats(lost_actors=num_actors))

    def pop_stats(self) -> QueueStats:
        """Return the counts since the last call."""
        stats, self._stats = self._stats, QueueStats()
        return stats

    def state_dict(self) -> list[dict[str, Any]]:
        """Return the state of the queue."""
        return [_rollout_to_dict(queued) for queued in self._queue]

    def load_state_dict(self, state: list[dict[str, Any]]) -> None:
        """Restore a state."""
        self._queue = deque(_rollout_from_dict(queued) for queued in state)
        self._last_numbers = {queued.rollout.actor: queued.rollout.number for queued in self._queue}

    def _drop_stale(self, version: int) -> None:
        """Drop rollouts that are too old, at any place: they may arrive out of order."""
        if self._max_lag is None:
            return
        stale = [queued for queued in self._queue if version - queued.rollout.version > self._max_lag]
        if stale:
            self._queue = deque(queued for queued in self._queue if queued not in stale)
            self._add_stats(QueueStats(dropped_stale=sum(queued.num_left for queued in stale)))

    def _drop_oldest(self, rows: int) -> int:
        """Drop a number of the oldest rows; returns the number."""
        left = max(0, rows)
        while left:
            first = self._queue[0]
            taken = min(left, first.num_left)
            first.drawn, left = first.drawn + taken, left - taken
            self._remove_if_empty()
        return max(0, rows)

    def _remove_if_empty(self) -> None:
        """Remove the first rollout where all its rows have been drawn."""
        if not self._queue[0].num_left:
            self._queue.popleft()

    def _add_stats(self, stats: QueueStats) -> None:
        self._stats += stats


def _rollout_to_dict(queued: _QueuedRollout) -> dict[str, Any]:
    names = [field.name for field in fields(Rollout) if field.name not in _CONVERTED_FIELDS]
    values = {name: getattr(queued.rollout, name) for name in names}
    rows = vars(queued.rollout.load_rows())
    return values | {"drawn": queued.drawn, "score": asdict(queued.rollout.score), "experience": rows}


def _rollout_from_dict(saved: dict[str, Any]) -> _QueuedRollout:
    rows = Experience(**saved["experience"])
    values = {field.name: saved[field.name] for field in fields(Rollout) if field.name not in _CONVERTED_FIELDS}
    if len(rows) != values["rows"] or not 0 <= saved["drawn"] < len(rows):
        raise ValueError("a portion of other rows")
    return _QueuedRollout(Rollout(**values, score=Score(**saved["score"]), load_rows=lambda: rows), saved["drawn"])


_CONVERTED_FIELDS = ("score", "load_rows")
"""Fields of a rollout that a state holds in another form."""
