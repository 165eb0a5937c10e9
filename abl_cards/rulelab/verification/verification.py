"""Compare circuits with clingo on random states in parallel, and measure the coverage of the states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature
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
from abl_cards.core import check_integer, check_seed, format_seed
from abl_cards.games import Engine, Game, resolve_game
from abl_cards.games.sampling import sample_input_rows
from abl_cards.rulelab.verification import clingo_pool
from abl_cards.rulelab.verification.clingo_pool import KnowledgeSource

OnProgress = Callable[[int, int, str], None]
"""Called with the number of finished states, their total, and a remark."""
MAX_STATES = 100_000_000
"""Most states that are compared at once."""


@dataclass(frozen=True)
class InputCoverage:
    """Values of one input predicate in the compared states."""

    predicate: Signature
    instances_text: str  # instances that were true in some state
    at_once_text: str  # instances that were true in one state
    kinds_text: str  # for terms: states in which each kind of term was true


@dataclass(frozen=True)
class CircuitVerification:
    """Result of comparing all outputs."""

    num_states: int
    num_outputs: int
    mismatches: list[Mismatch]
    coverage: list[InputCoverage]

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """Return the inputs with their numbers of true instances."""
        rows = [(str(row.predicate), row.instances_text, row.at_once_text, row.kinds_text) for row in self.coverage]
        return ("input", "instances seen", "true at once", "kinds, in states"), rows

    def summary(self) -> Sequence[str]:
        """Return two lines; the last one counts the mismatches."""
        return f"{self.num_outputs} outputs compared", f"{self.num_states} states, {len(self.mismatches)} mismatches"

    def to_json(self, seed: int) -> dict[str, Any]:
        """Return the counts as JSON in a stable order."""
        return {"states": self.num_states, "seed": format_seed(seed), "outputs": self.num_outputs}


def no_progress(done: int, total: int, remark: str) -> None:
    """Ignore progress."""


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
        game: Game to verify.
        directory: Another rule folder; None for that of the game.
        profile: Profile of the folder; None for the default one.
        num_states: Number of random states.
        seed: Seed of the states.
        on_progress: Called with finished and total states, and a remark.

    Returns:
        Mismatches, and the coverage of the inputs.

    Raises:
        KBError: The rules have errors.
    """
    on_progress(0, num_states, "drawing states")
    knowledge = game.knowledge_base(directory, profile)
    circuit = knowledge.circuit(*map(str, knowledge.request.outputs), "cost/2", "violated/1")
    rows = sample_input_rows(game.engine(directory, profile).rules, num_states, seed)
    row_by_atom = {name: row for row, name in enumerate(knowledge.input_atoms)}
    claimed = tabulate_circuit(knowledge, circuit, rows[[row_by_atom[name] for name in circuit.inputs]])
    source = KnowledgeSource(game.name, directory, profile)
    is_constant = _find_constant_outputs(source, circuit)
    constant = [output for output, is_fixed in zip(circuit.outputs, is_constant, strict=True) if is_fixed]
    varying = [output for output, is_fixed in zip(circuit.outputs, is_constant, strict=True) if not is_fixed]
    order = np.concatenate([np.flatnonzero(~is_constant), np.flatnonzero(is_constant)])
    mismatches: list[Mismatch] = []
    num_done = 0
    for part, solved in clingo_pool.solve_states(source, rows, varying, constant):
        mismatches += find_mismatches(
            claimed.select(part, order[: len(solved.outputs)]), solved, rows, knowledge, part.start
        )
        num_done += part.stop - part.start
        on_progress(num_done, num_states, f"{len(mismatches)} mismatches")
    mismatches.sort(key=lambda mismatch: mismatch.state)
    return CircuitVerification(
        num_states, len(circuit.outputs), mismatches, _measure_used_inputs(knowledge, circuit, rows)
    )


