"""What positions are worth: when self-play is over the critic learns from many more games of the players that came out.

In self-play it learns from each decision twice, while the policy that it judges changes. Looking ahead asks more of it,
and by then the policy stands still: games are cheap, and each can be learned from under every symmetry of the cards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.mind import Mind
from abl_cards.games import Engine
from abl_cards.loop.experience import Experience
from abl_cards.loop.preparation import Tell
from abl_cards.loop.pretraining import Fit
from abl_cards.loop.selfplay import SelfPlay
from abl_cards.loop.updates import value_loss
from learners.networks import Networks
from learners.presets import PPO
from learners.symmetry import Symmetries

PORTION = 32_768
"""Decisions with a choice that are taken over at once."""
_BATCH, _PEAK = 2048, 3e-4
_UNSEEN = ("regret", "estimate", "replies", "prior", "unseen", "left", "at_least", "at_most", "later")
"""What the critic is not told."""


def own_games(
    engine: Engine, networks: Networks, ppo: PPO, decisions: int, seed: int, tables: int = 1024,
    tell: Tell = lambda done, what: None,
) -> Experience:  # fmt: skip
    """At least so many decisions with a choice of networks against themselves, and what they came to.

    That is the discounted end of the episode; what the critic is not told is left out.
    """
    seats = np.zeros((tables, int(engine.teams.max()) + 1), np.int8)
    whole = replace(ppo, trace=1.0, rows=PORTION)
    play = SelfPlay(engine, Mind(engine, engine.judge(), networks), [], seats, whole, seed)
    parts: list[Experience] = []
    for done in range(0, decisions, PORTION):
        while play.memory.ready < PORTION:
            play.step()
        rows = play.memory.take(PORTION)
        parts.append(replace(rows, **{name: _nothing(getattr(rows, name)) for name in _UNSEEN}))
        tell(done + PORTION, "decisions of own games for the critic")
    return Experience.joined(parts)


def _nothing(array: NDArray[Any]) -> NDArray[Any]:
    """As many rows, and cards where there are cards, with nothing in them."""
    return np.zeros((len(array), 0, *array.shape[2:]), array.dtype)


def critic_fit(networks: Networks, symmetries: Symmetries, steps: int, seed: int) -> Fit:
    """The critic to what decisions came to."""
    return Fit(
        networks.critic, lambda told, rows: value_loss(networks, told, rows), symmetries, steps, seed,
        batch=_BATCH, peak=_PEAK,
    )  # fmt: skip
