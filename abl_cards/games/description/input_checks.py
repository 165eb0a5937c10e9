"""Check the names in arguments of inputs: an input about an unknown name would silently always be false.

Only declarations of the folder itself are checked, as common files and parents may name what the folder leaves out. A
constant argument must be known. An argument that comes from a variable may also be a card that the pack leaves out, or
an unknown label, if there is another one with its functor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from abl_cards.asp import Atom, Diagnostic, Location, Signature, Term, make_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.argument_checks import suggest_nearest
from abl_cards.games.description.forms import generalise_kind
from abl_cards.games.description.input_schema import EVENTS
from abl_cards.games.description.known_names import KnownNames, TermShape, compute_shape
from abl_cards.games.description.source_origins import RuleHead, SourceOrigins


class InputArgument(NamedTuple):
    """Sort of an argument of an input."""

    name: str  # for messages
    find_terms: Callable[[KnownNames], Collection[Term]]  # returns the known terms
    remedy: str
    allows_same_functor: bool = False  # a variable may give unknown terms with the functor of a known one


def _find_cells(known: KnownNames) -> set[Term]:
    return known.card_terms | {"wild"}


def _find_lots(known: KnownNames) -> set[Term]:
    return {name for name, _ in known.kb.instances("lots", 2)}


_SEAT = InputArgument("seat", lambda known: known.seats, "seat/1 says which there are")
_RELATIVE_SEAT = InputArgument("name of another seat", lambda known: known.relative_seats, "who/2 says which there are")
_CELL = InputArgument("rank, suit or card", _find_cells, "pack/2 and acts_as/2 say which there are", True)
_CARD = InputArgument("card", lambda known: known.cards, "pack/2 says which there are", True)
_FORM = InputArgument("form", lambda known: known.forms, "form/2 says which there are", True)
_LABEL = InputArgument("label", lambda known: known.labels, "label/1 says which there are", True)
_KIND = InputArgument("kind", lambda known: set(map(generalise_kind, known.kinds)), "kind/2 says which there are", True)
_STAGE = InputArgument("stage", lambda known: known.stages, "asks/2 says which there are")
_OPTION = InputArgument("option", lambda known: known.options | known.cards, "option/1 says which there are", True)
_LOT = InputArgument("random number", _find_lots, "declare it by lots(Name,N)")
_EVENT = InputArgument("event", lambda known: EVENTS, f"there are: {', '.join(EVENTS)}")
_INPUTS_BY_ARGUMENTS: dict[tuple[InputArgument | None, ...], str] = {
    (_SEAT,): "asked/1 acted/1 owner/1 passed/1 has_passed/1 out/1 leader/1 by/1 drew/1",
    (_CELL, None): "held/2 unseen/2 gone/2 left/2 aside/2",
    (_CELL, _CELL, None): "held/3 unseen/3 gone/3 left/3 aside/3",
    (_RELATIVE_SEAT, None): "cards/2 estimated_wild/2",
    (_RELATIVE_SEAT,): "top/1",
    (_RELATIVE_SEAT, _CELL, None): "face_up/3 estimated/3",
    (_RELATIVE_SEAT, _CELL, _CELL, None): "face_up/4 estimated/4",
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
INPUT_ARGUMENTS: Mapping[Signature, tuple[InputArgument | None, ...]] = {
    Signature.parse(name): arguments for arguments, names in _INPUTS_BY_ARGUMENTS.items() for name in names.split()
}
"""Sorts of the arguments of each input; None for a number."""


def find_wrong_inputs(known: KnownNames) -> Iterator[Diagnostic]:
    """Find inputs that the folder itself declares with an argument that is unknown in all profiles.

    Args:
        known: Names of the game.

    Yields:
        A diagnostic for each wrong declaration.
    """
    checker = _InputChecker(known)
    for atom in known.kb.input_atoms:
        if (problem := checker.find_problem(atom)) is not None:
            yield problem


class _InputChecker:
    """Checks of the inputs of one game."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known
        self._reported: set[tuple[Location, Term]] = set()
        self._shapes: dict[str, set[TermShape]] = {}

    @cached_property
    def _origins(self) -> SourceOrigins:
        return SourceOrigins(self._known)

    def find_problem(self, atom: Atom) -> Diagnostic | None:
        """Return the problem of an input; None if there is none, or it was reported for the same location and term."""
        name, arguments = atom
        signature = Signature(name, len(arguments))
        if signature in self._known.fluents:
            return None
        for index, (term, sort) in enumerate(zip(arguments, INPUT_ARGUMENTS.get(signature, ()), strict=False)):
            if sort is None or term in sort.find_terms(self._known):
                continue
            head = self._origins.find_declaration(signature, arguments)
            if head is None or self._is_excused(head, index, term, sort) or (head.location, term) in self._reported:
                continue
            self._reported.add((head.location, term))
            text = f"{name}({','.join(map(str, arguments))}): {term} is no {sort.name}, so the input is never true"
            remedy = suggest_nearest(term, sort.find_terms(self._known)) or sort.remedy
            return make_error(head.arguments[index], text, remedy, ErrorCode.UNKNOWN_NAME)
        return None

    def _is_excused(self, head: RuleHead, index: int, term: Term, sort: InputArgument) -> bool:
        if sort.allows_same_functor and str(head.terms[index]) != str(term) and self._has_shape(sort, term):
            return True
        return any(term in sort.find_terms(other) for other in self._known.other_profiles)

    def _has_shape(self, sort: InputArgument, term: Term) -> bool:
        if sort.name not in self._shapes:
            self._shapes[sort.name] = set(map(compute_shape, sort.find_terms(self._known)))
        return isinstance(term, int) or compute_shape(term) in self._shapes[sort.name]
