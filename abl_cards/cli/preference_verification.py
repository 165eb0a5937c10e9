"""The preferences as the agents use them against clingo: the circuits of the judge, move by move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.agents import judge as judge_of
from abl_cards.cli import clingo_pool
from abl_cards.cli.clingo_pool import Source
from abl_cards.cli.verification import OnProgress, find, no_progress
from abl_cards.games import Choices, Decisions, Engine, Estimate, Game, Judge, MoveLists
from abl_cards.logic import Atom, Mismatch, Table
from abl_cards.positions import of_all_kinds
from abl_cards.seeds import seed_text
from abl_cards.streams import key_of
from reasoners.minimiser import Minimiser
from reasoners.phrases import functor

PAIRS_AT_ONCE, DECISIONS_AT_ONCE = 20_000, 600
"""Decided whose moves are held in memory together; each time processes are started afresh."""

_NEVER = np.iinfo(np.int64).max
_MASK = (1 << 62) - 1


@dataclass
class PreferenceVerification:
    """What came of it; see Report."""

    groups: Mapping[str, str]  # of each preference
    pairs: int = 0
    decisions: int = 0
    moves: int = 0  # of these decisions
    compared: int = 0  # pairs and moves
    estimated: int = 0  # pairs and moves judged with an estimate of the other hands
    inconsistent: int = 0  # pairs and moves that violate a constraint
    fired: Counter[Atom] = field(default_factory=Counter)  # in how many pairs and moves each cost did
    mismatches: list[Mismatch] = field(default_factory=list)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The groups of preferences, and how many of their instances fired how often."""
        instances: dict[str, list[int]] = {}
        for name, times in self.fired.items():
            instances.setdefault(self.groups[functor(str(name.args[0]))], []).append(times)
        rows = [
            (group, f"{np.count_nonzero(times)} of {len(times)}", f"{sum(times):,}")
            for group, times in sorted(instances.items())
        ]
        return ("group", "instances fired", "times"), rows

    def summary(self) -> Sequence[str]:
        """Three lines."""
        return (
            f"{len(self.fired)} costs compared, {self.estimated:,} times with an estimate of the other hands",
            f"{self.decisions} whole decisions with {self.moves:,} moves",
            f"{self.pairs} pairs, {self.decisions} decisions, {len(self.mismatches)} mismatches",
        )

    def to_json(self, seed: int) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {
            "pairs": self.pairs, "decisions": self.decisions, "moves": self.moves, "estimated": self.estimated,
            "inconsistent": self.inconsistent, "seed": seed_text(seed), "outputs": len(self.fired),
        }  # fmt: skip


@dataclass(frozen=True)
class _Asked:
    """Decided to make, and what is believed of the other hands."""

    choice: Decisions | Choices
    lists: MoveLists
    estimate: Estimate | None


def run(
    played: Game,
    directory: Path | None,
    profile: str | None,
    pairs: int,
    seed: int,
    on_progress: OnProgress = no_progress,
) -> PreferenceVerification:
    """Compare costs, names and constraints of single moves, then the chosen moves of whole decisions.

    Half of the choices come with an estimate of the other hands. The arguments are those of ``verification.run``.

    Raises:
        KBError: the rules are refused by `kb check`.
    """
    on_progress(0, pairs, "compiling")
    engine = played.engine(directory, profile)
    bench = _Bench(Source(played.name, directory, profile), engine, judge_of("kb", engine), on_progress)
    result = PreferenceVerification(bench.judge.kb.groups)
    for first, number in _portions(pairs, PAIRS_AT_ONCE):
        if single := [_one_each(asked, seed) for asked in _choices(engine, number, seed, first)]:
            result.pairs += sum(len(asked.lists.form) for asked in single)
            bench.verify(single, result)
    for first, number in _portions(decisions_for(pairs), DECISIONS_AT_ONCE):
        if choices := _choices(engine, number, seed, pairs + first):
            result.decisions += sum(len(asked.lists.start) - 1 for asked in choices)
            result.moves += sum(len(asked.lists.form) for asked in choices)
            bench.verify_choices(choices, bench.verify(choices, result), result)
    return result


