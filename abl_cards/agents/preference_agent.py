"""Agent ``kb``: decide by the preferences of a knowledge base alone, without a network."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys, find_compiled_game
from abl_cards.agents.names import AgentName
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Folder, functor, load_game_knowledge
from abl_cards.games.preferences import (
    CompiledPreferences,
    GamePreferenceInputs,
    PreferenceModel,
    check_compatible_preferences,
    compile_preferences,
)
from abl_cards.games.tables import Choices, DecisionPoint, Decisions
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import ClingoReasoner, Minimiser

RULE_FILE_SUFFIX = ".lp"
"""End of the name of a rule file: ``without=`` takes such names too."""


class PreferenceAgent:
    """Agent ``kb``: plays the legal card set with the lowest cost by the preferences of a knowledge base."""

    def __init__(self, minimiser: Minimiser) -> None:
        """Make an agent.

        Args:
            minimiser: Finds the cheapest legal move; its preferences may be those of another folder.
        """
        self._minimiser = minimiser

    @property
    def preference_model(self) -> PreferenceModel:
        """Preferences that the agent decides by."""
        return self._minimiser.preference_model

    @property
    def rules(self) -> CompiledGame | None:
        """Compiled rules that the agent was made for; None where its preferences do not name them."""
        return find_compiled_game(self.preference_model)

    def compute_model_explanation(self, decision_point: DecisionPoint) -> None:
        """Return None: the preferences decide alone."""

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the cheapest move of each decision."""
        return self._minimiser.best(decisions)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the cheapest option of each choice: uint8 [n]."""
        return self._minimiser.choose(choices)


def make_preference_agent(name: AgentName, engine: Engine) -> PreferenceAgent:
    """Make ``kb``, ``kb:without=NAME``, ``kb:kb=DIR`` or ``kb:clingo=DIR``; raises GameError, KBError."""
    return PreferenceAgent(Minimiser(preference_model_from_name(name, engine)))


def preference_model_from_name(name: AgentName, engine: Engine) -> PreferenceModel:
    """Load the preferences that an agent decides by.

    Args:
        name: Name of the agent. ``without=GROUP`` leaves out a group of preferences or a single one,
            ``without=FILE.lp`` a rule file of the folder. ``kb=DIR`` reads the preferences from another folder,
            while the rules of the table stay. ``clingo=DIR`` has clingo evaluate a folder that has no circuit.
            ``scale=NAME*FACTOR`` multiplies the weights of a group of preferences or of a single one.
        engine: Compiled game.

    Returns:
        The compiled preferences, or a model that calls clingo.

    Raises:
        GameError: A name in ``without`` or ``scale`` does not exist, or a factor is not a finite number.
        KBError: The folder cannot be loaded, or cannot be loaded without that file.
    """
    directory, open_rules = name.value("kb"), name.value("clingo")
    scales = name.values("scale")
    if open_rules and scales:
        problem = f"agent '{name}': clingo evaluates weights as they are; leave out scale"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    if open_rules:
        return ClingoReasoner.of(engine, Path(open_rules))
    excluded = name.values("without")
    file_names = [word for word in excluded if word.endswith(RULE_FILE_SUFFIX)]
    if not file_names:
        return _scale_weights(engine.preference_model(excluded, Path(directory) if directory else None), name)
    folder = exclude_files(
        Folder(Path(directory)) if directory else engine.rules.folder.current(), engine.rules.profile, file_names
    )
    kb = load_game_knowledge(folder, engine.rules.profile)
    groups = [word for word in excluded if word not in file_names]
    preferences = compile_preferences(kb, GamePreferenceInputs(engine.rules), groups)
    return _scale_weights(check_compatible_preferences(preferences), name)


def _scale_weights(model: CompiledPreferences, name: AgentName) -> CompiledPreferences:
    """Multiply the weights of the preferences in ``scale=NAME*FACTOR``, rounded to integers."""
    weights = model.weights.astype(np.float64)
    for text in name.values("scale"):
        scaled_name, star, number = text.partition("*")
        try:
            factor = float(number)
        except ValueError:
            factor = float("nan")
        if not star or not np.isfinite(factor):
            problem = f"agent '{name}': scale is NAME*FACTOR, such as scale=bombs*0.5"
            raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
        weights[_rows_of_preference(model, scaled_name)] *= factor
    if np.abs(weights).sum() > np.iinfo(np.int32).max:
        raise GameError(f"agent '{name}': the scaled weights exceed 32 bits", ErrorCode.INVALID_AGENT_OPTION)
    return model.with_weights(np.rint(weights).astype(np.int32)) if name.values("scale") else model


def _rows_of_preference(model: CompiledPreferences, name: str) -> list[int]:
    """Return the outputs of a group of preferences or of a single one; raises GameError for an unknown name."""
    groups = model.kb.preference_groups
    if name not in groups and name not in groups.values():
        problem = f"unknown group or preference '{name}' (groups: {', '.join(sorted({*groups.values()}))})"
        raise GameError(problem, ErrorCode.UNKNOWN_PREFERENCE)
    members = {name} if name in groups else {member for member, group in groups.items() if group == name}
    return [
        row
        for row, (kind, arguments) in enumerate(model.outputs)
        if kind == "cost" and functor(str(arguments[0])) in members
    ]


def exclude_files(folder: Folder, profile: str | None, file_names: Collection[str]) -> Folder:
    """Leave rule files out of a folder.

    Args:
        folder: Rule files of a game.
        profile: Profile in use; its file belongs to the folder.
        file_names: Names of files of the folder, such as ``beliefs.lp``.

    Returns:
        The folder without these files. Whether the others form a knowledge base is not checked.

    Raises:
        GameError: The folder has no such file.
    """
    files = folder.files(profile)
    for file_name in file_names:
        if all(file.name != file_name for file in files):
            known = ", ".join(file.name for file in files)
            raise GameError(f"{folder.name} has no rule file {file_name} (there are: {known})", ErrorCode.UNKNOWN_PART)
    excluded = {str(file) for file in files if file.name in file_names}
    return replace(folder, excluded_files=folder.excluded_files | excluded)
