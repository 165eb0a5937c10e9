"""The agent of abductive learning: networks propose, the knowledge base disposes (Chen et al. 2025)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.agents.preference_agent import preference_model_from_name
from abl_cards.core import NUM_THREADS, GameError, missing_library_message
from abl_cards.games import Engine
from abl_cards.games.endgame import is_applicable
from abl_cards.games.notation import build_card_grid
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, DecisionPoint, Decisions, is_play_decision
from abl_cards.games.types import Moves
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import HandEstimateReport, ModelExplanation, seat_names

if TYPE_CHECKING:
    from abl_cards.agents.choice_lookahead import ChoiceLookahead
    from abl_cards.agents.endgame import EndgameResult, EndgameSearch
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs

_FIRST_ROW = np.arange(1)

FloatArray = NDArray[np.float32]


class PolicyResult(NamedTuple):
    """What became of a policy at k decisions."""

    prior_log_probs: FloatArray  # [k, labels] log-probabilities
    log_probs: FloatArray  # [k, labels] in the end
    expected_points: FloatArray | None = None  # [k, labels] expected
    endgame: EndgameResult | None = None  # where few cards were left


class AblAgent:
    """Plays the most probable label, realised as the preferences like best; they choose, or looking ahead does."""

    def __init__(
        self, policy: NeuroSymbolicPolicy, use_preferences: bool = True, lookahead: Lookahead | None = None,
        search_choices: bool = False,
        endgame: EndgameSearch | None = None,
    ) -> None:  # fmt: skip
        """Play with this mind; without preferences, any consistent card set of the label will do.

        Who looks ahead may do so for choices too: bids, and cards to give. Where few cards are left it may solve.
        """
        self.policy, self._use_preferences, self._lookahead, self._endgame = policy, use_preferences, lookahead, endgame
        self._minimiser = Minimiser(policy.preference_model)
        self._choice_lookahead = self._make_choice_lookahead() if search_choices and lookahead is not None else None

    @property
    def preference_model(self) -> PreferenceModel:
        """The preferences that choose among the card sets of a label."""
        return self.policy.preference_model

    @property
    def uses_preferences(self) -> bool:
        """Whether the preferences select the card set of a label; any card set otherwise."""
        return self._use_preferences

    @property
    def looks_ahead(self) -> bool:
        """Whether it evaluates the likely labels on imagined deals."""
        return self._lookahead is not None

    @property
    def solves_endgames(self) -> bool:
        """Whether it solves imagined deals exactly where few cards are left, and this game allows that."""
        return self._endgame is not None and is_applicable(self.policy.engine.rules)

    @property
    def needs_history(self) -> bool:
        """Whether it weighs deals by what the others have just done."""
        return self._lookahead is not None and self.policy.networks.preset.belief_reweighting

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """The move each."""
        began = time.monotonic()
        view = self.policy.features(decisions)
        weighed = self._evaluate(decisions, view, began).log_probs
        return view.survey.realise(_most_probable_labels(view, weighed), None if self._use_preferences else keys)

    def _evaluate(self, decisions: Decisions, view: PolicyInputs, began: float) -> PolicyResult:
        """What the policy proposes, and what becomes of it: solved where few cards are left, else looked ahead at.

        Time to think counts from when it began.
        """
        proposed = self.policy.log_probs(view)
        found = PolicyResult(proposed, proposed)
        if not len(view.open_rows):
            return found
        solved = None if self._endgame is None else self._endgame.improve_policy(decisions, view, proposed)
        rest = np.ones(len(proposed), np.bool_) if solved is None else solved.deals == 0
        if self._lookahead is not None:
            ahead = self._lookahead.improve_policy(decisions, view, proposed, rest, start_time=began)
            found = PolicyResult(proposed, ahead.log_probs, ahead.expected_points)
        if solved is None or rest.all():
            return found
        points = np.full_like(proposed, np.nan) if found.expected_points is None else found.expected_points
        weighed = np.where(rest[:, None], found.log_probs, solved.log_probs)
        return PolicyResult(proposed, weighed, np.where(rest[:, None], points, solved.expected_points), solved)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """The cheapest option each, or what is worth most where it looks ahead at them."""
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
        """Labels, estimate and move; None where the preferences choose. Raises GameError away from a table."""
        if not is_play_decision(decision_point.decision):
            choice, ahead = cast("Choices", decision_point.decision), self._choice_lookahead
            return ahead.compute_model_explanation(choice) if ahead is not None and choice.view.has_hand_sizes else None
        began = time.monotonic()
        view = self.policy.features(decision_point.decision)
        found = self._evaluate(decision_point.decision, view, began)
        weighed, points = found.log_probs, found.expected_points
        keys = None if self._use_preferences else np.zeros(1, np.uint64)
        return ModelExplanation(
            row=int(view.survey.select_rows(_most_probable_labels(view, weighed), keys)[0]),
            log_probs=_label_log_probs(view, weighed),
            prior_log_probs=_label_log_probs(view, found.prior_log_probs),
            expected_points=None if points is None or not len(points) else points[0],
            wins=None if found.endgame is None else found.endgame.wins[0],
            n_deals=0 if found.endgame is None else int(found.endgame.deals[0]),
            is_sampled=not self._use_preferences,
            estimate=self._hand_estimate(decision_point.decision, view),
            response_probs=self._response_shares(view),
            sampled_deals=self._shown_deals(decision_point.decision, view, points),
        )

    def _shown_deals(
        self, decision: Decisions, view: PolicyInputs, points: FloatArray | None
    ) -> NDArray[np.uint8] | None:
        """Some of the deals that it looked ahead on; None where it did not."""
        if self._lookahead is None or points is None or np.isnan(points).all():
            return None
        return self._lookahead.sample_deals(decision, view, MAX_SHOWN_DEALS)

    def _response_shares(self, view: PolicyInputs) -> NDArray[np.float32] | None:
        """What the decision model was told of who could answer what; None where it was told nothing."""
        from abl_cards.learners import RESPONSE_DEALS

        if not self.policy.networks.preset.uses_responses or not len(view.open_rows):
            return None
        shares = view.response_counts[0].astype(np.float32) / RESPONSE_DEALS
        shares[:, self.policy.engine.label_traits.pass_label] = np.nan
        return shares

    def _hand_estimate(self, decision: Decisions, view: PolicyInputs) -> HandEstimateReport | None:
        """What the networks expect in the other hands, whether or not there was a choice that needed it."""
        if not self.policy.has_hand_estimator:
            return None
        estimate = view.estimate
        if not len(view.open_rows):
            _, estimate = self.policy.estimate_hands(decision, decision.observe(), _FIRST_ROW)
        names = seat_names(self.policy.engine.teams.tolist())
        grid = build_card_grid(decision.rules.card_codes)
        return HandEstimateReport(estimate[0], decision.information_set(), self.policy.uses_projection, names, grid)


def _most_probable_labels(view: PolicyInputs, weighed: FloatArray) -> NDArray[np.int16]:
    """[n] the most probable labels, from log-probabilities [k, labels] where there is a choice."""
    return view.complete_labels(weighed.argmax(axis=1).astype(np.int16))


def _label_log_probs(view: PolicyInputs, weighed: FloatArray) -> FloatArray:
    """[labels] the log-probabilities of a view's only decision; certainty where there is no choice."""
    if not len(view.open_rows):
        return np.where(view.survey.choosable[0], np.float32(0), np.float32(-np.inf))
    return np.where(view.legal[0], weighed[0], np.float32(-np.inf))


