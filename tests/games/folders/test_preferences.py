"""What the preferences of folder games are good for: two seats of ``kb`` and two of ``greedy``, in every seating."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents import agent
from abl_cards.games import game
from abl_cards.streams import mix_all
from tests.effort import thorough

DEALS = 2_000 if thorough() else 60
AT_ONCE = 500

Shares = NDArray[np.float64]


def first_places_and_points(engine: Any, deals: int, seed: int) -> tuple[Shares, Shares]:
    """[deals] the share of first places of ``kb``, and the points of its seats, over all seatings of each deal."""
    players = [agent("kb", engine), agent("greedy", engine)]
    ways = engine.seatings
    keys = np.repeat(np.random.default_rng(seed).integers(1 << 63, size=deals).astype(np.uint64), len(ways))
    tables, who = engine.tables(keys), np.tile(ways, (deals, 1))
    while (which := tables.playing()).size:
        turns = who[which, tables.seat[which]]
        for number, player in enumerate(players):
            mine = which[turns == number]
            if mine.size:
                moves = player.play(tables.decisions(mine), mix_all(tables.keys[mine], tables.clock[mine]))
                tables.play(mine, moves)
    ours = who == 0
    first = ours[np.arange(len(keys)), tables.state.order[:, 0]]
    points = (tables.points * ours).sum(axis=1) / ours.sum(axis=1)
    return first.reshape(deals, -1).mean(axis=1), points.reshape(deals, -1).mean(axis=1)


@pytest.mark.parametrize("name", ["president", "paodekuai", "bigtwo"])
def test_preferences_beat_greedy(name: str) -> None:
    """Over 2,000 deals the interval of first places lies above 60 %, that of the points above 0."""
    engine = game(name).engine()
    parts = [first_places_and_points(engine, min(AT_ONCE, DEALS - at), at) for at in range(0, DEALS, AT_ONCE)]
    first, points = (np.concatenate(part) for part in zip(*parts, strict=True))
    margins = [1.96 * each.std() / np.sqrt(DEALS) for each in (first, points)]
    print(f"{name}: {first.mean():.3f} ± {margins[0]:.3f} first, {points.mean():+.3f} ± {margins[1]:.3f} points")
    if thorough():
        assert first.mean() - margins[0] > 0.6
        assert points.mean() - margins[1] > 0
    assert first.mean() > 0.55


@pytest.mark.parametrize("name", ["president", "paodekuai", "bigtwo", "sixteen", "fifteen"])
def test_there_are_ten_preferences(name: str) -> None:
    """Their words are a matter of ``kb check``: without them nothing is loaded."""
    assert len(game(name).knowledge().groups) >= 10
