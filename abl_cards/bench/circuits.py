"""Speed of the circuit against clingo: equal rules, states and answers, on one core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.bench.measurements import Measurement, measure_median_seconds, measure_seconds
from abl_cards.circuit import Circuit, KnowledgeBase, Oracle, evaluate
from abl_cards.games import Engine, Game
from abl_cards.games.sampling import sample_input_rows

BitRows = NDArray[np.uint8]
"""[atoms, states], 0 or 1."""


@dataclass(frozen=True)
class CircuitBenchConfig:
    """Size of the measurement."""

    num_states: int
    num_solved: int  # of them by clingo
    repetitions: int
    with_variants: bool  # also a circuit for each level, and torch


QUICK = CircuitBenchConfig(num_states=4096, num_solved=150, repetitions=3, with_variants=False)
FULL = CircuitBenchConfig(num_states=16384, num_solved=500, repetitions=7, with_variants=True)


@dataclass(frozen=True)
class _Workload:
    """States, and the answers that every evaluator must give."""

    circuit: Circuit
    atoms: tuple[Atom, ...]
    facts: BitRows  # of all atoms
    rows: BitRows  # of the circuit's inputs
    answers: BitRows  # of the circuit's outputs


def measure_circuits(game: Game, engine: Engine, config: CircuitBenchConfig) -> list[Measurement]:
    """Measure states a second of clingo and of the circuit.

    Args:
        game: The game, for its knowledge base.
        engine: The compiled game.
        config: Size of the measurement.

    Returns:
        Both rates, their ratio, and the rates of variants of the circuit.
    """
    knowledge, circuit = game.knowledge_base(), engine.rules.play_query.circuit
    facts = sample_input_rows(engine.rules, config.num_states, seed=1)
    rows = select_input_rows(circuit, knowledge.input_atoms, facts)
    work = _Workload(circuit, knowledge.input_atoms, facts, rows, evaluate(circuit, rows))
    clingo, fast = _measure_alternating(_make_clingo_task(knowledge, work, config.num_solved), work, config)
    measurements = [
        Measurement("clingo, multi-shot, one core", clingo, "states/s"),
        Measurement("circuit, one core", fast, "states/s", others=(("clingo, here", clingo),)),
        Measurement("circuit against clingo", fast / clingo, "times as fast", 5000),
    ]
    variations = (("a circuit for each level", _measure_specialised), ("torch, one core", _measure_torch))
    for what, measured in variations if config.with_variants else ():
        rate = measured(work, config.repetitions)
        if rate is not None:
            others = (("circuit, here", fast),)
            measurements.append(Measurement(f"… {what}", rate, "states/s", others=others))
    return measurements


def select_input_rows(circuit: Circuit, atoms: tuple[Atom, ...], facts: BitRows) -> BitRows:
    """Select the rows of a circuit's inputs.

    Args:
        circuit: The circuit.
        atoms: Names of the rows of ``facts``.
        facts: uint8 [atoms, states].

    Returns:
        uint8 [inputs, states].
    """
    row_of = {atom: row for row, atom in enumerate(atoms)}
    return np.ascontiguousarray(facts[[row_of[atom] for atom in circuit.inputs]])


def _make_clingo_task(knowledge: KnowledgeBase, work: _Workload, states: int) -> Callable[[], None]:
    oracle, circuit = Oracle(knowledge), work.circuit
    queries = [[circuit.inputs[row] for row in np.flatnonzero(column)] for column in work.rows.T[:states]]

    def solve() -> None:
        for query in queries:
            oracle.solve(query, circuit.outputs)

    return solve


def _measure_alternating(solve: Callable[[], None], work: _Workload, effort: CircuitBenchConfig) -> tuple[float, float]:
    """Return states a second of clingo and circuit, measured in turns, so that a busy moment slows both."""
    solving, evaluating = [], []
    for _ in range(effort.repetitions):
        solving.append(measure_seconds(solve))
        evaluating.append(measure_median_seconds(lambda: evaluate(work.circuit, work.rows, work.answers), 9))
    return effort.num_solved / median(solving), effort.num_states / median(evaluating)


def _measure_specialised(work: _Workload, repetitions: int) -> float | None:
    """Return states a second of circuits with a fixed level; None in a game without levels."""
    levels = work.circuit.input_rows("level", 1)
    tasks: list[tuple[Circuit, BitRows, BitRows]] = []
    for level in levels:
        states = np.flatnonzero(work.facts[work.atoms.index(Atom("level", level))])
        small = work.circuit.specialise({Atom("level", other): other == level for other in levels})
        rows = np.ascontiguousarray(select_input_rows(small, work.atoms, work.facts)[:, states])
        answers = evaluate(small, rows)
        _check_equal(answers, work.answers[:, states])
        tasks.append((small, rows, answers))
    if not tasks:
        return None
    return work.rows.shape[1] / measure_median_seconds(lambda: [evaluate(*task) for task in tasks], 5 * repetitions)


def _measure_torch(work: _Workload, repetitions: int) -> float | None:
    """Return states a second of the torch evaluator on the CPU; None where torch is not installed."""
    try:
        import torch
    except ImportError:
        return None
    from abl_cards.circuit import evaluate_torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rows = torch.from_numpy(work.rows)
        _check_equal(evaluate_torch(work.circuit, rows).numpy(), work.answers)
        return work.rows.shape[1] / measure_median_seconds(lambda: evaluate_torch(work.circuit, rows), repetitions)
    finally:
        torch.set_num_threads(threads)


def _check_equal(answers: BitRows, expected: BitRows) -> None:
    if not np.array_equal(answers, expected):
        raise AssertionError("two evaluators disagree: run abl-cards kb verify")
