"""What each process of a training run does: it learns from what is played, at its own tables or by actors elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.learners import GameShape, Networks, PPOConfig, Preset, Symmetries
from abl_cards.training.actor import OPPONENT_NAMES, ActorSlot, RolloutSource, StateDict
from abl_cards.training.experience import Experience
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.multi_profile_actor import MultiProfileActor, compute_run_digests, load_engines
from abl_cards.training.process_group import ProcessRank
from abl_cards.training.rollout_queue import QueueStats, RolloutQueue
from abl_cards.training.run_rules import check_same_rules
from abl_cards.training.selfplay import Score, SelfPlay
from abl_cards.training.settings import TrainConfig
from abl_cards.training.updates import PPOLearner, UpdateStats

__all__ = ["OPPONENT_NAMES", "IterationStats", "StateDict", "TrainingWorker", "create_networks", "resolve_ppo"]

SINGLE_RANK = ProcessRank()
PRECISIONS = ("float32", "bfloat16")

LearnFunction = Callable[[Experience], UpdateStats]
"""From decisions whose returns are known to what was seen in learning from them."""


@dataclass(frozen=True)
class IterationStats:
    """What came of playing and learning once."""

    decisions: int
    score: Score
    update_stats: UpdateStats
    queue_stats: QueueStats

    @classmethod
    def combine(cls, turns: Sequence[IterationStats]) -> IterationStats:
        """What came of it in several processes."""
        score = sum((turn.score for turn in turns), Score.zero(len(OPPONENT_NAMES)))
        learned = UpdateStats.mean([turn.update_stats for turn in turns])
        return cls(
            sum(turn.decisions for turn in turns), score, learned, QueueStats.total([t.queue_stats for t in turns])
        )


def create_networks(settings: TrainConfig, preset: Preset, engine: Engine) -> Networks:
    """The networks of a run before they know anything; raises GameError."""
    if settings.precision not in PRECISIONS:
        raise GameError(f"unknown precision '{settings.precision}' (there are: {', '.join(PRECISIONS)})")
    try:
        networks = Networks(preset, GameShape.of(engine), settings.seed).to(settings.device).eval()
    except (RuntimeError, AssertionError) as problem:  # what torch says of a device that is not there
        raise GameError(f"device={settings.device}: {str(problem).splitlines()[0]}") from None
    networks.precision = settings.precision
    if settings.prior_scale is not None and networks.decision.trust is not None:
        networks.decision.trust.data.fill_(settings.prior_scale)
    return networks


class TrainingWorker:
    """A process's tables and its copy of what learns."""

    def __init__(
        self, settings: TrainConfig, networks: Networks, process_rank: ProcessRank, plays_locally: bool = True
    ) -> None:
        """Sit down at the tables of a post, unless others play for this one."""
        self.settings, self.networks, self.process_rank = settings, networks, process_rank
        engines = load_engines(settings)
        self.engine = engines[0]
        self.rule_digests = compute_run_digests(engines, settings)
        self.past_networks = deepcopy(networks)
        self.ppo = resolve_ppo(settings, networks.preset.ppo, process_rank)
        symmetries = Symmetries.from_orders(self.engine.symmetries, self.engine.observation_features)
        self.learner = PPOLearner(
            networks, symmetries, self.ppo, settings.ema_decay, ExpertConfig.from_settings(settings, self.ppo)
        )
        self.num_updates = 0
        self._rng = self._create_rng()
        self.actor = MultiProfileActor(settings, engines, networks, self.past_networks, self.ppo)
        self.rollout_source: RolloutSource = self.actor
        self.rollout_queue = self._create_queue()
        self.plays_locally = plays_locally
        self._reset_actor()
        self.learn: LearnFunction = self.train_networks

    @property
    def table_range(self) -> range:
        """Its own, of those of the run."""
        return self.process_rank.shard_range(self.settings.num_envs)

    def _create_rng(self) -> np.random.Generator:
        seed, rank = self.settings.seed, self.process_rank.rank
        return np.random.default_rng([seed, rank, self.num_updates] if rank else seed)

    @property
    def self_play(self) -> SelfPlay:
        """The tables in this process."""
        return self.actor.self_play

    def run_iteration(self, run_progress: float = 0.0) -> IterationStats:
        """Wait until there is enough to learn from, and learn; such a share of the run is done."""
        score = Score.zero(len(OPPONENT_NAMES))
        drawn = None
        while drawn is None:
            for portion in self.rollout_source.collect_rollouts(self.ppo.rollout_size - self.rollout_queue.num_rows):
                if self.rollout_queue.put(portion):
                    score += portion.score
            drawn = self.rollout_queue.pop(self.ppo.rollout_size, self.num_updates)
        if self.ppo.anneal_lr:
            self.learner.anneal_lr(run_progress)
        learned = self.learn(drawn.rows)
        self.num_updates += 1
        self.rollout_source.broadcast(self.num_updates)
        return IterationStats(drawn.decisions, score, learned, self.rollout_queue.pop_stats())

    def train_networks(self, rows: Experience) -> UpdateStats:
        """Let the networks learn from decisions; at the start the critic alone."""
        return self.learner.update(rows, self._rng, critic_only=self.num_updates < self.settings.critic_warmup_updates)

    def set_opponent(self, weights: StateDict) -> None:
        """From now on play against these weights."""
        self.past_networks.load_state_dict(weights)
        self.rollout_source.update_opponent()

    # --- what is kept ------------------------------------------------------------------------------------------------

    def shared_state(self) -> StateDict:
        """What is the same in all processes."""
        hands = self.learner.abln_optimiser
        return {
            "rules": self.rule_digests,
            "networks": self.networks.state_dict(),
            "past": self.past_networks.state_dict(),
            "policy": self.learner.policy_optimiser.state_dict(),
            "average": self.learner.ema.state_dict(),
            "hands": hands.state_dict() if hands else None,
            "update": self.num_updates,
        }

    def local_state(self) -> StateDict:
        """What only this process has."""
        rng: StateDict = {"rng": self._rng.bit_generator.state}
        return (
            {**rng, "samples": self.rollout_queue.state_dict(), **self.actor.state_dict()}
            if self.plays_locally
            else rng
        )

    def load_state_dict(self, shared_state: StateDict, local_state: StateDict) -> None:
        """Go on from what was kept; with cards dealt anew where no tables were. Raises GameError for other rules."""
        check_same_rules(
            shared_state.get("rules", self.rule_digests), self.rule_digests
        )  # older runs did not keep them
        self.networks.load_state_dict(shared_state["networks"])
        self.past_networks.load_state_dict(shared_state["past"])
        self.learner.load_policy_optimiser(shared_state["policy"])
        self.learner.ema.load_state_dict(shared_state["average"])
        if self.learner.abln_optimiser:
            self.learner.abln_optimiser.load_state_dict(shared_state["hands"])
        self.num_updates = shared_state["update"]
        self.rollout_queue = self._create_queue()
        self._rng = self._create_rng()
        if "rng" in local_state:
            self._rng.bit_generator.state = local_state["rng"]
        self._reset_actor()
        if self.plays_locally and ("tables" in local_state or "company" in local_state):
            self.actor.load_state_dict(local_state)
            self.rollout_queue.load_state_dict(local_state.get("samples", []))
        self.actor.broadcast(self.num_updates)

    def _create_queue(self) -> RolloutQueue:
        return RolloutQueue(
            _queue_capacity(self.settings, self.ppo.rollout_size, self.table_range, self.engine),
            self.settings.max_policy_lag,
        )

    def _reset_actor(self) -> None:
        if self.plays_locally:
            self.actor.reset(ActorSlot(self.table_range.start, len(self.table_range), self.num_updates))


