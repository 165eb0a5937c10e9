"""Agent ``abl`` of abductive learning: networks propose labels, the knowledge base selects cards (Chen et al. 2025)."""

from __future__ import annotations

import time
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.agents.preference_agent import preference_model_from_name
from abl_cards.core import NUM_THREADS, ErrorCode, GameError, missing_library_message
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.endgame import is_applicable
from abl_cards.games.notation import build_card_grid
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.rollouts import can_roll_out
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, is_play_decision
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import HandEstimateReport, ModelExplanation, seat_names

if TYPE_CHECKING:
    from abl_cards.agents.choice_lookahead import ChoiceLookahead
    from abl_cards.agents.endgame import EndgameResult, EndgameSearch
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
    from abl_cards.learners import Networks

_FIRST_ROW = np.arange(1)

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
            lookahead: Evaluates likely labels on imagined deals; None to play by the policy alone.
            search_choices: Look ahead at bids and card exchanges too.
            endgame: Solves imagined deals where few cards are left; None for no solver.
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
        """Rules that it was made for."""
        return self.policy.engine.rules

    @property
    def uses_preferences(self) -> bool:
        """Return whether the preferences select the card set of a label; any card set otherwise."""
        return self._use_preferences

    @property
    def looks_ahead(self) -> bool:
        """Return whether the agent evaluates likely labels on sampled deals."""
        return self._lookahead is not None

    @property
    def uses_rollout_network(self) -> bool:
        """Return whether a rollout network plays imagined deals on."""
        return self._lookahead is not None and self._lookahead.uses_rollout_network

    @property
    def think_seconds(self) -> float | None:
        """Time limit of a decision in seconds; None without a limit."""
        return None if self._lookahead is None else self._lookahead.think_seconds

    def with_time_limit(self, seconds: float) -> Self:
        """Return this agent with a time limit of a decision, by the same networks.

        Args:
            seconds: Time limit.

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
    def needs_history(self) -> bool:
        """Return whether the agent reweights deals by the last acts of the others."""
        return self._lookahead is not None and self.policy.networks.preset.belief_reweighting

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the move for each decision."""
        began = time.monotonic()
        view = self.policy.features(decisions)
        weighed = self._evaluate(decisions, view, began).log_probs
        return view.survey.realise(_most_probable_labels(view, weighed), None if self._use_preferences else keys)

    def _evaluate(self, decisions: Decisions, view: PolicyInputs, began: float) -> PolicyResult:
        """Compute the policy, solve where few cards are left, and look ahead elsewhere.

        A time limit counts from ``began``, a time of ``time.monotonic``.
        """
        proposed = self.policy.log_probs(view)
        result = PolicyResult(proposed, proposed)
        if not len(view.open_rows):
            return result
        solved = None if self._endgame is None else self._endgame.improve_policy(decisions, view, proposed)
        unsolved = np.ones(len(proposed), np.bool_) if solved is None else solved.deals == 0
        if self._lookahead is not None:
            ahead = self._lookahead.improve_policy(decisions, view, proposed, unsolved, start_time=began)
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
        view = self.policy.features(decision_point.decision)
        result = self._evaluate(decision_point.decision, view, began)
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
            estimate=self._hand_estimate(decision_point.decision, view),
            response_probs=self._response_shares(view),
            sampled_deals=self._shown_deals(decision_point.decision, view, points),
        )

    def _shown_deals(
        self, decision: Decisions, view: PolicyInputs, points: FloatArray | None
    ) -> NDArray[np.uint8] | None:
        """Return some of the deals of the look-ahead; None without one."""
        if self._lookahead is None or points is None or np.isnan(points).all():
            return None
        return self._lookahead.sample_deals(decision, view, MAX_SHOWN_DEALS)

    def _response_shares(self, view: PolicyInputs) -> NDArray[np.float32] | None:
        """Return the shares of deals in which the others could answer; None where this is no input."""
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


