"""Circuit against clingo: the same rules, the same states, the same answers, one core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from abl_cards.bench.figures import Figure, seconds, typical
from abl_cards.games import Engine, Game
from abl_cards.logic import Atom, Circuit, KnowledgeBase, Oracle, evaluate

Rows = NDArray[np.uint8]
"""[atoms, states], 0 or 1."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    states: int
    solved: int  # of them by clingo
    repetitions: int
    variations: bool  # a circuit a level, and torch


QUICK = Effort(states=4096, solved=150, repetitions=3, variations=False)
FULL = Effort(states=16384, solved=500, repetitions=7, variations=True)


@dataclass(frozen=True)
class _Work:
    """What is asked, and what must be answered."""

    circuit: Circuit
    atoms: tuple[Atom, ...]
    facts: Rows  # of all atoms
    rows: Rows  # of the circuit's inputs
    answers: Rows


def figures(game: Game, engine: Engine, effort: Effort) -> list[Figure]:
    """States a second, and their ratio."""
    knowledge, circuit = game.knowledge(), engine.play_circuit
    facts = engine.sample_facts(effort.states, seed=1)
    rows = rows_of(circuit, knowledge.input_atoms, facts)
    work = _Work(circuit, knowledge.input_atoms, facts, rows, evaluate(circuit, rows))
    clingo, fast = _by_turns(_solving(knowledge, work, effort.solved), work, effort)
    found = [
        Figure("clingo, multi-shot, one core", clingo, "states/s"),
        Figure("circuit, one core", fast, "states/s", others=(("clingo, here", clingo),)),
        Figure("circuit against clingo", fast / clingo, "times as fast", 5000),
    ]
    variations = (("a circuit for each level", _specialised), ("torch, one core", _torch))
    for what, measured in variations if effort.variations else ():
        rate = measured(work, effort.repetitions)
        if rate is not None:
            found.append(Figure(f"… {what}", rate, "states/s", others=(("circuit, here", fast),)))
    return found


def rows_of(circuit: Circuit, atoms: tuple[Atom, ...], facts: Rows) -> Rows:
    """The rows of a circuit's inputs among those of all atoms."""
    place = {name: row for row, name in enumerate(atoms)}
    return np.ascontiguousarray(facts[[place[name] for name in circuit.inputs]])


def _solving(knowledge: KnowledgeBase, work: _Work, states: int) -> Callable[[], None]:
    oracle, circuit = Oracle(knowledge), work.circuit
    questions = [[circuit.inputs[row] for row in np.flatnonzero(column)] for column in work.rows.T[:states]]

    def solve() -> None:
        for question in questions:
            oracle.solve(question, circuit.outputs)

    return solve


def _by_turns(solve: Callable[[], None], work: _Work, effort: Effort) -> tuple[float, float]:
    """States a second of clingo and circuit, in turns: a busy moment of the machine must not hit only one."""
    solving, evaluating = [], []
    for _ in range(effort.repetitions):
        solving.append(seconds(solve))
        evaluating.append(typical(lambda: evaluate(work.circuit, work.rows, work.answers), 9))
    return effort.solved / median(solving), effort.states / median(evaluating)


def _specialised(work: _Work, repetitions: int) -> float | None:
    """With the level fixed in a circuit of its own, and the states grouped by it; None in a game without levels."""
    levels = work.circuit.input_rows("level", 1)
    tasks: list[tuple[Circuit, Rows, Rows]] = []
    for level in levels:
        mine = np.flatnonzero(work.facts[work.atoms.index(Atom("level", level))])
        small = work.circuit.specialise({Atom("level", other): other == level for other in levels})
        rows = np.ascontiguousarray(rows_of(small, work.atoms, work.facts)[:, mine])
        answers = evaluate(small, rows)
        _must_agree(answers, work.answers[:, mine])
        tasks.append((small, rows, answers))
    if not tasks:
        return None
    return work.rows.shape[1] / typical(lambda: [evaluate(*task) for task in tasks], 5 * repetitions)


def _torch(work: _Work, repetitions: int) -> float | None:
    """The torch evaluator on the CPU; None where torch is not installed."""
    try:
        import torch
    except ImportError:
        return None
    from abl_cards.logic import evaluate_torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        given = torch.from_numpy(work.rows)
        _must_agree(evaluate_torch(work.circuit, given).numpy(), work.answers)
        return work.rows.shape[1] / typical(lambda: evaluate_torch(work.circuit, given), repetitions)
    finally:
        torch.set_num_threads(threads)


def _must_agree(answers: Rows, expected: Rows) -> None:
    if not np.array_equal(answers, expected):
        raise AssertionError("two evaluators answer differently: see abl-cards kb verify")
