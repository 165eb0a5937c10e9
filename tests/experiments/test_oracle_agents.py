"""Agents with the true hidden hands instead of an estimate."""

from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.abl_agent import AblAgent
from abl_cards.core.errors import GameError
from abl_cards.experiments import guandan_abln
from abl_cards.experiments.experiment import run_experiment
from abl_cards.experiments.oracle_agents import load_oracle_agent
from abl_cards.games.game import load
from abl_cards.learners.presets import RESPONSE_DEALS
from tests.effort import long
from tests.experiments.test_guandan_experiments import rows
from tests.games.random_play import match_keys, step


def test_oracle_agent_uses_the_true_hands(untrained: str) -> None:
    engine = load("guandan").engine()
    tables = engine.start_matches(match_keys(4, 5))
    for _ in range(30):
        step(tables)
    tables_to_play = tables.rows_to_play()
    decisions, player = tables.decisions(tables_to_play), load_oracle_agent(untrained, engine).agent
    assert isinstance(player, AblAgent)
    view = player.policy.features(decisions)
    truth = tables.hidden_hands(tables_to_play)[view.open_rows]
    assert (view.estimate == truth).all()
    here = np.arange(len(view.open_rows))
    deals = player.policy.sample_deals(decisions, view, here, np.zeros((len(here), 2), np.uint64))
    assert deals.shape[1] == 2
    assert (deals == truth[:, None]).all()
    assert set(np.unique(view.response_counts).tolist()) == {0, RESPONSE_DEALS}


@pytest.mark.parametrize("name", ["kb", "abl:no-abln"])
def test_oracle_agent_requires_an_estimate(name: str) -> None:
    with pytest.raises(GameError, match="no estimate"):
        load_oracle_agent(name, load("guandan").engine())


@long
def test_ceiling_is_measured_with_an_oracle_agent(untrained: str, tmp_path: Path) -> None:
    settings = guandan_abln.GuandanAblnConfig(agent=untrained, twin="random", rounds=1, games=2, ceiling=2)
    (row,) = rows(run_experiment("guandan_abln", settings, tmp_path), "ceiling")
    assert row["agent"].endswith(", seeing")
    assert (row["against"], row["matches"]) == ("random", 2)
