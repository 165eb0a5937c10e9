"""Measurements of an update, of one process and of a whole run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from abl_cards.training.metrics import OPPONENT_NAMES
from abl_cards.training.rollout_queue import QueueStats
from abl_cards.training.selfplay import Score
from abl_cards.training.updates import UpdateStats


@dataclass(frozen=True)
class IterationStats:
    """Measurements of one iteration: play until there is enough data, then one update."""

    decisions: int
    score: Score
    update_stats: UpdateStats
    queue_stats: QueueStats

    @classmethod
    def combine(cls, parts: Sequence[IterationStats]) -> IterationStats:
        """Return the sums and means over several processes."""
        score = sum((part.score for part in parts), Score.zero(len(OPPONENT_NAMES)))
        update_stats = UpdateStats.mean([part.update_stats for part in parts])
        queue_stats = QueueStats.total([part.queue_stats for part in parts])
        return cls(sum(part.decisions for part in parts), score, update_stats, queue_stats)


@dataclass(frozen=True)
class TrainingReport:
    """The state of a run after an update."""

    update: int
    decisions: int
    seconds: float  # of the whole run
    decisions_per_second: float  # since the report before
    score: Score
    update_stats: UpdateStats
    queue_stats: QueueStats

    def summary(self) -> str:
        """Return one line of text: decisions per second, and shares of episodes won."""
        opponents = [(index, name) for index, name in enumerate(OPPONENT_NAMES) if index and self.score.episodes[index]]
        wins = [f"{self.score.won[index] / self.score.episodes[index]:.1%} against {name}" for index, name in opponents]
        return (
            f"{self.decisions_per_second:,.0f} decisions/s  wins {', '.join(wins)}"
            if wins
            else f"{self.decisions_per_second:,.0f} decisions/s"
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values without nesting: a line of ``metrics.jsonl``."""
        values: dict[str, Any] = {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "pace": round(self.decisions_per_second, 1),
        }
        for index, name in enumerate(OPPONENT_NAMES):
            episodes = int(self.score.episodes[index])
            if index and episodes:
                values[f"episodes against {name}"] = episodes
                values[f"wins against {name}"] = round(int(self.score.won[index]) / episodes, 4)
                values[f"points against {name}"] = round(float(self.score.points[index]) / episodes, 4)
        learned = asdict(self.update_stats).items()
        values |= {name: None if value is None else round(value, 6) for name, value in learned}
        return values | _queue_metrics(self.queue_stats)


def _queue_metrics(stats: QueueStats) -> dict[str, Any]:
    """Return the measurements of the rollout queue."""
    staleness = stats.staleness
    return {
        "staleness": None if staleness is None else round(staleness, 3),
        "thrown away, pool full": stats.dropped_full,
        "thrown away, stale": stats.dropped_stale,
        "thrown away, repeated": stats.dropped_repeated,
        "actors lost": stats.lost_actors,
    }
