"""The brute force of Whist, hands written out."""

import doctest

import pytest

from tests.brute_force import whist
from tests.brute_force.whist import PACK, Game, best, deal, legal, random_game


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(whist).failed == 0


def test_last_card_is_dealt_to_the_dealer_and_sets_trump() -> None:
    for dealer in range(4):
        game = Game(PACK, dealer)
        assert game.hands == deal(PACK, dealer)
        assert (game.hands[dealer][-1], game.trump, game.turn) == ("SA", "S", (dealer + 1) % 4)
        assert game.hands[game.turn][0] == PACK[0]
        assert [len(hand) for hand in game.hands] == [13] * 4
    swapped = [*PACK[1:], PACK[0]]
    assert (Game(swapped, 2).trump, Game(swapped, 2).hands[2][-1]) == ("C", "C2")
    with pytest.raises(ValueError, match="not the pack"):
        Game([*PACK[1:], "SA"])


@pytest.mark.parametrize(
    ("hand", "trick", "expected"),
    [
        ("S2 H3", "", "S2 H3"),
        ("S2 H3", "SA", "S2"),
        ("S2 H3", "CA SA", "S2 H3"),
        ("S2 H3 H4", "HA", "H3 H4"),
    ],
)
def test_legal_cards(hand: str, trick: str, expected: str) -> None:
    assert legal(hand.split(), trick.split()) == expected.split()


@pytest.mark.parametrize(
    ("trick", "trump", "place"),
    [
        ("H3 H4 HA HK", "S", 2),
        ("H3 DA CA SA", "N", 0),
        ("H3 DA C2 HT", "C", 2),
        ("H3 C3 C2 HT", "C", 1),
        ("C3 CJ CQ CT", "C", 2),
    ],
)
def test_winner_of_a_trick(trick: str, trump: str, place: int) -> None:
    assert best(trick.split(), trump) == place


def test_turns_and_revokes() -> None:
    """Seat 1 leads after dealer 0; the taker leads next; a revoke raises an error."""
    game = Game(PACK, 0)  # every seat has each fourth card: C2 C6 … for seat 1
    for card in ("C2", "C3", "C4"):
        game.play(card)
    with pytest.raises(ValueError, match="seat 0 may not play D5"):
        game.play("D5")
    game.play("CK")
    assert (game.turn, game.tricks, game.trick, game.points) == (0, [1, 0], [], None)


def test_points_equal_tricks_above_six() -> None:
    for tricks, points in (([6, 7], [0, 1, 0, 1]), ([13, 0], [7, 0, 7, 0]), ([5, 8], [0, 2, 0, 2])):
        game = Game(PACK)
        game.hands, game.tricks = [[], [], [], []], tricks
        assert game.points == points


def test_random_games_are_consistent() -> None:
    for seed in range(100):
        game = random_game(seed)
        assert sum(game.tricks) == 13
        assert sum(game.points or []) == 2 * (max(game.tricks) - 6)
        with pytest.raises(ValueError, match="may not play"):
            game.play("C2")
