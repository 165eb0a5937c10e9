"""Input bits that are set directly from cards agree with counts of the cards of each cell."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.circuit import kernels
from abl_cards.core import kernel
from abl_cards.games.binding.card_counts import HandCardCounts, TrickCardCounts
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load

STATES = (1, 3, 64, 65, 700, 1500)
TABLES = 1600


@kernel
def read_bits(block, rows, first, states, words, bits):  # type: ignore[no-untyped-def]
    """Copy the bits of some states of a block to columns of ``bits``."""
    kernels.unpack_partial_bits(block, rows, first, states, words, bits)


@pytest.fixture(scope="module", params=["tractor", "guandan", "hearts"])
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    return load(request.param).engine().rules


def random_cards(rules: CompiledGame, density: float) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int16]]:
    """Return random cards of each seat, a permutation of the tables, and random contexts."""
    random = np.random.default_rng(1)
    shape = TABLES, rules.seating.seats, len(rules.pack)
    cards = np.where(random.random(shape) < density, random.integers(0, rules.pack.copies + 1, shape), 0)
    rows, context = random.permutation(TABLES), random.integers(0, len(rules.contexts), TABLES)
    return cards.astype(np.uint8), rows.astype(np.int64), context.astype(np.int16)


def random_slots(rules: CompiledGame, single: bool) -> NDArray[np.int32]:
    """Return slots of random inputs about cells of one kind of card (``single``), or about any cells."""
    random, cells = np.random.default_rng(2), rules.cells
    slots = np.full((rules.seating.seats * len(cells), 4), -1, np.int32)
    columns = [column for column in range(len(slots)) if not single or "(" in str(cells.names[column % len(cells)])]
    tests = [(column, threshold) for column in columns for threshold in range(4) if random.random() < 0.6]
    for index, row in enumerate(random.permutation(len(tests)).tolist()):
        slots[tests[row]] = index
    return slots


@pytest.mark.parametrize("density", [0.03, 0.4])
@pytest.mark.parametrize("single", [False, True])
def test_bit_setters_agree_with_counts(rules: CompiledGame, density: float, single: bool) -> None:
    cards, rows, context = random_cards(rules, density)
    slots = random_slots(rules, single)
    writers = (
        HandCardCounts(rules.cells, lambda: cards, rows, lambda: context),
        TrickCardCounts(rules.cells, cards, rows, lambda: context),
    )
    columns = np.zeros((len(slots), TABLES), np.int16)
    writers[0](0, TABLES, columns, np.arange(len(slots)))
    assert (slots >= 0).sum() > 20
    setters = [setter for writer in writers if (setter := writer.make_bit_setter(slots)) is not None]
    assert len(setters) > single  # cells of several kinds have only the sparse setter
    used, thresholds = np.nonzero(slots >= 0)
    expected = np.zeros((slots.max() + 1, TABLES), np.uint8)
    expected[slots[used, thresholds]] = columns[used] > thresholds[:, None]
    for setter in setters:
        for states in STATES:
            first, words = min(40, TABLES - states), kernels.padded_words(-(-states // 64))
            block = np.zeros((len(expected), words), np.uint64)
            setter(first, states, words, block)
            bits = np.zeros((len(expected), TABLES), np.uint8)
            read_bits(block, 2 * np.arange(len(expected), dtype=np.int32), first, states, words, bits)
            assert np.array_equal(bits[:, first : first + states], expected[:, first : first + states])
