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
from abl_cards.seeds import seed64
from abl_cards.streams import key_of, mix_all
from learners.abln import ABLN, hands_loss
from learners.examples import Examples, Lesson, lesson
from learners.networks import Networks
from learners.presets import DRAWS
from learners.symmetry import Symmetries
from reasoners.hands import project, reckon
from reasoners.minimiser import Minimiser
from reasoners.replies import keys_of, replies
from reasoners.survey import plays_after, survey

Progress = Callable[[int, float], None]
"""Told after each step how many are done, and the loss."""
Loss = Callable[[np.random.Generator], torch.Tensor]
"""What is to become small, of a batch that the random numbers choose."""


@dataclass(frozen=True)
class Lessons:
    """Decisions to learn from, and what their seats could know of the hidden hands."""

    examples: Examples
    constraints: Constraints
    context: NDArray[np.int8]  # [n] see Decisions.context
    source: Indices  # [n] the record or table each comes from

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Lessons:
        """Some of them."""
        return Lessons(self.examples.at(rows), self.constraints.at(rows), self.context[rows], self.source[rows])

    @classmethod
    def joined(cls, parts: Sequence[Lessons]) -> Lessons:
        """One after the other."""
        return cls(
            Examples.joined([part.examples for part in parts]),
            Constraints.joined([part.constraints for part in parts]),
            np.concatenate([part.context for part in parts]),
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
        plays = plays_after(self._engine, decisions, found)
        others, constraints = tables.others(which), decisions.hidden()
        examples = Examples(
            observation=decisions.observe(),
            legal=found.choosable,
            to_beat=decisions.label_to_beat,
            regret=found.regret().astype(np.float16),
            plays=plays,
            prior=reckon(constraints, decisions.hints()).astype(np.float16),
            estimate=np.zeros(others.shape, np.float16),
            replies=np.zeros((*others.shape[:2], plays.shape[1]), np.uint8),
            hands=others,
            label=decisions.labels_of(moves.form),
        )
        self._parts.append(Lessons(examples, constraints, decisions.context, which))

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
    made = 0

    def note(notes: Notes, playing: Tables, which: Indices, moves: Moves) -> None:
        nonlocal made
        notes.played(playing, which, moves)
        made += len(which)

    return _own(engine, judge, player, seed, tables, note, lambda ended: made < decisions)


def from_games(engine: Engine, judge: Judge, player: Agent, games: int, seed: int, tables: int = 1024) -> Lessons:
    """The decisions with a choice of at least so many episodes of a player against itself, every third one."""

    def note(notes: Notes, playing: Tables, which: Indices, moves: Moves) -> None:
        rows = np.flatnonzero(playing.decisions(which).legal.sum(axis=0) > 1)
        if rows.size:
            notes.played(playing, which[rows], Moves(moves.form[rows], moves.cards[rows]))

    return _own(engine, judge, player, seed, min(games, tables), note, lambda ended: ended < games)


class _Ended(Quiet):
    """Counts episodes."""

    def __init__(self) -> None:
        self.count = 0

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """So many more."""
        self.count += len(which)


def _own(
    engine: Engine, judge: Judge, player: Agent, seed: int, tables: int,
    note: Callable[[Notes, Tables, Indices, Moves], None], more: Callable[[int], bool],
) -> Lessons:  # fmt: skip
    """Let a player play against itself while there is to be more, told how many episodes have ended."""
    notes, ended = Notes(engine, judge), _Ended()
    keys = mix_all(np.full(tables, key_of(seed), np.uint64), np.arange(tables))
    playing: Tables = engine.tables(keys, ended)
    playing.patient = True
    minimiser, step = Minimiser(judge), 0
    while more(ended.count):
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, mix_all(playing.keys[over], 1))
        giving = playing.choosing()
        if giving.size:
            playing.choose(giving, minimiser.choose(playing.choices(giving)))
        which = playing.playing()
        moves = player.play(playing.decisions(which), mix_all(playing.keys[which], playing.clock[which]))
        step += 1
        if step % _SPARSE == 0:  # neighbouring decisions of one table hide almost the same hands
            note(notes, playing, which, moves)
        playing.play(which, moves)
    return notes.lessons()


_SPARSE = 3


