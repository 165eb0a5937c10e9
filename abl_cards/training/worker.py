"""A process of a training run: its tables, its copy of the networks, and its state."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.learners import (
    NO_PARTS,
    GameShape,
    ModelNetworks,
    NetworkParts,
    Networks,
    PPOConfig,
    Preset,
    Symmetries,
)
from abl_cards.training.abduction import OUR_REASONER, ReasonerParts
from abl_cards.training.actor import ActorSlot
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.joint_loop import JointLoop, LearnFunction, SelfPlay
from abl_cards.training.model_learner import ModelLearner
from abl_cards.training.multi_profile_actor import MultiProfileActor, compute_run_digests, load_engines
from abl_cards.training.parts_learner import PartsLearner
from abl_cards.training.process_group import ProcessRank
from abl_cards.training.reports import IterationStats
from abl_cards.training.rollout_queue import RolloutQueue, RolloutSource, StateDict
from abl_cards.training.run_rules import check_same_rules
from abl_cards.training.settings import TrainConfig
from abl_cards.training.updates import PPOLearner

__all__ = ["IterationStats", "TrainingWorker", "create_networks", "resolve_ppo"]

SINGLE_RANK = ProcessRank()
PRECISIONS = ("float32", "bfloat16")


def check_precision(precision: object) -> None:
    """Raise GameError for an unknown precision."""
    if precision not in PRECISIONS:
        message = f"unknown precision {precision!r:.60} (there are: {', '.join(PRECISIONS)})"
        raise GameError(message, ErrorCode.INVALID_VALUE)


def move_to_device(module: torch.nn.Module, device: str) -> None:
    """Move a network to a device; raises GameError where there is none of that name."""
    try:
        if torch.device(device).type == "meta":
            raise RuntimeError("the device meta holds no values")
        module.to(device)
    except (RuntimeError, AssertionError) as problem:  # torch has several errors for a missing device
        message = f"device={device}: {str(problem).splitlines()[0]}"
        raise GameError(message, ErrorCode.DEVICE_NOT_AVAILABLE) from None


def create_networks(settings: TrainConfig, preset: Preset, engine: Engine, parts: NetworkParts = NO_PARTS) -> Networks:
    """Make the networks of a preset with their first weights.

    Args:
        settings: Seed, device, precision and initial weight of the preferences.
        preset: Sizes and inputs.
        engine: The game.
        parts: Custom networks that replace some of them.

    Raises:
        GameError: The device does not exist, or the precision is unknown.
    """
    check_precision(settings.precision)
    networks = Networks(preset, GameShape.of(engine), settings.seed, parts).eval()
    move_to_device(networks, settings.device)
    networks.precision = settings.precision
    if settings.prior_scale is not None and networks.decision.trust is not None:
        networks.decision.trust.data.fill_(settings.prior_scale)
    return networks


class TrainingWorker(JointLoop):
    """The tables of one process of a run, and its copy of the networks."""

    def __init__(
        self,
        settings: TrainConfig,
        networks: Networks,
        process_rank: ProcessRank,
        plays_locally: bool = True,
        reasoner: ReasonerParts = OUR_REASONER,
    ) -> None:
        """Deal cards at the tables of this process.

        Args:
            settings: The settings of the run.
            networks: The networks that learn, changed in place.
            process_rank: Rank of this process.
            plays_locally: Whether it plays; False where actors in other processes do.
            reasoner: User-defined parts of the abduction step.
        """
        self.settings, self.process_rank, self.reasoner = settings, process_rank, reasoner
        self._engines = load_engines(settings)
        self.engine = self._engines[0]
        self.rule_digests = compute_run_digests(self._engines, settings)
        self.plays_locally = plays_locally
        self._begin_with(networks)
        self.learn: LearnFunction = self.train_networks

    def _begin_with(self, networks: Networks) -> None:
        """Begin with networks, no update and new cards."""
        settings = self.settings
        self.networks, self.past_networks = networks, deepcopy(networks)
        self.ppo = resolve_ppo(settings, networks.preset.ppo, self.process_rank)
        symmetries = Symmetries.from_orders(self.engine.symmetries, self.engine.observation_features)
        self.learner: PPOLearner = _create_learner(networks, symmetries, self.ppo, settings)
        self.num_updates = 0
        self.critic_warmup_updates = 0 if isinstance(networks, ModelNetworks) else settings.critic_warmup_updates
        self._rng = self._create_rng()
        self.actor = MultiProfileActor(settings, self._engines, networks, self.past_networks, self.ppo, self.reasoner)
        self.rollout_source: RolloutSource = self.actor
        self.rollout_queue = self._create_queue()
        self._reset_actor()

    @property
    def table_range(self) -> range:
        """Range of the tables of this process."""
        return self.process_rank.shard_range(self.settings.num_envs)

    def _create_rng(self) -> np.random.Generator:
        seed, rank = self.settings.seed, self.process_rank.rank
        return np.random.default_rng([seed, rank, self.num_updates] if rank else seed)

    @property
    def self_play(self) -> SelfPlay:
        """Tables of this process."""
        return self.actor.self_play

    def set_opponent(self, weights: StateDict) -> None:
        """Set the former weights to play against."""
        self.past_networks.load_state_dict(weights)
        self.rollout_source.update_opponent()

    # --- state -------------------------------------------------------------------------------------------------------

    def shared_state(self) -> StateDict:
        """Return the state that is equal in all processes."""
        hands = self.learner.abln_optimiser
        return {
            "rules": self.rule_digests,
            "networks": self.networks.state_dict(),
            "past": self.past_networks.state_dict(),
            "policy": self.learner.policy_optimiser.state_dict(),
            "average": self.learner.ema.state_dict(),
            "hands": hands.state_dict() if hands else None,
            "update": self.num_updates,
            **({"fitted": fitted} if (fitted := self.learner.part_state()) else {}),
        }

    def local_state(self) -> StateDict:
        """Return the state of this process alone."""
        rng: StateDict = {"rng": self._rng.bit_generator.state}
        return (
            {**rng, "samples": self.rollout_queue.state_dict(), **self.actor.state_dict()}
            if self.plays_locally
            else rng
        )

    def load_state_dict(self, shared_state: StateDict, local_state: StateDict) -> None:
        """Restore a state; new cards are dealt where it has no tables.

        Args:
            shared_state: From `shared_state`.
            local_state: From `local_state`; may be empty.

        Raises:
            GameError: The rules have changed.
        """
        check_same_rules(shared_state["rules"], self.rule_digests)
        self.networks.load_state_dict(shared_state["networks"])
        self.past_networks.load_state_dict(shared_state["past"])
        self.learner.load_policy_optimiser(shared_state["policy"])
        self.learner.ema.load_state_dict(shared_state["average"])
        if self.learner.abln_optimiser:
            self.learner.abln_optimiser.load_state_dict(shared_state["hands"])
        self.learner.load_part_state(shared_state.get("fitted", {}))
        self.num_updates = shared_state["update"]
        self.rollout_queue = self._create_queue()
        self._rng = self._create_rng()
        if "rng" in local_state:
            self._rng.bit_generator.state = local_state["rng"]
        self._reset_actor()
        if self.plays_locally and ("tables" in local_state or "company" in local_state):
            self.actor.load_state_dict(local_state)
            self.rollout_queue.load_state_dict(local_state["samples"])
        self.actor.broadcast(self.num_updates)

    def _create_queue(self) -> RolloutQueue:
        open_rows = len(self.table_range) * self.networks.max_open_rows
        capacity = _queue_capacity(self.settings, self.ppo.rollout_size, open_rows, self.engine)
        return RolloutQueue(capacity, self.settings.max_policy_lag)

    def _reset_actor(self) -> None:
        if self.plays_locally:
            self.actor.reset(ActorSlot(self.table_range.start, len(self.table_range), self.num_updates))


def _create_learner(networks: Networks, symmetries: Symmetries, ppo: PPOConfig, settings: TrainConfig) -> PPOLearner:
    """Return the learner of networks: of a preset, with parts of one's own, or of one network."""
    if isinstance(networks, ModelNetworks):
        return ModelLearner(networks, symmetries, ppo, settings.ema_decay)
    learner = PartsLearner if dict(networks.parts.items()) else PPOLearner
    return learner(networks, symmetries, ppo, settings.ema_decay, ExpertConfig.from_settings(settings, ppo))


