"""Thousands of tables where a learner plays and its decisions are remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import NeuroSymbolicPolicy, PolicyInputs, RandomAgent, RandomKeys, sample_labels
from abl_cards.core import derive_key, scale_to_range_array, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.state import TableState
from abl_cards.games.tables import Decisions, NullListener, Tables
from abl_cards.games.types import LEADING, Indices, Moves
from abl_cards.learners import PPOConfig, apply_reward_exponent
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.training.experience import Experience, RolloutBuffer
from abl_cards.training.expert_targets import ExpertConfig, ExpertTargets, LookaheadExpert
from abl_cards.training.opponents import LEARNER, Opponent

MIN_READY_SHARE = 2 / 3
"""An opponent decides when it is to move at this share of its tables: few decisions cost nearly as much as many.

While it waits the learner goes on, so that most of the tables soon wait with it, and then most of them move on at once.
"""

_DEAL, _DRAW, _MATCH, _REVEAL, _EXPLORE = 11, 12, 13, 14, 15  # what the random numbers of a run are for


DecideFunction = Callable[[PolicyInputs, RandomKeys], tuple[NDArray[np.int16], NDArray[np.float32]]]
"""From k views and keys to labels [k] and their log-probabilities [k]."""


@dataclass
class Score:
    """How the learner did against each of the others since the last count."""

    episodes: NDArray[np.int64]  # [players]
    points: NDArray[np.float64]  # [players] rewards of the learner's team
    won: NDArray[np.int64]  # [players] episodes with a positive reward

    @classmethod
    def zero(cls, num_players: int) -> Score:
        """Nothing counted."""
        return cls(np.zeros(num_players, np.int64), np.zeros(num_players), np.zeros(num_players, np.int64))

    def __add__(self, other: Score) -> Score:
        return Score(self.episodes + other.episodes, self.points + other.points, self.won + other.won)


class TrickPoints:
    """What cards are worth in tricks, as the folder says (``worth/2``)."""

    def __init__(self, card_points: NDArray[np.int64], num_tables: int, num_seats: int) -> None:
        """Of each kind [kinds]."""
        self.won = np.zeros((num_tables, num_seats), np.float32)  # what each has won in the episode
        self.in_trick = np.zeros(num_tables, np.float32)  # what lies in the trick
        self._card_points = np.append(card_points, 0).astype(np.float32)  # no card at all is worth nothing

    def points_in_trick(self, state: TableState, rows: Indices) -> NDArray[np.float32]:
        """[n] what lies in the tricks at tables [n]."""
        return state.trick_cards[rows].sum(axis=1) @ self._card_points[:-1]

    def points_of_moves(self, moves: Moves) -> NDArray[np.float32]:
        """[n] what moves lay down."""
        found: NDArray[np.float32] = self._card_points[np.minimum(moves.cards, len(self._card_points) - 1)].sum(axis=1)
        return found


class SelfPlay(NullListener):
    """The tables of a run; hears when their episodes end."""

    def __init__(
        self,
        engine: Engine,
        policy: NeuroSymbolicPolicy,
        opponents: Sequence[Opponent],
        players: NDArray[np.int8],
        ppo: PPOConfig,
        seed: int,
        labelled_fraction: float = 1.0,
        first_table: int = 0,
        use_critic: bool = True,
        expert_config: ExpertConfig | None = None,
        choice_epsilon: float = 0.0,
    ) -> None:
        """Seats [tables, teams] say who plays each team: LEARNER, or the number of an opponent from 1.

        Of a share of the episodes the hidden hands are revealed to those who learn from them. Tables are numbered
        from the first; their cards depend on seed and number. Unless decisions are to be valued as they are made, the
        critic is not asked. With something to teach the learner looks ahead. A share of the choices stray: they are
        random.
        """
        self._choice_epsilon = choice_epsilon
        self.policy, self.opponents, self._labelled_fraction, self._uses_critic = (
            policy,
            list(opponents),
            labelled_fraction,
            use_critic,
        )
        self._engine, self._seats, self._ppo = engine, players, ppo
        self._seed, self._first_table = seed, first_table
        self._expert = LookaheadExpert(policy, expert_config) if expert_config and expert_config.share else None
        self._last_log_probs: NDArray[np.float32]  # what the policy said last
        self._tables_per_opponent = np.bincount(
            players.max(axis=1), minlength=len(self.opponents) + 1
        )  # tables of each opponent
        self._minimiser = Minimiser(policy.preference_model)
        self.score = Score.zero(len(opponents) + 1)
        self.num_decisions = 0
        self.decide: DecideFunction = self.sample_labels
        numbers = np.arange(first_table, first_table + len(players))
        self.tables: Tables = engine.start_matches(
            splitmix64_array(np.full(len(players), derive_key(seed, _DEAL)), numbers)
        )
        self.trick_points = TrickPoints(engine.rules.card_points, len(players), len(engine.teams))
        self.buffer = self._create_buffer()
        self.tables.listener, self.tables.batch_rare_steps = self, True

    def _create_buffer(self) -> RolloutBuffer:
        """Room for three updates and the open episodes; one decision shows the shapes."""
        which = self.tables.rows_to_play()[:1]
        decisions = self.tables.decisions(which)
        view = self.policy.features(decisions)
        keys = self.tables.keys[which[view.open_rows]]
        rows = self._make_experience(decisions, view, *self.sample_labels(view, keys), keys)
        room = 3 * self._ppo.rollout_size + 60 * self._seats.size
        return RolloutBuffer(room, len(self._seats), len(self._engine.teams), rows)

    def step(self) -> None:
        """One decision at every table, but for those where an opponent waits for more company.

        Raises GameError that names the table where the rules lead nowhere.
        """
        with attribute_table_errors(lambda table: f"self-play, seed {self._seed}, table {self._first_table + table}"):
            self._step()

    def _step(self) -> None:
        over = np.flatnonzero(self.tables.winner != -1)
        if over.size:
            self.tables.begin_match(over, splitmix64_array(self.tables.keys[over], _MATCH))
        giving = self.tables.rows_to_choose()
        if giving.size:
            self.tables.choose(giving, self._choose_options(giving))
        self.num_decisions += len(giving)
        which = self.tables.rows_to_play()
        player = self._seats[which, self._engine.teams[self.tables.seat[which]]]
        for number in np.unique(player):
            mine = which[player == number]
            if number == LEARNER or len(mine) >= MIN_READY_SHARE * self._tables_per_opponent[number]:
                self._play_decisions(mine, int(number))
                self.num_decisions += len(mine)

    def _choose_options(self, rows: Indices) -> NDArray[np.uint8]:
        """[n] what is chosen at these tables, whoever chooses: as the preferences like best, or at random."""
        choices = self.tables.choices(rows)
        chosen = self._minimiser.choose(choices)
        keys = splitmix64_array(splitmix64_array(self.tables.keys[rows], _EXPLORE), self.tables.num_decisions[rows])
        strays = np.flatnonzero(scale_to_range_array(keys, 1 << 20) < self._choice_epsilon * (1 << 20))
        if strays.size:
            chosen[strays] = RandomAgent().choose(choices.select(strays), splitmix64_array(keys[strays], _EXPLORE))
        return chosen

    def _play_decisions(self, which: Indices, player: int) -> None:
        decisions = self.tables.decisions(which)
        keys = splitmix64_array(splitmix64_array(self.tables.keys[which], _DRAW), self.tables.num_decisions[which])
        if player != LEARNER:
            self._play_moves(which, self.opponents[player - 1].play(decisions, keys))
            return
        view = self.policy.features(decisions)
        keys = keys[view.open_rows]
        chosen, weight = self.decide(view, keys)
        rows, labels = which[view.open_rows], view.complete_labels(chosen)
        if rows.size:
            self.buffer.add(rows, self.tables.seat[rows], self._make_experience(decisions, view, chosen, weight, keys))
        self._play_moves(which, view.survey.realise(labels))

    def _play_moves(self, rows: Indices, moves: Moves) -> None:
        """Play, and count what the tricks are worth that are over then."""
        if not self._ppo.trick_point_reward:
            self.tables.play(rows, moves)
            return
        state, episode = self.tables.state, self.tables.num_episodes[rows].copy()
        self.trick_points.in_trick[rows] = self.trick_points.points_in_trick(
            state, rows
        ) + self.trick_points.points_of_moves(moves)
        self.tables.play(rows, moves)
        over = rows[
            (state.to_beat[rows] == LEADING) & ~state.is_composing[rows] & (self.tables.num_episodes[rows] == episode)
        ]
        self.trick_points.won[over, state.owner[over]] += self.trick_points.in_trick[over]

    def _trick_rewards(self, rows: Indices) -> NDArray[np.float32]:
        """[n, seats] what the sides have earned in tricks at tables [n], those of the others taken off."""
        taken, teams = self.trick_points.won[rows], self._engine.teams
        mine = (teams[:, None] == teams[None]).astype(np.float32)
        return self._ppo.trick_point_reward * (taken @ (2 * mine - 1))

    def sample_labels(self, view: PolicyInputs, keys: RandomKeys) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Labels [k] drawn with keys [k], and their log-probabilities [k]."""
        self._last_log_probs = weighed = self.policy.log_probs(view)
        labels = sample_labels(weighed, keys)
        return labels, weighed[np.arange(len(labels)), labels]

    def _make_experience(
        self,
        decisions: Decisions,
        view: PolicyInputs,
        labels: NDArray[np.int16],
        log_probs: NDArray[np.float32],
        keys: RandomKeys,
    ) -> Experience:
        """What was decided where a view of decisions has a choice, [k] labels with keys [k], as rows of the memory."""
        which, k = decisions.rows[view.open_rows], len(view.open_rows)
        known, mine = self.tables.information_set(which), self.tables.seat[which]
        opened = self.policy.privileged_inputs(self.tables, which, decisions.context[view.open_rows])
        lessons = self._compute_expert_targets(decisions, view, opened.hands, keys)
        chance = splitmix64_array(splitmix64_array(self.tables.keys[which], _REVEAL), self.tables.num_episodes[which])
        return Experience(
            observation=view.observation,
            legal=view.legal,
            to_beat=view.to_beat,
            regret=view.regret.astype(np.float16),
            plays_left=view.plays_left,
            prior=view.prior.astype(np.float16),
            estimate=view.estimate.astype(np.float16),
            response_counts=view.response_counts,
            hands=opened.hands,
            label=labels,
            log_probability=log_probs,
            hidden_plays_left=opened.hidden_plays_left,
            lead_mask=opened.lead_mask,
            value=self.policy.value(view, opened) if self._uses_critic else np.zeros(k, np.float32),
            advantage=np.zeros(k, np.float32),
            value_target=np.zeros(k, np.float32),
            trick_reward_so_far=self._trick_rewards(which)[np.arange(k), mine]
            if self._ppo.trick_point_reward
            else np.zeros(k, np.float32),
            lookahead_policy=lessons.lookahead_policy,
            lookahead_value=lessons.lookahead_value,
            is_revealed=scale_to_range_array(chance, 1 << 20) < self._labelled_fraction * (1 << 20),
            unseen=known.unseen,
            cards_left=known.cards_left,
            at_least=known.min_copies,
            at_most=known.max_copies,
            played_later=self.tables.played_by_others(which, mine),
        )

    def _compute_expert_targets(
        self, decisions: Decisions, view: PolicyInputs, hands: NDArray[Any], keys: RandomKeys
    ) -> ExpertTargets:
        """What looking ahead teaches of decisions with a choice, whose hidden hands [k, others, cards] are known."""
        if self._expert is None:
            return ExpertTargets.empty(len(view.open_rows))
        proposed = self._last_log_probs if self.decide == self.sample_labels else self.policy.log_probs(view)
        return self._expert.compute_targets(decisions, view, proposed, hands, keys)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Tell the memory and count."""
        rewards = self._engine.rewards(tables, rows)
        unfinished = self.buffer.find_pending_rows(rows)
        laid = tables.played_by_others(self.buffer.table[unfinished], self.buffer.seat[unfinished])
        self.buffer.rows.played_later[unfinished] = laid - self.buffer.rows.played_later[unfinished]
        if self._ppo.trick_point_reward:
            self.trick_points.won[rows, tables.state.owner[rows]] += self.trick_points.in_trick[rows]
        told = self._ppo.terminal_share * apply_reward_exponent(rewards, self._ppo.reward_exponent)
        self.buffer.finish_episodes(rows, told, self._ppo.gamma, self._ppo.gae_lambda, self._trick_rewards(rows))
        self.trick_points.won[rows] = 0
        for team in range(self._seats.shape[1]):
            mine = self._seats[rows, team] == LEARNER
            seat = int(np.flatnonzero(self._engine.teams == team)[0])
            other = self._seats[rows].max(axis=1)[mine]
            gained = rewards[mine, seat]
            np.add.at(self.score.episodes, other, 1)
            np.add.at(self.score.points, other, gained)
            np.add.at(self.score.won, other, gained > 0)
