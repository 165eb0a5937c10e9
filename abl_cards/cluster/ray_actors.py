"""Actors on Ray that play for a learner in this process: they fill its sample pool, and load its newest model.

Every call of an actor gives a portion, once: nothing is called again when an actor ends. What it had not delivered is
gone, and another one takes its place with cards that nobody has had. The learner's process owns the versions of the
model in Ray's object store; an actor fetches the newest before it plays on.
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
"""Calls of an actor at a time: one that it works on, one that waits."""
ROLLOUTS_PER_ACTOR = 2
"""Of each actor in an update, if it is as fast as the others."""
ACTOR_TIMEOUT = 600.0
"""Seconds without a word from any actor after which the learner gives up."""
_MAX_LOST_IN_A_ROW = 5
"""Actors that may end one after the other without any portion from anybody."""
HEARTBEAT_INTERVAL = 60.0
"""Seconds after which an actor hands over what it has, though that is little, or nothing."""
_POLL_INTERVAL = 1.0
"""Seconds between two looks at the clock."""


@dataclass(frozen=True)
class ActorInit:
    """What an actor is told first."""

    settings: TrainConfig
    preset: Preset
    slot: ActorSlot
    min_rows: int  # rows of a portion
    rule_digests: RuleDigests
    version: str  # of this package


class RayActor:
    """An actor's side: a process of Ray with tables."""

    def __init__(self, packed_init: PackedArray) -> None:
        self._packed_init = packed_init
        self._model_version, self._opponent_version = -1, -1  # the versions that were loaded
        self._rollouts: list[Rollout] = []
        self._actor: Actor | None = None

    def collect_rollout(
        self, model: tuple[int, list[Any]], opponent: tuple[int, list[Any]]
    ) -> tuple[PackedArray, PackedArray]:
        """Load what is new, and play: what a portion says of itself, None where nothing is ready yet, and its rows."""
        rows: list[PackedArray] = []

        def play() -> StateDict | None:
            for portion in self._collect_rollouts(model, opponent):
                rows.append(_pack_rows(portion.load_rows()))
                return _rollout_header(portion)
            return None

        told = pack_result(play)
        return told, rows[0] if rows else pack(None)

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
    """The learner's side: it keeps every actor busy, and takes what they deliver."""

    def __init__(self, cluster: RayCluster, learner: TrainingWorker, num_actors: int, num_started: int = 0) -> None:
        """Start actors; ``num_started`` have been before."""
        self.num_started = num_started  # actors there have been
        self._cluster, self._learner = cluster, learner
        self._min_rows = -(-learner.ppo.rollout_size // (ROLLOUTS_PER_ACTOR * num_actors))
        self._tables_per_actor = max(1, learner.settings.num_envs // num_actors)
        self._calls: dict[Any, tuple[int, Any]] = {}  # what is being played: the actor's number, the actor
        self._rows: dict[Any, Any] = {}  # where the rows of a call will be
        self._model: tuple[int, list[Any]] = (-1, [])
        self._opponent: tuple[int, list[Any]] = (-1, [])
        self.broadcast(learner.num_updates)
        self.update_opponent()
        self._lost_in_a_row, self._last_result_time = 0, time.monotonic()
        for _ in range(num_actors):
            self._start_actor()

    def collect_rollouts(self, min_rows: int) -> Sequence[Rollout]:
        """What has arrived; where more is needed and nothing has, wait for it. Raises GameError, WorkerLost."""
        ray, found, began = self._cluster.ray, list[Rollout](), time.monotonic()
        while True:
            wait = _POLL_INTERVAL if min_rows > 0 and not found else 0
            done, _ = ray.wait(list(self._calls), num_returns=len(self._calls) if not wait else 1, timeout=wait)
            for call in done:
                if call in self._calls:  # not another one of an actor that has just been replaced
                    found += self._handle_result(call)
            if not wait:
                return found
            if time.monotonic() - max(began, self._last_result_time) > ACTOR_TIMEOUT:
                raise WorkerLost(
                    f"no actor has said anything for {ACTOR_TIMEOUT:.0f} s (`ray status` tells what there is)"
                )

    def broadcast(self, version: int) -> None:
        """Put the networks of the learner where actors find them."""
        self._model = version, [self._cluster.ray.put(pack(self._learner.networks.state_dict()))]

    def update_opponent(self) -> None:
        """Likewise its past."""
        self._opponent = self._opponent[0] + 1, [self._cluster.ray.put(pack(self._learner.past_networks.state_dict()))]

    def shut_down(self) -> None:
        """Send all of them home."""
        for _, actor in set(self._calls.values()):
            self._cluster.ray.kill(actor)
        self._calls.clear()

    @property
    def actors(self) -> list[Any]:
        """Those of Ray that play now."""
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
        told, rows = actor.collect_rollout.options(num_returns=2).remote(self._model, self._opponent)
        self._calls[told] = number, actor
        self._rows[told] = rows

    def _handle_result(self, call: Any) -> list[Rollout]:
        """What a call gave; nothing where its actor has ended, which is replaced."""
        number, actor = self._calls.pop(call)
        rows = self._rows.pop(call)
        ray = self._cluster.ray
        try:
            told, arrived = ray.get([call, rows])
        except ray.exceptions.RayError as problem:
            self._replace_actor(number, problem)
            return []
        self._last_result_time, self._lost_in_a_row = time.monotonic(), 0
        self._submit_call(number, actor)
        portion = unpack(told)
        return [] if portion is None else [_make_rollout(portion, arrived)]

    def _replace_actor(self, number: int, problem: Exception) -> None:
        """Another actor takes the place of one; what was asked of it is not asked again."""
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
    """What a portion says of itself."""
    names = ("actor", "number", "version", "rows", "decisions")
    return {name: getattr(rollout, name) for name in names} | {"score": vars(rollout.score)}


def _make_rollout(header: StateDict, rows: PackedArray) -> Rollout:
    return Rollout(**{**header, "score": Score(**header["score"])}, load_rows=lambda: _unpack_rows(rows))


def _pack_rows(rows: Experience) -> PackedArray:
    return pack(vars(rows))


def _unpack_rows(packed_rows: PackedArray) -> Experience:
    return Experience(**unpack(packed_rows))


def _fetch_weights(reference: list[Any]) -> StateDict:
    """The weights behind a reference of Ray."""
    import ray

    weights: StateDict = unpack(ray.get(reference[0]))
    return weights
