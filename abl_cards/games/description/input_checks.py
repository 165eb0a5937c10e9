"""Check the names in arguments of inputs: an input about an unknown name would silently always be false.

Only declarations and rules of the folder itself are checked, as common files and parents may name what the folder
leaves out. A constant argument must be known. An argument that comes from a variable may also be a card that the pack
leaves out, or an unknown label, if there is another one with its functor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from abl_cards.asp import Atom, Diagnostic, Location, PredicateUse, Signature, Term, make_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.argument_checks import suggest_nearest
from abl_cards.games.description.input_schema import InputArgument, RuleInput, card_term
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.known_names import KnownNames, TermShape, compute_shape
from abl_cards.games.description.source_origins import SourceOrigins


def find_wrong_inputs(known: KnownNames) -> Iterator[Diagnostic]:
    """Find inputs that the folder itself declares or reads with an argument that is unknown in all profiles.

    Args:
        known: Names of the game.

    Yields:
        A diagnostic for each wrong declaration, and for each wrong literal of a rule.
    """
    checker = _InputChecker(known)
    for atom in known.kb.input_atoms:
        if (problem := checker.find_problem(atom)) is not None:
            yield problem
    for use in known.program.bodies:
        if (problem := checker.find_problem_of_literal(use)) is not None:
            yield problem


class _Argument(NamedTuple):
    """Argument of an input, or two that are the rank and the suit of a card."""

    place: int
    sort: InputArgument
    terms: tuple[Term, ...]

    @property
    def term(self) -> Term:
        """Name that the arguments stand for."""
        return card_term(*self.terms) if len(self.terms) > 1 else self.terms[0]


class _InputChecker:
    """Checks of the inputs of one game."""

    def __init__(self, known: KnownNames) -> None:
        self._known = known
        self._reported: set[tuple[Location, Term | None]] = set()  # None for a term of a variable
        self._shapes: dict[str, set[TermShape]] = {}

    @cached_property
    def _origins(self) -> SourceOrigins:
        return SourceOrigins(self._known)

    def find_problem(self, atom: Atom) -> Diagnostic | None:
        """Return the problem of an input; None if there is none, or it was reported for the same location and term."""
        name, arguments = atom
        signature = Signature(name, len(arguments))
        for argument in self._find_unknown(signature, arguments):
            head = self._origins.find_declaration(signature, arguments)
            if head is None:
                continue
            end = argument.place + len(argument.terms)
            is_constant = [*map(str, head.terms[argument.place : end])] == [*map(str, argument.terms)]
            if not is_constant and self._may_be_left_out(signature, argument):
                continue
            if self._has_other_profile(argument):
                continue
            if (reported := (head.location, argument.term if is_constant else None)) in self._reported:
                continue
            self._reported.add(reported)
            return self._make_error(head.arguments[argument.place], signature, arguments, argument)
        return None

    def find_problem_of_literal(self, use: PredicateUse) -> Diagnostic | None:
        """Return the problem of a literal with constant arguments in a rule of the folder itself; None without one."""
        for argument in self._find_unknown(use.signature, use.pattern):
            is_new = argument.term not in {term for _, term in self._reported}
            if is_new and self._origins.is_own(use.location.file) and not self._has_other_profile(argument):
                return self._make_error(use.location, use.signature, use.pattern, argument)
        return None

    def _find_unknown(self, signature: Signature, terms: Sequence[Term | None]) -> Iterator[_Argument]:
        """Find the arguments that are unknown in this profile; None stands for an argument that is not constant."""
        if signature in self._known.fluents or (entry := INPUTS.get(signature)) is None:
            return
        for argument in _list_arguments(entry, terms):
            if argument.sort.find_terms is not None and argument.term not in argument.sort.find_terms(self._known):
                yield argument

    def _has_other_profile(self, argument: _Argument) -> bool:
        """Return True if another profile knows the term."""
        find_terms = argument.sort.find_terms
        return find_terms is not None and any(
            argument.term in find_terms(other) for other in self._known.other_profiles
        )

    def _may_be_left_out(self, signature: Signature, argument: _Argument) -> bool:
        """Return True for an unknown term of a variable that goes over known ones as well."""
        if not argument.sort.allows_same_functor:
            return False
        if argument.term in self._known.cards:  # a card that acts as others; another instance may be a cell
            same = (atom for atom in self._known.kb.input_atoms if Signature(atom[0], len(atom[1])) == signature)
            return any(not [*self._find_unknown(signature, atom[1])] for atom in same)
        return self._has_shape(argument.sort, argument.term)

    def _make_error(
        self, location: Location, signature: Signature, terms: Sequence[Term | None], argument: _Argument
    ) -> Diagnostic:
        shown = ",".join("_" if term is None else str(term) for term in terms)
        text = f"{signature.name}({shown}): {argument.term} is no {argument.sort.name}, so the input is never true"
        assert argument.sort.find_terms is not None
        remedy = suggest_nearest(argument.term, argument.sort.find_terms(self._known)) or argument.sort.remedy
        return make_error(location, text, remedy, ErrorCode.UNKNOWN_NAME)

    def _has_shape(self, sort: InputArgument, term: Term) -> bool:
        if sort.name not in self._shapes:
            terms = sort.find_terms(self._known) if sort.find_terms else ()
            self._shapes[sort.name] = set(map(compute_shape, terms))
        return isinstance(term, int) or compute_shape(term) in self._shapes[sort.name]


def _list_arguments(entry: RuleInput, terms: Sequence[Term | None]) -> Iterator[_Argument]:
    """List the constant arguments of an input, those that are the rank and the suit of one card together."""
    card = entry.card_place
    for place, (sort, term) in enumerate(zip(entry.arguments, terms, strict=True)):
        parts = tuple(terms[place : place + 2]) if place == card else (term,)
        constants = tuple(part for part in parts if part is not None)
        if len(constants) == len(parts) and not (card is not None and place == card + 1):
            yield _Argument(place, sort, constants)
