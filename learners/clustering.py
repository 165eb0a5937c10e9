"""Clusters of examples: the two-stage clustering of Xin and Li 2023, and the methods that they compare it with.

Stage one is affinity propagation, which finds many small clusters about exemplars. Stage two merges them by
agglomeration (Ward), weighted by their sizes, until the requested number of classes is left. Distances are Mahalanobis
distances: the features are transformed until their covariance is the identity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float64]
"""[n, features]"""
Labels = NDArray[np.int64]
"""[n] the class of each example"""

AFFINITY_PREFERENCE = -50.0
"""Preference of affinity propagation in table 5 of the paper."""
_DAMPING, _MAX_ITERATIONS = 0.9, 500  # with scikit-learn's 0.5 affinity propagation swings to and fro
_K_MEANS_SEED, _DBSCAN_EPS, _DBSCAN_MIN_SAMPLES = 42, 0.051, 2  # table 5


@dataclass(frozen=True)
class Whitening:
    """Linear map by which Mahalanobis distances become Euclidean."""

    mean: NDArray[np.float64]  # [features]
    matrix: NDArray[np.float64]  # [features, features]

    @classmethod
    def fit(cls, features: Features) -> Whitening:
        """Fit by the covariance of examples; raises ValueError for a degenerate feature."""
        covariance = np.cov(features.T)
        if np.linalg.matrix_rank(covariance) < features.shape[1]:
            raise ValueError("a feature is a sum of others: their covariance has no inverse")
        return cls(features.mean(axis=0), np.linalg.cholesky(np.linalg.inv(covariance)))

    def __call__(self, features: Features) -> Features:
        """Transform examples to the new coordinates."""
        whitened: Features = (features - self.mean) @ self.matrix
        return whitened


@dataclass(frozen=True)
class ExemplarClassifier:
    """Classifier by exemplars: an example has the class of the nearest one."""

    whitening: Whitening
    exemplars: Features  # [k, features] whitened
    exemplar_class: Labels  # [k] the class of each

    def __call__(self, features: Features) -> Labels:
        """Classify examples in their original units."""
        return self.exemplar_class[find_nearest(self.whitening(features), self.exemplars)]

    def reorder_classes(self, order: Labels) -> ExemplarClassifier:
        """Return the classifier with class ``order[i]`` renumbered to i."""
        return ExemplarClassifier(self.whitening, self.exemplars, np.argsort(order)[self.exemplar_class])


@dataclass(frozen=True)
class TwoStageClustering:
    """Results of both stages on some examples."""

    classifier: ExemplarClassifier
    stage_one: Labels  # [n] clusters of stage one
    stage_two: Labels  # [n]


def find_nearest(examples: Features, centres: Features) -> Labels:
    """Return the index [n] of the nearest centre, by Euclidean distance."""
    distance = (centres**2).sum(axis=1) - 2 * examples @ centres.T
    return distance.argmin(axis=1)


def cluster_two_stage(
    features: Features, num_classes: int, preference: float = AFFINITY_PREFERENCE
) -> TwoStageClustering:
    """Cluster in two stages; raises ValueError if stage one finds fewer clusters than requested classes."""
    whitening = Whitening.fit(features)
    first, exemplars = affinity_propagation(whitening(features), preference)
    if len(exemplars) < num_classes:
        raise ValueError(
            f"affinity propagation found {len(exemplars)} clusters, fewer than {num_classes}; more examples?"
        )
    second = merge_clusters(whitening(features), first, num_classes)
    label = np.array([second[first == number][0] for number in range(len(exemplars))])
    return TwoStageClustering(ExemplarClassifier(whitening, exemplars, label), first, second)


def affinity_propagation(examples: Features, preference: float = AFFINITY_PREFERENCE) -> tuple[Labels, Features]:
    """Cluster by affinity propagation; returns clusters [n] and exemplars [k, features]."""
    from sklearn.cluster import AffinityPropagation

    clustering = AffinityPropagation(
        preference=preference, damping=_DAMPING, max_iter=_MAX_ITERATIONS, random_state=0
    ).fit(examples)
    labels = clustering.labels_.astype(np.int64)
    if labels.min() < 0:
        raise ValueError(f"affinity propagation has not settled in {_MAX_ITERATIONS} rounds")
    return labels, clustering.cluster_centers_


def merge_clusters(examples: Features, clusters: Labels, num_classes: int) -> Labels:
    """Merge clusters [n] until the requested number is left.

    Every example is moved to the centre of its cluster, so that Ward's criterion weighs a cluster by its size. Examples
    at one place are merged first, at no cost.
    """
    from sklearn.cluster import AgglomerativeClustering

    centres = np.array([examples[clusters == number].mean(axis=0) for number in range(clusters.max() + 1)])
    return AgglomerativeClustering(num_classes).fit_predict(centres[clusters]).astype(np.int64)


def estimate_class_probs(features: Features, label: Labels, num_classes: int) -> Features:
    """Estimate class probabilities [n, classes] by a logistic regression; raises ValueError for other classes."""
    from sklearn.linear_model import LogisticRegression

    is_class = np.isin(label, np.arange(num_classes))
    if np.shape(label) != (len(features),) or not is_class.all():
        raise ValueError(f"label: {len(features)} classes from 0 to {num_classes - 1}")

    spread = features.std(axis=0)
    scaled = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)
    model = LogisticRegression(max_iter=50).fit(scaled[::3], label[::3])  # every third is plenty
    odds = np.zeros((len(features), num_classes))
    odds[:, model.classes_] = model.predict_proba(scaled)
    return odds


# --- methods of comparison --------------------------------------------------------------------------------------------


def quantile_classes(values: NDArray[np.float64], num_classes: int) -> Labels:
    """Split the examples into classes of equal size in the order of one value: the statistical split.

    Raises ValueError where there are no values, one is NaN, or no classes.
    """
    values = np.asarray(values)
    if num_classes < 1 or values.ndim != 1 or not values.size or np.isnan(values).any():
        raise ValueError(f"expected values [n] without NaN and 1 class or more, found {values.shape}, {num_classes}")
    bounds = np.quantile(values, np.arange(1, num_classes) / num_classes)
    return np.searchsorted(bounds, values).astype(np.int64)


def k_means(examples: Features, num_classes: int) -> Labels:
    """Cluster by K-Means with the random state of table 5."""
    from sklearn.cluster import KMeans

    return KMeans(num_classes, random_state=_K_MEANS_SEED, n_init=10).fit_predict(examples).astype(np.int64)


def dbscan(examples: Features) -> Labels:
    """Cluster by DBSCAN with the radius and size of table 5, for features scaled to 0..1; -1 is noise."""
    from sklearn.cluster import DBSCAN

    span = np.ptp(examples, axis=0)
    stretched = (examples - examples.min(axis=0)) / np.where(span > 0, span, 1)
    return DBSCAN(eps=_DBSCAN_EPS, min_samples=_DBSCAN_MIN_SAMPLES).fit_predict(stretched).astype(np.int64)


def silhouette_score(examples: Features, labels: Labels) -> float:
    """Compute the mean silhouette coefficient by Euclidean distance, -1..1; raises ValueError for one class."""
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(examples, labels))