MAX_SHOWN_DEALS = 4
"""Deals shown of those that the look-ahead drew."""
OPTION_FLAGS = ("no-abln", "no-projection", "no-preferences", "no-lookahead", "no-rollout-network", "supervised")
MAX_THINK_MILLISECONDS = 60_000
"""Longest time limit of a decision."""
OWN_NETWORK_KEYS = ("model", "policy", "critic", "abln")
"""Options that name classes of networks of one's own."""
OPTION_KEYS = ("without", "scale", "kb", "preset", "weights", "think", "endgame", *OWN_NETWORK_KEYS)


def make_abl_agent(name: AgentName, engine: Engine, policy_class: type[NeuroSymbolicPolicy] | None = None) -> AblAgent:
    """Make agent ``abl`` from its name.

    Args:
        name: ``abl`` with options. ``no-abln`` takes the weights trained without an estimate of the hidden hands,
            ``supervised`` those before self-play, ``preset=NAME`` other shipped weights, ``weights=FILE`` a file.
            ``no-projection`` leaves the estimate as it is, ``no-preferences`` plays any card set of the label,
            ``no-lookahead`` the label of the policy. ``no-rollout-network`` looks ahead with plays by the policy where
            weights of a rollout network lie beside the others. ``think=MS`` is the time limit of a decision in
            milliseconds, ``endgame=N`` the most cards in all hands together that are solved exactly. ``without``,
            ``scale`` and ``kb`` are the options of agent ``kb``. Weights of networks of one's own need
            ``weights=FILE`` and the file of each class, ``policy=``, ``critic=``, ``abln=`` or, for one network of all,
            ``model=FILE.py:CLASS``.
        engine: Compiled game.
        policy_class: Class of the policy; None for ``NeuroSymbolicPolicy``.

    Returns:
        The agent.

    Raises:
        GameError: A library or the weights are missing, or an option has a wrong value.
        KBError: The preferences do not compile.
    """
    try:
        import torch

        from abl_cards.learners import GameShape, load_card, load_networks, wrap_parts
    except ModuleNotFoundError as missing:
        problem = f"agent 'abl': {missing_library_message(missing) or missing}"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE) from None

    torch.set_num_threads(min(torch.get_num_threads(), NUM_THREADS))
    own, file = make_own_networks(name, engine), find_weights(name, engine)
    if "model" in own and load_card(file).own_parts.keys() == {"policy"}:  # of a run of JointBridge(model=…)
        own["policy"] = own.pop("model")
    if "model" in own:
        return _make_model_agent(name, engine, file, own)
    networks = load_networks(file, engine, wrap_parts(GameShape.of(engine), **own))
    if networks.rollout_weights is not None:
        cannot_be_used = networks.preset.rollout.is_compiled and not can_roll_out(engine.rules)
        if name.has_flag("no-rollout-network") or cannot_be_used:
            networks.rollout_weights = None
    return make_network_agent(name, engine, networks, policy_class)


def make_network_agent(
    name: AgentName, engine: Engine, networks: Networks, policy_class: type[NeuroSymbolicPolicy] | None = None
) -> AblAgent:
    """Make agent ``abl`` from networks.

    Args:
        name: ``abl`` with the options of `make_abl_agent`, those of weights aside.
        engine: Compiled game.
        networks: Networks of this game.
        policy_class: Class of the policy; None for ``NeuroSymbolicPolicy``.

    Raises:
        GameError: An option has a wrong value, or does not go with these networks.
        KBError: The preferences do not compile.
    """
    from abl_cards.agents.endgame import make_endgame_search
    from abl_cards.agents.policy import NeuroSymbolicPolicy

    policy = (policy_class or NeuroSymbolicPolicy)(
        engine, preference_model_from_name(name, engine), networks, use_projection=not name.has_flag("no-projection")
    )
    looks, think = networks.has_trained_critic and not name.has_flag("no-lookahead"), _read_think_seconds(name)
    if think is not None and not looks:
        problem = f"agent '{name}': it does not look ahead, so it needs no time to think; leave out think"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    lookahead, endgame = (_make_lookahead(policy), make_endgame_search(name, policy)) if looks else (None, None)
    agent = AblAgent(policy, not name.has_flag("no-preferences"), lookahead, networks.has_explored_choices, endgame)
    return agent if think is None else agent.with_time_limit(think)


