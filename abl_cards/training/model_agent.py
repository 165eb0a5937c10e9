"""Agents that play by a custom network or reasoner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents import (
    AblAgent,
    ModelPolicy,
    NeuroSymbolicPolicy,
    RandomKeys,
    choose_by_network,
    load_model_policy,
    probe_model,
)
from abl_cards.core import ErrorCode, GameError, check_path
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves
from abl_cards.learners import GameShape, ModelNetworks
from abl_cards.training.abduction import Abduction, ReasonerParts, resolve_reasoner
from abl_cards.training.worker import check_precision


class TrainedAgent(AblAgent):
    """Agent that plays the most probable label or option, realised by the reasoner of the run."""

    def __init__(self, policy: NeuroSymbolicPolicy, abduction: Abduction) -> None:
        """Make an agent from a policy and the abduction step of a run."""
        super().__init__(policy)
        self._abduction = abduction

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return one legal move for each decision."""
        view = self.policy.features(decisions)
        log_probs = self.policy.log_probs(view)
        labels = log_probs.argmax(axis=1).astype(np.int16)
        moves, _ = self._abduction.realise(self.policy, decisions, view, labels, log_probs)
        return moves

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return [n] an option for each choice: the most probable one where the network has actions for options."""
        return choose_by_network(self.policy, choices, self._abduction.choose(choices))


def make_model_agent(
    game: Game | Engine | str, model: torch.nn.Module, reasoner: object = None, precision: str = "float32"
) -> TrainedAgent:
    """Make an agent that plays by a custom network.

    Args:
        game: The game, its engine, or its name.
        model: The network; it is switched to evaluation mode.
        reasoner: A `Minimiser`, an object with the methods of `Reasoner`, or a consistency function, as in `Trainer`;
            None for the preferences of the game.
        precision: Precision of matrix products, as in ``TrainConfig.precision``.

    Raises:
        GameError: The network breaks the interface of `Batch` and `PolicyOutput`, the reasoner has a wrong type, or
            the precision is unknown.
        KBError: The rules have errors.
    """
    given: object = model
    if not isinstance(given, torch.nn.Module):
        message = f"model: expected a torch.nn.Module, found {type(given).__name__}; pass an object, not a class"
        raise GameError(message, ErrorCode.MODEL_FAILED)
    check_precision(precision)
    engine = compile_engine(game)
    networks = ModelNetworks(model, GameShape.of(engine), precision)
    probe_model(networks, engine)
    abduction = resolve_reasoner(engine, ReasonerParts(reasoner))
    return TrainedAgent(ModelPolicy(engine, abduction.preference_model, networks.eval()), abduction)


def load_model_agent(
    game: Game | Engine | str, weights: str | Path, model: torch.nn.Module, reasoner: object = None
) -> TrainedAgent:
    """Make an agent from weights that a `Trainer` saved for a custom network.

    The card of the weights names the class and its file, but neither is imported: the caller makes the object.

    Args:
        game: The game, its engine, or its name.
        weights: The file of weights, with its card beside it.
        model: A network of the class and sizes that were trained; its weights are replaced.
        reasoner: A `Minimiser`, an object with the methods of `Reasoner`, or a consistency function, as in `Trainer`;
            None for the preferences of the game.

    Raises:
        GameError: The weights are missing, damaged, or of another network.
        KBError: The rules have errors.
    """
    engine = compile_engine(game)
    abduction = resolve_reasoner(engine, ReasonerParts(reasoner))
    return TrainedAgent(
        load_model_policy(check_path("weights", weights), model, engine, abduction.preference_model), abduction
    )
