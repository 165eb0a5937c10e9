"""The preferences as the agents use them against clingo: the circuits of the judge, move by move."""

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
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists
from abl_cards.matches import sample_positions
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import functor
from abl_cards.rulelab.verification import clingo_pool
from abl_cards.rulelab.verification.clingo_pool import KnowledgeSource
from abl_cards.rulelab.verification.verification import OnProgress, find_mismatches, no_progress

PAIRS_PER_BATCH, DECISIONS_PER_BATCH = 20_000, 600
"""Decided whose moves are held in memory together; each time processes are started afresh."""

_NO_COST = np.iinfo(np.int64).max
_MASK = (1 << 62) - 1


@dataclass
class PreferenceVerification:
    """Result of comparing preferences; implements VerificationReport."""

    groups: Mapping[str, str]  # of each preference
    num_pairs: int = 0
    num_decisions: int = 0
    num_moves: int = 0  # of these decisions
    num_compared: int = 0  # pairs and moves
    num_estimated: int = 0  # pairs and moves judged with an estimate of the other hands
    num_inconsistent: int = 0  # pairs and moves that violate a constraint
    fired_counts: Counter[Atom] = field(default_factory=Counter)  # in how many pairs and moves each cost did
    mismatches: list[Mismatch] = field(default_factory=list)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The groups of preferences, and how many of their instances fired how often."""
        instances: dict[str, list[int]] = {}
        for name, times in self.fired_counts.items():
            instances.setdefault(self.groups[functor(str(name.args[0]))], []).append(times)
        rows = [
            (group, f"{np.count_nonzero(times)} of {len(times)}", f"{sum(times):,}")
            for group, times in sorted(instances.items())
        ]
        return ("group", "instances fired", "times"), rows

    def summary(self) -> Sequence[str]:
        """Three lines."""
        return (
            f"{len(self.fired_counts)} costs compared, {self.num_estimated:,} times with an estimate of the "
            "other hands",
            f"{self.num_decisions} whole decisions with {self.num_moves:,} moves",
            f"{self.num_pairs} pairs, {self.num_decisions} decisions, {len(self.mismatches)} mismatches",
        )

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {
            "pairs": self.num_pairs, "decisions": self.num_decisions, "moves": self.num_moves,
            "estimated": self.num_estimated,
            "inconsistent": self.num_inconsistent, "seed": format_seed(seed), "outputs": len(self.fired_counts),
        }  # fmt: skip


@dataclass(frozen=True)
class _SampledDecisions:
    """Decided to make, and what is believed of the other hands."""

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

    Half of the choices come with an estimate of the other hands. The arguments are those of ``verify_circuits``.

    Raises:
        KBError: the rules are refused by `kb check`.
    """
    on_progress(0, num_pairs, "compiling")
    engine = game.engine(directory, profile)
    bench = _PreferenceVerifier(
        KnowledgeSource(game.name, directory, profile), engine, judge_of("kb", engine), on_progress
    )
    result = PreferenceVerification(bench.preference_model.kb.preference_groups)
    for first, number in _batches(num_pairs, PAIRS_PER_BATCH):
        if single := [_sample_moves(asked, seed) for asked in _sample_decisions(engine, number, seed, first)]:
            result.num_pairs += sum(len(asked.lists.form) for asked in single)
            bench.verify(single, result)
    for first, number in _batches(decisions_for_pairs(num_pairs), DECISIONS_PER_BATCH):
        if choices := _sample_decisions(engine, number, seed, num_pairs + first):
            result.num_decisions += sum(len(asked.lists.start) - 1 for asked in choices)
            result.num_moves += sum(len(asked.lists.form) for asked in choices)
            bench.verify_choices(choices, bench.verify(choices, result), result)
    return result


