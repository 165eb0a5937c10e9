"""Sorts of the arguments of predicates, such as a seat or a rank, from their values and ``sort/4`` facts."""

from __future__ import annotations

from collections.abc import Iterable

from abl_cards.asp import ArgumentTypes, Signature, Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.compiled.memoize import cache_per_game
from abl_cards.games.description import (
    CHECKED_SORTS,
    SET_VALUED,
    SINGLE_VALUED,
    parse_rank_and_suit,
    require_int,
)

_ARGUMENT_SORTS = {
    "rank/1": ("rank",), "suit/1": ("suit",), "card/2": ("rank", "suit"), "pack/2": ("rank", None),
    "copies/2": ("rank", None), "held/2": ("rank", None), "held/3": ("rank", "suit", None), "left/2": ("rank", None),
    "left/3": ("rank", "suit", None),
    "unseen/2": ("rank", None), "unseen/3": ("rank", "suit", None), "gone/2": ("rank", None),
    "gone/3": ("rank", "suit", None), "face_up/3": ("who", "rank", None), "face_up/4": ("who", "rank", "suit", None),
    "estimated/3": ("who", "rank", None), "estimated/4": ("who", "rank", "suit", None),
    "estimated_wild/2": ("who", None),
    "holds/3": ("seat", "rank", None), "holds/4": ("seat", "rank", "suit", None), "cards/2": ("who", None),
    "top/1": ("who",), "who/1": ("who",), "who/2": ("who", None), "seat/1": ("seat",), "next/2": ("seat", "seat"),
    "acted/1": ("seat",), "owner/1": ("seat",), "passed/1": ("seat",), "has_passed/1": ("seat",), "out/1": ("seat",),
    "finish/2": (None, "seat"), "stuck/2": ("seat", None), "by/1": ("seat",), "asked/1": ("seat",),
    "leads/1": ("seat",),
    "turn/1": ("seat",), "asks/2": (None, "seat"), "laid/2": (None, "rank"), "points/3": ("seat", None, None),
    "wild/1": (None,), "wild_left/1": (None,), "unseen_wild/1": (None,),
}  # fmt: skip


@cache_per_game
def argument_sorts(rules: CompiledGame) -> ArgumentTypes:
    """Return the types of the arguments of predicates.

    Args:
        rules: Compiled game.

    Returns:
        For each predicate of the vocabulary and each fluent, the type of each argument; None for untyped ones.

    Raises:
        KBError: A ``sort/4`` fact names an argument that the predicate does not have.
    """
    known: dict[Signature, tuple[str | None, ...]] = {
        Signature.parse(text): sorts for text, sorts in _ARGUMENT_SORTS.items()
    }
    sort_of = _SortInference(rules)
    for fluent in rules.fluents.fluents:
        columns = list(zip(*fluent.keys, strict=True)) if fluent.keys and fluent.keys[0] else []
        sorts = [sort_of(column) for column in columns]
        if fluent.value_type != SET_VALUED:
            sorts.append(sort_of(fluent.values) if fluent.value_type == SINGLE_VALUED else None)
        known[fluent.signature] = tuple(sorts)
    for name, arity, position, sort in rules.kb.facts("sort", 4):
        signature = Signature(str(name), require_int(arity, f"sort({name},…)"))
        argument_types = list(known.get(signature, (None,) * signature.arity))
        number = require_int(position, f"sort({name},{arity},…)")
        if not 1 <= number <= signature.arity:
            raise make_kb_error(
                f"sort({name},{arity},{position},{sort}): no such argument",
                "arguments are counted from 1",
                code=ErrorCode.INVALID_ARGUMENT,
            )
        if sort not in CHECKED_SORTS:
            argument_types[number - 1] = str(sort)
        elif argument_types[number - 1] in ("seat", "team"):
            argument_types[number - 1] = None
        known[signature] = tuple(argument_types)
    return known


class _SortInference:
    """Infer the sort of an argument from all its values."""

    def __init__(self, rules: CompiledGame) -> None:
        parts = [parse_rank_and_suit(kind) or (kind, None) for kind in rules.pack.kinds]
        self._seats, self._teams = set(range(rules.seating.seats)), set(rules.seating.teams)
        self._ranks, self._suits = {rank for rank, _ in parts}, {suit for _, suit in parts if suit is not None}
        self._kinds = set(rules.pack.kinds)

    def __call__(self, values: Iterable[Term]) -> str | None:
        """Return the sort; None for an argument of no known sort, or without values.

        A number is a seat or a team where the argument has the numbers of all seats or teams, and no others.
        """
        distinct = set(values)
        if not distinct:
            return None
        if distinct == self._seats:
            return "seat"
        for sort, terms in (("suit", self._suits), ("rank", self._ranks), ("card", self._kinds)):
            if distinct <= terms:
                return sort
        return "team" if distinct == self._teams else None
