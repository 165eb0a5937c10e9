"""Evaluate moves by playing sampled deals to their end with an agent for every seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices, MoveLists
from abl_cards.reasoners.hidden_hands import draw_deals, prior_estimate

MAX_TABLES = 4096
"""Most simulated tables played side by side."""
_RNG_ROLLOUT = 22  # stream of random numbers


@dataclass(frozen=True)
class ReviewConfig:
    """Settings of a review.

    Attributes:
        engine: Compiled game.
        agent: Agent whose choice is compared with the move that was played.
        rollout_agent: Agent that plays sampled deals to their end, for all seats.
        n_deals: Deals per move; one half selects the best move.
        max_moves: Most moves evaluated per decision.
        min_loss: Least loss of points that counts as a mistake.
        seed: Seed of deals and rollouts.
        language: Language of the reasons, ``en`` or ``zh``.
    """

    engine: Engine
    agent: Agent
    rollout_agent: Agent
    n_deals: int = 100
    max_moves: int = 6
    min_loss: float = 0.0
    seed: int = 0
    language: str = "en"


def evaluate_moves(
    config: ReviewConfig, decisions: Decisions, lists: MoveLists, candidates: list[list[int]],
    keys: NDArray[np.uint64], on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, NDArray[np.float64]]:  # fmt: skip
    """Evaluate moves by playing sampled deals to their end; all moves of a decision are evaluated on the same deals.

    Args:
        config: Compiled game, the agent of the rollouts, number and seed of the deals.
        decisions: Decisions about plays [n].
        lists: Legal moves of these decisions.
        candidates: Rows of the lists to evaluate, by decision.
        keys: Keys of the deals, uint64 [n].
        on_progress: Called with the number of evaluated moves and their total.

    Returns:
        Points of the seats to decide at the end of each deal, float64 [deals], by row of the lists.
    """
    hands = _sample_deals(config, decisions, keys)
    deals = hands.shape[1]
    rows = [(decision, row) for decision, own in enumerate(candidates) for row in own]
    points_by_row: dict[int, NDArray[np.float64]] = {}
    size = max(1, MAX_TABLES // deals)
    for begin in range(0, len(rows), size):
        batch = np.array(rows[begin : begin + size])
        decision, deal = np.repeat(batch[:, 0], deals), np.tile(np.arange(deals), len(batch))
        tables = Tables.determinize(decisions, decision, hands[decision, deal])
        points = _rollout(config, tables, lists, np.repeat(batch[:, 1], deals))
        points_by_row |= {int(row): points[i * deals : (i + 1) * deals] for i, row in enumerate(batch[:, 1])}
        on_progress(min(begin + size, len(rows)), len(rows))
    return points_by_row


def _sample_deals(config: ReviewConfig, decisions: Decisions, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Draw hands of the others that the seats to decide hold possible: [n, deals, others, kinds]."""
    if decisions.rules.has_open_hands:
        return np.repeat(decisions.view.hidden_hands[:, None], config.n_deals, axis=1)
    constraints = decisions.information_set()
    return draw_deals(prior_estimate(constraints, decisions.belief_log_odds()), constraints, keys, config.n_deals)


def _rollout(config: ReviewConfig, tables: Tables, lists: MoveLists, rows: Indices) -> NDArray[np.float64]:
    """Play simulated tables to their end: [m] points of the seats to decide, after their moves."""
    all_rows, seat = np.arange(len(tables)), tables.seat.copy()
    key = derive_key(config.seed, _RNG_ROLLOUT)
    tables.play(all_rows, lists.select(rows))
    while (playing := tables.rows_to_play()).size + (choosing := tables.rows_to_choose()).size:
        if playing.size:
            keys = splitmix64_array(np.full(len(playing), key, np.uint64), tables.num_decisions[playing])
            tables.play(playing, config.rollout_agent.play(tables.decisions(playing), keys))
        if choosing.size:
            keys = splitmix64_array(np.full(len(choosing), key, np.uint64), tables.num_decisions[choosing])
            tables.choose(choosing, config.rollout_agent.choose(tables.choices(choosing), keys))
    rewards = config.engine.rewards(tables, all_rows)
    return rewards[all_rows, seat].astype(np.float64)