def decisions_for_pairs(pairs: int) -> int:
    """Whole decisions that are compared beside so many pairs: 300 to 20,000."""
    return -(-3 * pairs // 200)


def _batches(number: int, at_once: int) -> Iterator[tuple[int, int]]:
    yield from ((first, min(at_once, number - first)) for first in range(0, number, at_once))


def _sample_decisions(engine: Engine, number: int, seed: int, first: int) -> list[_SampledDecisions]:
    """So many choices, half of them with an estimate."""
    found = []
    for estimated, size in enumerate((number // 2, number - number // 2)):
        mine = int(derive_key(seed, first, estimated)) & _MASK
        for choice in sample_positions(engine, size, mine) if size else ():
            some, lists = _keep_movable(choice)
            if len(some.rows):
                estimate = engine.sample_estimate(some, mine) if estimated else None
                found.append(_SampledDecisions(some, lists, estimate))
    return found


def _keep_movable(choice: Decisions | Choices) -> tuple[Decisions | Choices, MoveLists]:
    """Return the decisions that have moves, with their moves; random hands may have none."""
    lists = choice.moves()
    lengths = np.diff(lists.start)
    if lengths.all():
        return choice, lists
    some = choice.select(np.flatnonzero(lengths))
    return some, some.moves()


def _sample_moves(asked: _SampledDecisions, seed: int) -> _SampledDecisions:
    """One random move of each choice."""
    start = asked.lists.start
    chosen = np.random.default_rng([seed, len(start)]).integers(start[:-1], start[1:])
    moves = asked.lists.select(chosen)
    return _SampledDecisions(asked.decisions, MoveLists(np.arange(len(start)), *moves), asked.estimate)


@dataclass(frozen=True)
class _PreferenceVerifier:
    """A judge, and where clingo finds its rules."""

    source: KnowledgeSource
    engine: Engine
    preference_model: PreferenceModel
    on_progress: OnProgress

    def verify(self, choices: Sequence[_SampledDecisions], result: PreferenceVerification) -> OutputTable:
        """Compare the listed moves; returns clingo's answers."""
        claimed = _concatenate_tables([self._evaluate_circuits(asked) for asked in choices])
        told = [self.preference_model.inputs(asked.decisions, asked.lists, asked.estimate) for asked in choices]
        rows, everything = np.concatenate(told, axis=1), np.arange(len(claimed.outputs))
        states = rows.shape[1]
        before, parts, found = result.num_compared, {}, []
        for part, solved in clingo_pool.solve_states(self.source, rows, claimed.outputs):
            parts[part.start] = solved
            found += find_mismatches(
                claimed.select(part, everything), solved, rows, self.preference_model.kb, part.start
            )
            done = sum(len(part.consistent) for part in parts.values())
            self.on_progress(done, states, f"{len(found)} mismatches")
        found.sort(key=lambda mismatch: mismatch.state)
        result.mismatches += [replace(each, state=before + each.state) for each in found]
        result.num_compared += states
        result.num_inconsistent += int((~claimed.consistent).sum())
        result.num_estimated += sum(len(asked.lists.form) for asked in choices if asked.estimate is not None)
        result.fired_counts.update(
            dict(zip(claimed.outputs, claimed.values.sum(axis=1, dtype=np.int64).tolist(), strict=True))
        )
        return _concatenate_tables([parts[start] for start in sorted(parts)])

    def _evaluate_circuits(self, asked: _SampledDecisions) -> OutputTable:
        """Evaluate the circuit: costs by name, and their sum."""
        given = asked.decisions, asked.lists, asked.estimate
        fired = np.concatenate([fired for _, fired in self.preference_model.evaluate(*given)], axis=1)
        costs = np.array([name == "cost" for name, _ in self.preference_model.outputs], bool)
        names = tuple(output for output in self.preference_model.outputs if output.name == "cost")
        return OutputTable(names, fired[costs], *self.preference_model.costs(*given))

    def verify_choices(
        self, choices: Sequence[_SampledDecisions], solved: OutputTable, result: PreferenceVerification
    ) -> None:
        """Compare the chosen moves: for clingo the consistent one with the lowest cost, the first of equals."""
        assert solved.cost is not None
        before = 0
        dear = np.where(solved.consistent, solved.cost.astype(np.int64), _NO_COST)
        for asked in choices:
            order = Minimiser(self.preference_model).order(asked.decisions, asked.lists, estimate=asked.estimate)
            for low, high in pairwise(asked.lists.start.tolist()):
                mine = dear[before + low : before + high]
                best, chosen = low + int(mine.argmin()), int(order[low])
                if best != chosen and mine.min() < _NO_COST:  # else clingo has no costs to choose by
                    first = result.num_compared - len(dear) + before
                    message = f"the circuit chooses this move, clingo that of state {first + best}"
                    result.mismatches.append(Mismatch(first + chosen, message, ()))
            before += len(order)


def _concatenate_tables(tables: Sequence[OutputTable]) -> OutputTable:
    return OutputTable(
        tables[0].outputs,
        np.concatenate([table.values for table in tables], axis=1),
        np.concatenate([table.cost for table in tables if table.cost is not None]),
        np.concatenate([table.consistent for table in tables]),
    )
