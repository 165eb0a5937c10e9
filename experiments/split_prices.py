"""Prices of the pieces of a split, fitted to the plays of agent kb against itself.

The method is an averaged perceptron. The cheapest split by the current prices is compared with the split that was
played. The price of a kind rises if the cheapest split has more pieces of it, and falls if it has fewer. The prices in
splits.lp are these results, rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import knowledge_fingerprint
from abl_cards.core import SEED_RANGE, setting
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.splitting_data import DEFAULT_PROFILE, SplitGames, play_kb_games, tag_accuracy
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.reasoners.splits import NO_PIECE, Splits, Splitter, load_split_rules

_MIN_CHAIN_LENGTH = {"single_chain": 5, "pair_chain": 3, "trio_chain": 2}
_RANK_OF_TWO = 15
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SplitPricesConfig(RulesConfig, SeedsConfig):
    """Number of games, and duration of training."""

    games: int = setting(3000, "training games of kb against itself")
    held_out: int = setting(1000, "further games that test the prices")
    passes: int = setting(150, "passes over all games")
    seed: int = setting(1, "seed of the deals", SEED_RANGE)


def run(settings: SplitPricesConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Fit, and compare with the prices of the rules."""
    splitter = Splitter.of(load_split_rules(settings.kb, settings.profile or DEFAULT_PROFILE))
    what = {"what": "prices", "games": settings.games, "held out": settings.held_out, "passes": settings.passes,
            "seed": settings.seed, "rules": knowledge_fingerprint(splitter.rules.kb)}  # fmt: skip
    result = workspace.measure_cell(
        what, lambda tell: _fit_and_score(settings, splitter, tell), "prices", settings.passes
    )
    rows: list[list[Cell]] = [[kind, price] for kind, price in result["prices"].items()]
    note = "Each further rank of a chain is counted apart. The prices of splits.lp are in hundredths of these."
    columns = ("split by", "cards right")
    scores: list[list[Cell]] = [[name, share] for name, share in result["accuracy"].items()]
    return ExperimentReport(
        [
            ReportTable("prices", "Fitted prices, in plays", ("piece", "price"), rows, note),
            ReportTable("accuracy", "On games that were held out", columns, scores, "", frozenset(columns[1:])),
        ]
    )


def _fit_and_score(settings: SplitPricesConfig, splitter: Splitter, on_progress: ProgressCallback) -> dict[str, Any]:
    games = play_kb_games(settings.games, settings.held_out, settings.seed, settings.kb, settings.profile)
    kinds, features = piece_features(splitter)
    weights = fit_prices(splitter, features, games, settings.passes, on_progress)
    truth = games.held_out.tag_winning_hands()
    shares = {
        "fewest pieces": tag_accuracy(splitter.fewest_pieces(truth.hands).tags, truth),
        "prices of splits.lp": tag_accuracy(splitter.best_by_rules(truth.hands).tags, truth),
        "fitted prices": tag_accuracy(with_prices(splitter, features @ weights).best_by_rules(truth.hands).tags, truth),
    }
    return {"prices": dict(zip(kinds, weights.tolist(), strict=True)), "accuracy": shares}


def piece_features(splitter: Splitter) -> tuple[list[str], FloatArray]:
    """Return the kinds of pieces, and the features [labels, kinds] of each label."""
    labels = splitter.rules.labels
    counted = [dict(_label_features(label)) for label in labels]
    pieces = {str(form) for form, _ in splitter.rules.kb.facts("piece", 2)}
    kinds = list(
        dict.fromkeys(kind for label, counts in zip(labels, counted, strict=True) if label in pieces for kind in counts)
    )
    return kinds, np.array([[counts.get(kind, 0.0) for kind in kinds] for counts in counted])


def _label_features(label: str) -> list[tuple[str, float]]:
    """Yield the features of one label: its kind (twos and jokers apart), and the extra ranks of a chain."""
    kind, *numbers = re.findall(r"\w+", label)
    if kind in _MIN_CHAIN_LENGTH:
        return [(kind, 1.0), (f"{kind}, a rank more", int(numbers[1]) - _MIN_CHAIN_LENGTH[kind])]
    if kind in ("single", "pair", "trio") and int(numbers[0]) >= _RANK_OF_TWO:
        return [(f"{kind} of {'twos' if int(numbers[0]) == _RANK_OF_TWO else 'jokers'}", 1.0)]
    return [(kind, 1.0)]


def fit_prices(
    splitter: Splitter, features: FloatArray, games: SplitGames, passes: int, on_progress: ProgressCallback
) -> FloatArray:
    """Fit the prices [kinds]: the mean of the second half of the passes."""
    hands = games.training.tag_winning_hands()
    played = _count_pieces(splitter.pieces_of_tags(hands.hands, hands.tags), len(features)) @ features
    weights = np.array([0.0 if is_multiple else 1.0 for is_multiple in (features.max(axis=0) > 1)])
    total, num_averaged = np.zeros_like(weights), 0
    for number in range(passes):
        cheapest = with_prices(splitter, features @ weights).best_by_rules(hands.hands)
        gained = (_count_pieces(cheapest, len(features)) @ features - played).mean(axis=0)
        weights = weights + 2 / (1 + number / 20) * gained
        if number >= passes // 2:
            total, num_averaged = total + weights, num_averaged + 1
        on_progress(number + 1, "")
    mean: FloatArray = total / num_averaged
    return mean


def with_prices(splitter: Splitter, prices: FloatArray) -> Splitter:
    """Return the rules with other prices [labels], in plays."""
    tables, larger = splitter.tables, splitter.tables.pieces
    alone = np.where(tables.group_label >= 0, prices[tables.group_label], 0.0)
    return replace(
        splitter, tables=tables._replace(group_price=alone, pieces=larger._replace(price=prices[larger.label]))
    )


def _count_pieces(splits: Splits, labels: int) -> FloatArray:
    """Count the pieces of splits by label: [n, labels]."""
    counts = np.zeros((len(splits.pieces), labels))
    hand, place = np.nonzero(splits.pieces != NO_PIECE)
    np.add.at(counts, (hand, splits.pieces[hand, place]), 1)
    return counts


EXPERIMENT = Experiment(
    "Prices of the pieces of a split in Dou dizhu, fitted to own games",
    SplitPricesConfig(),
    over_seeds(run),
    smoke={"games": 40, "held_out": 20, "passes": 4},
)
