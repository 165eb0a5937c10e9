"""Actors on Ray that play for a learner in this process: they fill its rollout queue, and load its newest weights.

Every call of an actor returns a rollout, once; no call is repeated when an actor ends. Another actor replaces it, with
new cards. The learner's process owns the weights in Ray's object store; an actor fetches the newest before it plays on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from abl_cards import __version__
from abl_cards.cluster.ray_serialization import PackedArray, pack, pack_result, unpack
from abl_cards.cluster.start import RayCluster
from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import Preset
from abl_cards.training import (
    Actor,
    ActorSlot,
    Experience,
    Rollout,
    RuleDigests,
    Score,
    StateDict,
    TrainConfig,
    TrainingWorker,
    WorkerLost,
    check_same_rules,
    compute_rule_digests,
    create_networks,
    from_plain,
    resolve_ppo,
)

CALLS_PER_ACTOR = 2
"""Calls of an actor at a time: one running, one waiting."""
ROLLOUTS_PER_ACTOR = 2
"""Rollouts of each actor in an update, where all are equally fast."""
ACTOR_TIMEOUT = 600.0
"""Seconds without a result from any actor after which the learner gives up."""
_MAX_LOST_IN_A_ROW = 5
"""Actors that may end in a row without any rollout."""
HEARTBEAT_INTERVAL = 60.0
"""Seconds after which an actor returns what it has, even nothing."""
_POLL_INTERVAL = 1.0
"""Seconds between two checks of the time."""


@dataclass(frozen=True)
class ActorInit:
    """Settings, tables and rules of an actor."""

    settings: TrainConfig
    preset: Preset
    slot: ActorSlot
    min_rows: int  # rows of a rollout
    rule_digests: RuleDigests
    version: str  # of this package


class RayActor:
    """An actor: a process of Ray with tables."""

    def __init__(self, packed_init: PackedArray) -> None:
        self._packed_init = packed_init
        self._model_version, self._opponent_version = -1, -1  # versions of the loaded weights
        self._rollouts: list[Rollout] = []
        self._actor: Actor | None = None

    def collect_rollout(
        self, model: tuple[int, list[Any]], opponent: tuple[int, list[Any]]
    ) -> tuple[PackedArray, PackedArray]:
        """Load new weights and play; returns the header of a rollout, None where nothing is ready, and its rows."""
        rows: list[PackedArray] = []

        def play() -> StateDict | None:
            for portion in self._collect_rollouts(model, opponent):
                rows.append(_pack_rows(portion.load_rows()))
                return _rollout_header(portion)
            return None

        header = pack_result(play)
        return header, rows[0] if rows else pack(None)

    def _collect_rollouts(self, model: tuple[int, list[Any]], opponent: tuple[int, list[Any]]) -> list[Rollout]:
        actor = self._actor or self._create_actor()
        if model[0] != self._model_version:
            self._networks.load_state_dict(_fetch_weights(model[1]))
            self._model_version = model[0]
            actor.broadcast(self._model_version)
        if opponent[0] != self._opponent_version:
            self._opponent.load_state_dict(_fetch_weights(opponent[1]))
            self._opponent_version = opponent[0]
        return actor.collect_rollouts(self._min_rows, HEARTBEAT_INTERVAL)

    def _create_actor(self) -> Actor:
        begin = from_plain(ActorInit, unpack(self._packed_init))
        if begin.version != __version__:
            raise GameError(
                f"a machine of the cluster has abl-cards {__version__}, this one {begin.version}",
                ErrorCode.RUN_MISMATCH,
            )
        torch.set_num_threads(1)
        engine = begin.settings.load_engine()
        check_same_rules(begin.rule_digests, compute_rule_digests(engine, begin.settings.clingo))
        self._networks = create_networks(begin.settings, begin.preset, engine)
        self._opponent = create_networks(begin.settings, begin.preset, engine)
        self._min_rows = begin.min_rows
        ppo = replace(resolve_ppo(begin.settings, begin.preset.ppo), rollout_size=begin.min_rows)
        self._actor = Actor(begin.settings, engine, self._networks, self._opponent, ppo)
        self._actor.reset(begin.slot)
        return self._actor


class RayActorPool:
    """The pool of actors at the learner: it keeps every actor busy, and collects their rollouts."""

    def __init__(self, cluster: RayCluster, learner: TrainingWorker, num_actors: int, num_started: int = 0) -> None:
        """Start actors.

        Args:
            cluster: The cluster.
            learner: The worker that learns.
            num_actors: Number of actors.
            num_started: Number of actors before.
        """
        self.num_started = num_started  # actors so far, ended ones included
        self._cluster, self._learner = cluster, learner
        self._min_rows = -(-learner.ppo.rollout_size // (ROLLOUTS_PER_ACTOR * num_actors))
        self._tables_per_actor = max(1, learner.settings.num_envs // num_actors)
        self._calls: dict[Any, tuple[int, Any]] = {}  # running calls: number and handle of the actor
        self._rows: dict[Any, Any] = {}  # reference to the rows of each call
        self._model: tuple[int, list[Any]] = (-1, [])
        self._opponent: tuple[int, list[Any]] = (-1, [])
        self.broadcast(learner.num_updates)
        self.update_opponent()
        self._lost_in_a_row, self._last_result_time = 0, time.monotonic()
        for _ in range(num_actors):
            self._start_actor()

    def collect_rollouts(self, min_rows: int) -> Sequence[Rollout]:
        """Return the rollouts that have arrived, and wait for one where more rows are needed.

        Args:
            min_rows: Number of decisions that the learner lacks.

        Raises:
            GameError: An actor failed.
            WorkerLost: Too many actors ended, or none has responded for a long time.
        """
        ray, rollouts, began = self._cluster.ray, list[Rollout](), time.monotonic()
        while True:
            wait = _POLL_INTERVAL if min_rows > 0 and not rollouts else 0
            done, _ = ray.wait(list(self._calls), num_returns=len(self._calls) if not wait else 1, timeout=wait)
            for call in done:
                if call in self._calls:  # unless its actor has just been replaced
                    rollouts += self._handle_result(call)
            if not wait:
                return rollouts
            if time.monotonic() - max(began, self._last_result_time) > ACTOR_TIMEOUT:
                raise WorkerLost(
                    f"no actor has said anything for {ACTOR_TIMEOUT:.0f} s (`ray status` tells what there is)"
                )

    def broadcast(self, version: int) -> None:
        """Publish the weights of the learner."""
        self._model = version, [self._cluster.ray.put(pack(self._learner.networks.state_dict()))]

    def update_opponent(self) -> None:
        """Publish the former weights of the learner."""
        self._opponent = self._opponent[0] + 1, [self._cluster.ray.put(pack(self._learner.past_networks.state_dict()))]

    def shut_down(self) -> None:
        """End all actors."""
        for _, actor in set(self._calls.values()):
            self._cluster.ray.kill(actor)
        self._calls.clear()

    @property
    def actors(self) -> list[Any]:
        """Handles of the running actors."""
        return list(dict(self._calls.values()).values())

    def _start_actor(self) -> None:
        number, self.num_started = self.num_started, self.num_started + 1
        learner = self._learner
        sitting = ActorSlot(number * self._tables_per_actor, self._tables_per_actor, learner.num_updates, number)
        settings = replace(learner.settings.with_absolute_paths(), device="cpu", init_from=None, records=None)
        preset = learner.networks.preset
        beginning = ActorInit(settings, preset, sitting, self._min_rows, learner.rule_digests, __version__)
        actor = self._cluster.start_actor(RayActor, pack(beginning))
        for _ in range(CALLS_PER_ACTOR):
            self._submit_call(number, actor)

    def _submit_call(self, number: int, actor: Any) -> None:
        header, rows = actor.collect_rollout.options(num_returns=2).remote(self._model, self._opponent)
        self._calls[header] = number, actor
        self._rows[header] = rows

    def _handle_result(self, call: Any) -> list[Rollout]:
        """Return the rollout of a call; nothing where its actor has ended, which is replaced."""
        number, actor = self._calls.pop(call)
        rows = self._rows.pop(call)
        ray = self._cluster.ray
        try:
            header, arrived = ray.get([call, rows])
        except ray.exceptions.RayError as problem:
            self._replace_actor(number, problem)
            return []
        self._last_result_time, self._lost_in_a_row = time.monotonic(), 0
        self._submit_call(number, actor)
        portion = unpack(header)
        return [] if portion is None else [_make_rollout(portion, arrived)]

    def _replace_actor(self, number: int, problem: Exception) -> None:
        """Replace an actor; its calls are not repeated."""
        for call in [call for call, (other, _) in self._calls.items() if other == number]:
            del self._calls[call], self._rows[call]
        self._lost_in_a_row += 1
        self._learner.rollout_queue.discard(1)
        if self._lost_in_a_row > _MAX_LOST_IN_A_ROW:
            reason = str(problem).strip().splitlines()[-1]
            raise WorkerLost(
                f"{self._lost_in_a_row} actors in a row ended without having delivered anything ({reason})"
            )
        self._start_actor()


def _rollout_header(rollout: Rollout) -> StateDict:
    """Return a rollout without its rows."""
    names = ("actor", "number", "version", "rows", "decisions")
    return {name: getattr(rollout, name) for name in names} | {"score": vars(rollout.score)}


def _make_rollout(header: StateDict, rows: PackedArray) -> Rollout:
    return Rollout(**{**header, "score": Score(**header["score"])}, load_rows=lambda: _unpack_rows(rows))


def _pack_rows(rows: Experience) -> PackedArray:
    return pack(vars(rows))


def _unpack_rows(packed_rows: PackedArray) -> Experience:
    return Experience(**unpack(packed_rows))


def _fetch_weights(reference: list[Any]) -> StateDict:
    """Return the weights behind a reference of Ray."""
    import ray

    weights: StateDict = unpack(ray.get(reference[0]))
    return weights
