"""What each process of a training run does: it learns from what is played, at its own tables or by actors elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.loop.actor import PLAYERS, Players, Sitting, State
from abl_cards.loop.company import Company, engines_of, rules_of
from abl_cards.loop.crew import Post
from abl_cards.loop.experience import Experience
from abl_cards.loop.rules import same_rules
from abl_cards.loop.samples import Pooled, SamplePool
from abl_cards.loop.selfplay import Score, SelfPlay
from abl_cards.loop.settings import Settings
from abl_cards.loop.teacher import Teaching
from abl_cards.loop.updates import Trainer, Update
from learners.networks import GameShape, Networks
from learners.presets import PPO, Preset
from learners.symmetry import Symmetries

__all__ = ["PLAYERS", "State", "Turn", "Worker", "networks_of", "ppo_of"]

ALONE = Post()
PRECISIONS = ("float32", "bfloat16")

Learn = Callable[[Experience], Update]
"""From decisions whose returns are known to what was seen in learning from them."""


@dataclass(frozen=True)
class Turn:
    """What came of playing and learning once."""

    decisions: int
    score: Score
    learned: Update
    pooled: Pooled

    @classmethod
    def of_all(cls, turns: Sequence[Turn]) -> Turn:
        """What came of it in several processes."""
        score = sum((turn.score for turn in turns), Score.zero(len(PLAYERS)))
        learned = Update.mean([turn.learned for turn in turns])
        return cls(sum(turn.decisions for turn in turns), score, learned, Pooled.of_all([t.pooled for t in turns]))


def networks_of(settings: Settings, preset: Preset, engine: Engine) -> Networks:
    """The networks of a run before they know anything; raises GameError."""
    if settings.precision not in PRECISIONS:
        raise GameError(f"unknown precision '{settings.precision}' (there are: {', '.join(PRECISIONS)})")
    try:
        networks = Networks(preset, GameShape.of(engine), settings.seed).to(settings.device).eval()
    except (RuntimeError, AssertionError) as problem:  # what torch says of a device that is not there
        raise GameError(f"device={settings.device}: {str(problem).splitlines()[0]}") from None
    networks.precision = settings.precision
    if settings.trust is not None and networks.decision.trust is not None:
        networks.decision.trust.data.fill_(settings.trust)
    return networks


class Worker:
    """A process's tables and its copy of what learns."""

    def __init__(self, settings: Settings, networks: Networks, post: Post, plays: bool = True) -> None:
        """Sit down at the tables of a post, unless others play for this one."""
        self.settings, self.networks, self.post = settings, networks, post
        engines = engines_of(settings)
        self.engine = engines[0]
        self.rules = rules_of(engines, settings)
        self.past = deepcopy(networks)
        self.ppo = ppo_of(settings, networks.preset.ppo, post)
        symmetries = Symmetries.of(self.engine.symmetries, self.engine.observation)
        self.trainer = Trainer(networks, symmetries, self.ppo, settings.averaged, Teaching.of(settings, self.ppo))
        self.update = 0
        self._rng = self._randomness()
        self.actor = Company(settings, engines, networks, self.past, self.ppo)
        self.players: Players = self.actor
        self.samples = self._pool()
        self.plays = plays
        self._sit_down()
        self.learn: Learn = self.teach

    @property
    def tables(self) -> range:
        """Its own, of those of the run."""
        return self.post.range(self.settings.tables)

    def _randomness(self) -> np.random.Generator:
        seed, rank = self.settings.seed, self.post.rank
        return np.random.default_rng([seed, rank, self.update] if rank else seed)

    @property
    def play(self) -> SelfPlay:
        """The tables in this process."""
        return self.actor.play

    def turn(self, done: float = 0.0) -> Turn:
        """Wait until there is enough to learn from, and learn; such a share of the run is done."""
        score = Score.zero(len(PLAYERS))
        drawn = None
        while drawn is None:
            for portion in self.players.portions(self.ppo.rows - self.samples.rows):
                if self.samples.put(portion):
                    score += portion.score
            drawn = self.samples.draw(self.ppo.rows, self.update)
        if self.ppo.fades:
            self.trainer.slow_down(done)
        learned = self.learn(drawn.rows)
        self.update += 1
        self.players.publish(self.update)
        return Turn(drawn.decisions, score, learned, self.samples.pooled())

    def teach(self, rows: Experience) -> Update:
        """Let the networks learn from decisions; at the start the critic alone."""
        return self.trainer.update(rows, self._rng, critic_only=self.update < self.settings.critic_first)

    def meet(self, past: State) -> None:
        """From now on play against these weights."""
        self.past.load_state_dict(past)
        self.players.meet()

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
        rng: State = {"rng": self._rng.bit_generator.state}
        return {**rng, "samples": self.samples.arrays(), **self.actor.arrays()} if self.plays else rng

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
        self.samples = self._pool()
        self._rng = self._randomness()
        if "rng" in own:
            self._rng.bit_generator.state = own["rng"]
        self._sit_down()
        if self.plays and ("tables" in own or "company" in own):
            self.actor.restore(own)
            self.samples.restore(own.get("samples", []))
        self.actor.publish(self.update)

    def _pool(self) -> SamplePool:
        return SamplePool(_room_of(self.settings, self.ppo.rows, self.tables, self.engine), self.settings.stale)

    def _sit_down(self) -> None:
        if self.plays:
            self.actor.sit_down(Sitting(self.tables.start, len(self.tables), self.update))


def _room_of(settings: Settings, rows: int, tables: range, engine: Engine) -> int:
    """How many rows lie in the sample pool before the oldest are thrown away; raises GameError for too few."""
    usual = 3 * rows + 60 * len(tables) * (int(engine.teams.max()) + 1)  # where all episodes end at once, none is
    if settings.pool is not None and settings.pool < rows:
        raise GameError(f"pool: {settings.pool} decisions are fewer than an update takes; give it {rows} or more")
    return usual if settings.pool is None else settings.pool


def ppo_of(settings: Settings, preset: PPO, post: Post = ALONE) -> PPO:
    """The preset's, but for what the settings say; of rows and batches the part of one process."""
    asked = {name: getattr(settings, name) for name in ("learning_rate", "entropy", "trace", "worth", "rows", "batch")}
    ppo = replace(preset, **{name: value for name, value in asked.items() if value is not None})
    return replace(ppo, rows=post.part(ppo.rows), batch=post.part(ppo.batch))
