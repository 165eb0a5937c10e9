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
from abl_cards.core import derive_key, seed64, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, InformationSet, Moves
from abl_cards.learners import (
    ABLN,
    RESPONSE_DEALS,
    Examples,
    Networks,
    Symmetries,
    TrainingBatch,
    hands_loss,
    to_training_batch,
)
from abl_cards.reasoners.abduction import Minimiser, find_best_cards, plays_after
from abl_cards.reasoners.hidden_hands import count_responses, observation_keys, prior_estimate, project_estimate

StepCallback = Callable[[int, float], None]
"""Told after each step how many are done, and the loss."""
BatchLoss = Callable[[np.random.Generator], torch.Tensor]
"""Loss to minimise, of a batch drawn by the random numbers."""


@dataclass(frozen=True)
class SupervisedDataset:
    """Decisions to learn from, and what their seats could know of the hidden hands."""

    examples: Examples
    constraints: InformationSet
    context: NDArray[np.int16]  # [n] see Decisions.context
    source: Indices  # [n] the record or table each comes from

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> SupervisedDataset:
        """Some of them."""
        return SupervisedDataset(
            self.examples.at(rows), self.constraints.select(rows), self.context[rows], self.source[rows]
        )

    @classmethod
    def concatenate(cls, parts: Sequence[SupervisedDataset]) -> SupervisedDataset:
        """One after the other."""
        return cls(
            Examples.concatenate([part.examples for part in parts]),
            InformationSet.concatenate([part.constraints for part in parts]),
            np.concatenate([part.context for part in parts]),
            np.concatenate([part.source for part in parts]),
        )


