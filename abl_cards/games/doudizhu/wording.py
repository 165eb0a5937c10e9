"""Words for what the preferences speak of, ranks, parts, seats, and for the plays."""

from __future__ import annotations

from collections.abc import Mapping

from abl_cards.games.doudizhu.knowledge import VALUES
from abl_cards.games.doudizhu.rulebook import LETTERS
from abl_cards.games.naming import PASS, PlayName
from abl_cards.games.shapes import arguments, functor
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
_SIDES = {"en": {}, "zh": {"landlord": "地主", "peasants": "农民"}}  # those of results
_JOKERS = {"en": {16: "small joker", 17: "big joker"}, "zh": {16: "小王", 17: "大王"}}
_OF_SORT: Mapping[str, Mapping[str, Mapping[str, str]]] = {"seat": _SEATS, "part": _PARTS, "role": _SIDES}


def spell(sort: str, value: Term, language: str) -> str:
    """An argument in a word.

    >>> spell("rank", 15, "en"), spell("part", "up", "zh")
    ('2', '地主上家')
    """
    if sort in _OF_SORT:
        return _OF_SORT[sort][language].get(str(value), str(value))
    if not isinstance(value, int):
        return str(value)
    return _JOKERS[language].get(value) or (LETTERS[value - VALUES[0]] if value in VALUES else str(value))


_KINDS = {
    "single": "单张", "pair": "对子", "trio": "三张", "trio_single": "三带一", "trio_pair": "三带二",
    "single_chain": "顺子", "pair_chain": "连对", "trio_chain": "飞机",
    "plane_singles": "飞机带单", "plane_pairs": "飞机带对",
    "four_singles": "四带二", "four_pairs": "四带两对", "bomb": "炸弹", "rocket": "王炸", "pass": PASS,
    "shuttle": "航天飞机", "shuttle_singles": "航天飞机带单", "shuttle_pairs": "航天飞机带对", "bid": "叫分",
}  # fmt: skip


def name(label: str) -> PlayName:
    """What Chinese players call a label.

    >>> str(name("trio_single(14)")), str(name("single_chain(3,5)"))
    ('三带一A', '顺子3起（5连）')
    """
    kind, numbers = functor(label), arguments(label)
    called = _KINDS.get(kind, kind)
    if not numbers:
        return PlayName(called)
    return PlayName(called, spell("rank", numbers[0], "zh"), f"起（{numbers[1]}连）" if len(numbers) > 1 else "")
