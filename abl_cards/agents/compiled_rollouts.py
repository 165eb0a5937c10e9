"""Rollouts in one compiled loop, by a rollout network that reads positions alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.agents.rollout_kernels import roll_out_tables
from abl_cards.core import map_ranges, unique_rows
from abl_cards.games import Engine
from abl_cards.games.compiled import TableError
from abl_cards.games.rollouts import CardSets, check_rollouts_applicable, episode_rules, find_card_sets, position_shape
from abl_cards.games.state import PLAY
from abl_cards.games.tables import Tables
from abl_cards.games.types import Indices
from abl_cards.learners import END_OF_EPISODE, RolloutWeights

_TABLES_PER_THREAD = 8


class CompiledRollouts:
    """Continues play at simulated tables, optionally to the end of the episode."""

    def __init__(self, engine: Engine, weights: RolloutWeights) -> None:
        """Make rollouts.

        Args:
            engine: Compiled game.
            weights: Weights of a rollout network that reads positions.

        Raises:
            GameError: If the episodes of the game cannot be played in a compiled loop.
        """
        check_rollouts_applicable(engine.rules)
        self._engine, self._weights, self._shape = engine, weights, position_shape(engine.rules)

    def play(self, tables: Tables, num_choices: ArrayLike = END_OF_EPISODE) -> None:
        """Continue the episodes that are not over, and score those that end.

        Args:
            tables: Simulated tables [n], which stop after the episode.
            num_choices: Decisions with a choice before a table stops at the next one: int [n], or one for all.

        Raises:
            TableError: If the rules leave a table without a next decision, or no card is played any more.
        """
        state, left = tables.state, np.broadcast_to(np.asarray(num_choices, np.int64), len(tables))
        running = np.flatnonzero(state.stage == PLAY)
        for context in np.unique(state.context[running]).tolist():
            rows = running[state.context[running] == context]
            card_sets, hand_index = self._find_card_sets(tables, rows)
            self._play(tables, rows, card_sets, hand_index, context, left[rows])
        tables.end_episodes(running[state.stage[running] != PLAY])

    def _find_card_sets(self, tables: Tables, rows: Indices) -> tuple[CardSets, Indices]:
        """Return the card sets of the distinct hands of tables [n], and the hand of each seat: int64 [n, seats]."""
        state = tables.state
        hands = state.hands[rows]
        n, seats, kinds = hands.shape
        flat = hands.reshape(n * seats, kinds)
        first, index = unique_rows(flat)
        table = rows[first // seats]
        sets = find_card_sets(tables.rules, flat[first], state.fluents[table], state.context[table])
        return sets, index.reshape(n, seats)

    def _play(
        self,
        tables: Tables,
        rows: Indices,
        card_sets: CardSets,
        hand_index: Indices,
        context: int,
        num_choices: Indices,
    ) -> None:
        """Play tables [n] of one context."""
        state, rules, sides = tables.state, episode_rules(tables.rules, context), tables.sides(rows)
        stuck = map_ranges(
            len(rows),
            lambda lo, hi: roll_out_tables(
                state, rows, rules, card_sets, hand_index, sides, self._shape, self._weights, num_choices, lo, hi
            ),
            min_size=_TABLES_PER_THREAD,
        )
        for table in stuck:
            if table >= 0:
                raise TableError(table, "no label can be played, no seat is next, or cards are never played again")


def make_compiled_rollouts(policy: NeuroSymbolicPolicy) -> CompiledRollouts | None:
    """Return the rollouts by the rollout network of a policy; None where it has none for compiled episodes.

    Args:
        policy: Policy with networks.
    """
    networks = policy.networks
    if networks.rollout_weights is None or not networks.preset.rollout.is_compiled:
        return None
    return CompiledRollouts(policy.engine, networks.rollout_weights)
