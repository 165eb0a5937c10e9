"""Agent ``abl`` of abductive learning: networks propose labels, the knowledge base selects cards (Chen et al. 2025)."""

from __future__ import annotations

import time
from copy import copy
from typing import TYPE_CHECKING, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.endgame import is_applicable
from abl_cards.games.notation import build_card_grid
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, is_play_decision
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import HandEstimateReport, ModelExplanation, seat_names

if TYPE_CHECKING:
    from abl_cards.agents.belief_reweighting import BeliefSampler
    from abl_cards.agents.choice_lookahead import ChoiceLookahead
    from abl_cards.agents.endgame import EndgameResult, EndgameSearch
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs

_FIRST_ROW = np.arange(1)
MAX_SHOWN_DEALS = 4
"""Deals shown of those that the look-ahead drew."""

FloatArray = NDArray[np.float32]


class PolicyResult(NamedTuple):
    """Policy at k decisions before and after the search.

    Attributes:
        prior_log_probs: Log-probabilities of the networks, float32 [k, labels].
        log_probs: Log-probabilities after look-ahead and endgames, float32 [k, labels].
        expected_points: Expected points, float32 [k, labels]; None without a search.
        endgame: Result of the solver; None without one.
    """

    prior_log_probs: FloatArray
    log_probs: FloatArray
    expected_points: FloatArray | None = None
    endgame: EndgameResult | None = None


