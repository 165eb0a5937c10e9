"""Two-stage clustering and the methods that it is compared with."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.learners.clustering import (  # fmt: skip
    ExemplarClassifier,
    Whitening,
    affinity_propagation,
    cluster_two_stage,
    dbscan,
    estimate_class_probs,
    find_nearest,
    k_means,
    merge_clusters,
    quantile_classes,
    silhouette_score,
)


def blobs(size: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return points of five clear clusters in an oblique space, with their labels."""
    random = np.random.default_rng(1)
    centres = np.array([[0, 0], [40, 0], [0, 40], [40, 40], [80, 80]], float)
    label = np.repeat(np.arange(5), size)
    return (centres[label] + random.normal(size=(5 * size, 2))) @ np.array([[1.0, 0.3], [0.0, 20.0]]), label


def same(one: np.ndarray, two: np.ndarray) -> bool:
    """Return whether two lists of classes are equal up to renaming."""
    return len({(a, b) for a, b in zip(one, two, strict=True)}) == len(set(one)) == len(set(two))


def test_whitened_distances_equal_mahalanobis() -> None:
    examples, _ = blobs()
    white = Whitening.fit(examples)(examples)
    np.testing.assert_allclose(np.cov(white.T), np.eye(2), atol=1e-9)
    apart = examples[0] - examples[77]
    expected = apart @ np.linalg.inv(np.cov(examples.T)) @ apart
    assert ((white[0] - white[77]) ** 2).sum() == pytest.approx(expected)


def test_linearly_dependent_features_raise() -> None:
    examples, _ = blobs()
    with pytest.raises(ValueError, match="a sum of others"):
        Whitening.fit(np.column_stack([examples, examples.sum(axis=1)]))


def test_two_stage_clustering_finds_separated_clusters() -> None:
    examples, label = blobs()
    clusters = cluster_two_stage(examples, 5, preference=-2.0)
    assert same(clusters.stage_two, label)
    assert same(clusters.classifier(examples), label)
    assert len(clusters.classifier.exemplar_class) >= 5
    numbered = clusters.classifier.reorder_classes(np.array([4, 3, 2, 1, 0]))
    assert (numbered(examples) == 4 - clusters.classifier(examples)).all()
    with pytest.raises(ValueError, match="fewer than 5"):
        cluster_two_stage(examples, 5, preference=-1e6)


def test_merging_weights_clusters_by_size() -> None:
    """Ward: two large clusters at a distance cost more than a far example with a neighbour."""
    examples = np.array([[0.0]] * 50 + [[1.0]] * 50 + [[2.6]])
    clusters = np.repeat([0, 1, 2], [50, 50, 1])
    assert merge_clusters(examples, clusters, 2).tolist() in ([0] * 50 + [1] * 51, [1] * 50 + [0] * 51)


def test_other_clustering_methods() -> None:
    examples, label = blobs()
    white = Whitening.fit(examples)(examples)
    assert same(k_means(white, 5), label)
    pairs = np.array([[0.0], [0.01], [1.0], [0.5], [0.51]])
    assert dbscan(pairs).tolist() == [0, 0, -1, 1, 1]  # an isolated point is noise
    assert np.bincount(quantile_classes(np.arange(100.0), 5)).tolist() == [20] * 5
    assert silhouette_score(white, label) > silhouette_score(white, quantile_classes(examples[:, 0], 5))
    labels, exemplars = affinity_propagation(white, -2.0)
    assert (find_nearest(white, exemplars) == labels).all()


def test_classes_equal_those_of_the_nearest_exemplar() -> None:
    plain = Whitening(np.zeros(1), np.eye(1))
    classes = ExemplarClassifier(plain, np.array([[0.0], [1.0], [5.0]]), np.array([1, 1, 0]))
    assert classes(np.array([[-3.0], [0.9], [3.1]])).tolist() == [1, 1, 0]


def test_classes_and_values_are_checked() -> None:
    """The class -1 was the last one, and values that are NaN were all of class 0."""
    features = np.random.default_rng(0).random((9, 2))
    for label in (np.arange(9) % 3 - 1, np.arange(9) % 4, np.zeros(3, np.int64)):
        with pytest.raises(ValueError, match="label"):
            estimate_class_probs(features, label, 3)
    for values, num_classes in ((features[:0, 0], 2), (features[:, 0], 0), (features[:, 0] * np.nan, 2), (features, 2)):
        with pytest.raises(ValueError, match="values"):
            quantile_classes(values, num_classes)
