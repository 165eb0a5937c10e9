"""The networks of one player together: what estimates, what decides, and what values in training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from abl_cards.games import Engine
from abl_cards.games.features import FeatureTable
from abl_cards.games.telling.planes import Planes, no_planes
from abl_cards.seeds import seed64
from learners.abln import ABLN
from learners.decision import Critic, Decision
from learners.encoders import Layout
from learners.looking import Looking, Valued
from learners.pictures import Pictures
from learners.presets import Preset

UNIT = 32
"""Rows of a batch in half precision come in multiples of this.

For every new number of rows the library that makes the products makes kernels of its own first. That takes half a
millisecond each, longer than a few rows more.
"""


@dataclass(frozen=True)
class GameShape:
    """The sizes of a game that networks are built for."""

    observation: FeatureTable
    labels: int
    others: int  # seats besides the observer's
    copies: tuple[int, ...] = (2,) * 54  # of each kind of card
    planes: Callable[[], Planes] = no_planes  # of games whose labels can be shown; raises GameError

    @property
    def cards(self) -> int:
        """How many kinds of cards there are."""
        return len(self.copies)

    @classmethod
    def of(cls, engine: Engine) -> GameShape:
        """The sizes of a game."""
        sizes = len(engine.labels), len(engine.teams) - 1, tuple(engine.rules.pack.copies.tolist())
        return cls(engine.observation, *sizes, lambda: engine.planes)


class Networks(nn.Module):
    """Made from a preset and a seed."""

    def __init__(self, preset: Preset, shape: GameShape, seed: int = 0) -> None:
        super().__init__()
        self.preset, self.shape, self.precision = preset, shape, "float32"
        self.valued = False  # whether the critic has learned what positions are worth
        self.chooses = False  # and what comes of choices (bids, cards to give) that strayed from the preferences
        layout = Layout.of(shape.observation)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed64(seed))
            self.abln = ABLN(layout, preset, shape.others, shape.copies) if preset.abln else None
            self.decision, self.critic = _deciding(layout, preset, shape)

    def arithmetic(self) -> torch.autocast:
        """Where matrix products are made in the networks' precision, and the rest in float32."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    @property
    def unit(self) -> int:
        """What the rows of a batch should be a multiple of."""
        return UNIT if self.precision == "bfloat16" else 1

    @property
    def numbers(self) -> torch.dtype:
        """What their inputs are made of inside ``arithmetic``."""
        return torch.bfloat16 if self.precision == "bfloat16" else torch.float32

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.decision.parameters()).device


def _deciding(layout: Layout, preset: Preset, shape: GameShape) -> tuple[Decision | Looking, Critic | Valued]:
    """What decides and what values, of a preset; raises GameError for planes in a game that has none."""
    sizes = shape.labels, shape.others, shape.cards
    if preset.look is None:
        return Decision(layout, preset, *sizes), Critic(layout, preset, *sizes)
    looking = Looking(Pictures(shape.planes(), shape.observation), preset, shape.others)
    return looking, Valued(looking, preset.look.hidden) if preset.look.value else Critic(layout, preset, *sizes)
