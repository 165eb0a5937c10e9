"""The settings of a training run, which its folder keeps."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.core import (
    NUM_THREADS,
    SEED_RANGE,
    UNIT_INTERVAL,
    ErrorCode,
    FloatRange,
    GameError,
    SettingError,
    apply_settings,
    check_path,
    format_value,
    read_json_file,
    setting,
    settings_to_json,
)
from abl_cards.games import Engine, game_names, load

PRESET_OVERRIDES: dict[str, dict[str, Any]] = {
    "quick": {
        "total_decisions": 8_000_000,
        "num_envs": 512,
        "critic_warmup_updates": 3,
        "kb_opponent_share": 0.4,
        "past_opponent_share": 0.1,
    }
}
"""Settings of a run that a preset changes, where nothing else is given."""
NON_NEGATIVE, POSITIVE = range(1 << 31), range(1, 1 << 31)
"""Ranges of counts that may be 0, and of counts that may not."""
NO_LIMIT = (1 << 62) - 1
"""Decisions of a run that ends by time alone."""
PROCESS_RANGE = range(1, 1025)
"""Range of numbers of processes and of their threads."""
WEIGHT_RANGE = FloatRange(0, 1e9)
"""Range of weights of losses."""
NO_DIRECTORY = Path()
"""The directory of settings that name none."""
SETTINGS_FILE = "settings.json"
"""Name of the file in a run's folder that holds its settings."""


