"""Expert iteration: in a share of its decisions the learner looks ahead, and learns from the result.

The expert is the look-ahead that plays (``agents.lookahead``). In self-play it evaluates the true deal first: that deal
is as likely as any sampled one, and costs nothing to sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Lookahead, NeuroSymbolicPolicy, PolicyInputs, RandomKeys, SearchRound
from abl_cards.core import ErrorCode, GameError, scale_to_range_array, splitmix64_array
from abl_cards.games.tables import Decisions
from abl_cards.learners import PPOConfig
from abl_cards.training.settings import TrainConfig

_LOOKAHEAD_STREAM = 15  # stream of random numbers
_RESOLUTION = 1 << 20
_MAX_TABLES = 4096  # simulated tables at once, to bound memory


@dataclass(frozen=True)
class ExpertConfig:
    """Share of decisions with look-ahead, and the weight of their loss."""

    share: float = 0.0  # share of its decisions with a choice
    num_deals: int = 1  # deals of a look-ahead, the true one first
    temperature: float = 0.5
    loss_weight: float = 0.5  # weight beside the loss of PPO
    value_share: float = 0.0  # share in the target of the critic

    @classmethod
    def from_settings(cls, settings: TrainConfig, ppo: PPOConfig) -> ExpertConfig:
        """Return the configuration of a run; raises GameError for values out of range."""
        config = cls(
            settings.lookahead_share, settings.lookahead_deals, settings.lookahead_temperature,
            settings.lookahead_loss_weight, settings.lookahead_value_share,
        )  # fmt: skip
        for name in ("share", "value_share"):
            if not 0 <= getattr(config, name) <= 1:
                setting_name = "lookahead_share" if name == "share" else "lookahead_value_share"
                raise GameError(
                    f"{setting_name}: {getattr(config, name)} is no share; give a number from 0 to 1",
                    ErrorCode.INVALID_VALUE,
                )
        if config.num_deals < 1:
            raise GameError(
                f"lookahead_deals: {config.num_deals} deals show nothing; give 1 or more", ErrorCode.INVALID_VALUE
            )
        if config.temperature <= 0:
            raise GameError(
                f"lookahead_temperature: {config.temperature} leaves nothing open; give a number above 0",
                ErrorCode.INVALID_VALUE,
            )
        if config.share and ppo.trick_point_reward:
            raise GameError(
                "lookahead_share: it values whole episodes, but tricks are rewarded; give trick_point_reward=0",
                ErrorCode.SETTING_CONFLICT,
            )
        return config


@dataclass(frozen=True)
class ExpertTargets:
    """Targets by looking ahead at k decisions."""

    lookahead_policy: NDArray[np.float16]  # [k, labels] probabilities; zeros without a look-ahead
    lookahead_value: NDArray[np.float32]  # [k] points in the true deal; NaN without a look-ahead

    @classmethod
    def empty(cls, k: int, num_labels: int = 0) -> ExpertTargets:
        """Return the targets of k decisions without a look-ahead."""
        return cls(np.zeros((k, num_labels), np.float16), np.full(k, np.nan, np.float32))


class LookaheadExpert:
    """A look-ahead with the networks of the learner."""

    def __init__(self, policy: NeuroSymbolicPolicy, expert_config: ExpertConfig) -> None:
        """Use the networks of a policy, as they are at each call."""
        self._config = expert_config
        at_once = max(1, _MAX_TABLES // expert_config.num_deals)
        self._lookahead = Lookahead(policy, [SearchRound(expert_config.num_deals)], expert_config.temperature, at_once)

    def compute_targets(
        self,
        decisions: Decisions,
        view: PolicyInputs,
        log_probs: NDArray[np.float32],
        hidden_hands: NDArray[np.uint8],
        keys: RandomKeys,
    ) -> ExpertTargets:
        """Compute targets of decisions, from the policy's log-probabilities [k, labels] and the true hands."""
        none = ExpertTargets.empty(*log_probs.shape)
        selected = (
            scale_to_range_array(splitmix64_array(keys, _LOOKAHEAD_STREAM), _RESOLUTION)
            < self._config.share * _RESOLUTION
        )
        ahead = self._lookahead.improve_policy(decisions, view, log_probs, selected, hidden_hands)
        tried = ~np.isnan(ahead.expected_points)
        rows = np.flatnonzero(tried.any(axis=1))
        probabilities = np.exp(ahead.log_probs[rows])
        none.lookahead_policy[rows] = probabilities
        weights = np.where(tried[rows], probabilities, 0)
        points = np.where(tried[rows], ahead.first_deal_points[rows], 0)
        none.lookahead_value[rows] = (weights * points).sum(axis=1) / weights.sum(axis=1)
        return none
