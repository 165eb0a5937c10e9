"""User-defined parts of a run, and the settings that they exclude."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from abl_cards.agents import probe_model, probe_parts
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.learners import (
    FittedPart,
    GameShape,
    ModelNetworks,
    Networks,
    class_name,
    load_model,
    load_weights,
    wrap_parts,
)
from abl_cards.training.abduction import OUR_REASONER, ReasonerParts
from abl_cards.training.run_settings import get_preset
from abl_cards.training.settings import TrainConfig
from abl_cards.training.worker import check_precision, create_networks, move_to_device


@dataclass(frozen=True)
class RunParts:
    """User-defined parts of a run; None for the built-in ones.

    Attributes:
        model: One network for policy, value and hands.
        policy: The policy.
        critic: The critic.
        abln: The estimate of the hidden hands.
        reasoner: The parts of abduction.
    """

    model: object = None
    policy: object = None
    critic: object = None
    abln: object = None
    reasoner: ReasonerParts = OUR_REASONER

    def __bool__(self) -> bool:
        return bool(self.networks) or bool(self.reasoner)

    @property
    def networks(self) -> dict[str, object]:
        """User-defined networks by name."""
        named = {"model": self.model, "policy": self.policy, "critic": self.critic, "abln": self.abln}
        return {name: network for name, network in named.items() if network is not None}

    @property
    def label(self) -> str | None:
        """Name of the class of the first network, for the folder of a run; None where there is none."""
        first = next(iter(self.networks.values()), None)
        return None if first is None else type(getattr(first, "base_model", first)).__name__

    def check(self, settings: TrainConfig, is_local: bool) -> None:
        """Raise GameError if parts exclude each other, or conflict with the settings or with processes elsewhere."""
        names = list(self.networks)
        if self.model is not None and len(names) > 1:
            others = " and ".join(f"{name}=" for name in names[1:])
            message = f"model= is policy, value and hands in one: leave out {others}"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        if self.abln is not None and not settings.abln:
            message = "abln=false trains without an ABLN, and abln= is one: leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        if self and not is_local:
            message = "a network or reasoner of your own trains on this machine only: leave out Ray"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        if self.reasoner and settings.second_profile is not None:
            message = "second_profile: a reasoner of your own plays by one profile; leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)

    def create_networks(self, settings: TrainConfig, engine: Engine) -> Networks:
        """Return the networks of a run with their first weights, on its device.

        Args:
            settings: The settings of the run; weights to begin with are loaded.
            engine: The game.

        Raises:
            GameError: A custom network fails, or breaks its interface, or the weights do not fit.
        """
        if self.model is not None:
            networks = _wrap_model(settings, self.model, engine)
            if settings.init_from:
                load_model(settings.init_from, networks.module)
            return networks
        own = {name: network for name, network in self.networks.items() if name != "model"}
        parts = wrap_parts(GameShape.of(engine), **own)
        preset_networks = create_networks(settings, get_preset(settings), engine, parts)
        probe_parts(preset_networks, engine)
        fitted = [name for name, part in parts.items() if isinstance(part, FittedPart)]
        if fitted and (settings.num_processes > 1 or settings.second_profile is not None):
            message = f"{', '.join(fitted)}: a model that fits itself trains in one process, by one profile: workers=1"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        if settings.init_from:
            load_weights(settings.init_from, preset_networks)
        return preset_networks

    def replace_networks(self, policy: object, critic: object, abln: object) -> RunParts:
        """Return the parts with other networks where these are given."""
        given = {"policy": policy, "critic": critic, "abln": abln}
        return replace(self, **{name: network for name, network in given.items() if network is not None})  # type: ignore[arg-type]

    def describe(self) -> list[str]:
        """Return the arguments of `Trainer` that name these parts, for the command of a card."""
        words = [f"{name}={_describe_object(network)}" for name, network in self.networks.items()]
        named = {name: getattr(self.reasoner, name) for name in ("reasoner", "consistency", "distance")}
        return words + [f"{name}={_describe_object(part)}" for name, part in named.items() if part is not None]


def _describe_object(part: object) -> str:
    """Return how a user made an object, without its arguments."""
    part = getattr(part, "base_model", part)
    is_function = callable(part) and hasattr(part, "__qualname__")
    return str(part.__qualname__) if is_function else f"{class_name(type(part))}(…)"  # type: ignore[attr-defined]


def _wrap_model(settings: TrainConfig, model: object, engine: Engine) -> ModelNetworks:
    """Return a custom network as the networks of a run, on its device; raises GameError where it fails."""
    check_precision(settings.precision)
    if not isinstance(model, torch.nn.Module):
        message = f"model: expected a torch.nn.Module, found {type(model).__name__}; pass an object, not a class"
        raise GameError(message, ErrorCode.MODEL_FAILED)
    move_to_device(model, settings.device)
    networks = ModelNetworks(model, GameShape.of(engine), settings.precision)
    probe_model(networks, engine)
    return networks.eval()
