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

from abl_cards.cli import clingo_pool
from abl_cards.cli.clingo_pool import Source
from abl_cards.games import Game
from abl_cards.logic import Atom, Circuit, KnowledgeBase, Mismatch, Signature, Table, claims, compare, true_atoms
from abl_cards.logic.build import Limits, arguments
from abl_cards.logic.circuit import TRUE
from abl_cards.logic.program import statements_of
from abl_cards.logic.terms import atom
from abl_cards.seeds import seed_text

OnProgress = Callable[[int, int, str], None]
"""Takes what is done, how much there is to do, and a remark."""


@dataclass(frozen=True)
class Coverage:
    """What the states made of one input predicate."""

    input: Signature
    instances: str  # how many were true in some state
    together: str  # how many were true in one state
    kinds: str  # for terms: in how many states each kind of term was true


class Report(Protocol):
    """What came of a comparison, in words and as plain values."""

    @property
    def mismatches(self) -> list[Mismatch]:
        """Where circuit and clingo differ."""

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """What was covered: the heads of the columns, and the rows."""

    def summary(self) -> Sequence[str]:
        """Lines; the last one counts the mismatches."""

    def to_json(self, seed: int) -> dict[str, Any]:
        """Everything but the mismatches."""


@dataclass(frozen=True)
class Verification:
    """What came of comparing all outputs; see Report."""

    states: int
    outputs: int
    mismatches: list[Mismatch]
    coverage: list[Coverage]

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The inputs, and how many of their instances came up."""
        rows = [(str(row.input), row.instances, row.together, row.kinds) for row in self.coverage]
        return ("input", "instances seen", "true at once", "kinds, in states"), rows

    def summary(self) -> Sequence[str]:
        """Two lines."""
        return f"{self.outputs} outputs compared", f"{self.states} states, {len(self.mismatches)} mismatches"

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {"states": self.states, "seed": seed_text(seed), "outputs": self.outputs}


def no_progress(done: int, total: int, remark: str) -> None:
    """Report nothing."""


def run(
    played: Game,
    directory: Path | None,
    profile: str | None,
    states: int,
    seed: int,
    on_progress: OnProgress = no_progress,
) -> Verification:
    """Compare every output that may be queried, costs and constraints too, with clingo in random states.

    Args:
        played: the game.
        directory: another rule folder for it; None for its own.
        profile: a profile of the folder; None for the default one.
        states: number of random states.
        seed: of the states.
        on_progress: called with states that are done, their number, and a remark.

    Raises:
        KBError: the rules are refused by `kb check`.
    """
    on_progress(0, states, "drawing states")
    knowledge = played.knowledge(directory, profile)
    circuit = knowledge.circuit(*map(str, knowledge.request.outputs), "cost/2", "violated/1")
    rows = played.engine(directory, profile).sample_facts(states, seed)
    place = {name: row for row, name in enumerate(knowledge.input_atoms)}
    claimed = claims(knowledge, circuit, rows[[place[name] for name in circuit.inputs]])
    settled = _settled(knowledge, circuit)
    once = [output for output, fixed in zip(circuit.outputs, settled, strict=True) if fixed]
    varying = [output for output, fixed in zip(circuit.outputs, settled, strict=True) if not fixed]
    order = np.concatenate([np.flatnonzero(~settled), np.flatnonzero(settled)])
    mismatches: list[Mismatch] = []
    done = 0
    source = Source(played.name, directory, profile)
    for part, solved in clingo_pool.solve(source, rows, varying, once):
        mismatches += find(claimed.at(part, order[: len(solved.outputs)]), solved, rows, knowledge, part.start)
        done += part.stop - part.start
        on_progress(done, states, f"{len(mismatches)} mismatches")
    mismatches.sort(key=lambda mismatch: mismatch.state)
    return Verification(states, len(circuit.outputs), mismatches, _coverage_of(knowledge, circuit, rows))


def find(
    claimed: Table, solved: Table, rows: NDArray[np.uint8], knowledge: KnowledgeBase, first: int
) -> list[Mismatch]:
    """Where the answers for the states from the first on differ; rows [every input, all states]."""
    found = compare(claimed, solved, lambda state: tuple(true_atoms(rows, knowledge.input_atoms, first + state)))
    return [replace(mismatch, state=first + mismatch.state) for mismatch in found]


def _settled(knowledge: KnowledgeBase, circuit: Circuit) -> NDArray[np.bool_]:
    """[outputs] which of them both sides know to be true in every state, so that one look at them is enough."""
    facts = _facts(knowledge)
    pairs = zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
    return np.array([literal == TRUE and output in facts for output, literal in pairs], bool)


def _facts(knowledge: KnowledgeBase) -> frozenset[Atom]:
    """The atoms that clingo's grounder calls facts."""
    control = clingo.Control([*arguments(knowledge.constants), "--warn=none"], logger=lambda code, text: None)
    with ast.ProgramBuilder(control) as builder:
        for statement in statements_of(knowledge.files, Limits().file_bytes, knowledge.request.library):
            builder.add(statement)
    control.ground([("base", [])])
    return frozenset(atom(item.symbol) for item in control.symbolic_atoms if item.is_fact)


def _coverage_of(knowledge: KnowledgeBase, circuit: Circuit, rows: NDArray[np.uint8]) -> list[Coverage]:
    """What some rule depends on; the other inputs change nothing."""
    used = set(circuit.inputs)
    kept = [row for row, name in enumerate(knowledge.input_atoms) if name in used]
    return coverage(tuple(knowledge.input_atoms[row] for row in kept), rows[kept])


def coverage(atoms: tuple[Atom, ...], rows: NDArray[np.uint8]) -> list[Coverage]:
    """What the states [inputs, states] made of each input predicate."""
    families: dict[Signature, list[int]] = {}
    for row, (name, args) in enumerate(atoms):
        families.setdefault(Signature(name, len(args)), []).append(row)
    return [_cover(signature, [atoms[row] for row in found], rows[found]) for signature, found in families.items()]


def _cover(signature: Signature, atoms: list[Atom], rows: NDArray[np.uint8]) -> Coverage:
    seen = int(rows.any(axis=1).sum())
    counts = Counter(rows.sum(axis=0, dtype=np.int64).tolist())
    kinds: Counter[str] = Counter()
    for name, row in zip(atoms, rows, strict=True):
        if len(name.args) == 1 and isinstance(name.args[0], str):
            kinds[name.args[0].partition("(")[0]] += int(row.sum())
    return Coverage(
        signature,
        f"{seen:,} of {len(atoms):,}",
        _numbers(counts),
        ", ".join(f"{kind} {count:,}" for kind, count in kinds.items()),
    )


def _numbers(counts: Counter[int]) -> str:
    """0: 60 %, 1: 40 % · or 0 to 27, all of them."""
    total = counts.total()
    if len(counts) <= 4:
        return ", ".join(f"{number}: {100 * counts[number] / total:.0f} %" for number in sorted(counts))
    low, high = min(counts), max(counts)
    missing = high - low + 1 - len(counts)
    return f"{low} to {high}" + (f" (without {missing} of these)" if missing else ", each number")