def _queue_capacity(settings: TrainConfig, rollout_size: int, open_rows: int, engine: Engine) -> int:
    """Return how many rows the queue holds before the oldest are dropped; raises GameError for too few.

    By default nothing is dropped where all episodes end at once, with so many open rows of each team.
    """
    usual = 3 * rollout_size + open_rows * (int(engine.teams.max()) + 1)
    if settings.queue_capacity is not None and settings.queue_capacity < rollout_size:
        raise GameError(
            f"queue_capacity: {settings.queue_capacity} decisions are fewer than an update takes ({rollout_size})",
            ErrorCode.INVALID_VALUE,
        )
    return usual if settings.queue_capacity is None else settings.queue_capacity


_PPO_SETTINGS = (
    "learning_rate", "ent_coef", "gae_lambda", "trick_point_reward", "rollout_size", "minibatch_size", "gamma",
    "clip_coef", "vf_coef", "max_grad_norm", "num_epochs", "anneal_lr",
)  # fmt: skip
"""Settings of a run that replace those of its preset."""


def resolve_ppo(settings: TrainConfig, preset: PPOConfig, process_rank: ProcessRank = SINGLE_RANK) -> PPOConfig:
    """Return the settings of PPO for one process.

    Args:
        settings: The settings of the run, which replace those of the preset.
        preset: The settings of the preset.
        process_rank: The process, whose part of rollout and minibatch is returned.
    """
    given = {name: getattr(settings, name) for name in _PPO_SETTINGS}
    ppo = replace(preset, **{name: value for name, value in given.items() if value is not None})
    if settings.num_epochs is not None:
        ppo = replace(ppo, num_value_epochs=min(preset.num_value_epochs, settings.num_epochs))
    return replace(
        ppo,
        rollout_size=process_rank.shard_size(ppo.rollout_size),
        minibatch_size=process_rank.shard_size(ppo.minibatch_size),
    )
