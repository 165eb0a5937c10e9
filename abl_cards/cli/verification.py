"""Circuit against clingo on random states, shared among the processors; and what the states covered."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import clingo
import numpy as np
from numpy.typing import NDArray

from abl_cards.cli.console import load_engine, progress, waiting
from abl_cards.games import Game, game
from abl_cards.logic import Atom, Circuit, KnowledgeBase, Mismatch, Oracle, Signature, verify
from abl_cards.logic.build import arguments
from abl_cards.logic.circuit import TRUE
from abl_cards.logic.terms import atom
from abl_cards.parallel import THREADS

CHUNK = 250
"""States a process is given at once."""

WORTH_A_PROCESS = 1000
"""With fewer states than this a second process would start longer than it works."""


@dataclass(frozen=True)
class Coverage:
    """What the states made of one input predicate."""

    input: Signature
    instances: str  # how many were true in some state
    together: str  # how many were true in one state
    kinds: str  # for terms: in how many states each kind of term was true


@dataclass(frozen=True)
class Verification:
    """What came of it."""

    outputs: int
    mismatches: list[Mismatch]
    coverage: list[Coverage]


@dataclass(frozen=True)
class _Task:
    """What a process needs to know to build the same knowledge base again."""

    game: str
    directory: Path | None
    profile: str | None


def run(played: Game, directory: Path | None, profile: str | None, states: int, seed: int) -> Verification:
    """Compare every output that may be asked for, costs and constraints too, in random states; raises KBError."""
    task = _Task(played.name, directory, profile)
    with waiting("drawing states"):
        bench = _bench(task)
        rows = load_engine(played, directory, profile).sample_facts(states, seed)
    mismatches: list[Mismatch] = []
    with progress("circuit and clingo", states) as tell:
        done = 0
        for first, found in _each_chunk(task, rows):
            mismatches += [replace(mismatch, state=first + mismatch.state) for mismatch in found]
            done += min(CHUNK, states - first)
            tell(done, f"{len(mismatches)} mismatches")
    mismatches.sort(key=lambda mismatch: mismatch.state)
    return Verification(len(bench.everything.outputs), mismatches, _coverage_of(bench, rows))


def _each_chunk(task: _Task, rows: NDArray[np.uint8]) -> Iterator[tuple[int, list[Mismatch]]]:
    """The first state of each chunk and what was found there, as they are done."""
    states = rows.shape[1]
    chunks = {first: np.packbits(rows[:, first : first + CHUNK], axis=1) for first in range(0, states, CHUNK)}
    widths = {first: min(CHUNK, states - first) for first in chunks}
    if min(THREADS, states // WORTH_A_PROCESS) < 2:
        yield from ((first, _compare(task, first, chunk, widths[first])) for first, chunk in chunks.items())
        return
    # Threads are running here already, and a forked process would inherit their locks: start afresh.
    with ProcessPoolExecutor(min(THREADS, len(chunks)), multiprocessing.get_context("spawn")) as pool:
        tasks = {pool.submit(_compare, task, first, chunk, widths[first]): first for first, chunk in chunks.items()}
        try:
            yield from ((tasks[future], future.result()) for future in as_completed(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True)
class _Bench:
    """A process's own knowledge base and clingo."""

    knowledge: KnowledgeBase
    oracle: Oracle
    atoms: tuple[Atom, ...]
    everything: Circuit  # all outputs
    varying: Circuit  # those that clingo's grounder does not call facts


@cache
def _bench(task: _Task) -> _Bench:
    knowledge = game(task.game).knowledge(task.directory, task.profile)
    everything = knowledge.circuit(*map(str, knowledge.request.outputs), "cost/2", "violated/1")
    facts = _facts(knowledge)
    outputs = zip(everything.outputs, everything.output_literals.tolist(), strict=True)
    varying = np.array([not (literal == TRUE and output in facts) for output, literal in outputs], bool)
    return _Bench(
        knowledge,
        Oracle(knowledge),
        knowledge.input_atoms,
        everything,
        replace(
            everything,
            outputs=tuple(output for output, kept in zip(everything.outputs, varying, strict=True) if kept),
            output_literals=everything.output_literals[varying],
        ),
    )


def _facts(knowledge: KnowledgeBase) -> frozenset[Atom]:
    """The atoms that clingo's grounder calls facts: true in every state, so one look at them is enough."""
    control = clingo.Control([*arguments(knowledge.constants), "--warn=none"], logger=lambda code, text: None)
    for file in knowledge.files:
        control.load(str(file))
    control.ground([("base", [])])
    return frozenset(atom(item.symbol) for item in control.symbolic_atoms if item.is_fact)


def _compare(task: _Task, first: int, packed: NDArray[np.uint8], states: int) -> list[Mismatch]:
    bench = _bench(task)
    rows = np.unpackbits(packed, axis=1, count=states)
    circuit = bench.everything if first == 0 else bench.varying
    place = {name: row for row, name in enumerate(bench.atoms)}
    wanted = [place[name] for name in circuit.inputs]
    return verify(bench.knowledge, circuit, rows[wanted], bench.oracle)


def _coverage_of(bench: _Bench, rows: NDArray[np.uint8]) -> list[Coverage]:
    """What some rule depends on; the other inputs change nothing."""
    used = set(bench.everything.inputs)
    kept = [row for row, name in enumerate(bench.atoms) if name in used]
    return coverage(tuple(bench.atoms[row] for row in kept), rows[kept])


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
