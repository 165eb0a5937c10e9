"""Estimates of hidden hands and their errors; training of an ABLN with few true hands and abduced others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import derive_key, scale_to_range_array, splitmix64_array
from abl_cards.experiments.decision_dataset import DecisionDataset
from abl_cards.experiments.workspace import ProgressCallback
from abl_cards.games import Engine
from abl_cards.reasoners.hidden_hands import (
    HandEstimate,
    abduce_hands,
    expected_copies,
    prior_estimate,
    project_estimate,
    uniform_estimate,
)

if TYPE_CHECKING:
    from abl_cards.learners import HandsNetwork

Estimator = Callable[[DecisionDataset], HandEstimate]
BASELINE_ESTIMATORS: dict[str, Estimator] = {
    "counting": lambda views: uniform_estimate(views.constraints.counts_only()),
    "counting + facts": lambda views: project_estimate(uniform_estimate(views.constraints), views.constraints),
    "counting + facts + hints": lambda views: _prior(views),
}
"""Estimators without learning: unseen cards in proportion to cards left, then by hands.lp."""
EXACT_ESTIMATORS: dict[str, Estimator] = {
    "mean of all deals": lambda views: expected_copies(uniform_estimate(views.constraints), views.constraints)
}
"""Slow: all consistent deals, each as likely as the others."""
_REVEAL_STREAM = 21  # stream of random numbers
_RESOLUTION = 1 << 20
_BATCH_SIZE = 4096  # decisions of one forward call


def network_estimators(abln: HandsNetwork) -> dict[str, Estimator]:
    """Return the estimates of a network, without and with the projection."""
    return {
        "ABLN": lambda views: estimate_with_network(abln, views, _prior(views)),
        "ABLN + projection": lambda views: project_estimate(
            estimate_with_network(abln, views, _prior(views)), views.constraints
        ),
    }


def _prior(views: DecisionDataset) -> HandEstimate:
    """Return the estimate that a network starts from: counts, facts and hints."""
    return prior_estimate(views.constraints, views.hints)


def estimate_with_network(abln: HandsNetwork, dataset: DecisionDataset, prior: HandEstimate) -> HandEstimate:
    """Compute the estimates of a network from a prior."""
    import torch

    parts = []
    with torch.inference_mode():
        for first in range(0, len(dataset), _BATCH_SIZE):
            part = slice(first, first + _BATCH_SIZE)
            observation, before = torch.from_numpy(dataset.observation[part]).float(), torch.from_numpy(prior[part])
            parts.append(abln(observation, before).numpy())
    estimate: HandEstimate = np.concatenate(parts)
    return estimate


def squared_errors(dataset: DecisionDataset, estimate: HandEstimate) -> dict[str, float]:
    """Compute the mean squared error, summed over seats and cards: of all decisions, and by cards in hand."""
    error = ((estimate - dataset.truth.astype(np.float32)) ** 2).sum(axis=(1, 2), dtype=np.float64)
    errors = {"all": float(error.mean())}
    return errors | {str(left): float(error[dataset.hand_size == left].mean()) for left in np.unique(dataset.hand_size)}


def choose_revealed(dataset: DecisionDataset, share: float, seed: int) -> NDArray[np.bool_]:
    """Choose a share of the episodes whose hands are revealed: bool [n]."""
    drawn = splitmix64_array(np.full(len(dataset), derive_key(seed, _REVEAL_STREAM), np.uint64), dataset.episode)
    return scale_to_range_array(drawn, _RESOLUTION) < share * _RESOLUTION


def train_abln(
    engine: Engine,
    dataset: DecisionDataset,
    revealed: NDArray[np.bool_],
    abduce_hidden: bool,
    steps: int,
    seed: int,
    on_progress: ProgressCallback,
) -> HandsNetwork:
    """Train an ABLN of preset small on the revealed hands [n], and on abduced hands if ``abduce_hidden``.

    A hidden hand is abduced again at every step from the current estimate: the nearest hands that explain the counts,
    the facts and the later plays.
    """
    import torch

    from abl_cards.learners import PRESETS, GameShape, Networks, Symmetries, hands_loss
    from abl_cards.training import create_abln_run

    networks = Networks(PRESETS["small"], GameShape.of(engine), seed)
    abln = networks.abln
    assert abln is not None
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    fit = create_abln_run(networks, symmetries, steps, seed)
    chosen = np.arange(len(dataset)) if abduce_hidden else np.flatnonzero(revealed)
    if not len(chosen):
        return abln.eval()
    priors = _prior(dataset)

    def loss(rng: np.random.Generator) -> torch.Tensor:
        rows = chosen[rng.integers(0, len(chosen), fit.batch_size)]
        part, number = dataset.at(rows), int(rng.integers(len(symmetries)))
        hands = part.truth.astype(np.float32)
        hidden = np.flatnonzero(~revealed[rows])
        if hidden.size:
            unseen = part.at(hidden)
            guess = estimate_with_network(abln, unseen, priors[rows[hidden]])
            hands[hidden] = abduce_hands(guess, unseen.constraints, unseen.played_later)
        arrays = part.observation, priors[rows], hands
        observation, prior, target = map(torch.from_numpy, arrays)
        turned = symmetries.permute_observation(number, observation.float())
        estimate = abln(turned, symmetries.permute_hands(number, prior))
        return hands_loss(estimate, symmetries.permute_hands(number, target))

    fit.minimise(loss, lambda done, value: on_progress(done, f"loss {value:.4f}"))
    return abln.eval()
