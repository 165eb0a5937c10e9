"""Fixtures of the tests of agents."""

from __future__ import annotations

from typing import Any

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.games.game import load


@pytest.fixture(scope="module")
def neural_policy(untrained: str) -> Any:
    player: Any = make_agent(untrained, load("guandan").engine())
    return player.policy
