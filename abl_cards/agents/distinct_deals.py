"""Find equal deals, so that values that depend on a deal alone are computed once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import unique_rows
from abl_cards.games.types import Indices


def find_first_occurrences(deals: NDArray[np.uint8]) -> Indices:
    """Return the number of the first equal deal for each of the deals [r, n, others, cards] of a row: int64 [r, n]."""
    r, n = deals.shape[:2]
    keys = np.concatenate([np.repeat(np.arange(r), n)[:, None].view(np.uint8), deals.reshape(r * n, -1)], axis=1)
    first, group = unique_rows(keys)
    copies: Indices = first[group].reshape(r, n) % n
    return copies


def list_distinct_deals(deals: NDArray[np.uint8], row: Indices) -> tuple[Indices, Indices, Indices]:
    """List the deals of each item, equal ones once.

    Args:
        deals: uint8 [r, n, others, cards], deals of r rows.
        row: int64 [t], the row of each item, such as a label to evaluate.

    Returns:
        int64 [m] and [m], the item and the deal of each pair; int64 [t, n], the pair of each item and deal.
    """
    r, n = deals.shape[:2]
    distinct, copy_of = np.unique(find_first_occurrences(deals) + n * np.arange(r)[:, None], return_inverse=True)
    count = np.bincount(distinct // n, minlength=r)
    first, num_pairs = np.cumsum(count) - count, count[row]
    offset = np.cumsum(num_pairs) - num_pairs - first[row]
    item_of = np.repeat(np.arange(len(row)), num_pairs)
    deal_of = distinct[np.arange(len(item_of)) - offset[item_of]] % n
    return item_of, deal_of, copy_of.reshape(r, n)[row] + offset[:, None]
