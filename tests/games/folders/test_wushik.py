"""510K as a folder of rules: an independent reading, clingo, turns, and the points in the tricks."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.tables.tables import Tables
from tests.brute_force import wushik as brute
from tests.brute_force.hands import Sets
from tests.effort import amount
from tests.games.folders.climbs import follow_climbs, hand_texts
from tests.games.folders.states import Query, disagreements, rules_of, states

STATES, EPISODES, LISTS = amount(100, 1_000, 20_000), amount(20, 100, 1_000), amount(40, 500, 5_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("wushik")


def test_lists_are_those_of_the_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        return brute.plays(query.hand, query.cards_to_beat), query.to_beat is not None

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def test_whole_games_have_the_turns_and_points_of_the_referee(rules: CompiledGame) -> None:
    def begin(tables: Tables, table: int) -> brute.Game:
        return brute.Game([set(hand_texts(rules, hand)) for hand in tables.state.hands[table]])

    def compare(tables: Tables, table: int, referee: brute.Game) -> None:
        laid = hand_texts(rules, tables.state.trick_cards[table].sum(axis=0))
        assert brute.worth(laid) == referee.pot
        taken = rules.fluents.fluents[[str(f.signature) for f in rules.fluents.fluents].index("taken/2")]
        assert (tables.state.fluents[table, list(taken.slots)] * 5).tolist() == referee.taken

    assert follow_climbs(rules, EPISODES, 3, begin, LISTS, compare) > 0


def test_all_points_are_won_by_somebody(rules: CompiledGame) -> None:
    assert brute.worth(brute.PACK) == 100
    assert sorted(rules.card_codes.kind_texts) == sorted(brute.PACK)
    assert np.array_equal(rules.pack.copies, np.ones(54))
