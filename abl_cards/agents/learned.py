"""The agent of abductive learning: networks propose, the knowledge base disposes (Chen et al. 2025)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.games import Decisions, Engine, Exchanges, GameError, Moves
from reasoners.minimiser import Minimiser

if TYPE_CHECKING:
    from abl_cards.agents.mind import Mind


class Abl:
    """Plays the most probable label, realised as the preferences like best; they decide tribute and return."""

    def __init__(self, mind: Mind, preferences: bool = True) -> None:
        """Play with this mind; without preferences, any consistent card set of the label will do."""
        self.mind, self._preferences = mind, preferences
        self._minimiser = Minimiser(mind.judge)

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The move each."""
        view = self.mind.look(decisions)
        labels = self.mind.choose(view)
        return view.survey.realise(labels) if self._preferences else decisions.realise_random(labels, keys)

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The cheapest card each."""
        return self._minimiser.give(exchanges)


WORDS = ("no-abln", "no-projection", "no-preferences", "supervised")
KEYS = ("without", "kb", "preset", "weights")


def abl_agent(name: AgentName, engine: Engine) -> Abl:
    """``abl`` with the shipped weights; raises GameError, KBError.

    ``no-abln`` is its twin that was trained without an estimate of the hidden hands, ``no-projection`` takes the
    estimate as it comes, ``no-preferences`` plays any card set of its label, ``supervised`` is where self-play began.
    ``preset`` chooses other shipped weights, ``weights`` a file; ``without`` and ``kb`` are those of the agent kb.
    """
    from abl_cards.agents.mind import Mind
    from learners.store import load_networks, shipped

    chosen = name.value("weights")
    tags = [word for word in ("no-abln", "supervised") if name.has(word)]
    if chosen and (tags or name.value("preset")):
        raise GameError(f"agent '{name}': weights=FILE says everything; leave out {', '.join([*tags, 'preset'])}")
    file = Path(chosen) if chosen else shipped(engine.game, name.value("preset") or "small", *tags)
    folder = name.value("kb")
    judge = engine.judge(name.values("without"), Path(folder) if folder else None)
    mind = Mind(engine, judge, load_networks(file, engine), project=not name.has("no-projection"))
    return Abl(mind, preferences=not name.has("no-preferences"))
