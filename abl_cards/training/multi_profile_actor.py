"""Run one actor per rule profile in a process, to train one network for all profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import Networks, PPOConfig
from abl_cards.training.abduction import OUR_REASONER, ReasonerParts
from abl_cards.training.actor import Actor, ActorSlot
from abl_cards.training.joint_loop import SelfPlay
from abl_cards.training.rollout_queue import Rollout, StateDict
from abl_cards.training.run_rules import RuleDigests, compute_rule_digests
from abl_cards.training.settings import TrainConfig


class MultiProfileActor:
    """One actor for each profile, with a share of the tables and an equal share of the decisions."""

    def __init__(
        self,
        settings: TrainConfig,
        engines: Sequence[Engine],
        networks: Networks,
        past_networks: Networks,
        ppo: PPOConfig,
        reasoner: ReasonerParts = OUR_REASONER,
    ) -> None:
        """Prepare an actor for each engine; see `Actor`."""
        self._second_profile_share = settings.second_profile_share if len(engines) > 1 else 0.0
        self.actors = [Actor(settings, engine, networks, past_networks, ppo, reasoner) for engine in engines]

    @property
    def judge(self) -> PreferenceModel:
        """Consistency and costs of candidate moves by the first profile."""
        return self.actors[0].judge

    @property
    def self_play(self) -> SelfPlay:
        """The tables of the first profile."""
        return self.actors[0].self_play

    def reset(self, slot: ActorSlot) -> None:
        """Distribute the tables over the profiles and deal cards; running episodes are dropped."""
        tables = self._split_by_profile(slot.num_tables)
        first = slot.first_table
        for number, (actor, num_tables) in enumerate(zip(self.actors, tables, strict=True)):
            actor.reset(replace(slot, first_table=first, num_tables=num_tables, actor_id=slot.actor_id + number))
            first += num_tables

    def collect_rollouts(self, min_rows: int, max_seconds: float = inf) -> list[Rollout]:
        """Play until enough decisions have known returns, profile by profile, and return them."""
        if min_rows <= 0:
            return []
        rollouts, rows = list[Rollout](), self._split_by_profile(min_rows)
        for actor, num_rows in zip(self.actors, rows, strict=True):
            rollouts += actor.collect_rollouts(num_rows, max_seconds * num_rows / min_rows)
        return rollouts

    def broadcast(self, version: int) -> None:
        """Record the version of the networks; the weights are shared with the learner."""
        for actor in self.actors:
            actor.broadcast(version)

    def update_opponent(self) -> None:
        """Do nothing: the former networks are shared with the learner."""

    def state_dict(self) -> StateDict:
        """Return the state of the tables and of the stored decisions."""
        parts = [actor.state_dict() for actor in self.actors]
        return parts[0] if len(parts) == 1 else {"company": parts}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore a state."""
        for actor, actor_state in zip(self.actors, state.get("company", [state]), strict=True):
            actor.load_state_dict(actor_state)

    def _split_by_profile(self, n: int) -> list[int]:
        """Return the shares of n tables or decisions of the profiles, at least one each."""
        also = min(n - 1, max(1, round(self._second_profile_share * n)))
        return [n] if len(self.actors) == 1 else [n - also, also]


def load_engines(settings: TrainConfig) -> list[Engine]:
    """Return the engines of the profiles of a run, the main one first.

    Raises:
        GameError: The profiles differ in their observations or labels, which one network has to share.
    """
    engine = settings.load_engine()
    if settings.second_profile is None:
        return [engine]
    other = replace(settings, profile=settings.second_profile).load_engine()
    for what, one, two in (
        ("other labels", engine.labels, other.labels),
        ("another sight", engine.observation_features.describe(), other.observation_features.describe()),
    ):
        if one != two:
            raise GameError(
                f"second_profile={settings.second_profile}: seats have {what} there; train a player of its own",
                ErrorCode.SETTING_CONFLICT,
            )
    if not 0 < settings.second_profile_share < 1 or settings.num_envs < 2:
        raise GameError(
            "second_profile_share: give a share between 0 and 1, and two tables or more", ErrorCode.INVALID_VALUE
        )
    return [engine, other]


def compute_run_digests(engines: Sequence[Engine], settings: TrainConfig) -> RuleDigests:
    """Return the digests of the rule files of a run."""
    digests: dict[str, str] = {}
    for engine in engines:
        digests |= compute_rule_digests(engine, settings.clingo)
    return digests
