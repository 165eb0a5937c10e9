"""Equal deals, of which one is enough."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.agents.distinct_deals import find_first_occurrences, list_distinct_deals

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 8), st.integers(1, 8))
def test_equal_deals_of_an_item_are_listed_once(seed: int, num_rows: int, num_deals: int, num_items: int) -> None:
    rng = np.random.default_rng(seed)
    deals = rng.integers(0, 2, (num_rows, num_deals, 2, 1)).astype(np.uint8)
    row = rng.integers(0, num_rows, num_items)
    item_of, deal_of, pair_of = list_distinct_deals(deals, row)
    pairs = list(zip(item_of.tolist(), map(bytes, deals[row[item_of], deal_of]), strict=True))
    assert len(set(pairs)) == len(pairs)
    for item in range(num_items):
        found = [pairs[pair] for pair in pair_of[item]]
        assert found == [(item, bytes(deal)) for deal in deals[row[item]]]


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 8))
def test_the_first_copy_is_the_first_equal_deal_of_the_row(seed: int, num_rows: int, num_deals: int) -> None:
    deals = np.random.default_rng(seed).integers(0, 2, (num_rows, num_deals, 1, 2)).astype(np.uint8)
    listed = [[bytes(deal) for deal in row] for row in deals]
    assert find_first_occurrences(deals).tolist() == [[row.index(deal) for deal in row] for row in listed]
