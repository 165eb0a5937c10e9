"""Matches: seats, duplicate deals, points and places, intervals, parts.

Every deal is played once for each way to seat the agents. Two agents share the sides of a game in every way: two teams
that is twice, with the teams swapped. As many agents as there are sides sit in their order, and each deal is played in
every rotation of it. Where the parts of a game differ, as landlord and peasants do, each agent's result is told for
each part too; where more than two sides play, points and places are. Everything is decided by the seed and the number
of the game, so a game is the same whether it is played alone or among thousands.
"""

from abl_cards.arena.hall import (
    AT_ONCE,
    Points,
    Progress,
    decision_keys,
    match_keys,
    play_match,
    play_part,
    result_of,
    seatings_of,
)
from abl_cards.arena.intervals import interval, mean_interval, wilson, worth
from abl_cards.arena.part import Part
from abl_cards.arena.results import Lapse, MatchResult, RoleResult, Standing

__all__ = [
    "AT_ONCE",
    "Lapse",
    "MatchResult",
    "Part",
    "Points",
    "Progress",
    "RoleResult",
    "Standing",
    "decision_keys",
    "interval",
    "match_keys",
    "mean_interval",
    "play_match",
    "play_part",
    "result_of",
    "seatings_of",
    "wilson",
    "worth",
]
