"""Rollouts of whole episodes in one compiled loop, by a rollout network that reads positions alone."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.core import kernel, map_ranges
from abl_cards.games import Engine
from abl_cards.games.compiled import MAX_IDLE_DECISIONS, TableError
from abl_cards.games.rollouts import (
    CardSets,
    check_rollouts_applicable,
    count_unplayed,
    episode_rules,
    find_card_sets,
    find_cheapest_set,
    keep_playable_sets,
    list_all_sets,
    list_playable_labels,
    list_position_inputs,
    pack_held_cards,
    play_card_set,
    position_shape,
)
from abl_cards.games.state import PLAY
from abl_cards.games.tables import Tables
from abl_cards.games.types import LEADING, NO_CARD, Indices
from abl_cards.learners import RolloutWeights, choose_label

_TABLES_PER_THREAD = 8


class CompiledRollouts:
    """Plays imagined tables to the end of the episode."""

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

    def play_to_end(self, tables: Tables) -> None:
        """Play the episodes that are not over to their end, and score them.

        Args:
            tables: Imagined tables, which stop after the episode.

        Raises:
            TableError: If the rules leave a table without a way on, or no card is played any more.
        """
        state = tables.state
        running = np.flatnonzero(state.stage == PLAY)
        for context in np.unique(state.context[running]).tolist():
            rows = running[state.context[running] == context]
            card_sets, hand_index = self._find_card_sets(tables, rows)
            self._play(tables, rows, card_sets, hand_index, context)
        tables.end_episodes(running)

    def _find_card_sets(self, tables: Tables, rows: Indices) -> tuple[CardSets, Indices]:
        """Return the card sets of the distinct hands of tables [n], and the hand of each seat: int64 [n, seats]."""
        state = tables.state
        hands = state.hands[rows]
        n, seats, kinds = hands.shape
        flat = np.ascontiguousarray(hands.reshape(n * seats, kinds))
        _, first, index = np.unique(flat.view(f"V{kinds}").ravel(), return_index=True, return_inverse=True)
        table = rows[first // seats]
        sets = find_card_sets(tables.rules, flat[first], state.fluents[table], state.context[table])
        return sets, index.reshape(n, seats)

    def _play(self, tables: Tables, rows: Indices, card_sets: CardSets, hand_index: Indices, context: int) -> None:
        """Play tables [n] of one context to the end of the episode."""
        state, rules, sides = tables.state, episode_rules(tables.rules, context), tables.sides(rows)
        forms = np.zeros(len(rows), np.int16)
        cards = np.zeros((len(rows), state.top_cards.shape[1]), np.uint8)
        stuck = map_ranges(
            len(rows),
            lambda lo, hi: _play_episodes(
                state, rows, rules, card_sets, hand_index, sides, self._shape, self._weights, forms, cards, lo, hi
            ),
            min_size=_TABLES_PER_THREAD,
        )
        for table in stuck:
            if table >= 0:
                raise TableError(table, "no label can be played, no seat is next, or cards are never played again")


def make_compiled_rollouts(policy: NeuroSymbolicPolicy) -> CompiledRollouts | None:
    """Return the rollouts of the networks of a policy; None where they have none that are compiled.

    Args:
        policy: Policy with networks.
    """
    networks = policy.networks
    if networks.rollout_weights is None or not networks.preset.rollout.is_compiled:
        return None
    return CompiledRollouts(policy.engine, networks.rollout_weights)


@kernel
def _play_episodes(state, rows, rules, card_sets, hand_index, sides, shape, weights, forms, cards, lo, hi):
    """Play the episodes of tables rows[lo:hi] to the end; returns -1, or a table where none can be played."""
    seats, num_labels, max_sets = hand_index.shape[1], len(weights.output_bias), 0
    for hand in range(len(card_sets.guard_bits)):
        runs = card_sets.run_start[hand], card_sets.run_start[hand + 1]
        max_sets = max(max_sets, card_sets.set_start[runs[1]] - card_sets.set_start[runs[0]])
    sets, listed_runs = np.zeros((seats, max_sets), np.int32), np.zeros((seats, max_sets), np.int32)
    first, num_runs = np.zeros((seats, max_sets + 1), np.int32), np.zeros(seats, np.int64)
    packed, labels = np.zeros(seats, np.uint64), np.zeros(num_labels, np.int64)
    is_listed, left = np.zeros(num_labels, np.bool_), np.zeros(shape.num_kinds, np.int64)
    active, sums = np.zeros(len(weights.first), np.int64), np.zeros(max(1, shape.num_ranks), np.int64)
    hidden, last = np.zeros(len(weights.first_bias), np.float32), np.zeros(len(weights.second_bias), np.float32)
    no_values = np.zeros((2, num_labels), np.float32)
    for row in range(lo, hi):
        table = rows[row]
        count_unplayed(state, table, left)
        for seat in range(seats):
            hand = hand_index[row, seat]
            packed[seat] = pack_held_cards(card_sets, hand, state.hands[table, seat])
            num_runs[seat] = list_all_sets(card_sets, hand, sets[seat], listed_runs[seat], first[seat])
        while state.stage[table] == PLAY:
            seat, to_beat = state.seat[table], state.to_beat[table]
            runs = num_runs[seat]
            n = list_playable_labels(card_sets, listed_runs[seat], runs, rules, to_beat, is_listed, labels)
            if n == 0 or state.idle_decisions[table] > MAX_IDLE_DECISIONS:
                return table
            label = labels[0]
            if n > 1:
                num_active = list_position_inputs(shape, state, table, sides[row], left, sums, active)
                beaten = np.int64(-1) if to_beat == LEADING else np.int64(rules.label_of[to_beat])
                label = choose_label(weights, active, num_active, beaten, labels[:n], hidden, last, no_values)
            form, card_set = find_cheapest_set(
                card_sets, sets[seat], listed_runs[seat], first[seat], runs, rules, to_beat, label
            )
            if not play_card_set(state, rules, card_sets, rows, row, form, card_set, forms, cards):
                return table
            if card_set >= 0:
                guard = card_sets.guard_bits[hand_index[row, seat]]
                packed[seat] -= card_sets.need[card_set]
                num_runs[seat] = keep_playable_sets(
                    card_sets, guard, packed[seat], sets[seat], listed_runs[seat], first[seat], runs
                )
                for position in range(cards.shape[1]):
                    if cards[row, position] == NO_CARD:
                        break
                    left[cards[row, position]] -= 1
    return -1
