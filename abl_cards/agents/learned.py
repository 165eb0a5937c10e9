"""The agent of abductive learning: networks propose, the knowledge base disposes (Chen et al. 2025)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.agents.reasoning import judge_of
from abl_cards.errors import GameError
from abl_cards.extras import missing_text
from abl_cards.games import Choices, Decisions, Engine, Judge, Moment, Moves
from abl_cards.games.moment import is_play
from abl_cards.games.words.card_grid import card_grid
from abl_cards.parallel import THREADS
from reasoners.minimiser import Minimiser
from reasoners.opinion import HandEstimate, Opinion, seat_names

if TYPE_CHECKING:
    from abl_cards.agents.endgame import Endgame, Solved
    from abl_cards.agents.foreseen import OptionsAhead
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.mind import Mind, View

_HERE = np.arange(1)

Shares = NDArray[np.float32]


class Weighed(NamedTuple):
    """What became of a policy at k decisions."""

    proposed: Shares  # [k, labels] log-probabilities
    log_probabilities: Shares  # [k, labels] in the end
    points: Shares | None = None  # [k, labels] expected
    solved: Solved | None = None  # where few cards were left


class Abl:
    """Plays the most probable label, realised as the preferences like best; they choose, or looking ahead does."""

    def __init__(
        self, mind: Mind, preferences: bool = True, lookahead: Lookahead | None = None, options: bool = False,
        endgame: Endgame | None = None,
    ) -> None:  # fmt: skip
        """Play with this mind; without preferences, any consistent card set of the label will do.

        Who looks ahead may do so for choices too: bids, and cards to give. Where few cards are left it may solve.
        """
        self.mind, self._preferences, self._lookahead, self._endgame = mind, preferences, lookahead, endgame
        self._minimiser = Minimiser(mind.judge)
        self._options = self._ahead() if options and lookahead is not None else None

    @property
    def judge(self) -> Judge:
        """The preferences that choose among the card sets of a label."""
        return self.mind.judge

    @property
    def looks_back(self) -> bool:
        """Whether it weighs deals by what the others have just done."""
        return self._lookahead is not None and self.mind.networks.preset.hindsight

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The move each."""
        began = time.monotonic()
        view = self.mind.look(decisions)
        weighed = self._weigh(decisions, view, began).log_probabilities
        return view.survey.realise(_likeliest(view, weighed), None if self._preferences else keys)

    def _weigh(self, decisions: Decisions, view: View, began: float) -> Weighed:
        """What the policy proposes, and what becomes of it: solved where few cards are left, else looked ahead at.

        Time to think counts from when it began.
        """
        proposed = self.mind.weigh(view)
        found = Weighed(proposed, proposed)
        if not len(view.choice):
            return found
        solved = None if self._endgame is None else self._endgame.consider(decisions, view, proposed)
        rest = np.ones(len(proposed), np.bool_) if solved is None else solved.deals == 0
        if self._lookahead is not None:
            ahead = self._lookahead.consider(decisions, view, proposed, rest, began=began)
            found = Weighed(proposed, ahead.log_probabilities, ahead.points)
        if solved is None or rest.all():
            return found
        points = np.full_like(proposed, np.nan) if found.points is None else found.points
        weighed = np.where(rest[:, None], found.log_probabilities, solved.log_probabilities)
        return Weighed(proposed, weighed, np.where(rest[:, None], points, solved.points), solved)

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest option each, or what is worth most where it looks ahead at them."""
        return self._minimiser.choose(choices) if self._options is None else self._options.choose(choices)

    def _ahead(self) -> OptionsAhead | None:
        from abl_cards.agents.foreseen import OptionsAhead

        assert self._lookahead is not None
        return OptionsAhead(self.mind.engine, self._lookahead, self._minimiser)

    # --- why --------------------------------------------------------------------------------------------------------

    def opinion(self, moment: Moment) -> Opinion | None:
        """Labels, estimate and move; None where the preferences choose. Raises GameError away from a table."""
        if not is_play(moment.decision):
            choice, ahead = cast("Choices", moment.decision), self._options
            return ahead.opinion(choice) if ahead is not None and choice.view.at_table else None
        began = time.monotonic()
        view = self.mind.look(moment.decision)
        found = self._weigh(moment.decision, view, began)
        weighed, points = found.log_probabilities, found.points
        keys = None if self._preferences else np.zeros(1, np.uint64)
        return Opinion(
            row=int(view.survey.rows_of(_likeliest(view, weighed), keys)[0]),
            log_probabilities=_chances(view, weighed),
            proposed=_chances(view, found.proposed),
            points=None if points is None or not len(points) else points[0],
            wins=None if found.solved is None else found.solved.wins[0],
            deals=0 if found.solved is None else int(found.solved.deals[0]),
            drawn=not self._preferences,
            estimate=self._estimate(moment.decision, view),
            answered=self._answered(view),
            imagined=self._imagined(moment.decision, view, points),
        )

    def _imagined(self, decision: Decisions, view: View, points: Shares | None) -> NDArray[np.uint8] | None:
        """Some of the deals that it looked ahead on; None where it did not."""
        if self._lookahead is None or points is None or np.isnan(points).all():
            return None
        return self._lookahead.imagined(decision, view, SHOWN)

    def _answered(self, view: View) -> NDArray[np.float32] | None:
        """What the decision model was told of who could answer what; None where it was told nothing."""
        from learners.presets import DRAWS

        if not self.mind.networks.preset.replies or not len(view.choice):
            return None
        shares = view.replies[0].astype(np.float32) / DRAWS
        shares[:, self.mind.engine.traits.pass_label] = np.nan
        return shares

    def _estimate(self, decision: Decisions, view: View) -> HandEstimate | None:
        """What the networks expect in the other hands, whether or not there was a choice that needed it."""
        if not self.mind.estimates:
            return None
        estimate = view.estimate
        if not len(view.choice):
            _, estimate = self.mind.estimate(decision, decision.observe(), _HERE)
        names = seat_names(self.mind.engine.teams.tolist())
        grid = card_grid(decision.rules.letters)
        return HandEstimate(estimate[0], decision.hidden(), self.mind.projects, names, grid)


def _likeliest(view: View, weighed: Shares) -> NDArray[np.int16]:
    """[n] the most probable labels, from log-probabilities [k, labels] where there is a choice."""
    return view.complete(weighed.argmax(axis=1).astype(np.int16))


def _chances(view: View, weighed: Shares) -> Shares:
    """[labels] the log-probabilities of a view's only decision; certainty where there is no choice."""
    if not len(view.choice):
        return np.where(view.survey.choosable[0], np.float32(0), np.float32(-np.inf))
    return np.where(view.legal[0], weighed[0], np.float32(-np.inf))


