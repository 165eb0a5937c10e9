"""Protocols of agents, and the errors by which they end a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, DecisionPoint, Decisions
from abl_cards.games.types import Moves

if TYPE_CHECKING:
    from abl_cards.reasoners.explain import ModelExplanation

RandomKeys = NDArray[np.uint64]
"""Random bits uint64 [n], one key a decision; equal in every run with the same seed."""


class Agent(Protocol):
    """Player that decides for many tables at once, each from the view of the seat to decide.

    An agent that is also a ``Listener`` follows one table, so a match plays its games one after the other.
    """

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Decide which moves to play.

        Args:
            decisions: Decisions at n tables.
            keys: Random bits, uint64 [n].

        Returns:
            One legal move for each decision.
        """

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Decide which options to choose: bids, cards to pay or to return.

        Args:
            choices: Choices at n tables.
            keys: Random bits, uint64 [n].

        Returns:
            Index of a legal option for each choice, uint8 [n].
        """


@runtime_checkable
class ExplainableAgent(Agent, Protocol):
    """Agent whose decisions can be explained by preferences."""

    @property
    def preference_model(self) -> PreferenceModel:
        """Preferences that the agent decides by."""

    def compute_model_explanation(self, decision_point: DecisionPoint) -> ModelExplanation | None:
        """Explain a decision beyond its preferences.

        Args:
            decision_point: State and legal moves.

        Returns:
            Labels, estimates and points that led to the move; None where the preferences decide alone.

        Raises:
            GameError: The state does not hold what the agent needs.
        """


def needs_history(agent: Agent) -> int:
    """Return how many acts, with the decisions before them, tables must keep for an agent.

    Args:
        agent: Any agent.

    Returns:
        Its attribute ``needs_history``, a number, or True (1) for an act of each other seat; 0 where it has none.
    """
    return int(getattr(agent, "needs_history", 0))


def find_compiled_game(owner: object) -> CompiledGame | None:
    """Return the rules that an agent or a preference model was made for.

    Args:
        owner: Any agent, or any preference model.

    Returns:
        Its attribute ``rules``, or that of its ``input_source``; None where it has neither.
    """
    rules = getattr(getattr(owner, "input_source", owner), "rules", None)
    return rules if isinstance(rules, CompiledGame) else None


class PlayerLeftError(GameError):
    """Error that ends a game because a human player has left."""

    def __init__(self, message: str) -> None:
        """Make an error.

        Args:
            message: One line about it.
        """
        super().__init__(message, ErrorCode.PLAYER_LEFT)


class ForfeitError(GameError):
    """Error that ends a game because the seat to decide has lost it by a fault."""

    def __init__(self, seat: int, kind: str, message: str, points: Sequence[int]) -> None:
        """Make an error.

        Args:
            seat: Seat that lost the game.
            kind: Kind of the fault, as the platform names it.
            message: One line about it.
            points: Points of each seat.
        """
        super().__init__(message, ErrorCode.FORFEIT)
        self.seat, self.kind, self.points = seat, kind, tuple(points)
