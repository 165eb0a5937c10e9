"""Words for what the preferences speak of, ranks, suits, strengths, seats, and for the plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abl_cards.games.guandan.wire import RANK_TEXT, wire_rank, wire_type
from abl_cards.games.naming import PASS, PlayName
from abl_cards.games.shapes import arguments, functor
from abl_cards.logic import Signature, Term
from abl_cards.logic.sorts import Sorts

_SORTS = {
    "rank/1": ("rank",), "value/1": ("rank",), "joker/1": ("rank",), "level/1": ("rank",), "suit/1": ("suit",),
    "held/2": ("rank", None), "held/3": ("rank", "suit", None), "left/2": ("rank", None),
    "left/3": ("rank", "suit", None), "unseen/2": ("rank", None), "copies/2": ("rank", None),
    "power/2": ("rank", "strength"), "strength/2": (None, "strength"), "bomb/2": ("rank", None),
    "straight_flush/2": ("rank", "suit"), "top/1": ("seat",), "cards/2": ("seat", None), "who/1": ("seat",),
    "estimated/3": ("seat", "rank", None), "estimated_wild/2": ("seat", None),
}  # fmt: skip
SORTS: Sorts = {Signature.parse(name): sorts for name, sorts in _SORTS.items()}
"""What the arguments of the vocabulary stand for; the rules hand it on."""

_SUITS = {
    "en": {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs", "joker": "jokers"},
    "zh": {"s": "黑桃", "h": "红桃", "d": "方块", "c": "梅花", "joker": "王"},
}
_SEATS = {
    "en": {"next": "the next seat", "partner": "the partner", "previous": "the previous seat"},
    "zh": {"next": "下家", "partner": "对家", "previous": "上家"},
}
_JOKERS = {"en": {15: "small joker", 16: "big joker"}, "zh": {15: "小王", 16: "大王"}}
_LEVEL = {"en": "the level card", "zh": "级牌"}


def spell(sort: str, value: Term, language: str) -> str:
    """An argument in a word.

    >>> spell("rank", 11, "en"), spell("suit", "h", "zh"), spell("strength", 15, "en")
    ('J', '红桃', 'the level card')
    """
    if sort == "suit":
        return _SUITS[language].get(str(value), str(value))
    if sort == "seat":
        return _SEATS[language].get(str(value), str(value))
    if not isinstance(value, int):
        return str(value)
    if sort == "strength" and value >= 15:  # the level card comes between the ace and the jokers
        return _LEVEL[language] if value == 15 else _JOKERS[language].get(value - 1, str(value))
    return _JOKERS[language].get(value) or RANK_TEXT.get(value, str(value))


_KINDS = {
    "single": "单张", "pair": "对子", "triple": "三张", "tube": "三连对", "plate": "钢板", "full_house": "三带二",
    "straight": "顺子", "bomb": "炸弹", "straight_flush": "同花顺", "joker_bomb": "天王炸", "pass": PASS,
    "tribute": "进贡", "back": "还贡",
}  # fmt: skip
_RUNS = ("tube", "plate", "straight", "straight_flush")


def name(label: str) -> PlayName:
    """What Chinese players call a label.

    >>> str(name("full_house(14)")), str(name("straight(3)")), str(name("bomb(4,5)"))
    ('三带二A', '顺子3起', '炸弹4（5张）')
    """
    kind, numbers = functor(label), arguments(label)
    called = _KINDS.get(kind, kind)
    if not numbers:
        return PlayName(called)
    count = f"（{numbers[1]}张）" if len(numbers) > 1 else ""
    return PlayName(called, spell("rank", numbers[0], "zh"), "起" if kind in _RUNS else count)


_OF_WIRE = {wire_type(kind): called for kind, called in reversed(_KINDS.items())}
_JOKERS_OF_WIRE = {RANK_TEXT[value]: word for value, word in _JOKERS["zh"].items()}


def wire_text(action: Sequence[Any], language: str) -> str:
    """An action of the protocol as it is spoken of.

    >>> wire_text(["Pair", "R", ["HR", "HR"]], "zh"), wire_text(["Pair", "4", ["H4", "C4"]], "en")
    ('对子大王 HR HR', 'Pair 4 H4 C4')
    """
    kind, rank, cards = action
    if language != "zh":
        return " ".join([kind, rank, *cards])
    if rank == wire_rank("joker_bomb"):
        return " ".join([_KINDS["joker_bomb"], *cards])
    return " ".join([f"{_OF_WIRE.get(kind, kind)}{_JOKERS_OF_WIRE.get(rank, rank)}", *cards])
