"""Check what the arguments of inputs name: an input about something that there is not would silently be false for ever.

Declarations of common files and parents may speak of what a folder leaves out; those of the folder itself are checked.
An argument that is written as it is must be known. One that a variable gives may be a card that the pack leaves out, or
a label that no rule makes, as long as there is another of its functor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from abl_cards.games.reading.arguments import nearest
from abl_cards.games.reading.forms import kind_shown
from abl_cards.games.reading.known import Known, Shape, shape_of
from abl_cards.games.reading.origins import Head, Origins
from abl_cards.games.telling.columns import EVENTS
from abl_cards.logic import Atom, Location, Signature, Term
from abl_cards.logic.errors import Diagnostic, error


class Named(NamedTuple):
    """The things that an argument of an input names."""

    name: str
    names: Callable[[Known], Collection[Term]]
    remedy: str
    loose: bool = False  # a variable may give others of the same functor


def _cells(known: Known) -> set[Term]:
    return known.lettered | {"wild"}


def _lots(known: Known) -> set[Term]:
    return {name for name, _ in known.kb.instances("lots", 2)}


_SEAT = Named("seat", lambda known: known.seats, "seat/1 says which there are")
_WHO = Named("name of another seat", lambda known: known.who, "who/2 says which there are")
_CELL = Named("rank, suit or card", _cells, "pack/2 and acts_as/2 say which there are", True)
_CARD = Named("card", lambda known: known.cards, "pack/2 says which there are", True)
_FORM = Named("form", lambda known: known.forms, "form/2 says which there are", True)
_LABEL = Named("label", lambda known: known.labels, "label/1 says which there are", True)
_KIND = Named("kind", lambda known: set(map(kind_shown, known.kinds)), "kind/2 says which there are", True)
_STAGE = Named("stage", lambda known: known.stages, "asks/2 says which there are")
_OPTION = Named("option", lambda known: known.options | known.cards, "option/1 says which there are", True)
_LOT = Named("random number", _lots, "declare it by lots(Name,N)")
_EVENT = Named("event", lambda known: EVENTS, f"there are: {', '.join(EVENTS)}")
_ARGUMENTS: dict[tuple[Named | None, ...], str] = {
    (_SEAT,): "asked/1 acted/1 owner/1 passed/1 has_passed/1 out/1 leader/1 by/1 drew/1",
    (_CELL, None): "held/2 unseen/2 gone/2 left/2 aside/2",
    (_CELL, _CELL, None): "held/3 unseen/3 gone/3 left/3 aside/3",
    (_WHO, None): "cards/2 estimated_wild/2",
    (_WHO,): "top/1",
    (_WHO, _CELL, None): "face_up/3 estimated/3",
    (_WHO, _CELL, _CELL, None): "face_up/4 estimated/4",
    (_SEAT, _CELL, None): "holds/3 in_trick/3",
    (_SEAT, _CELL, _CELL, None): "holds/4 in_trick/4",
    (_SEAT, None): "in_trick/2 stuck/2 laid_down/2",
    (None, _SEAT): "finish/2",
    (_FORM,): "to_beat/1 lays/1",
    (_LABEL,): "play/1",
    (_OPTION,): "chooses/1 chosen/1",
    (_STAGE,): "stage/1",
    (_EVENT,): "event/1",
    (_LOT, None): "lot/2",
    (_CARD,): "drawn/1",
    (None, _CARD): "left_over/2",
    (_KIND, None): "laid/2 led/2 passed_over/2",
    (None,): "wild/1 holding/1 unseen_wild/1 gone_wild/1 wild_left/1 acts/1 plays_left/1 stock/1",
    (): "leading/0 taking/0",
}  # fmt: skip
ARGUMENTS: Mapping[Signature, tuple[Named | None, ...]] = {
    Signature.parse(name): arguments for arguments, names in _ARGUMENTS.items() for name in names.split()
}
"""By input, what each argument names; None for a number."""


def wrong_inputs(known: Known) -> Iterator[Diagnostic]:
    """Inputs of the folder itself, with an argument that names nothing by any profile."""
    check = _Check(known)
    for atom in known.kb.input_atoms:
        if (problem := check.problem(atom)) is not None:
            yield problem


class _Check:
    def __init__(self, known: Known) -> None:
        self._known = known
        self._said: set[tuple[Location, Term]] = set()
        self._shapes: dict[str, set[Shape]] = {}

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self._known)

    def problem(self, atom: Atom) -> Diagnostic | None:
        """What is wrong with an input; of several with the same name in the same place the first."""
        name, arguments = atom
        signature = Signature(name, len(arguments))
        if signature in self._known.fluents:
            return None
        for at, (term, named) in enumerate(zip(arguments, ARGUMENTS.get(signature, ()), strict=False)):
            if named is None or term in named.names(self._known):
                continue
            head = self._origins.declaring(signature, arguments)
            if head is None or self._excused(head, at, term, named) or (head.location, term) in self._said:
                continue
            self._said.add((head.location, term))
            text = f"{name}({','.join(map(str, arguments))}): {term} is no {named.name}, so the input is never true"
            return error(head.arguments[at], text, nearest(term, named.names(self._known)) or named.remedy)
        return None

    def _excused(self, head: Head, at: int, term: Term, named: Named) -> bool:
        if named.loose and str(head.terms[at]) != str(term) and self._has_shape(named, term):
            return True
        return any(term in named.names(other) for other in self._known.others)

    def _has_shape(self, named: Named, term: Term) -> bool:
        if named.name not in self._shapes:
            self._shapes[named.name] = set(map(shape_of, named.names(self._known)))
        return isinstance(term, int) or shape_of(term) in self._shapes[named.name]