@dataclass(frozen=True)
class TrainConfig:
    """Settings of a training run: ``abl-cards train GAME --settings`` lists them with their meaning.

    A field that is None is set by the preset, or by the defaults of a user's network
    (``learners.model_networks.MODEL_PPO``).
    """

    directory: Path = NO_DIRECTORY  # folder of checkpoint, metrics and weights; by default runs/GAME-PRESET
    game: str = "guandan"
    preset: str = setting(
        "small",
        "the networks: quick, small, small-stakes, paper, planes-small, planes-paper or planes-abl",
    )
    abln: bool = setting(True, "estimate the hidden hands; false trains the twin without ABLN")
    seed: int = setting(0, "seed of weights, cards and choices", SEED_RANGE)
    total_decisions: int = setting(
        10_000_000,
        "decisions of self-play; the run ends at the first update after them",
        range(NO_LIMIT + 1),
        formerly="decisions",
    )
    num_envs: int = setting(
        2048,
        "tables played side by side; a run may go on with another number",
        POSITIVE,
        formerly="tables",
    )
    kb_opponent_share: float = setting(
        0.25, "share of the tables where the learner plays against agent kb", UNIT_INTERVAL, formerly="against_kb"
    )
    past_opponent_share: float = setting(
        0.25, "share of the tables where it plays against its former weights", UNIT_INTERVAL, formerly="against_past"
    )
    snapshot_interval: int = setting(
        100, "updates between two snapshots for the league", POSITIVE, formerly="remember_every"
    )
    checkpoint_interval: int = setting(5, "updates between two checkpoints", POSITIVE, formerly="save_every")
    labelled_fraction: float = setting(
        1.0,
        "share of the episodes with true hands for ABLN; others are abduced",
        UNIT_INTERVAL,
        formerly="revealed",
    )
    init_from: Path | None = setting(
        None, "weights to start from; those of a twin without ABLN fit too", formerly="start"
    )
    prior_scale: float | None = setting(
        None,
        "initial weight of the preference costs in the policy logits (0: none)",
        WEIGHT_RANGE,
        formerly="trust",
    )
    records: Path | None = setting(None, "file of records for supervised training before self-play")
    held_out_matches: int = setting(
        40, "matches at the end of the records that are held out", NON_NEGATIVE, formerly="held_out"
    )
    pretrain_agent: str | None = setting(
        None, "agent whose games ABLN learns from first; kb where there are records", formerly="own_player"
    )
    pretrain_decisions: int = setting(
        240_000, "decisions of the games of pretrain_agent", NON_NEGATIVE, formerly="own_lessons"
    )
    pretrain_episodes: int = setting(
        0,
        "episodes of pretrain_agent for the policy; a fifth is held out",
        NON_NEGATIVE,
        formerly="own_games",
    )
    abln_pretrain_steps: int = setting(
        3_000, "steps of ABLN in supervised training", NON_NEGATIVE, formerly="abln_steps"
    )
    policy_pretrain_steps: int = setting(
        3_500,
        "steps of the policy in supervised training",
        NON_NEGATIVE,
        formerly="decision_steps",
    )
    critic_warmup_updates: int = setting(
        10,
        "updates at the start that train the critic alone; none with model=",
        NON_NEGATIVE,
        formerly="critic_first",
    )
    critic_finetune_decisions: int = setting(
        0,
        "decisions of own games for the critic after self-play",
        NON_NEGATIVE,
        formerly="critic_lessons",
    )
    critic_finetune_steps: int | None = setting(
        None, "steps of the critic on these decisions; none uses each once", NON_NEGATIVE, formerly="critic_steps"
    )
    distill_decisions: int = setting(0, "decisions of own games that train a rollout network; 0: none", NON_NEGATIVE)
    learning_rate: float | None = setting(None, "learning rate of PPO; none is the preset's", UNIT_INTERVAL)
    anneal_lr: bool | None = setting(None, "let learning_rate fall to a tenth at total_decisions; none is the preset's")
    ent_coef: float | None = setting(
        None, "weight of the policy's entropy; none is the preset's", WEIGHT_RANGE, formerly="entropy"
    )
    gamma: float | None = setting(None, "discount of rewards for each decision; none is the preset's", UNIT_INTERVAL)
    gae_lambda: float | None = setting(
        None, "lambda of generalised advantages; none is the preset's", UNIT_INTERVAL, formerly="trace"
    )
    trick_point_reward: float | None = setting(
        None, "reward for each trick point (worth/2); none is the preset's", formerly="worth"
    )
    clip_coef: float | None = setting(None, "clip range of PPO's probability ratio; none is the preset's", WEIGHT_RANGE)
    vf_coef: float | None = setting(None, "weight of the value loss; none is the preset's", WEIGHT_RANGE)
    max_grad_norm: float | None = setting(None, "greatest norm of the gradients; none is the preset's", WEIGHT_RANGE)
    num_epochs: int | None = setting(None, "passes over the decisions of an update; none is the preset's", POSITIVE)
    lookahead_share: float = setting(
        0.0,
        "share of the decisions whose look-ahead the learner learns from",
        UNIT_INTERVAL,
        formerly="foresight",
    )
    lookahead_deals: int = setting(
        1,
        "deals of a look-ahead: the true one first, then sampled ones",
        POSITIVE,
        formerly="foresight_deals",
    )
    lookahead_temperature: float = setting(
        0.5, "points that weigh as much as a factor e of probability", formerly="foresight_temperature"
    )
    lookahead_loss_weight: float = setting(
        0.5, "weight of the look-ahead in the policy loss", WEIGHT_RANGE, formerly="foresight_weight"
    )
    lookahead_value_share: float = setting(
        0.0, "share of the look-ahead value in the critic's target", UNIT_INTERVAL, formerly="foresight_values"
    )
    rollout_size: int | None = setting(
        None, "decisions with a choice in an update; none is the preset's", POSITIVE, formerly="rows"
    )
    minibatch_size: int | None = setting(
        None,
        "decisions in a step of learning; none is the preset's",
        POSITIVE,
        formerly="batch",
    )
    ema_decay: float = setting(
        0.998,
        "decay of the running mean of weights that plays in the end",
        UNIT_INTERVAL,
        formerly="averaged",
    )
    kb: Path | None = setting(None, "rule folder in place of the game's own, as --kb")
    profile: str | None = setting(None, "profile of the rules, as --profile")
    second_profile: str | None = setting(
        None, "second profile that some tables play by, for one player of both", formerly="also"
    )
    second_profile_share: float = setting(
        0.5, "share of the tables that play by second_profile", UNIT_INTERVAL, formerly="also_share"
    )
    choice_epsilon: float = setting(
        0.0,
        "epsilon for bids and card exchanges; otherwise the preferences decide",
        UNIT_INTERVAL,
        formerly="stray",
    )
    clingo: Path | None = setting(None, "folder of rules without a circuit, which clingo solves for each move; slow")
    device: str = setting("cpu", "device of the networks: cpu or cuda")
    precision: str = setting("float32", "precision of matrix products: float32 or bfloat16")
    queue_capacity: int | None = setting(
        None,
        "decisions that the rollout queue holds; none is three updates and open episodes",
        POSITIVE,
        formerly="pool",
    )
    max_policy_lag: int | None = setting(
        None,
        "updates after which older decisions are dropped; none is never",
        NON_NEGATIVE,
        formerly="stale",
    )
    actors: int | None = setting(
        None,
        "Ray processes that only play; none is one a processor",
        range(1025),
    )
    workers: int | None = setting(
        None,
        "processes that play and learn; none is one a processor",
        PROCESS_RANGE,
    )
    threads: int | None = setting(None, "threads of torch in each process; with 1 a run repeats exactly", PROCESS_RANGE)

    def __post_init__(self) -> None:
        """Replace texts by paths in the fields that hold paths, and the numbers of NumPy by Python's, for JSON.

        Raises:
            GameError: A path is an empty text.
        """
        for option in fields(self):
            if isinstance(value := getattr(self, option.name), np.generic):
                object.__setattr__(self, option.name, value.item())
            if "Path" in str(option.type) and isinstance(value := getattr(self, option.name), str):
                object.__setattr__(self, option.name, check_path(option.name, value))

    @property
    def num_processes(self) -> int:
        """Number of processes that train."""
        several = self.device == "cpu" and self.threads is None
        return max(1, min(self.workers or (NUM_THREADS if several else 1), self.num_envs))

    def load_engine(self) -> Engine:
        """Return the game by the rules of the run; raises KBError, GameError."""
        return load(self.game).engine(self.kb, self.profile)

    def shell_command(self) -> str:
        """Return the shell command of a run with these settings."""
        changed = [option for option in fields(self)[2:] if getattr(self, option.name) != option.default]
        words = (
            f"--set {shlex.quote(f'{option.name}={format_value(getattr(self, option.name))}')}" for option in changed
        )
        return " ".join([f"abl-cards train {self.game}", *words])

    def to_json(self) -> dict[str, object]:
        """Return the settings as plain values, with absolute paths of rules and without the directory."""
        absolute = replace(self, kb=self.kb and self.kb.absolute(), clingo=self.clingo and self.clingo.absolute())
        return {name: value for name, value in settings_to_json(absolute).items() if name != "directory"}

    def with_absolute_paths(self) -> TrainConfig:
        """Return the settings with absolute paths, for a process in another folder."""
        absolute = replace(self, kb=self.kb and self.kb.absolute(), clingo=self.clingo and self.clingo.absolute())
        ours = self.game in game_names()
        return absolute if ours else replace(absolute, game=str(Path(self.game).absolute()))


