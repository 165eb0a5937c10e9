"""Prices of pieces, fitted to games."""

import json
from pathlib import Path

import numpy as np

from experiments.split_prices import features_of, fitted, priced
from experiments.splitting_data import PROFILE, accuracy, kb_games
from reasoners.split_rules import rules_of
from reasoners.splits import Splitter
from tests.cli_runs import run


def test_prices_are_learned_from_what_was_played() -> None:
    splitter = Splitter.of(rules_of(profile=PROFILE))
    kinds, features = features_of(splitter)
    assert kinds[0] == "single"
    assert features[splitter.rules.index["single_chain(3,7)"]].sum() == 3  # a chain, two ranks longer
    assert features[splitter.rules.index["pair(15)"], kinds.index("pair of twos")] == 1
    games = kb_games(300, 300, seed=4)
    weights = fitted(splitter, features, games, 40, lambda done, remark: None)
    truth = games.held_out.won()
    learned = accuracy(priced(splitter, features @ weights).preferred(truth.hands).tags, truth)
    assert learned > accuracy(splitter.fewest(truth.hands).tags, truth)
    assert np.isfinite(weights).all()


def test_the_command(tmp_path: Path) -> None:
    shown = json.loads(run("run", "split_prices", "--smoke", "--json", "--dir", str(tmp_path)).stdout)
    assert [row["split by"] for row in shown["tables"]["accuracy"]["rows"]] == [
        "fewest pieces", "prices of splits.lp", "fitted prices",
    ]  # fmt: skip
