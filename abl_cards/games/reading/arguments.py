"""Check every argument of facts and outputs against the declaration of what it names (declared.py).

The engine ignores a fact about something that there is not, and indexes arrays by what outputs name. So an instance
that names nothing is an error at its place, whether it ever holds or not; a fact of a common file or of a parent may
speak of what a game leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from abl_cards.games.reading.declared import DECLARED, NEVER_ASKED, TOGETHER, Arguments
from abl_cards.games.reading.known import PARTS, Known, shape_of
from abl_cards.games.reading.origins import Origins
from abl_cards.games.reading.sorts import ANY, BY_NAME, Sort
from abl_cards.logic import KBError, Signature, Term
from abl_cards.logic.errors import Diagnostic, error, suggestion

MOST_SHOWN = 50
"""Errors; each is looked for in the text."""

Instance = tuple[Term, ...]
Problem = tuple[str, str]
"""What is wrong, and what to do."""


def check_arguments(known: Known, declared: Mapping[Signature, Arguments] = DECLARED) -> None:
    """Raise KBError for facts and outputs with an argument that is none of its sort."""
    found = wrong_arguments(known, declared)
    shown = [problem for problem, _ in zip(found, range(MOST_SHOWN), strict=False)]
    if shown:
        raise KBError(shown)


def wrong_arguments(known: Known, declared: Mapping[Signature, Arguments]) -> Iterator[Diagnostic]:
    """What is wrong with instances of declared predicates, and with those that ``sort/4`` speaks of."""
    check = _Check(known)
    for signature, sorts in declared.items():
        if not check.is_of_its_own(signature, sorts):
            yield from check.conditional(signature)
            yield from check.of(signature, sorts)
    for signature, places in _by_sort(known).items():
        if signature not in declared and tuple(signature) in known.predicates:
            yield from check.of(signature, tuple(places.get(place, ANY) for place in range(signature.arity)))


def _by_sort(known: Known) -> dict[Signature, dict[int, Sort]]:
    """The arguments that ``sort/4`` gives a sort of the vocabulary."""
    found: dict[Signature, dict[int, Sort]] = {}
    for name, arity, place, sort in known.kb.facts("sort", 4):
        if sort in BY_NAME and isinstance(arity, int) and isinstance(place, int) and 1 <= place <= arity:
            found.setdefault(Signature(str(name), arity), {})[place - 1] = BY_NAME[sort]
    return found


class _Check:
    """The checks of one game; what is wrong is looked for in the text only where something is."""

    def __init__(self, known: Known) -> None:
        self._known, self._kb = known, known.kb

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self._known)

    def is_of_its_own(self, signature: Signature, sorts: Arguments) -> bool:
        """Whether the rules use the name of a fact for something else: none is a fact, or would name anything."""
        instances = self._kb.instances(*signature) if signature in NEVER_ASKED else []
        if not instances or self._kb.facts(*signature):
            return False
        read = any(use.signature == signature for use in self._known.program.bodies)
        return read and not any(
            all(_admits(sort, self._known, term) for term, sort in zip(each, sorts, strict=True)) for each in instances
        )

    def conditional(self, signature: Signature) -> Iterator[Diagnostic]:
        """Instances of a fact that depend on inputs: nobody reads them."""
        instances = self._kb.instances(*signature) if signature in NEVER_ASKED else []
        facts = self._kb.facts(*signature) if instances else []
        if len(instances) != len(facts):
            held = set(facts)
            example = next(each for each in instances if each not in held)
            where = self._origins.place(signature, example, None)
            text = f"{_text(signature, example)} depends on inputs, and {signature} is read once, as a fact"
            yield error(where, text, "let no input decide it, or rename a predicate of your own")

    def of(self, signature: Signature, sorts: Arguments) -> Iterator[Diagnostic]:
        """Instances with an argument that is none of its sort."""
        instances = self._kb.instances(*signature)
        if not instances:
            return
        wrong: dict[int, set[Term]] = {}
        for place, (column, sort) in enumerate(zip(zip(*instances, strict=True), sorts, strict=True)):
            strange = set(column).difference(sort.names(self._known))
            if bad := {term for term in strange if not sort.accepts(self._known, term)}:
                wrong[place] = bad
        for instance in instances if wrong else ():
            at = next((place for place, bad in wrong.items() if instance[place] in bad), None)
            if at is not None:
                yield from self._named(signature, instance, at, sorts[at])
        yield from self._in_context(signature, [each for each in instances if not _has_any(wrong, each)])

    def _named(self, signature: Signature, instance: Instance, at: int, sort: Sort) -> Iterator[Diagnostic]:
        term = instance[at]
        if sort.waits and not self._origins.is_fact(signature, instance) and self._has_shape(term):
            return
        if self._origins.excused(signature, instance, at) or self._of_another_profile(signature, instance, at, sort):
            return
        problem, remedy = f"{term} is {sort.wrong}", sort.remedy
        if sort.explain:
            problem, remedy = sort.explain(self._known, term)
        where = self._origins.place(signature, instance, at)
        text = f"{_text(signature, instance)}: {problem}"
        yield error(where, text, nearest(term, sort.names(self._known)) or remedy)

    def _of_another_profile(self, signature: Signature, instance: Instance, at: int, sort: Sort) -> bool:
        if not self._origins.of_all_profiles(signature, instance):
            return False
        return any(_admits(sort, known, instance[at]) for known in self._known.others)

    def _has_shape(self, term: Term) -> bool:
        return shape_of(term) in self._known.shapes

    def _in_context(self, signature: Signature, instances: Collection[Instance]) -> Iterator[Diagnostic]:
        """What is wrong with arguments that are right by themselves."""
        if signature not in TOGETHER and signature not in _CONTEXTS:
            return
        for instance in instances:
            problem = _out_of_context(self._known, signature, instance)
            if problem and not self._excused_there(signature, instance):
                where = self._origins.place(signature, instance, None)
                yield error(where, f"{_text(signature, instance)}: {problem[0]}", problem[1])

    def _excused_there(self, signature: Signature, instance: Instance) -> bool:
        if self._origins.excused(signature, instance, None):
            return True
        if not self._origins.of_all_profiles(signature, instance):
            return False
        return any(_out_of_context(known, signature, instance) is None for known in self._known.others)


def _out_of_context(known: Known, signature: Signature, instance: Instance) -> Problem | None:
    """What is wrong with arguments of a fact together, and what to do."""
    rule = TOGETHER.get(signature)
    if rule and tuple(instance[place] for place in rule.places) not in known.some(rule.other, rule.there):
        return f"there is no {rule.other} of it", rule.remedy
    check = _CONTEXTS.get(signature)
    return check(known, instance) if check else None


def _has_any(wrong: Mapping[int, Collection[Term]], instance: Instance) -> bool:
    return any(instance[place] in bad for place, bad in wrong.items())


def _admits(sort: Sort, known: Known, term: Term) -> bool:
    return term in sort.names(known) or sort.accepts(known, term)


def _part(known: Known, instance: Instance) -> Problem | None:
    _, part, *of = instance
    wanted = PARTS[str(part)]
    if not of:
        return (f"of which {wanted}?", f"write sees(…,{part},Name)") if wanted == "fluent" else None
    if not wanted:
        return "this part has no argument", f"write sees(…,{part})"
    if wanted == "number":
        return None if isinstance(of[0], int) and of[0] > 0 else ("no number of places", "write one from 1 on")
    if of[0] in known.fluent_names:
        return None
    return f"{of[0]} is no fluent", nearest(of[0], known.fluent_names) or "declare it by one, count or any"


def _sort(known: Known, instance: Instance) -> Problem | None:
    name, arity, place, _ = instance
    if (name, arity) not in known.predicates | known.form_shapes and (name, arity) not in known.functors:
        there = sorted(other for each, other in known.predicates | known.functors if each == name)
        return f"there is no {name}/{arity}", f"there is {', '.join(f'{name}/{other}' for other in there)}"
    if isinstance(place, int) and isinstance(arity, int) and place > arity:
        return "no such argument", "arguments are counted from 1"
    return None


def _fluent(known: Known, instance: Instance) -> Problem | None:
    signature = Signature(str(instance[0]), int(instance[1]))
    if signature in known.fluents:
        return None
    return f"no fluent is {signature}", "write the number of arguments that it has"


def _word(known: Known, instance: Instance) -> Problem | None:
    sort, term = instance[:2]
    names = _WORDED[sort](known) if sort in _WORDED else None
    if names is None or term in names:
        return None
    return f"{term} is no {sort}", nearest(term, names) or f"write a {sort} of these rules"


_WORDED = {
    "rank": lambda known: known.lettered | known.lettered_arguments, "suit": lambda known: known.suits,
    "card": lambda known: known.cards, "seat": lambda known: known.seats, "who": lambda known: known.who,
    "fluent": lambda known: known.fluent_names, "stage": lambda known: known.stages,
    "option": lambda known: known.options, "role": lambda known: known.roles,
}  # fmt: skip
_CONTEXTS = {
    Signature("sees", 2): _part, Signature("sees", 3): _part, Signature("sort", 4): _sort,
    Signature("private", 2): _fluent, Signature("word", 4): _word,
}  # fmt: skip


def nearest(term: Term, names: Collection[Term]) -> str:
    """The known name that is nearest to an unknown one, as ``did you mean 'straight(3)'?``; nothing where none is."""
    name, arity = shape_of(term)
    shapes = {shape_of(each) for each in names if isinstance(each, str)}
    if (name, arity) in shapes:
        return suggestion(str(term), [str(each) for each in names if shape_of(each) == (name, arity)][:_MOST_NAMES])
    meant = suggestion(name, [other for other, _ in shapes])
    if not meant or "(" not in str(term):
        return meant or suggestion(str(term), list(map(str, names))[:_MOST_NAMES])
    functor = meant.split("'")[1]
    spelled = f"{functor}{str(term)[len(name) :]}"
    if spelled in names:
        return f"did you mean '{spelled}'?"
    return suggestion(spelled, [str(each) for each in names if shape_of(each)[0] == functor][:_MOST_NAMES])


_MOST_NAMES = 1000
"""Names among which the nearest is looked for: looking takes long."""


def _text(signature: Signature, instance: Instance) -> str:
    return f"{signature.name}({','.join(map(str, instance))})" if instance else signature.name
