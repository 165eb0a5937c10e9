"""The rule files of Big2: what crosses between them and Python."""

from __future__ import annotations

from abl_cards.games.rule_files import RuleFiles
from abl_cards.logic import Input

RANKS = tuple(range(3, 16))
FIRST, RANK_COUNT = RANKS[0], len(RANKS)
LETTERS = "3456789TJQKA2"
"""The letter of each rank, low to high."""
COPIES = (1, 2, 3, 4)
SEATS = (0, 1)
MOST_CARDS = 26
CARDS = tuple(range(1, MOST_CARDS + 1))

INPUTS = (
    Input("held", (RANKS, COPIES)),
    Input("leading", ()),
    Input("to_beat", None, 1),
    Input("acted", (SEATS,)),
    Input("passed", (SEATS,)),
    Input("out", (SEATS,)),
    Input("opposed", (RANKS, COPIES)),
    Input("cards", (CARDS,)),
    Input("play", None, 1),
    Input("left", (RANKS, COPIES)),
    Input("plays_left", (CARDS,)),
    Input("stuck", (SEATS, CARDS)),
)
"""What a table can tell the knowledge base; vocabulary.lp declares the same predicates and says what they mean."""

AXES = {declared.name: declared.domains for declared in INPUTS if declared.domains is not None}
"""The axes of each input as an array."""

OUTPUTS = (
    ("legal", 1), ("move", 1), ("beats", 1), ("turn", 1), ("trick_over", 0), ("episode_over", 0), ("points", 3),
)  # fmt: skip
"""What the engine asks."""

FACTS = (("label", 2), ("form", 2), ("kind", 2), ("main", 2), ("needs", 4), ("kickers", 3), ("spare", 2), ("bomb", 1))
"""Facts that the engine reads."""

RULE_FILES = RuleFiles("big2", "paper", INPUTS, OUTPUTS, FACTS)
