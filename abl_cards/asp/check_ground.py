"""What is wrong with a knowledge base that only its ground program shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from abl_cards.asp.check import BELIEF, COST, HINT, PREFERENCE, SAYS, format_pattern
from abl_cards.asp.completion import GroundEquations, NotStratified
from abl_cards.asp.errors import Diagnostic, Location, make_error, make_warning
from abl_cards.asp.graph import strong_components
from abl_cards.asp.ground_program import WEIGHTED, GroundProgram
from abl_cards.asp.intervals import INT32_MAX
from abl_cards.asp.statements import CLINGO_REMEDY, VIOLATED, PredicateUse, ProgramSummary
from abl_cards.asp.stratification import require_stratified
from abl_cards.asp.terms import Atom, Input, Signature, Term

NOT_STRATIFIED_MESSAGE = "not stratified"
"""How the message of a loop through a negation begins."""


def check_ground_program(ground: GroundProgram, program: ProgramSummary, inputs: Sequence[Input]) -> list[Diagnostic]:
    """All the checks of this module."""
    instances: dict[Signature, list[Atom]] = {}
    for name in ground.atoms:
        instances.setdefault(Signature(name.name, len(name.args)), []).append(name)
    return [
        *_check_domains(instances, program, inputs),
        *_check_impossible_inputs(instances, program, inputs),
        *_check_stratification(ground, program),
        *_check_always_violated(ground, program),
        *_check_never_derived(instances, program),
        *_check_weights(instances, program),
    ]


def _find_location(uses: Collection[PredicateUse], signature: Signature) -> Location | None:
    return next((use.location for use in uses if use.signature == signature), None)


def _check_domains(
    instances: dict[Signature, list[Atom]], program: ProgramSummary, inputs: Sequence[Input]
) -> Iterator[Diagnostic]:
    for declaration in inputs:
        where = _find_location(program.externals, declaration.signature)
        found = instances.get(declaration.signature, [])
        outside = [name for name in found if not declaration.admits(name.args)]
        if outside:
            examples = ", ".join(map(str, outside[:3])) + (", …" if len(outside) > 3 else "")
            yield make_error(
                where, f"the engine never supplies {examples}", f"narrow the declaration of '{declaration.signature}'"
            )
        if where and not found:
            yield make_error(
                where, f"the declaration of input '{declaration.signature}' has no instance", "check its condition"
            )


def _check_impossible_inputs(
    instances: dict[Signature, list[Atom]], program: ProgramSummary, inputs: Sequence[Input]
) -> Iterator[Diagnostic]:
    """Literals of inputs that no declared instance matches: clingo drops them without a word."""
    declared = {declaration.signature for declaration in inputs} & {use.signature for use in program.externals}
    for use in program.bodies:
        if use.signature not in declared or all(argument is None for argument in use.pattern):
            continue
        if not any(_matches(use.pattern, name.args) for name in instances.get(use.signature, ())):
            shape = format_pattern(use.pattern)
            remedy = "check the arguments against its #external"
            yield make_error(use.location, f"'{use.signature.name}({shape})' is outside of the declared range", remedy)


def _matches(pattern: Sequence[Term | None], args: Sequence[Term]) -> bool:
    return all(wanted is None or wanted == found for wanted, found in zip(pattern, args, strict=True))


def _check_stratification(ground: GroundProgram, program: ProgramSummary) -> Iterator[Diagnostic]:
    suspects = _recursive_heads(ground, program)
    if not suspects:
        return
    try:
        require_stratified(GroundEquations(ground), suspects)
    except NotStratified as failure:
        names = dict(zip(ground.numbers, ground.atoms, strict=True))
        loop = [names[number] for number in failure.loop if number in names]
        signatures = [Signature(name.name, len(name.args)) for name in loop]
        where = next(filter(None, (_find_location(program.heads, signature) for signature in signatures)), None)
        cycle = " -> ".join(map(str, [*loop[:8], "…" if len(loop) > 8 else loop[0]])) if loop else "unnamed atoms"
        remedy = f"break the loop, or {CLINGO_REMEDY}"
        yield make_error(where, f"{NOT_STRATIFIED_MESSAGE}: {cycle} depends on its own negation", remedy)


def _recursive_heads(ground: GroundProgram, program: ProgramSummary) -> list[int]:
    """The heads whose predicates are in a loop: no others can depend on themselves, and most programs have none."""
    loops: set[Signature] = set()
    for component in strong_components(program.dependencies, lambda signature: program.dependencies.get(signature, ())):
        if len(component) > 1 or component[0] in program.dependencies.get(component[0], ()):
            loops.update(component)
    if not loops:
        return []
    named = zip(ground.numbers, ground.atoms, strict=True)
    inside = {number for number, name in named if Signature(name.name, len(name.args)) in loops}
    return [head for head in ground.heads if head in inside]


def _check_always_violated(ground: GroundProgram, program: ProgramSummary) -> Iterator[Diagnostic]:
    """Constraints that no state keeps."""
    facts = {
        head
        for rule, head in enumerate(ground.heads)
        if ground.kinds[rule] != WEIGHTED and ground.starts[rule] == ground.starts[rule + 1]
    }
    for number, name in zip(ground.numbers, ground.atoms, strict=True):
        if name.name == VIOLATED.name and number in facts:
            where = program.constraints[int(name.args[0])].location
            yield make_error(
                where, "the constraint is violated in every state", "its body holds whatever the inputs are"
            )


def _check_never_derived(instances: dict[Signature, list[Atom]], program: ProgramSummary) -> Iterator[Diagnostic]:
    """Predicates whose rules cannot fire: often an argument that is never equal to what it is joined with."""
    optional = program.defined - set(instances)  # switches that are off take what depends on them along
    size = -1
    while size != len(optional):
        size = len(optional)
        optional |= {
            head for head, bodies in program.dependencies.items() if head not in instances and bodies & optional
        }
    for signature in dict.fromkeys(use.signature for use in program.heads):
        if signature not in instances and signature not in optional:
            where = _find_location(program.heads, signature)
            yield make_warning(where, f"no rule for '{signature}' can ever fire", "compare the arguments in its bodies")


def _check_weights(instances: dict[Signature, list[Atom]], program: ProgramSummary) -> Iterator[Diagnostic]:
    """The conventions of costs and beliefs: integer weights, one a name, each functor declared and worded."""
    for convention in (_WeightConvention(COST, PREFERENCE), _WeightConvention(BELIEF, HINT)):
        yield from _check_weighted(instances, program, convention)


@dataclass(frozen=True)
class _WeightConvention:
    """A predicate whose last argument is a weight and whose first is a name, and the one that declares its names."""

    weighted: Signature
    declaration: Signature

    def format_instance(self, arguments: Sequence[object]) -> str:
        """An instance as it is written, ``cost(Name,Weight)``."""
        return f"{self.weighted.name}({','.join(map(str, arguments))})"


def _check_weighted(
    instances: dict[Signature, list[Atom]], program: ProgramSummary, convention: _WeightConvention
) -> Iterator[Diagnostic]:
    weights: dict[tuple[Term, ...], Term] = {}
    functors: dict[str, Location | None] = {}
    places = _functor_locations(program, convention)
    for _, (*named, weight) in instances.get(convention.weighted, []):
        functor, name = str(named[0]).partition("(")[0], tuple(named)
        where = functors.setdefault(functor, places.get(functor) or places.get(""))
        if not isinstance(weight, int):
            text = convention.format_instance((*named, weight))
            yield make_error(where, f"the weight of {text} is not an integer", "bind it to a number")
        elif weights.setdefault(name, weight) != weight:
            first, second = sorted((str(weights[name]), str(weight)))
            what = f"{convention.weighted.name} {','.join(map(str, named))}"
            yield make_error(
                where, f"two weights, {first} and {second}, for the {what}", "use one weight for each name"
            )
    if sum(abs(weight) for weight in weights.values() if isinstance(weight, int)) > INT32_MAX:
        where = _find_location(program.heads, convention.weighted)
        what = f"{convention.weighted.name}s"
        yield make_error(where, f"the {what} may add up to more than {INT32_MAX}", "use smaller weights")
    yield from _check_texts(instances, program, functors, convention)


def _functor_locations(program: ProgramSummary, convention: _WeightConvention) -> dict[str, Location]:
    """Where instances of each functor are derived first; and of any, under no name."""
    # A name with variables has no constant value, so its place is found through its text in the head.
    places: dict[str, Location] = {}
    for use in program.heads:
        if use.signature == convention.weighted:
            places.setdefault(use.functor, use.location)
            places.setdefault("", use.location)
    return places


def _check_texts(
    instances: dict[Signature, list[Atom]],
    program: ProgramSummary,
    functors: dict[str, Location | None],
    convention: _WeightConvention,
) -> Iterator[Diagnostic]:
    weighed, declaration = convention.weighted, convention.declaration
    declared = {str(args[0]) for _, args in instances.get(declaration, [])}
    worded = {(str(args[0]), str(args[1])) for _, args in instances.get(SAYS, [])}
    for functor, where in functors.items():
        if not functor or functor.startswith("-"):
            yield make_error(where, f"a {weighed.name} without a name", f"write {weighed.name}(Name, …)")
            continue
        if functor not in declared:
            yield make_error(where, f"'{functor}' is not declared", f"write {declaration.name}({functor}, Group).")
        if (functor, "en") not in worded:
            yield make_error(where, f"'{functor}' has no words", f'write says({functor}, en, "…").')
        elif (functor, "zh") not in worded:
            yield make_warning(where, f"'{functor}' has no Chinese words", f'write says({functor}, zh, "…").')
    for name in sorted(declared - set(functors)):
        where = next((u.location for u in program.heads if u.signature == declaration and u.pattern[0] == name), None)
        verb = "costs nothing" if weighed == COST else "says nothing"
        remedy = f"derive {weighed.name}({name}, {'Weight' if weighed == COST else 'Card, Weight'}), or remove it"
        yield make_warning(where, f"{declaration.name} '{name}' {verb}", remedy)
