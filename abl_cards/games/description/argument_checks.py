"""Check every argument of facts and outputs against its sort (fact_schema.py).

The engine ignores facts about unknown names, and indexes arrays by the names in outputs. So an instance with an unknown
name is an error at its location, even if it never holds. Facts of common files and of parents may contain names that a
game leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from abl_cards.asp import Atom, Diagnostic, KBError, Signature, Term, did_you_mean, make_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.argument_sorts import ANY, SORTS_BY_NAME, ArgumentSort
from abl_cards.games.description.fact_schema import FOREIGN_KEYS, PREDICATE_SORTS, STATIC_PREDICATES, ArgumentSorts
from abl_cards.games.description.forms import NO_PASS_REMEDY, PASS_TERM
from abl_cards.games.description.known_names import OBSERVATION_PARTS, KnownNames, compute_shape
from abl_cards.games.description.source_origins import SourceOrigins

MAX_ERRORS = 50
"""Maximum number of errors reported, as finding the location of each takes time."""

SINGLE_VALUED_FACTS = {
    Signature("says", 3): 2, Signature("preference", 2): 1, Signature("hint", 2): 1, Signature("word", 4): 3,
    Signature("called", 3): 1, Signature("called", 4): 1, Signature("recent", 1): 0,
    Signature("sees", 2): 1, Signature("strength", 2): 1, Signature("composes", 1): 0, Signature("hand_limit", 1): 0,
    Signature("order_of_sets", 1): 0, Signature("letter", 2): 1, Signature("word", 3): 2, Signature("written", 3): 1,
    Signature("sort", 4): 3,
}  # fmt: skip
"""Facts that are read as one value for each combination of their first arguments, and the number of these."""

_SEAT = Signature("seat", 1)
_LABEL, _NUMBERED_LABEL, _FORM = Signature("label", 1), Signature("label", 2), Signature("form", 2)
Instance = tuple[Term, ...]
Problem = tuple[str, str]
"""Message and remedy of a diagnostic."""


def check_arguments(known: KnownNames, schema: Mapping[Signature, ArgumentSorts] = PREDICATE_SORTS) -> None:
    """Check the arguments of facts and outputs.

    Args:
        known: Names of the game.
        schema: Sorts of the arguments of each predicate.

    Raises:
        KBError: An argument is not of its sort.
    """
    diagnostics = [
        diagnostic for diagnostic, _ in zip(find_wrong_arguments(known, schema), range(MAX_ERRORS), strict=False)
    ]
    if diagnostics:
        raise KBError(diagnostics)


def find_wrong_arguments(known: KnownNames, schema: Mapping[Signature, ArgumentSorts]) -> Iterator[Diagnostic]:
    """Find instances with wrong arguments, of the predicates of a schema and of those with ``sort/4``.

    Args:
        known: Names of the game.
        schema: Sorts of the arguments of each predicate.

    Yields:
        A diagnostic for each wrong instance.
    """
    checker = _ArgumentChecker(known)
    cause = checker.find_seat_gap() or checker.find_mixed_labels() or checker.find_missing_pass()
    if cause:  # what names seats, labels or the pass would be at fault as well
        yield cause
        return
    for signature, sorts in schema.items():
        if not checker.is_unrelated(signature, sorts):
            yield from checker.find_conditional(signature)
            yield from checker.find_wrong(signature, sorts)
    for signature, num_keys in SINGLE_VALUED_FACTS.items():
        yield from checker.find_conflicts(signature, num_keys)
    for signature, sorts_by_index in _sorts_by_signature(known).items():
        if signature not in schema and tuple(signature) in known.predicates:
            yield from checker.find_wrong(
                signature, tuple(sorts_by_index.get(index, ANY) for index in range(signature.arity))
            )


def _sorts_by_signature(known: KnownNames) -> dict[Signature, dict[int, ArgumentSort]]:
    """Return the sorts that ``sort/4`` gives to arguments, by the index of the argument from 0."""
    sorts: dict[Signature, dict[int, ArgumentSort]] = {}
    for name, arity, index, sort in known.kb.facts("sort", 4):
        if sort in SORTS_BY_NAME and isinstance(arity, int) and isinstance(index, int) and 1 <= index <= arity:
            sorts.setdefault(Signature(str(name), arity), {})[index - 1] = SORTS_BY_NAME[sort]
    return sorts


class _ArgumentChecker:
    """Checks of one game; the text is searched for locations only if something is wrong."""

    def __init__(self, known: KnownNames) -> None:
        self._known, self._kb = known, known.kb

    @cached_property
    def _origins(self) -> SourceOrigins:
        return SourceOrigins(self._known)

    def find_seat_gap(self) -> Diagnostic | None:
        """Return an error where seats are not numbered from 0 without gaps."""
        seats = self._known.seats
        numbers = sorted(seat for seat in seats if isinstance(seat, int) and seat >= 0)
        if len(numbers) < len(seats) or numbers == list(range(len(numbers))):
            return None
        location = self._origins.find_location(_SEAT, (numbers[-1],), None)
        message = f"seats are numbered from 0 without gaps; these are {', '.join(map(str, numbers))}"
        return make_error(location, message, f"write seat(0..{len(numbers) - 1})", ErrorCode.UNKNOWN_NAME)

    def find_mixed_labels(self) -> Diagnostic | None:
        """Return an error where some labels have numbers and others have none."""
        numbered = self._kb.facts(*_NUMBERED_LABEL)
        names = {label for _, label in numbered}
        unnumbered = [label for label in self._kb.facts(*_LABEL) if label[0] not in names] if numbered else []
        if not unnumbered:
            return None
        signature, label = (
            (_NUMBERED_LABEL, numbered[0]) if len(numbered) < len(unnumbered) else (_LABEL, unnumbered[0])
        )
        location = self._origins.find_location(signature, label, None)
        message = f"{Atom('label', unnumbered[0])} has no number, and {Atom('label', numbered[0])} has one"
        return make_error(location, message, "number all labels by label/2, or none", ErrorCode.CONFLICTING_FACTS)

    def find_missing_pass(self) -> Diagnostic | None:
        """Return an error where plays have forms and a pass has none."""
        forms = self._kb.instances(*_FORM)
        if not forms or PASS_TERM in self._known.forms:
            return None
        location = self._origins.find_location(_LABEL, (PASS_TERM,), None) or self._origins.find_location(
            _FORM, forms[0], None
        )
        return make_error(location, "there is no form of a pass", NO_PASS_REMEDY, ErrorCode.MISSING_FACT)

    def is_unrelated(self, signature: Signature, sorts: ArgumentSorts) -> bool:
        """Return True if the rules use the name of a fact for a predicate of their own: no instance fits the schema."""
        instances = self._kb.instances(*signature) if signature in STATIC_PREDICATES else []
        if not instances or self._kb.facts(*signature):
            return False
        is_read = any(use.signature == signature for use in self._known.program.bodies)
        return is_read and not any(
            all(_admits(sort, self._known, term) for term, sort in zip(instance, sorts, strict=True))
            for instance in instances
        )

    def find_conditional(self, signature: Signature) -> Iterator[Diagnostic]:
        """Find an instance of a fact that depends on inputs, which the engine would not read."""
        instances = self._kb.instances(*signature) if signature in STATIC_PREDICATES else []
        facts = self._kb.facts(*signature) if instances else []
        if len(instances) != len(facts):
            unconditional = set(facts)
            example = next(instance for instance in instances if instance not in unconditional)
            location = self._origins.find_location(signature, example, None)
            text = f"{Atom(signature.name, example)} depends on inputs, and {signature} is read once, as a fact"
            remedy = "let no input decide it, or rename a predicate of your own"
            yield make_error(location, text, remedy, ErrorCode.CONDITIONAL_FACT)

    def find_conflicts(self, signature: Signature, num_keys: int) -> Iterator[Diagnostic]:
        """Find facts that say something else than another one of their first arguments."""
        first: dict[Instance, Instance] = {}
        for instance in self._kb.facts(*signature):
            other = first.setdefault(instance[:num_keys], instance)
            if other[num_keys:] != instance[num_keys:]:
                location = self._origins.find_location(signature, instance, num_keys)
                text = f"{Atom(signature.name, instance)}: there is {Atom(signature.name, other)} too"
                yield make_error(location, text, "keep one of them", ErrorCode.CONFLICTING_FACTS)

    def find_wrong(self, signature: Signature, sorts: ArgumentSorts) -> Iterator[Diagnostic]:
        """Find instances with an argument that is not of its sort."""
        instances = self._kb.instances(*signature)
        if not instances:
            return
        wrong_terms: dict[int, set[Term]] = {}
        for index, (column, sort) in enumerate(zip(zip(*instances, strict=True), sorts, strict=True)):
            unlisted = set(column).difference(sort.find_terms(self._known))
            if rejected := {term for term in unlisted if not sort.is_accepted(self._known, term)}:
                wrong_terms[index] = rejected
        for instance in instances if wrong_terms else ():
            wrong_index = next((index for index, rejected in wrong_terms.items() if instance[index] in rejected), None)
            if wrong_index is not None:
                yield from self._report_argument(signature, instance, wrong_index, sorts[wrong_index])
        yield from self._find_wrong_combinations(
            signature, [candidate for candidate in instances if not _has_any(wrong_terms, candidate)]
        )

    def _report_argument(
        self, signature: Signature, instance: Instance, index: int, sort: ArgumentSort
    ) -> Iterator[Diagnostic]:
        term = instance[index]
        if sort.allows_left_out and not self._origins.is_fact(signature, instance) and self._has_shape(term):
            return
        if self._origins.is_inherited(signature, instance, index) or self._is_valid_in_other_profile(
            signature, instance, index, sort
        ):
            return
        problem, remedy = f"{term} is {sort.error_text}", sort.remedy
        if sort.explain:
            problem, remedy = sort.explain(self._known, term)
        location = self._origins.find_location(signature, instance, index)
        text = f"{Atom(signature.name, instance)}: {problem}"
        terms = sort.find_terms(self._known)
        code = ErrorCode.UNKNOWN_NAME if terms or sort.explain else ErrorCode.INVALID_ARGUMENT
        yield make_error(location, text, suggest_nearest(term, terms) or remedy, code)

    def _is_valid_in_other_profile(
        self, signature: Signature, instance: Instance, index: int, sort: ArgumentSort
    ) -> bool:
        if not self._origins.is_shared_by_profiles(signature, instance):
            return False
        return any(_admits(sort, known, instance[index]) for known in self._known.other_profiles)

    def _has_shape(self, term: Term) -> bool:
        return compute_shape(term) in self._known.label_shapes

    def _find_wrong_combinations(self, signature: Signature, instances: Collection[Instance]) -> Iterator[Diagnostic]:
        """Find instances whose arguments do not fit together."""
        if signature not in FOREIGN_KEYS and signature not in _COMBINATION_CHECKS:
            return
        for instance in instances:
            problem = _combination_problem(self._known, signature, instance)
            if problem and not self._is_combination_excused(signature, instance):
                location = self._origins.find_location(signature, instance, None)
                text = f"{Atom(signature.name, instance)}: {problem[0]}"
                code = ErrorCode.MISSING_FACT if signature in FOREIGN_KEYS else ErrorCode.INVALID_ARGUMENT
                yield make_error(location, text, problem[1], code)

    def _is_combination_excused(self, signature: Signature, instance: Instance) -> bool:
        if self._origins.is_inherited(signature, instance, None):
            return True
        if not self._origins.is_shared_by_profiles(signature, instance):
            return False
        return any(_combination_problem(known, signature, instance) is None for known in self._known.other_profiles)


def _combination_problem(known: KnownNames, signature: Signature, instance: Instance) -> Problem | None:
    """Describe arguments of a fact that do not fit together; None if they do."""
    foreign_key = FOREIGN_KEYS.get(signature)
    if foreign_key and tuple(instance[index] for index in foreign_key.arguments) not in known.argument_tuples(
        foreign_key.target, foreign_key.target_arguments
    ):
        return f"there is no {foreign_key.target} of it", foreign_key.remedy
    check = _COMBINATION_CHECKS.get(signature)
    return check(known, instance) if check else None


def _has_any(wrong_terms: Mapping[int, Collection[Term]], instance: Instance) -> bool:
    return any(instance[index] in terms for index, terms in wrong_terms.items())


def _admits(sort: ArgumentSort, known: KnownNames, term: Term) -> bool:
    return term in sort.find_terms(known) or sort.is_accepted(known, term)


def _check_observation_part(known: KnownNames, instance: Instance) -> Problem | None:
    _, part, *parameters = instance
    parameter_sort = OBSERVATION_PARTS[str(part)]
    if not parameters:
        missing = f"the name of a {parameter_sort} is missing", f"write sees(…,{part},Name)"
        return missing if parameter_sort == "fluent" else None
    if not parameter_sort:
        return "this part has no argument", f"write sees(…,{part})"
    parameter = parameters[0]
    if parameter_sort == "number":
        is_positive = isinstance(parameter, int) and parameter > 0
        return None if is_positive else ("no number of places", "write one from 1 on")
    if parameter in known.fluent_names:
        return None
    return f"{parameter} is no fluent", suggest_nearest(
        parameter, known.fluent_names
    ) or "declare it by one, count or any"


def _check_sort(known: KnownNames, instance: Instance) -> Problem | None:
    name, arity, index, _ = instance
    if (name, arity) not in known.predicates | known.form_shapes and (name, arity) not in known.functors:
        arities = sorted(
            known_arity for known_name, known_arity in known.predicates | known.functors if known_name == name
        )
        return (
            f"there is no {name}/{arity}",
            f"there is {', '.join(f'{name}/{known_arity}' for known_arity in arities)}",
        )
    if isinstance(index, int) and isinstance(arity, int) and index > arity:
        return "no such argument", "arguments are counted from 1"
    return None


def _check_fluent(known: KnownNames, instance: Instance) -> Problem | None:
    signature = Signature(str(instance[0]), int(instance[1]))
    if signature in known.fluents:
        return None
    return f"no fluent is {signature}", "write the number of arguments that it has"


def _check_word(known: KnownNames, instance: Instance) -> Problem | None:
    sort, term = instance[:2]
    names = _TERMS_BY_SORT[sort](known) if sort in _TERMS_BY_SORT else None
    if names is None or term in names:
        return None
    noun = "reason of points" if sort == "points" else sort
    return f"{term} is no {noun}", suggest_nearest(term, names) or f"write a {noun} of these rules"


_TERMS_BY_SORT = {
    "rank": lambda known: known.card_terms | known.card_arguments, "suit": lambda known: known.suits,
    "card": lambda known: known.cards, "seat": lambda known: known.seats, "who": lambda known: known.relative_seats,
    "fluent": lambda known: known.fluent_names, "stage": lambda known: known.stages,
    "option": lambda known: known.options, "role": lambda known: known.roles,
    "points": lambda known: known.reasons,
}  # fmt: skip
_COMBINATION_CHECKS = {
    Signature("sees", 2): _check_observation_part, Signature("sees", 3): _check_observation_part,
    Signature("sort", 4): _check_sort, Signature("private", 2): _check_fluent, Signature("word", 4): _check_word,
}  # fmt: skip


def suggest_nearest(term: Term, names: Collection[Term]) -> str:
    """Return a suggestion such as ``did you mean 'straight(3)'?`` for an unknown name; empty if no name is near."""
    name, arity = compute_shape(term)
    shapes = {compute_shape(known_term) for known_term in names if isinstance(known_term, str)}
    if (name, arity) in shapes:
        return did_you_mean(
            str(term),
            [str(known_term) for known_term in names if compute_shape(known_term) == (name, arity)][:_MAX_NAMES],
        )
    suggestion = did_you_mean(name, [known_name for known_name, _ in shapes])
    if not suggestion or "(" not in str(term):
        return suggestion or did_you_mean(str(term), list(map(str, names))[:_MAX_NAMES])
    functor = suggestion.split("'")[1]
    candidate = f"{functor}{str(term)[len(name) :]}"
    if candidate in names:
        return f"did you mean '{candidate}'?"
    return did_you_mean(
        candidate, [str(known_term) for known_term in names if compute_shape(known_term)[0] == functor][:_MAX_NAMES]
    )


_MAX_NAMES = 1000
"""Maximum number of names that are compared with an unknown one, as this is slow."""
