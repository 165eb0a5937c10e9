"""Classes of deals by difficulty for the landlord: clusters of played deals, sorted by his win rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, seed64
from abl_cards.learners import (
    AFFINITY_PREFERENCE,
    ExemplarClassifier,
    TwoStageClustering,
    cluster_two_stage,
    estimate_class_probs,
    silhouette_score,
)

MIN_CLASS_SHARE = 0.04
"""Least share of the deals in each class of a clustering that is preferred."""
CONFIDENT_SHARE = 0.03
"""Share of all deals that count as the most confident ones of a class."""


@dataclass(frozen=True)
class DealClustering:
    """Clustering of a sample of deals.

    Attributes:
        classes: Classifier of features; class 0 has the lowest win rate of the landlord.
        first: Number of clusters of stage one.
        silhouettes: Silhouette scores after stage one and stage two.
        shares: [classes] Share of all deals.
        won: [classes] Win rate of the landlord.
        sure: [agents, classes] Win rate of the landlord in the most confident deals, by self-play of each agent.
    """

    classes: ExemplarClassifier
    first: int
    silhouettes: tuple[float, float]
    shares: tuple[float, ...]
    won: tuple[float, ...]
    sure: tuple[tuple[float, ...], ...]

    @property
    def min_win_rate_gap(self) -> float:
        """Least difference between the landlord's win rates in neighbouring classes, over `won` and all of `sure`."""
        return float(np.diff(np.array([self.won, *self.sure]), axis=1).min())


@dataclass(frozen=True)
class DealFeatures:
    """Features of n deals to be clustered.

    Attributes:
        features: float64[n, features] Features of the games, after play.
        won: float32[n] Share of the games that the landlord won.
        static_features: float64[n, inputs] Features of the hands, before play.
        self_play_wins: float32[agents, n] Wins of the landlord where one agent had all seats.
    """

    features: NDArray[np.float64]
    won: NDArray[np.float32]
    static_features: NDArray[np.float64]
    self_play_wins: NDArray[np.float32]


def cluster_deals(
    deals: DealFeatures, sample_size: int, num_classes: int, seed: int, sample_number: int = 0
) -> DealClustering:
    """Cluster a random sample of deals, and classify all deals.

    Args:
        deals: Features of all deals.
        sample_size: Number of deals to cluster.
        num_classes: Number of classes.
        seed: Seed of the sample.
        sample_number: Number of the sample, for several samples of one seed.

    Returns:
        The clustering.

    Raises:
        GameError: There are too few deals.
    """
    features, won = deals.features, deals.won
    rows = np.random.default_rng([seed64(seed), sample_number]).permutation(len(features))[:sample_size]
    try:
        clustering = cluster_two_stage(features[rows], num_classes, AFFINITY_PREFERENCE)
    except ValueError as problem:
        raise GameError(f"classes of {len(rows)} deals: {problem}", ErrorCode.NOT_ENOUGH_DEALS) from None
    labels = clustering.classifier(features)
    win_rates = np.array(
        [
            won[labels == class_index].mean() if (labels == class_index).any() else 0.0
            for class_index in range(num_classes)
        ]
    )
    order = np.argsort(win_rates)
    shares = np.bincount(labels, minlength=num_classes)[order] / len(labels)
    classifier = clustering.classifier.reorder_classes(order)
    return DealClustering(
        classifier,
        len(clustering.classifier.exemplar_class),
        _compute_silhouettes(clustering, features[rows]),
        tuple(shares.tolist()),
        tuple(win_rates[order].tolist()),
        compute_confident_wins(deals, classifier(features), num_classes),
    )


def compute_confident_wins(
    deals: DealFeatures, label: NDArray[np.int64], num_classes: int
) -> tuple[tuple[float, ...], ...]:
    """Compute the landlord's win rate in the deals whose class a regression on the hands predicts most confidently.

    Generated deals are like these: the effect of the course of the games on the classes is removed.

    Args:
        deals: Features of n deals.
        label: int64[n] Class of each deal.
        num_classes: Number of classes.

    Returns:
        Win rates by agent and class.
    """
    class_probs = estimate_class_probs(deals.static_features, label, num_classes)
    confident_rows = [
        np.argsort(-class_probs[:, class_index], kind="stable")[: int(CONFIDENT_SHARE * len(label)) + 1]
        for class_index in range(num_classes)
    ]
    return tuple(tuple(float(won[rows].mean()) for rows in confident_rows) for won in deals.self_play_wins)


def choose_clustering(
    deals: DealFeatures, sample_size: int, num_classes: int, seed: int, num_samples: int,
    on_progress: Callable[[int, str], None] = lambda done, remark: None,
) -> tuple[DealClustering, list[DealClustering]]:  # fmt: skip
    """Cluster several samples, and choose the clustering whose classes differ most in the landlord's win rate.

    The silhouette does not distinguish these clusterings: their scores are within 0.02 of each other.

    Args:
        deals: Features of all deals.
        sample_size: Number of deals of each sample.
        num_classes: Number of classes.
        seed: Seed of the samples.
        num_samples: Number of samples.
        on_progress: Called with the number of clusterings done and a remark.

    Returns:
        The chosen clustering, and all of them.

    Raises:
        GameError: There are too few deals.
    """
    clusterings = []
    for sample_number in range(num_samples):
        on_progress(sample_number, f"sample {sample_number + 1}")
        clusterings.append(cluster_deals(deals, sample_size, num_classes, seed, sample_number))
    candidates = [clustering for clustering in clusterings if min(clustering.shares) >= MIN_CLASS_SHARE] or clusterings
    return max(candidates, key=lambda clustering: clustering.min_win_rate_gap), clusterings


def _compute_silhouettes(clustering: TwoStageClustering, features: NDArray[np.float64]) -> tuple[float, float]:
    examples = clustering.classifier.whitening(features)
    return silhouette_score(examples, clustering.stage_one), silhouette_score(examples, clustering.stage_two)
