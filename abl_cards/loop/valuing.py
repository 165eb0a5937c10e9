"""What positions are worth: when self-play is over the critic learns from many more games of the players that came out.

In self-play it learns from each decision once, while the policy that it judges changes. Looking ahead asks more of it,
and by then the policy stands still: games are cheap, and each can be learned from under every symmetry of the cards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abl_cards.agents.mind import Mind
from abl_cards.games import Engine
from abl_cards.loop.experience import Experience
from abl_cards.loop.preparation import Tell
from abl_cards.loop.pretraining import Fit, Progress
from abl_cards.loop.selfplay import SelfPlay
from abl_cards.loop.updates import value_loss
from learners.networks import Networks
from learners.presets import PPO
from learners.symmetry import Symmetries

PORTION = 32_768
"""Decisions with a choice that are taken over at once."""
ROUND = 32 * PORTION
"""Of them so many lie in memory at a time; they are learned from, and the next are played."""
_BATCH, _PEAK = 2048, 1e-3


class OwnGames:
    """Games of networks against themselves, and what their decisions with a choice came to.

    That is the discounted end of the episode; what the critic is not told is left out.
    """

    def __init__(self, engine: Engine, networks: Networks, ppo: PPO, seed: int, tables: int = 1024) -> None:
        """Games by a seed; nothing is played yet."""
        self._engine, self._mind = engine, Mind(engine, engine.judge(), networks)
        self._ppo, self._seed, self._tables = replace(ppo, trace=1.0, rows=PORTION), seed, tables

    def decisions(self, least: int, number: int = 0, tell: Tell = lambda done, what: None) -> Experience:
        """At least so many, in games that depend on a number."""
        seats = np.zeros((self._tables, int(self._engine.teams.max()) + 1), np.int8)
        first = number * self._tables
        play = SelfPlay(self._engine, self._mind, [], seats, self._ppo, self._seed, first=first, valued=False)
        parts: list[Experience] = []
        for done in range(0, least, PORTION):
            while play.memory.ready < PORTION:
                play.step()
            parts.append(play.memory.take(PORTION).for_critic())
            tell(done + PORTION, "decisions of own games for the critic")
        return Experience.joined(parts)

    def teach(self, fit: Fit, least: int, progress: Progress, tell: Tell) -> None:
        """Learn from at least so many decisions what is left to learn, round by round."""
        sizes = [min(ROUND, least - first) for first in range(0, least, ROUND)]
        learned = np.cumsum(sizes) * fit.steps // sum(sizes)
        for number, (size, until) in enumerate(zip(sizes, learned.tolist(), strict=True)):
            if fit.done < until:
                fit.go(self.decisions(size, number, tell), self._mind.networks.device, progress, until)


def critic_fit(networks: Networks, symmetries: Symmetries, steps: int, seed: int) -> Fit:
    """The critic to what decisions came to."""
    return Fit(
        networks.critic, lambda told, rows: value_loss(networks, told, rows), symmetries, steps, seed,
        batch=_BATCH, peak=_PEAK,
    )  # fmt: skip
