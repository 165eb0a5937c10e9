"""Find preferences that never hold under a profile: leaving them out cannot change a decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.ablation.parts import GROUP_PREFIX, AblationPart
from abl_cards.agents import RandomKeys, check_agent_name, make_agent, preference_model_from_name
from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.preferences import CompiledPreferences, list_candidates
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import MoveLists, Moves
from abl_cards.matches import play_shard
from abl_cards.reasoners.abduction import Minimiser

PROBE_GAMES = 48
"""Number of whole matches against agent ``greedy`` in which preferences are looked for."""


@dataclass(frozen=True)
class SkippedPart:
    """Part that was not measured.

    Attributes:
        part: Name of the part.
        reason: Reason in a few words.
    """

    part: str
    reason: str


def skip_idle_parts(
    engine: Engine, agent: str, parts: Sequence[AblationPart], seed: int = 1, games: int = PROBE_GAMES
) -> tuple[list[AblationPart], list[SkippedPart]]:
    """Leave out groups of preferences that never hold for any candidate move in some matches of agent ``kb``.

    Preferences about an estimate of the hidden hands are always kept, since agent ``kb`` has none.

    Args:
        engine: Compiled game.
        agent: Agent ``kb`` or ``abl``, with options.
        parts: Parts of the agent.
        seed: Seed of the matches.
        games: Number of matches.

    Returns:
        Parts to measure, and parts that are skipped.
    """
    name = check_agent_name(agent)
    model = preference_model_from_name(name, engine)
    if not isinstance(model, CompiledPreferences) or not any(part.name.startswith(GROUP_PREFIX) for part in parts):
        return list(parts), []
    probe = _ProbeAgent(model)
    shard = play_shard(engine, ["kb", "greedy"], [probe, make_agent("greedy", engine)], range(games), seed)
    plain, every = model.preferences(), model.preferences(with_estimate=True)
    live = probe.held | (every.keys() - plain.keys())
    live_names = live | {every[preference] for preference in live}
    idle = [
        part
        for part in parts
        if part.name.startswith(GROUP_PREFIX) and part.name.removeprefix(GROUP_PREFIX) not in live_names
    ]
    reason = (
        f"held for no move in {probe.num_decisions:,} decisions of {games} matches ({shard.episodes.sum():,} episodes)"
    )
    return [part for part in parts if part not in idle], [SkippedPart(part.name, reason) for part in idle]


class _ProbeAgent:
    """Agent ``kb`` that collects the preferences which hold for candidate moves."""

    def __init__(self, model: CompiledPreferences) -> None:
        self._model, self._minimiser = model, Minimiser(model)
        self._held = np.zeros(len(model.outputs), np.bool_)
        self.num_decisions = 0

    @property
    def held(self) -> set[str]:
        """Names of the preferences that held for some candidate move."""
        return {
            functor(str(arguments[0]))
            for (name, arguments), held in zip(self._model.outputs, self._held, strict=True)
            if held and name == "cost"
        }

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the cheapest move of each decision."""
        self._collect(decisions, list_candidates(self._model, decisions))
        return self._minimiser.best(decisions)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the cheapest option of each choice."""
        self._collect(choices, choices.moves())
        return self._minimiser.choose(choices)

    def _collect(self, decisions: Decisions | Choices, lists: MoveLists) -> None:
        self.num_decisions += len(decisions.rows)
        for _, values in self._model.evaluate(decisions, lists):
            self._held |= values.any(axis=1)