class DecisionCollector(NullListener):
    """Listens to tables, and writes every decision down."""

    def __init__(self, engine: Engine, judge: PreferenceModel) -> None:
        self._engine, self._judge = engine, judge
        self._parts: list[SupervisedDataset] = []

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Write down what the seats saw, what was hidden, and the label that was played."""
        decisions = tables.decisions(rows)
        found = find_best_cards(self._engine, self._judge, decisions)
        plays = plays_after(self._engine, decisions, found)
        others, constraints = tables.hidden_hands(rows), decisions.information_set()
        examples = Examples(
            observation=decisions.observe(),
            legal=found.choosable,
            to_beat=decisions.label_to_beat,
            regret=found.regret().astype(np.float16),
            plays_left=plays,
            prior=prior_estimate(constraints, decisions.belief_log_odds()).astype(np.float16),
            estimate=np.zeros(others.shape, np.float16),
            response_counts=np.zeros((*others.shape[:2], plays.shape[1]), np.uint8),
            hands=others,
            label=decisions.labels_of(moves.form),
        )
        self._parts.append(SupervisedDataset(examples, constraints, decisions.context, rows))

    def to_dataset(self) -> SupervisedDataset:
        """Everything so far."""
        return SupervisedDataset.concatenate(self._parts)


def dataset_from_records(
    engine: Engine, judge: PreferenceModel, records: Sequence[Mapping[str, Any]]
) -> SupervisedDataset:
    """Every decision of some records; the source is the number of the record."""
    notes = DecisionCollector(engine, judge)
    engine.replay(records, notes)
    return notes.to_dataset()


def collect_decisions(
    engine: Engine, judge: PreferenceModel, agent: Agent, num_decisions: int, seed: int, num_tables: int = 1024
) -> SupervisedDataset:
    """At least so many decisions of a player against itself; the source is the number of the table."""
    made = 0

    def note(notes: DecisionCollector, playing: Tables, which: Indices, moves: Moves) -> None:
        nonlocal made
        notes.on_play(playing, which, moves)
        made += len(which)

    return _collect_self_play(engine, judge, agent, seed, num_tables, note, lambda ended: made < num_decisions)


def collect_episodes(
    engine: Engine, judge: PreferenceModel, agent: Agent, num_episodes: int, seed: int, num_tables: int = 1024
) -> SupervisedDataset:
    """The decisions with a choice of at least so many episodes of a player against itself, every third one."""

    def note(notes: DecisionCollector, playing: Tables, which: Indices, moves: Moves) -> None:
        rows = np.flatnonzero(playing.decisions(which).legal_mask.sum(axis=0) > 1)
        if rows.size:
            notes.on_play(playing, which[rows], Moves(moves.form[rows], moves.cards[rows]))

    return _collect_self_play(
        engine, judge, agent, seed, min(num_episodes, num_tables), note, lambda ended: ended < num_episodes
    )


class _EpisodeCounter(NullListener):
    """Counts episodes."""

    def __init__(self) -> None:
        self.count = 0

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """So many more."""
        self.count += len(rows)


def _collect_self_play(
    engine: Engine, judge: PreferenceModel, agent: Agent, seed: int, num_tables: int,
    record: Callable[[DecisionCollector, Tables, Indices, Moves], None], should_continue: Callable[[int], bool],
) -> SupervisedDataset:  # fmt: skip
    """Play an agent against itself until enough is recorded; reports the number of finished episodes."""
    notes, ended = DecisionCollector(engine, judge), _EpisodeCounter()
    keys = splitmix64_array(np.full(num_tables, derive_key(seed), np.uint64), np.arange(num_tables))
    playing: Tables = engine.start_matches(keys, ended)
    playing.batch_rare_steps = True
    minimiser, step = Minimiser(judge), 0
    while should_continue(ended.count):
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, splitmix64_array(playing.keys[over], 1))
        giving = playing.rows_to_choose()
        if giving.size:
            playing.choose(giving, minimiser.choose(playing.choices(giving)))
        which = playing.rows_to_play()
        moves = agent.play(
            playing.decisions(which), splitmix64_array(playing.keys[which], playing.num_decisions[which])
        )
        step += 1
        if step % _SAMPLE_INTERVAL == 0:  # neighbouring decisions of one table hide almost the same hands
            record(notes, playing, which, moves)
        playing.play(which, moves)
    return notes.to_dataset()


_SAMPLE_INTERVAL = 3


@dataclass
class SupervisedRun:
    """Supervised training that can be put away and taken up again."""

    model: torch.nn.Module
    loss_fn: Callable[[TrainingBatch, Any], torch.Tensor]  # of examples as a lesson, and as they are
    symmetries: Symmetries
    steps: int
    seed: int = 0
    batch_size: int = 1024
    peak_learning_rate: float = 1e-3  # learning rate
    weight_decay: float = 0.01  # of the weights

    def __post_init__(self) -> None:
        self._optimiser = torch.optim.AdamW(self.model.parameters(), weight_decay=self.weight_decay)
        self._steps_done = 0

    def train(
        self,
        examples: Examples,
        device: torch.device,
        on_step: StepCallback | None = None,
        until_step: int | None = None,
    ) -> None:
        """Train on examples to the end, or until so many steps are done; progress may raise to stop in between."""

        def loss(rng: np.random.Generator) -> torch.Tensor:
            rows = examples.at(rng.integers(0, len(examples), self.batch_size))
            return self.loss_fn(
                to_training_batch(rows, device, self.symmetries, int(rng.integers(len(self.symmetries)))), rows
            )

        self.minimise(loss, on_step, until_step)

    def minimise(
        self, batch_loss: BatchLoss, on_step: StepCallback | None = None, until_step: int | None = None
    ) -> None:
        """Train to the end, or until so many steps, on what a loss chooses by the random numbers of a step."""
        while self._steps_done < (self.steps if until_step is None else min(until_step, self.steps)):
            value = batch_loss(np.random.default_rng([seed64(self.seed), self._steps_done]))
            self._optimiser.param_groups[0]["lr"] = warmup_cosine_rate(
                self._steps_done, self.steps, self.peak_learning_rate
            )
            self._optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(value)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self._optimiser.step()
            self._steps_done += 1
            if on_step:
                on_step(self._steps_done, float(value.detach()))

    @property
    def steps_done(self) -> int:
        """Steps so far."""
        return self._steps_done

    @property
    def is_done(self) -> bool:
        """Return whether training is finished."""
        return self._steps_done >= self.steps

    def state_dict(self) -> dict[str, Any]:
        """Return the state of an interrupted training."""
        return {
            "model": self.model.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "done": self._steps_done,
            "random": torch.get_rng_state(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what was kept."""
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._steps_done = state["done"]
        torch.set_rng_state(state["random"])


