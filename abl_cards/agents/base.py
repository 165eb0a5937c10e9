"""What an agent is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, DecisionPoint, Decisions
from abl_cards.games.types import Moves

if TYPE_CHECKING:
    from abl_cards.reasoners.explain import ModelExplanation

RandomKeys = NDArray[np.uint64]
"""[n] random bits, one key a decision; the same decision gets the same key in every run."""


class Agent(Protocol):
    """Decides for many tables at once; it sees what the seats to decide may see and nothing else.

    An agent that is a Listener too follows the course of one table: a match gives it one game at a time.
    """

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """One legal move for each decision."""

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """One of the options for each choice, a card to pay or a bid: [n]."""


@runtime_checkable
class ExplainableAgent(Agent, Protocol):
    """An agent whose decisions can be explained."""

    @property
    def preference_model(self) -> PreferenceModel:
        """The preferences it decides by."""

    def compute_model_explanation(self, decision_point: DecisionPoint) -> ModelExplanation | None:
        """What else leads it to its move there; None where the preferences decide alone. Raises GameError."""


def needs_history(agent: Agent) -> bool:
    """Whether an agent asks what lay there before the last acts, which tables keep only for who asks."""
    return bool(getattr(agent, "needs_history", False))


class PlayerLeftError(GameError):
    """Somebody has stood up in the middle of a game."""


class ForfeitError(GameError):
    """A game that the seat to decide has lost by what it did, or did not do; what that is worth to each seat."""

    def __init__(self, seat: int, kind: str, message: str, points: Sequence[int]) -> None:
        """A kind of fault, said in one line."""
        super().__init__(message)
        self.seat, self.kind, self.points = seat, kind, tuple(points)
