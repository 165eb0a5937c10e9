"""An actor, which plays at its tables with the newest model and returns the decisions of ended episodes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

from abl_cards.agents import ModelPolicy, NeuroSymbolicPolicy, PreferenceAgent
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import ModelNetworks, Networks, PPOConfig
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.training.abduction import OUR_REASONER, ReasonerParts, resolve_reasoner
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.joint_loop import SelfPlay
from abl_cards.training.metrics import OPPONENT_NAMES
from abl_cards.training.opponents import PastOpponent, assign_players
from abl_cards.training.rollout_queue import Rollout, StateDict
from abl_cards.training.selfplay import DecideFunction, Score
from abl_cards.training.settings import TrainConfig


@dataclass(frozen=True)
class ActorSlot:
    """Tables of an actor, and the inputs of its deals besides the seed of the run."""

    first_table: int  # number of its first table
    num_tables: int
    update: int = 0  # update before which the cards are dealt
    actor_id: int = 0  # number of the actor


class Actor:
    """Player of a number of tables: networks play against themselves, fixed agents, and former networks."""

    def __init__(
        self,
        settings: TrainConfig,
        engine: Engine,
        networks: Networks,
        past_networks: Networks,
        ppo: PPOConfig,
        reasoner: ReasonerParts = OUR_REASONER,
    ) -> None:
        """Prepare to play; `reset` deals the cards.

        Args:
            settings: The settings of the run.
            engine: The game.
            networks: The networks that learn.
            past_networks: Former networks, one of the opponents.
            ppo: Rewards, discount and size of an update.
            reasoner: User-defined parts of the abduction step.
        """
        self._settings, self._engine, self._networks, self._past_networks, self._ppo = (
            settings,
            engine,
            networks,
            past_networks,
            ppo,
        )
        self._version = self._num_rollouts = 0
        self.abduction = resolve_reasoner(engine, reasoner, settings.clingo)
        self.self_play: SelfPlay
        self._decide: DecideFunction | None = None  # in place of the sampling of labels

    @property
    def judge(self) -> PreferenceModel:
        """Consistency and costs of the learner's candidate moves."""
        return self.abduction.preference_model

    def reset(self, slot: ActorSlot) -> None:
        """Deal cards at the tables of a slot; running episodes are dropped."""
        judge, settings = self._engine.preference_model(), self._settings
        opponents = (
            PreferenceAgent(Minimiser(judge)),
            PastOpponent(create_policy(self._engine, judge, self._past_networks)),
        )
        shares = settings.kb_opponent_share, settings.past_opponent_share
        seats = assign_players(slot.num_tables, int(self._engine.teams.max()) + 1, shares)
        policy, seed = create_policy(self._engine, self.judge, self._networks), settings.seed + slot.update
        self.self_play = SelfPlay(
            self._engine, policy, opponents, seats, self._ppo, seed, settings.labelled_fraction, slot.first_table,
            expert_config=ExpertConfig.from_settings(settings, self._ppo), choice_epsilon=settings.choice_epsilon,
            abduction=self.abduction,
        )  # fmt: skip
        if self._decide is not None:
            self.self_play.decide = self._decide
        self._slot, self._version = slot, slot.update

    def replace_decide(self, decide: DecideFunction) -> None:
        """Choose labels by a function from now on, also after the tables have been reset."""
        self._decide = self.self_play.decide = decide

    def collect_rollouts(self, min_rows: int, max_seconds: float = inf) -> list[Rollout]:
        """Play until enough decisions have known returns, and return all of these.

        Args:
            min_rows: Number of decisions with a choice to wait for.
            max_seconds: Time in seconds after which fewer are returned.
        """
        play, version, end = self.self_play, self._version, time.monotonic() + max_seconds
        while play.buffer.num_ready < min_rows and time.monotonic() < end:
            play.step()
        if min_rows <= 0 or not play.buffer.num_ready:
            return []
        rows = play.buffer.pop_ready(play.buffer.num_ready)
        score, decisions, number = play.score, play.num_decisions, self._num_rollouts
        play.score, play.num_decisions, self._num_rollouts = Score.zero(len(OPPONENT_NAMES)), 0, number + 1
        return [Rollout(self._slot.actor_id, number, version, len(rows), decisions, score, lambda: rows)]

    def broadcast(self, version: int) -> None:
        """Record the version of the networks; the weights are shared with the learner."""
        self._version = version

    def update_opponent(self) -> None:
        """Do nothing: the former networks are shared with the learner."""

    def state_dict(self) -> StateDict:
        """Return the state of the tables and of the stored decisions."""
        play = self.self_play
        return {
            "tables": play.tables.arrays(), "memory": play.buffer.state_dict(), "score": vars(play.score).copy(),
            "played": play.num_decisions, "portions": self._num_rollouts, "taken": play.trick_points.won,
        }  # fmt: skip

    def load_state_dict(self, state: StateDict) -> None:
        """Restore a state."""
        for name, array in self.self_play.tables.arrays().items():
            array[...] = state["tables"][name]
        self.self_play.buffer.load_state_dict(state["memory"])
        self.self_play.score = Score(**state["score"])
        self.self_play.trick_points.won[...] = state["taken"]
        self.self_play.num_decisions, self._num_rollouts = state["played"], state["portions"]


def create_policy(engine: Engine, preference_model: PreferenceModel, networks: Networks) -> NeuroSymbolicPolicy:
    """Return the policy of networks of a preset, or of a custom network."""
    if isinstance(networks, ModelNetworks):
        return ModelPolicy(engine, preference_model, networks)
    return NeuroSymbolicPolicy(engine, preference_model, networks)
