"""Speed of the joint loop: play, hidden hands, rules, and the learning of both networks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from abl_cards.bench.measurements import Measurement, find_target, measure_seconds
from abl_cards.bench.targets import load_targets
from abl_cards.core import GameError
from abl_cards.games import Game


@dataclass(frozen=True)
class TrainingBenchConfig:
    """Size of the measurement."""

    num_updates: int
    num_envs: int
    rollout_size: int | None = None  # decisions an update; None: that of the preset
    preset: str = "small"


QUICK = TrainingBenchConfig(num_updates=2, num_envs=64, rollout_size=1024)
FULL = TrainingBenchConfig(num_updates=6, num_envs=2048)

AGAINST_KB, AGAINST_PAST = 0.5, 0.1
"""Shares of opponents with which the shipped weights were trained."""


def measure_training(game: Game, config: TrainingBenchConfig) -> list[Measurement]:
    """Measure decisions a second; returns nothing without torch, or for a game without shipped weights."""
    if not find_spec("torch"):
        return []
    from abl_cards.learners import find_shipped_weights
    from abl_cards.training import TrainConfig, Trainer

    try:
        start = find_shipped_weights(game.name, config.preset, "supervised")
    except GameError:
        return []
    with TemporaryDirectory() as folder:
        settings = TrainConfig(
            Path(folder), game.name, config.preset, num_envs=config.num_envs, rollout_size=config.rollout_size,
            init_from=start, kb_opponent_share=AGAINST_KB, past_opponent_share=AGAINST_PAST, critic_warmup_updates=0,
        )  # fmt: skip
        run = Trainer.from_config(settings)
        with run.start_workers():
            run.step()
            before = run.decisions
            seconds = measure_seconds(lambda: [run.step() for _ in range(config.num_updates)])
        pace = (run.decisions - before) / seconds
    what = f"training of the preset {config.preset}, everything included"
    return [Measurement(what, pace, "decisions/s", find_target(load_targets(game.name), "training"))]
