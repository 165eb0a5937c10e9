"""A Big2 table as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.games.big2.knowledge import FIRST, LETTERS, RANKS, SEATS
from abl_cards.games.big2.rulebook import Rules
from abl_cards.games.big2.tables import Tables
from abl_cards.games.big2.wire import hand_text
from abl_cards.games.naming import PASS, PlayName
from abl_cards.games.shapes import arguments
from abl_cards.logic import Signature, Term
from abl_cards.logic.sorts import Sorts

_NAMES = {1: "single", 2: "pair", 3: "triple", 4: "bomb"}


def label_text(label: str) -> str:
    """A label in words: what it is, its main rank, its length.

    >>> label_text("combo(7,5,1,0)"), label_text("combo(15,1,3,2)")
    ('single 7×5', 'triple+2 2')
    """
    numbers = [int(number) for number in arguments(label)]
    if len(numbers) != 4:
        return label
    tail, length, size, affiliation = numbers
    name = f"{_NAMES.get(size, size)}{f'+{affiliation}' if affiliation else ''}"
    return f"{name} {LETTERS[tail - FIRST]}{f'×{length}' if length > 1 else ''}"


_KINDS = {
    (1, 0): ("单张", "顺子"), (2, 0): ("对子", "连对"), (3, 0): ("三张", "飞机"), (3, 1): ("三带一", "飞机带单"),
    (3, 2): ("三带二", "飞机带对"), (4, 0): ("炸弹", "炸弹"),
}  # fmt: skip
_RANKS = "?A2" + LETTERS  # a run that begins below the 3 begins with A 2, or with 2


def name(label: str) -> PlayName:
    """What Chinese players call a label.

    >>> str(name("combo(7,5,1,0)")), str(name("combo(15,1,3,2)"))
    ('顺子3起（5连）', '三带二2')
    """
    numbers = [int(number) for number in arguments(label)]
    if len(numbers) != 4:
        return PlayName(PASS)
    tail, length, size, affiliation = numbers
    alone, run = _KINDS.get((size, affiliation), (label, label))
    if length == 1:
        return PlayName(alone, LETTERS[tail - FIRST])
    return PlayName(run, _RANKS[tail - length + 1], f"起（{length}连）")


def draw_table(rules: Rules, tables: Tables, table: int) -> str:
    """The hands, the play to beat, and the legal labels of the seat to decide."""
    lines = []
    for seat in SEATS:
        mark = ">" if seat == tables.seat[table] else " "
        hand = hand_text(tables.hands[table, seat])
        lines.append(f"{mark} seat {seat} ({len(hand):2}) {hand}")
    if tables.winner[table] != -1:
        return "\n".join([*lines, f"seat {tables.winner[table]} is out"])
    label = int(tables.to_beat[table])
    lines.append(f"to beat: {label_text(rules.labels[label])}" if label >= 0 else f"seat {tables.seat[table]} leads")
    legal = np.flatnonzero(tables.decisions(np.array([table])).legal[:, 0])
    by_type: dict[str, list[str]] = {}
    for index in legal:
        words = label_text(rules.labels[index]).split(" ", 1)
        by_type.setdefault(words[0], []).append(words[1] if len(words) > 1 else "")
    lines.append(f"{len(legal)} legal labels:")
    return "\n".join([*lines, *(f"  {kind:<9} {' '.join(ranks)}".rstrip() for kind, ranks in by_type.items())])


def draw_view(state: Mapping[str, Any], language: str = "en") -> str:
    """What a seat sees."""
    words = {"en": ("hand", "other hand", "to beat", "you lead"), "zh": ("手牌", "对方", "要压", "请出牌")}[language]
    other = f"{words[1]}: {state['other']}\n" if "other" in state else ""
    return f"{other}{words[0]}: {state['hand']}\n" + (
        f"{words[2]}: {state['to_beat']}" if state["to_beat"] else words[3]
    )


_SORTS = {
    "rank/1": ("rank",), "held/2": ("rank", None), "left/2": ("rank", None), "opposed/2": ("rank", None),
    "copies/2": ("rank", None), "main/2": (None, "rank"),
}  # fmt: skip
SORTS: Sorts = {Signature.parse(name): sorts for name, sorts in _SORTS.items()}
"""What the arguments of the vocabulary stand for; the rules hand it on."""


def spell(sort: str, value: Term, language: str) -> str:
    """An argument in a word.

    >>> spell("rank", 15, "en")
    '2'
    """
    if sort == "rank" and isinstance(value, int) and value in RANKS:
        return LETTERS[value - FIRST]
    return str(value)
