"""Thousands of tables where a learner plays and its decisions are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.mind import Mind, Thought
from abl_cards.games import Engine, Indices, Tables
from abl_cards.games.audience import Quiet
from abl_cards.loop.experience import Experience, Memory
from abl_cards.loop.players import LEARNER, Opponent
from abl_cards.streams import key_of, mix_all
from learners.presets import PPO
from reasoners.minimiser import Minimiser

_DEAL, _DRAW, _MATCH = 11, 12, 13  # what the random numbers of a run are for


@dataclass
class Score:
    """How the learner did against each of the others since the last count."""

    episodes: NDArray[np.int64]  # [players]
    points: NDArray[np.float64]  # [players] rewards of the learner's team
    won: NDArray[np.int64]  # [players] episodes with a positive reward

    @classmethod
    def zero(cls, players: int) -> Score:
        """Nothing counted."""
        return cls(np.zeros(players, np.int64), np.zeros(players), np.zeros(players, np.int64))


class SelfPlay(Quiet):
    """The tables of a run; hears when their episodes end."""

    def __init__(
        self, engine: Engine, mind: Mind, opponents: Sequence[Opponent], seats: NDArray[np.int8], ppo: PPO, seed: int
    ) -> None:
        """Seats [tables, teams] say who plays each team: LEARNER, or the number of an opponent from 1."""
        self.mind, self.opponents = mind, list(opponents)
        self._engine, self._seats, self._ppo = engine, seats, ppo
        self._minimiser = Minimiser(mind.judge)
        self.score = Score.zero(len(opponents) + 1)
        self.decisions = 0
        self.tables: Tables = engine.tables(mix_all(np.full(len(seats), key_of(seed, _DEAL)), np.arange(len(seats))))
        self.memory = self._room()
        self.tables.listener = self

    def _room(self) -> Memory:
        """Room for three updates and the open episodes; one decision shows the shapes."""
        which = self.tables.playing()[:1]
        thought = self.mind.think(self.tables.decisions(which))
        rows = self._experience(which, thought, np.zeros(len(which), np.int16))
        room = 3 * self._ppo.rows + 60 * self._seats.size
        return Memory(room, len(self._seats), len(self._engine.teams), rows)

    def step(self) -> None:
        """One decision at every table."""
        over = np.flatnonzero(self.tables.winner != -1)
        if over.size:
            self.tables.begin_match(over, mix_all(self.tables.keys[over], _MATCH))
        giving = self.tables.exchanging()
        if giving.size:
            self.tables.give(giving, self._minimiser.give(self.tables.exchanges(giving)))
        which = self.tables.playing()
        player = self._seats[which, self._engine.teams[self.tables.seat[which]]]
        for number in np.unique(player):
            self._play(which[player == number], int(number))
        self.decisions += len(which) + len(giving)

    def _play(self, which: Indices, player: int) -> None:
        decisions = self.tables.decisions(which)
        keys = mix_all(mix_all(self.tables.keys[which], _DRAW), self.tables.clock[which])
        if player != LEARNER:
            self.tables.play(which, self.opponents[player - 1].play(decisions, keys))
            return
        thought = self.mind.think(decisions)
        labels = thought.drawn(keys)
        rows = which[thought.choice]
        if rows.size:
            self.memory.remember(rows, self.tables.seat[rows], self._experience(rows, thought, labels[thought.choice]))
        self.tables.play(which, thought.survey.realise(labels))

    def _experience(self, which: Indices, thought: Thought, labels: NDArray[np.int16]) -> Experience:
        """Decisions [k] at tables [k] as rows of the memory."""
        hands = self.tables.others(which)
        k = len(which)
        return Experience(
            observation=thought.observation,
            legal=thought.legal,
            to_beat=thought.to_beat,
            regret=thought.regret.astype(np.float16),
            plays=thought.plays,
            prior=thought.prior.astype(np.float16),
            estimate=thought.estimate.astype(np.float16),
            hands=hands,
            label=labels,
            log_probability=thought.log_probabilities[np.arange(k), labels],
            value=self._values(thought.observation, hands),
            advantage=np.zeros(k, np.float32),
            total=np.zeros(k, np.float32),
        )

    def _values(self, observation: NDArray[np.uint8], hands: NDArray[np.uint8]) -> NDArray[np.float32]:
        import torch

        networks = self.mind.networks
        with torch.inference_mode():
            seen, truth = (torch.from_numpy(array).to(networks.device).float() for array in (observation, hands))
            values: NDArray[np.float32] = networks.critic(seen, truth).cpu().numpy()
        return values

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Tell the memory and count."""
        rewards = self._engine.rewards(tables, which)
        self.memory.finish(which, rewards, self._ppo.discount, self._ppo.trace)
        for team in range(self._seats.shape[1]):
            mine = self._seats[which, team] == LEARNER
            seat = int(np.flatnonzero(self._engine.teams == team)[0])
            other = self._seats[which].max(axis=1)[mine]
            gained = rewards[mine, seat]
            np.add.at(self.score.episodes, other, 1)
            np.add.at(self.score.points, other, gained)
            np.add.at(self.score.won, other, gained > 0)
