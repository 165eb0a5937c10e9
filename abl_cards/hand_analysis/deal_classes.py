"""Classes of deals by how hard they are for the landlord: clusters of played deals, numbered by how often he won."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError, seed64
from abl_cards.learners import (
    AFFINITY_PREFERENCE,
    ExemplarClassifier,
    TwoStageClustering,
    cluster_two_stage,
    estimate_class_probs,
    silhouette_score,
)

MIN_CLASS_SHARE = 0.04
"""A class with a smaller share of the deals is none worth a name."""
CONFIDENT_SHARE = 0.03
"""The share of all deals that are looked at as the surest of a class."""


@dataclass(frozen=True)
class DealClustering:
    """What one sample of the deals was clustered into."""

    classes: ExemplarClassifier  # numbered by the landlord's wins, 0 the hardest
    first: int  # clusters of stage one
    silhouettes: tuple[float, float]  # after stage one, after stage two
    shares: tuple[float, ...]  # of all deals, by class
    won: tuple[float, ...]  # by the landlord, by class
    sure: tuple[tuple[float, ...], ...]  # by agent and class: among the deals that are surest of their class at sight

    @property
    def min_win_rate_gap(self) -> float:
        """How far the landlord's chances in neighbouring classes are apart at least, for every agent, at sight."""
        return float(np.diff(np.array([self.won, *self.sure]), axis=1).min())


@dataclass(frozen=True)
class DealFeatures:
    """What is known of n deals that are to be sorted."""

    features: NDArray[np.float64]  # [n, features] of how they were played
    won: NDArray[np.float32]  # [n] share of the games that the landlord won
    static_features: NDArray[np.float64]  # [n, inputs] what can be told of them before they are played
    self_play_wins: NDArray[np.float32]  # [a, n] won by the landlord where one agent had all seats


def cluster_deals(
    deals: DealFeatures, sample_size: int, num_classes: int, seed: int, sample_number: int = 0
) -> DealClustering:
    """Cluster a random sample, and sort all deals into the classes; raises GameError where there are too few deals."""
    features, won = deals.features, deals.won
    rows = np.random.default_rng([seed64(seed), sample_number]).permutation(len(features))[:sample_size]
    try:
        found = cluster_two_stage(features[rows], num_classes, AFFINITY_PREFERENCE)
    except ValueError as problem:
        raise GameError(f"classes of {len(rows)} deals: {problem}") from None
    label = found.classifier(features)
    chances = np.array(
        [won[label == number].mean() if (label == number).any() else 0.0 for number in range(num_classes)]
    )
    order = np.argsort(chances)
    shares = np.bincount(label, minlength=num_classes)[order] / len(label)
    classed = found.classifier.reorder_classes(order)
    return DealClustering(
        classed,
        len(found.classifier.exemplar_class),
        _compute_silhouettes(found, features[rows]),
        tuple(shares.tolist()),
        tuple(chances[order].tolist()),
        compute_confident_wins(deals, classed(features), num_classes),
    )


def compute_confident_wins(
    deals: DealFeatures, label: NDArray[np.int64], num_classes: int
) -> tuple[tuple[float, ...], ...]:
    """By agent and class: the landlord's wins in the deals that a plain regression is surest of.

    Generated deals are such deals. What a class owes to how its games went, and not to its cards, is gone there.
    """
    odds = estimate_class_probs(deals.static_features, label, num_classes)
    top = [
        np.argsort(-odds[:, number], kind="stable")[: int(CONFIDENT_SHARE * len(label)) + 1]
        for number in range(num_classes)
    ]
    return tuple(tuple(float(won[rows].mean()) for rows in top) for won in deals.self_play_wins)


def choose_clustering(
    deals: DealFeatures, sample_size: int, num_classes: int, seed: int, num_samples: int,
    on_progress: Callable[[int, str], None] = lambda done, remark: None,
) -> tuple[DealClustering, list[DealClustering]]:  # fmt: skip
    """Cluster several samples; the one whose classes differ most in the landlord's chances, and all.

    The silhouette does not tell these clusterings apart (they are within 0.02 of each other), what they are for does.
    """
    found = []
    for draw in range(num_samples):
        on_progress(draw, f"sample {draw + 1}")
        found.append(cluster_deals(deals, sample_size, num_classes, seed, draw))
    large = [each for each in found if min(each.shares) >= MIN_CLASS_SHARE] or found
    return max(large, key=lambda each: each.min_win_rate_gap), found


def _compute_silhouettes(found: TwoStageClustering, features: NDArray[np.float64]) -> tuple[float, float]:
    examples = found.classifier.whitening(features)
    return silhouette_score(examples, found.stage_one), silhouette_score(examples, found.stage_two)