def make_own_networks(name: AgentName, engine: Engine) -> dict[str, object]:
    """Import the classes of networks of one's own that an agent's name has, and make the networks.

    Args:
        name: ``abl`` with options, such as ``weights=FILE,model=FILE.py:CLASS``.
        engine: Compiled game, whose sizes (``learners.GameShape``) are the argument of each class.

    Returns:
        The networks by the key of their option, untrained.

    Raises:
        GameError: A class cannot be imported or called, or the name has no weights for it.
    """
    from abl_cards.agents.plugins import make_plugin_object

    texts = {key: text for key in OWN_NETWORK_KEYS if (text := name.value(key)) is not None}
    if texts and name.value("weights") is None:
        problem = f"agent '{name}': {', '.join(texts)}: shipped weights need no class; add weights=FILE"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    if not texts:
        return {}
    from abl_cards.learners import GameShape

    shape = GameShape.of(engine)
    return {key: make_plugin_object(text, shape) for key, text in texts.items()}


def _make_model_agent(name: AgentName, engine: Engine, file: Path, own: dict[str, object]) -> AblAgent:
    """Make an agent of one network for policy, value and hands, which has no look-ahead."""
    from abl_cards.agents.model_agent import ModelAgent, load_model_policy

    if others := [*(key for key in own if key != "model"), *(key for key in ("think", "endgame") if name.value(key))]:
        problem = f"agent '{name}': {', '.join(others)}: model= is all networks, and does not look ahead; leave it out"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    preferences = preference_model_from_name(name, engine)
    policy = load_model_policy(file, own["model"], engine, preferences, not name.has_flag("no-projection"))
    return ModelAgent(policy, not name.has_flag("no-preferences"))


def _make_lookahead(policy: NeuroSymbolicPolicy) -> Lookahead:
    """Make the look-ahead of the preset."""
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.search_budget import SearchRound

    preset = policy.networks.preset
    search_round, rollout = SearchRound(preset.num_determinizations, preset.depth), preset.rollout
    if policy.networks.rollout_weights is not None and not rollout.needs_time_limit:
        search_round = SearchRound(rollout.num_determinizations, rollout.depth, rollout.num_tables)
    return Lookahead(policy, (search_round,), preset.search_temperature)


def _read_think_seconds(name: AgentName) -> float | None:
    """Read the time limit of a decision in seconds; None where there is none. Raises GameError."""
    text = name.value("think")
    if text is None:
        return None
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = 0.0
    if not 0 < milliseconds <= MAX_THINK_MILLISECONDS:
        problem = f"agent '{name}': think is a number of milliseconds, up to {MAX_THINK_MILLISECONDS:,}"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    return milliseconds / 1000


def find_weights(name: AgentName, engine: Engine) -> Path:
    """Find the file of weights of agent ``abl``.

    Args:
        name: ``abl`` with options.
        engine: Compiled game.

    Returns:
        Path of the weights.

    Raises:
        GameError: There are no shipped weights for this game and these options, or options contradict ``weights=FILE``.
    """
    from abl_cards.learners import find_shipped_weights

    preset, chosen = name.value("preset"), name.value("weights")
    tags = [word for word in ("no-abln", "supervised") if name.has_flag(word)]
    if chosen is None:
        return find_shipped_weights(engine.game, preset, *tags)
    others = [*tags, *(["preset"] if preset else [])]
    if others:
        problem = f"agent '{name}': weights=FILE names all weights; leave out {', '.join(others)}"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    return Path(chosen)
