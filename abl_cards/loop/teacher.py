"""Expert iteration: in a share of its decisions the learner looks ahead, and learns what it would have done then.

The teacher is the look-ahead that plays (``agents.lookahead``). In self-play it may know more than a player does: the
deal that lies on the table is as likely as any that could be imagined, and it is for nothing. So it comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.effort import Step
from abl_cards.agents.lookahead import Lookahead
from abl_cards.agents.mind import Mind, View
from abl_cards.errors import GameError
from abl_cards.games import Decisions
from abl_cards.loop.settings import Settings
from abl_cards.streams import below_all, mix_all
from learners.presets import PPO

_ASKED = 15  # what the random numbers are for
_GRAIN = 1 << 20
_AT_ONCE = 4096  # imagined tables, for the sake of memory


@dataclass(frozen=True)
class Teaching:
    """How much the learner learns from looking ahead."""

    share: float = 0.0  # of its decisions with a choice
    deals: int = 1  # the one that lies there first
    temperature: float = 0.5
    weight: float = 0.5  # beside PPO
    values: float = 0.0  # share in what the critic learns

    @classmethod
    def of(cls, settings: Settings, ppo: PPO) -> Teaching:
        """What the settings of a run say that learns like this; raises GameError."""
        found = cls(
            settings.foresight, settings.foresight_deals, settings.foresight_temperature, settings.foresight_weight,
            settings.foresight_values,
        )  # fmt: skip
        for name in ("share", "values"):
            if not 0 <= getattr(found, name) <= 1:
                asked = "foresight" if name == "share" else "foresight_values"
                raise GameError(f"{asked}: {getattr(found, name)} is no share; give a number from 0 to 1")
        if found.deals < 1:
            raise GameError(f"foresight_deals: {found.deals} deals show nothing; give 1 or more")
        if found.temperature <= 0:
            raise GameError(f"foresight_temperature: {found.temperature} leaves nothing open; give a number above 0")
        if found.share and ppo.worth:
            raise GameError("foresight: it asks what whole episodes are worth, and tricks are rewarded; give worth=0")
        return found


@dataclass(frozen=True)
class Lessons:
    """What looking ahead says of k decisions."""

    foreseen: NDArray[np.float16]  # [k, labels] probabilities; zeros where nobody looked ahead
    worth: NDArray[np.float32]  # [k] points in the deal that lies there; NaN there

    @classmethod
    def none(cls, k: int, labels: int = 0) -> Lessons:
        """Where nobody looks ahead."""
        return cls(np.zeros((k, labels), np.float16), np.full(k, np.nan, np.float32))


class Teacher:
    """Looks ahead for a learner."""

    def __init__(self, mind: Mind, teaching: Teaching) -> None:
        """With its own networks as they are at the time."""
        self._teaching = teaching
        at_once = max(1, _AT_ONCE // teaching.deals)
        self._lookahead = Lookahead(mind, [Step(teaching.deals)], teaching.temperature, at_once)

    def lessons(
        self, decisions: Decisions, view: View, proposed: NDArray[np.float32], truth: NDArray[np.uint8], keys: Keys
    ) -> Lessons:
        """Of decisions whose policy [k, labels] is proposed and whose hidden hands [k, others, cards] are the truth."""
        none = Lessons.none(*proposed.shape)
        asked = below_all(mix_all(keys, _ASKED), _GRAIN) < self._teaching.share * _GRAIN
        ahead = self._lookahead.consider(decisions, view, proposed, asked, truth)
        tried = ~np.isnan(ahead.points)
        rows = np.flatnonzero(tried.any(axis=1))
        probabilities = np.exp(ahead.log_probabilities[rows])
        none.foreseen[rows] = probabilities
        weights = np.where(tried[rows], probabilities, 0)
        points = np.where(tried[rows], ahead.first[rows], 0)
        none.worth[rows] = (weights * points).sum(axis=1) / weights.sum(axis=1)
        return none