def make_mismatch_error(file: Path, begun: Mapping[str, object], changed: Iterable[str]) -> GameError:
    """Return the error for a run that was begun with other settings.

    Args:
        file: File of the run that holds what was learned.
        begun: Settings that the run was begun with.
        changed: Names of the settings that differ.
    """
    what = "; ".join(f"{name}: begun with {format_value(begun.get(name))}" for name in changed)
    return GameError(f"{file}: {what}. Leave out these settings, or choose another folder", ErrorCode.RUN_MISMATCH)


def create_config(game: str, preset: str) -> TrainConfig:
    """Return the settings of a run of a preset, without a folder.

    Args:
        game: Name or folder of the game.
        preset: Name of the preset.
    """
    return replace(TrainConfig(Path(), game=game, preset=preset), **PRESET_OVERRIDES.get(preset, {}))


def run_name(game: str, preset: str) -> str:
    """Return the name of a run and of its weights.

    Args:
        game: Name or folder of the game.
        preset: Name of the preset, or of the class of a custom network.
    """
    return f"{Path(game).resolve().name}-{preset}"


def read_config(directory: str | Path) -> TrainConfig | None:
    """Read the settings of the run in a folder.

    Args:
        directory: The folder.

    Returns:
        The settings; None where there is no run.

    Raises:
        GameError: The file is damaged.
    """
    directory = check_path("directory", directory)
    file = directory / SETTINGS_FILE
    try:
        values = read_json_file(file)
        words = [f"{name}={'none' if value is None else value}" for name, value in values.items()]
        return apply_settings(TrainConfig(directory), words, ("directory",))
    except FileNotFoundError:
        return None
    except (GameError, ValueError, AttributeError, SettingError) as problem:
        raise GameError(
            f"{file}: not the settings of a run ({problem}); move it away and give them again", ErrorCode.INVALID_JSON
        ) from None
