"""Counting plays: how many a hand needs when nobody answers; by the counter that fits the forms of a game."""

from abl_cards.games.counting.plays import counter_of, plays_left, plays_to_go, uncounted

__all__ = ["counter_of", "plays_left", "plays_to_go", "uncounted"]
