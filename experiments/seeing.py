"""Players that are told the hidden hands in the place of their estimate: what no estimate can win. For experiments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import AgentName
from abl_cards.agents.learned import abl_agent
from abl_cards.agents.mind import Mind, View
from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Indices
from experiments.players import Player, mark
from learners.presets import DRAWS


class SeeingMind(Mind):
    """Its networks, its preferences and the deals that it looks ahead on go by the true hands."""

    def estimate(
        self, decisions: Decisions, observation: NDArray[np.uint8], rows: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Prior and truth [k, others, cards] at rows [k] of decisions at tables."""
        prior, _ = super().estimate(decisions, observation, rows)
        return prior, _truth(decisions, rows).astype(np.float32)

    def answers(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """[k, others, labels] who can answer what; as sure as if every deal that is drawn were the true one."""
        hands = _truth(decisions, rows)
        answers = self.engine.answers(
            np.repeat(decisions.context[rows], hands.shape[1]), hands.reshape(-1, hands.shape[2])
        )
        return (answers.reshape(*hands.shape[:2], -1) * DRAWS).astype(np.uint8)

    def deals(self, decisions: Decisions, view: View, rows: Indices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[r, n, others, cards] the true hands, as often as deals are wanted."""
        return _truth(decisions, view.choice[rows])[:, None].repeat(keys.shape[1], axis=1)


def _truth(decisions: Decisions, rows: Indices) -> NDArray[np.uint8]:
    return decisions.view.hidden_hands[rows]


def seeing(name: str, engine: Engine) -> Player:
    """Agent ``abl`` of this name, which sees; raises GameError for one that estimates nothing."""
    parsed = AgentName.parse(name)
    if parsed.kind != "abl" or parsed.has("no-abln"):
        raise GameError(f"agent '{name}' has no estimate of the hidden hands that the true ones could replace")
    return Player(f"{name}, seeing", abl_agent(parsed, engine, SeeingMind), mark(parsed, engine))