def decisions_for(pairs: int) -> int:
    """Whole decisions that are compared beside so many pairs: 300 to 20,000."""
    return -(-3 * pairs // 200)


def _portions(number: int, at_once: int) -> Iterator[tuple[int, int]]:
    yield from ((first, min(at_once, number - first)) for first in range(0, number, at_once))


def _choices(engine: Engine, number: int, seed: int, first: int) -> list[_Asked]:
    """So many choices, half of them with an estimate."""
    found = []
    for estimated, size in enumerate((number // 2, number - number // 2)):
        mine = int(key_of(seed, first, estimated)) & _MASK
        for choice in of_all_kinds(engine, size, mine) if size else ():
            some, lists = _with_moves(choice)
            if len(some.which):
                estimate = engine.sample_estimate(some, mine) if estimated else None
                found.append(_Asked(some, lists, estimate))
    return found


def _with_moves(choice: Decisions | Choices) -> tuple[Decisions | Choices, MoveLists]:
    """Those where there is a move, and what there is: cards drawn at random come to states where there is none."""
    lists = choice.moves()
    lengths = np.diff(lists.start)
    if lengths.all():
        return choice, lists
    some = choice.at(np.flatnonzero(lengths))
    return some, some.moves()


def _one_each(asked: _Asked, seed: int) -> _Asked:
    """One random move of each choice."""
    start = asked.lists.start
    chosen = np.random.default_rng([seed, len(start)]).integers(start[:-1], start[1:])
    moves = asked.lists.rows(chosen)
    return _Asked(asked.choice, MoveLists(np.arange(len(start)), *moves), asked.estimate)


@dataclass(frozen=True)
class _Bench:
    """A judge, and where clingo finds its rules."""

    source: Source
    engine: Engine
    judge: Judge
    on_progress: OnProgress

    def verify(self, choices: Sequence[_Asked], result: PreferenceVerification) -> Table:
        """Compare the listed moves; returns clingo's answers."""
        claimed = _joined([self._claims(asked) for asked in choices])
        told = [self.judge.facts(asked.choice, asked.lists, asked.estimate) for asked in choices]
        rows, everything = np.concatenate(told, axis=1), np.arange(len(claimed.outputs))
        states = rows.shape[1]
        before, parts, found = result.compared, {}, []
        for part, solved in clingo_pool.solve(self.source, rows, claimed.outputs):
            parts[part.start] = solved
            found += find(claimed.at(part, everything), solved, rows, self.judge.kb, part.start)
            done = sum(len(part.consistent) for part in parts.values())
            self.on_progress(done, states, f"{len(found)} mismatches")
        found.sort(key=lambda mismatch: mismatch.state)
        result.mismatches += [replace(each, state=before + each.state) for each in found]
        result.compared += states
        result.inconsistent += int((~claimed.consistent).sum())
        result.estimated += sum(len(asked.lists.form) for asked in choices if asked.estimate is not None)
        result.fired.update(
            dict(zip(claimed.outputs, claimed.values.sum(axis=1, dtype=np.int64).tolist(), strict=True))
        )
        return _joined([parts[start] for start in sorted(parts)])

    def _claims(self, asked: _Asked) -> Table:
        """What the judge says, by the names of the costs and in sum."""
        given = asked.choice, asked.lists, asked.estimate
        fired = np.concatenate([fired for _, fired in self.judge.fired(*given)], axis=1)
        costs = np.array([name == "cost" for name, _ in self.judge.outputs], bool)
        names = tuple(output for output in self.judge.outputs if output.name == "cost")
        return Table(names, fired[costs], *self.judge.costs(*given))

    def verify_choices(self, choices: Sequence[_Asked], solved: Table, result: PreferenceVerification) -> None:
        """Compare the chosen moves: for clingo the consistent one with the lowest cost, the first of equals."""
        assert solved.cost is not None
        before = 0
        dear = np.where(solved.consistent, solved.cost.astype(np.int64), _NEVER)
        for asked in choices:
            order = Minimiser(self.judge).order(asked.choice, asked.lists, estimate=asked.estimate)
            for low, high in pairwise(asked.lists.start.tolist()):
                mine = dear[before + low : before + high]
                best, chosen = low + int(mine.argmin()), int(order[low])
                if best != chosen and mine.min() < _NEVER:  # else clingo has no costs to choose by
                    first = result.compared - len(dear) + before
                    message = f"the circuit chooses this move, clingo that of state {first + best}"
                    result.mismatches.append(Mismatch(first + chosen, message, ()))
            before += len(order)


def _joined(tables: Sequence[Table]) -> Table:
    return Table(
        tables[0].outputs,
        np.concatenate([table.values for table in tables], axis=1),
        np.concatenate([table.cost for table in tables if table.cost is not None]),
        np.concatenate([table.consistent for table in tables]),
    )
