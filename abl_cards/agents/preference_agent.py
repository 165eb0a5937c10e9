"""Agent ``kb``: decide by the preferences of a knowledge base alone, without a network."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import Folder, load_game_knowledge
from abl_cards.games.preferences import GamePreferenceInputs, PreferenceModel, compile_preferences
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
        """Preferences that it decides by."""
        return self._minimiser.preference_model

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
        engine: Compiled game.

    Returns:
        The compiled preferences, or a model that calls clingo.

    Raises:
        GameError: A name that is left out does not exist.
        KBError: The folder cannot be loaded, or not without that file.
    """
    directory, open_rules = name.value("kb"), name.value("clingo")
    if open_rules:
        return ClingoReasoner.of(engine, Path(open_rules))
    excluded = name.values("without")
    file_names = [word for word in excluded if word.endswith(RULE_FILE_SUFFIX)]
    if not file_names:
        return engine.preference_model(excluded, Path(directory) if directory else None)
    folder = exclude_files(
        Folder(Path(directory)) if directory else engine.rules.folder, engine.rules.profile, file_names
    )
    kb = load_game_knowledge(folder, engine.rules.profile)
    groups = [word for word in excluded if word not in file_names]
    return compile_preferences(kb, GamePreferenceInputs(engine.rules), groups)


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
