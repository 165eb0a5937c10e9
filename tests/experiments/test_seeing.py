"""Who is told the hidden hands in the place of an estimate."""

from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.learned import Abl
from abl_cards.errors import GameError
from abl_cards.games import game
from experiments import guandan_abln
from experiments.experiment import conduct
from experiments.seeing import seeing
from learners.presets import DRAWS
from tests.effort import long
from tests.experiments.test_guandan_experiments import rows
from tests.games.random_play import match_keys, step


def test_estimate_deals_and_answers_are_the_truth(untrained: str) -> None:
    engine = game("guandan").engine()
    tables = engine.tables(match_keys(4, 5))
    for _ in range(30):
        step(tables)
    which = tables.playing()
    decisions, player = tables.decisions(which), seeing(untrained, engine).agent
    assert isinstance(player, Abl)
    view = player.mind.look(decisions)
    truth = tables.others(which)[view.choice]
    assert (view.estimate == truth).all()
    here = np.arange(len(view.choice))
    deals = player.mind.deals(decisions, view, here, np.zeros((len(here), 2), np.uint64))
    assert deals.shape[1] == 2
    assert (deals == truth[:, None]).all()
    assert set(np.unique(view.replies).tolist()) == {0, DRAWS}


@pytest.mark.parametrize("name", ["kb", "abl:no-abln"])
def test_who_estimates_nothing_is_told_nothing(name: str) -> None:
    with pytest.raises(GameError, match="no estimate"):
        seeing(name, game("guandan").engine())


@long
def test_what_no_estimate_can_win_is_measured(untrained: str, tmp_path: Path) -> None:
    settings = guandan_abln.Settings(agent=untrained, twin="random", rounds=1, games=2, ceiling=2)
    (told,) = rows(conduct("guandan_abln", settings, tmp_path), "ceiling")
    assert told["agent"].endswith(", seeing")
    assert (told["against"], told["matches"]) == ("random", 2)