def warmup_cosine_rate(step: int, steps: int, peak: float) -> float:
    """The learning rate of a step: a short rise, then half a cosine."""
    return peak * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * cos(pi * step / steps))


def create_abln_run(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> SupervisedRun:
    """ABLN to the true hands."""
    abln = networks.abln
    if abln is None:
        raise ValueError("these networks have no ABLN")
    return SupervisedRun(
        abln,
        lambda told, _: hands_loss(abln(told.inputs.observation, told.prior), told.hands),
        symmetries,
        steps,
        seed,
    )


def create_policy_run(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> SupervisedRun:
    """The policy to the labels that were played."""
    model = networks.decision
    return SupervisedRun(
        model,
        lambda told, _: torch.nn.functional.nll_loss(model(told.inputs), told.label),
        symmetries,
        steps,
        seed,
        weight_decay=0.05,
    )


def add_estimates(
    engine: Engine, networks: Networks, dataset: SupervisedDataset, batch_size: int = 4096
) -> SupervisedDataset:
    """Add ABLN's projected estimates and the response probabilities to decisions.

    The costs stay those of the preferences without an estimate.
    """
    if networks.abln is None:
        return dataset
    parts = [slice(first, first + batch_size) for first in range(0, len(dataset.examples), batch_size)]
    estimate = np.concatenate([_estimate_hands(networks, networks.abln, dataset, part) for part in parts])
    examples = replace(dataset.examples, estimate=estimate.astype(np.float16))
    if networks.preset.uses_responses and engine.rules.trick_query is None:
        keys = observation_keys(examples.observation)
        found = count_responses(engine, dataset.context, estimate, dataset.constraints, keys, RESPONSE_DEALS)
        examples = replace(examples, response_counts=found)
    return replace(dataset, examples=examples)


def _estimate_hands(networks: Networks, abln: ABLN, dataset: SupervisedDataset, part: slice) -> NDArray[np.float32]:
    told = to_training_batch(dataset.examples.at(part), networks.device)
    with torch.inference_mode():
        guess = abln(told.inputs.observation, told.prior).cpu().numpy()
    return project_estimate(guess, dataset.constraints.select(part))


def train_abln(
    networks: Networks, supervised_run: SupervisedRun, examples: Examples, on_step: StepCallback | None = None
) -> None:
    """Fit ABLN on every decision."""
    supervised_run.train(examples, networks.device, on_step)


def train_policy(
    networks: Networks, supervised_run: SupervisedRun, examples: Examples, on_step: StepCallback | None = None
) -> None:
    """Fit the policy where there was a choice, with dropout."""
    model, preset = networks.decision, networks.preset
    model.dropout.p, model.input_dropout.p = preset.dropout, preset.input_dropout
    model.train()
    try:
        supervised_run.train(examples.at(examples.legal.sum(axis=1) > 1), networks.device, on_step)
    finally:
        model.dropout.p = model.input_dropout.p = 0.0
        model.eval()


@dataclass(frozen=True)
class Agreement:
    """Share of decisions whose most probable label was played; None for kinds without decisions."""

    overall: float | None
    not_passed: float | None  # where the expert did not pass
    choice: float | None  # where more than one label could be chosen


def compute_agreement(networks: Networks, examples: Examples, pass_label: int, batch_size: int = 4096) -> Agreement:
    """Of the policy with recorded decisions."""
    same = []
    with torch.inference_mode():
        for first in range(0, len(examples), batch_size):
            told = to_training_batch(examples.at(slice(first, first + batch_size)), networks.device)
            same.append((networks.decision(told.inputs).argmax(dim=1) == told.label).cpu().numpy())
    right = np.concatenate(same)
    played, open_ = examples.label != pass_label, examples.legal.sum(axis=1) > 1
    return Agreement(*(float(part.mean()) if len(part) else None for part in (right, right[played], right[open_])))