def _queue_capacity(settings: TrainConfig, rollout_size: int, table_range: range, engine: Engine) -> int:
    """How many rows lie in the sample pool before the oldest are thrown away; raises GameError for too few."""
    usual = 3 * rollout_size + 60 * len(table_range) * (
        int(engine.teams.max()) + 1
    )  # where all episodes end at once, none is
    if settings.queue_capacity is not None and settings.queue_capacity < rollout_size:
        raise GameError(
            f"pool: {settings.queue_capacity} decisions are fewer than an update takes; give it {rollout_size} or more"
        )
    return usual if settings.queue_capacity is None else settings.queue_capacity


_PPO_SETTINGS = (
    "learning_rate", "ent_coef", "gae_lambda", "trick_point_reward", "rollout_size", "minibatch_size",
)  # fmt: skip
"""Settings of a run that take the place of those of its preset."""


def resolve_ppo(settings: TrainConfig, preset: PPOConfig, process_rank: ProcessRank = SINGLE_RANK) -> PPOConfig:
    """The preset's, but for what the settings say; of rows and batches the part of one process."""
    asked = {name: getattr(settings, name) for name in _PPO_SETTINGS}
    ppo = replace(preset, **{name: value for name, value in asked.items() if value is not None})
    return replace(
        ppo,
        rollout_size=process_rank.shard_size(ppo.rollout_size),
        minibatch_size=process_rank.shard_size(ppo.minibatch_size),
    )
