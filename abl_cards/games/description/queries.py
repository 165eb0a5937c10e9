"""Which outputs are asked together, and what they are told: the one place where this is said.

A rule that reads what its question is never told would hold never, or always, without a word; so it is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abl_cards.asp import Diagnostic, Location, ProgramSummary, Signature, make_error
from abl_cards.circuit import Circuit, KnowledgeBase
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
"""What a seat sees: its hand, the trick, what everybody remembers."""

TABLE_INPUT_GROUPS = frozenset(
    {"hands", "aside", "fluents", "act", "plays", "result", "lots", "acts", "lies", "laying", "leader"}
    | {"stock", "drew", "drawn", "left_over"}
)
"""What the referee sees between plays."""


OPEN_HANDS_GROUP = "face"
"""What lies open of other hands."""

TRICK_GROUPS = frozenset({"lies", "laying", "leader", "taking"})
"""What there is where seats lay cards into tricks."""

TAKES_SIGNATURE = Signature("takes", 1)
"""The output that makes it such a game."""

STOCK_GROUPS = frozenset({"stock", "drew", "drawn", "left_over"})
"""What there is where cards are drawn one by one."""

DRAWS_SIGNATURE = Signature("draws", 1)
"""The output that makes it such a game."""


@dataclass(frozen=True)
class QuerySpec:
    """Outputs that are asked together."""

    outputs: tuple[str, ...]
    input_groups: frozenset[str]  # groups of columns
    purpose: str  # it decides


HAND_OUTPUTS = ("has/4", "lacks/4", "has/3", "lacks/3", "has_now/4", "lacks_now/4", "has_now/3", "lacks_now/3")
"""What may be known of a hand: as it was when the play began, and as it is now."""

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
"""By name."""


def find_unsupplied_inputs(kb: KnowledgeBase, schema: InputSchema, program: ProgramSummary) -> Iterator[Diagnostic]:
    """The inputs that a question reads and is never told, each at the first rule that reads it for this question."""
    derived = set(kb.request.outputs) | {Signature("cost", 2), Signature("violated", 1)}
    absent = dict(_find_absent_groups(kb))
    for question in QUERY_SPECS.values():
        outputs = [Signature.parse(name) for name in question.outputs]
        asked = [str(each) for each in outputs if each in derived]
        if asked:
            named = [Signature.parse(name) for name in asked]
            if any(
                _is_unsupplied(schema, each, question, absent) for each in program.reachable_predicates(named)
            ):  # by what the text says
                yield from _check_query(kb.circuit(*asked), schema, program, question, named, absent)


def _is_unsupplied(
    schema: InputSchema, signature: Signature, spec: QuerySpec, absent: Mapping[str, tuple[str, str]]
) -> bool:
    """Whether a predicate is an input that a question is not told."""
    group = "fluents" if signature in schema.fluents else INPUT_GROUPS.get(signature)
    return group is not None and (group in absent or group not in spec.input_groups)


def _find_absent_groups(kb: KnowledgeBase) -> Iterator[tuple[str, tuple[str, str]]]:
    """The groups that this game does not have: why, and what to write where it should."""
    if not kb.facts("open_hands", 0):
        yield OPEN_HANDS_GROUP, ("the hands of the others do not lie open", "where they do, write open_hands.")
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
    read = dict.fromkeys(Signature(name, len(arguments)) for name, arguments in circuit.inputs)
    for signature in read:
        group = find_group(schema, signature)
        if group in absent:
            why, remedy = absent[group]
            yield make_error(
                find_read_location(program, signature, outputs), f"'{signature}' is not known: {why}", remedy
            )
        elif group not in spec.input_groups:
            known = [name for name, other in QUERY_SPECS.items() if group in other.input_groups]
            yield make_error(
                find_read_location(program, signature, outputs),
                f"'{signature}' is not known where {spec.purpose} is asked ({', '.join(map(str, outputs))})",
                f"it is known to: {', '.join(known)}; see docs/reference/predicates.md",
            )


def find_read_location(program: ProgramSummary, signature: Signature, outputs: list[Signature]) -> Location | None:
    """Where a rule reads it on the way to some outputs."""
    reached = program.reachable_predicates(outputs)
    places = [use.location for head, use in program.reads if head in reached and use.signature == signature]
    return min(places, default=None)
