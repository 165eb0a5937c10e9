"""The experiment on splitting, with a budget of seconds; held-out games stay unused."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.experiments.experiment import get_experiment
from abl_cards.experiments.splitting_data import (
    FirstPlays,
    load_recorded_games,
    play_kb_games,
    single_share,
    tag_accuracy,
)
from abl_cards.learners.presets import SPLITTER_PRESETS
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import load_split_rules
from abl_cards.reasoners.splits.splits import Splitter
from tests.cli_runs import run
from tests.effort import amount
from tests.experiments.conftest import partial_results

SMOKE = ["run", "doudizhu_splitting", "--smoke", "--json", "--set", "rounds=2", "--set", "loop_rounds=2"]


def test_experiment_runs_and_reuses_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = SPLITTER_PRESETS["small"]
    narrow = replace(small, card_width=amount(8, small.card_width), hidden_width=amount(8, small.hidden_width))
    monkeypatch.setitem(SPLITTER_PRESETS, "small", narrow)
    words = [*SMOKE, "--set", "games=24", "--set", "held_out=8", "--dir", str(tmp_path / "out")]
    first = json.loads(run(*words).stdout)
    methods = {row["split by"]: row for row in first["tables"]["methods"]["rows"]}
    assert methods["40 orders"]["hands consistent"] == 1.0
    assert methods["abduction loop + rules and preferences"]["hands consistent"] == 1.0
    shares = [(row["share of the labels"], row["learned by"]) for row in first["tables"]["budgets"]["rows"]]
    assert shares == [("10.0%", "labels"), ("10.0%", "loop"), ("100.0%", "labels")]
    judged = {row["split by"]: row["plays of kb"] for row in first["tables"]["judged"]["rows"]}
    assert list(judged)[:3] == ["40 orders", "fewest pieces", "preferences alone"]
    assert all(0 < share <= 1 for share in judged.values())
    assert set(first["plots"]) == {"games", "collapse_accuracy", "collapse_singles"}
    assert list(tmp_path.glob("out/loop-*/doudizhu-splitter-small.safetensors"))
    cells = (tmp_path / "out" / "cells.jsonl").read_text("utf-8")
    assert json.loads(run(*words).stdout) == first
    assert (tmp_path / "out" / "cells.jsonl").read_text("utf-8") == cells
    budget = get_experiment("doudizhu_splitting").make_settings(smoke=True)
    settings = replace(budget, rounds=2, loop_rounds=2, games=24, held_out=8)
    parts = partial_results("doudizhu_splitting", settings, tmp_path / "out", tmp_path)
    ways = [{row["split by"] for row in part["tables"]["methods"]["rows"]} for part in parts]
    assert ways[0] == {"40 orders", "fewest pieces", "preferences alone"}
    assert ways == sorted(ways, key=len)
    assert parts[-1]["missing"] == "judged by kb"


def test_draw_labelled_splits_the_training_games() -> None:
    games = play_kb_games(30, 10, seed=1)
    labelled, unlabelled = games.draw_labelled(0.1, seed=0)
    assert len(labelled) == 3
    assert len(unlabelled) == 3 * 30 - 3
    everything, losers = games.draw_labelled(1.0, seed=0)
    assert (len(everything), len(losers)) == (30, 60)
    assert not len(games.draw_labelled(0.0, seed=0)[0])
    held = set(games.held_out.hands.ravel().tolist())
    assert not held & set(unlabelled.tolist())


def test_recall_of_first_plays_is_high_for_true_splits() -> None:
    games = play_kb_games(1, 40, seed=2).held_out
    splitter = Splitter.of(load_split_rules(profile="douzero"))
    first = FirstPlays.from_games(splitter.rules, games)
    assert len(first.hands) == 3 * len(games)
    counts = np.bincount(first.seat_row, minlength=len(first.hands))
    assert counts.max() <= 5 * 7  # a play has one main piece and at most six kickers
    truth = games.tag_winning_hands()
    seats = np.arange(len(games)) * 3 + games.winner
    winners = FirstPlays(truth.hands, *_of_seats(first, seats))
    assert (
        winners.recall(splitter.pieces_of_tags(truth.hands, truth.tags)) > 0.95
    )  # but for single cards that make a chain
    singles = np.where(truth.tags == NO_TAG, NO_TAG, 0).astype(np.uint8)
    assert winners.recall(splitter.pieces_of_tags(truth.hands, singles)) < 0.6
    assert tag_accuracy(truth.tags, truth) == 1.0
    assert single_share(singles, truth) == 1.0


def _of_seats(first: FirstPlays, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    row = np.full(len(first.hands), -1)
    row[seats] = np.arange(len(seats))
    is_selected = row[first.seat_row] >= 0
    return row[first.seat_row[is_selected]], first.piece[is_selected]


def test_douzero_games_are_loaded_and_held_out(shared_data: Path, tmp_path: Path) -> None:
    file, num_games = tmp_path / "games.jsonl", amount(100, 400)
    with gzip.open(shared_data / "doudizhu_douzero_selfplay.jsonl.gz", "rb") as every:
        file.write_bytes(b"".join(islice(every, num_games)))
    games = load_recorded_games(file, 50)
    assert (len(games.training), len(games.held_out)) == (num_games - 50, 50)
    with pytest.raises(GameError, match="too few to hold out"):
        load_recorded_games(file, num_games)


def test_missing_records_are_reported_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABL_CARDS_DATA", str(tmp_path))
    answer = run("run", "doudizhu_splitting", "--dir", str(tmp_path / "out"))
    assert answer.exit_code == 1
    assert "own_games=true" in answer.stderr
