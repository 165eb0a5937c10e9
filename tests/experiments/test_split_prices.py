"""Prices of pieces that are fitted to games."""

import json
from pathlib import Path

import numpy as np

from abl_cards.experiments.split_prices import fit_prices, piece_features, with_prices
from abl_cards.experiments.splitting_data import DEFAULT_PROFILE, play_kb_games, tag_accuracy
from abl_cards.reasoners.splits.rules import load_split_rules
from abl_cards.reasoners.splits.splits import Splitter
from tests.cli_runs import run
from tests.effort import amount


def test_fitted_prices_improve_accuracy() -> None:
    splitter = Splitter.of(load_split_rules(profile=DEFAULT_PROFILE))
    kinds, features = piece_features(splitter)
    assert kinds[0] == "single"
    assert features[splitter.rules.label_index["single_chain(3,7)"]].sum() == 3  # a chain, two ranks longer
    assert features[splitter.rules.label_index["pair(15)"], kinds.index("pair of twos")] == 1
    num_games = amount(120, 300)
    games = play_kb_games(num_games, num_games, seed=4)
    weights = fit_prices(splitter, features, games, 40, lambda done, remark: None)
    truth = games.held_out.tag_winning_hands()
    learned = tag_accuracy(with_prices(splitter, features @ weights).best_by_rules(truth.hands).tags, truth)
    assert learned > tag_accuracy(splitter.fewest_pieces(truth.hands).tags, truth)
    assert np.isfinite(weights).all()


def test_split_prices_command_reports_accuracy(tmp_path: Path) -> None:
    shown = json.loads(run("run", "split_prices", "--smoke", "--json", "--dir", str(tmp_path)).stdout)
    assert [row["split by"] for row in shown["tables"]["accuracy"]["rows"]] == [
        "fewest pieces", "prices of splits.lp", "fitted prices",
    ]  # fmt: skip
