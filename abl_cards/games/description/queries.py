"""Queries: the outputs that are evaluated together, and the groups of inputs that they are supplied with.

A rule that reads an input its query never supplies would silently be always false (or, under ``not``, always true), so
it is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from abl_cards.asp import Diagnostic, Location, ProgramSummary, Signature, make_error
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.input_schema import InputSchema
from abl_cards.games.description.inputs import (
    DRAWS_SIGNATURE,
    GROUPS,
    TAKES_SIGNATURE,
    find_group,
    referee_groups,
    seat_groups,
)

OPEN_HANDS_GROUP, LEFT_OVER_GROUP = "face", "left_over"
"""Groups that not every game has: the cards of other hands that are visible, and those that nobody draws."""


@dataclass(frozen=True)
class QuerySpec:
    """Outputs that are evaluated together.

    Attributes:
        outputs: Names with arities, such as ``legal/1``.
        purpose: Description for messages.
        when: Description of the moments of evaluation, for the reference.
        groups: Groups of columns that are supplied, besides those of the observer.
        observer: Returns the groups that are observed, if a seat or the referee observes the state.
    """

    outputs: tuple[str, ...]
    purpose: str
    when: str
    groups: tuple[str, ...] = ()
    observer: Callable[[], frozenset[str]] = frozenset

    @property
    def input_groups(self) -> frozenset[str]:
        """Groups of columns that are supplied."""
        return self.observer().union(self.groups)


HAND_OUTPUTS = ("has/4", "lacks/4", "has/3", "lacks/3", "has_now/4", "lacks_now/4", "has_now/3", "lacks_now/3")
"""Outputs about known cards of a hand: at the beginning of the play, and now."""
KNOWS_ASIDE = "knows_aside/1"
"""Output about the cards that lie aside."""

QUERY_SPECS: Mapping[str, QuerySpec] = {
    "play": QuerySpec(
        ("legal/1", "move/1", "includes/1"), "what may be played", "at every play", observer=seat_groups
    ),
    "order": QuerySpec(("strength/2", "acts_as/2"), "the order of the plays", "once, in every context", ("fluents",)),
    "beats": QuerySpec(("beats/1",), "what beats what", "for responses", ("fluents", "trick")),
    "course": QuerySpec(
        ("turn/1", "trick_over/0", "over/0"), "whose turn it is",
        "in advance, about every trick there can be; after every act where they read fluents",
        ("fluents", "leader", "move", "act"),
    ),
    "takes": QuerySpec(
        ("takes/1", "more/0"), "who takes a trick", "after every play of a game of tricks",
        ("fluents", "move", "lies", "laying", "leader", "act"),
    ),
    "changes": QuerySpec(
        ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3"),
        "what is remembered, and where cards go", "at every event", ("move", "event"), referee_groups,
    ),
    "control": QuerySpec(
        ("asks/2", "draws/1", "leads/1", "deal_again/0"), "who is asked, who draws, and who leads",
        "when cards are dealt, and after every draw and choice", observer=referee_groups,
    ),
    "deal": QuerySpec(
        ("deals/2",), "how many cards are dealt", "when cards are dealt, before the event", ("fluents", "lots")
    ),
    "option": QuerySpec(
        ("option/1",), "what may be chosen", "at every choice", ("event",), seat_groups
    ),
    "end": QuerySpec(
        ("points/3", "won/1", "drawn/0", "match_over/0"), "what an episode is worth", "when an episode is over",
        ("event",), referee_groups,
    ),
    "roles": QuerySpec(
        ("role/2", "side/2"), "which part each seat has, and who is with whom", "for results", ("event",),
        referee_groups,
    ),
    "preferences": QuerySpec(
        ("cost/2", "violated/1"), "what a move costs", "for every move, and every choice",
        ("left", "move", "taking", "emptying", "choice", "estimate", "event"), seat_groups,
    ),
    "hands": QuerySpec((*HAND_OUTPUTS, KNOWS_ASIDE), "what is known of the hands", "at every play", ("fluents",)),
    "beliefs": QuerySpec(
        ("belief/3",), "what is believed of a hand", "at every play, for each other seat", ("fluents", "size", "shown")
    ),
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
    absent = dict(_find_absent_groups(kb, schema))
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
    group = find_group(schema, signature)
    return group is not None and (group in absent or group not in spec.input_groups)


def _find_absent_groups(kb: KnowledgeBase, schema: InputSchema) -> Iterator[tuple[str, tuple[str, str]]]:
    """Find the groups that this game does not have, with the reason and a remedy."""
    if not kb.facts("open_hands", 0):
        yield OPEN_HANDS_GROUP, ("the hands of the others are hidden", "if they are visible, write open_hands.")
    if not schema.num_undealt:
        remedy = "let deals/2 give fewer cards, and leave draw_pile out, with which all others are drawn"
        yield LEFT_OVER_GROUP, ("no card of the pack is left over", remedy)
    remedies = {
        TAKES_SIGNATURE: (
            "no rule derives takes/1, so seats play higher or pass",
            "where seats lay one play each, say who takes the trick: takes(S) :- …; where they play higher or pass, "
            "the cards of a trick are in_trick/3, and next(last(S)) :- event(play), acted(S) keeps who played last",
        ),
        DRAWS_SIGNATURE: ("no rule derives draws/1, so all cards are dealt at once", "say who draws: draws(S) :- …"),
    }
    for group in GROUPS.values():
        if group.requires is not None and group.requires not in kb.request.outputs:
            yield group.name, remedies[group.requires]


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
        group = find_group(schema, signature) or ""
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
