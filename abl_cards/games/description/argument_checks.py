"""Check every argument of facts and outputs against the declaration of what it names (fact_schema.py).

The engine ignores a fact about something that there is not, and indexes arrays by what outputs name. So an instance
that names nothing is an error at its place, whether it ever holds or not; a fact of a common file or of a parent may
speak of what a game leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from abl_cards.asp import Diagnostic, KBError, Signature, Term, did_you_mean, make_error
from abl_cards.games.description.argument_sorts import ANY, SORTS_BY_NAME, ArgumentSort
from abl_cards.games.description.fact_schema import FOREIGN_KEYS, PREDICATE_SORTS, STATIC_PREDICATES, ArgumentSorts
from abl_cards.games.description.known_names import OBSERVATION_PARTS, KnownNames, compute_shape
from abl_cards.games.description.source_origins import SourceOrigins

MAX_ERRORS = 50
"""Errors; each is looked for in the text."""

Instance = tuple[Term, ...]
Problem = tuple[str, str]
"""What is wrong, and what to do."""


def check_arguments(known: KnownNames, schema: Mapping[Signature, ArgumentSorts] = PREDICATE_SORTS) -> None:
    """Raise KBError for facts and outputs with an argument that is none of its sort."""
    found = find_wrong_arguments(known, schema)
    shown = [problem for problem, _ in zip(found, range(MAX_ERRORS), strict=False)]
    if shown:
        raise KBError(shown)


def find_wrong_arguments(known: KnownNames, schema: Mapping[Signature, ArgumentSorts]) -> Iterator[Diagnostic]:
    """What is wrong with instances of declared predicates, and with those that ``sort/4`` speaks of."""
    check = _ArgumentChecker(known)
    for signature, sorts in schema.items():
        if not check.is_unrelated(signature, sorts):
            yield from check.find_conditional(signature)
            yield from check.find_wrong(signature, sorts)
    for signature, places in _sorts_by_signature(known).items():
        if signature not in schema and tuple(signature) in known.predicates:
            yield from check.find_wrong(signature, tuple(places.get(place, ANY) for place in range(signature.arity)))


def _sorts_by_signature(known: KnownNames) -> dict[Signature, dict[int, ArgumentSort]]:
    """The arguments that ``sort/4`` gives a sort of the vocabulary."""
    found: dict[Signature, dict[int, ArgumentSort]] = {}
    for name, arity, place, sort in known.kb.facts("sort", 4):
        if sort in SORTS_BY_NAME and isinstance(arity, int) and isinstance(place, int) and 1 <= place <= arity:
            found.setdefault(Signature(str(name), arity), {})[place - 1] = SORTS_BY_NAME[sort]
    return found


class _ArgumentChecker:
    """The checks of one game; what is wrong is looked for in the text only where something is."""

    def __init__(self, known: KnownNames) -> None:
        self._known, self._kb = known, known.kb

    @cached_property
    def _origins(self) -> SourceOrigins:
        return SourceOrigins(self._known)

    def is_unrelated(self, signature: Signature, sorts: ArgumentSorts) -> bool:
        """Whether the rules use the name of a fact for something else: none is a fact, or would name anything."""
        instances = self._kb.instances(*signature) if signature in STATIC_PREDICATES else []
        if not instances or self._kb.facts(*signature):
            return False
        read = any(use.signature == signature for use in self._known.program.bodies)
        return read and not any(
            all(_admits(sort, self._known, term) for term, sort in zip(each, sorts, strict=True)) for each in instances
        )

    def find_conditional(self, signature: Signature) -> Iterator[Diagnostic]:
        """Instances of a fact that depend on inputs: nobody reads them."""
        instances = self._kb.instances(*signature) if signature in STATIC_PREDICATES else []
        facts = self._kb.facts(*signature) if instances else []
        if len(instances) != len(facts):
            held = set(facts)
            example = next(each for each in instances if each not in held)
            where = self._origins.find_location(signature, example, None)
            text = f"{_format_instance(signature, example)} depends on inputs, and {signature} is read once, as a fact"
            yield make_error(where, text, "let no input decide it, or rename a predicate of your own")

    def find_wrong(self, signature: Signature, sorts: ArgumentSorts) -> Iterator[Diagnostic]:
        """Instances with an argument that is none of its sort."""
        instances = self._kb.instances(*signature)
        if not instances:
            return
        wrong: dict[int, set[Term]] = {}
        for place, (column, sort) in enumerate(zip(zip(*instances, strict=True), sorts, strict=True)):
            strange = set(column).difference(sort.find_terms(self._known))
            if bad := {term for term in strange if not sort.is_accepted(self._known, term)}:
                wrong[place] = bad
        for instance in instances if wrong else ():
            at = next((place for place, bad in wrong.items() if instance[place] in bad), None)
            if at is not None:
                yield from self._report_argument(signature, instance, at, sorts[at])
        yield from self._find_wrong_combinations(signature, [each for each in instances if not _has_any(wrong, each)])

    def _report_argument(
        self, signature: Signature, instance: Instance, at: int, sort: ArgumentSort
    ) -> Iterator[Diagnostic]:
        term = instance[at]
        if sort.allows_left_out and not self._origins.is_fact(signature, instance) and self._has_shape(term):
            return
        if self._origins.is_inherited(signature, instance, at) or self._is_valid_in_other_profile(
            signature, instance, at, sort
        ):
            return
        problem, remedy = f"{term} is {sort.error_text}", sort.remedy
        if sort.explain:
            problem, remedy = sort.explain(self._known, term)
        where = self._origins.find_location(signature, instance, at)
        text = f"{_format_instance(signature, instance)}: {problem}"
        yield make_error(where, text, suggest_nearest(term, sort.find_terms(self._known)) or remedy)

    def _is_valid_in_other_profile(self, signature: Signature, instance: Instance, at: int, sort: ArgumentSort) -> bool:
        if not self._origins.is_shared_by_profiles(signature, instance):
            return False
        return any(_admits(sort, known, instance[at]) for known in self._known.other_profiles)

    def _has_shape(self, term: Term) -> bool:
        return compute_shape(term) in self._known.label_shapes

    def _find_wrong_combinations(self, signature: Signature, instances: Collection[Instance]) -> Iterator[Diagnostic]:
        """What is wrong with arguments that are right by themselves."""
        if signature not in FOREIGN_KEYS and signature not in _COMBINATION_CHECKS:
            return
        for instance in instances:
            problem = _combination_problem(self._known, signature, instance)
            if problem and not self._is_combination_excused(signature, instance):
                where = self._origins.find_location(signature, instance, None)
                yield make_error(where, f"{_format_instance(signature, instance)}: {problem[0]}", problem[1])

    def _is_combination_excused(self, signature: Signature, instance: Instance) -> bool:
        if self._origins.is_inherited(signature, instance, None):
            return True
        if not self._origins.is_shared_by_profiles(signature, instance):
            return False
        return any(_combination_problem(known, signature, instance) is None for known in self._known.other_profiles)


def _combination_problem(known: KnownNames, signature: Signature, instance: Instance) -> Problem | None:
    """What is wrong with arguments of a fact together, and what to do."""
    rule = FOREIGN_KEYS.get(signature)
    if rule and tuple(instance[place] for place in rule.arguments) not in known.argument_tuples(
        rule.target, rule.target_arguments
    ):
        return f"there is no {rule.target} of it", rule.remedy
    check = _COMBINATION_CHECKS.get(signature)
    return check(known, instance) if check else None


def _has_any(wrong: Mapping[int, Collection[Term]], instance: Instance) -> bool:
    return any(instance[place] in bad for place, bad in wrong.items())


def _admits(sort: ArgumentSort, known: KnownNames, term: Term) -> bool:
    return term in sort.find_terms(known) or sort.is_accepted(known, term)


def _check_observation_part(known: KnownNames, instance: Instance) -> Problem | None:
    _, part, *of = instance
    wanted = OBSERVATION_PARTS[str(part)]
    if not of:
        return (f"of which {wanted}?", f"write sees(…,{part},Name)") if wanted == "fluent" else None
    if not wanted:
        return "this part has no argument", f"write sees(…,{part})"
    if wanted == "number":
        return None if isinstance(of[0], int) and of[0] > 0 else ("no number of places", "write one from 1 on")
    if of[0] in known.fluent_names:
        return None
    return f"{of[0]} is no fluent", suggest_nearest(of[0], known.fluent_names) or "declare it by one, count or any"


def _check_sort(known: KnownNames, instance: Instance) -> Problem | None:
    name, arity, place, _ = instance
    if (name, arity) not in known.predicates | known.form_shapes and (name, arity) not in known.functors:
        there = sorted(other for each, other in known.predicates | known.functors if each == name)
        return f"there is no {name}/{arity}", f"there is {', '.join(f'{name}/{other}' for other in there)}"
    if isinstance(place, int) and isinstance(arity, int) and place > arity:
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
    return f"{term} is no {sort}", suggest_nearest(term, names) or f"write a {sort} of these rules"


_TERMS_BY_SORT = {
    "rank": lambda known: known.card_terms | known.card_arguments, "suit": lambda known: known.suits,
    "card": lambda known: known.cards, "seat": lambda known: known.seats, "who": lambda known: known.relative_seats,
    "fluent": lambda known: known.fluent_names, "stage": lambda known: known.stages,
    "option": lambda known: known.options, "role": lambda known: known.roles,
}  # fmt: skip
_COMBINATION_CHECKS = {
    Signature("sees", 2): _check_observation_part, Signature("sees", 3): _check_observation_part,
    Signature("sort", 4): _check_sort, Signature("private", 2): _check_fluent, Signature("word", 4): _check_word,
}  # fmt: skip


def suggest_nearest(term: Term, names: Collection[Term]) -> str:
    """The known name that is nearest to an unknown one, as ``did you mean 'straight(3)'?``; nothing where none is."""
    name, arity = compute_shape(term)
    shapes = {compute_shape(each) for each in names if isinstance(each, str)}
    if (name, arity) in shapes:
        return did_you_mean(
            str(term), [str(each) for each in names if compute_shape(each) == (name, arity)][:_MAX_NAMES]
        )
    meant = did_you_mean(name, [other for other, _ in shapes])
    if not meant or "(" not in str(term):
        return meant or did_you_mean(str(term), list(map(str, names))[:_MAX_NAMES])
    functor = meant.split("'")[1]
    spelled = f"{functor}{str(term)[len(name) :]}"
    if spelled in names:
        return f"did you mean '{spelled}'?"
    return did_you_mean(spelled, [str(each) for each in names if compute_shape(each)[0] == functor][:_MAX_NAMES])


_MAX_NAMES = 1000
"""Names among which the nearest is looked for: looking takes long."""


def _format_instance(signature: Signature, instance: Instance) -> str:
    return f"{signature.name}({','.join(map(str, instance))})" if instance else signature.name
