"""The final weights of a run, and their card: game, preset, data, time and command."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import (
    FittedPart,
    ModelNetworks,
    Networks,
    WeightsCard,
    class_file,
    class_name,
    load_card,
    save_model,
    save_networks,
)
from abl_cards.training.run_parts import RunParts
from abl_cards.training.settings import TrainConfig


def copy_for_play(networks: Networks, policy_weights: dict[str, Any]) -> Networks:
    """Return a copy of networks with other weights of the policy.

    Args:
        networks: The networks of a run.
        policy_weights: The running mean of the policy's weights.
    """
    playing = deepcopy(networks)
    policy = playing.module if isinstance(playing, ModelNetworks) else playing.decision
    policy.load_state_dict(policy_weights)
    return playing


def save_run_weights(file: Path, playing: Networks, card: WeightsCard) -> None:
    """Save the weights that an agent plays by, and the card beside them.

    Args:
        file: File with the suffix ``.safetensors``.
        playing: The networks, from `copy_for_play`.
        card: The card.
    """
    if isinstance(playing, ModelNetworks):
        save_model(file, playing.module.state_dict(), card)
    else:
        save_networks(file, playing, card)


def make_card(
    settings: TrainConfig, networks: Networks, decisions: int, seconds: float, commands: Sequence[str]
) -> WeightsCard:
    """Return the card of the weights of a run.

    Args:
        settings: The settings of the run.
        networks: Its networks.
        decisions: Decisions of self-play so far.
        seconds: Time so far, in seconds.
        commands: The commands that made the run, in order.
    """
    is_model = isinstance(networks, ModelNetworks)
    card = WeightsCard(
        game=settings.game,
        preset=settings.preset,
        abln=networks.estimates_hands if isinstance(networks, ModelNetworks) else networks.abln is not None,
        seed=settings.seed,
        data=_describe_data(settings),
        steps=decisions,
        hours=round(seconds / 3600, 2),
        profile=settings.profile,
        choice_epsilon=settings.choice_epsilon,
        command="; then ".join(commands),
    )
    if not is_model:
        return card
    model_class = type(networks.module)
    return replace(card, model_class=class_name(model_class), model_file=class_file(model_class))


def unsaved_models(networks: Networks) -> list[str]:
    """Return the names of the classes of models that fit themselves and have no weights that can be saved."""
    parts = (part for _, part in networks.parts.items())
    return [part.model_name for part in parts if isinstance(part, FittedPart) and not part.is_saved]


def check_saved(networks: Networks) -> None:
    """Raise GameError where a custom model has no weights that can be saved."""
    if names := unsaved_models(networks):
        raise GameError(
            f"{', '.join(names)}: the model cannot be saved: give it the methods state_dict and load_state_dict, or "
            "train it with trainer.step() inside trainer.start_workers(), and save it yourself",
            ErrorCode.SETTING_CONFLICT,
        )


def describe_command(settings: TrainConfig, parts: RunParts) -> str:
    """Return the command, or the expression in Python, that makes such a run.

    Args:
        settings: The settings of the run.
        parts: The parts that the user gave.
    """
    if not parts:
        return settings.shell_command()
    first = 3 if parts.model is not None else 2  # a model has no preset
    changed = [field for field in fields(TrainConfig)[first:] if getattr(settings, field.name) != field.default]
    values = ", ".join(f"{field.name}={getattr(settings, field.name)!r}" for field in changed)
    return f"Trainer({settings.game!r}, {', '.join(parts.describe())}, config=TrainConfig({values}))"


def _describe_data(settings: TrainConfig) -> str:
    """Return the data that the weights come from."""
    before = load_card(settings.init_from).data if settings.init_from else settings.records and settings.records.name
    if settings.pretrain_episodes and not before:
        before = f"{settings.pretrain_episodes} games of {settings.pretrain_agent or 'kb'}"
    return f"self-play, from {before}" if before else "self-play"
