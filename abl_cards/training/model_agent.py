"""Agents that play by a network or a reasoner of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents import AblAgent, NeuroSymbolicPolicy, PolicyInputs, RandomKeys
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves
from abl_cards.learners import GameShape, ModelNetworks, load_model
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.training.abduction import Abduction, resolve_reasoner
from abl_cards.training.model_policy import ChoiceInputs, ModelPolicy


class TrainedAgent(AblAgent):
    """Play the most probable label or option, realised by the reasoner of the run."""

    def __init__(self, policy: NeuroSymbolicPolicy, abduction: Abduction) -> None:
        """Play by a policy and a reasoner."""
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
        chosen = self._abduction.choose(choices)
        if isinstance(self.policy, ModelPolicy) and self.policy.networks.decides_choices:
            view = self.policy.choice_features(choices)
            actions = self.policy.action_log_probs(view).argmax(axis=1)
            chosen[view.open_rows] = actions - self.policy.networks.shape.num_labels
        return chosen


def make_model_agent(
    game: Game | Engine | str, model: torch.nn.Module, reasoner: object = None, precision: str = "float32"
) -> TrainedAgent:
    """Make an agent that plays by a network of one's own.

    Args:
        game: The game, its engine, or its name.
        model: The network; it is switched to evaluation mode.
        reasoner: As in `Trainer`; None for the preferences of the game.
        precision: Precision of products, as in ``TrainConfig.precision``.

    Raises:
        GameError: The network breaks the interface of `Batch` and `PolicyOutput`, or the reasoner is none.
        KBError: The rules have errors.
    """
    engine = compile_engine(game)
    networks = ModelNetworks(model, GameShape.of(engine), precision)
    probe_networks(networks, engine)
    abduction = resolve_reasoner(engine, reasoner)
    return TrainedAgent(ModelPolicy(engine, abduction.preference_model, networks.eval()), abduction)


def load_model_agent(
    game: Game | Engine | str, weights: str | Path, model: torch.nn.Module, reasoner: object = None
) -> TrainedAgent:
    """Make an agent from weights that a `Trainer` saved for a network of one's own.

    The card of the weights names the class and its file, but neither is imported: the caller makes the object.

    Args:
        game: The game, its engine, or its name.
        weights: The file of weights, with its card beside it.
        model: A network of the class and sizes that were trained; its weights are replaced.
        reasoner: As in `Trainer`; None for the preferences of the game.

    Raises:
        GameError: The weights are missing, damaged, or of another network.
        KBError: The rules have errors.
    """
    agent = make_model_agent(game, model, reasoner)
    load_model(weights, model)
    return agent


def probe_networks(networks: ModelNetworks, engine: Engine) -> None:
    """Call a network of one's own with a few decisions of a game, to check its outputs before anything is played.

    Raises:
        GameError: The network fails, or breaks the interface.
    """
    policy = ModelPolicy(engine, engine.preference_model(), networks)
    minimiser = Minimiser(policy.preference_model)
    tables = engine.start_matches(np.arange(_PROBE_TABLES, dtype=np.uint64))
    for _ in range(_PROBE_STEPS):
        rows = tables.rows_to_choose()
        if rows.size:
            choices = tables.choices(rows)
            if _probe(policy, policy.choice_features(choices)):
                return
            tables.choose(rows, minimiser.choose(choices))
        rows = tables.rows_to_play()
        if rows.size:
            decisions = tables.decisions(rows)
            if _probe(policy, policy.features(decisions)):
                return
            tables.play(rows, minimiser.best(decisions))


def _probe(policy: ModelPolicy, view: PolicyInputs | ChoiceInputs) -> bool:
    """Call the network for decisions where there are at least two with a choice; returns whether it was called."""
    if len(view.open_rows) < 2:
        return False
    policy.networks.probe(policy.to_model_batch(view))
    return True


_PROBE_TABLES, _PROBE_STEPS = 16, 100
