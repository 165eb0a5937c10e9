"""Sampling of labels by the plain agents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.baselines import MANY_LABELS, RandomAgent
from abl_cards.agents.registry import make_agent
from abl_cards.agents.trick_value import avoids_tricks
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import scale_to_range_array, splitmix64_array
from abl_cards.games.game import load
from abl_cards.games.tables.legal_card_sets import LabelSampler
from abl_cards.matches.match_runner import play_match
from tests.edited import edited
from tests.effort import amount
from tests.games.random_play import match_keys


class _Masks:
    """Decisions with a mask of legal labels and nothing else."""

    def __init__(self, legal_mask: np.ndarray) -> None:
        self.legal_mask = legal_mask

    def sample_labels_and_moves(self, sample_labels: LabelSampler, keys: np.ndarray) -> np.ndarray:
        labels = np.zeros(len(keys), np.int16)
        sample_labels(0, len(keys), labels)
        return labels


def test_sampled_labels_do_not_depend_on_the_mask_size() -> None:
    """Draw the nth legal label by the key alone, also from masks that are too large to read twice."""
    random = np.random.default_rng(3)
    few = (random.random((40, 3000)) < 0.2).astype(np.uint8)
    few[7] = 1  # something is always legal
    keys = splitmix64_array(np.arange(3000, dtype=np.uint64), 5)
    drawn = scale_to_range_array(splitmix64_array(keys, 0), few.sum(axis=0))
    nth = (few.cumsum(axis=0) > drawn).argmax(axis=0)
    many = np.zeros((MANY_LABELS + 100, 3000), np.uint8)
    places = np.sort(random.permutation(len(many))[:40])
    many[places] = few
    assert (RandomAgent().play(_Masks(few), keys) == nth).all()  # type: ignore[arg-type]
    assert (RandomAgent().play(_Masks(many), keys) == places[nth]).all()  # type: ignore[arg-type]


def test_sampling_without_legal_labels_returns_the_number_of_labels() -> None:
    """Return the number of labels where no label is legal; skip labels that no decision allows."""
    legal = np.zeros((50, 2100), np.uint8)
    legal[[3, 41]] = np.arange(2100) % 3 == np.array([[1], [2]])
    labels = RandomAgent().play(_Masks(legal), splitmix64_array(np.arange(2100, dtype=np.uint64), 1))  # type: ignore[arg-type]
    assert np.array_equal(labels, np.array([50, 3, 41])[np.arange(2100) % 3])


@pytest.mark.parametrize("agent", ["random", "greedy", "kb"])
def test_decision_without_legal_labels_is_an_error_of_the_rules(tmp_path: Path, agent: str) -> None:
    """A leader without two cards of a rank has no label; random play ended with a ValueError about drawn labels."""
    folder = edited(tmp_path / "pairs", {"labels.lp": ("label(set(R,N)) :- rank(R), N = 1..4.", "label(set(R,N)) :- "
        "rank(R), N = 2..4.")}, name="president")  # fmt: skip
    engine = load(str(folder)).engine()
    with pytest.raises(GameError) as error:
        play_match(engine, [make_agent(agent, engine)] * 2, games=60, seed=1, names=["a", "b"])
    assert error.value.code == ErrorCode.RULES_STUCK


def test_greedy_follows_with_another_type_rather_than_pass(tmp_path: Path) -> None:
    """A three beats any pair: greedy lays it where it has no pair that does."""
    (tmp_path / "variant.lp").write_text("parent(president).\nbeats(set(3,1)) :- to_beat(set(_,2)).\n", "utf-8")
    engine = load(str(tmp_path)).engine()
    tables, agent, num_threes = engine.start_matches(match_keys(20, 1)), make_agent("greedy", engine), 0
    three = engine.labels.index("set(3,1)")
    while (rows := tables.rows_to_play()).size:
        decisions, keys = tables.decisions(rows), splitmix64_array(tables.keys[rows], tables.num_decisions[rows])
        moves = agent.play(decisions, keys)
        follows, legal = decisions.label_to_beat >= 0, decisions.legal_mask.astype(bool)
        same = engine.label_traits.kind[:, None] == engine.label_traits.kind[decisions.label_to_beat][None]
        only_three = follows & legal[three] & ~(legal & same).any(axis=0)
        assert (decisions.labels_of(moves.form)[only_three] == three).all()
        num_threes += int(only_three.sum())
        tables.play(rows, moves)
    assert num_threes


@pytest.mark.parametrize(("game", "expected"), [("hearts", True), ("whist", False)])
def test_greedy_avoids_tricks_that_cost_points(game: str, expected: bool) -> None:
    """Read from random play whether tricks are worth taking, so that `greedy` beats `random` in Hearts too."""
    engine = load(game).engine()
    assert avoids_tricks(engine.rules) is expected
    result = play_match(engine, ("greedy", "random"), amount(4, 10), seed=3)
    assert result.wins[0] > result.wins[1]
