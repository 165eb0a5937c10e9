"""Compute 95 % intervals for games that share their deals."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_integer

Z_975 = 1.959963984540054  # 97.5 % point of the normal distribution
_ROUNDING = 1e-9  # by which a mean of shares may leave 0 to 1

Interval = tuple[float, float]


def share_interval(shares: NDArray[np.float64], games_per_deal: int = 2) -> Interval:
    """Compute the 95 % interval of a mean share: Wilson's, with the effective number of games.

    Games of one deal share their cards, so they are not independent. The variance between deals gives the number of
    independent games that carry the same information. Games of a single deal count as one game.

    Args:
        shares: Share of each game, 0 to 1: float64 [games], the games of a deal side by side.
        games_per_deal: Number of games with the same deal.

    Returns:
        Lower and upper bound, rounded to six digits.

    Raises:
        GameError: There are no games, or a share is out of range.
    """
    shares = np.asarray(shares)
    if shares.ndim != 1 or not len(shares):
        raise GameError(f"shares: expected shares [games], found shape {list(shares.shape)}", ErrorCode.INVALID_VALUE)
    return wilson_interval(float(shares.mean()), len(shares) / _design_effect(shares, games_per_deal))


def wilson_interval(mean: float, num_games: float) -> Interval:
    """Compute Wilson's 95 % interval of a share.

    Args:
        mean: Share, 0 to 1.
        num_games: Number of independent games; may be fractional.

    Returns:
        Lower and upper bound, rounded to six digits.

    Raises:
        GameError: The share is not between 0 and 1, or the number of games is not positive.
    """
    if not (-_ROUNDING <= mean <= 1 + _ROUNDING and num_games > 0):
        raise GameError(f"a share from 0 to 1 of some games, not {mean} of {num_games}", ErrorCode.INVALID_VALUE)
    centre = (mean + Z_975**2 / (2 * num_games)) / (1 + Z_975**2 / num_games)
    radius = Z_975 * sqrt(mean * (1 - mean) / num_games + Z_975**2 / (4 * num_games**2)) / (1 + Z_975**2 / num_games)
    return round(max(0.0, centre - radius), 6), round(min(1.0, centre + radius), 6)


def effective_sample_size(mean: float, interval: Interval) -> float:
    """Compute the number of independent games from a share and its interval: inverse of ``wilson_interval``.

    >>> round(effective_sample_size(0.4, wilson_interval(0.4, 50)))
    50

    Args:
        mean: Share, 0 to 1.
        interval: Its 95 % interval.

    Returns:
        Number of independent games.

    Raises:
        GameError: The interval has no width, so no number of games yields it.
    """
    if not interval[1] > interval[0]:
        raise GameError(f"interval: a lower and a greater bound, not {interval}", ErrorCode.INVALID_VALUE)
    width, spread = interval[1] - interval[0], mean * (1 - mean)
    square, linear = 1 - width**2, width**2 - 2 * spread
    return Z_975**2 * square / (linear + sqrt(linear**2 + width**2 * square))


def format_interval(interval: Interval) -> str:
    """Return an interval of shares as text.

    >>> format_interval((0.402, 0.598))
    '40.2% – 59.8%'

    Args:
        interval: Lower and upper bound.
    """
    return f"{interval[0]:.1%} – {interval[1]:.1%}"


def interval_error(interval: Interval) -> float:
    """Return the standard error of a mean from its 95 % interval.

    >>> round(interval_error((0.402, 0.598)), 4)
    0.05

    Args:
        interval: Lower and upper bound.
    """
    return (interval[1] - interval[0]) / (2 * Z_975)


def mean_interval(values: NDArray[np.float64], games_per_deal: int) -> Interval | None:
    """Compute the 95 % interval of a mean by the normal approximation over deals.

    >>> mean_interval(np.array([1.0, 3.0, 2.0, 2.0, 1.0, 1.0]), 2)
    (1.013345, 2.319988)

    Args:
        values: Value of each game, float64 [games], the games of a deal side by side.
        games_per_deal: Number of games with the same deal.

    Returns:
        Lower and upper bound, rounded to six digits; None with fewer than two deals.

    Raises:
        GameError: The values are not numbers [games], or the number of games is not a whole number from 1 on.
    """
    values, games_per_deal = np.asarray(values), check_integer("games_per_deal", games_per_deal, 1)
    if values.ndim != 1 or values.dtype.kind not in "fiub":
        message = f"values: expected numbers [games], found {values.dtype} {list(values.shape)}"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    deals = values[: len(values) // games_per_deal * games_per_deal].reshape(-1, games_per_deal).mean(axis=1)
    if len(deals) < 2:
        return None
    mean, radius = float(values.mean()), Z_975 * float(deals.std(ddof=1)) / sqrt(len(deals))
    return round(mean - radius, 6), round(mean + radius, 6)


def _design_effect(shares: NDArray[np.float64], games_per_deal: int) -> float:
    """Divide the variance between deals by that of independent games; at least one half.

    One deal says nothing of the variance between deals: its games count as one.
    """
    deals = shares[: len(shares) // games_per_deal * games_per_deal].reshape(-1, games_per_deal).mean(axis=1)
    variance = float(shares.var())
    if len(deals) < 2:
        return min(len(shares), games_per_deal)
    if variance == 0 or games_per_deal == 1:
        return 1.0
    return max(games_per_deal * float(deals.var(ddof=1)) / variance, 0.5)
