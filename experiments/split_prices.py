"""Prices of the pieces of a split, fitted to hands as the agent kb split them in games against itself.

An averaged perceptron: where the cheapest split by the prices so far has more pieces of a kind than the split that was
played, that kind becomes dearer, and the other way round. The prices of splits.lp are what this found, rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.players import files_mark
from experiments.report import Cell, Report, Table
from experiments.rules import ByRules
from experiments.splitting_data import PROFILE, Games, accuracy, kb_games
from reasoners.split_kernels import NO_PIECE
from reasoners.split_rules import rules_of
from reasoners.splits import Splits, Splitter

_LEAST = {"single_chain": 5, "pair_chain": 3, "trio_chain": 2}
_TWO = 15
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Settings(ByRules):
    """How many games, and how long."""

    games: int = setting(3000, "of kb against itself to learn from")
    held_out: int = setting(1000, "more of them, to see whether the prices are any good")
    passes: int = setting(150, "over all games")
    seed: int = setting(1, "of the deals", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Fit, and compare with the prices of the rules."""
    splitter = Splitter.of(rules_of(settings.kb, settings.profile or PROFILE))
    what = {"what": "prices", "games": settings.games, "held out": settings.held_out, "passes": settings.passes,
            "seed": settings.seed, "rules": files_mark(splitter.rules.kb.files)}  # fmt: skip
    found = desk.cell(what, lambda tell: _found(settings, splitter, tell), "prices", settings.passes)
    rows: list[list[Cell]] = [[kind, price] for kind, price in found["prices"].items()]
    note = "Each further rank of a chain is counted apart. The prices of splits.lp are in hundredths of these."
    columns = ("split by", "cards right")
    scores: list[list[Cell]] = [[name, share] for name, share in found["accuracy"].items()]
    return Report(
        [
            Table("prices", "Fitted prices, in plays", ("piece", "price"), rows, note),
            Table("accuracy", "On games that were held out", columns, scores, "", frozenset(columns[1:])),
        ]
    )


def _found(settings: Settings, splitter: Splitter, tell: Tell) -> dict[str, Any]:
    games = kb_games(settings.games, settings.held_out, settings.seed, settings.kb, settings.profile)
    kinds, features = features_of(splitter)
    weights = fitted(splitter, features, games, settings.passes, tell)
    truth = games.held_out.won()
    shares = {
        "fewest pieces": accuracy(splitter.fewest(truth.hands).tags, truth),
        "prices of splits.lp": accuracy(splitter.preferred(truth.hands).tags, truth),
        "fitted prices": accuracy(priced(splitter, features @ weights).preferred(truth.hands).tags, truth),
    }
    return {"prices": dict(zip(kinds, weights.tolist(), strict=True)), "accuracy": shares}


def features_of(splitter: Splitter) -> tuple[list[str], Numbers]:
    """The kinds of pieces, and [labels, kinds] how much each label has of each."""
    labels = splitter.rules.labels
    counted = [dict(_features(label)) for label in labels]
    pieces = {str(form) for form, _ in splitter.rules.kb.facts("piece", 2)}
    kinds = list(
        dict.fromkeys(kind for label, each in zip(labels, counted, strict=True) if label in pieces for kind in each)
    )
    return kinds, np.array([[each.get(kind, 0.0) for kind in kinds] for each in counted])


def _features(label: str) -> list[tuple[str, float]]:
    """Of one label: its kind, twos and jokers apart, and the ranks by which a chain is longer than it must be."""
    kind, *numbers = re.findall(r"\w+", label)
    if kind in _LEAST:
        return [(kind, 1.0), (f"{kind}, a rank more", int(numbers[1]) - _LEAST[kind])]
    if kind in ("single", "pair", "trio") and int(numbers[0]) >= _TWO:
        return [(f"{kind} of {'twos' if int(numbers[0]) == _TWO else 'jokers'}", 1.0)]
    return [(kind, 1.0)]


def fitted(splitter: Splitter, features: Numbers, games: Games, passes: int, tell: Tell) -> Numbers:
    """[kinds] prices: the mean of the second half of the passes."""
    hands = games.training.won()
    played = _counts(splitter.meant(hands.hands, hands.tags), len(features)) @ features
    weights = np.array([0.0 if each else 1.0 for each in (features.max(axis=0) > 1)])
    total, kept = np.zeros_like(weights), 0
    for number in range(passes):
        cheapest = priced(splitter, features @ weights).preferred(hands.hands)
        gained = (_counts(cheapest, len(features)) @ features - played).mean(axis=0)
        weights = weights + 2 / (1 + number / 20) * gained
        if number >= passes // 2:
            total, kept = total + weights, kept + 1
        tell(number + 1, "")
    mean: Numbers = total / kept
    return mean


def priced(splitter: Splitter, prices: Numbers) -> Splitter:
    """The same rules with other prices [labels], in plays."""
    tables, larger = splitter.tables, splitter.tables.pieces
    alone = np.where(tables.label >= 0, prices[tables.label], 0.0)
    return replace(splitter, tables=tables._replace(price=alone, pieces=larger._replace(price=prices[larger.label])))


def _counts(splits: Splits, labels: int) -> Numbers:
    """[n, labels] the pieces of splits."""
    counts = np.zeros((len(splits.pieces), labels))
    hand, place = np.nonzero(splits.pieces != NO_PIECE)
    np.add.at(counts, (hand, splits.pieces[hand, place]), 1)
    return counts


EXPERIMENT = Experiment(
    "Prices of the pieces of a split in Dou dizhu, fitted to own games",
    Settings(),
    run,
    smoke={"games": 40, "held_out": 20, "passes": 4},
)
