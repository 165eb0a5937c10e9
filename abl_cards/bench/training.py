"""The joint loop: decisions a second with everything, play, hidden hands, the rules and both networks' learning."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from abl_cards.bench.figures import Measurement, find_target, measure_seconds
from abl_cards.bench.marks import load_targets
from abl_cards.core import GameError
from abl_cards.games import Game


@dataclass(frozen=True)
class TrainingBenchConfig:
    """How much is measured."""

    num_updates: int
    num_envs: int
    rollout_size: int | None = None  # of an update; the preset's own
    preset: str = "small"


QUICK = TrainingBenchConfig(num_updates=2, num_envs=64, rollout_size=1024)
FULL = TrainingBenchConfig(num_updates=6, num_envs=2048)

AGAINST_KB, AGAINST_PAST = 0.5, 0.1
"""As the shipped weights were trained."""


def measure_training(game: Game, config: TrainingBenchConfig) -> list[Measurement]:
    """Nothing where torch is missing, or in a game that ships no weights."""
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
            init_from=start,
            policy_pretrain_steps=0, precision="bfloat16", kb_opponent_share=AGAINST_KB,
            past_opponent_share=AGAINST_PAST, critic_warmup_updates=0,
        )  # fmt: skip
        run = Trainer.from_config(settings)
        with run.start_workers():
            run.step()
            before = run.decisions
            spent = measure_seconds(lambda: [run.step() for _ in range(config.num_updates)])
        pace = (run.decisions - before) / spent
    what = f"training of the preset {config.preset}, everything included"
    return [Measurement(what, pace, "decisions/s", find_target(load_targets(game.name), "training"))]
