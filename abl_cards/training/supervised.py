"""Supervised training before self-play: ABLN on true hands, the decision model on recorded decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from math import cos, pi
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.core import seed64
from abl_cards.games import Engine
from abl_cards.games.types import Indices
from abl_cards.learners import (
    RESPONSE_DEALS,
    Examples,
    HandsNetwork,
    Networks,
    Symmetries,
    TrainingBatch,
    hands_loss,
    to_training_batch,
)
from abl_cards.reasoners.hidden_hands import count_responses, observation_keys, project_estimate
from abl_cards.training.decision_dataset import SupervisedDataset

ResultT = TypeVar("ResultT")
ExamplesT = TypeVar("ExamplesT", bound=Examples)

EVALUATION_BATCH = 4096
"""Decisions of one forward call without gradients."""

StepCallback = Callable[[int, float], None]
"""Told after each step how many are done, and the loss."""
RowSampler = Callable[[np.random.Generator], Indices]
"""Chooses the examples of a step by its random numbers."""
BatchLoss = Callable[[np.random.Generator], torch.Tensor]
"""Loss to minimise, of a batch drawn by the random numbers."""


@dataclass
class SupervisedRun:
    """Supervised training that can be interrupted and resumed."""

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
        """Train on examples to the end, or until ``until_step``; ``on_step`` may raise an exception to stop earlier."""
        choose_rows = self.make_row_sampler(len(examples))

        def loss(rng: np.random.Generator) -> torch.Tensor:
            rows = examples.at(choose_rows(rng))
            return self.loss_fn(
                to_training_batch(rows, device, self.symmetries, int(rng.integers(len(self.symmetries)))), rows
            )

        self.minimise(loss, on_step, until_step)

    def make_row_sampler(self, num_examples: int) -> RowSampler:
        """Return what chooses the examples of a step: any, by its random numbers."""
        return lambda rng: rng.integers(0, num_examples, self.batch_size)

    def minimise(
        self, batch_loss: BatchLoss, on_step: StepCallback | None = None, until_step: int | None = None
    ) -> None:
        """Train to the end, or until ``until_step``, on the loss of the batch that each step samples."""
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
        """Number of steps so far."""
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
        """Restore the state of an interrupted training."""
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._steps_done = state["done"]
        torch.set_rng_state(state["random"])


@dataclass
class EvaluatedRun(SupervisedRun, Generic[ResultT]):
    """A supervised run on games that are played for it, and the evaluation of its model once it has ended.

    Attributes:
        result: The evaluation; None before.
    """

    result_type: ClassVar[type[Any]]
    result: ResultT | None = field(default=None, init=False)

    def make_row_sampler(self, num_examples: int) -> RowSampler:
        """Return what chooses the examples of a step: none of them twice before all were used."""
        order = np.random.default_rng(seed64(self.seed)).permutation(num_examples)
        places = np.arange(self.batch_size)
        return lambda rng: order[(places + self.steps_done * self.batch_size) % num_examples]

    def train_in_rounds(
        self, num_examples: int, round_size: int, held_out_size: int, collect: Callable[[int, int], ExamplesT],
        device: torch.device, on_step: StepCallback,
    ) -> ExamplesT:  # fmt: skip
        """Make the remaining steps, on examples that are collected round by round to bound memory.

        Args:
            num_examples: Examples of all rounds.
            round_size: Examples of a round at most.
            held_out_size: Examples of a further round that is not used for training; at most ``round_size``.
            collect: Returns the examples of a round, by their number and the number of the round.
            device: Device of the model.
            on_step: Called after each step.

        Returns:
            The held-out examples.
        """
        sizes = [min(round_size, num_examples - first) for first in range(0, num_examples, round_size)]
        learned = np.cumsum(sizes) * self.steps // sum(sizes)
        for number, (size, until) in enumerate(zip(sizes, learned.tolist(), strict=True)):
            if self.steps_done < until:
                self.train(collect(size, number), device, on_step, until)
        return collect(min(held_out_size, num_examples), len(sizes))

    def state_dict(self) -> dict[str, Any]:
        """Return the state of an interrupted or finished training."""
        return super().state_dict() | {"result": asdict(cast(Any, self.result)) if self.result else None}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state of an interrupted training."""
        super().load_state_dict(state)
        result = state.get("result")
        self.result = self.result_type(**result) if result else None


def warmup_cosine_rate(step: int, steps: int, peak: float) -> float:
    """Compute the learning rate of a step: a short linear rise, then half a cosine."""
    return peak * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * cos(pi * step / steps))


def create_abln_run(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> SupervisedRun:
    """Return a supervised run of ABLN towards the true hands.

    Args:
        networks: Networks with an ABLN, which is trained in place.
        symmetries: Symmetries of the cards.
        steps: Number of training steps.
        seed: Seed of the order of the examples.

    Raises:
        ValueError: The networks have no ABLN.
    """
    abln = networks.abln
    if abln is None:
        raise ValueError("these networks have no ABLN")
    return SupervisedRun(
        abln,
        lambda batch, _: hands_loss(abln(batch.inputs.observation, batch.prior), batch.hands),
        symmetries,
        steps,
        seed,
    )


def create_policy_run(networks: Networks, symmetries: Symmetries, steps: int, seed: int = 0) -> SupervisedRun:
    """Return a supervised run of the policy towards the played labels."""
    model = networks.decision
    return SupervisedRun(
        model,
        lambda batch, _: torch.nn.functional.nll_loss(model(batch.inputs), batch.label),
        symmetries,
        steps,
        seed,
        weight_decay=0.05,
    )


def add_estimates(engine: Engine, networks: Networks, dataset: SupervisedDataset) -> SupervisedDataset:
    """Add ABLN's projected estimates and the response probabilities to decisions.

    The costs stay those of the preferences without an estimate.
    """
    if networks.abln is None or not len(dataset.examples):
        return dataset
    parts = [slice(first, first + EVALUATION_BATCH) for first in range(0, len(dataset.examples), EVALUATION_BATCH)]
    estimate = np.concatenate([_estimate_hands(networks, networks.abln, dataset, part) for part in parts])
    examples = replace(dataset.examples, estimate=estimate.astype(np.float16))
    if networks.preset.uses_responses and engine.rules.trick_query is None:
        keys = observation_keys(examples.observation)
        counts = count_responses(engine, dataset.context, estimate, dataset.constraints, keys, RESPONSE_DEALS)
        examples = replace(examples, response_counts=counts)
    return replace(dataset, examples=examples)


def _estimate_hands(
    networks: Networks, abln: HandsNetwork, dataset: SupervisedDataset, part: slice
) -> NDArray[np.float32]:
    batch = to_training_batch(dataset.examples.at(part), networks.device)
    with torch.inference_mode():
        guess = abln(batch.inputs.observation, batch.prior).cpu().numpy()
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


def compute_agreement(networks: Networks, examples: Examples, pass_label: int) -> Agreement:
    """Compute the agreement of the policy with recorded decisions."""
    same = []
    with torch.inference_mode():
        for first in range(0, len(examples), EVALUATION_BATCH):
            batch = to_training_batch(examples.at(slice(first, first + EVALUATION_BATCH)), networks.device)
            same.append((networks.decision(batch.inputs).argmax(dim=1) == batch.label).cpu().numpy())
    right = np.concatenate(same)
    played, open_ = examples.label != pass_label, examples.legal.sum(axis=1) > 1
    return Agreement(*(float(part.mean()) if len(part) else None for part in (right, right[played], right[open_])))
