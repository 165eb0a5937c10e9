"""Bars of characters for tables on a terminal: amounts of loss, and intervals of a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

BAR_WIDTH = 12
INTERVAL_WIDTH = 31
MIN_COLUMNS = 100
"""Least width of a terminal on which tables have bars."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def has_room(console: Console) -> bool:
    """Return whether the console is a terminal wide enough for bars; files have none."""
    return console.is_terminal and console.width >= MIN_COLUMNS


def loss_bar(loss: float, largest: float) -> str:
    """Draw a loss as a bar; a gain of the played move as a hollow one.

    Args:
        loss: Points lost; negative for a gain.
        largest: Largest absolute loss of the table, the full width.

    >>> loss_bar(1.0, 2.0), loss_bar(-1.0, 2.0), loss_bar(0.0, 2.0)
    ('██████', '░░░░░░', '')
    """
    if largest <= 0:
        return ""
    length = round(8 * BAR_WIDTH * abs(loss) / largest)
    if loss < 0:
        return "░" * round(length / 8)
    return "█" * (length // 8) + _EIGHTHS[length % 8].strip()


def interval_bar(low: float, share: float, high: float, width: int = INTERVAL_WIDTH) -> str:
    """Draw a share and its interval on an axis from 0 to 1, with a mark at one half.

    Args:
        low: Lower bound.
        share: Estimate.
        high: Upper bound.
        width: Characters of the axis.

    >>> interval_bar(0.6, 0.7, 0.9, 21)
    '·         ┊ ──●──── ·'
    """
    last = width - 1
    cells = [" "] * width
    cells[0] = cells[last] = "·"
    cells[last // 2] = "┊"
    for cell in range(round(low * last), round(high * last) + 1):
        cells[cell] = "─"
    cells[round(share * last)] = "●"
    return "".join(cells)
