"""Which plays hands could lead and answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.replies import answers
from abl_cards.games.reading.rules import Rules, read_rules
from abl_cards.games.reading.variants import HOME
from abl_cards.games.telling.samples import sample_decisions
from tests.games.telling.beside_guandan import old


@pytest.fixture(scope="module", params=["president", "bigtwo"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return read_rules(Folder(HOME / request.param))


def test_answers_are_what_follows(rules: Rules) -> None:
    """Where a seat can follow a play it could answer its label, and nowhere else."""
    decisions = sample_decisions(rules, 300, 1)
    found = answers(rules, decisions.context.astype(np.int64), decisions.view.hand)
    passing = rules.forms.label_of[rules.forms.passing]
    following = np.flatnonzero(decisions.to_beat >= 0)
    can = np.asarray(np.delete(decisions.legal, passing, axis=0).any(axis=0))
    assert (found[following, decisions.label_to_beat[following]] == can[following]).all()
    assert not found[:, passing].any()


def test_guandan_answers_the_same() -> None:
    rules = read_rules(Folder(Path(__file__).parents[1] / "folders" / "guandan2"))
    decisions = old().sample_decisions(300, 5)
    hands, level = decisions.situation.hand, decisions.hands.level  # type: ignore[attr-defined]
    fluent = rules.fluents.named("level")
    assert fluent is not None
    states = np.tile(rules.fluents.nothing, (len(level), 1))
    states[:, fluent.first] = level - 2
    assert (answers(rules, rules.contexts.of(states).astype(np.int64), hands) == old().answers(level, hands)).all()
