"""Estimate which labels other seats can respond to: sample deals of the hidden hands, and evaluate the rules for each.

An estimate gives probabilities of cards, but responses depend on whole hands. So consistent deals are sampled in
proportion to their weights by the estimate, and the rules compute the responses of each hand.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import kernel, splitmix64
from abl_cards.games import Engine
from abl_cards.games.tables import compute_response_mask
from abl_cards.games.types import HandEstimate, InformationSet
from abl_cards.reasoners.hidden_hands.hands import draw_deals

_BATCH_SIZE = 1024  # decisions at once, to bound memory


def count_responses(
    engine: Engine,
    context: NDArray[np.integer],
    estimate: HandEstimate,
    constraints: InformationSet,
    keys: NDArray[np.uint64],
    n_draws: int,
) -> NDArray[np.uint8]:
    """Count the sampled deals in which other seats can respond to each label.

    Args:
        engine: Engine of the game.
        context: int[n] Contexts of the decisions (``Decisions.context``).
        estimate: float32[n, others, cards] Expected copies.
        constraints: Counts and facts of n observers.
        keys: uint64[n] Random keys, on which the deals depend.
        n_draws: Deals for each decision.

    Returns:
        uint8[n, others, labels] Number of deals.
    """
    n, others, _ = estimate.shape
    counts = np.empty((n, others, len(engine.labels)), np.uint8)
    for first in range(0, n, _BATCH_SIZE):
        batch = slice(first, first + _BATCH_SIZE)
        counts[batch] = _count_responses(
            engine, context[batch], estimate[batch], constraints.select(batch), keys[batch], n_draws
        )
    return counts


def _count_responses(
    engine: Engine,
    context: NDArray[np.integer],
    estimate: HandEstimate,
    constraints: InformationSet,
    keys: NDArray[np.uint64],
    draws: int,
) -> NDArray[np.uint8]:
    n, others, cards = estimate.shape
    hands = draw_deals(estimate, constraints, keys, draws).reshape(-1, cards)
    response_masks = compute_response_mask(engine.rules, np.repeat(context, draws * others), hands)
    counts: NDArray[np.uint8] = response_masks.reshape(n, draws, others, -1).sum(axis=1, dtype=np.uint8)
    return counts


def observation_keys(observation: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Hash observations to keys.

    Args:
        observation: uint8[n, features] Observations.

    Returns:
        uint64[n] Keys, equal for equal observations.
    """
    keys = np.zeros(len(observation), np.uint64)
    _hash_rows(observation, keys)
    return keys


@kernel
def _hash_rows(observation, keys):
    for i in range(len(observation)):
        word = np.uint64(0)
        for k in range(observation.shape[1]):
            word = (word << np.uint64(8)) | np.uint64(observation[i, k])
            if k % 8 == 7:
                keys[i] = splitmix64(keys[i], word)
        keys[i] = splitmix64(keys[i], word)
