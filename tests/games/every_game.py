"""Parameters of tests that all games pass: a few games of different kinds in every run, the others with ``--long``.

``test_conformance.py::test_conformance``, playthroughs, cases and checks of the files are of all games in every run.
"""

from __future__ import annotations

from typing import Any

import pytest

from abl_cards.games.game import game_names
from tests.effort import long

FEW = ("doudizhu", "gandengyan", "guandan", "hearts")
"""Bids and kickers; a stock and jokers that stand for others; partners, wild cards and a tribute; tricks."""


def every_game(*more: str, apart: tuple[str, ...] = ()) -> list[Any]:
    """Return all games as parameters; the long ones are neither among the few nor among those given.

    Args:
        more: Games besides the few that run every time.
        apart: Games among the few whose test is long.
    """
    kept = {*FEW, *more} - {*apart}
    return [pytest.param(name, marks=[] if name in kept else [long]) for name in game_names()]
