"""Gan Deng Yan as a folder of rules: an independent reading, turns, draws after each trick, and points."""

from __future__ import annotations

import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.tables.tables import Tables
from tests.brute_force import gandengyan as brute
from tests.brute_force.hands import Sets
from tests.effort import amount
from tests.games.folders.climbs import follow_climbs, hand_texts
from tests.games.folders.states import Query, disagreements, rules_of, states

STATES, EPISODES, LISTS = amount(24, 1_000, 20_000), amount(6, 100, 1_000), amount(16, 500, 5_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("gandengyan")


def test_move_lists_equal_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        return brute.plays(query.hand, query.cards_to_beat), query.to_beat is not None

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_turns_draws_and_points_match_the_referee(rules: CompiledGame) -> None:
    def begin(tables: Tables, table: int) -> brute.Game:
        return brute.Game([rules.card_codes.kind_texts[kind] for kind in tables.state.stock[table]])

    def compare(tables: Tables, table: int, referee: brute.Game) -> None:
        hands = [set(hand_texts(rules, hand)) for hand in tables.state.hands[table]]
        assert hands == referee.hands
        assert tables.state.aside[table].sum() == len(referee.pile)

    assert follow_climbs(rules, EPISODES, 3, begin, LISTS, compare) > 0
