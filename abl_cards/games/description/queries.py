"""Queries: the outputs that are evaluated together, and the groups of inputs that they are supplied with.

A rule that reads an input its query never supplies would silently be always false (or, under ``not``, always true), so
it is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abl_cards.asp import Diagnostic, Location, ProgramSummary, Signature, make_error
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.input_schema import INPUT_GROUPS, InputSchema, find_group

SEAT_INPUT_GROUPS = frozenset(
    {
        "hand",
        "size",
        "unseen",
        "gone",
        "sizes",
        "face",
        "trick",
        "seat",
        "acts",
        "fluents",
        "act",
        "lies",
        "laying",
        "leader",
        "stock",
        "drew",
        "drawn",
    }
)
"""Groups that a seat observes: its hand, the trick, and the fluents."""

TABLE_INPUT_GROUPS = frozenset(
    {"hands", "aside", "fluents", "act", "plays", "result", "lots", "acts", "lies", "laying", "leader"}
    | {"stock", "drew", "drawn", "left_over"}
)
"""Groups that the referee observes between plays."""


OPEN_HANDS_GROUP = "face"
"""Group of the cards of other hands that are visible."""

TRICK_GROUPS = frozenset({"lies", "laying", "leader", "taking"})
"""Groups that only games with tricks have."""

TAKES_SIGNATURE = Signature("takes", 1)
"""Output that games with tricks derive."""

STOCK_GROUPS = frozenset({"stock", "drew", "drawn", "left_over"})
"""Groups that only games with a stock have."""

DRAWS_SIGNATURE = Signature("draws", 1)
"""Output that games with a stock derive."""


@dataclass(frozen=True)
class QuerySpec:
    """Outputs that are evaluated together.

    Attributes:
        outputs: Names with arities, such as ``legal/1``.
        input_groups: Groups of columns that are supplied.
        purpose: Description for messages.
    """

    outputs: tuple[str, ...]
    input_groups: frozenset[str]
    purpose: str


HAND_OUTPUTS = ("has/4", "lacks/4", "has/3", "lacks/3", "has_now/4", "lacks_now/4", "has_now/3", "lacks_now/3")
"""Outputs about known cards of a hand: at the beginning of the play, and now."""

QUERY_SPECS: Mapping[str, QuerySpec] = {
    "play": QuerySpec(("legal/1", "move/1", "includes/1"), SEAT_INPUT_GROUPS, "what may be played"),
    "order": QuerySpec(("strength/2", "acts_as/2"), frozenset({"fluents"}), "the order of the plays"),
    "beats": QuerySpec(("beats/1",), frozenset({"fluents", "trick"}), "what beats what"),
    "course": QuerySpec(
        ("turn/1", "trick_over/0", "over/0"), frozenset({"act", "leader", "move", "fluents"}), "whose turn it is"
    ),
    "takes": QuerySpec(
        ("takes/1", "more/0"), frozenset({"act", "lies", "laying", "leader", "move", "fluents"}), "who takes a trick"
    ),
    "changes": QuerySpec(
        ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3"),
        TABLE_INPUT_GROUPS | {"event", "move"},
        "what is remembered, and where cards go",
    ),
    "control": QuerySpec(
        ("asks/2", "draws/1", "leads/1", "deal_again/0"), TABLE_INPUT_GROUPS, "who is asked, who draws, and who leads"
    ),
    "option": QuerySpec(("option/1",), SEAT_INPUT_GROUPS | {"event", "act"}, "what may be chosen"),
    "end": QuerySpec(
        ("points/3", "won/1", "drawn/0", "match_over/0"), TABLE_INPUT_GROUPS | {"event"}, "what an episode is worth"
    ),
    "roles": QuerySpec(
        ("role/2", "side/2"), TABLE_INPUT_GROUPS | {"event"}, "which part each seat has, and who is with whom"
    ),
    "preferences": QuerySpec(
        ("cost/2", "violated/1"),
        SEAT_INPUT_GROUPS | {"left", "move", "taking", "emptying", "choice", "estimate", "event"},
        "what a move costs",
    ),
    "hands": QuerySpec(HAND_OUTPUTS, frozenset({"fluents"}), "what is known of the hands"),
    "beliefs": QuerySpec(("belief/3",), frozenset({"shown", "size", "fluents"}), "what is believed of a hand"),
}  # fmt: skip
"""Specification of each query by its name."""


def find_unsupplied_inputs(kb: KnowledgeBase, schema: InputSchema, program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find inputs that rules read and that their query never supplies.

    Args:
        kb: Knowledge base of the game.
        schema: Numbering of the arguments of inputs.
        program: Summary of the rule files.

    Yields:
        A diagnostic for each query and input, at the first rule that reads the input for this query.
    """
    derived = set(kb.request.outputs) | {Signature("cost", 2), Signature("violated", 1)}
    absent = dict(_find_absent_groups(kb))
    for spec in QUERY_SPECS.values():
        signatures = [signature for signature in map(Signature.parse, spec.outputs) if signature in derived]
        if signatures:
            reachable = program.reachable_predicates(signatures)
            # The text is searched first, as compiling circuits is slow.
            if any(_is_unsupplied(schema, signature, spec, absent) for signature in reachable):
                yield from _check_query(kb.circuit(*map(str, signatures)), schema, program, spec, signatures, absent)


