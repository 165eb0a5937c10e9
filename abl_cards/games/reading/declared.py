"""Every fact that the engine reads and every output that it asks for, and what each of their arguments names.

``loading.FACTS`` and ``loading.ASKED`` are the names of these tables; ``arguments.py`` checks folders against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from abl_cards.games.reading.sorts import (
    ANY,
    ARITY,
    CARD,
    CARDS,
    CELL,
    CELL_OR_WILD,
    COPIES,
    COUNTED,
    DISTANCE,
    FLUENT,
    FORM,
    HOLDS,
    KIND,
    LABEL,
    LANGUAGE,
    LARGEST,
    LETTERED,
    LOT,
    MATCH,
    NAMED,
    NUMBER,
    OPTION,
    ORDER_OF_SETS,
    PART,
    PLATFORM,
    PREDICATE,
    PROFILE,
    RANK,
    SEAT,
    SORT,
    SPELLING,
    SPOKEN,
    STAGE,
    SUIT,
    TEAM,
    TEXT,
    UP_TO_ALL,
    WORDED,
    WORDED_SORT,
    Sort,
    number,
)  # fmt: skip
from abl_cards.logic import Signature

Arguments = tuple[Sort, ...]
MOST_COPIES, MOST_KICKERS, MOST_SEATS, MOST_ACTS, MOST_SIDES = 250, 15, 12, 256, 30_000
_GROUPS = number(1, MOST_KICKERS, "no number of groups")
_COUNT = number(0, LARGEST, "no number that counts from 0")


def _signatures(table: Mapping[str, Arguments]) -> dict[Signature, Arguments]:
    return {Signature.parse(name): sorts for name, sorts in table.items()}


FACTS = _signatures({
    "pack/2": (ANY, number(1, MOST_COPIES, "no number of copies")), "packs/1": (number(1, MOST_COPIES),),
    "index/2": (CARD, _COUNT), "seat/1": (number(0, MOST_SEATS - 1),), "next/2": (SEAT, SEAT), "member/2": (SEAT, TEAM),
    "who/2": (ANY, DISTANCE), "deals/2": (SEAT, UP_TO_ALL), "label/1": (ANY,), "label/2": (_COUNT, ANY),
    "order/2": (NAMED, ANY), "form/2": (LABEL, ANY), "kind/2": (FORM, ANY), "needs/4": (FORM, NUMBER, CELL, CARDS),
    "natural/3": (FORM, CELL, UP_TO_ALL), "wilds/2": (FORM, UP_TO_ALL), "same_suit/2": (FORM, SUIT),
    "mixed_suits/1": (FORM,), "only/3": (FORM, NUMBER, CARD), "kickers/3": (FORM, CARDS, CARDS),
    "kicker/3": (FORM, CELL, _GROUPS), "misread/3": (FORM, CELL, _GROUPS), "apart/1": (FORM,), "tier/2": (KIND, _COUNT),
    "listed/2": (NAMED, ANY), "letter/2": (LETTERED, SPELLING), "lasts/2": (FLUENT, MATCH),
    "order_of_sets/1": (ORDER_OF_SETS,), "leftover/2": (SEAT, NUMBER), "recent/1": (number(1, MOST_ACTS),),
    "called/3": (NAMED, ANY, ANY), "called/4": (NAMED, ANY, ANY, ANY), "title/2": (LANGUAGE, TEXT),
    "default_profile/1": (PROFILE,), "lots/2": (LOT, number(1, MOST_SIDES)), "one/2": (FLUENT, ARITY),
    "count/2": (FLUENT, ARITY), "any/2": (FLUENT, ARITY), "hand_order/2": (SUIT, NUMBER), "parent/1": (ANY,),
    "replaces/1": (ANY,), "leaves_out/1": (ANY,), "sees/2": (NUMBER, PART), "sees/3": (NUMBER, PART, ANY),
    "secret/1": (STAGE,), "private/2": (FLUENT, ARITY), "worth/2": (CARD, NUMBER), "composes/1": (CARDS,),
    "partial/1": (FORM,), "open_hands/0": (), "written/3": (NAMED, ANY, ANY), "platform/1": (PLATFORM,),
    "plane/2": (ANY, CELL), "sort/4": (PREDICATE, _COUNT, number(1, 100), SORT), "word/3": (SPOKEN, LANGUAGE, TEXT),
    "word/4": (WORDED_SORT, SPOKEN, LANGUAGE, TEXT), "init/1": (HOLDS,),
})  # fmt: skip
"""Facts, which depend on no input."""

SENTENCES = _signatures({
    "preference/2": (ANY, ANY), "hint/2": (ANY, ANY), "says/3": (WORDED, LANGUAGE, TEXT),
})  # fmt: skip
"""Facts of preferences and hints, which every knowledge base may have."""

ASKED = _signatures({
    "acts_as/2": (CARD, ANY), "legal/1": (LABEL,), "move/1": (FORM,), "includes/1": (CARD,), "strength/2": (FORM, ANY),
    "beats/1": (FORM,), "barred/1": (FORM,), "turn/1": (SEAT,), "trick_over/0": (), "over/0": (), "next/1": (HOLDS,),
    "drop/1": (HOLDS,), "adds/3": (COUNTED, NUMBER, ANY), "passes/3": (SEAT, SEAT, CARD), "takes_aside/1": (SEAT,),
    "lays_aside/2": (SEAT, CARD), "takes_back/3": (SEAT, CARD, COPIES), "deal_again/0": (), "asks/2": (ANY, SEAT),
    "draws/1": (SEAT,), "leads/1": (SEAT,), "option/1": (OPTION,), "points/3": (SEAT, NUMBER, ANY), "won/1": (TEAM,),
    "drawn/0": (), "match_over/0": (), "has/4": (SEAT, RANK, SUIT, COPIES), "lacks/4": (SEAT, RANK, SUIT, COPIES),
    "has/3": (SEAT, CARD, COPIES), "lacks/3": (SEAT, CARD, COPIES), "has_now/4": (SEAT, RANK, SUIT, COPIES),
    "lacks_now/4": (SEAT, RANK, SUIT, COPIES), "has_now/3": (SEAT, CARD, COPIES), "lacks_now/3": (SEAT, CARD, COPIES),
    "belief/3": (ANY, CELL_OR_WILD, NUMBER), "role/2": (SEAT, ANY), "side/2": (SEAT, TEAM), "takes/1": (SEAT,),
    "more/0": (),
})  # fmt: skip
"""Outputs, which may depend on inputs."""

_FACTS_BESIDE = _signatures({
    "tags/2": (FORM, NUMBER), "kicker_tag/2": (NUMBER, NUMBER), "piece/2": (FORM, NUMBER),
    "group/3": (NUMBER, RANK, CARDS), "price/2": (FORM, NUMBER), "flaw/3": (ANY, LANGUAGE, TEXT),
    "tag_name/3": (NUMBER, LANGUAGE, TEXT), "group_points/2": (NAMED, NUMBER), "difficulty/3": (_COUNT, LANGUAGE, TEXT),
    "hand_size/2": (ANY, UP_TO_ALL), "bottom_size/1": (UP_TO_ALL,),
})  # fmt: skip
BESIDE = {**_FACTS_BESIDE, **_signatures({
    "torn/2": (RANK, NUMBER), "lonely/2": (RANK, NUMBER), "consistent/0": (), "flawed/1": (ANY,),
})}  # fmt: skip
"""Facts and outputs of the subfolder science, which others than the engine read."""

BY_PROGRAMS = _signatures({"doubles/1": (FORM,)})
"""Facts that programs for other platforms are made of; rules derive them for their own use."""

DECLARED: Mapping[Signature, Arguments] = {**FACTS, **SENTENCES, **ASKED}
"""By fact or output, in the order of the reference."""

NEVER_ASKED = frozenset({*FACTS, *SENTENCES, *_FACTS_BESIDE})
"""What is read once, and so may depend on no input."""

OF_THE_TEXT = frozenset(map(Signature.parse, (
    "one/2", "count/2", "any/2", "title/2", "default_profile/1", "platform/1", "parent/1", "replaces/1", "leaves_out/1",
)))  # fmt: skip
"""Facts that are read before anything is ground: without a body, and with plain names."""

OF_VARIANTS = frozenset(map(Signature.parse, ("parent/1", "replaces/1", "leaves_out/1")))
"""Facts that are read in variant.lp alone."""

OF_THE_FOLDER = frozenset(map(Signature.parse, ("title/2", "default_profile/1", "platform/1")))
"""Facts that are the same by every profile, so that no profile may say them."""


class Together(NamedTuple):
    """Arguments of a fact that another fact must have as well."""

    places: tuple[int, ...]
    other: Signature
    there: tuple[int, ...]
    remedy: str


TOGETHER: Mapping[Signature, Together] = {
    Signature("only", 3): Together((0, 1), Signature("needs", 4), (0, 1), "write a place of needs/4"),
    Signature("natural", 3): Together((0, 1), Signature("needs", 4), (0, 2), "write a cell of needs/4"),
    Signature("misread", 3): Together((0, 1), Signature("kicker", 3), (0, 1), "write a cell of kicker/3"),
    Signature("kicker", 3): Together((0,), Signature("kickers", 3), (0,), "say how many it carries: kickers/3"),
    Signature("kickers", 3): Together((0,), Signature("kicker", 3), (0,), "say which cells it carries: kicker/3"),
}
"""By fact."""
