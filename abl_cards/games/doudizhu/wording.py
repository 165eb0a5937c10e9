"""Words for what the preferences speak of: ranks, parts, seats."""

from __future__ import annotations

from abl_cards.games.doudizhu.knowledge import VALUES
from abl_cards.games.doudizhu.rulebook import LETTERS
from abl_cards.logic import Signature, Term
from abl_cards.logic.sorts import Sorts

_SORTS = {
    "rank/1": ("rank",), "value/1": ("rank",), "joker/1": ("rank",), "chained/1": ("rank",), "held/2": ("rank", None),
    "left/2": ("rank", None), "unseen/2": ("rank", None), "copies/2": ("rank", None), "strength/2": (None, "rank"),
    "single/1": ("rank",), "pair/1": ("rank",), "bomb/1": ("rank",), "single_chain/2": ("rank", None),
    "pair_chain/2": ("rank", None), "trio_chain/2": ("rank", None), "top/1": ("seat",), "cards/2": ("seat", None),
    "who/1": ("seat",), "role/1": ("part",), "part/1": ("part",),
}  # fmt: skip
SORTS: Sorts = {Signature.parse(name): sorts for name, sorts in _SORTS.items()}
"""What the arguments of the vocabulary stand for; the rules hand it on."""

_SEATS = {
    "en": {"next": "the next seat", "previous": "the previous seat"},
    "zh": {"next": "下家", "previous": "上家"},
}
_PARTS = {
    "en": {
        "landlord": "the landlord",
        "down": "the peasant after the landlord",
        "up": "the peasant before the landlord",
    },
    "zh": {"landlord": "地主", "down": "地主下家", "up": "地主上家"},
}
_JOKERS = {"en": {16: "small joker", 17: "big joker"}, "zh": {16: "小王", 17: "大王"}}


def spell(sort: str, value: Term, language: str) -> str:
    """An argument in a word.

    >>> spell("rank", 15, "en"), spell("part", "up", "zh")
    ('2', '地主上家')
    """
    if sort in ("seat", "part"):
        return (_SEATS if sort == "seat" else _PARTS)[language].get(str(value), str(value))
    if not isinstance(value, int):
        return str(value)
    return _JOKERS[language].get(value) or (LETTERS[value - VALUES[0]] if value in VALUES else str(value))
