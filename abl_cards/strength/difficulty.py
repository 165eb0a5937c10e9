"""Classes of deals by how hard they are for the landlord: clusters of played deals, numbered by how often he won."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.seeds import seed64
from learners.clusters import PREFERENCE, Classes, TwoStage, silhouette, tell_apart, two_stage

SMALLEST = 0.04
"""A class with a smaller share of the deals is none worth a name."""
SUREST = 0.03
"""The share of all deals that are looked at as the surest of a class."""


@dataclass(frozen=True)
class Difficulty:
    """What one sample of the deals was clustered into."""

    classes: Classes  # numbered by the landlord's wins, 0 the hardest
    first: int  # clusters of stage one
    silhouettes: tuple[float, float]  # after stage one, after stage two
    shares: tuple[float, ...]  # of all deals, by class
    won: tuple[float, ...]  # by the landlord, by class
    sure: tuple[tuple[float, ...], ...]  # by agent and class: among the deals that are surest of their class at sight

    @property
    def gap(self) -> float:
        """How far the landlord's chances in neighbouring classes are apart at least, for every agent, at sight."""
        return float(np.diff(np.array([self.won, *self.sure]), axis=1).min())


@dataclass(frozen=True)
class Deals:
    """What is known of n deals that are to be sorted."""

    features: NDArray[np.float64]  # [n, features] of how they were played
    won: NDArray[np.float32]  # [n] share of the games that the landlord won
    seen: NDArray[np.float64]  # [n, inputs] what can be told of them before they are played
    alike: NDArray[np.float32]  # [a, n] won by the landlord where one agent had all seats


def cluster(deals: Deals, size: int, classes: int, seed: int, draw: int = 0) -> Difficulty:
    """Cluster a random sample, and sort all deals into the classes; raises GameError where there are too few deals."""
    features, won = deals.features, deals.won
    rows = np.random.default_rng([seed64(seed), draw]).permutation(len(features))[:size]
    try:
        found = two_stage(features[rows], classes, PREFERENCE)
    except ValueError as problem:
        raise GameError(f"classes of {len(rows)} deals: {problem}") from None
    label = found.classes(features)
    chances = np.array([won[label == number].mean() if (label == number).any() else 0.0 for number in range(classes)])
    order = np.argsort(chances)
    shares = np.bincount(label, minlength=classes)[order] / len(label)
    classed = found.classes.numbered(order)
    return Difficulty(
        classed,
        len(found.classes.label),
        _silhouettes(found, features[rows]),
        tuple(shares.tolist()),
        tuple(chances[order].tolist()),
        surest(deals, classed(features), classes),
    )


def surest(deals: Deals, label: NDArray[np.int64], classes: int) -> tuple[tuple[float, ...], ...]:
    """By agent and class: the landlord's wins in the deals that a plain regression is surest of.

    Generated deals are such deals. What a class owes to how its games went, and not to its cards, is gone there.
    """
    odds = tell_apart(deals.seen, label, classes)
    top = [np.argsort(-odds[:, number], kind="stable")[: int(SUREST * len(label)) + 1] for number in range(classes)]
    return tuple(tuple(float(won[rows].mean()) for rows in top) for won in deals.alike)


def choose(
    deals: Deals, size: int, classes: int, seed: int, draws: int,
    tell: Callable[[int, str], None] = lambda done, remark: None,
) -> tuple[Difficulty, list[Difficulty]]:  # fmt: skip
    """Cluster several samples; the one whose classes differ most in the landlord's chances, and all.

    The silhouette does not tell these clusterings apart (they are within 0.02 of each other), what they are for does.
    """
    found = []
    for draw in range(draws):
        tell(draw, f"sample {draw + 1}")
        found.append(cluster(deals, size, classes, seed, draw))
    large = [each for each in found if min(each.shares) >= SMALLEST] or found
    return max(large, key=lambda each: each.gap), found


def _silhouettes(found: TwoStage, features: NDArray[np.float64]) -> tuple[float, float]:
    examples = found.classes.whitening(features)
    return silhouette(examples, found.first), silhouette(examples, found.second)
