"""The tables of a training run: scores, points of tricks, and the decisions that are stored to learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ChoiceInputs, NeuroSymbolicPolicy, PolicyInputs, RandomKeys, sample_labels
from abl_cards.core import derive_key, scale_to_range_array, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.state import TableState
from abl_cards.games.tables import Choices, Decisions, NullListener, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.learners import PPOConfig, apply_reward_exponent
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.training.abduction import Abduction
from abl_cards.training.experience import Experience, RolloutBuffer, pad_columns
from abl_cards.training.expert_targets import ExpertConfig, ExpertTargets, LookaheadExpert
from abl_cards.training.opponents import LEARNER

DEAL_STREAM, DRAW_STREAM, MATCH_STREAM, REVEAL_STREAM, EXPLORE_STREAM = 11, 12, 13, 14, 15
"""Streams of random numbers of a run: deals, labels, next matches, shown hands, random choices."""

DecideFunction = Callable[[PolicyInputs, RandomKeys], tuple[NDArray[np.int16], NDArray[np.float32]]]
"""Function of features and keys of k decisions that returns labels [k] and their log-probabilities [k]."""


@dataclass
class Score:
    """Results of the learner against each opponent since the last report."""

    episodes: NDArray[np.int64]  # [players]
    points: NDArray[np.float64]  # [players] rewards of the learner's team
    won: NDArray[np.int64]  # [players] episodes with a positive reward

    @classmethod
    def zero(cls, num_players: int) -> Score:
        """Return the score of no episodes."""
        return cls(np.zeros(num_players, np.int64), np.zeros(num_players), np.zeros(num_players, np.int64))

    def __add__(self, other: Score) -> Score:
        return Score(self.episodes + other.episodes, self.points + other.points, self.won + other.won)


class TrickPoints:
    """Points of cards in tricks, by the facts ``worth/2`` of the folder."""

    def __init__(self, card_points: NDArray[np.int64], num_tables: int, num_seats: int) -> None:
        """Set the points of each kind [kinds]."""
        self.won = np.zeros((num_tables, num_seats), np.float32)  # points of each seat in the episode
        self.in_trick = np.zeros(num_tables, np.float32)  # points in the current trick
        self._card_points = np.append(card_points, 0).astype(np.float32)  # no card at all is worth nothing

    def points_in_trick(self, state: TableState, rows: Indices) -> NDArray[np.float32]:
        """Return the points [n] in the current tricks at tables [n]."""
        return state.trick_cards[rows].sum(axis=1) @ self._card_points[:-1]

    def points_of_moves(self, moves: Moves) -> NDArray[np.float32]:
        """Return the points [n] of the cards of moves."""
        points: NDArray[np.float32] = self._card_points[np.minimum(moves.cards, len(self._card_points) - 1)].sum(axis=1)
        return points


class SelfPlayTables(NullListener):
    """Tables where a learner plays; a listener of their episodes."""

    def __init__(
        self,
        engine: Engine,
        policy: NeuroSymbolicPolicy,
        opponents: Sequence[Agent],
        players: NDArray[np.int8],
        ppo: PPOConfig,
        seed: int,
        labelled_fraction: float = 1.0,
        first_table: int = 0,
        use_critic: bool = True,
        expert_config: ExpertConfig | None = None,
        choice_epsilon: float = 0.0,
        abduction: Abduction | None = None,
    ) -> None:
        """Deal the first cards.

        Args:
            engine: The game.
            policy: The policy that learns.
            opponents: The players that do not learn.
            players: int8 [tables, teams], player of each team: LEARNER, or the number of an opponent from 1.
            ppo: Rewards, discount and size of an update.
            seed: Seed of the deals, together with the number of the table.
            labelled_fraction: Share of the episodes whose hidden hands are training targets.
            first_table: Number of the first table.
            use_critic: Whether the critic evaluates each decision as it is made.
            expert_config: Share of the decisions with look-ahead targets; None for none.
            choice_epsilon: Share of the choices that are made at random.
            abduction: The abduction step; None for the preferences of the policy.
        """
        self._choice_epsilon = choice_epsilon
        self.policy, self.opponents, self._labelled_fraction, self._uses_critic = (
            policy,
            list(opponents),
            labelled_fraction,
            use_critic,
        )
        self.abduction = abduction or Abduction(policy.preference_model)
        self._engine, self._seats, self._ppo = engine, players, ppo
        self._seed, self._first_table = seed, first_table
        self._expert = LookaheadExpert(policy, expert_config) if expert_config and expert_config.share else None
        self.last_log_probs: NDArray[np.float32]  # [k, labels] of the policy at the last decisions
        self._tables_per_opponent = np.bincount(
            players.max(axis=1), minlength=len(self.opponents) + 1
        )  # tables of each opponent
        self._minimiser = Minimiser(policy.preference_model)
        self.score = Score.zero(len(opponents) + 1)
        self.num_decisions = 0
        self.decide: DecideFunction = self.sample_labels
        numbers = np.arange(first_table, first_table + len(players))
        self.tables: Tables = engine.start_matches(
            splitmix64_array(np.full(len(players), derive_key(seed, DEAL_STREAM)), numbers)
        )
        self.trick_points = TrickPoints(engine.rules.card_points, len(players), len(engine.teams))
        self.buffer = self._create_buffer()
        self.tables.listener, self.tables.batch_rare_steps = self, True

    def _create_buffer(self) -> RolloutBuffer:
        """Return a buffer for three updates and the open episodes; one decision shows the shapes."""
        table_rows = self.tables.rows_to_play()[:1]
        decisions = self.tables.decisions(table_rows)
        view = self.policy.features(decisions)
        keys = self.tables.keys[table_rows[view.open_rows]]
        rows = self.make_experience(decisions, view, *self.sample_labels(view, keys), keys)
        room = 3 * self._ppo.rollout_size + self.policy.networks.max_open_rows * self._seats.size
        return RolloutBuffer(room, len(self._seats), len(self._engine.teams), rows)

    def play_moves(self, rows: Indices, moves: Moves) -> None:
        """Make moves at tables [n], and count the points of the tricks that end there."""
        if not self._ppo.trick_point_reward:
            self.tables.play(rows, moves)
            return
        state, episode = self.tables.state, self.tables.num_episodes[rows].copy()
        self.trick_points.in_trick[rows] = self.trick_points.points_in_trick(
            state, rows
        ) + self.trick_points.points_of_moves(moves)
        self.tables.play(rows, moves)
        over = self.tables.find_ended_tricks(rows, episode)
        self.trick_points.won[over, state.owner[over]] += self.trick_points.in_trick[over]

    def _trick_rewards(self, rows: Indices) -> NDArray[np.float32]:
        """Compute rewards [n, seats] of the sides for tricks at tables [n], less those of the other sides."""
        taken, teams = self.trick_points.won[rows], self._engine.teams
        mine = (teams[:, None] == teams[None]).astype(np.float32)
        return self._ppo.trick_point_reward * (taken @ (2 * mine - 1))

    def sample_labels(self, view: PolicyInputs, keys: RandomKeys) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Sample labels [k] from the policy with keys [k]; returns them and their log-probabilities [k]."""
        self.last_log_probs = weighed = self.policy.log_probs(view)
        labels = sample_labels(weighed, keys)
        return labels, weighed[np.arange(len(labels)), labels]

    def make_experience(
        self,
        decisions: Decisions | Choices,
        view: PolicyInputs | ChoiceInputs,
        labels: NDArray[np.int16],
        log_probs: NDArray[np.float32],
        keys: RandomKeys,
    ) -> Experience:
        """Return k decisions with a choice as rows to store.

        Args:
            decisions: The decisions, those without a choice among them.
            view: Features of the decisions for the policy.
            labels: [k] the actions that were taken.
            log_probs: [k] their log-probabilities.
            keys: [k] the random bits of the decisions.
        """
        rows, k, actions = decisions.rows[view.open_rows], len(view.open_rows), self.policy.networks.num_actions
        known, mine = self.tables.information_set(rows), self.tables.seat[rows]
        opened = self.policy.privileged_inputs(self.tables, rows, decisions.view.context[view.open_rows])
        targets = self._compute_expert_targets(decisions, view, opened.hands, keys)
        reveal_keys = splitmix64_array(self.tables.keys[rows], REVEAL_STREAM)
        chance = splitmix64_array(reveal_keys, self.tables.num_episodes[rows])
        return Experience(
            observation=view.observation,
            legal=pad_columns(view.legal, actions, False),
            to_beat=view.to_beat,
            regret=pad_columns(view.regret, actions, np.inf).astype(np.float16),
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
            trick_reward_so_far=self._trick_rewards(rows)[np.arange(k), mine]
            if self._ppo.trick_point_reward
            else np.zeros(k, np.float32),
            lookahead_policy=targets.lookahead_policy,
            lookahead_value=targets.lookahead_value,
            is_revealed=scale_to_range_array(chance, 1 << 20) < self._labelled_fraction * (1 << 20),
            unseen=known.unseen,
            cards_left=known.cards_left,
            at_least=known.min_copies,
            at_most=known.max_copies,
            played_later=self.tables.played_by_others(rows, mine),
        )

    def _compute_expert_targets(
        self, decisions: Decisions | Choices, view: PolicyInputs | ChoiceInputs, hands: NDArray[Any], keys: RandomKeys
    ) -> ExpertTargets:
        """Return the look-ahead targets of k decisions with a choice, given hidden hands [k, others, cards]."""
        if self._expert is None or not isinstance(decisions, Decisions) or not isinstance(view, PolicyInputs):
            return ExpertTargets.empty(len(view.open_rows))
        proposed = self.last_log_probs if self.decide == self.sample_labels else self.policy.log_probs(view)
        return self._expert.compute_targets(decisions, view, proposed, hands, keys)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Compute the returns of the decisions of ended episodes, and count results."""
        rewards = self._engine.rewards(tables, rows)
        unfinished = self.buffer.find_pending_rows(rows)
        laid = tables.played_by_others(self.buffer.table[unfinished], self.buffer.seat[unfinished])
        self.buffer.rows.played_later[unfinished] = laid - self.buffer.rows.played_later[unfinished]
        if self._ppo.trick_point_reward:
            self.trick_points.won[rows, tables.state.owner[rows]] += self.trick_points.in_trick[rows]
        final_rewards = self._ppo.terminal_share * apply_reward_exponent(rewards, self._ppo.reward_exponent)
        self.buffer.finish_episodes(
            rows, final_rewards, self._ppo.gamma, self._ppo.gae_lambda, self._trick_rewards(rows)
        )
        self.trick_points.won[rows] = 0
        for team in range(self._seats.shape[1]):
            mine = self._seats[rows, team] == LEARNER
            seat = int(np.flatnonzero(self._engine.teams == team)[0])
            other = self._seats[rows].max(axis=1)[mine]
            gained = rewards[mine, seat]
            np.add.at(self.score.episodes, other, 1)
            np.add.at(self.score.points, other, gained)
            np.add.at(self.score.won, other, gained > 0)
