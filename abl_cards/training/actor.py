"""An actor: it plays at its tables with the newest model that it was given, and hands over what came to its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from abl_cards.agents import NeuroSymbolicPolicy, PreferenceAgent
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import Networks, PPOConfig
from abl_cards.reasoners.abduction import ClingoReasoner, Minimiser
from abl_cards.training.expert_targets import ExpertConfig
from abl_cards.training.opponents import PastOpponent, assign_players
from abl_cards.training.rollout_queue import Rollout
from abl_cards.training.selfplay import Score, SelfPlay
from abl_cards.training.settings import TrainConfig

OPPONENT_NAMES = ("itself", "kb", "its past")
"""Whom the learner meets, in the order of the numbers of the players."""

StateDict = dict[str, Any]
"""What is kept of something, or told to another process."""

_TABLE_KEYS = {
    "num_episodes": "episode",
    "num_deals": "deals",
    "total_points": "total",
    "decided_by_points": "by_points",
    "state.last_actor": "state.acted",
    "state.last_form": "state.laid",
    "state.passed_in_trick": "state.gone_by",
    "state.seats_out": "state.out",
    "state.finish_order": "state.order",
    "state.num_decisions": "state.clock",
    "state.num_acts": "state.acts",
    "state.idle_decisions": "state.idle",
    "state.num_plays": "state.plays",
    "state.recent_cards": "state.recent",
    "state.play_stats": "state.habits",
    "state.trick_cards": "state.lies",
    "state.trick_forms": "state.lies_form",
    "state.is_composing": "state.picking",
    "state.num_drawn": "state.drawn",
    "state.last_drawer": "state.drew",
    "state.is_just_drawn": "state.fresh",
}
"""Arrays of ``Tables`` that have another name in checkpoints."""


@dataclass(frozen=True)
class ActorSlot:
    """Where an actor sits, and what its cards depend on besides the seed of the run."""

    first_table: int  # the number of its first table
    num_tables: int
    update: int = 0  # before which they are dealt
    actor_id: int = 0  # its number


class RolloutSource(Protocol):
    """Whoever plays for a learner: an actor in its own process, or many in others."""

    def collect_rollouts(self, min_rows: int) -> Sequence[Rollout]:
        """What was played since it was asked last; where that is nothing, wait until it is something.

        A learner that lacks so many rows says so.
        """

    def broadcast(self, version: int) -> None:
        """Play with the networks of the learner as they are now."""

    def update_opponent(self) -> None:
        """From now on play against the learner's past as it is now."""


class Actor:
    """Tables where networks play against themselves, fixed agents, and their past."""

    def __init__(
        self, settings: TrainConfig, engine: Engine, networks: Networks, past_networks: Networks, ppo: PPOConfig
    ) -> None:
        """Nobody sits down yet."""
        self._settings, self._engine, self._networks, self._past_networks, self._ppo = (
            settings,
            engine,
            networks,
            past_networks,
            ppo,
        )
        self._version = self._num_rollouts = 0
        asked = settings.clingo
        self.judge: PreferenceModel = engine.preference_model() if asked is None else ClingoReasoner.of(engine, asked)
        """What decides which of the learner's labels are consistent, and at what cost."""
        self.self_play: SelfPlay

    def reset(self, slot: ActorSlot) -> None:
        """Take tables; what was played at others is forgotten."""
        judge, settings = self._engine.preference_model(), self._settings
        opponents = (
            PreferenceAgent(Minimiser(judge)),
            PastOpponent(NeuroSymbolicPolicy(self._engine, judge, self._past_networks)),
        )
        shares = settings.kb_opponent_share, settings.past_opponent_share
        seats = assign_players(slot.num_tables, int(self._engine.teams.max()) + 1, shares)
        mind, seed = NeuroSymbolicPolicy(self._engine, self.judge, self._networks), settings.seed + slot.update
        self.self_play = SelfPlay(
            self._engine, mind, opponents, seats, self._ppo, seed, settings.labelled_fraction, slot.first_table,
            expert_config=ExpertConfig.from_settings(settings, self._ppo), choice_epsilon=settings.choice_epsilon,
        )  # fmt: skip
        self._slot, self._version = slot, slot.update

    def collect_rollouts(self, min_rows: int, max_seconds: float = inf) -> list[Rollout]:
        """Play until so many rows are ready, or for some seconds, and hand over all that are."""
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
        """The networks are the learner's own: only their version is new."""
        self._version = version

    def update_opponent(self) -> None:
        """So is their past."""

    def state_dict(self) -> StateDict:
        """Everything at the tables, to save it."""
        play = self.self_play
        tables = {_TABLE_KEYS.get(name, name): array for name, array in play.tables.arrays().items()}
        return {
            "tables": tables, "memory": play.buffer.state_dict(), "score": vars(play.score).copy(),
            "played": play.num_decisions, "portions": self._num_rollouts, "taken": play.trick_points.won,
        }  # fmt: skip

    def load_state_dict(self, state: StateDict) -> None:
        """Take up what was saved; runs begun before there were portions kept nothing of them."""
        for name, array in self.self_play.tables.arrays().items():
            array[...] = state["tables"][_TABLE_KEYS.get(name, name)]
        self.self_play.buffer.load_state_dict(state["memory"])
        self.self_play.score = Score(**state["score"])
        self.self_play.trick_points.won[...] = state.get("taken", 0)
        self.self_play.num_decisions, self._num_rollouts = state.get("played", 0), state.get("portions", 0)
