"""Schema of the facts and outputs that the engine reads: the sort of each of their arguments.

``loading.FACT_NAMES`` and ``loading.OUTPUT_NAMES`` list the names in these tables; ``argument_checks.py`` checks
folders against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from abl_cards.asp import Signature
from abl_cards.games.description.argument_sorts import (  # fmt: skip
    ANY,
    ARITY,
    CARD,
    CARD_COUNT,
    CARD_COUNT_OR_ZERO,
    CARD_TERM,
    CELL,
    CELL_OR_WILD,
    COPIES,
    COUNT_INSTANCE,
    DERIVED_TERM,
    FLUENT,
    FLUENT_INSTANCE,
    FORM,
    KIND,
    LABEL,
    LABEL_OR_CHOICE,
    LANGUAGE,
    LIFETIME,
    LOT,
    MAX_NUMBER,
    NUMBER,
    OPTION,
    ORDER_OF_SETS,
    PART,
    PLATFORM,
    PREDICATE,
    PREFERENCE,
    PROFILE,
    RANK,
    SEAT,
    SEAT_DISTANCE,
    SORT_NAME,
    SPELLING,
    STAGE,
    SUIT,
    TEAM,
    TEXT,
    WORDED_SORT_NAME,
    ArgumentSort,
    integer_range,
)

ArgumentSorts = tuple[ArgumentSort, ...]
MAX_COPIES, MAX_KICKERS, MAX_SEATS, MAX_ACTS, MAX_LOT_SIDES = 250, 15, 12, 256, 30_000
_NUM_GROUPS = integer_range(1, MAX_KICKERS, "no number of groups")
_NUM_GROUPS_OR_NONE = integer_range(0, MAX_KICKERS, "no number of groups")
_NON_NEGATIVE = integer_range(0, MAX_NUMBER, "no number that counts from 0")


def _parse_signatures(table: Mapping[str, ArgumentSorts]) -> dict[Signature, ArgumentSorts]:
    return {Signature.parse(name): sorts for name, sorts in table.items()}


FACTS = _parse_signatures({
    "pack/2": (ANY, integer_range(1, MAX_COPIES, "no number of copies")), "packs/1": (integer_range(1, MAX_COPIES),),
    "index/2": (CARD, _NON_NEGATIVE), "seat/1": (integer_range(0, MAX_SEATS - 1),), "next/2": (SEAT, SEAT),
    "member/2": (SEAT, TEAM), "who/2": (ANY, SEAT_DISTANCE), "deals/2": (SEAT, CARD_COUNT_OR_ZERO), "label/1": (ANY,),
    "label/2": (_NON_NEGATIVE, ANY), "order/2": (LABEL_OR_CHOICE, ANY), "form/2": (LABEL, ANY), "kind/2": (FORM, ANY),
    "needs/4": (FORM, NUMBER, CELL, CARD_COUNT), "natural/3": (FORM, CELL, CARD_COUNT_OR_ZERO),
    "wilds/2": (FORM, CARD_COUNT_OR_ZERO), "wilds/3": (FORM, CARD_COUNT_OR_ZERO, CARD_COUNT_OR_ZERO),
    "vacant/1": (ANY,), "same_suit/2": (FORM, SUIT), "mixed_suits/1": (FORM,),
    "only/3": (FORM, NUMBER, CARD), "kickers/3": (FORM, CARD_COUNT, CARD_COUNT),
    "kicker/3": (FORM, CELL, _NUM_GROUPS_OR_NONE), "kicker_pool/3": (ANY, CELL, _NUM_GROUPS),
    "uses_pool/2": (FORM, ANY), "excludes/2": (FORM, FORM), "misread/3": (FORM, CELL, _NUM_GROUPS), "apart/1": (FORM,),
    "tier/2": (KIND, _NON_NEGATIVE),
    "listed/2": (LABEL_OR_CHOICE, ANY), "letter/2": (CARD_TERM, SPELLING), "lasts/2": (FLUENT, LIFETIME),
    "order_of_sets/1": (ORDER_OF_SETS,), "leftover/2": (SEAT, NUMBER), "recent/1": (integer_range(1, MAX_ACTS),),
    "called/3": (LABEL_OR_CHOICE, ANY, ANY), "called/4": (LABEL_OR_CHOICE, ANY, ANY, ANY), "title/2": (LANGUAGE, TEXT),
    "title/3": (PROFILE, LANGUAGE, TEXT),
    "default_profile/1": (PROFILE,), "lots/2": (LOT, integer_range(1, MAX_LOT_SIDES)), "one/2": (FLUENT, ARITY),
    "count/2": (FLUENT, ARITY), "any/2": (FLUENT, ARITY), "hand_order/2": (SUIT, NUMBER), "parent/1": (ANY,),
    "replaces/1": (ANY,), "leaves_out/1": (ANY,), "sees/2": (NUMBER, PART), "sees/3": (NUMBER, PART, ANY),
    "secret/1": (STAGE,), "private/2": (FLUENT, ARITY), "worth/2": (CARD, NUMBER), "composes/1": (CARD_COUNT,),
    "partial/1": (FORM,), "open_hands/0": (), "draw_pile/0": (), "hand_limit/1": (CARD_COUNT,),
    "written/3": (LABEL_OR_CHOICE, ANY, ANY), "platform/1": (PLATFORM,),
    "plane/2": (ANY, CELL), "sort/4": (PREDICATE, _NON_NEGATIVE, integer_range(1, 100), SORT_NAME),
    "word/3": (DERIVED_TERM, LANGUAGE, TEXT), "word/4": (WORDED_SORT_NAME, DERIVED_TERM, LANGUAGE, TEXT),
    "init/1": (FLUENT_INSTANCE,),
})  # fmt: skip
"""Facts, which may not depend on inputs."""

PREFERENCE_FACTS = _parse_signatures({
    "preference/2": (ANY, ANY), "hint/2": (ANY, ANY), "says/3": (PREFERENCE, LANGUAGE, TEXT),
})  # fmt: skip
"""Facts of preferences and hints, which any knowledge base may have."""

OUTPUTS = _parse_signatures({
    "acts_as/2": (CARD, ANY), "legal/1": (LABEL,), "move/1": (FORM,), "includes/1": (CARD,), "strength/2": (FORM, ANY),
    "beats/1": (FORM,), "barred/1": (FORM,), "turn/1": (SEAT,), "trick_over/0": (), "over/0": (),
    "next/1": (FLUENT_INSTANCE,), "drop/1": (FLUENT_INSTANCE,), "adds/3": (COUNT_INSTANCE, NUMBER, ANY),
    "passes/3": (SEAT, SEAT, CARD), "takes_aside/1": (SEAT,), "lays_aside/2": (SEAT, CARD),
    "takes_back/3": (SEAT, CARD, COPIES), "deal_again/0": (), "asks/2": (ANY, SEAT), "draws/1": (SEAT,),
    "leads/1": (SEAT,), "option/1": (OPTION,), "points/3": (SEAT, NUMBER, ANY), "won/1": (TEAM,), "drawn/0": (),
    "match_over/0": (), "has/4": (SEAT, RANK, SUIT, COPIES), "lacks/4": (SEAT, RANK, SUIT, COPIES),
    "has/3": (SEAT, CARD, COPIES), "lacks/3": (SEAT, CARD, COPIES), "has_now/4": (SEAT, RANK, SUIT, COPIES),
    "lacks_now/4": (SEAT, RANK, SUIT, COPIES), "has_now/3": (SEAT, CARD, COPIES), "lacks_now/3": (SEAT, CARD, COPIES),
    "knows_aside/1": (SEAT,), "belief/3": (ANY, CELL_OR_WILD, NUMBER), "role/2": (SEAT, ANY), "side/2": (SEAT, TEAM),
    "takes/1": (SEAT,), "more/0": (),
})  # fmt: skip
"""Outputs, which may depend on inputs."""

_AUXILIARY_FACTS = _parse_signatures({
    "tags/2": (FORM, NUMBER), "kicker_tag/2": (NUMBER, NUMBER), "piece/2": (FORM, NUMBER),
    "group/3": (NUMBER, RANK, CARD_COUNT), "price/2": (FORM, NUMBER), "flaw/3": (ANY, LANGUAGE, TEXT),
    "tag_name/3": (NUMBER, LANGUAGE, TEXT), "group_points/2": (LABEL_OR_CHOICE, NUMBER),
    "difficulty/3": (_NON_NEGATIVE, LANGUAGE, TEXT), "hand_size/2": (ANY, CARD_COUNT_OR_ZERO),
    "bottom_size/1": (CARD_COUNT_OR_ZERO,),
})  # fmt: skip
AUXILIARY_PREDICATES = {**_AUXILIARY_FACTS, **_parse_signatures({
    "torn/2": (RANK, NUMBER), "lonely/2": (RANK, NUMBER), "consistent/0": (), "flawed/1": (ANY,),
})}  # fmt: skip
"""Facts and outputs of the subfolder science, which the engine does not read."""

CODEGEN_FACTS = _parse_signatures({"doubles/1": (FORM,)})
"""Facts that generators of programs for other platforms read; rules may derive them for their own use too."""

PREDICATE_SORTS: Mapping[Signature, ArgumentSorts] = {**FACTS, **PREFERENCE_FACTS, **OUTPUTS}
"""Sorts of the arguments of each fact and output, in the order of the reference."""

DEALS_SIGNATURE = Signature("deals", 2)
"""Fact that fluents and random numbers of the match may decide."""

STATIC_PREDICATES = frozenset({*FACTS, *PREFERENCE_FACTS, *_AUXILIARY_FACTS}) - {DEALS_SIGNATURE}
"""Predicates that are read once, so they may not depend on inputs."""

TEXT_FACTS = frozenset(map(Signature.parse, (
    "one/2", "count/2", "any/2", "title/2", "title/3", "default_profile/1", "platform/1", "parent/1", "replaces/1",
    "leaves_out/1",
)))  # fmt: skip
"""Facts that are read from the text before grounding: they have no body, and only plain names as arguments."""

VARIANT_FACTS = frozenset(map(Signature.parse, ("parent/1", "replaces/1", "leaves_out/1")))
"""Facts that are read in variant.lp only."""

FOLDER_FACTS = frozenset(map(Signature.parse, ("title/2", "title/3", "default_profile/1", "platform/1")))
"""Facts that belong to the folder, so no profile may contain them."""


class ForeignKey(NamedTuple):
    """Arguments of a fact that must also occur in another fact."""

    arguments: tuple[int, ...]  # indices of the arguments, from 0
    target: Signature  # the other fact
    target_arguments: tuple[int, ...]  # indices of its arguments, from 0
    remedy: str  # advice for a fact without a partner


FOREIGN_KEYS: Mapping[Signature, ForeignKey] = {
    Signature("only", 3): ForeignKey((0, 1), Signature("needs", 4), (0, 1), "write a place of needs/4"),
    Signature("natural", 3): ForeignKey((0, 1), Signature("needs", 4), (0, 2), "write a cell of needs/4"),
    Signature("misread", 3): ForeignKey((0,), Signature("kickers", 3), (0,), "say how many it carries: kickers/3"),
    Signature("kicker", 3): ForeignKey((0,), Signature("kickers", 3), (0,), "say how many it carries: kickers/3"),
    Signature("uses_pool", 2): ForeignKey((1,), Signature("kicker_pool", 3), (0,), "write its cells: kicker_pool/3"),
}
"""Foreign key of each fact that has one."""
