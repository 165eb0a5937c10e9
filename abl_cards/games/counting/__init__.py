"""Counting plays: how many a hand needs when nobody answers; by the counter that fits the forms of a game."""

from abl_cards.games.counting.plays import (
    at_most,
    bounded,
    counter_of,
    plays_left,
    plays_to_go,
    reads_plays_left,
    uncounted,
)

__all__ = ["at_most", "bounded", "counter_of", "plays_left", "plays_to_go", "reads_plays_left", "uncounted"]
