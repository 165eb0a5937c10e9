"""Inputs lit straight from cards are those that counting the cards of each cell says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.circuit import kernels
from abl_cards.games.binding.card_counts import HandCardCounts, TrickCardCounts
from abl_cards.games.compiled.compiled_game import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import KB_ROOT

STATES = (1, 3, 64, 65, 700, 1500)
TABLES = 1600


@pytest.fixture(scope="module", params=["tractor", "guandan", "hearts"])
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    return compile_game(Folder(KB_ROOT / request.param))


def drawn(rules: CompiledGame, density: float) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int16]]:
    """Cards of each seat, in some order of tables, in any context."""
    random = np.random.default_rng(1)
    shape = TABLES, rules.seating.seats, len(rules.pack)
    cards = np.where(random.random(shape) < density, random.integers(0, rules.pack.copies + 1, shape), 0)
    which, context = random.permutation(TABLES), random.integers(0, len(rules.contexts), TABLES)
    return cards.astype(np.uint8), which.astype(np.int64), context.astype(np.int16)


def asked(rules: CompiledGame, single: bool) -> NDArray[np.int32]:
    """Inputs about some of the cells, with numbers out of order; about such as are one kind of cards, or any."""
    random, cells = np.random.default_rng(2), rules.cells
    slots = np.full((rules.seating.seats * len(cells), 4), -1, np.int32)
    mine = [place for place in range(len(slots)) if not single or str(cells.names[place % len(cells)]).find("(") > 0]
    chosen = [(place, least) for place in mine for least in range(4) if random.random() < 0.6]
    for number, row in enumerate(random.permutation(len(chosen)).tolist()):
        slots[chosen[row]] = number
    return slots


@pytest.mark.parametrize("density", [0.03, 0.4])
@pytest.mark.parametrize("single", [False, True])
def test_cards_light_what_they_count_as(rules: CompiledGame, density: float, single: bool) -> None:
    cards, which, context = drawn(rules, density)
    slots = asked(rules, single)
    fills = (
        HandCardCounts(rules.cells, lambda: cards, which, lambda: context),
        TrickCardCounts(rules.cells, cards, which, lambda: context),
    )
    columns = np.zeros((len(slots), TABLES), np.int16)
    fills[0](0, TABLES, columns, np.arange(len(slots)))
    assert (slots >= 0).sum() > 20
    lights = [light for fill in fills if (light := fill.make_bit_setter(slots)) is not None]
    assert len(lights) > single  # what may be several kinds of cards is lit card by card alone
    places, leasts = np.nonzero(slots >= 0)
    told = np.zeros((slots.max() + 1, TABLES), np.uint8)
    told[slots[places, leasts]] = columns[places] > leasts[:, None]
    for light in lights:
        for states in STATES:
            first, words = min(40, TABLES - states), kernels.padded_words(-(-states // 64))
            block = np.zeros((len(told), words), np.uint64)
            light(first, states, words, block)
            found = np.zeros((len(told), TABLES), np.uint8)
            kernels.unpack_partial_bits(block, 2 * np.arange(len(told), dtype=np.int32), first, states, words, found)
            assert np.array_equal(found[:, first : first + states], told[:, first : first + states])
