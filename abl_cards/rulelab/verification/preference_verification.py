"""Compare the preference circuits that agents use with clingo, move by move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.agents import make_preference_model as judge_of
from abl_cards.asp import Atom
from abl_cards.circuit import Mismatch, OutputTable
from abl_cards.core import derive_key, format_seed
from abl_cards.games import Engine, Game
from abl_cards.games.description import functor
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.sampling import sample_estimate
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists
from abl_cards.matches import sample_positions
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.rulelab.verification import clingo_pool
from abl_cards.rulelab.verification.clingo_pool import KnowledgeSource
from abl_cards.rulelab.verification.verification import OnProgress, find_mismatches, no_progress

PAIRS_PER_BATCH, DECISIONS_PER_BATCH = 20_000, 600
"""Decisions per batch; bounds memory. Each batch starts new processes."""

_NO_COST = np.iinfo(np.int64).max
_MASK = (1 << 62) - 1


@dataclass
class PreferenceVerification:
    """Result of comparing preferences."""

    groups: Mapping[str, str]  # by preference
    num_pairs: int = 0
    num_decisions: int = 0
    num_moves: int = 0  # moves of these decisions
    num_compared: int = 0  # pairs and moves
    num_estimated: int = 0  # pairs and moves judged with an estimate of the other hands
    num_inconsistent: int = 0  # pairs and moves that violate a constraint
    fired_counts: Counter[Atom] = field(default_factory=Counter)  # pairs and moves in which each cost fired
    mismatches: list[Mismatch] = field(default_factory=list)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """Return the groups of preferences with the instances that fired and their counts."""
        instances: dict[str, list[int]] = {}
        for name, times in self.fired_counts.items():
            instances.setdefault(self.groups[functor(str(name.args[0]))], []).append(times)
        rows = [
            (group, f"{np.count_nonzero(times)} of {len(times)}", f"{sum(times):,}")
            for group, times in sorted(instances.items())
        ]
        return ("group", "instances fired", "times"), rows

    def summary(self) -> Sequence[str]:
        """Return three lines; the last one counts the mismatches."""
        return (
            f"{len(self.fired_counts)} costs compared, {self.num_estimated:,} times with an estimate of the "
            "other hands",
            f"{self.num_decisions} whole decisions with {self.num_moves:,} moves",
            f"{self.num_pairs} pairs, {self.num_decisions} decisions, {len(self.mismatches)} mismatches",
        )

    def to_json(self, seed: int) -> dict[str, Any]:
        """Return the counts as JSON in a stable order."""
        return {
            "pairs": self.num_pairs, "decisions": self.num_decisions, "moves": self.num_moves,
            "estimated": self.num_estimated,
            "inconsistent": self.num_inconsistent, "seed": format_seed(seed), "outputs": len(self.fired_counts),
        }  # fmt: skip


@dataclass(frozen=True)
class _SampledDecisions:
    """Decisions with their moves and an optional estimate of the other hands."""

    decisions: Decisions | Choices
    lists: MoveLists
    estimate: HandEstimate | None


def verify_preferences(
    game: Game,
    directory: Path | None,
    profile: str | None,
    num_pairs: int,
    seed: int,
    on_progress: OnProgress = no_progress,
) -> PreferenceVerification:
    """Compare costs, names and constraints of single moves, then the chosen moves of whole decisions.

    Half of the decisions have an estimate of the other hands.

    Args:
        game: Game to verify.
        directory: Another rule folder; None for that of the game.
        profile: Profile of the folder; None for the default one.
        num_pairs: Number of random moves; whole decisions are compared in addition.
        seed: Seed of the decisions.
        on_progress: Called with finished and total states, and a remark.

    Returns:
        Counts and mismatches.

    Raises:
        KBError: The rules have errors.
    """
    on_progress(0, num_pairs, "compiling")
    engine = game.engine(directory, profile)
    verifier = _PreferenceVerifier(
        KnowledgeSource(game.name, directory, profile), engine, judge_of("kb", engine), on_progress
    )
    result = PreferenceVerification(verifier.preference_model.kb.preference_groups)
    for first, count in _batches(num_pairs, PAIRS_PER_BATCH):
        if samples := [_sample_moves(sample, seed) for sample in _sample_decisions(engine, count, seed, first)]:
            result.num_pairs += sum(len(sample.lists.form) for sample in samples)
            verifier.verify(samples, result)
    for first, count in _batches(decisions_for_pairs(num_pairs), DECISIONS_PER_BATCH):
        if decisions := _sample_decisions(engine, count, seed, num_pairs + first):
            result.num_decisions += sum(len(sample.lists.start) - 1 for sample in decisions)
            result.num_moves += sum(len(sample.lists.form) for sample in decisions)
            verifier.verify_choices(decisions, verifier.verify(decisions, result), result)
    return result


def decisions_for_pairs(pairs: int) -> int:
    """Return the number of whole decisions for a number of pairs: 300 for 20,000."""
    return -(-3 * pairs // 200)


def _batches(count: int, batch_size: int) -> Iterator[tuple[int, int]]:
    yield from ((first, min(batch_size, count - first)) for first in range(0, count, batch_size))


def _sample_decisions(engine: Engine, count: int, seed: int, first: int) -> list[_SampledDecisions]:
    """Sample decisions, half of them with an estimate."""
    samples = []
    for has_estimate, size in enumerate((count // 2, count - count // 2)):
        sample_seed = int(derive_key(seed, first, has_estimate)) & _MASK
        for decisions in sample_positions(engine, size, sample_seed) if size else ():
            movable, lists = _keep_movable(decisions)
            if len(movable.rows):
                estimate = sample_estimate(engine.rules, movable, sample_seed) if has_estimate else None
                samples.append(_SampledDecisions(movable, lists, estimate))
    return samples


def _keep_movable(decisions: Decisions | Choices) -> tuple[Decisions | Choices, MoveLists]:
    """Return the decisions that have moves, with their moves; random hands may have none."""
    lists = list_candidates(None, decisions)
    lengths = np.diff(lists.start)
    if lengths.all():
        return decisions, lists
    movable = decisions.select(np.flatnonzero(lengths))
    return movable, list_candidates(None, movable)


def _sample_moves(sample: _SampledDecisions, seed: int) -> _SampledDecisions:
    """Keep one random move of each decision."""
    start = sample.lists.start
    chosen = np.random.default_rng([seed, len(start)]).integers(start[:-1], start[1:])
    moves = sample.lists.select(chosen)
    return _SampledDecisions(sample.decisions, MoveLists(np.arange(len(start)), *moves), sample.estimate)


@dataclass(frozen=True)
class _PreferenceVerifier:
    """Preferences and the source of their rules for clingo."""

    source: KnowledgeSource
    engine: Engine
    preference_model: PreferenceModel
    on_progress: OnProgress

    def verify(self, choices: Sequence[_SampledDecisions], result: PreferenceVerification) -> OutputTable:
        """Compare the listed moves; returns clingo's answers."""
        claimed = _concatenate_tables([self._evaluate_circuits(sample) for sample in choices])
        inputs = [self.preference_model.inputs(sample.decisions, sample.lists, sample.estimate) for sample in choices]
        rows, everything = np.concatenate(inputs, axis=1), np.arange(len(claimed.outputs))
        states = rows.shape[1]
        offset, parts, mismatches = result.num_compared, {}, []
        for part, solved in clingo_pool.solve_states(self.source, rows, claimed.outputs):
            parts[part.start] = solved
            mismatches += find_mismatches(
                claimed.select(part, everything), solved, rows, self.preference_model.kb, part.start
            )
            num_done = sum(len(part.consistent) for part in parts.values())
            self.on_progress(num_done, states, f"{len(mismatches)} mismatches")
        mismatches.sort(key=lambda mismatch: mismatch.state)
        result.mismatches += [replace(item, state=offset + item.state) for item in mismatches]
        result.num_compared += states
        result.num_inconsistent += int((~claimed.consistent).sum())
        result.num_estimated += sum(len(sample.lists.form) for sample in choices if sample.estimate is not None)
        result.fired_counts.update(
            dict(zip(claimed.outputs, claimed.values.sum(axis=1, dtype=np.int64).tolist(), strict=True))
        )
        return _concatenate_tables([parts[start] for start in sorted(parts)])

    def _evaluate_circuits(self, sample: _SampledDecisions) -> OutputTable:
        """Evaluate the circuit: costs by name, and their sum."""
        arguments = sample.decisions, sample.lists, sample.estimate
        fired = np.concatenate([fired for _, fired in self.preference_model.evaluate(*arguments)], axis=1)
        costs = np.array([name == "cost" for name, _ in self.preference_model.outputs], bool)
        names = tuple(output for output in self.preference_model.outputs if output.name == "cost")
        return OutputTable(names, fired[costs], *self.preference_model.costs(*arguments))

    def verify_choices(
        self, choices: Sequence[_SampledDecisions], solved: OutputTable, result: PreferenceVerification
    ) -> None:
        """Compare the chosen moves: for clingo the consistent one with the lowest cost, the first of equals."""
        assert solved.cost is not None
        offset = 0
        costs = np.where(solved.consistent, solved.cost.astype(np.int64), _NO_COST)
        for sample in choices:
            order = Minimiser(self.preference_model).order(sample.decisions, sample.lists, estimate=sample.estimate)
            for low, high in pairwise(sample.lists.start.tolist()):
                move_costs = costs[offset + low : offset + high]
                best, chosen = low + int(move_costs.argmin()), int(order[low])
                if best != chosen and move_costs.min() < _NO_COST:  # all moves are inconsistent otherwise
                    first = result.num_compared - len(costs) + offset
                    message = f"the circuit chooses this move, clingo that of state {first + best}"
                    result.mismatches.append(Mismatch(first + chosen, message, ()))
            offset += len(order)


def _concatenate_tables(tables: Sequence[OutputTable]) -> OutputTable:
    return OutputTable(
        tables[0].outputs,
        np.concatenate([table.values for table in tables], axis=1),
        np.concatenate([table.cost for table in tables if table.cost is not None]),
        np.concatenate([table.consistent for table in tables]),
    )
