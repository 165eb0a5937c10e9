"""The knowledge base: rule files, checked and ground, and the circuits that are made of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from abl_cards.asp import (
    COST,
    NORMAL,
    PREFERENCE,
    SAYS,
    VIOLATED,
    Atom,
    BuildRequest,
    BuildResult,
    CacheKey,
    Constraint,
    Diagnostic,
    Equations,
    GroundEquations,
    GroundProgram,
    Input,
    KBError,
    Limits,
    Signature,
    Term,
    build_program,
    did_you_mean,
    load_cached,
    load_or_compute,
    make_cache_key,
    make_error,
    make_kb_error,
    pack_build,
    store_cached,
    string_value,
    unpack_build,
)
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.circuit_io import pack_circuit, unpack_circuit
from abl_cards.circuit.compile import compile_circuit
from abl_cards.core import (
    CpuBudget,
    CpuBudgetExceeded,
    ErrorCode,
    GameError,
    check_flag,
    check_integer,
    check_list,
    check_path,
    get_budget,
)


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """Rule files that passed all checks, ground and ready to be compiled to circuits.

    Attributes:
        request: Files, inputs, outputs and constants.
        ground: The ground program.
        constraints: The integrity constraints; the index is the K of `violated(K)`.
        warnings: Warnings of the checks.
        cache_name: Name in the disk cache; None where it is not cached.
        cpu_budget: Budget of processor time for making circuits.

    >>> kb = KnowledgeBase.load([path], inputs=[Input("held", (range(13), (1, 2)))], outputs=[("legal", 1)])
    >>> circuit = kb.circuit("legal/1", "violated/1")
    """

    request: BuildRequest
    ground: GroundProgram = field(repr=False)
    constraints: tuple[Constraint, ...]
    warnings: tuple[Diagnostic, ...]
    cache_name: str | None = field(default=None, repr=False)
    cpu_budget: CpuBudget = field(default_factory=lambda: CpuBudget(math.inf), repr=False)

    def __repr__(self) -> str:
        return f"KnowledgeBase({', '.join(file.name for file in self.files)})"

    @classmethod
    def load(
        cls,
        files: Sequence[str | Path],
        *,
        inputs: Sequence[Input],
        outputs: Sequence[tuple[str, int]],
        constants: Mapping[str, Term] | None = None,
        trusted: bool = True,
        cache: bool = True,
        limits: Limits | None = None,
        library: Sequence[str | Path] = (),
        ground_limits: Limits | None = None,
    ) -> KnowledgeBase:
        """Read, check and ground rule files.

        Args:
            files: Rule files.
            inputs: Inputs that the engine supplies.
            outputs: Name and arity of each predicate that the engine reads.
            constants: Values that replace those of `#const`.
            trusted: Whether to build in this process. Otherwise a child process builds within the limits, and its time
                is charged to the common budget of all builds inside of `shared_budget`.
            cache: Whether to use the disk cache.
            limits: Bounds on files and on the child; by default `Limits()`.
            library: Folders in which `#include <name>.` finds files.
            ground_limits: Bounds on the ground rules and literals of trusted files; None for no bounds.

        Returns:
            The knowledge base.

        Raises:
            GameError: An argument is not a list, for example a single file.
            KBError: The rules are rejected; the error holds all problems that were found.
        """
        request = _make_request(files, inputs, outputs, constants, library)
        trusted, cache = check_flag("trusted", trusted), check_flag("cache", cache)
        for name, value in (("limits", limits), ("ground_limits", ground_limits)):
            if not (value is None or isinstance(value, Limits)):
                raise GameError(f"{name}={value!r:.60}: give Limits, or None", ErrorCode.INVALID_VALUE)
        limits = limits or Limits()
        key = make_cache_key(request, limits.file_bytes) if cache else None
        cpu_budget = CpuBudget(math.inf) if trusted else get_budget(limits.seconds)
        built = _load_or_build(request, trusted, key, limits, cpu_budget, ground_limits)
        if built.ground is None:
            raise KBError(built.diagnostics)
        return cls(request, built.ground, built.constraints, built.diagnostics, key and key.name, cpu_budget)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone, without circuits and notes that are made of them again."""
        return {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}

    @property
    def files(self) -> tuple[Path, ...]:
        """Rule files, without those that they include."""
        return self.request.files

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Inputs that the engine supplies."""
        return self.request.inputs

    @property
    def constants(self) -> Mapping[str, Term]:
        """Values that replace those of `#const`."""
        return self.request.constants

    @cached_property
    def input_atoms(self) -> tuple[Atom, ...]:
        """All declared instances of all inputs, in clingo's order."""
        return tuple(name for _, name in self._input_numbers)

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """Cache for values that other packages compute from this knowledge base, with the same lifetime."""
        return {}

    def facts_as_dict(self, name: str) -> dict[Term, Term]:
        """Return the facts of a predicate of two arguments as a mapping.

        Args:
            name: Name of the predicate.

        Returns:
            The second argument by the first.

        Raises:
            KBError: Two facts have equal first and different second arguments.
        """
        mapping: dict[Term, Term] = {}
        for first, second in self.facts(name, 2):
            if mapping.setdefault(first, second) != second:
                message = f"{name}({first},…): there are {mapping[first]} and {second}"
                raise make_kb_error(message, "keep one of them", ErrorCode.CONFLICTING_FACTS)
        return mapping

    def facts(self, name: str, arity: int) -> list[tuple[Term, ...]]:
        """Return the arguments of the atoms of a predicate that are true in every state.

        Args:
            name: Name of the predicate.
            arity: Number of its arguments.

        Returns:
            Arguments in clingo's order of terms; none for an unknown predicate.
        """
        instances = self._by_signature.get(Signature(name, arity), [])
        if all(number in self._fact_numbers for number, _ in instances):
            return [atom.args for _, atom in instances]
        circuit = self.circuit(f"{name}/{arity}")
        rows = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        return [atom.args for atom, literal in rows if literal == 0]

    def instances(self, name: str, arity: int) -> list[tuple[Term, ...]]:
        """Return the arguments of the atoms of a predicate that rules may derive in some state.

        Args:
            name: Name of the predicate.
            arity: Number of its arguments.

        Returns:
            Arguments in clingo's order of terms; none for an unknown predicate.
        """
        return [atom.args for _, atom in self._by_signature.get(Signature(name, arity), [])]

    @cached_property
    def preference_groups(self) -> dict[str, str]:
        """Group of each preference, by its functor and in clingo's order."""
        return {str(name.args[0]): str(name.args[1]) for _, name in self._by_signature.get(PREFERENCE, [])}

    @cached_property
    def preference_texts(self) -> dict[tuple[str, str], str]:
        """Sentence of each preference, by its functor and the language, such as "en"."""
        facts = (name.args for _, name in self._by_signature.get(SAYS, []))
        return {(str(functor), str(language)): string_value(sentence) for functor, language, sentence in facts}

    def circuit(self, *outputs: str) -> Circuit:
        """Return the circuit of output predicates; it is compiled once.

        Args:
            *outputs: Predicates, such as "legal/1". The circuit holds only gates and inputs that they depend on.

        Returns:
            The circuit; its outputs are all instances of the predicates.

        Raises:
            ValueError: No rule derives a predicate, and it is not a declared output.
            KBError: The budget of processor time is exceeded.
        """
        signatures = tuple(sorted({Signature.parse(output) for output in outputs}))
        circuit = self._circuits.get(signatures)
        if circuit is None:
            circuit = self._circuits[signatures] = self._load_or_compile(signatures)
        return circuit

    def _load_or_compile(self, outputs: tuple[Signature, ...]) -> Circuit:
        """Load a circuit from the disk cache; compile and store it where it is not there."""
        numbers = [pair for signature in outputs for pair in self._instances(signature)]
        if not self.cache_name:
            return self._compile(numbers)
        content = " ".join(["circuit", self.cache_name, *map(str, outputs)]).encode()
        return load_or_compute(content, lambda: self._compile(numbers), pack_circuit, unpack_circuit)

    def _compile(self, numbers: Sequence[tuple[int, Atom]]) -> Circuit:
        try:
            with self.cpu_budget.charge():
                return compile_circuit(self._equations, self._input_numbers, numbers)
        except CpuBudgetExceeded:
            message = f"grounding and making circuits exceeded {self.cpu_budget.seconds:g} s"
            raise KBError([make_error(None, message, "simplify the rules", ErrorCode.LIMIT_EXCEEDED)]) from None

    def _instances(self, signature: Signature) -> list[tuple[int, Atom]]:
        instances = self._by_signature.get(signature, [])
        if not instances and signature not in {COST, VIOLATED, *self.request.outputs}:
            known_predicates = [str(other) for other in self._by_signature]
            suggestion = did_you_mean(str(signature), known_predicates)
            raise ValueError(f"no instance of '{signature}'" + (f" ({suggestion})" if suggestion else ""))
        return instances

    @cached_property
    def _fact_numbers(self) -> set[int]:
        """Numbers of the atoms that are facts of the ground program; other atoms may be true in all states as well."""
        ground, starts = self.ground, self.ground.starts
        return {
            head
            for head, kind, first, end in zip(ground.heads, ground.kinds, starts, starts[1:], strict=False)
            if kind == NORMAL and first == end
        }

    @cached_property
    def _circuits(self) -> dict[tuple[Signature, ...], Circuit]:
        return {}

    @cached_property
    def _equations(self) -> Equations:
        return GroundEquations(self.ground)

    @cached_property
    def _input_numbers(self) -> list[tuple[int, Atom]]:
        external = set(self.ground.externals)
        pairs = zip(self.ground.numbers, self.ground.atoms, strict=True)
        return [(number, name) for number, name in pairs if number in external]

    @cached_property
    def _by_signature(self) -> dict[Signature, list[tuple[int, Atom]]]:
        instances: defaultdict[tuple[str, int], list[tuple[int, Atom]]] = defaultdict(list)
        for pair in zip(self.ground.numbers, self.ground.atoms, strict=True):
            instances[pair[1].name, len(pair[1].args)].append(pair)
        return {Signature(*name_and_arity): pairs for name_and_arity, pairs in instances.items()}


