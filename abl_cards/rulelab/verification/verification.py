"""Circuit against clingo on random states, shared among the processors; and what the states covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import clingo
import numpy as np
from clingo import ast
from numpy.typing import NDArray

from abl_cards.asp import Atom, Limits, Signature, atom_from_symbol, clingo_arguments, read_statements
from abl_cards.circuit import (
    TRUE,
    Circuit,
    KnowledgeBase,
    Mismatch,
    OutputTable,
    compare_tables,
    tabulate_circuit,
    true_atoms,
)
from abl_cards.core import ErrorCode, GameError, format_seed
from abl_cards.games import Game, load
from abl_cards.rulelab.verification import clingo_pool
from abl_cards.rulelab.verification.clingo_pool import KnowledgeSource

OnProgress = Callable[[int, int, str], None]
"""Takes what is done, how much there is to do, and a remark."""


@dataclass(frozen=True)
class InputCoverage:
    """Values of one input predicate in the compared states."""

    predicate: Signature
    instances_text: str  # how many were true in some state
    at_once_text: str  # how many were true in one state
    kinds_text: str  # for terms: in how many states each kind of term was true


class VerificationReport(Protocol):
    """Result of a comparison, as text and as plain values."""

    @property
    def mismatches(self) -> list[Mismatch]:
        """Differences between circuit and clingo."""

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """Coverage of the inputs: column headings and rows."""

    def summary(self) -> Sequence[str]:
        """Lines; the last one counts the mismatches."""

    def to_json(self, seed: int) -> dict[str, Any]:
        """Everything but the mismatches."""


@dataclass(frozen=True)
class CircuitVerification:
    """Result of comparing all outputs; implements VerificationReport."""

    num_states: int
    num_outputs: int
    mismatches: list[Mismatch]
    coverage: list[InputCoverage]

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The inputs, and how many of their instances came up."""
        rows = [(str(row.predicate), row.instances_text, row.at_once_text, row.kinds_text) for row in self.coverage]
        return ("input", "instances seen", "true at once", "kinds, in states"), rows

    def summary(self) -> Sequence[str]:
        """Two lines."""
        return f"{self.num_outputs} outputs compared", f"{self.num_states} states, {len(self.mismatches)} mismatches"

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {"states": self.num_states, "seed": format_seed(seed), "outputs": self.num_outputs}


def no_progress(done: int, total: int, remark: str) -> None:
    """Report nothing."""


def verify_circuits(
    game: Game,
    directory: Path | None,
    profile: str | None,
    num_states: int,
    seed: int,
    on_progress: OnProgress = no_progress,
) -> CircuitVerification:
    """Compare every output that may be queried, costs and constraints too, with clingo in random states.

    Args:
        game: what is verified.
        directory: another rule folder for it; None for its own.
        profile: a profile of the folder; None for the default one.
        num_states: how many random states.
        seed: of the states.
        on_progress: called with states that are done, their number, and a remark.

    Raises:
        KBError: the rules are refused by `kb check`.
    """
    on_progress(0, num_states, "drawing states")
    knowledge = game.knowledge_base(directory, profile)
    circuit = knowledge.circuit(*map(str, knowledge.request.outputs), "cost/2", "violated/1")
    rows = game.engine(directory, profile).sample_facts(num_states, seed)
    place = {name: row for row, name in enumerate(knowledge.input_atoms)}
    claimed = tabulate_circuit(knowledge, circuit, rows[[place[name] for name in circuit.inputs]])
    settled = _find_constant_outputs(knowledge, circuit)
    once = [output for output, fixed in zip(circuit.outputs, settled, strict=True) if fixed]
    varying = [output for output, fixed in zip(circuit.outputs, settled, strict=True) if not fixed]
    order = np.concatenate([np.flatnonzero(~settled), np.flatnonzero(settled)])
    mismatches: list[Mismatch] = []
    done = 0
    source = KnowledgeSource(game.name, directory, profile)
    for part, solved in clingo_pool.solve_states(source, rows, varying, once):
        mismatches += find_mismatches(
            claimed.select(part, order[: len(solved.outputs)]), solved, rows, knowledge, part.start
        )
        done += part.stop - part.start
        on_progress(done, num_states, f"{len(mismatches)} mismatches")
    mismatches.sort(key=lambda mismatch: mismatch.state)
    return CircuitVerification(
        num_states, len(circuit.outputs), mismatches, _measure_used_inputs(knowledge, circuit, rows)
    )


