"""Masks of the labels that hands could lead and beat."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.sampling.samples import sample_decisions
from abl_cards.games.tables.response_masks import compute_response_mask


@pytest.fixture(scope="module", params=["president", "bigtwo", "guandan"])
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    return load(request.param).engine().rules


def test_response_masks_equal_legal_follows(rules: CompiledGame) -> None:
    """A hand can beat a label if and only if the seat can follow such a play."""
    decisions = sample_decisions(rules, 300, 1)
    mask = compute_response_mask(rules, decisions.context.astype(np.int64), decisions.view.hand)
    passing = rules.forms.label_of[rules.forms.pass_form]
    _, smallest = np.unique(rules.forms.label_of, return_index=True)
    following = np.flatnonzero(np.isin(decisions.to_beat, smallest))  # a label stands for its smallest form
    can_follow = np.asarray(np.delete(decisions.legal_mask, passing, axis=0).any(axis=0))
    assert (mask[following, decisions.label_to_beat[following]] == can_follow[following]).all()
    assert not mask[:, passing].any()
