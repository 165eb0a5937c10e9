"""Fluents with seats and teams counted from the observer's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.asp.terms import Term
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.compiled.predicate_sorts import argument_sorts
from abl_cards.games.description import SINGLE_VALUED, Fluent
from abl_cards.games.game import load
from abl_cards.games.tables.observation_fluents import list_thresholds
from abl_cards.games.tables.observations import build_feature_table, observe
from abl_cards.games.tables.random_fluents import sample_fluents
from abl_cards.games.tables.view import PlayerView
from tests.games.every_game import every_game
from tests.games.notation.folders import rules_of
from tests.games.sampling.folders import GIFTS

NOTES = """
#external void(S,R) : seat(S), rank(R).                any(void,2).
#external pair(S,T) : seat(S), seat(T), S < T.         any(pair,2).  sort(pair,2,1,seat). sort(pair,2,2,seat).
#external dealer(S) : seat(S).                         one(dealer,1).
#external shift(D)  : D = 0..2.                        one(shift,1). sort(shift,1,1,way). word(way,0,en,"none").
#external caller(S) : S = 1..2.                         one(caller,1). sort(caller,1,1,seat).
#external taken(W,N) : W = 0..1, N = 1..40.            count(taken,2).
#external ahead(W)  : W = 0..1.                        one(ahead,1).
#external secret(S,T) : seat(S), seat(T).              any(secret,2). private(secret,2).
member(0,0). member(1,1). member(2,0).
noted :- void(_,_). noted :- pair(_,_). noted :- dealer(_). noted :- shift(_). noted :- taken(_,_).
noted :- ahead(_). noted :- caller(_). noted :- secret(_,_).
"""
"""Seats 0 and 2 are a team. A pair is noted once, a shift is a distance."""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return rules_of(tmp_path_factory.mktemp("rules") / "game", GIFTS + NOTES)


def observe_atoms(rules: CompiledGame, observer: int, *atoms: tuple[str, tuple[Term, ...]]) -> dict[str, list[int]]:
    """Return the parts that a seat sees of a state where nothing but some fluents is set."""
    state = rules.create_state(1)
    state.fluents[0] = rules.fluents.defaults
    for name, arguments in atoms:
        fluent = rules.fluents.find(name)
        assert fluent is not None
        place = fluent.locate(arguments)
        assert place is not None
        state.fluents[0, place.slot] = place.value
    row = observe(PlayerView(rules, state, np.arange(1), np.array([observer], np.int8)))[0]
    return {
        feature.name: row[build_feature_table(rules)[feature.name]].tolist()
        for feature in build_feature_table(rules).features
    }


def test_seats_in_longer_keys_and_values_count_from_the_observer(notes: CompiledGame) -> None:
    seen = [observe_atoms(notes, seat, ("void", (1, 4)), ("dealer", (2,))) for seat in range(3)]
    assert [np.flatnonzero(row["void"]).tolist() for row in seen] == [[5 + 3], [3], [10 + 3]]
    assert [np.flatnonzero(row["dealer"]).tolist() for row in seen] == [[2], [1], [0]]
    assert not any(observe_atoms(notes, 1)["dealer"])


def test_values_of_some_seats_have_all_their_distances(notes: CompiledGame) -> None:
    seen = {
        (seat, value): observe_atoms(notes, seat, ("caller", (value,)))["caller"]
        for seat in range(3)
        for value in (1, 2)
    }
    assert all(sum(row) == 1 for row in seen.values())
    assert len({((value - seat) % 3, row.index(1)) for (seat, value), row in seen.items()}) == 3
    assert not any(observe_atoms(notes, 0)["caller"])


def test_teams_begin_with_the_own(notes: CompiledGame) -> None:
    seen = [observe_atoms(notes, seat, ("taken", (0, 12)), ("ahead", (1,))) for seat in range(3)]
    width = len(seen[0]["taken"]) // 2
    assert [sum(row["taken"][:width]) for row in seen] == [12, 0, 12]
    assert [sum(row["taken"][width:]) for row in seen] == [0, 12, 0]
    assert [row["ahead"] for row in seen] == [[0, 1], [1, 0], [0, 1]]


def test_large_counts_have_eight_places_to_a_doubling(notes: CompiledGame) -> None:
    fluent = notes.fluents.find("taken")
    assert fluent is not None
    thresholds = list_thresholds(notes, fluent).tolist()
    assert thresholds == [*range(1, 17), *range(18, 33, 2), 36, 40]
    for count in (0, 16, 17, 35, 40, 100):
        seen = observe_atoms(notes, 0, ("taken", (0, count)))["taken"]
        assert sum(seen) == sum(threshold <= count for threshold in thresholds)


def test_other_sorts_keep_their_numbers(notes: CompiledGame) -> None:
    """A distance has the numbers of the seats, and is none."""
    assert [observe_atoms(notes, seat, ("shift", (1,)))["shift"] for seat in range(3)] == [[0, 1, 0]] * 3


def test_keys_of_some_pairs_of_seats_are_all_pairs_for_observers(notes: CompiledGame) -> None:
    rows = {
        (seat, pair): np.flatnonzero(observe_atoms(notes, seat, ("pair", pair))["pair"]).tolist()
        for seat, pair in product(range(3), ((0, 1), (0, 2), (1, 2)))
    }
    assert all(len(places) == 1 for places in rows.values())
    places = {((a - seat) % 3, (b - seat) % 3): row[0] for (seat, (a, b)), row in rows.items()}
    assert len(places) == len(set(places.values())) == 6


def test_private_fluents_show_the_own_key_with_relative_seats(notes: CompiledGame) -> None:
    atoms = [("secret", (seat, other)) for seat, other in ((0, 0), (1, 0), (2, 1))]
    seen = [observe_atoms(notes, seat, *atoms)["secret"] for seat in range(3)]
    assert seen == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]


def rotate_term(sort: str | None, term: Term, rules: CompiledGame) -> Term:
    """Return a seat as its next seat, and a team as that of the next seats."""
    if sort == "seat":
        return rules.seating.next_seat[int(term)]
    if sort == "team":
        return rules.seating.teams[rules.seating.next_seat[rules.seating.teams.index(int(term))]]
    return term


def rotate_fluent(rules: CompiledGame, fluent: Fluent, values: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the values [n, keys] of a fluent after all seats have moved on by one."""
    sorts, rotated = argument_sorts(rules)[fluent.signature], values.copy()
    for index, key in enumerate(fluent.keys):
        arguments = [rotate_term(sort, term, rules) for sort, term in zip(sorts, key, strict=False)]
        rotated[:, fluent.keys.index(tuple(arguments))] = values[:, index]
    if fluent.value_type == SINGLE_VALUED:
        moved = [fluent.values.index(rotate_term(sorts[-1], value, rules)) for value in fluent.values]
        rotated = np.where(rotated < 0, rotated, np.array(moved, np.int16)[rotated])
    return rotated


@pytest.mark.parametrize("name", every_game("spades", "tractor", "gongzhu"))
def test_observations_do_not_change_where_all_seats_move_on(name: str) -> None:
    """Features of fluents do not depend on the numbers of the seats."""
    rules = load(name).engine().rules
    n, table = 64, build_feature_table(rules)
    state, moved = rules.create_state(n), rules.create_state(n)
    state.fluents[:] = sample_fluents(rules, n, np.random.default_rng(4))
    seats = np.arange(n).astype(np.int8) % rules.seating.seats
    for fluent in rules.fluents.fluents:
        slots = list(fluent.slots)
        moved.fluents[:, slots] = rotate_fluent(rules, fluent, state.fluents[:, slots])
    before = observe(PlayerView(rules, state, np.arange(n), seats))
    after = observe(PlayerView(rules, moved, np.arange(n), np.array(rules.seating.next_seat, np.int8)[seats]))
    for fluent in rules.fluents.fluents:
        if fluent.signature.name in table.slices:
            columns = table[fluent.signature.name]
            assert (before[:, columns] == after[:, columns]).all(), fluent.signature
