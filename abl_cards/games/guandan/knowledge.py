"""The rule files of Guandan: where they are, and what crosses between them and Python.

Light on purpose: checking a knowledge base needs neither numba nor the engine.
"""

from __future__ import annotations

from pathlib import Path

from abl_cards.games.rule_files import RuleFiles
from abl_cards.logic import Input, KnowledgeBase

DEFAULT_PROFILE = "standard"

RANKS = tuple(range(2, 15))
VALUES = tuple(range(2, 17))
SEATS = tuple(range(4))
WHO = ("next", "partner", "previous")
SUITS_OF_CARDS = ("s", "h", "c", "d", "joker")

KINDS = ("single", "pair", "triple", "plate", "tube", "full_house", "straight", "bomb", "straight_flush", "joker_bomb")
"""What a seat has shown goes by the kind of play; bombs of all sizes are one kind there."""
STRENGTHS = tuple(range(18))

INPUTS = (
    Input("level", (RANKS,)),
    Input("held", (VALUES, tuple(range(1, 9)))),
    Input("held", (VALUES, SUITS_OF_CARDS, (1, 2))),
    Input("wild", ((1, 2),)),
    Input("leading", ()),
    Input("to_beat", None, 1),
    Input("top", (WHO,)),
    Input("cards", (WHO, tuple(range(1, 28)))),
    Input("unseen", (VALUES, tuple(range(1, 9)))),
    Input("unseen_wild", ((1, 2),)),
    Input("estimated", (WHO, VALUES, tuple(range(1, 9)))),
    Input("estimated_wild", (WHO, (1, 2))),
    Input("play", None, 1),
    Input("lays", None, 1),
    Input("left", (VALUES, tuple(range(1, 9)))),
    Input("left", (VALUES, SUITS_OF_CARDS, (1, 2))),
    Input("wild_left", ((1, 2),)),
    Input("plays_left", (tuple(range(1, 28)),)),
    Input("acted", (SEATS,)),
    Input("owner", (SEATS,)),
    Input("passed", (SEATS,)),
    Input("out", (SEATS,)),
    Input("finish", ((1, 2, 3, 4), SEATS)),
    Input("big_jokers", (SEATS, (1, 2))),
    Input("paid", (SEATS, VALUES)),
    Input("returned", (SEATS, VALUES, SUITS_OF_CARDS)),
    Input("received", (SEATS, VALUES, SUITS_OF_CARDS)),
    Input("shown", (SEATS,)),
    Input("laid", (KINDS, VALUES)),
    Input("led", (KINDS, STRENGTHS)),
    Input("passed_over", (KINDS, STRENGTHS)),
    Input("holding", (tuple(range(1, 29)),)),
    Input("standing", ((0, 1), RANKS)),
    Input("declarer", ((0, 1),)),
    Input("failures", ((0, 1), tuple(range(1, 9)))),
    Input("resets", (tuple(range(1, 100)),)),
)
"""What a table can tell the knowledge base; vocabulary.lp declares the same predicates and says what they mean."""

AXES = {declared.name: declared.domains for declared in INPUTS if declared.domains is not None}
"""The axes of each input as an array."""

OUTPUTS = (
    ("legal", 1), ("move", 1), ("strength", 2), ("turn", 1), ("trick_over", 0), ("episode_over", 0),
    ("payer", 2), ("refused", 0), ("tribute", 2), ("back", 2), ("gives", 2), ("leads", 1),
    ("next_standing", 2), ("next_declarer_is", 1), ("next_failures", 2), ("fallen", 1), ("match_won", 1),
    ("match_drawn", 0), ("has", 4), ("lacks", 4), ("belief", 3),
)  # fmt: skip
"""What the engine asks."""

FACTS = (
    ("label", 2), ("form", 2), ("kind", 2), ("needs", 4), ("natural", 3), ("wilds", 2), ("same_suit", 2),
    ("mixed_suits", 1), ("tier", 2), ("wild_suit", 1), ("base_level", 1),
)  # fmt: skip
"""Facts that the engine reads."""


PROMOTION = {
    "next_standing": ((0, 1), RANKS), "next_declarer_is": ((0, 1),), "next_failures": ((0, 1), tuple(range(1, 9))),
    "fallen": ((0, 1),), "match_won": ((0, 1),), "match_drawn": (),
}  # fmt: skip
"""What an episode's end leads to, with the axes of the answers."""

HANDS = dict.fromkeys(("has", "lacks"), (SEATS, VALUES, SUITS_OF_CARDS, (1, 2)))
"""What the tribute tells of the hands, with the axes of the answers."""


RULE_FILES = RuleFiles("guandan", DEFAULT_PROFILE, INPUTS, OUTPUTS, FACTS)
HOME = RULE_FILES.home


def load_kb(directory: Path | None = None, profile: str = DEFAULT_PROFILE, cache: bool = True) -> KnowledgeBase:
    """Load a knowledge base of Guandan; one from outside the package is grounded within bounds. Raises KBError."""
    return RULE_FILES.load(directory, profile, cache)
