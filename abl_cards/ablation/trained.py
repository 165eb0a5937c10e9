"""Train twins of equal budget, one without a part that is learned, over several seeds.

The agent of the first seed is trained for some minutes. Every other training ends at the first update after as many
decisions, by the same settings, so that all have the same budget independent of the load of the machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.agents import rules_fingerprint
from abl_cards.core import (
    ErrorCode,
    GameError,
    SettingError,
    append_result,
    apply_settings,
    check_settings,
    find_stored_inputs,
    read_results,
    result_key,
)
from abl_cards.games import Engine, load

if TYPE_CHECKING:
    from abl_cards.training import TrainConfig

SHORT_RUN: dict[str, Any] = {
    "preset": "small", "num_envs": 256, "rollout_size": 4096, "minibatch_size": 512, "learning_rate": 5e-4,
    "critic_warmup_updates": 2, "ema_decay": 0.98,
}  # fmt: skip
"""Settings that learn within minutes, with an estimate of the hidden hands; those of experiment ``joint_loop``."""
TRAINING_FILE = "trainings.jsonl"
"""Name of the file of finished trainings."""

TrainingProgress = Callable[[str, int, int | None, str], None]
"""Called with a training, its decisions so far, the decisions of the budget where they are known, and a remark."""


@dataclass(frozen=True)
class LearnedPart:
    """Part of an agent that it learns with, and that a twin is trained without.

    Attributes:
        name: Name of the part, or ``SETTING=VALUE``.
        description: The part in a few words.
        settings: Settings of the training of the twin that differ.
    """

    name: str
    description: str
    settings: Mapping[str, Any]


LEARNED_PARTS = (
    LearnedPart("abln", "the estimate of the hidden hands", {"abln": False}),
    LearnedPart("prior", "the costs of the preferences in the policy, from the start", {"prior_scale": 0.0}),
    LearnedPart("true-hands", "true hands that ABLN learns from; else abduced", {"labelled_fraction": 0.0}),
    LearnedPart("opponents", "games against kb and against former weights", {
        "kb_opponent_share": 0.0, "past_opponent_share": 0.0,
    }),
)  # fmt: skip
"""Parts that a twin can be trained without."""


def find_learned_part(name: str, config: TrainConfig) -> LearnedPart | None:
    """Return the learned part of a name, or the twin with another setting for ``SETTING=VALUE``.

    Args:
        name: Name of a part.
        config: Settings of the agent with all parts.

    Returns:
        The part; None for a name that is neither.

    Raises:
        GameError: The setting is unknown or its value is out of range.
    """
    known = next((part for part in LEARNED_PARTS if part.name == name), None)
    if known is not None or "=" not in name:
        return known
    try:
        changed = apply_settings(config, [name], FIXED_SETTINGS)
    except SettingError as problem:
        raise GameError(str(problem), ErrorCode.INVALID_SETTING) from None
    key = name.partition("=")[0]
    return LearnedPart(name, f"trained with {key}={getattr(config, key)}", {key: getattr(changed, key)})


def list_learned_parts(config: TrainConfig) -> list[LearnedPart]:
    """List the parts that a twin can be trained without, and that these settings use.

    Args:
        config: Settings of the agent with all parts.
    """
    return [part for part in LEARNED_PARTS if changes_training(part, config)]


def changes_training(part: LearnedPart, config: TrainConfig) -> bool:
    """Return whether a twin without a part is trained in another way.

    Args:
        part: The part.
        config: Settings of the agent with all parts.
    """
    from abl_cards.learners import PRESETS
    from abl_cards.training import reset_unused_settings

    twin, preset = replace(config, **part.settings), PRESETS.get(config.preset)
    if preset and not preset.uses_abln:
        twin = replace(twin, abln=config.abln)
    return reset_unused_settings(twin) != reset_unused_settings(config)


FIXED_SETTINGS = ("directory", "game", "seed", "total_decisions", "kb", "profile")
"""Settings of a training that an ablation sets itself."""


def default_twin_config() -> TrainConfig:
    """Return the settings of the trainings of an ablation, without a game."""
    from abl_cards.training import TrainConfig

    return TrainConfig(**SHORT_RUN)


def create_twin_config(engine: Engine, settings: Mapping[str, Any] | None = None) -> TrainConfig:
    """Return the settings of the trainings of an ablation, by the rules of an engine.

    Args:
        engine: Compiled game.
        settings: Settings that differ from `SHORT_RUN`, such as ``{"preset": "paper"}``.

    Raises:
        GameError: A setting is unknown, out of its range, or set by the ablation itself.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise GameError(f"settings={settings!r:.60}: give a dictionary", ErrorCode.INVALID_SETTING)
    given = dict(settings or {})
    if fixed := [name for name in given if name in FIXED_SETTINGS]:
        raise GameError(f"{fixed[0]}: the ablation sets it itself", ErrorCode.INVALID_SETTING)
    directory = engine.rules.folder.current().path
    own = load(engine.game).directory.resolve() == directory.resolve()
    try:
        config = replace(default_twin_config(), **given)
    except TypeError as problem:
        raise GameError(f"unknown setting of a training: {problem}", ErrorCode.INVALID_SETTING) from None
    check_settings(config)
    return replace(config, game=engine.game, kb=None if own else directory, profile=engine.rules.profile)


