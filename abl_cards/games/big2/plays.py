"""``plays_left``: about how many plays it takes to empty a hand; see abl_cards/games/plays.py.

The plays are those that labels.lp declares, runs across the end among them.
``tests/games/big2/test_plays.py`` says how near the number is to the least.

>>> from abl_cards.games.big2.rulebook import rules_of
>>> from abl_cards.games.big2.wire import read_hand
>>> hands = [read_hand(text) for text in ("A2345", "33344456", "3579J", "")]
>>> counter_of(rules_of()).plays_left(keys_of(np.stack(hands))).tolist()
[1, 1, 5, 0]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.decisions import count_cards
from abl_cards.games.big2.knowledge import MOST_CARDS, RANK_COUNT
from abl_cards.games.big2.rulebook import Rules
from abl_cards.games.plays import Carriers, Chain, PlayCounter


def counter_of(rules: Rules) -> PlayCounter:
    """The counter of a knowledge base."""
    layout = rules.layout
    length, copies = (layout.needs > 0).sum(axis=1).tolist(), layout.needs.max(axis=1).tolist()
    keys, kickers, size = keys_of(layout.needs).tolist(), layout.kickers.tolist(), layout.kicker_size.tolist()
    chains = {
        Chain(keys[label], length[label] * (copies[label] == 3))
        for label in range(len(rules.labels))
        if length[label] > 1 and not kickers[label]
    }
    carrying = ((copies[label], length[label], size[label]) for label in range(len(rules.labels)) if kickers[label])
    return PlayCounter.of(frozenset(chains), Carriers.of(carrying), MOST_CARDS)


def keys_of(counts: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """[n] the copies of each rank [n, 13] as keys."""
    weights = np.uint64(1) << (4 * np.arange(RANK_COUNT)).astype(np.uint64)
    keys: NDArray[np.uint64] = counts.astype(np.uint64) @ weights
    return keys


def keys_laid(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """[moves] the cards of moves as keys."""
    return keys_of(count_cards(cards))
