"""Supervised training before self-play: ABLN on true hands, the decision model on recorded decisions.

The label of a recorded decision is abduced from the concrete cards (the label that they realise).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import Engine, Indices, Judge, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.hidden import Constraints
from abl_cards.streams import key_of, mix_all
from learners.abln import hands_loss
from learners.examples import Examples, lesson
from learners.networks import Networks
from learners.symmetry import Symmetries
from reasoners.hands import project, reckon
from reasoners.minimiser import Minimiser
from reasoners.survey import survey

Progress = Callable[[float, float], None]
"""Told the share that is done, and the loss."""


@dataclass(frozen=True)
class Lessons:
    """Decisions to learn from, and what their seats could know of the hidden hands."""

    examples: Examples
    constraints: Constraints
    source: Indices  # [n] the record or table each comes from

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Lessons:
        """Some of them."""
        return Lessons(self.examples.at(rows), self.constraints.at(rows), self.source[rows])

    @classmethod
    def joined(cls, parts: Sequence[Lessons]) -> Lessons:
        """One after the other."""
        return cls(
            Examples.joined([part.examples for part in parts]),
            Constraints.joined([part.constraints for part in parts]),
            np.concatenate([part.source for part in parts]),
        )


class Notes(Quiet):
    """Listens to tables, and writes every decision down."""

    def __init__(self, engine: Engine, judge: Judge) -> None:
        self._engine, self._judge = engine, judge
        self._parts: list[Lessons] = []

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Write down what the seats saw, what was hidden, and the label that was played."""
        decisions = tables.decisions(which)
        found = survey(self._engine, self._judge, decisions)
        others, constraints = tables.others(which), decisions.hidden()
        examples = Examples(
            observation=decisions.observe(),
            legal=found.choosable,
            to_beat=decisions.label_to_beat,
            regret=found.regret().astype(np.float16),
            plays=found.plays,
            prior=reckon(constraints, decisions.hints()).astype(np.float16),
            estimate=np.zeros(others.shape, np.float16),
            hands=others,
            label=decisions.labels_of(moves.form),
        )
        self._parts.append(Lessons(examples, constraints, which))

    def lessons(self) -> Lessons:
        """Everything so far."""
        return Lessons.joined(self._parts)


def from_records(engine: Engine, judge: Judge, records: Sequence[Mapping[str, Any]]) -> Lessons:
    """Every decision of some records; the source is the number of the record."""
    notes = Notes(engine, judge)
    engine.replay(records, notes)
    return notes.lessons()


def from_play(engine: Engine, judge: Judge, player: Agent, decisions: int, seed: int, tables: int = 1024) -> Lessons:
    """At least so many decisions of a player against itself; the source is the number of the table."""
    notes = Notes(engine, judge)
    keys = mix_all(np.full(tables, key_of(seed), np.uint64), np.arange(tables))
    playing: Tables = engine.tables(keys)
    minimiser, made, step = Minimiser(judge), 0, 0
    while made < decisions:
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, mix_all(playing.keys[over], 1))
        giving = playing.exchanging()
        if giving.size:
            playing.give(giving, minimiser.give(playing.exchanges(giving)))
        which = playing.playing()
        moves = player.play(playing.decisions(which), mix_all(playing.keys[which], playing.clock[which]))
        step += 1
        if step % _SPARSE == 0:  # neighbouring decisions of one table hide almost the same hands
            notes.played(playing, which, moves)
            made += len(which)
        playing.play(which, moves)
    return notes.lessons()


_SPARSE = 3


def rate(share: float, step: int, peak: float) -> float:
    """The learning rate when a share of the training is done: a short rise, then half a cosine."""
    return peak * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * cos(pi * min(1.0, share)))


def teach_abln(
    networks: Networks,
    lessons: Lessons,
    symmetries: Symmetries,
    steps: int,
    rng: np.random.Generator,
    batch: int = 1024,
    peak: float = 1e-3,
    progress: Progress | None = None,
) -> None:
    """Fit ABLN to the true hands."""
    abln = networks.abln
    if abln is None:
        raise ValueError("these networks have no ABLN")
    optimiser = torch.optim.AdamW(abln.parameters(), weight_decay=0.01)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate(step / steps, step, peak)
        rows = lessons.examples.at(rng.integers(0, len(lessons.examples), batch))
        told = lesson(rows, networks.device, symmetries, int(rng.integers(len(symmetries))))
        loss = hands_loss(abln(told.question.observation, told.prior), told.hands)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if progress:
            progress((step + 1) / steps, float(loss.detach()))


def with_estimates(networks: Networks, lessons: Lessons, batch: int = 4096) -> Lessons:
    """The same decisions with ABLN's estimates, projected onto what is consistent."""
    abln = networks.abln
    if abln is None:
        return lessons
    estimates = []
    with torch.inference_mode():
        for first in range(0, len(lessons.examples), batch):
            part = slice(first, first + batch)
            told = lesson(lessons.examples.at(part), networks.device)
            guess = abln(told.question.observation, told.prior).cpu().numpy()
            estimates.append(project(guess, lessons.constraints.at(part)).astype(np.float16))
    return replace(lessons, examples=replace(lessons.examples, estimate=np.concatenate(estimates)))


def teach_decisions(
    networks: Networks,
    examples: Examples,
    symmetries: Symmetries,
    steps: int,
    rng: np.random.Generator,
    batch: int = 1024,
    peak: float = 1e-3,
    progress: Progress | None = None,
) -> None:
    """Fit the policy to recorded labels, where there was a choice."""
    model = networks.decision
    chosen = examples.at(examples.legal.sum(axis=1) > 1)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    model.forget.p = networks.preset.forget
    model.train()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate(step / steps, step, peak)
        rows = chosen.at(rng.integers(0, len(chosen), batch))
        told = lesson(rows, networks.device, symmetries, int(rng.integers(len(symmetries))))
        loss = torch.nn.functional.nll_loss(model(told.question), told.label)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if progress:
            progress((step + 1) / steps, float(loss.detach()))
    model.forget.p = 0.0
    model.eval()


@dataclass(frozen=True)
class Agreement:
    """How often the most probable label is the one that was played."""

    overall: float
    not_passed: float  # where the expert did not pass
    choice: float  # where more than one label could be chosen


def agreement(networks: Networks, examples: Examples, pass_label: int, batch: int = 4096) -> Agreement:
    """Of the policy with recorded decisions."""
    same = []
    with torch.inference_mode():
        for first in range(0, len(examples), batch):
            told = lesson(examples.at(slice(first, first + batch)), networks.device)
            same.append((networks.decision(told.question).argmax(dim=1) == told.label).cpu().numpy())
    right = np.concatenate(same)
    played, open_ = examples.label != pass_label, examples.legal.sum(axis=1) > 1
    return Agreement(float(right.mean()), float(right[played].mean()), float(right[open_].mean()))
