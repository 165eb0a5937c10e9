"""The knowledge base: rule files, checked and grounded, and the circuits that are made of them."""

from __future__ import annotations

import math
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
    circuit_cache_name,
    did_you_mean,
    load_cached,
    make_cache_key,
    make_error,
    make_kb_error,
    pack_build,
    store_cached,
    string_value,
    unpack_build,
)
from abl_cards.circuit import circuit_io
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.compile import compile_circuit
from abl_cards.core import CpuBudget, CpuBudgetExceeded, get_budget


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """Rule files that passed every check, ground and ready to be compiled.

    >>> kb = KnowledgeBase.load([path], inputs=[Input("held", (range(13), (1, 2)))], outputs=[("legal", 1)])
    >>> circuit = kb.circuit("legal/1", "violated/1")
    """

    request: BuildRequest
    ground: GroundProgram = field(repr=False)
    constraints: tuple[Constraint, ...]  # violated(K) speaks of constraint K
    warnings: tuple[Diagnostic, ...]
    cache_name: str | None = field(default=None, repr=False)  # its name in the disk cache
    cpu_budget: CpuBudget = field(default_factory=lambda: CpuBudget(math.inf), repr=False)  # for making circuits

    @classmethod
    def load(
        cls,
        files: Sequence[Path],
        *,
        inputs: Sequence[Input],
        outputs: Sequence[tuple[str, int]],
        constants: Mapping[str, Term] | None = None,
        trusted: bool = True,
        cache: bool = True,
        limits: Limits | None = None,
        library: Sequence[Path] = (),
    ) -> KnowledgeBase:
        """Read, check and ground rule files; an untrusted KB is ground in a child process within the limits.

        Time is that of a budget which all that is loaded inside of `shared_budget` has in common.

        Raises KBError with all the problems that were found.
        """
        request = BuildRequest(
            tuple(map(Path, files)),
            tuple(inputs),
            tuple(Signature(*output) for output in outputs),
            dict(constants or {}),
            tuple(library),
        )
        limits = limits or Limits()
        key = make_cache_key(request, limits.file_bytes) if cache else None
        paid = CpuBudget(math.inf) if trusted else get_budget(limits.seconds)
        built = _load_or_build(request, trusted, key, limits, paid)
        if built.ground is None:
            raise KBError(built.diagnostics)
        return cls(request, built.ground, built.constraints, built.diagnostics, key and key.name, paid)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone, without circuits and notes that are made of them again."""
        return {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}

    @property
    def files(self) -> tuple[Path, ...]:
        return self.request.files

    @property
    def inputs(self) -> tuple[Input, ...]:
        return self.request.inputs

    @property
    def constants(self) -> Mapping[str, Term]:
        return self.request.constants

    @cached_property
    def input_atoms(self) -> tuple[Atom, ...]:
        """Every declared instance of every input, in clingo's order."""
        return tuple(name for _, name in self._input_numbers)

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What others have made of it and want to find again; it goes when the knowledge base goes."""
        return {}

    def facts_as_dict(self, name: str) -> dict[Term, Term]:
        """The facts of two arguments as a mapping of the first to the second; raises KBError for two of one first."""
        found: dict[Term, Term] = {}
        for first, second in self.facts(name, 2):
            if found.setdefault(first, second) != second:
                raise make_kb_error(f"{name}({first},…): there are {found[first]} and {second}", "keep one of them")
        return found

    def facts(self, name: str, arity: int) -> list[tuple[Term, ...]]:
        """The arguments of the atoms that are true in every state, in clingo's order of terms; none of unknown ones."""
        instances = self._by_signature.get(Signature(name, arity), [])
        if all(number in self._fact_numbers for number, _ in instances):
            return [atom.args for _, atom in instances]
        circuit = self.circuit(f"{name}/{arity}")
        rows = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        return [atom.args for atom, literal in rows if literal == 0]

    def instances(self, name: str, arity: int) -> list[tuple[Term, ...]]:
        """The arguments of the atoms that rules derive in some state, in clingo's order; none of unknown ones."""
        return [atom.args for _, atom in self._by_signature.get(Signature(name, arity), [])]

    @cached_property
    def preference_groups(self) -> dict[str, str]:
        """The group of each preference by its functor, in the order of the terms."""
        return {str(name.args[0]): str(name.args[1]) for _, name in self._by_signature.get(PREFERENCE, [])}

    @cached_property
    def preference_texts(self) -> dict[tuple[str, str], str]:
        """The sentence of each preference by its functor and a language."""
        said = (name.args for _, name in self._by_signature.get(SAYS, []))
        return {(str(functor), str(language)): string_value(sentence) for functor, language, sentence in said}

    def circuit(self, *outputs: str) -> Circuit:
        """The circuit of some output predicates, such as "legal/1": only what they depend on; made once.

        Raises ValueError for a predicate that no rule derives, and KBError where it takes too long.
        """
        wanted = tuple(sorted({Signature.parse(output) for output in outputs}))
        circuit = self._circuits.get(wanted)
        if circuit is None:
            circuit = self._circuits[wanted] = self._load_or_compile(wanted)
        return circuit

    def _load_or_compile(self, outputs: tuple[Signature, ...]) -> Circuit:
        """From the disk cache, or compiled and kept there."""
        numbers = [pair for signature in outputs for pair in self._instances(signature)]
        name = circuit_cache_name(self.cache_name, outputs) if self.cache_name else None
        circuit = load_cached(name, circuit_io.unpack_circuit) if name else None
        if circuit is None:
            circuit = self._compile(numbers)
            if name:
                store_cached(name, circuit_io.pack_circuit(circuit), evict=False)
        return circuit

    def _compile(self, numbers: Sequence[tuple[int, Atom]]) -> Circuit:
        try:
            with self.cpu_budget.charge():
                return compile_circuit(self._equations, self._input_numbers, numbers)
        except CpuBudgetExceeded:
            what = f"grounding and making circuits exceeded {self.cpu_budget.seconds:g} s"
            raise KBError([make_error(None, what, "simplify the rules")]) from None

    def _instances(self, signature: Signature) -> list[tuple[int, Atom]]:
        found = self._by_signature.get(signature, [])
        if not found and signature not in {COST, VIOLATED, *self.request.outputs}:
            known = [str(other) for other in self._by_signature]
            advice = did_you_mean(str(signature), known)
            raise ValueError(f"no instance of '{signature}'" + (f" ({advice})" if advice else ""))
        return found

    @cached_property
    def _fact_numbers(self) -> set[int]:
        """The numbers of the atoms that are facts of the ground program; others may be true in every state as well."""
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
        instances: dict[Signature, list[tuple[int, Atom]]] = {}
        for number, name in zip(self.ground.numbers, self.ground.atoms, strict=True):
            instances.setdefault(Signature(name.name, len(name.args)), []).append((number, name))
        return instances


def _load_or_build(
    request: BuildRequest, trusted: bool, key: CacheKey | None, limits: Limits, cpu_budget: CpuBudget
) -> BuildResult:
    built = load_cached(key.name, partial(unpack_build, paths=key.paths)) if key else None
    if built is not None:
        return built
    if trusted:
        built = build_program(request, limits)
    else:
        from abl_cards.asp import build_in_subprocess

        built = build_in_subprocess(request, limits, cpu_budget)
    if key and built.ground is not None:
        store_cached(key.name, pack_build(built, key.paths))
    return built