def _load_or_build(
    request: BuildRequest,
    trusted: bool,
    key: CacheKey | None,
    limits: Limits,
    cpu_budget: CpuBudget,
    ground_limits: Limits | None,
) -> BuildResult:
    built = load_cached(key.name, partial(unpack_build, paths=key.paths)) if key else None
    if built is not None:
        return built
    if trusted and ground_limits is not None:
        from abl_cards.asp import build_in_process

        built = build_in_process(request, ground_limits, cpu_budget)
    elif trusted:
        built = build_program(request, limits)
    else:
        from abl_cards.asp import build_in_subprocess

        built = build_in_subprocess(request, limits, cpu_budget)
    if key and built.ground is not None:
        store_cached(key.name, pack_build(built, key.paths))
    return built


def _make_request(files: Any, inputs: Any, outputs: Any, constants: Any, library: Any) -> BuildRequest:
    """Return the request for a build; raises GameError if an argument is not a list of the expected items."""
    for value in (declared := check_list("inputs", inputs)):
        if not isinstance(value, Input):
            raise GameError(f"inputs: {value!r:.60} is no Input", ErrorCode.INVALID_VALUE)
    for value in (read := check_list("outputs", outputs)):
        if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)):
            raise GameError(f"outputs: {value!r:.60} is no name and arity, ('legal', 1)", ErrorCode.INVALID_VALUE)
    values = {} if constants is None else constants
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise GameError(f"constants={constants!r:.60}: give values by name", ErrorCode.INVALID_VALUE)
    paths, folders = (
        tuple(check_path(name, path) for path in check_list(name, given))
        for name, given in (("files", files), ("library", library))
    )
    signatures = tuple(Signature(name, check_integer("arity of an output", arity, 0)) for name, arity in read)
    return BuildRequest(paths, tuple(declared), signatures, dict(values), folders)
