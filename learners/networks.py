"""The networks of a player: ABLN, policy and critic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from abl_cards.core import seed64
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.rollouts import position_shape
from abl_cards.games.tables import CardPlanes, raise_no_planes
from abl_cards.games.types import FeatureTable
from abl_cards.learners.abln import ABLN
from abl_cards.learners.decision import PolicyNetwork, PrivilegedCritic
from abl_cards.learners.encoders import ObservationLayout
from abl_cards.learners.network_parts import (
    NO_PARTS,
    AblnPart,
    CriticPart,
    NetworkParts,
    PolicyPart,
)
from abl_cards.learners.plane_features import PlaneFeatures
from abl_cards.learners.plane_resnet import PlanePolicyNetwork, SharedValueHead
from abl_cards.learners.presets import Preset

if TYPE_CHECKING:
    from abl_cards.learners.rollout_network import RolloutWeights

BF16_ROW_MULTIPLE = 32
"""Number that the rows of a batch in half precision are a multiple of.

For every new number of rows oneDNN compiles kernels, which takes half a millisecond each, longer than a few more rows.
"""


@dataclass(frozen=True)
class GameShape:
    """Sizes of a game for the construction of networks."""

    observation: FeatureTable
    num_labels: int
    num_others: int  # seats besides the observer's
    copies: tuple[int, ...] = (2,) * 54  # of each kind of card
    load_planes: Callable[[], CardPlanes] = raise_no_planes  # makes card planes; raises GameError for games without
    num_options: int = 0  # of choices such as bids and cards to give; their actions come after the labels
    num_position_inputs: int = 0  # of a position, for compiled rollouts

    def __deepcopy__(self, memo: dict[int, Any]) -> GameShape:
        """Return the same object, which never changes: a copy of networks must not copy the engine."""
        return self

    @property
    def num_features(self) -> int:
        """Number of features of an observation."""
        return self.observation.size

    @property
    def num_actions(self) -> int:
        """Number of actions: labels, then options."""
        return self.num_labels + self.num_options

    @property
    def num_cards(self) -> int:
        """Number of kinds of cards."""
        return len(self.copies)

    @classmethod
    def of(cls, game: Engine | Game | str | Path) -> GameShape:
        """Return the sizes of a game.

        Args:
            game: An engine, a game, its name, or the path of a rule folder.

        Raises:
            GameError: The game does not exist.
            KBError: The rules have errors.
        """
        engine = compile_engine(game)
        sizes = len(engine.labels), len(engine.teams) - 1, tuple(engine.rules.pack.copies.tolist())
        return cls(
            engine.observation_features, *sizes, partial(getattr, engine, "planes"), engine.num_options,
            position_shape(engine.rules).num_inputs,
        )  # fmt: skip


HandsNetwork = ABLN | AblnPart
"""An estimator of the hidden hands: that of a preset, or one of the user."""


class Networks(nn.Module):
    """ABLN, policy and critic of a preset, with weights initialised from a seed."""

    abln: HandsNetwork | None
    decision: PolicyNetwork | PlanePolicyNetwork | PolicyPart
    critic: PrivilegedCritic | SharedValueHead | CriticPart
    rollout_weights: RolloutWeights | None = None
    """Weights of the rollout network, which is trained after the others; None without one."""
    opponent_weights: RolloutWeights | None = None
    """Weights of the opponent model, a network of positions that weights deals; None where there is none."""

    def __init__(self, preset: Preset, shape: GameShape, seed: int = 0, parts: NetworkParts = NO_PARTS) -> None:
        """Create the networks; custom parts do not change the initial weights of the others."""
        super().__init__()
        if parts.abln is not None:
            preset = preset.with_abln()
        self.preset, self.shape, self.precision = preset, shape, "float32"
        self.has_trained_critic = False  # whether the critic has been trained
        self.has_explored_choices = False  # whether it was trained on random choices (bids, cards to give) too
        layout = ObservationLayout.of(shape.observation)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed64(seed))
            abln = ABLN(layout, preset, shape.num_others, shape.copies) if preset.uses_abln else None
            decision, critic = _create_policy_and_critic(layout, preset, shape)
            if parts.policy is not None and isinstance(critic, SharedValueHead):  # a head of the policy that is gone
                critic = PrivilegedCritic(layout, preset, shape.num_labels, shape.num_others, shape.num_cards)
        self.abln = abln if parts.abln is None else parts.abln
        self.decision = decision if parts.policy is None else parts.policy
        self.critic = critic if parts.critic is None else parts.critic

    @property
    def parts(self) -> NetworkParts:
        """The custom networks among these networks."""
        return NetworkParts(
            self.decision if isinstance(self.decision, PolicyPart) else None,
            self.critic if isinstance(self.critic, CriticPart) else None,
            self.abln if isinstance(self.abln, AblnPart) else None,
        )

    @property
    def reads_prior(self) -> bool:
        """True if the estimate of the hidden hands by counting is an input of some network."""
        return self.abln is not None or isinstance(self.decision, PolicyPart)

    def autocast(self) -> torch.autocast:
        """Return the context in which matrix products are made in the networks' precision."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    @property
    def num_actions(self) -> int:
        """Number of actions of a stored decision: the labels, since preferences decide choices."""
        return self.shape.num_labels

    @property
    def max_open_rows(self) -> int:
        """Number of stored decisions of a running episode that memory is reserved for, for each team."""
        return 60

    @property
    def row_multiple(self) -> int:
        """Number that the rows of a batch should be a multiple of."""
        return BF16_ROW_MULTIPLE if self.precision == "bfloat16" else 1

    @property
    def dtype(self) -> torch.dtype:
        """Dtype of the inputs inside ``autocast``."""
        return torch.bfloat16 if self.precision == "bfloat16" else torch.float32

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next((weight.device for weight in self.parameters()), torch.device("cpu"))


def _create_policy_and_critic(
    layout: ObservationLayout, preset: Preset, shape: GameShape
) -> tuple[PolicyNetwork | PlanePolicyNetwork, PrivilegedCritic | SharedValueHead]:
    """Create policy and critic of a preset; raises GameError for planes in a game that has none."""
    sizes = shape.num_labels, shape.num_others, shape.num_cards
    if preset.plane_resnet is None:
        return PolicyNetwork(layout, preset, *sizes), PrivilegedCritic(layout, preset, *sizes)
    looking = PlanePolicyNetwork(PlaneFeatures(shape.load_planes(), shape.observation), preset, shape.num_others)
    return looking, SharedValueHead(
        looking, preset.plane_resnet.hidden_width
    ) if preset.plane_resnet.has_value_head else PrivilegedCritic(layout, preset, *sizes)