@dataclass
class Fit:
    """Supervised training that can be put away and taken up again."""

    model: torch.nn.Module
    loss: Callable[[Lesson, Any], torch.Tensor]  # of examples as a lesson, and as they are
    symmetries: Symmetries
    steps: int
    seed: int = 0
    batch: int = 1024
    peak: float = 1e-3  # learning rate
    decay: float = 0.01  # of the weights

    def __post_init__(self) -> None:
        self._optimiser = torch.optim.AdamW(self.model.parameters(), weight_decay=self.decay)
        self._done = 0

    def go(
        self, examples: Examples, device: torch.device, progress: Progress | None = None, until: int | None = None
    ) -> None:
        """Train on examples to the end, or until so many steps are done; progress may raise to stop in between."""

        def loss(rng: np.random.Generator) -> torch.Tensor:
            rows = examples.at(rng.integers(0, len(examples), self.batch))
            return self.loss(lesson(rows, device, self.symmetries, int(rng.integers(len(self.symmetries)))), rows)

        self.follow(loss, progress, until)

    def follow(self, loss: Loss, progress: Progress | None = None, until: int | None = None) -> None:
        """Train to the end, or until so many steps, on what a loss chooses by the random numbers of a step."""
        while self._done < (self.steps if until is None else min(until, self.steps)):
            value = loss(np.random.default_rng([seed64(self.seed), self._done]))
            self._optimiser.param_groups[0]["lr"] = rate(self._done, self.steps, self.peak)
            self._optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(value)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self._optimiser.step()
            self._done += 1
            if progress:
                progress(self._done, float(value.detach()))

    @property
    def done(self) -> int:
        """Steps so far."""
        return self._done

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do."""
        return self._done >= self.steps

    def state(self) -> dict[str, Any]:
        """What to keep of a training in between."""
        return {
            "model": self.model.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "done": self._done,
            "random": torch.get_rng_state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what was kept."""
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._done = state["done"]
        torch.set_rng_state(state["random"])


def rate(step: int, steps: int, peak: float) -> float:
    """The learning rate of a step: a short rise, then half a cosine."""
    return peak * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * cos(pi * step / steps))


def abln_fit(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> Fit:
    """ABLN to the true hands."""
    abln = networks.abln
    if abln is None:
        raise ValueError("these networks have no ABLN")
    return Fit(
        abln,
        lambda told, _: hands_loss(abln(told.question.observation, told.prior), told.hands),
        symmetries,
        steps,
        seed,
    )


def decision_fit(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> Fit:
    """The policy to the labels that were played."""
    model = networks.decision
    return Fit(
        model,
        lambda told, _: torch.nn.functional.nll_loss(model(told.question), told.label),
        symmetries,
        steps,
        seed,
        decay=0.05,
    )


def with_estimates(engine: Engine, networks: Networks, lessons: Lessons, batch: int = 4096) -> Lessons:
    """The same decisions with ABLN's estimates, projected onto what is consistent, and who could answer what.

    Their costs stay those that the preferences find without an estimate.
    """
    if networks.abln is None:
        return lessons
    parts = [slice(first, first + batch) for first in range(0, len(lessons.examples), batch)]
    estimate = np.concatenate([_estimate(networks, networks.abln, lessons, part) for part in parts])
    examples = replace(lessons.examples, estimate=estimate.astype(np.float16))
    if networks.preset.replies and engine.answerable:
        keys = keys_of(examples.observation)
        found = replies(engine, lessons.context, estimate, lessons.constraints, keys, DRAWS)
        examples = replace(examples, replies=found)
    return replace(lessons, examples=examples)


def _estimate(networks: Networks, abln: ABLN, lessons: Lessons, part: slice) -> NDArray[np.float32]:
    told = lesson(lessons.examples.at(part), networks.device)
    with torch.inference_mode():
        guess = abln(told.question.observation, told.prior).cpu().numpy()
    return project(guess, lessons.constraints.at(part))


def teach_abln(networks: Networks, fit: Fit, examples: Examples, progress: Progress | None = None) -> None:
    """Fit ABLN on every decision."""
    fit.go(examples, networks.device, progress)


def teach_decisions(networks: Networks, fit: Fit, examples: Examples, progress: Progress | None = None) -> None:
    """Fit the policy where there was a choice, with dropout."""
    model, preset = networks.decision, networks.preset
    model.forget.p, model.forget_inputs.p = preset.forget, preset.forget_inputs
    model.train()
    try:
        fit.go(examples.at(examples.legal.sum(axis=1) > 1), networks.device, progress)
    finally:
        model.forget.p = model.forget_inputs.p = 0.0
        model.eval()


@dataclass(frozen=True)
class Agreement:
    """How often the most probable label is the one that was played; None of decisions that there were none of."""

    overall: float | None
    not_passed: float | None  # where the expert did not pass
    choice: float | None  # where more than one label could be chosen


def agreement(networks: Networks, examples: Examples, pass_label: int, batch: int = 4096) -> Agreement:
    """Of the policy with recorded decisions."""
    same = []
    with torch.inference_mode():
        for first in range(0, len(examples), batch):
            told = lesson(examples.at(slice(first, first + batch)), networks.device)
            same.append((networks.decision(told.question).argmax(dim=1) == told.label).cpu().numpy())
    right = np.concatenate(same)
    played, open_ = examples.label != pass_label, examples.legal.sum(axis=1) > 1
    return Agreement(*(float(part.mean()) if len(part) else None for part in (right, right[played], right[open_])))
