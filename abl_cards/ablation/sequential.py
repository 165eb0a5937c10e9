"""Interval of a mean that stays valid however often it is computed, and whenever play stops.

An interval for a fixed number of games errs far more often than its 5 % if it is computed repeatedly, and play stops as
soon as it excludes one half. The interval here errs with at most 5 % over all looks together, at any number of deals,
without an approximation by the normal distribution. It is a confidence sequence by betting (Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting", JRSS B 86, 2024, with fixed bets as in section 4.2).

For a candidate mean m and a bet 0 < b <= 1, the capital of a gambler who bets that the mean is larger is the product of
1 - b + b * x / m over the values x. If m is the true mean, or larger, the expected capital never grows. So it exceeds
2 / error at any time with a probability of at most error / 2 (Ville's inequality); all m for which it does are
excluded. The mean over several bets is such a capital too. It falls as m grows, which gives the lower bound; the upper
bound is the lower bound of 1 - x.

The price: about 1.6 times the width of an interval for a fixed number of games.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_number

_BETS = 2.0 ** (-np.arange(10) / 2)
"""From 1, which decides large effects in few deals, down to 0.04, for small effects in thousands."""
_BISECTIONS = 26


def sequential_interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """Compute an interval of the mean that is valid at all numbers of values together.

    >>> sequential_interval(np.ones(16))
    (0.702054, 1.0)
    >>> sequential_interval(np.full(200, 0.5))
    (0.485916, 0.514084)

    Args:
        values: Independent values from 0 to 1 with a common mean, float64 [n].
        level: Probability that the intervals for all n hold the mean, 0 < level < 1.

    Returns:
        Lower and upper bound, rounded to six digits. It depends on the values, not on their order.

    Raises:
        GameError: A value or the level is out of range.
    """
    if not 0 < check_number("level", level) < 1:
        raise GameError(f"level={level}: a number between 0 and 1", ErrorCode.INVALID_VALUE)
    values = np.asarray(values, np.float64)
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        raise GameError("sequential_interval takes values from 0 to 1", ErrorCode.INVALID_VALUE)
    distinct, counts = np.unique(values, return_counts=True)
    threshold = log(2 / (1 - level))
    low = _lower_bound(distinct, counts, threshold)
    high = 1 - _lower_bound(1 - distinct, counts, threshold)
    return round(low, 6), round(high, 6)


def _lower_bound(distinct: NDArray[np.float64], counts: NDArray[np.int64], threshold: float) -> float:
    """Find the largest candidate mean that is excluded, by bisection."""
    if not distinct.any():
        return 0.0
    low, high = 0.0, float(distinct @ counts / counts.sum())  # the capital at the mean is 1 at most
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _log_capital(distinct, counts, middle) >= threshold else (low, middle)
    return low


def _log_capital(distinct: NDArray[np.float64], counts: NDArray[np.int64], mean: float) -> float:
    """Return the logarithm of the capital against a candidate mean, the mean over all bets."""
    gains = 1 - _BETS[:, None] + _BETS[:, None] * (distinct / mean)
    with np.errstate(divide="ignore"):  # a bet of everything that is lost: minus infinity
        by_bet = np.log(gains) @ counts
    return float(np.logaddexp.reduce(by_bet)) - log(len(_BETS))
