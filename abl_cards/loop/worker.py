"""What each process of a training run does: it plays at its tables and learns from what it decided there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from abl_cards.agents import Kb
from abl_cards.agents.mind import Mind
from abl_cards.games import Engine, GameError
from abl_cards.loop.crew import Post
from abl_cards.loop.experience import Experience
from abl_cards.loop.players import Past, seating
from abl_cards.loop.rules import contents_of, same_rules
from abl_cards.loop.selfplay import Score, SelfPlay
from abl_cards.loop.settings import Settings
from abl_cards.loop.updates import Trainer, Update
from learners.networks import GameShape, Networks
from learners.presets import PPO, Preset
from learners.symmetry import Symmetries
from reasoners.minimiser import Minimiser

PRECISIONS = ("float32", "bfloat16")

PLAYERS = ("itself", "kb", "its past")
"""Whom the learner meets, in the order of the numbers of the players."""

Learn = Callable[[Experience], Update]
"""From decisions whose returns are known to what was seen in learning from them."""

State = dict[str, Any]
"""What is kept of something, or told to another process."""


@dataclass(frozen=True)
class Turn:
    """What came of playing and learning once."""

    decisions: int
    score: Score
    learned: Update

    @classmethod
    def of_all(cls, turns: Sequence[Turn]) -> Turn:
        """What came of it in several processes."""
        score = sum((turn.score for turn in turns), Score.zero(len(PLAYERS)))
        return cls(sum(turn.decisions for turn in turns), score, Update.mean([turn.learned for turn in turns]))


def networks_of(settings: Settings, preset: Preset, engine: Engine) -> Networks:
    """The networks of a run before they know anything; raises GameError."""
    if settings.precision not in PRECISIONS:
        raise GameError(f"unknown precision '{settings.precision}' (there are: {', '.join(PRECISIONS)})")
    networks = Networks(preset, GameShape.of(engine), settings.seed).to(settings.device).eval()
    networks.precision = settings.precision
    if settings.trust is not None and networks.decision.trust is not None:
        networks.decision.trust.data.fill_(settings.trust)
    return networks


class Worker:
    """A process's tables and its copy of what learns."""

    def __init__(self, settings: Settings, networks: Networks, post: Post) -> None:
        """Sit down at the tables of a post."""
        self.settings, self.networks, self.post = settings, networks, post
        self.engine = settings.engine()
        self.rules = contents_of(self.engine)
        self.past = deepcopy(networks)
        self.ppo = _ppo(settings, networks.preset.ppo, post)
        symmetries = Symmetries.of(self.engine.symmetries, self.engine.observation)
        self.trainer = Trainer(networks, symmetries, self.ppo, settings.averaged)
        self.update = 0
        self._rng = self._randomness()
        self.play = self._sit_down()
        self.learn: Learn = self.teach

    def _randomness(self) -> np.random.Generator:
        seed, rank = self.settings.seed, self.post.rank
        return np.random.default_rng([seed, rank, self.update] if rank else seed)

    def _sit_down(self) -> SelfPlay:
        """Tables with cards that depend on the update before which they are dealt."""
        judge, settings = self.engine.judge(), self.settings
        opponents = Kb(Minimiser(judge)), Past(Mind(self.engine, judge, self.past))
        tables = self.post.range(settings.tables)
        shares = settings.against_kb, settings.against_past
        seats = seating(len(tables), int(self.engine.teams.max()) + 1, shares)
        mind, seed = Mind(self.engine, judge, self.networks), settings.seed + self.update
        return SelfPlay(self.engine, mind, opponents, seats, self.ppo, seed, settings.revealed, tables.start)

    def turn(self) -> Turn:
        """Play until there is enough to learn from, and learn."""
        before = self.play.decisions
        while self.play.memory.ready < self.ppo.rows:
            self.play.step()
        learned = self.learn(self.play.memory.take(self.ppo.rows))
        self.update += 1
        score, self.play.score = self.play.score, Score.zero(len(PLAYERS))
        return Turn(self.play.decisions - before, score, learned)

    def teach(self, rows: Experience) -> Update:
        """Let the networks learn from decisions; at the start the critic alone."""
        return self.trainer.update(rows, self._rng, critic_only=self.update < self.settings.critic_first)

    def meet(self, past: State) -> None:
        """From now on play against these weights."""
        self.past.load_state_dict(past)

    # --- what is kept ------------------------------------------------------------------------------------------------

    def common(self) -> State:
        """What is the same in all processes."""
        hands = self.trainer.hands
        return {
            "rules": self.rules,
            "networks": self.networks.state_dict(),
            "past": self.past.state_dict(),
            "policy": self.trainer.policy.state_dict(),
            "average": self.trainer.average.state(),
            "hands": hands.state_dict() if hands else None,
            "update": self.update,
        }

    def own(self) -> State:
        """What only this process has."""
        return {
            "rng": self._rng.bit_generator.state,
            "tables": self.play.tables.arrays(),
            "memory": self.play.memory.arrays(),
            "score": asdict(self.play.score),
        }

    def take_up(self, common: State, own: State) -> None:
        """Go on from what was kept; with cards dealt anew where no tables were. Raises GameError for other rules."""
        same_rules(common.get("rules", self.rules), self.rules)  # older runs did not keep them
        self.networks.load_state_dict(common["networks"])
        self.past.load_state_dict(common["past"])
        self.trainer.resume(common["policy"])
        self.trainer.average.restore(common["average"])
        if self.trainer.hands:
            self.trainer.hands.load_state_dict(common["hands"])
        self.update = common["update"]
        self._rng = self._randomness()
        if "rng" in own:
            self._rng.bit_generator.state = own["rng"]
        if "tables" in own:
            self._sit_down_again(own)
        else:
            self.play = self._sit_down()

    def _sit_down_again(self, own: State) -> None:
        for name, array in self.play.tables.arrays().items():
            array[...] = own["tables"][name]
        self.play.memory.restore(own["memory"])
        self.play.score = Score(**own["score"])


def _ppo(settings: Settings, preset: PPO, post: Post) -> PPO:
    """The preset's, but for what the settings say; of rows and batches the part of one process."""
    asked = {name: getattr(settings, name) for name in ("learning_rate", "entropy", "trace", "rows", "batch")}
    ppo = replace(preset, **{name: value for name, value in asked.items() if value is not None})
    return replace(ppo, rows=post.part(ppo.rows), batch=post.part(ppo.batch))
