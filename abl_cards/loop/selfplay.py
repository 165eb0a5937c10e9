"""Thousands of tables where a learner plays and its decisions are remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.mind import Mind, View, draw
from abl_cards.agents.plain import Random
from abl_cards.games import Decisions, Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.faults import naming
from abl_cards.games.play.state import State
from abl_cards.games.tables import LEADING
from abl_cards.loop.experience import Experience, Memory
from abl_cards.loop.players import LEARNER, Opponent
from abl_cards.loop.teacher import Lessons, Teacher, Teaching
from abl_cards.streams import below_all, key_of, mix_all
from learners.presets import PPO
from learners.told import counted
from reasoners.minimiser import Minimiser

COMPANY = 2 / 3
"""An opponent decides when it is to move at this share of its tables: few decisions cost nearly as much as many.

While it waits the learner goes on, so that most of the tables soon wait with it, and then most of them move on at once.
"""

_DEAL, _DRAW, _MATCH, _SHOW, _STRAY = 11, 12, 13, 14, 15  # what the random numbers of a run are for


Decide = Callable[[View, Keys], tuple[NDArray[np.int16], NDArray[np.float32]]]
"""From k views and keys to labels [k] and their log-probabilities [k]."""


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

    def __add__(self, other: Score) -> Score:
        return Score(self.episodes + other.episodes, self.points + other.points, self.won + other.won)


class Piles:
    """What cards are worth in tricks, as the folder says (``worth/2``)."""

    def __init__(self, worth: NDArray[np.int64], tables: int, seats: int) -> None:
        """Of each kind [kinds]."""
        self.taken = np.zeros((tables, seats), np.float32)  # what each has won in the episode
        self.lying = np.zeros(tables, np.float32)  # what lies in the trick
        self._worth = np.append(worth, 0).astype(np.float32)  # no card at all is worth nothing

    def lies(self, state: State, which: Indices) -> NDArray[np.float32]:
        """[n] what lies in the tricks at tables [n]."""
        return state.lies[which].sum(axis=1) @ self._worth[:-1]

    def of(self, moves: Moves) -> NDArray[np.float32]:
        """[n] what moves lay down."""
        found: NDArray[np.float32] = self._worth[np.minimum(moves.cards, len(self._worth) - 1)].sum(axis=1)
        return found


class SelfPlay(Quiet):
    """The tables of a run; hears when their episodes end."""

    def __init__(
        self,
        engine: Engine,
        mind: Mind,
        opponents: Sequence[Opponent],
        seats: NDArray[np.int8],
        ppo: PPO,
        seed: int,
        revealed: float = 1.0,
        first: int = 0,
        valued: bool = True,
        teaching: Teaching | None = None,
        stray: float = 0.0,
    ) -> None:
        """Seats [tables, teams] say who plays each team: LEARNER, or the number of an opponent from 1.

        Of a share of the episodes the hidden hands are revealed to those who learn from them. Tables are numbered
        from the first; their cards depend on seed and number. Unless decisions are to be valued as they are made, the
        critic is not asked. With something to teach the learner looks ahead. A share of the choices stray: they are
        random.
        """
        self._stray = stray
        self.mind, self.opponents, self._revealed, self._valued = mind, list(opponents), revealed, valued
        self._engine, self._seats, self._ppo = engine, seats, ppo
        self._seed, self._first = seed, first
        self._teacher = Teacher(mind, teaching) if teaching and teaching.share else None
        self._proposed: NDArray[np.float32]  # what the policy said last
        self._met = np.bincount(seats.max(axis=1), minlength=len(self.opponents) + 1)  # tables of each opponent
        self._minimiser = Minimiser(mind.judge)
        self.score = Score.zero(len(opponents) + 1)
        self.decisions = 0
        self.decide: Decide = self.draw
        numbers = np.arange(first, first + len(seats))
        self.tables: Tables = engine.tables(mix_all(np.full(len(seats), key_of(seed, _DEAL)), numbers))
        self.piles = Piles(engine.rules.worth, len(seats), len(engine.teams))
        self.memory = self._room()
        self.tables.listener, self.tables.patient = self, True

    def _room(self) -> Memory:
        """Room for three updates and the open episodes; one decision shows the shapes."""
        which = self.tables.playing()[:1]
        decisions = self.tables.decisions(which)
        view = self.mind.look(decisions)
        keys = self.tables.keys[which[view.choice]]
        rows = self._experience(decisions, view, *self.draw(view, keys), keys)
        room = 3 * self._ppo.rows + 60 * self._seats.size
        return Memory(room, len(self._seats), len(self._engine.teams), rows)

    def step(self) -> None:
        """One decision at every table, but for those where an opponent waits for more company.

        Raises GameError that names the table where the rules lead nowhere.
        """
        with naming(lambda table: f"self-play, seed {self._seed}, table {self._first + table}"):
            self._step()

    def _step(self) -> None:
        over = np.flatnonzero(self.tables.winner != -1)
        if over.size:
            self.tables.begin_match(over, mix_all(self.tables.keys[over], _MATCH))
        giving = self.tables.choosing()
        if giving.size:
            self.tables.choose(giving, self._choose(giving))
        self.decisions += len(giving)
        which = self.tables.playing()
        player = self._seats[which, self._engine.teams[self.tables.seat[which]]]
        for number in np.unique(player):
            mine = which[player == number]
            if number == LEARNER or len(mine) >= COMPANY * self._met[number]:
                self._play(mine, int(number))
                self.decisions += len(mine)

    def _choose(self, which: Indices) -> NDArray[np.uint8]:
        """[n] what is chosen at these tables, whoever chooses: as the preferences like best, or at random."""
        choices = self.tables.choices(which)
        chosen = self._minimiser.choose(choices)
        keys = mix_all(mix_all(self.tables.keys[which], _STRAY), self.tables.clock[which])
        strays = np.flatnonzero(below_all(keys, 1 << 20) < self._stray * (1 << 20))
        if strays.size:
            chosen[strays] = Random().choose(choices.at(strays), mix_all(keys[strays], _STRAY))
        return chosen

    def _play(self, which: Indices, player: int) -> None:
        decisions = self.tables.decisions(which)
        keys = mix_all(mix_all(self.tables.keys[which], _DRAW), self.tables.clock[which])
        if player != LEARNER:
            self._lay(which, self.opponents[player - 1].play(decisions, keys))
            return
        view = self.mind.look(decisions)
        keys = keys[view.choice]
        chosen, weight = self.decide(view, keys)
        rows, labels = which[view.choice], view.complete(chosen)
        if rows.size:
            self.memory.remember(rows, self.tables.seat[rows], self._experience(decisions, view, chosen, weight, keys))
        self._lay(which, view.survey.realise(labels))

    def _lay(self, which: Indices, moves: Moves) -> None:
        """Play, and count what the tricks are worth that are over then."""
        if not self._ppo.worth:
            self.tables.play(which, moves)
            return
        state, episode = self.tables.state, self.tables.episode[which].copy()
        self.piles.lying[which] = self.piles.lies(state, which) + self.piles.of(moves)
        self.tables.play(which, moves)
        over = which[
            (state.to_beat[which] == LEADING) & ~state.picking[which] & (self.tables.episode[which] == episode)
        ]
        self.piles.taken[over, state.owner[over]] += self.piles.lying[over]

    def _earned(self, which: Indices) -> NDArray[np.float32]:
        """[n, seats] what the sides have earned in tricks at tables [n], those of the others taken off."""
        taken, teams = self.piles.taken[which], self._engine.teams
        mine = (teams[:, None] == teams[None]).astype(np.float32)
        return self._ppo.worth * (taken @ (2 * mine - 1))

    def draw(self, view: View, keys: Keys) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Labels [k] drawn with keys [k], and their log-probabilities [k]."""
        self._proposed = weighed = self.mind.weigh(view)
        labels = draw(weighed, keys)
        return labels, weighed[np.arange(len(labels)), labels]

    def _experience(
        self, decisions: Decisions, view: View, labels: NDArray[np.int16], weight: NDArray[np.float32], keys: Keys
    ) -> Experience:
        """What was decided where a view of decisions has a choice, [k] labels with keys [k], as rows of the memory."""
        which, k = decisions.which[view.choice], len(view.choice)
        known, mine = self.tables.hidden(which), self.tables.seat[which]
        opened = self.mind.lay_open(self.tables, which, decisions.context[view.choice])
        lessons = self._lessons(decisions, view, opened.hands, keys)
        chance = mix_all(mix_all(self.tables.keys[which], _SHOW), self.tables.episode[which])
        return Experience(
            observation=view.observation,
            legal=view.legal,
            to_beat=view.to_beat,
            regret=view.regret.astype(np.float16),
            plays=view.plays,
            prior=view.prior.astype(np.float16),
            estimate=view.estimate.astype(np.float16),
            replies=view.replies,
            hands=opened.hands,
            label=labels,
            log_probability=weight,
            to_go=opened.to_go,
            openings=opened.openings,
            value=self.mind.value(view, opened) if self._valued else np.zeros(k, np.float32),
            advantage=np.zeros(k, np.float32),
            total=np.zeros(k, np.float32),
            earned=self._earned(which)[np.arange(k), mine] if self._ppo.worth else np.zeros(k, np.float32),
            foreseen=lessons.foreseen,
            worth=lessons.worth,
            shown=below_all(chance, 1 << 20) < self._revealed * (1 << 20),
            unseen=known.unseen,
            left=known.left,
            at_least=known.at_least,
            at_most=known.at_most,
            later=self.tables.laid_by_others(which, mine),
        )

    def _lessons(self, decisions: Decisions, view: View, hands: NDArray[Any], keys: Keys) -> Lessons:
        """What looking ahead teaches of decisions with a choice, whose hidden hands [k, others, cards] are known."""
        if self._teacher is None:
            return Lessons.none(len(view.choice))
        proposed = self._proposed if self.decide == self.draw else self.mind.weigh(view)
        return self._teacher.lessons(decisions, view, proposed, hands, keys)

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Tell the memory and count."""
        rewards = self._engine.rewards(tables, which)
        unfinished = self.memory.open_at(which)
        laid = tables.laid_by_others(self.memory.table[unfinished], self.memory.seat[unfinished])
        self.memory.rows.later[unfinished] = laid - self.memory.rows.later[unfinished]
        if self._ppo.worth:
            self.piles.taken[which, tables.state.owner[which]] += self.piles.lying[which]
        told = self._ppo.ends * counted(rewards, self._ppo.power)
        self.memory.finish(which, told, self._ppo.discount, self._ppo.trace, self._earned(which))
        self.piles.taken[which] = 0
        for team in range(self._seats.shape[1]):
            mine = self._seats[which, team] == LEARNER
            seat = int(np.flatnonzero(self._engine.teams == team)[0])
            other = self._seats[which].max(axis=1)[mine]
            gained = rewards[mine, seat]
            np.add.at(self.score.episodes, other, 1)
            np.add.at(self.score.points, other, gained)
            np.add.at(self.score.won, other, gained > 0)
