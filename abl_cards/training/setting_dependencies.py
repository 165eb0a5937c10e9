"""Settings of a run that are read only where another setting is on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import PRESETS, REGRET
from abl_cards.training.settings import TrainConfig, read_config


@dataclass(frozen=True)
class SettingDependency:
    """Settings that need another one.

    Attributes:
        names: Names of the settings.
        is_met: Function of the settings and the names of the user's networks: whether the settings are read.
        remedy: What to set for them to be read.
    """

    names: tuple[str, ...]
    is_met: Callable[[TrainConfig, Collection[str]], bool]
    remedy: str


def _uses_abln(settings: TrainConfig, own: Collection[str]) -> bool:
    preset = PRESETS.get(settings.preset)
    return settings.abln and (preset is None or preset.uses_abln or "abln" in own)


def _weighs_preferences(settings: TrainConfig, own: Collection[str]) -> bool:
    preset = PRESETS.get(settings.preset)
    return preset is None or (REGRET in preset.inputs and "policy" not in own)


def _pretrains_policy(settings: TrainConfig) -> bool:
    return settings.records is not None or settings.pretrain_episodes > 0


def _pretrains_abln(settings: TrainConfig, own: Collection[str]) -> bool:
    is_pretrained = _pretrains_policy(settings) or settings.pretrain_agent is not None
    return is_pretrained and _uses_abln(settings, own)


_WITH_ABLN = "abln=true and a preset that estimates the hidden hands, such as small"
SETTING_DEPENDENCIES = (
    SettingDependency(
        ("lookahead_deals", "lookahead_temperature", "lookahead_loss_weight", "lookahead_value_share"),
        lambda settings, own: settings.lookahead_share > 0,
        "lookahead_share above 0",
    ),
    SettingDependency(
        ("second_profile_share",), lambda settings, own: settings.second_profile is not None, "second_profile"
    ),
    SettingDependency(("held_out_matches",), lambda settings, own: settings.records is not None, "records"),
    SettingDependency(
        ("policy_pretrain_steps",), lambda settings, own: _pretrains_policy(settings), "records or pretrain_episodes"
    ),
    SettingDependency(
        ("pretrain_agent",),
        lambda settings, own: settings.pretrain_episodes > 0 or _uses_abln(settings, own),
        f"pretrain_episodes, or {_WITH_ABLN}",
    ),
    SettingDependency(
        ("pretrain_decisions", "abln_pretrain_steps"),
        _pretrains_abln,
        f"records, pretrain_agent or pretrain_episodes, and {_WITH_ABLN}",
    ),
    SettingDependency(("labelled_fraction",), _uses_abln, _WITH_ABLN),
    SettingDependency(
        ("prior_scale",), _weighs_preferences, "a preset whose policy reads the preferences, such as small"
    ),
    SettingDependency(
        ("critic_finetune_steps",),
        lambda settings, own: settings.critic_finetune_decisions > 0,
        "critic_finetune_decisions above 0",
    ),
)
"""Settings that need another one; a value that is not the default is refused where nothing reads it."""

_DEFAULTS: dict[str, Any] = {item.name: item.default for item in fields(TrainConfig)}


def find_unused_settings(settings: TrainConfig, own: Collection[str] = ()) -> dict[str, str]:
    """Return the settings that differ from their defaults but are not read.

    Args:
        settings: The settings of a run.
        own: Names of the user's networks.

    Returns:
        What is to be set for a setting to be read, by the name of the setting.
    """
    unmet = {
        name: dependency.remedy
        for dependency in SETTING_DEPENDENCIES
        if not dependency.is_met(settings, own)
        for name in dependency.names
    }
    return {name: remedy for name, remedy in unmet.items() if getattr(settings, name) != _DEFAULTS[name]}


def check_setting_dependencies(settings: TrainConfig, own: Collection[str] = ()) -> None:
    """Check that each given setting is read; those that the folder of the run stores already are accepted.

    Args:
        settings: The settings of a run.
        own: Names of the user's networks.

    Raises:
        GameError: A setting is not read (code ``setting-conflict``).
    """
    unused = find_unused_settings(settings, own)
    begun = read_config(settings.directory) if unused else None
    for name, remedy in unused.items():
        if begun is None or getattr(begun, name) != getattr(settings, name):
            raise GameError(f"{name}: not read without {remedy}; set that, or leave it out", ErrorCode.SETTING_CONFLICT)


def reset_unused_settings(settings: TrainConfig) -> TrainConfig:
    """Return the settings with the defaults of those that are not read."""
    return replace(settings, **{name: _DEFAULTS[name] for name in find_unused_settings(settings)})
