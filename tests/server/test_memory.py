"""What a seat knows from messages is what it may see at the table, at every decision of whole games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.contest.client import ContestClient
from abl_cards.protocols.contest.dealer import ONLY_TABLE, ContestDealer
from abl_cards.protocols.contest.handshake import ContestHandshake
from tests.games.guandan.states import engine


class Eye:
    """An agent that remembers what it was shown last."""

    def __init__(self, name: str) -> None:
        self._agent = make_agent(name, engine())
        self.seen: Any = None

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        self.seen = decisions
        return self._agent.play(decisions, keys)

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        self.seen = choices
        return self._agent.choose(choices, keys)


def knowledge(decisions: Decisions) -> list[NDArray[Any]]:
    """What follows about the hands of the others."""
    hidden = decisions.information_set()
    return [hidden.unseen, hidden.cards_left, hidden.min_copies, hidden.max_copies, decisions.belief_log_odds()]


def sight(decisions: Any) -> list[NDArray[Any]]:
    """What is seen of the hands, and the level."""
    view = decisions.view
    return [view.hand, view.unseen, view.hidden_hand_sizes, view.top_other, view.context]


def alike(seen: Any, there: Any) -> None:
    """All that a decision shows."""
    for mine, theirs in zip(sight(seen), sight(there), strict=True):
        assert (mine == theirs).all()
    if hasattr(there, "options"):
        assert (seen.options == there.options).all()
    else:
        assert all((mine == theirs).all() for mine, theirs in zip(knowledge(seen), knowledge(there), strict=True))
        assert (seen.to_beat, (seen.observe() == there.observe()).all()) == (there.to_beat, True)


ENOUGH = 400
"""Decisions; a match has some thousands."""


@pytest.mark.parametrize(("name", "games"), [("random", 1), ("kb", 1)])
def test_a_guest_sees_what_a_seat_at_the_table_sees(name: str, games: int) -> None:
    dealer = ContestDealer(engine(), games)
    eyes = [Eye(name) for _ in range(4)]
    guests = [ContestClient(engine(), ContestHandshake()) for _ in range(4)]
    stages = set[str]()
    for game in range(games):
        dealer.start_game(np.uint64(game + 5), is_rotated=False)
        while dealer.winner == -1 and (len(stages) < 3 or dealer.tables.num_decisions[0] < ENOUGH):
            for seat, message in dealer.pop_notifications():
                guests[seat].handle_message(message)
            request, tables = dealer.next_request(), dealer.tables
            reply = guests[request.seat].reply(request.message, eyes[request.seat], np.uint64(tables.num_decisions[0]))
            assert reply.problem is None
            playing = tables.rows_to_play().size > 0
            alike(eyes[request.seat].seen, tables.decisions(ONLY_TABLE) if playing else tables.choices(ONLY_TABLE))
            stages.add(request.message["stage"])
            request.choose(reply.choice)
    assert stages == {"play", "tribute", "back"}
