"""Check the names in arguments of inputs: an input about an unknown name would silently always be false.

Only declarations of the folder itself are checked, as common files and parents may name what the folder leaves out. A
constant argument must be known. An argument that comes from a variable may also be a card that the pack leaves out, or
an unknown label, if there is another one with its functor.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from abl_cards.asp import Atom, Diagnostic, Location, Signature, Term, make_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.argument_checks import suggest_nearest
from abl_cards.games.description.input_schema import InputArgument
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.known_names import KnownNames, TermShape, compute_shape
from abl_cards.games.description.source_origins import RuleHead, SourceOrigins


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
        entry = INPUTS.get(signature)
        for index, (term, sort) in enumerate(zip(arguments, entry.arguments if entry else (), strict=False)):
            if sort.find_terms is None or term in sort.find_terms(self._known):
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
        return any(sort.find_terms and term in sort.find_terms(other) for other in self._known.other_profiles)

    def _has_shape(self, sort: InputArgument, term: Term) -> bool:
        if sort.name not in self._shapes:
            terms = sort.find_terms(self._known) if sort.find_terms else ()
            self._shapes[sort.name] = set(map(compute_shape, terms))
        return isinstance(term, int) or compute_shape(term) in self._shapes[sort.name]
