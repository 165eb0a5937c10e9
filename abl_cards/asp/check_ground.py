"""Checks of a knowledge base that need its ground program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from abl_cards.asp.check import BELIEF, COST, HINT, PLACEHOLDER, PREFERENCE, SAYS, format_pattern
from abl_cards.asp.completion import GroundEquations, NotStratified
from abl_cards.asp.errors import Diagnostic, Location, make_error, make_warning
from abl_cards.asp.graph import strong_components
from abl_cards.asp.ground_program import WEIGHTED, GroundProgram
from abl_cards.asp.intervals import INT32_MAX
from abl_cards.asp.program_summary import PredicateUse, ProgramSummary
from abl_cards.asp.statements import CLINGO_REMEDY, VIOLATED
from abl_cards.asp.stratification import require_stratified
from abl_cards.asp.terms import Atom, Input, Signature, Term, split_term
from abl_cards.core import ErrorCode


def check_ground_program(
    ground: GroundProgram, program: ProgramSummary, inputs: Sequence[Input], library: Sequence[Path] = ()
) -> list[Diagnostic]:
    """Run all checks of a ground program except those of ranges and overflows.

    Args:
        ground: The ground program.
        program: Summary of the statements, with the locations.
        inputs: Inputs that the engine supplies.
        library: Folders of common files, where a declaration may have no instance in some games.

    Returns:
        Errors and warnings.
    """
    instances: dict[Signature, list[Atom]] = {}
    for name in ground.atoms:
        instances.setdefault(Signature(name.name, len(name.args)), []).append(name)
    return [
        *_check_domains(instances, program, inputs, library),
        *_check_impossible_inputs(instances, program, inputs),
        *_check_stratification(ground, program),
        *_check_always_violated(ground, program),
        *_check_never_derived(instances, program),
        *_check_weights(instances, program),
    ]


def _find_location(uses: Collection[PredicateUse], signature: Signature) -> Location | None:
    return next((use.location for use in uses if use.signature == signature), None)


def _check_domains(
    instances: dict[Signature, list[Atom]],
    program: ProgramSummary,
    inputs: Sequence[Input],
    library: Sequence[Path],
) -> Iterator[Diagnostic]:
    folders = [folder.resolve() for folder in library]
    for declaration in inputs:
        location = _find_location(program.externals, declaration.signature)
        atoms = instances.get(declaration.signature, [])
        outside = [name for name in atoms if not declaration.admits(name.args)]
        if outside:
            examples = ", ".join(map(str, outside[:3])) + (", …" if len(outside) > 3 else "")
            remedy = f"narrow the declaration of '{declaration.signature}'"
            message = f"the engine never supplies {examples}"
            yield make_error(location, message, remedy, ErrorCode.INPUT_OUT_OF_RANGE)
        if location and not atoms and Path(location.file).resolve().parent not in folders:
            message = f"the declaration of input '{declaration.signature}' has no instance"
            yield make_error(location, message, "check its condition", ErrorCode.INPUT_OUT_OF_RANGE)


def _check_impossible_inputs(
    instances: dict[Signature, list[Atom]], program: ProgramSummary, inputs: Sequence[Input]
) -> Iterator[Diagnostic]:
    """Find input literals that no declared instance matches: clingo drops them silently."""
    declared = {declaration.signature for declaration in inputs} & {use.signature for use in program.externals}
    for use in program.bodies:
        if use.signature not in declared or all(argument is None for argument in use.pattern):
            continue
        if not any(use.matches(name.args) for name in instances.get(use.signature, ())):
            shape = format_pattern(use.pattern)
            remedy = "check the arguments against its #external"
            message = f"'{use.signature.name}({shape})' is outside of the declared range"
            yield make_error(use.location, message, remedy, ErrorCode.INPUT_OUT_OF_RANGE)


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
        location = next(filter(None, (_find_location(program.heads, signature) for signature in signatures)), None)
        cycle = " -> ".join(map(str, [*loop[:8], "…" if len(loop) > 8 else loop[0]])) if loop else "unnamed atoms"
        remedy = f"break the loop, or {CLINGO_REMEDY}"
        message = f"not stratified: {cycle} depends on its own negation"
        yield make_error(location, message, remedy, ErrorCode.NOT_STRATIFIED)


def _recursive_heads(ground: GroundProgram, program: ProgramSummary) -> list[int]:
    """Return the heads whose predicates are in a loop: no others can depend on themselves."""
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
    """Find constraints that are violated in every state."""
    facts = {
        head
        for rule, head in enumerate(ground.heads)
        if ground.kinds[rule] != WEIGHTED and ground.starts[rule] == ground.starts[rule + 1]
    }
    for number, name in zip(ground.numbers, ground.atoms, strict=True):
        if name.name == VIOLATED.name and number in facts:
            constraint = program.constraints[int(name.args[0])]
            message = f"the constraint '{constraint.text}' is violated in every state"
            remedy = "its body holds for all inputs"
            yield make_error(constraint.location, message, remedy, ErrorCode.ALWAYS_VIOLATED)


def _check_never_derived(instances: dict[Signature, list[Atom]], program: ProgramSummary) -> Iterator[Diagnostic]:
    """Find predicates whose rules cannot fire, often because joined arguments are never equal."""
    optional = _switched_off(instances, program)
    for signature in dict.fromkeys(use.signature for use in program.heads):
        if signature not in instances and signature not in optional:
            location = _find_location(program.heads, signature)
            message = f"no rule for '{signature}' can ever fire"
            remedy = f"compare the arguments in its bodies, or write #defined {signature}. where a profile has none"
            yield make_warning(location, message, remedy, ErrorCode.NEVER_DERIVED)


def _switched_off(instances: dict[Signature, list[Atom]], program: ProgramSummary) -> set[Signature]:
    """Return the switches that are off, and the predicates that therefore have no instance."""
    optional = set(program.defined) - set(instances)
    size = -1
    while size != len(optional):
        size = len(optional)
        optional |= {
            head for head, bodies in program.dependencies.items() if head not in instances and bodies & optional
        }
    return optional


def _check_weights(instances: dict[Signature, list[Atom]], program: ProgramSummary) -> Iterator[Diagnostic]:
    """Check costs and beliefs: one integer weight for each name; each functor has a declaration and sentences."""
    for convention in (_WeightConvention(COST, PREFERENCE), _WeightConvention(BELIEF, HINT)):
        yield from _check_weighted(instances, program, convention)


@dataclass(frozen=True)
class _WeightConvention:
    """Predicate with a name first and a weight last, and the predicate that declares its names."""

    weighted: Signature
    declaration: Signature

    def format_instance(self, arguments: Sequence[object]) -> str:
        """Format an instance, such as ``cost(Name,Weight)``."""
        return f"{self.weighted.name}({','.join(map(str, arguments))})"


def _check_weighted(
    instances: dict[Signature, list[Atom]], program: ProgramSummary, convention: _WeightConvention
) -> Iterator[Diagnostic]:
    weights: dict[tuple[Term, ...], Term] = {}
    functors: dict[str, Location | None] = {}
    locations = _functor_locations(program, convention)
    for _, (*key, weight) in instances.get(convention.weighted, []):
        functor, name = str(key[0]).partition("(")[0], tuple(key)
        location = functors.setdefault(functor, locations.get(functor) or locations.get(""))
        if not isinstance(weight, int):
            text = convention.format_instance((*key, weight))
            message = f"the weight of {text} is not an integer"
            yield make_error(location, message, "bind it to a number", ErrorCode.INVALID_WEIGHT)
        elif weights.setdefault(name, weight) != weight:
            first, second = sorted((str(weights[name]), str(weight)))
            description = f"{convention.weighted.name} {','.join(map(str, key))}"
            message = f"two weights, {first} and {second}, for the {description}"
            yield make_error(location, message, "use one weight for each name", ErrorCode.INVALID_WEIGHT)
    if sum(abs(weight) for weight in weights.values() if isinstance(weight, int)) > INT32_MAX:
        location = _find_location(program.heads, convention.weighted)
        description = f"{convention.weighted.name}s"
        message = f"the {description} may add up to more than {INT32_MAX}"
        yield make_error(location, message, "use smaller weights", ErrorCode.INTEGER_OVERFLOW)
    effective = {str(key[0]).partition("(")[0] for key, weight in weights.items() if weight != 0}
    for functor, location in functors.items():
        if functor not in effective:
            message = f"every {convention.weighted.name} of '{functor}' is 0: it changes nothing"
            remedy = "give it a weight, or remove it"
            yield make_warning(location, message, remedy, ErrorCode.INCOMPLETE_PREFERENCE)
    yield from _check_texts(instances, program, functors, convention)
    yield from _check_placeholders(program, [key[0] for key in weights])


def _check_placeholders(program: ProgramSummary, names: Collection[Term]) -> Iterator[Diagnostic]:
    """Find ``{2}`` in sentences about names with one argument: it would be shown as it is."""
    arities: dict[str, int] = {}
    for name in names:
        functor, args = split_term(name)
        arities[functor] = max(arities.get(functor, 0), len(args))
    for use in program.facts:
        if use.signature == SAYS and str(use.pattern[0]) in arities:
            functor, arity = str(use.pattern[0]), arities[str(use.pattern[0])]
            for found in PLACEHOLDER.finditer(str(use.pattern[2])):
                if not 1 <= int(found[1]) <= arity:
                    message = f"{found[0]} stands for no argument: {functor} has {arity}"
                    remedy = f"count the arguments of {functor} from 1"
                    yield make_warning(use.location, message, remedy, ErrorCode.INCOMPLETE_PREFERENCE)


def _functor_locations(program: ProgramSummary, convention: _WeightConvention) -> dict[str, Location]:
    """Return the first location of each functor in a head; that of any functor under the empty name."""
    # A name with variables has no constant value, so its location is found by its text in the head.
    locations: dict[str, Location] = {}
    for use in program.heads:
        if use.signature == convention.weighted:
            locations.setdefault(use.functor, use.location)
            locations.setdefault("", use.location)
    return locations


def _check_texts(
    instances: dict[Signature, list[Atom]],
    program: ProgramSummary,
    functors: dict[str, Location | None],
    convention: _WeightConvention,
) -> Iterator[Diagnostic]:
    weighted, declaration = convention.weighted, convention.declaration
    declared = {str(args[0]) for _, args in instances.get(declaration, [])}
    languages = {(str(args[0]), str(args[1])) for _, args in instances.get(SAYS, [])}
    for functor, location in functors.items():
        if not functor or functor.startswith("-"):
            remedy = f"write {weighted.name}(Name, …)"
            yield make_error(location, f"a {weighted.name} without a name", remedy, ErrorCode.INVALID_WEIGHT)
            continue
        if functor not in declared:
            remedy = f"write {declaration.name}({functor}, Group)."
            yield make_error(location, f"'{functor}' is not declared", remedy, ErrorCode.INCOMPLETE_PREFERENCE)
        if (functor, "en") not in languages:
            remedy = f'write says({functor}, en, "…").'
            yield make_error(location, f"'{functor}' has no English text", remedy, ErrorCode.INCOMPLETE_PREFERENCE)
        elif (functor, "zh") not in languages:
            remedy = f'write says({functor}, zh, "…").'
            yield make_warning(location, f"'{functor}' has no Chinese text", remedy, ErrorCode.INCOMPLETE_PREFERENCE)
    optional = _switched_off(instances, program)
    for name in sorted(declared - set(functors)):
        heads = [use for use in program.heads if use.signature == weighted and use.functor == name]
        if any(_reads_any(program, head, optional) for head in heads):
            continue  # another profile has the switch
        uses = (use for use in program.heads if use.signature == declaration and use.pattern[0] == name)
        location = next((use.location for use in uses), None)
        message = f"no rule derives a {weighted.name} for the {declaration.name} '{name}'"
        remedy = f"derive {weighted.name}({name}, {'Weight' if weighted == COST else 'Card, Weight'}), or remove it"
        yield make_warning(location, message, remedy, ErrorCode.INCOMPLETE_PREFERENCE)


def _reads_any(program: ProgramSummary, head: PredicateUse, signatures: Collection[Signature]) -> bool:
    """Return whether the rule of a head reads one of the predicates; they stand before the next head of the file."""
    start = _position(head.location)
    later = [
        position
        for use in program.heads
        if use.location.file == head.location.file and (position := _position(use.location)) > start
    ]
    end = min(later, default=(INT32_MAX, 0))
    return any(
        start < _position(use.location) < end
        for reader, use in program.reads
        if reader == head.signature and use.signature in signatures and use.location.file == head.location.file
    )


def _position(location: Location) -> tuple[int, int]:
    return location.line, location.column
