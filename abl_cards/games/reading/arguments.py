"""What the arguments of outputs have to be: a seat, a card, a label, a form, a number.

The engine puts what it is told where seats and cards lie in arrays. So an instance that names none is an error, whether
it ever holds or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from abl_cards.games.reading.forms import Forms
from abl_cards.games.reading.pack import Pack
from abl_cards.logic import KBError, KnowledgeBase, Signature, Term
from abl_cards.logic.errors import Diagnostic, error
from abl_cards.logic.terms import parse_name

LARGEST = 1_000_000
"""Of points and counts, up or down: a match adds up many of them."""
MOST_RECENT = 256
"""Acts: every table keeps the cards of each."""
MOST_SIDES = 32_767
"""Of a random number: tables keep them in 16 bits."""
MOST_SHOWN = 20


@dataclass(frozen=True)
class Known:
    """What there is in a game."""

    seats: int
    pack: Pack
    forms: Forms
    choices: frozenset[Term]  # stages of choices, and what is chosen there

    @cached_property
    def nameable(self) -> frozenset[tuple[str, int]]:
        """Functor and arity of labels, of stages of choices, and of what is chosen there."""
        return frozenset(map(_shape, self.choices.union(self.forms.labels)))


@dataclass(frozen=True)
class Sort:
    """What an argument may be."""

    is_one: Callable[[Known, Term], bool]
    what: str  # a wrong one is not
    remedy: str


def _shape(term: Term) -> tuple[str, int]:
    name, arguments = parse_name(term)
    return name, len(arguments)


def _is_seat(known: Known, term: Term) -> bool:
    return isinstance(term, int) and 0 <= term < known.seats


SEAT = Sort(_is_seat, "no seat", "bind it by seat/1, and give seat(S) to each")
CARD = Sort(lambda known, term: term in known.pack.number, "no card", "bind it by pack/2")
LABEL = Sort(lambda known, term: term in known.forms.label_number, "no label", "bind it by label/1")
NAMED = Sort(
    lambda known, term: term in known.forms.label_number or _shape(term) in known.nameable, "no label",
    "bind it by label/1, or name a stage of asks/2 or an option/1",
)  # fmt: skip
"""A name waits for its label: rules that forbid sets of four need not forbid their name."""
FORM = Sort(lambda known, term: term in known.forms.number, "no form", "bind it by form/2")
NUMBER = Sort(
    lambda known, term: isinstance(term, int) and abs(term) <= LARGEST, "no number that counts",
    f"write one from -{LARGEST} to {LARGEST}",
)  # fmt: skip
COPIES = Sort(lambda known, term: isinstance(term, int) and term >= 1, "no number of copies", "write one from 1 on")
ACTS = Sort(
    lambda known, term: isinstance(term, int) and 1 <= term <= MOST_RECENT, "no number of acts",
    f"write one from 1 to {MOST_RECENT}: every table keeps so many",
)  # fmt: skip
SIDES = Sort(
    lambda known, term: isinstance(term, int) and 1 <= term <= MOST_SIDES, "no number of sides",
    f"write one from 1 to {MOST_SIDES}",
)  # fmt: skip
TEAM = Sort(
    lambda known, term: isinstance(term, int) and 0 <= term < known.seats, "no team", "number teams and sides from 0"
)
ANY = Sort(lambda known, term: True, "", "")

ARGUMENTS: Mapping[Signature, tuple[Sort, ...]] = {
    Signature.parse(name): sorts
    for name, sorts in {
        "turn/1": (SEAT,), "leads/1": (SEAT,), "asks/2": (ANY, SEAT), "takes_aside/1": (SEAT,),
        "draws/1": (SEAT,), "takes_back/3": (SEAT, CARD, COPIES), "has_now/3": (SEAT, CARD, COPIES),
        "lacks_now/3": (SEAT, CARD, COPIES), "has_now/4": (SEAT, ANY, ANY, COPIES),
        "lacks_now/4": (SEAT, ANY, ANY, COPIES),
        "recent/1": (ACTS,), "lots/2": (ANY, SIDES),
        "passes/3": (SEAT, SEAT, CARD), "lays_aside/2": (SEAT, CARD), "includes/1": (CARD,),
        "points/3": (SEAT, NUMBER, ANY), "adds/3": (ANY, NUMBER, ANY), "won/1": (TEAM,), "role/2": (SEAT, ANY),
        "side/2": (SEAT, TEAM), "has/3": (SEAT, CARD, COPIES), "lacks/3": (SEAT, CARD, COPIES),
        "has/4": (SEAT, ANY, ANY, COPIES), "lacks/4": (SEAT, ANY, ANY, COPIES), "member/2": (SEAT, TEAM),
        "next/2": (SEAT, SEAT), "deals/2": (SEAT, NUMBER), "leftover/2": (SEAT, NUMBER), "acts_as/2": (CARD, ANY),
        "legal/1": (LABEL,), "move/1": (FORM,), "beats/1": (FORM,), "strength/2": (FORM, ANY),
        "called/3": (NAMED, ANY, ANY), "called/4": (NAMED, ANY, ANY, ANY),
    }.items()
}  # fmt: skip
"""By output or fact."""


def check_arguments(kb: KnowledgeBase, seats: int, pack: Pack, forms: Forms) -> None:
    """Raises KBError for instances with an argument that is none of its sort, the first of each predicate."""
    wrong = list(_wrong(kb, Known(seats, pack, forms, _choices(kb))))
    if wrong:
        raise KBError(wrong[:MOST_SHOWN])


def _choices(kb: KnowledgeBase) -> frozenset[Term]:
    asked = (Signature("asks", 2), Signature("option", 1))
    return frozenset(arguments[0] for signature in asked for arguments in kb.instances(*signature))


def _wrong(kb: KnowledgeBase, known: Known) -> Iterator[Diagnostic]:
    for signature in sorted(set(kb.request.outputs) & set(ARGUMENTS)):
        sorts = ARGUMENTS[signature]
        for arguments in kb.instances(*signature):
            bad = [(term, sort) for term, sort in zip(arguments, sorts, strict=True) if not sort.is_one(known, term)]
            if bad:
                term, sort = bad[0]
                said = f"{signature.name}({','.join(map(str, arguments))}): {term} is {sort.what}"
                yield error(None, said, sort.remedy)
                break
