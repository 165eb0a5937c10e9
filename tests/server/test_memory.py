"""Tests that the information of a client equals that of its seat at the table, at every decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import ONLY_TABLE
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.contest.client import ContestClient
from abl_cards.protocols.contest.dealer import ContestDealer
from abl_cards.protocols.contest.handshake import ContestHandshake
from tests.effort import amount
from tests.games.guandan.states import engine


class RecordingAgent:
    """Agent that keeps its last decision."""

    def __init__(self, name: str) -> None:
        self._agent = make_agent(name, engine())
        self.seen: Any = None

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        self.seen = decisions
        return self._agent.play(decisions, keys)

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        self.seen = choices
        return self._agent.choose(choices, keys)


def hidden_parts(decisions: Decisions) -> list[NDArray[Any]]:
    """Return the information on the hands of other seats."""
    hidden = decisions.information_set()
    return [hidden.unseen, hidden.cards_left, hidden.min_copies, hidden.max_copies, decisions.belief_log_odds()]


def visible_parts(decisions: Any) -> list[NDArray[Any]]:
    """Return the visible parts of the hands, and the level."""
    view = decisions.view
    return [view.hand, view.unseen, view.hidden_hand_sizes, view.top_other, view.context]


def assert_equal_decisions(seen: Any, expected: Any) -> None:
    """Compare two decisions."""
    for from_messages, from_table in zip(visible_parts(seen), visible_parts(expected), strict=True):
        assert (from_messages == from_table).all()
    if hasattr(expected, "options"):
        assert (seen.options == expected.options).all()
    else:
        assert all(
            (from_messages == from_table).all()
            for from_messages, from_table in zip(hidden_parts(seen), hidden_parts(expected), strict=True)
        )
        assert (seen.to_beat, (seen.observe() == expected.observe()).all()) == (expected.to_beat, True)


NUM_DECISIONS = amount(150, 400)
"""Number of compared decisions; a match has some thousands."""


@pytest.mark.parametrize(("name", "games"), [("random", 1), ("kb", 1)])
def test_client_information_equals_that_of_its_seat(name: str, games: int) -> None:
    dealer = ContestDealer(engine(), games)
    agents = [RecordingAgent(name) for _ in range(4)]
    clients = [ContestClient(engine(), ContestHandshake()) for _ in range(4)]
    stages = set[str]()
    for game in range(games):
        dealer.start_game(np.uint64(game + 5), is_rotated=False)
        while dealer.winner == -1 and (len(stages) < 3 or dealer.tables.num_decisions[0] < NUM_DECISIONS):
            for seat, message in dealer.pop_notifications():
                clients[seat].handle_message(message)
            request, tables = dealer.next_request(), dealer.tables
            reply = clients[request.seat].reply(
                request.message, agents[request.seat], np.uint64(tables.num_decisions[0])
            )
            assert reply.problem is None
            playing = tables.rows_to_play().size > 0
            assert_equal_decisions(
                agents[request.seat].seen, tables.decisions(ONLY_TABLE) if playing else tables.choices(ONLY_TABLE)
            )
            stages.add(request.message["stage"])
            request.choose(reply.choice)
    assert stages == {"play", "tribute", "back"}
