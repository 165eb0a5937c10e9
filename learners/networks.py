"""The networks of one player together: what estimates, what decides, and what values in training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from abl_cards.core import seed64
from abl_cards.games import Engine
from abl_cards.games.tables import CardPlanes, raise_no_planes
from abl_cards.games.types import FeatureTable
from abl_cards.learners.abln import ABLN
from abl_cards.learners.decision import PolicyNetwork, PrivilegedCritic
from abl_cards.learners.encoders import ObservationLayout
from abl_cards.learners.plane_features import PlaneFeatures
from abl_cards.learners.plane_resnet import PlanePolicyNetwork, SharedValueHead
from abl_cards.learners.presets import Preset

BF16_ROW_MULTIPLE = 32
"""Rows of a batch in half precision come in multiples of this.

For every new number of rows the library that makes the products makes kernels of its own first. That takes half a
millisecond each, longer than a few rows more.
"""


@dataclass(frozen=True)
class GameShape:
    """The sizes of a game that networks are built for."""

    observation: FeatureTable
    num_labels: int
    num_others: int  # seats besides the observer's
    copies: tuple[int, ...] = (2,) * 54  # of each kind of card
    load_planes: Callable[[], CardPlanes] = raise_no_planes  # of games whose labels can be shown; raises GameError
    num_options: int = 0  # of choices such as bids and cards to give; their actions come after the labels

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
        """How many kinds of cards there are."""
        return len(self.copies)

    @classmethod
    def of(cls, engine: Engine) -> GameShape:
        """The sizes of a game."""
        sizes = len(engine.labels), len(engine.teams) - 1, tuple(engine.rules.pack.copies.tolist())
        return cls(engine.observation_features, *sizes, partial(getattr, engine, "planes"), engine.num_options)


class Networks(nn.Module):
    """Made from a preset and a seed."""

    def __init__(self, preset: Preset, shape: GameShape, seed: int = 0) -> None:
        super().__init__()
        self.preset, self.shape, self.precision = preset, shape, "float32"
        self.has_trained_critic = False  # whether the critic has learned what positions are worth
        self.has_explored_choices = (
            False  # and what comes of choices (bids, cards to give) that strayed from the preferences
        )
        layout = ObservationLayout.of(shape.observation)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed64(seed))
            self.abln = ABLN(layout, preset, shape.num_others, shape.copies) if preset.uses_abln else None
            self.decision, self.critic = _create_policy_and_critic(layout, preset, shape)

    def autocast(self) -> torch.autocast:
        """Where matrix products are made in the networks' precision, and the rest in float32."""
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
        """What the rows of a batch should be a multiple of."""
        return BF16_ROW_MULTIPLE if self.precision == "bfloat16" else 1

    @property
    def dtype(self) -> torch.dtype:
        """What their inputs are made of inside ``autocast``."""
        return torch.bfloat16 if self.precision == "bfloat16" else torch.float32

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.decision.parameters()).device


def _create_policy_and_critic(
    layout: ObservationLayout, preset: Preset, shape: GameShape
) -> tuple[PolicyNetwork | PlanePolicyNetwork, PrivilegedCritic | SharedValueHead]:
    """What decides and what values, of a preset; raises GameError for planes in a game that has none."""
    sizes = shape.num_labels, shape.num_others, shape.num_cards
    if preset.plane_resnet is None:
        return PolicyNetwork(layout, preset, *sizes), PrivilegedCritic(layout, preset, *sizes)
    looking = PlanePolicyNetwork(PlaneFeatures(shape.load_planes(), shape.observation), preset, shape.num_others)
    return looking, SharedValueHead(
        looking, preset.plane_resnet.hidden_width
    ) if preset.plane_resnet.has_value_head else PrivilegedCritic(layout, preset, *sizes)
