"""Silhouettes of deals by four clustering methods, in several views of the features (Xin and Li 2023, table 5).

A view transforms the features before they are clustered. A silhouette is measured in the same view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.learners import (
    Whitening,
    affinity_propagation,
    dbscan,
    k_means,
    merge_clusters,
    quantile_classes,
    silhouette_score,
)

Features = NDArray[np.float64]

LANDLORD, PEASANTS, LANDLORD_SHARE, UNIT_SCORE, PLAYS = range(5)
METHODS = ("statistical", "K-Means", "DBSCAN", "two-stage, first", "two-stage")
PAPER_SILHOUETTES = {
    "statistical": 0.198,
    "K-Means": 0.306,
    "DBSCAN": -0.036,
    "two-stage, first": 0.670,
    "two-stage": 0.533,
}
"""Table 5 of the paper."""
_COINS_PER_UNIT = 100.0


def mahalanobis(features: Features) -> Features:
    """Whiten features, so that Euclidean distances are Mahalanobis distances, as in the paper."""
    return Whitening.fit(features)(features)


def min_max_scaled(features: Features) -> Features:
    """Scale every feature to 0..1, as the radius of the paper's DBSCAN suggests."""
    span = np.ptp(features, axis=0)
    moved: Features = (features - features.min(axis=0)) / np.where(span > 0, span, 1)
    return moved


def game_features(features: Features) -> Features:
    """Return the features of played games, from 0 to 1, without hand scores."""
    return min_max_scaled(features[:, [LANDLORD_SHARE, UNIT_SCORE, PLAYS]])


def coin_features(features: Features) -> Features:
    """Return unscaled features, with the unit score in units of a hundred coins, as platforms record it."""
    coins = np.sign(features[:, UNIT_SCORE]) * 2 ** (np.abs(features[:, UNIT_SCORE]) - 1) * _COINS_PER_UNIT
    return np.column_stack([features[:, [LANDLORD, PEASANTS, LANDLORD_SHARE, PLAYS]], coins])


def distance_from_mean(features: Features) -> Features:
    """Return one feature per deal: its Mahalanobis distance from the mean."""
    distance: Features = np.sqrt((mahalanobis(features) ** 2).sum(axis=1, keepdims=True))
    return distance


VIEWS: dict[str, Callable[[Features], Features]] = {
    "Mahalanobis": mahalanobis,
    "each 0 to 1": min_max_scaled,
    "the course alone, 0 to 1": game_features,
    "bare, the score in coins": coin_features,
    "distance from the mean": distance_from_mean,
}
"""The first one is what classes are made in."""


def compute_silhouettes(features: Features, classes: int, view: Callable[[Features], Features]) -> dict[str, Any]:
    """Compute the silhouette of each of METHODS, None without several clusters; and the clusters of stage one.

    The statistical split cuts the deals into equal parts by the value of the landlord's hand less that of a peasant's.
    """
    examples = view(features)
    advantage = features[:, LANDLORD] - features[:, PEASANTS] / 2
    first, exemplars = affinity_propagation(examples)
    clusterings: Mapping[str, NDArray[np.int64] | None] = {
        "statistical": quantile_classes(advantage, classes),
        "K-Means": k_means(examples, classes),
        "DBSCAN": dbscan(examples),
        "two-stage, first": first,
        "two-stage": merge_clusters(examples, first, classes) if len(exemplars) >= classes else None,
    }
    return {"clusters": len(exemplars)} | {name: _silhouette(examples, labels) for name, labels in clusterings.items()}


def _silhouette(examples: Features, labels: NDArray[np.int64] | None) -> float | None:
    if labels is None or not 1 < len(np.unique(labels)) < len(examples):
        return None
    return round(silhouette_score(examples, labels), 4)
