"""Which plays hands could lead and answer."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.replies import answers
from abl_cards.games.reading.rules import Rules, read_rules
from abl_cards.games.reading.variants import HOME
from abl_cards.games.telling.samples import sample_decisions


@pytest.fixture(scope="module", params=["president", "bigtwo", "guandan"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return read_rules(Folder(HOME / request.param))


def test_answers_are_what_follows(rules: Rules) -> None:
    """Where a seat can follow a play it could answer its label, and nowhere else."""
    decisions = sample_decisions(rules, 300, 1)
    found = answers(rules, decisions.context.astype(np.int64), decisions.view.hand)
    passing = rules.forms.label_of[rules.forms.passing]
    _, smallest = np.unique(rules.forms.label_of, return_index=True)
    following = np.flatnonzero(np.isin(decisions.to_beat, smallest))  # a label stands for its smallest form
    can = np.asarray(np.delete(decisions.legal, passing, axis=0).any(axis=0))
    assert (found[following, decisions.label_to_beat[following]] == can[following]).all()
    assert not found[:, passing].any()
