"""Agents that play by custom networks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents.abl_agent import AblAgent
from abl_cards.agents.base import RandomKeys
from abl_cards.agents.model_policy import ModelPolicy
from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.core import ErrorCode, GameError, check_path
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.learners import (
    AblnPart,
    CriticPart,
    GameShape,
    ModelNetworks,
    NetworkPart,
    Networks,
    PrivilegedInputs,
    load_model,
    to_input_tensors,
    to_privileged_tensors,
)
from abl_cards.reasoners.abduction import BestCardsPerLabel, Minimiser


class ModelAgent(AblAgent):
    """Agent that plays the most probable label or option of a network for policy, value and hands."""

    policy: ModelPolicy

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return one legal move for each decision."""
        view = self.policy.features(decisions)
        labels = view.complete_labels(self.policy.log_probs(view).argmax(axis=1).astype(np.int16))
        best = best_cards(self.policy, decisions, view)
        return best.realise(labels, None if self.uses_preferences else keys)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return [n] an option for each choice: the most probable one where the network has actions for options."""
        return choose_by_network(self.policy, choices, super().choose(choices, keys))


def best_cards(policy: NeuroSymbolicPolicy, decisions: Decisions, inputs: PolicyInputs) -> BestCardsPerLabel:
    """Return the best card set of each label, by the hands that the policy estimates where preferences read them.

    Args:
        policy: The policy.
        decisions: The plays to decide.
        inputs: Result of ``policy.features(decisions)``.
    """
    return policy.survey_with_estimate(decisions, inputs) if isinstance(policy, ModelPolicy) else inputs.survey


def choose_by_network(policy: NeuroSymbolicPolicy, choices: Choices, chosen: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Replace options by the most probable ones of a network that has actions for options.

    Args:
        policy: The policy.
        choices: The choices, n of them.
        chosen: uint8 [n], options by the preferences; changed in place.

    Returns:
        uint8 [n], the array ``chosen``.
    """
    if isinstance(policy, ModelPolicy) and policy.networks.decides_choices:
        view = policy.choice_features(choices)
        actions = policy.action_log_probs(view).argmax(axis=1)
        chosen[view.open_rows] = actions - policy.networks.shape.num_labels
    return chosen


def load_model_policy(
    file: str | Path, model: object, engine: Engine, preference_model: PreferenceModel, use_projection: bool = True
) -> ModelPolicy:
    """Load weights of a network for policy, value and hands.

    Args:
        file: The file of weights, with its card beside it.
        model: A network of the class and sizes that were trained; its weights are replaced.
        engine: The game.
        preference_model: Preferences that select the card set of a label.
        use_projection: Project the estimated hands onto what counts and facts allow.

    Raises:
        GameError: The weights are missing or damaged, or of another network, or the network breaks the interface.
    """
    file = check_path("file", file)
    if not isinstance(model, torch.nn.Module):
        message = f"model: expected a torch.nn.Module, found {type(model).__name__}"
        raise GameError(message, ErrorCode.MODEL_FAILED)
    networks = ModelNetworks(model, GameShape.of(engine))
    probe_model(networks, engine)
    load_model(file, model)
    return ModelPolicy(engine, preference_model, networks.eval(), use_projection)


def probe_model(networks: ModelNetworks, engine: Engine) -> None:
    """Call a custom network with a few decisions of a game, to check its outputs before anything is played.

    Args:
        networks: The network; records which outputs it has.
        engine: The game.

    Raises:
        GameError: The network fails, or breaks the interface.
    """
    policy = ModelPolicy(engine, engine.preference_model(), networks)
    for _, _, point in _play_probe_matches(engine, policy.preference_model):
        view = policy.choice_features(point) if isinstance(point, Choices) else policy.features(point)
        if len(view.open_rows) >= _MIN_PROBE_ROWS:
            policy.networks.probe(policy.to_model_batch(view))
            return


def _play_probe_matches(
    engine: Engine, preference_model: PreferenceModel
) -> Iterator[tuple[Tables, Indices, Decisions | Choices]]:
    """Yield choices and plays of matches by the preferences, each before it is made, with its tables and rows."""
    minimiser = Minimiser(preference_model)
    tables = engine.start_matches(np.arange(_PROBE_TABLES, dtype=np.uint64))
    for _ in range(_PROBE_STEPS):
        rows = tables.rows_to_choose()
        if rows.size:
            choices = tables.choices(rows)
            yield tables, rows, choices
            tables.choose(rows, minimiser.choose(choices))
        rows = tables.rows_to_play()
        if rows.size:
            decisions = tables.decisions(rows)
            yield tables, rows, decisions
            tables.play(rows, minimiser.best(decisions))


def probe_parts(networks: Networks, engine: Engine) -> None:
    """Call the custom networks in the place of a preset's with a few decisions of a game.

    Args:
        networks: The networks; lazy layers get their sizes.
        engine: The game.

    Raises:
        GameError: A network fails (code ``model-failed``), or breaks its interface.
    """
    parts = dict(networks.parts.items())
    if not parts:
        return
    preferences = engine.preference_model()
    policy = NeuroSymbolicPolicy(engine, preferences, networks)
    features = ModelPolicy(engine, preferences, cast("ModelNetworks", networks)).features  # without these networks
    for tables, rows, point in _play_probe_matches(engine, preferences):
        if isinstance(point, Choices):
            continue
        view = features(point)
        if len(view.open_rows) >= _MIN_PROBE_ROWS:
            privileged = policy.privileged_inputs(tables, rows[view.open_rows], point.view.context[view.open_rows])
            for part in parts.values():
                _probe_part(part, networks, replace(view, estimate=view.prior), privileged)
            return


def _probe_part(part: NetworkPart, networks: Networks, view: PolicyInputs, privileged: PrivilegedInputs) -> None:
    """Call a custom network; raises GameError where it fails."""
    inputs = to_input_tensors(view, networks.device, networks.dtype)
    is_fixed = not any(weight.requires_grad for weight in part.parameters())
    try:
        with torch.set_grad_enabled(is_fixed), networks.autocast():
            if isinstance(part, AblnPart):
                output = part(inputs.observation, inputs.prior)
            elif isinstance(part, CriticPart):
                output = part(inputs, to_privileged_tensors(privileged, networks.device))
            else:
                output = part(inputs)
    except GameError:
        raise
    except Exception as problem:
        message = f"{part.model_name} failed on {len(view.open_rows)} decisions: {type(problem).__name__}: {problem}"
        raise GameError(message, ErrorCode.MODEL_FAILED) from problem
    if is_fixed and output.requires_grad:
        remedy = "keep layers in torch.nn.ModuleList, tensors in torch.nn.Parameter"
        message = f"{part.model_name} has weights that parameters() does not name, so they cannot be trained; {remedy}"
        raise GameError(message, ErrorCode.MODEL_FAILED)


_PROBE_TABLES, _PROBE_STEPS, _MIN_PROBE_ROWS = 16, 100, 2