SHOWN = 4
"""Deals that are told of those that it looked ahead on."""
WORDS = ("no-abln", "no-projection", "no-preferences", "no-lookahead", "supervised")
MOST_MILLISECONDS = 60_000
"""Nobody waits longer for a decision."""
KEYS = ("without", "kb", "preset", "weights", "think", "endgame")


def abl_agent(name: AgentName, engine: Engine, mind_of: type[Mind] | None = None) -> Abl:
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

        from abl_cards.agents.endgame import endgame_of
        from abl_cards.agents.mind import Mind
        from learners.store import load_networks
    except ModuleNotFoundError as missing:
        raise GameError(f"agent 'abl': {missing_text(missing) or missing}") from None

    torch.set_num_threads(min(torch.get_num_threads(), THREADS))
    networks = load_networks(weights_of(name, engine), engine)
    mind = (mind_of or Mind)(engine, judge_of(name, engine), networks, project=not name.has("no-projection"))
    looks, think = networks.valued and not name.has("no-lookahead"), _think(name)
    if think is not None and not looks:
        raise GameError(f"agent '{name}': it does not look ahead, so it needs no time to think; leave out think")
    lookahead = _lookahead(mind, think) if looks else None
    endgame = endgame_of(name, mind, think) if looks else None
    return Abl(mind, not name.has("no-preferences"), lookahead, networks.chooses, endgame)


def _lookahead(mind: Mind, think: float | None) -> Lookahead:
    """As the preset says, or with some seconds to think."""
    from abl_cards.agents.effort import Step
    from abl_cards.agents.lookahead import Lookahead

    preset = mind.networks.preset
    return Lookahead(mind, (Step(*preset.ahead),), preset.temperature, think=think)


def _think(name: AgentName) -> float | None:
    """The seconds that a name gives a decision, if it does; raises GameError."""
    text = name.value("think")
    if text is None:
        return None
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = 0.0
    if not 0 < milliseconds <= MOST_MILLISECONDS:
        raise GameError(f"agent '{name}': think is a number of milliseconds, up to {MOST_MILLISECONDS:,}")
    return milliseconds / 1000


def weights_of(name: AgentName, engine: Engine) -> Path:
    """The file of weights that a name means; raises GameError."""
    from learners.store import shipped

    preset, chosen = name.value("preset"), name.value("weights")
    tags = [word for word in ("no-abln", "supervised") if name.has(word)]
    if chosen is None:
        return shipped(engine.game, preset, *tags)
    others = [*tags, *(["preset"] if preset else [])]
    if others:
        raise GameError(f"agent '{name}': weights=FILE says everything; leave out {', '.join(others)}")
    return Path(chosen)
