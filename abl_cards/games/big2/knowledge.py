"""The rule files of Big2: where they are, and what crosses between them and Python."""

from __future__ import annotations

from pathlib import Path

import kb
from abl_cards.logic import Input, KnowledgeBase

HOME = Path(kb.__file__).parent / "big2"

RANKS = tuple(range(3, 16))
COUNTS = (1, 2, 3, 4)
SEATS = (0, 1)
MOST_CARDS = 26
CARDS = tuple(range(1, MOST_CARDS + 1))

INPUTS = (
    Input("held", (RANKS, COUNTS)),
    Input("leading", ()),
    Input("to_beat", None, 1),
    Input("acted", (SEATS,)),
    Input("owner", (SEATS,)),
    Input("passed", (SEATS,)),
    Input("out", (SEATS,)),
    Input("opposed", (RANKS, COUNTS)),
    Input("cards", (CARDS,)),
    Input("answered", ()),
    Input("play", None, 1),
    Input("lays", None, 1),
    Input("left", (RANKS, COUNTS)),
    Input("plays_left", (CARDS,)),
    Input("stuck", (SEATS, CARDS)),
)
"""What a table can tell the knowledge base; vocabulary.lp declares the same predicates and says what they mean."""

OUTPUTS = (
    ("legal", 1), ("move", 1), ("beats", 1), ("turn", 1), ("trick_over", 0), ("episode_over", 0), ("points", 3),
)  # fmt: skip
"""What the engine asks."""

FACTS = (("label", 2), ("form", 2), ("kind", 2), ("main", 2), ("needs", 4), ("kickers", 3), ("spare", 2), ("bomb", 1))
"""Facts that the engine reads."""


def load_kb(directory: Path | None = None, cache: bool = True) -> KnowledgeBase:
    """Load a knowledge base of Big2; one from outside the package is grounded within bounds. Raises KBError."""
    home = directory or HOME
    return KnowledgeBase.load(
        sorted(home.glob("*.lp")),
        inputs=INPUTS,
        outputs=(*OUTPUTS, *FACTS),
        trusted=directory is None or directory.resolve() == HOME.resolve(),
        cache=cache,
    )