MAX_SHOWN_DEALS = 4
"""Deals that are told of those that it looked ahead on."""
OPTION_FLAGS = ("no-abln", "no-projection", "no-preferences", "no-lookahead", "supervised")
MAX_THINK_MILLISECONDS = 60_000
"""Nobody waits longer for a decision."""
OPTION_KEYS = ("without", "kb", "preset", "weights", "think", "endgame")


def make_abl_agent(name: AgentName, engine: Engine, policy_class: type[NeuroSymbolicPolicy] | None = None) -> AblAgent:
    """``abl`` with the shipped weights; raises GameError, KBError.

    ``no-abln`` is its twin that was trained without an estimate of the hidden hands, ``no-projection`` takes the
    estimate as it comes, ``no-preferences`` plays any card set of its label, ``no-lookahead`` the label that its policy
    proposes; ``supervised`` is where self-play began: its critic has learned nothing yet, so it does not look ahead.
    ``preset`` chooses other shipped weights, ``weights`` a file; ``think`` is how many milliseconds it may look ahead;
    ``endgame`` is with how many cards in all hands together it solves what is left, by default as the preset says;
    ``without`` and ``kb`` are those of the agent kb. It thinks with a mind of another kind where one is given.
    """
    try:
        import torch

        from abl_cards.agents.endgame import make_endgame_search
        from abl_cards.agents.policy import NeuroSymbolicPolicy
        from abl_cards.learners import load_networks
    except ModuleNotFoundError as missing:
        raise GameError(f"agent 'abl': {missing_library_message(missing) or missing}") from None

    torch.set_num_threads(min(torch.get_num_threads(), NUM_THREADS))
    networks = load_networks(find_weights(name, engine), engine)
    mind = (policy_class or NeuroSymbolicPolicy)(
        engine, preference_model_from_name(name, engine), networks, use_projection=not name.has_flag("no-projection")
    )
    looks, think = networks.has_trained_critic and not name.has_flag("no-lookahead"), _read_think_seconds(name)
    if think is not None and not looks:
        raise GameError(f"agent '{name}': it does not look ahead, so it needs no time to think; leave out think")
    lookahead = _make_lookahead(mind, think) if looks else None
    endgame = make_endgame_search(name, mind, think) if looks else None
    return AblAgent(mind, not name.has_flag("no-preferences"), lookahead, networks.has_explored_choices, endgame)


def _make_lookahead(mind: NeuroSymbolicPolicy, think: float | None) -> Lookahead:
    """As the preset says, or with some seconds to think."""
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.search_budget import SearchRound

    preset = mind.networks.preset
    search_round = SearchRound(preset.num_determinizations, preset.depth)
    return Lookahead(mind, (search_round,), preset.search_temperature, think_seconds=think)


def _read_think_seconds(name: AgentName) -> float | None:
    """The seconds that a name gives a decision, if it does; raises GameError."""
    text = name.value("think")
    if text is None:
        return None
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = 0.0
    if not 0 < milliseconds <= MAX_THINK_MILLISECONDS:
        raise GameError(f"agent '{name}': think is a number of milliseconds, up to {MAX_THINK_MILLISECONDS:,}")
    return milliseconds / 1000


def find_weights(name: AgentName, engine: Engine) -> Path:
    """The file of weights that a name means; raises GameError."""
    from abl_cards.learners import find_shipped_weights

    preset, chosen = name.value("preset"), name.value("weights")
    tags = [word for word in ("no-abln", "supervised") if name.has_flag(word)]
    if chosen is None:
        return find_shipped_weights(engine.game, preset, *tags)
    others = [*tags, *(["preset"] if preset else [])]
    if others:
        raise GameError(f"agent '{name}': weights=FILE says everything; leave out {', '.join(others)}")
    return Path(chosen)
