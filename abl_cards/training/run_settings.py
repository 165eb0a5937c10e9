"""Settings of a run: defaults, conflicts with custom networks, and settings that may change between parts."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError, check_settings, write_text
from abl_cards.games import Engine, Game, load, resolve_game
from abl_cards.learners import MODEL_PRESET, PRESETS, Preset, default_preset
from abl_cards.training.setting_dependencies import check_setting_dependencies
from abl_cards.training.settings import NO_DIRECTORY, SETTINGS_FILE, TrainConfig, create_config, run_name

if TYPE_CHECKING:
    from abl_cards.training.run_parts import RunParts


def get_preset(settings: TrainConfig) -> Preset:
    """Return the preset of a run; raises GameError for an unknown name."""
    if settings.preset == MODEL_PRESET:
        message = "a run with a network of your own goes on from Python only: Trainer(game, model=…, config=…)"
        raise GameError(message, ErrorCode.MODEL_CLASS_NEEDED)
    if settings.preset not in PRESETS:
        message = f"unknown preset '{settings.preset}' (there are: {', '.join(PRESETS)})"
        raise GameError(message, ErrorCode.UNKNOWN_PRESET)
    preset = PRESETS[settings.preset]
    return preset if settings.abln else preset.without_abln()


def resolve_config(game: Game | Engine | str | Path, parts: RunParts, config: TrainConfig | None) -> TrainConfig:
    """Return the settings of a run; raises GameError if they conflict with a custom network."""
    model = parts.model
    given_config: object = config
    if given_config is not None and not isinstance(given_config, TrainConfig):
        message = f"config: expected a TrainConfig, found {type(given_config).__name__}"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    given = None if isinstance(game, str) else resolve_game(game)
    name, profile = (str(game), None) if given is None else (given.name, given.profile)
    if config is None:
        config = create_config(name, default_preset(name)) if model is None else TrainConfig()
    config = replace(config, game=name, profile=config.profile if profile is None else profile)
    if model is not None:
        config = replace(config, preset=MODEL_PRESET)
        defaults = TrainConfig()
        changed = [setting for setting in _PRESET_SETTINGS if getattr(config, setting) != getattr(defaults, setting)]
        if changed:
            message = f"{', '.join(changed)}: only for the networks of a preset; leave it out with model="
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
    if config.directory == NO_DIRECTORY:
        config = replace(config, directory=Path("runs") / run_name(name, parts.label or config.preset))
    return config


def check_config(settings: TrainConfig, own: Collection[str] = ()) -> None:
    """Check settings before anything is written.

    Args:
        settings: The settings of a run.
        own: Names of the user's networks.

    Raises:
        GameError: A value is out of its range, two settings exclude each other, or one is not read.
        KBError: The rules have errors.
        OSError: The file of records cannot be read.
    """
    check_settings(settings)
    shares = settings.kb_opponent_share + settings.past_opponent_share
    if shares > 1 + 1e-9:
        message = f"kb_opponent_share and past_opponent_share make {shares:g} of the tables: 1 at most, so lower one"
        raise GameError(message, ErrorCode.SETTING_CONFLICT)
    _check_pretraining(settings)
    check_setting_dependencies(settings, own)
    rules = settings.load_engine().rules
    if rules.forms.label_min_cards.max() == 0:
        message = f"{settings.game}: all cards move by choices (asks/2), which the preferences decide: nothing to train"
        raise GameError(message, ErrorCode.UNSUPPORTED_GAME)
    if settings.trick_point_reward and not (rules.has_trick_cards and rules.card_points.any()):
        message = "trick_point_reward: these rules have no tricks with points (worth/2); leave it out"
        raise GameError(message, ErrorCode.SETTING_CONFLICT)
    if settings.second_profile is not None:
        load(settings.game).engine(settings.kb, settings.second_profile)


def _check_pretraining(settings: TrainConfig) -> None:
    """Check what is learned from before self-play; raises GameError and OSError."""
    if settings.records is not None:
        settings.records.open("rb").close()
        if settings.pretrain_episodes:
            message = "records and pretrain_episodes: the policy learns from a file or from own games; leave out one"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
    elif settings.pretrain_agent and settings.abln and not (settings.pretrain_decisions or settings.pretrain_episodes):
        message = "pretrain_decisions=0: ABLN has no games of pretrain_agent to learn from; leave out one of both"
        raise GameError(message, ErrorCode.SETTING_CONFLICT)


_PRESET_SETTINGS = (
    "records", "pretrain_agent", "pretrain_episodes", "prior_scale", "critic_finetune_decisions", "distill_decisions",
    "lookahead_share", "lookahead_value_share",
)  # fmt: skip
"""Settings that need the networks of a preset."""


def write_settings(settings: TrainConfig) -> None:
    """Write the settings to the folder, so that the command without settings resumes the run."""
    write_text(settings.directory / SETTINGS_FILE, json.dumps(settings.to_json(), indent=2, ensure_ascii=False) + "\n")


def fixed_settings(settings: TrainConfig) -> dict[str, Any]:
    """Return the settings that must not change between two parts of a run."""
    values = {name: value for name, value in asdict(settings).items() if name not in _CHANGEABLE_SETTINGS}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


REDEAL_SETTINGS = (
    "workers", "num_envs", "kb_opponent_share", "past_opponent_share", "lookahead_share", "second_profile_share",
)  # fmt: skip
"""Settings whose change deals new cards; the decisions of open episodes are lost."""

_CHANGEABLE_SETTINGS = (
    "directory", "kb", "profile", "total_decisions", "checkpoint_interval", "device", "precision", "threads",
    "learning_rate", "ent_coef", "critic_warmup_updates", "critic_finetune_decisions", "critic_finetune_steps",
    "distill_decisions", "gae_lambda", "queue_capacity", "max_policy_lag", "actors", "lookahead_deals",
    "lookahead_temperature", "lookahead_loss_weight", "lookahead_value_share", "choice_epsilon", "gamma", "clip_coef",
    "vf_coef", "max_grad_norm", "num_epochs", "anneal_lr",
)  # fmt: skip
"""Settings that may change between two parts of a run; the path of the rules may, their contents may not."""
