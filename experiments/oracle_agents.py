"""Agents that read the true hidden hands instead of an estimate: an upper bound for any estimate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import AgentName, NeuroSymbolicPolicy, PolicyInputs, agent_fingerprint, make_abl_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.experiments.agent_specs import AgentSpec
from abl_cards.games import Engine
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Indices
from abl_cards.learners import RESPONSE_DEALS


class OraclePolicy(NeuroSymbolicPolicy):
    """Policy whose networks, preferences and sampled deals use the true hands."""

    def estimate_hands(
        self, decisions: Decisions, observation: NDArray[np.uint8], rows: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return prior and true hands at rows [k] of decisions: float32 [k, others, cards]."""
        prior, _ = super().estimate_hands(decisions, observation, rows)
        return prior, _true_hands(decisions, rows).astype(np.float32)

    def compute_response_counts(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """Return the number of deals, or 0, by the responses of the true hands: uint8 [k, others, labels]."""
        from abl_cards.games.tables import compute_response_mask

        hands = _true_hands(decisions, rows)
        answers = compute_response_mask(
            self.engine.rules, np.repeat(decisions.context[rows], hands.shape[1]), hands.reshape(-1, hands.shape[2])
        )
        return (answers.reshape(*hands.shape[:2], -1) * RESPONSE_DEALS).astype(np.uint8)

    def sample_deals(
        self, decisions: Decisions, inputs: PolicyInputs, rows: Indices, keys: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """Repeat the true hands for every deal: uint8 [r, n, others, cards]."""
        return _true_hands(decisions, inputs.open_rows[rows])[:, None].repeat(keys.shape[1], axis=1)


def _true_hands(decisions: Decisions, rows: Indices) -> NDArray[np.uint8]:
    return decisions.view.hidden_hands[rows]


def load_oracle_agent(name: str, engine: Engine) -> AgentSpec:
    """Make agent ``abl`` with the true hands; raises GameError for one without an estimate."""
    parsed = AgentName.parse(name)
    if parsed.kind != "abl" or parsed.has_flag("no-abln"):
        raise GameError(
            f"agent '{name}' has no estimate of the hidden hands that the true ones could replace",
            ErrorCode.AGENT_NOT_APPLICABLE,
        )
    return AgentSpec(f"{name}, seeing", make_abl_agent(parsed, engine, OraclePolicy), agent_fingerprint(parsed, engine))
