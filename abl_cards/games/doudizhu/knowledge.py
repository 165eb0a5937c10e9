"""The rule files of Dou dizhu: what crosses between them and Python."""

from __future__ import annotations

from abl_cards.games.rule_files import RuleFiles
from abl_cards.logic import Input

RANKS = tuple(range(3, 16))
VALUES = tuple(range(3, 18))
SEATS = (0, 1, 2)
WHO = ("next", "previous")
PARTS = ("landlord", "down", "up")
"""The parts in the order of play, the landlord first."""

MOST_CARDS = 20
"""In a hand: the landlord's."""
FULL_HAND = 17
BIDS = (0, 1, 2, 3)
TAGS = (0, 1, 2, 3)
"""Of the cards of a split: what a card is part of, see splits.lp."""
COPIES = tuple(4 if value in RANKS else 1 for value in VALUES)

INPUTS = (
    Input("held", (VALUES, (1, 2, 3, 4))),
    Input("role", (PARTS,)),
    Input("leading", ()),
    Input("to_beat", None, 1),
    Input("acted", (SEATS,)),
    Input("owner", (SEATS,)),
    Input("passed", (SEATS,)),
    Input("out", (SEATS,)),
    Input("top", (WHO,)),
    Input("cards", (WHO, tuple(range(1, MOST_CARDS + 1)))),
    Input("unseen", (VALUES, (1, 2, 3, 4))),
    Input("play", None, 1),
    Input("left", (VALUES, (1, 2, 3, 4))),
    Input("plays_left", (tuple(range(1, MOST_CARDS + 1)),)),
    Input("calls", (BIDS,)),
    Input("bid", ((1, 2, 3), BIDS)),
    Input("landlord_won", ()),
    Input("landlord_acts", ((1, 2),)),
    Input("peasant_acts", ((1,),)),
    Input("tagged", (VALUES, TAGS, (1, 2, 3, 4))),
    Input("dealt", (PARTS, VALUES, (1, 2, 3, 4))),
)
"""What a table can tell the knowledge base; vocabulary.lp declares the same predicates and says what they mean."""

AXES = {declared.name: declared.domains for declared in INPUTS if declared.domains is not None}
"""The axes of each input as an array."""

OUTPUTS = (
    ("legal", 1), ("turn", 1), ("trick_over", 0), ("game_over", 0), ("may_bid", 1), ("bids_over", 0), ("landlord", 2),
    ("redeal", 0), ("doubled", 1), ("torn", 2), ("lonely", 2), ("consistent", 0), ("flawed", 1),
)  # fmt: skip
"""What the engine asks."""

FACTS = (
    ("label", 2), ("form", 2), ("kind", 2), ("needs", 3), ("kickers", 3), ("kicker", 3), ("apart", 1), ("misread", 3),
    ("tier", 2), ("strength", 2), ("doubles", 1), ("worth", 2), ("tags", 2), ("kicker_tag", 2), ("piece", 2),
    ("group", 3), ("price", 2), ("flaw", 3), ("tag_name", 3),
    ("points", 2), ("difficulty", 3), ("hand_size", 2), ("bottom_size", 1), ("pack", 2),
)  # fmt: skip
"""Facts that the engine reads."""

RULE_FILES = RuleFiles("doudizhu", "rlcard", INPUTS, OUTPUTS, FACTS)