def verify(game: Game | Engine | str | Path, states: int = 10_000, seed: int = 0) -> CircuitVerification:
    """Compare the compiled circuit of a game with clingo on random states.

    From 2,000 states on, clingo runs in several processes that import the calling script again. So the script must call
    this function below ``if __name__ == "__main__":``.

    Args:
        game: A game (its own profile is used), its name, the path of a rule folder, or an engine.
        states: Number of random states, from 1 to 100,000,000.
        seed: Seed of the states.

    Returns:
        Every difference in `mismatches`, which is empty if both agree, and the coverage of the inputs.

    Raises:
        GameError: There is no such game, the number of states is out of range, or the seed is not an integer.
        KBError: The rules have errors.
    """
    num_states, seed = check_integer("states", states, 1, MAX_STATES), check_seed(seed)
    game = resolve_game(game)
    return verify_circuits(game, None, game.profile, num_states, seed)


def find_mismatches(
    circuit_answers: OutputTable,
    clingo_answers: OutputTable,
    rows: NDArray[np.uint8],
    knowledge: KnowledgeBase,
    first_state: int,
) -> list[Mismatch]:
    """Return the differences in states from ``first_state`` on; rows [inputs, states]."""
    mismatches = compare_tables(
        circuit_answers,
        clingo_answers,
        lambda state: tuple(true_atoms(rows, knowledge.input_atoms, first_state + state)),
    )
    return [replace(mismatch, state=first_state + mismatch.state) for mismatch in mismatches]


def _find_constant_outputs(source: KnowledgeSource, circuit: Circuit) -> NDArray[np.bool_]:
    """Return True [outputs] where both sides prove an output true in every state, so one comparison suffices."""
    facts = clingo_pool.load_oracle(source)[0].facts
    pairs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
    return np.array([literal == TRUE and output in facts for output, literal in pairs], bool)


def _measure_used_inputs(knowledge: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8]) -> list[InputCoverage]:
    """Return the coverage of the inputs that some rule depends on."""
    used = set(circuit.inputs)
    used_rows = [row for row, name in enumerate(knowledge.input_atoms) if name in used]
    return measure_input_coverage(tuple(knowledge.input_atoms[row] for row in used_rows), rows[used_rows])


def measure_input_coverage(atoms: tuple[Atom, ...], rows: NDArray[np.uint8]) -> list[InputCoverage]:
    """Return the values of each input predicate in the states [inputs, states]."""
    families: dict[Signature, list[int]] = {}
    for row, (name, args) in enumerate(atoms):
        families.setdefault(Signature(name, len(args)), []).append(row)
    return [
        _measure_predicate(signature, [atoms[row] for row in rows_of_predicate], rows[rows_of_predicate])
        for signature, rows_of_predicate in families.items()
    ]


def _measure_predicate(signature: Signature, atoms: list[Atom], rows: NDArray[np.uint8]) -> InputCoverage:
    num_seen = int(rows.any(axis=1).sum())
    counts = Counter(rows.sum(axis=0, dtype=np.int64).tolist())
    kinds: Counter[str] = Counter()
    for name, row in zip(atoms, rows, strict=True):
        if len(name.args) == 1 and isinstance(name.args[0], str):
            kinds[name.args[0].partition("(")[0]] += int(row.sum())
    return InputCoverage(
        signature,
        f"{num_seen:,} of {len(atoms):,}",
        _format_counts(counts),
        ", ".join(f"{kind} {count:,}" for kind, count in kinds.items()),
    )


def _format_counts(counts: Counter[int]) -> str:
    """Format counts of values: ``0: 60 %, 1: 40 %``, or ``0 to 27, each number``."""
    total = counts.total()
    if len(counts) <= 4:
        return ", ".join(f"{value}: {100 * counts[value] / total:.0f} %" for value in sorted(counts))
    low, high = min(counts), max(counts)
    missing = high - low + 1 - len(counts)
    return f"{low} to {high}" + (f" (without {missing} of these)" if missing else ", each number")
