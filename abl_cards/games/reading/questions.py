"""Which outputs are asked together, and what they are told: the one place where this is said.

A rule that reads what its question is never told would hold never, or always, without a word; so it is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abl_cards.games.telling.columns import GROUP_OF, Words, group_of
from abl_cards.logic import Circuit, KnowledgeBase, Location, Signature
from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.statements import Program

EYES = frozenset(
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

TABLE = frozenset(
    {"hands", "aside", "fluents", "act", "plays", "result", "lots", "acts", "lies", "laying", "leader"}
    | {"stock", "drew", "drawn", "left_over"}
)
"""What the referee sees between plays."""


FACE = "face"
"""What lies open of other hands."""

TRICKS = frozenset({"lies", "laying", "leader", "taking"})
"""What there is where seats lay cards into tricks."""

TAKES = Signature("takes", 1)
"""The output that makes it such a game."""

STOCK = frozenset({"stock", "drew", "drawn", "left_over"})
"""What there is where cards are drawn one by one."""

DRAWS = Signature("draws", 1)
"""The output that makes it such a game."""


@dataclass(frozen=True)
class Question:
    """Outputs that are asked together."""

    outputs: tuple[str, ...]
    told: frozenset[str]  # groups of columns
    what: str  # it decides


HANDS = ("has/4", "lacks/4", "has/3", "lacks/3", "has_now/4", "lacks_now/4", "has_now/3", "lacks_now/3")
"""What may be known of a hand: as it was when the play began, and as it is now."""

QUESTIONS: Mapping[str, Question] = {
    "play": Question(("legal/1", "move/1", "includes/1"), EYES, "what may be played"),
    "order": Question(("strength/2", "acts_as/2"), frozenset({"fluents"}), "the order of the plays"),
    "beats": Question(("beats/1",), frozenset({"fluents", "trick"}), "what beats what"),
    "course": Question(
        ("turn/1", "trick_over/0", "over/0"), frozenset({"act", "leader", "move", "fluents"}), "whose turn it is"
    ),
    "takes": Question(
        ("takes/1", "more/0"), frozenset({"act", "lies", "laying", "leader", "move", "fluents"}), "who takes a trick"
    ),
    "changes": Question(
        ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3"),
        TABLE | {"event", "move"},
        "what is remembered, and where cards go",
    ),
    "control": Question(
        ("asks/2", "draws/1", "leads/1", "deal_again/0"), TABLE, "who is asked, who draws, and who leads"
    ),
    "option": Question(("option/1",), EYES | {"event", "act"}, "what may be chosen"),
    "end": Question(("points/3", "won/1", "drawn/0", "match_over/0"), TABLE | {"event"}, "what an episode is worth"),
    "roles": Question(("role/2", "side/2"), TABLE | {"event"}, "which part each seat has, and who is with whom"),
    "preferences": Question(
        ("cost/2", "violated/1"), EYES | {"left", "move", "taking", "emptying", "choice", "estimate", "event"},
        "what a move costs",
    ),
    "hands": Question(HANDS, frozenset({"fluents"}), "what is known of the hands"),
    "beliefs": Question(("belief/3",), frozenset({"shown", "size", "fluents"}), "what is believed of a hand"),
}  # fmt: skip
"""By name."""


def unsupplied(kb: KnowledgeBase, words: Words, program: Program) -> Iterator[Diagnostic]:
    """The inputs that a question reads and is never told, each at the first rule that reads it for this question."""
    derived = set(kb.request.outputs) | {Signature("cost", 2), Signature("violated", 1)}
    absent = dict(_absent(kb))
    for question in QUESTIONS.values():
        outputs = [Signature.parse(name) for name in question.outputs]
        asked = [str(each) for each in outputs if each in derived]
        if asked:
            named = [Signature.parse(name) for name in asked]
            if any(_untold(words, each, question, absent) for each in program.reached(named)):  # by what the text says
                yield from _of(kb.circuit(*asked), words, program, question, named, absent)


def _untold(words: Words, signature: Signature, question: Question, absent: Mapping[str, tuple[str, str]]) -> bool:
    """Whether a predicate is an input that a question is not told."""
    group = "fluents" if signature in words.fluents else GROUP_OF.get(signature)
    return group is not None and (group in absent or group not in question.told)


def _absent(kb: KnowledgeBase) -> Iterator[tuple[str, tuple[str, str]]]:
    """The groups that this game does not have: why, and what to write where it should."""
    if not kb.facts("open_hands", 0):
        yield FACE, ("the hands of the others do not lie open", "where they do, write open_hands.")
    if TAKES not in kb.request.outputs:
        for group in TRICKS:
            yield group, ("no rule derives takes/1, so there are no tricks", "say who takes a trick: takes(S) :- …")
    if DRAWS not in kb.request.outputs:
        for group in STOCK:
            yield group, ("no rule derives draws/1, so all cards are dealt at once", "say who draws: draws(S) :- …")


def _of(
    circuit: Circuit,
    words: Words,
    program: Program,
    question: Question,
    outputs: list[Signature],
    absent: Mapping[str, tuple[str, str]],
) -> Iterator[Diagnostic]:
    read = dict.fromkeys(Signature(name, len(arguments)) for name, arguments in circuit.inputs)
    for signature in read:
        group = group_of(words, signature)
        if group in absent:
            why, remedy = absent[group]
            yield error(place_of(program, signature, outputs), f"'{signature}' is not known: {why}", remedy)
        elif group not in question.told:
            known = [name for name, other in QUESTIONS.items() if group in other.told]
            yield error(
                place_of(program, signature, outputs),
                f"'{signature}' is not known where {question.what} is asked ({', '.join(map(str, outputs))})",
                f"it is known to: {', '.join(known)}; see docs/knowledge-bases.md",
            )


def place_of(program: Program, signature: Signature, outputs: list[Signature]) -> Location | None:
    """Where a rule reads it on the way to some outputs."""
    reached = program.reached(outputs)
    places = [use.location for head, use in program.reads if head in reached and use.signature == signature]
    return min(places, default=None)