def verify(game: Game | str, states: int = 10_000, seed: int = 0) -> CircuitVerification:
    """Compare the compiled circuit of a game with clingo on random states.

    From 2,000 states on, clingo runs in several processes that import the calling script again: call this from under
    ``if __name__ == "__main__":`` there.

    Args:
        game: A game, with the profile that it was loaded with, or its name or folder.
        states: Number of random states.
        seed: Seed of the states.

    Returns:
        Every difference in `mismatches`, an empty list where both agree, and the coverage of the inputs.

    Raises:
        GameError: The number of states is not positive.
        KBError: The rules have errors.
    """
    if states < 1:
        raise GameError(f"states: {states}, expected 1 or more", ErrorCode.INVALID_VALUE)
    game = load(game) if isinstance(game, str) else game
    return verify_circuits(game, None, game.profile, states, seed)


def find_mismatches(
    circuit_answers: OutputTable,
    clingo_answers: OutputTable,
    rows: NDArray[np.uint8],
    knowledge: KnowledgeBase,
    first_state: int,
) -> list[Mismatch]:
    """Return the differences in states from ``first_state`` on; rows [inputs, states]."""
    found = compare_tables(
        circuit_answers,
        clingo_answers,
        lambda state: tuple(true_atoms(rows, knowledge.input_atoms, first_state + state)),
    )
    return [replace(mismatch, state=first_state + mismatch.state) for mismatch in found]


def _find_constant_outputs(knowledge: KnowledgeBase, circuit: Circuit) -> NDArray[np.bool_]:
    """[outputs] which of them both sides know to be true in every state, so that one look at them is enough."""
    facts = _grounder_facts(knowledge)
    pairs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
    return np.array([literal == TRUE and output in facts for output, literal in pairs], bool)


def _grounder_facts(knowledge: KnowledgeBase) -> frozenset[Atom]:
    """The atoms that clingo's grounder calls facts."""
    control = clingo.Control([*clingo_arguments(knowledge.constants), "--warn=none"], logger=lambda code, text: None)
    with ast.ProgramBuilder(control) as builder:
        for statement in read_statements(knowledge.files, Limits().file_bytes, knowledge.request.library):
            builder.add(statement)
    control.ground([("base", [])])
    return frozenset(atom_from_symbol(item.symbol) for item in control.symbolic_atoms if item.is_fact)


def _measure_used_inputs(knowledge: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8]) -> list[InputCoverage]:
    """Return the coverage of the inputs that some rule depends on."""
    used = set(circuit.inputs)
    kept = [row for row, name in enumerate(knowledge.input_atoms) if name in used]
    return measure_input_coverage(tuple(knowledge.input_atoms[row] for row in kept), rows[kept])


def measure_input_coverage(atoms: tuple[Atom, ...], rows: NDArray[np.uint8]) -> list[InputCoverage]:
    """Return the values of each input predicate in the states [inputs, states]."""
    families: dict[Signature, list[int]] = {}
    for row, (name, args) in enumerate(atoms):
        families.setdefault(Signature(name, len(args)), []).append(row)
    return [
        _measure_predicate(signature, [atoms[row] for row in found], rows[found])
        for signature, found in families.items()
    ]


def _measure_predicate(signature: Signature, atoms: list[Atom], rows: NDArray[np.uint8]) -> InputCoverage:
    seen = int(rows.any(axis=1).sum())
    counts = Counter(rows.sum(axis=0, dtype=np.int64).tolist())
    kinds: Counter[str] = Counter()
    for name, row in zip(atoms, rows, strict=True):
        if len(name.args) == 1 and isinstance(name.args[0], str):
            kinds[name.args[0].partition("(")[0]] += int(row.sum())
    return InputCoverage(
        signature,
        f"{seen:,} of {len(atoms):,}",
        _format_counts(counts),
        ", ".join(f"{kind} {count:,}" for kind, count in kinds.items()),
    )


def _format_counts(counts: Counter[int]) -> str:
    """0: 60 %, 1: 40 % · or 0 to 27, all of them."""
    total = counts.total()
    if len(counts) <= 4:
        return ", ".join(f"{number}: {100 * counts[number] / total:.0f} %" for number in sorted(counts))
    low, high = min(counts), max(counts)
    missing = high - low + 1 - len(counts)
    return f"{low} to {high}" + (f" (without {missing} of these)" if missing else ", each number")
