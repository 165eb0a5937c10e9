"""Answer-set programs over sequences of pseudo-labels: declaration, and one compiled circuit for each length.

A program reads one label for each position of a sequence, and perhaps inputs that describe the example. It derives a
result. Examples of different lengths have different ground programs; they share the text, in which the constant
``length`` holds the number of positions.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, BuildRequest, Input, KBError, Limits, Signature, Term
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode, GameError, call_part
from abl_cards.reasoners.abduction.program_terms import PLAIN_CONSTANT, find_replaced_term, label_to_term, read_term

LENGTH = "length"
"""Constant of a program that holds the number of positions."""
MAX_LABELS = 2**15 - 1
"""Most labels; assignments hold them as int16."""
GROUND_LIMITS = Limits(rules=2_000_000, literals=5_000_000)
"""Bounds on ground programs of trusted rules: a larger one takes more than about a minute."""
OPEN_PROGRAM_CODES = {ErrorCode.NO_CIRCUIT, ErrorCode.NOT_STRATIFIED}
"""Errors of programs that have no circuit but can be solved by clingo."""

EXAMPLE_PROGRAMS = Path(__file__).parent / "example_programs"
"""Folder of example programs: digit_sum.lp, formula.lp, equation.lp and animals.lp."""

ContextReader = Callable[[Any], Iterable[Sequence[Term]]]
"""Computes the arguments of the true atoms of a context input from an example."""

_DECLARATION = re.compile(r"\s*(_*[a-z]\w*)\s*\(\s*[A-Z]\w*\s*,\s*[A-Z]\w*\s*\)\s*", re.ASCII)
_CONSTANT_NAME = re.compile(rf"#const\s+({PLAIN_CONSTANT.pattern})")


@dataclass(frozen=True)
class ProgramDeclaration:
    """Program text with its inputs and outputs.

    Attributes:
        file: Rule file; None for `text`.
        text: Rules, where there is no file.
        symbol: Name of the input ``symbol(Position,Value)`` that holds the pseudo-labels.
        terms: Term of each pseudo-label, in the order of the labels.
        results: Output predicates.
        context: Reader of each context input, by its signature.
        limits: Bounds on grounding in a child process; None to ground in this process within `GROUND_LIMITS`.
    """

    file: Path | None
    text: str
    symbol: str
    terms: tuple[Term, ...]
    results: tuple[Signature, ...]
    context: Mapping[Signature, ContextReader]
    limits: Limits | None

    @classmethod
    def parse(
        cls,
        program: str | Path,
        labels: Sequence[Any] | Mapping[Any, Term],
        pseudo_labels: str,
        results: Sequence[str],
        context: Mapping[str, ContextReader],
        limits: Limits | None,
    ) -> ProgramDeclaration:
        """Read a declaration.

        Args:
            program: Path of a rule file, or a text of rules.
            labels: Pseudo-labels, or a mapping from them to terms of the program.
            pseudo_labels: Input that holds the labels, such as ``"symbol(Position,Value)"``.
            results: Output predicates, such as ``["result/1"]``.
            context: Reader of each context input, by name and arity such as ``"given/2"``.
            limits: Bounds on grounding in a child process; None to ground in this process within `GROUND_LIMITS`.

        Returns:
            The declaration.

        Raises:
            GameError: A part of the declaration is malformed.
        """
        _check_types(program, pseudo_labels, results, context, limits)
        match = _DECLARATION.fullmatch(pseudo_labels)
        if match is None:
            message = f"pseudo_labels: {pseudo_labels!r} (write a name and two variables: 'symbol(Position,Value)')"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        if isinstance(labels, Mapping):
            terms = tuple(read_term(f"pseudo_label_list: label {label!r:.60}", term) for label, term in labels.items())
        else:
            terms = tuple(map(label_to_term, labels))
        if len(terms) > MAX_LABELS:
            raise GameError(f"labels: {len(terms)}, more than {MAX_LABELS}", ErrorCode.TOO_LARGE)
        if len(set(terms)) < len(terms) or not terms:
            message = "labels: there are none, or two of them have equal terms"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        if not results:
            raise GameError("results: name at least one output, such as 'result/1'", ErrorCode.INVALID_VALUE)
        is_file = isinstance(program, Path)
        if not is_file and str(program).strip().endswith(".lp"):
            message = f"program: {program!r} is a text of rules (pass Path({program!r}) for a file)"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        return cls(
            Path(program) if is_file else None,
            "" if is_file else str(program),
            match[1],
            terms,
            tuple(map(_parse_signature, results)),
            {_parse_signature(name): reader for name, reader in context.items()},
            limits,
        )

    def build_request(self, folder: Path, length: int, choices: str | None = None) -> BuildRequest:
        """Write the files of a program for one length.

        Args:
            folder: Folder for files that are made.
            length: Number of positions.
            choices: Rules that derive the pseudo-labels in place of an input; None to make them inputs.

        Returns:
            Files, inputs, outputs and constants.

        Raises:
            GameError: The rule file cannot be read, or a constant replaces a label.
        """
        rules = self.file or folder / "program.lp"
        try:
            text = self.file.read_text("utf-8") if self.file else self.text
        except (OSError, UnicodeDecodeError) as error:
            raise GameError(f"{self.file}: {error}", ErrorCode.FILE_NOT_READABLE) from None
        replaced = find_replaced_term(self.terms, {LENGTH, *_CONSTANT_NAME.findall(text)})
        if replaced is not None:
            message = f"pseudo_label_list: '{replaced}' is a constant of the program (map the label to another term)"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        if self.file is None:
            rules.write_text(text, "utf-8")
        prelude = "" if re.search(rf"#const\s+{LENGTH}\b", text) else f"#const {LENGTH} = {length}.\n"
        values = ";".join(map(str, self.terms))
        declaration = f"#external {self.symbol}(0..{length - 1},({values})).\n" if choices is None else choices
        (folder / "inputs.lp").write_text(f"#defined {self.symbol}/2.\n{prelude}{declaration}", "utf-8")
        inputs = [Input(signature.name, None, signature.arity) for signature in self.context]
        if choices is None:
            inputs.append(Input(self.symbol, (range(length), self.terms)))
        constants = {} if prelude else {LENGTH: length}
        return BuildRequest((folder / "inputs.lp", rules), tuple(inputs), self.results, constants)

    def context_atoms(self, x: Any) -> list[Atom]:
        """Return the true atoms of the context inputs of an example.

        Args:
            x: The example.

        Returns:
            The atoms.

        Raises:
            GameError: A reader fails, or returns no arguments of atoms.
        """
        atoms = []
        for signature, reader in self.context.items():
            subject = f"context of {signature}"
            rows = call_part(subject, reader, partial(_read_rows, reader, x), ErrorCode.INVALID_VALUE)
            for args in rows:
                if isinstance(args, (str, Mapping, Set)) or not hasattr(args, "__len__"):
                    message = f"{subject}: arguments of an atom are a tuple, such as (3,), not {args!r:.60}"
                    raise GameError(message, ErrorCode.INVALID_VALUE)
                atoms.append(Atom(signature.name, tuple(read_term(subject, argument) for argument in args)))
        return atoms


def _read_rows(reader: ContextReader, x: Any) -> list[Sequence[Term]]:
    return list(reader(x))


def _check_types(program: object, pseudo_labels: object, results: object, context: object, limits: object) -> None:
    """Raise GameError where a part of a declaration has another type."""
    outputs = results if isinstance(results, Sequence) else [None]
    readers = context if isinstance(context, Mapping) else {None: None}
    is_right = {
        "program: a text of rules, or the path of a file": isinstance(program, str | Path),
        "pseudo_labels: a text": isinstance(pseudo_labels, str),
        "results: a text, or a list of texts": all(isinstance(output, str) for output in outputs),
        "context: a function for each text": all(isinstance(k, str) and callable(f) for k, f in readers.items()),
        "limits: Limits, or None": limits is None or isinstance(limits, Limits),
    }
    for text, holds in is_right.items():
        if not holds:
            raise GameError(text, ErrorCode.INVALID_VALUE)


def _parse_signature(text: str) -> Signature:
    try:
        return Signature.parse(text)
    except ValueError as error:
        raise GameError(str(error), ErrorCode.INVALID_VALUE) from None


@dataclass(frozen=True, eq=False)
class CompiledProgram:
    """Circuit of a program for one length.

    Attributes:
        declaration: The program.
        length: Number of positions.
        kb: The ground program.
        circuit: Circuit of the outputs and the integrity constraints.
    """

    declaration: ProgramDeclaration
    length: int
    kb: KnowledgeBase
    circuit: Circuit

    @classmethod
    def load(cls, declaration: ProgramDeclaration, length: int) -> CompiledProgram | None:
        """Ground a program and compile it.

        Args:
            declaration: The program.
            length: Number of positions.

        Returns:
            The compiled program; None for a program that has no circuit.

        Raises:
            KBError: The rules have errors.
        """
        with tempfile.TemporaryDirectory(prefix="abl-cards-program-") as folder:
            request = declaration.build_request(Path(folder), length)
            try:
                kb = KnowledgeBase.load(
                    request.files,
                    inputs=request.inputs,
                    outputs=request.outputs,
                    constants=request.constants,
                    trusted=declaration.limits is None,
                    limits=declaration.limits,
                    ground_limits=GROUND_LIMITS if declaration.limits is None else None,
                )
            except KBError as error:
                problems = [problem for problem in error.diagnostics if problem.severity == "error"]
                refusals = [problem for problem in problems if problem.code not in OPEN_PROGRAM_CODES]
                if problems and not refusals:
                    return None
                raise KBError(refusals or error.diagnostics) from None
            return cls(declaration, length, kb, kb.circuit(*map(str, declaration.results), "violated/1"))

    @cached_property
    def symbol_rows(self) -> NDArray[np.int32]:
        """int32[length, labels] Input of each label at each position; -1 where no output depends on it."""
        rows = self.circuit.input_rows(self.declaration.symbol, 2)
        table = [[rows.get((p, term), -1) for term in self.declaration.terms] for p in range(self.length)]
        return np.array(table, np.int32).reshape(self.length, len(self.declaration.terms))

    @cached_property
    def context_rows(self) -> dict[Atom, int]:
        """Input of each context atom that an output depends on."""
        names = set(self.declaration.context)
        inputs = enumerate(self.circuit.inputs)
        return {atom: row for row, atom in inputs if Signature(atom.name, len(atom.args)) in names}

    @cached_property
    def known_context(self) -> frozenset[Atom]:
        """All declared atoms of the context inputs."""
        names = set(self.declaration.context)
        return frozenset(atom for atom in self.kb.input_atoms if Signature(atom.name, len(atom.args)) in names)

    @cached_property
    def result_rows(self) -> tuple[dict[tuple[Term, ...], int], ...]:
        """Output of each instance of each result predicate, by its arguments; those never derived are left out."""
        literals = self.circuit.output_literals
        return tuple(
            {args: row for args, row in self.circuit.output_rows(*signature).items() if literals[row] != 1}
            for signature in self.declaration.results
        )

    @cached_property
    def violation_rows(self) -> list[int]:
        """Outputs that hold where an integrity constraint is violated."""
        return list(self.circuit.output_rows("violated", 1).values())

    def read_context(self, x: Any) -> list[int]:
        """Return the circuit inputs that are true in the context of an example.

        Args:
            x: The example.

        Returns:
            Rows of inputs.

        Raises:
            GameError: A reader returns an atom that the program does not declare.
        """
        rows = []
        for atom in self.declaration.context_atoms(x):
            if atom in self.context_rows:
                rows.append(self.context_rows[atom])
            elif atom not in self.known_context:
                raise GameError(f"context: the program declares no input {atom}", ErrorCode.UNKNOWN_INPUT)
        return rows
