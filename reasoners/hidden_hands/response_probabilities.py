"""Who could answer what: deals drawn from an estimate of the hidden hands, and the rules asked about each hand.

An estimate gives every card a probability; what matters at the table is what hands made of such cards can do. The rules
know that, so they are asked about whole deals that the facts allow, drawn as likely as the estimate makes them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.core import splitmix64
from abl_cards.games import Engine
from abl_cards.games.types import HandEstimate, InformationSet
from abl_cards.reasoners.hidden_hands.hands import draw_deals

_BATCH_SIZE = 1024  # decisions, for the sake of memory


def count_responses(
    engine: Engine,
    context: NDArray[np.integer],
    estimate: HandEstimate,
    constraints: InformationSet,
    keys: NDArray[np.uint64],
    n_draws: int,
) -> NDArray[np.uint8]:
    """[n, others, labels] in how many of the draws each of the others could answer each label.

    Contexts [n] are those of the decisions (``Decisions.context``); the deals depend on keys [n] alone.
    """
    n, others, _ = estimate.shape
    counts = np.empty((n, others, len(engine.labels)), np.uint8)
    for first in range(0, n, _BATCH_SIZE):
        part = slice(first, first + _BATCH_SIZE)
        counts[part] = _count_responses(
            engine, context[part], estimate[part], constraints.select(part), keys[part], n_draws
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
    answered = engine.response_mask(np.repeat(context, draws * others), hands)
    counted: NDArray[np.uint8] = answered.reshape(n, draws, others, -1).sum(axis=1, dtype=np.uint8)
    return counted


def observation_keys(observation: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """[n] a key of what seats see [n, features]: the same for the same sight, whatever lies behind it."""
    keys = np.zeros(len(observation), np.uint64)
    _hash_rows(observation, keys)
    return keys


@njit(cache=True, nogil=True)
def _hash_rows(observation, keys):
    for i in range(len(observation)):
        word = np.uint64(0)
        for k in range(observation.shape[1]):
            word = (word << np.uint64(8)) | np.uint64(observation[i, k])
            if k % 8 == 7:
                keys[i] = splitmix64(keys[i], word)
        keys[i] = splitmix64(keys[i], word)
