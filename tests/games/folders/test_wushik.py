"""510K as a folder of rules: an independent reading, clingo, turns, and the points in the tricks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.notation import convert_decisions
from abl_cards.games.tables.tables import Tables
from tests.brute_force import wushik as brute
from tests.brute_force.hands import Sets
from tests.effort import amount
from tests.games.folders.climbs import follow_climbs, hand_texts
from tests.games.folders.states import Query, disagreements, rules_of, states
from tests.games.random_play import match_keys, pick

STATES, EPISODES, LISTS = amount(24, 1_000, 20_000), amount(5, 100, 1_000), amount(16, 500, 5_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("wushik")


def test_move_lists_equal_brute_force(rules: CompiledGame) -> None:
    def reading(query: Query) -> tuple[Sets, bool]:
        return brute.plays(query.hand, query.cards_to_beat), query.to_beat is not None

    assert disagreements(rules, states(rules, STATES, seed=1), reading) == []


def _fluents(rules: CompiledGame, tables: Tables, name: str, table: int) -> list[int]:
    """Return the slots of a fluent."""
    fluent = next(fluent for fluent in rules.fluents.fluents if str(fluent.signature) == name)
    slots: list[int] = tables.state.fluents[table, list(fluent.slots)].tolist()
    return slots


def test_turns_and_points_match_the_referee(rules: CompiledGame) -> None:
    def begin(tables: Tables, table: int) -> brute.Game:
        return brute.Game([set(hand_texts(rules, hand)) for hand in tables.state.hands[table]])

    assert follow_climbs(rules, EPISODES, 3, begin, LISTS, partial(_compare, rules)) > 0


def _compare(rules: CompiledGame, tables: Tables, table: int, referee: brute.Game) -> None:
    laid = hand_texts(rules, tables.state.trick_cards[table].sum(axis=0))
    assert brute.worth(laid) == referee.pot
    assert [5 * units for units in _fluents(rules, tables, "taken/2", table)] == referee.taken


def test_partner_called_by_a_card_matches_the_referee() -> None:
    """Each seat that may call names a two that it lacks, or plays alone; the referee sums up by sides."""
    rules, called = rules_of("wushik", "called"), dict[int, str]()

    def choose(tables: Tables) -> None:
        rows = tables.rows_to_choose()
        assert len(rows) == len(tables)
        choices = tables.choices(rows)
        option = pick(choices.options.T, match_keys(len(rows), 8)).astype(np.uint8)
        for row, mask in enumerate(choices.options):
            cards = ["" if term == "alone" else rules.card_codes.kind_texts[rules.pack.index[term]]
                     for term in rules.schema.options]  # fmt: skip
            hand = hand_texts(rules, tables.state.hands[row, tables.seat[row]])
            assert "H3" in hand
            legal = {cards[index] for index in np.flatnonzero(mask)}
            assert legal == {"", *({suit + "2" for suit in brute.SUITS} - set(hand))}
            called[row] = cards[option[row]]
        tables.choose(rows, option)

    def begin(tables: Tables, table: int) -> brute.Game:
        return brute.Game([set(hand_texts(rules, hand)) for hand in tables.state.hands[table]], called[table])

    assert follow_climbs(rules, EPISODES, 4, begin, LISTS // 4, partial(_compare, rules), choose) > 0
    assert "" in called.values()


def test_calls_do_not_convert_to_fixed_partners(rules: CompiledGame) -> None:
    """`kb diff` compares profiles of which one has no choices."""
    tables = Tables.begin(rules_of("wushik", "called"), match_keys(3, 1))
    exists, choices = convert_decisions(rules, tables.choices(tables.rows_to_choose()))
    assert not exists.any()
    assert len(choices.moves().form) == 0


def test_pack_holds_a_hundred_points(rules: CompiledGame) -> None:
    assert brute.worth(brute.PACK) == 100
    assert sorted(rules.card_codes.kind_texts) == sorted(brute.PACK)
    assert np.array_equal(rules.pack.copies, np.ones(54))