@dataclass(frozen=True)
class TrainedTwin:
    """Finished training.

    Attributes:
        weights: File of the weights.
        decisions: Decisions of self-play.
        minutes: Time that they took.
    """

    weights: Path
    decisions: int
    minutes: float


@dataclass
class TwinTrainer:
    """Trainings of one budget in a folder; finished ones are kept, and interrupted ones continue.

    Attributes:
        engine: Compiled game.
        config: Settings of the agent with all parts.
        folder: Folder of the trainings.
        minutes: Time of the training that sets the budget; not used where ``decisions`` are given.
        decisions: Budget in decisions; None for those of the first training.
        first_seed: Seed of the training that sets the budget.
        on_progress: Called while a training runs.
    """

    engine: Engine
    config: TrainConfig
    folder: Path
    minutes: float
    decisions: int | None = None
    first_seed: int = 0
    on_progress: TrainingProgress = lambda name, done, total, remark: None
    _finished: dict[str, Any] = field(default_factory=dict)
    _given_decisions: int = 0

    def __post_init__(self) -> None:
        """Read the finished trainings of the folder."""
        self._given_decisions = self.decisions or 0
        self.folder.mkdir(parents=True, exist_ok=True)
        self._finished = read_results(self.folder / TRAINING_FILE)

    @property
    def budget(self) -> int:
        """Decisions of every training; the first one is run where it is not finished."""
        if self.decisions is None:
            self.decisions = self.train(None, self.first_seed).decisions
        return self.decisions

    def train(self, part: LearnedPart | None, seed: int) -> TrainedTwin:
        """Return a finished training: the stored one, or a new one.

        Args:
            part: Part that is left out; None for the agent with all parts.
            seed: Seed of weights, deals and choices.

        Returns:
            The training.

        Raises:
            GameError: The settings or the rules cannot be trained with.
        """
        from abl_cards.training import reset_unused_settings

        sets_budget = self.decisions is None and part is None and seed == self.first_seed
        budget = {"minutes": self.minutes} if sets_budget else {"decisions": self.budget}
        config = replace(self.config, seed=seed)
        if part is not None:  # a setting of the whole agent may serve a part that the twin lacks
            config = reset_unused_settings(replace(config, **part.settings))
        plain = config.to_json()
        wanted = {"training": plain, "rules": rules_fingerprint(self.engine), "budget": budget}
        inputs = find_stored_inputs(self._finished, wanted)
        name = f"{part.name if part else 'whole'}-seed-{seed}"
        key = result_key(inputs)
        digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:8]
        safe_name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
        directory = self.folder / f"{safe_name}-{digest}"
        if key not in self._finished or not (directory / self._finished[key]["weights"]).is_file():
            result = self._run(replace(config, directory=directory), name, budget)
            self._finished[key] = append_result(self.folder / TRAINING_FILE, inputs, result)
        result = self._finished[key]
        return TrainedTwin(directory / result["weights"], result["decisions"], result["minutes"])

    def _run(self, config: TrainConfig, name: str, budget: Mapping[str, float]) -> dict[str, Any]:
        """Train until the budget is used up; returns plain values."""
        from abl_cards.training import NO_LIMIT, Trainer, fit_whole_run

        total = int(budget["decisions"]) if "decisions" in budget else None
        config = replace(config, total_decisions=max(config.total_decisions, self._given_decisions))
        trainer = Trainer.from_config(config, lambda done, remark: self.on_progress(name, done, None, remark))

        def on_update(metrics: Mapping[str, Any]) -> None:
            self.on_progress(name, trainer.decisions, total, trainer.progress_text)
            if total is not None and trainer.decisions >= total:
                trainer.stop()

        if total is None:
            fit_whole_run(trainer, budget["minutes"], [on_update])
        elif trainer.decisions < total:
            trainer.fit(None, NO_LIMIT, [on_update])  # not total, so that a learning rate falls as in the first one
        trainer.save_weights(trainer.weights_path)
        return {
            "decisions": trainer.decisions, "minutes": round(trainer.seconds / 60, 2),
            "weights": trainer.weights_path.name,
        }  # fmt: skip
