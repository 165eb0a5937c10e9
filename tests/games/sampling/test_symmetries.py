"""Symmetries: interchangeable suits."""

from __future__ import annotations

import numpy as np

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.sampling.symmetries import find_symmetries


def test_guandan_symmetries_fix_hearts(guandan: CompiledGame) -> None:
    orders = find_symmetries(guandan)
    hearts = [kind for kind, name in enumerate(guandan.pack.kinds) if str(name).endswith((",h)", ",joker)"))]
    assert orders.shape == (6, 54)
    assert (orders[:, hearts] == hearts).all()


def test_president_symmetries_fix_clubs(president: CompiledGame) -> None:
    orders = find_symmetries(president)
    clubs = [kind for kind, name in enumerate(president.pack.kinds) if ",c)" in str(name)]
    assert orders.shape == (6, 52)
    assert (orders[0] == np.arange(52)).all()
    assert (orders[:, clubs] == clubs).all()


def test_games_without_suits_have_only_the_identity(gifts: CompiledGame) -> None:
    assert find_symmetries(gifts).tolist() == [[0, 1, 2, 3, 4]]


def test_indistinguishable_suits_are_swapped(wild: CompiledGame) -> None:
    assert len(find_symmetries(wild)) == 2