class AblAgent:
    """Agent ``abl``: plays the most probable label with its cheapest card set by the preferences."""

    def __init__(
        self, policy: NeuroSymbolicPolicy, use_preferences: bool = True, lookahead: Lookahead | None = None,
        search_choices: bool = False,
        endgame: EndgameSearch | None = None,
    ) -> None:  # fmt: skip
        """Make an agent.

        Args:
            policy: Networks and knowledge base.
            use_preferences: Play the cheapest card set of the label; otherwise a random one.
            lookahead: Evaluates likely labels on sampled deals; None to play by the policy alone.
            search_choices: Look ahead at bids and card exchanges too.
            endgame: Solves sampled deals exactly where few cards are left; None for no solver.
        """
        self.policy, self._use_preferences, self._lookahead, self._endgame = policy, use_preferences, lookahead, endgame
        self._minimiser = Minimiser(policy.preference_model)
        self._choice_lookahead = self._make_choice_lookahead() if search_choices and lookahead is not None else None

    @property
    def preference_model(self) -> PreferenceModel:
        """Preferences that select the card set of a label."""
        return self.policy.preference_model

    @property
    def rules(self) -> CompiledGame:
        """Compiled rules that the agent was made for."""
        return self.policy.engine.rules

    @property
    def uses_preferences(self) -> bool:
        """Return whether the preferences select the card set of a label; otherwise it is random."""
        return self._use_preferences

    @property
    def looks_ahead(self) -> bool:
        """Return whether the agent evaluates likely labels on sampled deals."""
        return self._lookahead is not None

    @property
    def uses_rollout_network(self) -> bool:
        """Return whether a rollout network continues the play of sampled deals."""
        return self._lookahead is not None and self._lookahead.uses_rollout_network

    @property
    def think_seconds(self) -> float | None:
        """Time limit of a decision in seconds; None without a limit."""
        return None if self._lookahead is None else self._lookahead.think_seconds

    def with_time_limit(self, seconds: float) -> Self:
        """Return an agent with the same networks and a time limit for each decision.

        Args:
            seconds: Time limit of a decision, in seconds.

        Returns:
            A copy; the agent itself if it does not look ahead or has a limit.
        """
        if self._lookahead is None or self.think_seconds is not None:
            return self
        limited = copy(self)
        limited._lookahead = self._lookahead.with_time_limit(seconds)
        limited._endgame = None if self._endgame is None else self._endgame.with_time_limit(seconds)
        limited._choice_lookahead = None if self._choice_lookahead is None else limited._make_choice_lookahead()
        return limited

    @property
    def solves_endgames(self) -> bool:
        """Return whether the agent solves sampled deals exactly when few cards are left and the game allows it."""
        return self._endgame is not None and is_applicable(self.policy.engine.rules)

    @property
    def needs_history(self) -> int:
        """Return how many acts tables must keep for the agent, which weights sampled deals by them."""
        return 0 if self._lookahead is None else self._lookahead.history_acts

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the move for each decision."""
        began = time.monotonic()
        view = self.policy.features(decisions)
        weighed = self._evaluate(decisions, view, self._make_sampler(decisions, view), began).log_probs
        return view.survey.realise(_most_probable_labels(view, weighed), None if self._use_preferences else keys)

    def _make_sampler(self, decisions: Decisions, view: PolicyInputs) -> BeliefSampler:
        from abl_cards.agents.belief_reweighting import BeliefSampler  # imports torch

        return BeliefSampler(self.policy, decisions, view)

    def _evaluate(self, decisions: Decisions, view: PolicyInputs, sampler: BeliefSampler, began: float) -> PolicyResult:
        """Compute the policy, solve where few cards are left, and look ahead elsewhere.

        A time limit counts from ``began``, a time of ``time.monotonic``.
        """
        proposed = self.policy.log_probs(view)
        result = PolicyResult(proposed, proposed)
        if not len(view.open_rows):
            return result
        solved = None if self._endgame is None else self._endgame.improve_policy(decisions, view, proposed, sampler)
        unsolved = np.ones(len(proposed), np.bool_) if solved is None else solved.deals == 0
        if self._lookahead is not None:
            ahead = self._lookahead.improve_policy(
                decisions, view, proposed, unsolved, start_time=began, sampler=sampler
            )
            result = PolicyResult(proposed, ahead.log_probs, ahead.expected_points)
        if solved is None or unsolved.all():
            return result
        points = np.full_like(proposed, np.nan) if result.expected_points is None else result.expected_points
        weighed = np.where(unsolved[:, None], result.log_probs, solved.log_probs)
        return PolicyResult(proposed, weighed, np.where(unsolved[:, None], points, solved.expected_points), solved)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the cheapest option of each choice, or the best one by look-ahead: uint8 [n]."""
        return (
            self._minimiser.choose(choices)
            if self._choice_lookahead is None
            else self._choice_lookahead.choose(choices)
        )

    def _make_choice_lookahead(self) -> ChoiceLookahead | None:
        from abl_cards.agents.choice_lookahead import ChoiceLookahead

        assert self._lookahead is not None
        return ChoiceLookahead(self.policy.engine, self._lookahead, self._minimiser)

    # --- why --------------------------------------------------------------------------------------------------------

    def compute_model_explanation(self, decision_point: DecisionPoint) -> ModelExplanation | None:
        """Explain a decision by labels, estimate and move; None where the preferences choose. Raises GameError."""
        if not is_play_decision(decision_point.decision):
            choice, ahead = cast("Choices", decision_point.decision), self._choice_lookahead
            return ahead.compute_model_explanation(choice) if ahead is not None and choice.view.has_hand_sizes else None
        began = time.monotonic()
        decision, view = decision_point.decision, self.policy.features(decision_point.decision)
        sampler = self._make_sampler(decision, view)
        result = self._evaluate(decision, view, sampler, began)
        weighed, points = result.log_probs, result.expected_points
        keys = None if self._use_preferences else np.zeros(1, np.uint64)
        return ModelExplanation(
            row=int(view.survey.select_rows(_most_probable_labels(view, weighed), keys)[0]),
            log_probs=_label_log_probs(view, weighed),
            prior_log_probs=_label_log_probs(view, result.prior_log_probs),
            expected_points=None if points is None or not len(points) else points[0],
            wins=None if result.endgame is None else result.endgame.wins[0],
            n_deals=0 if result.endgame is None else int(result.endgame.deals[0]),
            is_sampled=not self._use_preferences,
            estimate=self._hand_estimate(decision, view),
            response_probs=self._response_shares(view),
            sampled_deals=self._shown_deals(sampler, points),
        )

    def _shown_deals(self, sampler: BeliefSampler, points: FloatArray | None) -> NDArray[np.uint8] | None:
        """Return some of the deals of the look-ahead; None without one."""
        if self._lookahead is None or points is None or np.isnan(points).all():
            return None
        return self._lookahead.sample_deals(sampler, MAX_SHOWN_DEALS)

    def _response_shares(self, view: PolicyInputs) -> NDArray[np.float32] | None:
        """Return the shares of deals in which the others could answer; None where this is not an input."""
        from abl_cards.learners import RESPONSE_DEALS

        if not self.policy.networks.preset.uses_responses or not len(view.open_rows):
            return None
        shares = view.response_counts[0].astype(np.float32) / RESPONSE_DEALS
        shares[:, self.policy.engine.label_traits.pass_label] = np.nan
        return shares

    def _hand_estimate(self, decision: Decisions, view: PolicyInputs) -> HandEstimateReport | None:
        """Return the estimate of the other hands, also where there was no choice; None without an estimator."""
        if not self.policy.has_hand_estimator:
            return None
        estimate = view.estimate
        if not len(view.open_rows):
            _, estimate = self.policy.estimate_hands(decision, decision.observe(), _FIRST_ROW)
        names = seat_names(self.policy.engine.teams.tolist())
        grid = build_card_grid(decision.rules.card_codes)
        return HandEstimateReport(estimate[0], decision.information_set(), self.policy.uses_projection, names, grid)


def _most_probable_labels(view: PolicyInputs, weighed: FloatArray) -> NDArray[np.int16]:
    """Return the most probable labels int16 [n], from log-probabilities [k, labels] where there is a choice."""
    return view.complete_labels(weighed.argmax(axis=1).astype(np.int16))


def _label_log_probs(view: PolicyInputs, weighed: FloatArray) -> FloatArray:
    """Return the log-probabilities [labels] of a single decision; certainty where there is no choice."""
    if not len(view.open_rows):
        return np.where(view.survey.choosable[0], np.float32(0), np.float32(-np.inf))
    return np.where(view.legal[0], weighed[0], np.float32(-np.inf))