def _is_unsupplied(
    schema: InputSchema, signature: Signature, spec: QuerySpec, absent: Mapping[str, tuple[str, str]]
) -> bool:
    """Return True if a predicate is an input that a query does not supply."""
    group = "fluents" if signature in schema.fluents else INPUT_GROUPS.get(signature)
    return group is not None and (group in absent or group not in spec.input_groups)


def _find_absent_groups(kb: KnowledgeBase) -> Iterator[tuple[str, tuple[str, str]]]:
    """Find the groups that this game does not have, with the reason and a remedy."""
    if not kb.facts("open_hands", 0):
        yield OPEN_HANDS_GROUP, ("the hands of the others are hidden", "if they are visible, write open_hands.")
    if TAKES_SIGNATURE not in kb.request.outputs:
        for group in TRICK_GROUPS:
            yield group, ("no rule derives takes/1, so there are no tricks", "say who takes a trick: takes(S) :- …")
    if DRAWS_SIGNATURE not in kb.request.outputs:
        for group in STOCK_GROUPS:
            yield group, ("no rule derives draws/1, so all cards are dealt at once", "say who draws: draws(S) :- …")


def _check_query(
    circuit: Circuit,
    schema: InputSchema,
    program: ProgramSummary,
    spec: QuerySpec,
    outputs: list[Signature],
    absent: Mapping[str, tuple[str, str]],
) -> Iterator[Diagnostic]:
    read_signatures = dict.fromkeys(Signature(name, len(arguments)) for name, arguments in circuit.inputs)
    for signature in read_signatures:
        group = find_group(schema, signature)
        if group in absent:
            reason, remedy = absent[group]
            location = find_read_location(program, signature, outputs)
            message = f"'{signature}' is not supplied: {reason}"
            yield make_error(location, message, remedy, ErrorCode.UNSUPPLIED_INPUT)
        elif group not in spec.input_groups:
            known = [name for name, other in QUERY_SPECS.items() if group in other.input_groups]
            yield make_error(
                find_read_location(program, signature, outputs),
                f"'{signature}' is not supplied to rules about {spec.purpose} ({', '.join(map(str, outputs))})",
                f"it is supplied to: {', '.join(known)}; see docs/reference/predicates.md",
                ErrorCode.UNSUPPLIED_INPUT,
            )


def find_read_location(program: ProgramSummary, signature: Signature, outputs: list[Signature]) -> Location | None:
    """Find the first rule that reads a predicate and that some outputs depend on.

    Args:
        program: Summary of the rule files.
        signature: Predicate that is read.
        outputs: Outputs of a query.

    Returns:
        Location of the literal; None if there is no such rule.
    """
    reached = program.reachable_predicates(outputs)
    locations = [use.location for head, use in program.reads if head in reached and use.signature == signature]
    return min(locations, default=None)
