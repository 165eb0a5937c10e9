"""Tests of the race search: agreement with plain minimax, best lines, horizons, stops, bounded memory."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.endgame import build_race
from abl_cards.games.endgame.open_hand_race import OpenHandRace, RacePosition
from abl_cards.games.game import load
from abl_cards.games.types.moves import LEADING
from abl_cards.reasoners.search import kernels as kernels
from abl_cards.reasoners.search.bits import merge_ranks
from abl_cards.reasoners.search.dominated_moves import (
    ALL_COPIES,
    DOMINANCE_ROWS,
    ONE_KICKER,
    SOME_COPIES,
    TWO_KICKERS,
    find_dominated_ranks,
)
from abl_cards.reasoners.search.race_search import RaceSearch, SearchStopped, solve_race
from abl_cards.reasoners.search.tables import SearchTables, pack_hand, unpack_hand
from tests.brute_force import big2 as brute
from tests.effort import amount, thorough


@cache
def big2() -> OpenHandRace:
    return build_race(load("big2").engine().rules)


@cache
def tables() -> SearchTables:
    return SearchTables(big2().combinations)


def positions(count: int, seed: int, most: int = 6) -> list[tuple[RacePosition, brute.Combo | None]]:
    """Return random positions, half of them of few ranks, so that runs, bombs and affiliations occur."""
    index = {label: place for place, label in enumerate(big2().combinations.labels)}
    random = np.random.default_rng(seed)
    result: list[tuple[RacePosition, brute.Combo | None]] = []
    for _ in range(count):
        own, other = random.integers(1, most + 1, 2).tolist()
        deck = np.repeat(random.permutation(13)[: 13 if random.random() < 0.5 else 5], 4)
        cards = random.permutation(deck)
        hands = [np.bincount(part, minlength=13) for part in (cards[:own], cards[own : own + other])]
        combo = brute.SHAPES[random.integers(len(brute.SHAPES))][0] if random.random() < 0.5 else None
        label = index[combo.label] if combo else LEADING
        result.append((RacePosition(tuple(hands[0].tolist()), tuple(hands[1].tolist()), label), combo))
    return result


def test_values_and_lines_equal_plain_minimax() -> None:
    for race, combo in positions(amount(20, 120), seed=1):
        solution = solve_race(tables(), race, megabytes=1)
        assert solution.value == brute.value(race.own_hand, race.other_hand, combo)
        hands, to_beat = [race.own_hand, race.other_hand], combo
        for number, laid in enumerate(solution.best_line):
            seat, cards = number % 2, tuple(laid.cards.tolist())
            (to_beat,) = [played for played, used in brute.moves(hands[seat], to_beat) if used == cards]
            hands[seat] = tuple(have - gone for have, gone in zip(hands[seat], cards, strict=True))
        assert 0 in map(sum, hands)
        assert sum(hands[1]) - sum(hands[0]) == solution.value


def test_values_of_many_positions_equal_plain_minimax() -> None:
    """Compare more positions with --hypothesis-profile=thorough: 2,000 of up to 7 + 7 cards, 200 of up to 9 + 9."""
    for count, most in ((2000, 7), (200, 9)) if thorough() else ((60, 7), (4, 9)):
        for race, combo in positions(count, seed=most, most=most):
            assert RaceSearch(tables(), race, 1).best().value == brute.value(race.own_hand, race.other_hand, combo), (
                race
            )


def one_ahead(own: brute.Hand, other: brute.Hand, to_beat: brute.Combo | None) -> int:
    """Return the negamax value at a horizon of one move; wins and forced passes are seen beyond it."""
    plays = list(brute.moves(own, to_beat))
    if any(sum(laid) == sum(own) for _, laid in plays):
        return sum(other)
    if to_beat is not None and len(plays) == 1:
        return -one_ahead(other, own, None)
    best = -99
    for combo, laid in plays:
        left = tuple(have - gone for have, gone in zip(own, laid, strict=True))
        replies = list(brute.moves(other, combo))
        if any(sum(reply) == sum(other) for _, reply in replies):
            best = max(best, -sum(left))
        elif combo is not None and len(replies) == 1:  # the lead comes back
            out = any(sum(reply) == sum(left) for _, reply in brute.plays(left))
            best = max(best, sum(other) if out else sum(other) - sum(left))
        else:
            best = max(best, sum(other) - sum(left))
    return best


def test_horizon_values_equal_negamax() -> None:
    """Agree with negamax at a horizon of one move, and with the exact value beyond the end of the game."""
    for race, combo in positions(amount(25, 60), seed=2, most=5):
        exact = brute.value(race.own_hand, race.other_hand, combo)
        near, far = RaceSearch(tables(), race, 1).best(1), RaceSearch(tables(), race, 1).best(40)
        assert near.value == (exact if near.is_exact else one_ahead(race.own_hand, race.other_hand, combo))
        assert (far.value, far.is_exact) == (exact, True)


def test_deepening_ends_when_the_value_is_exact() -> None:
    for race, combo in positions(20, seed=3):
        result = RaceSearch(tables(), race, 1).deepen(2, lambda nodes: True)
        assert result.is_exact
        assert result.value == brute.value(race.own_hand, race.other_hand, combo)


LARGE = RacePosition((3, 1, 2, 3, 1, 2, 2, 1, 3, 2, 1, 3, 2), (1, 3, 2, 1, 3, 2, 2, 3, 1, 2, 3, 1, 2))


def test_stopped_search_raises_and_deepening_keeps_its_result() -> None:
    node_counts: list[int] = []

    def watch(nodes: int) -> bool:
        node_counts.append(nodes)
        return len(node_counts) < 3

    with pytest.raises(SearchStopped):
        RaceSearch(tables(), LARGE, 1).best(should_continue=watch)
    assert len(node_counts) == 3
    result = RaceSearch(tables(), LARGE, 1).deepen(4, lambda nodes: False)
    assert not result.is_exact
    assert result.move.label != LEADING


def test_search_is_deterministic() -> None:
    one, two = (RaceSearch(tables(), LARGE, 1) for _ in range(2))
    first, second = one.best(4), two.best(4)
    assert (first.value, first.move.label, one.nodes) == (second.value, second.move.label, two.nodes)


def test_small_transposition_table_keeps_the_values() -> None:
    race = RacePosition((1, 1, 2, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0), (0, 1, 0, 2, 1, 0, 1, 0, 1, 1, 0, 2, 0))
    search = RaceSearch(tables(), race, 1)
    search._table = np.zeros((16, 2), np.uint64)
    assert search.best().value == solve_race(tables(), race).value


def test_values_depend_only_on_the_order_of_ranks() -> None:
    """Keep the value of singles and pairs when all cards move to other ranks in the same order."""
    random = np.random.default_rng(4)
    for _ in range(20):
        own, other = (random.integers(0, 3, 5) for _ in range(2))
        if not own.any() or not other.any():
            continue
        values = set()
        for places in ([0, 2, 4, 6, 8], [1, 4, 6, 9, 11], [3, 5, 7, 10, 12]):
            hands = np.zeros((2, 13), np.int64)
            hands[0, places], hands[1, places] = own, other
            values.add(
                solve_race(
                    tables(), RacePosition(tuple(hands[0].tolist()), tuple(hands[1].tolist())), megabytes=1
                ).value
            )
        assert len(values) == 1


def test_merge_ranks() -> None:
    """Drop empty ranks and sort adjacent ranks of one holder by count, but not across the border."""
    own, other = np.array([0, 2, 1, 0, 0, 1, 3, 1]), np.array([1, 0, 0, 0, 2, 0, 0, 0])
    merged = np.zeros(3, np.int64)
    merge_ranks(np.uint64(pack_hand(own)), np.uint64(pack_hand(other)), -1, merged)
    assert unpack_hand(int(merged[0]), 8).tolist() == [0, 1, 2, 0, 1, 1, 3, 0]
    assert unpack_hand(int(merged[1]), 8).tolist() == [1, 0, 0, 2, 0, 0, 0, 0]
    merge_ranks(np.uint64(pack_hand(own)), np.uint64(pack_hand(other)), 3 * 7, merged)
    assert unpack_hand(int(merged[0]), 8).tolist() == [0, 1, 2, 0, 1, 3, 1, 0]
    assert merged[2] == 3 * 6


def without_twins(race: RacePosition) -> int:
    """Return the value of a position with every move tried and no ranks merged."""
    search = RaceSearch(tables(), race, 1)
    search._state[kernels.MERGE] = 0
    return search.best().value


def test_pruned_moves_do_not_change_values() -> None:
    for race, _ in positions(amount(50, 150), seed=6, most=12):
        assert RaceSearch(tables(), race, 1).best().value == without_twins(race)


def twins(own: str, other: str, loose: str) -> dict[str, str]:
    """Return ranks with their twins as letters, for moves of all copies, some copies, one or two kickers."""
    mine, theirs, free = (
        np.uint64(pack_hand(counts_from_cards(map(brute.LETTERS.index, text), 13))) for text in (own, other, loose)
    )
    dominated = np.zeros((DOMINANCE_ROWS, 13), np.int64)
    find_dominated_ranks(mine, theirs, free, dominated)
    rows = {"whole": ALL_COPIES, "part": SOME_COPIES, "one": ONE_KICKER, "two": TWO_KICKERS}
    return {
        name: " ".join(
            brute.LETTERS[rank] + brute.LETTERS[(int(dominated[row, rank]).bit_length() - 1) // 3]
            for rank in range(13)
            if dominated[row, rank]
        )
        for name, row in rows.items()
    }


def test_dominated_moves_of_example_hands() -> None:
    """Find twins among adjacent loose ranks; with other cards between them, only as used-up kickers."""
    assert twins("359", "4", "359") == {"whole": "95", "part": "95", "one": "53 95", "two": ""}
    assert twins("5577", "6", "57") == {"whole": "75", "part": "", "one": "", "two": "75"}  # one 6 beats no pair
    assert twins("5577", "66", "57") == {"whole": "", "part": "", "one": "", "two": "75"}
    assert twins("5577", "8", "57") == {"whole": "75", "part": "75", "one": "75", "two": "75"}
    assert twins("57", "5", "57") == {"whole": "75", "part": "", "one": "75", "two": ""}
    assert twins("57", "8", "5") == {"whole": "", "part": "", "one": "", "two": ""}
    assert twins("577", "", "57") == {"whole": "", "part": "", "one": "", "two": ""}


def test_invalid_races_raise() -> None:
    with pytest.raises(GameError) as caught:
        RaceSearch(tables(), RacePosition((0,) * 13, (1,) * 13))
    assert caught.value.code == ErrorCode.UNSUPPORTED_POSITION
    with pytest.raises(GameError, match="first hand"):
        big2().read_position("", "3")
    with pytest.raises(GameError) as caught:
        big2().read_position("3", "4", "56")
    assert caught.value.code == ErrorCode.INVALID_MOVE
