"""The abduction of hidden hands: from an estimate to what is consistent with the facts and the counts.

An estimate gives every other seat a number of copies of every card, [n, others, cards]. It need not be possible. Its
Euclidean projection is, and is never farther from the true hands than the estimate was, since they are possible too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.hidden import Constraints
from abl_cards.parallel import each_share
from reasoners import projection

Estimate = NDArray[np.float32]
"""[n, others, cards] expected copies."""


def project(estimate: Estimate, constraints: Constraints) -> Estimate:
    """The nearest consistent estimate, row by row; as near as it comes where nothing is consistent."""
    projected = np.empty(estimate.shape, np.float32)
    arrays = constraints.unseen, constraints.left, constraints.at_least, constraints.at_most
    each_share(len(estimate), lambda lo, hi: projection.project_rows(estimate, *arrays, lo, hi, projected), least=64)
    return projected


def counting(constraints: Constraints) -> Estimate:
    """The unseen copies shared in proportion to the cards left: what the counts alone say."""
    left = constraints.left.astype(np.float32)
    share = left / np.maximum(1, left.sum(axis=1, keepdims=True))
    return share[:, :, None] * constraints.unseen[:, None].astype(np.float32)
