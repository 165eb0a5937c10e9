"""The brute force of Hearts, hands written out."""

import doctest

import pytest

from tests.brute_force import hearts
from tests.brute_force.hearts import PACK, Match, Round, best, legal, random_round, score


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(hearts).failed == 0


def fresh(number: int) -> Round:
    """A round in which seat s has every fourth card: seat 0 C2 C6 CT D… up to seat 3 with C5 … SA."""
    return Round([list(PACK[seat::4]) for seat in range(4)], number)


@pytest.mark.parametrize(("number", "steps"), [(0, 1), (1, 3), (2, 2), (4, 1), (5, 3), (6, 2)])
def test_passed_cards(number: int, steps: int) -> None:
    """Left, right, across; what one gets is not there to give."""
    one = fresh(number)
    gifts = [hand[:3] for hand in one.hands]
    with pytest.raises(ValueError, match="may not play"):
        one.play("C2")
    for seat, gift in enumerate(gifts):
        for bad in (
            gift[:2],
            [*gift, one.hands[seat][5]],
            [gift[0], gift[0], gift[1]],
            [*gift[:2], gifts[seat - 1][0]],
        ):
            with pytest.raises(ValueError, match=f"seat {seat} may not give"):
                one.give(bad)
        one.give(gift)
    assert not one.passing
    for seat, gift in enumerate(gifts):
        assert set(gift) <= set(one.hands[(seat + steps) % 4])
        assert not set(gift) & set(one.hands[seat])
    assert [len(hand) for hand in one.hands] == [13] * 4
    assert (one.turn, one.choices()) == (steps % 4, ["C2"])


@pytest.mark.parametrize("number", [3, 7])
def test_round_without_passing(number: int) -> None:
    one = fresh(number)
    assert (one.passing, one.turn, one.choices()) == (False, 0, ["C2"])
    with pytest.raises(ValueError, match="may not give"):
        one.give(one.hands[0][:3])


@pytest.mark.parametrize(
    ("hand", "trick", "first", "broken", "expected"),
    [
        ("C2 C3 H4", "", True, False, "C2"),  # the two of clubs leads
        ("C3 C4 SQ", "C2", True, False, "C3 C4"),
        ("D3 H4 SQ", "C2", True, False, "D3"),  # no points in the first trick
        ("H4 SQ H5", "C2", True, False, "H4 SQ H5"),  # unless there is nothing else
        ("D3 H4 SQ", "", False, False, "D3 SQ"),  # hearts are not broken
        ("D3 H4 SQ", "", False, True, "D3 H4 SQ"),
        ("H4 H5", "", False, False, "H4 H5"),
        ("D3 H4 SQ", "CA", False, False, "D3 H4 SQ"),  # void: anything
        ("D3 H4 SQ", "SA", False, False, "SQ"),
        ("D3 H4 SQ", "H2 HA", False, True, "H4"),
    ],
)
def test_legal_cards(hand: str, trick: str, first: bool, broken: bool, expected: str) -> None:
    assert legal(hand.split(), trick.split(), first, broken) == expected.split()


def test_winner_of_a_trick() -> None:
    for trick, place in (("C2 CA SA HA", 1), ("D5 D4 D3 SA", 0), ("S3 SQ SK S9", 2), ("H3 SA SK H2", 0)):
        assert best(trick.split()) == place


def test_only_hearts_break_hearts() -> None:
    one = fresh(3)
    one.hands = [["C2", "D2", "H2"], ["C3", "DT", "H3"], ["C4", "SQ", "H4"], ["C5", "H6", "H5"]]
    for card in ("C2", "C3", "C4", "C5"):
        one.play(card)
    assert one.turn == 3
    one.hands[3].append("D9")
    assert one.choices() == ["D9"]
    one.play("D9")
    one.play("D2")
    one.play("DT")
    one.play("SQ")
    assert (one.taken, one.broken, one.turn, one.choices()) == ([0, 13, 0, 0], False, 1, ["H3"])
    one.play("H3")
    assert one.broken


@pytest.mark.parametrize(
    ("taken", "points"),
    [
        ([13, 5, 8, 0], [13, 5, 8, 0]),
        ([25, 0, 1, 0], [25, 0, 1, 0]),
        ([0, 0, 26, 0], [26, 26, 0, 26]),  # the moon
    ],
)
def test_score_of_taken_points(taken: list[int], points: list[int]) -> None:
    assert score(taken) == points


def test_match_totals_and_winners() -> None:
    match = Match()
    for result, totals in (([0, 26, 26, 26],) * 3, [0, 78, 78, 78]), (([1, 21, 2, 2],), [1, 99, 80, 80]):
        for scores in result:
            match.end_round(scores)
        assert (match.totals, match.winners) == (totals, None)
    match.end_round([13, 1, 6, 6])
    assert (match.rounds, match.totals, match.winners) == (5, [14, 100, 86, 86], [0])
    assert Match([99, 7, 7, 100]).winners == [1, 2]


def test_random_rounds_are_consistent() -> None:
    for seed in range(100):
        one = random_round(seed, seed)
        assert sum(one.taken) == 26
        assert sum(one.result or []) in (26, 78)
        with pytest.raises(ValueError, match="may not play"):
            one.play("C2")
