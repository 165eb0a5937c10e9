"""The course of games of Dou dizhu: cards are kept, bids make a landlord, bombs and springs double the stake."""

import numpy as np
import pytest

from abl_cards.games.doudizhu.course import BID, NO_BID, PACK, PLAY
from abl_cards.games.doudizhu.decisions import CHOICES
from abl_cards.games.doudizhu.engine import engine_of
from abl_cards.games.doudizhu.replay import find_moves
from abl_cards.games.doudizhu.rulebook import rules_of
from abl_cards.games.doudizhu.tables import Deal, Tables
from abl_cards.games.doudizhu.wire import Action, read_hand
from tests.games.random_play import match_keys, play_out, step


@pytest.mark.parametrize("profile", ["rlcard", "botzone_bidding"])
def test_cards_are_neither_lost_nor_made(profile: str) -> None:
    tables = Tables.begin(rules_of(None, profile), match_keys(50, 1))
    while step(tables):
        state = tables.course
        bottom = np.where(state.landlord < 0, state.bottom, np.uint64(0))
        assert (state.hands.sum(axis=1) + state.played.sum(axis=1) + bottom == np.uint64(PACK)).all()
    assert (tables.episode == 1).all()
    assert (tables.outcome(np.arange(50)).sum(axis=1) == 0).all()


def test_the_same_keys_make_the_same_games() -> None:
    alone, among = (engine_of().tables(match_keys(count, 7)) for count in (1, 30))
    play_out(alone)
    play_out(among)
    assert (alone.course.played[0] == among.course.played[0]).all()


def bid(profile: str, *bids: int) -> Tables:
    tables = Tables.begin(rules_of(None, profile), match_keys(1, 3))
    for number in bids:
        assert (tables.exchanging() == [0]).all()
        choice = CHOICES.index(number)
        assert tables.exchanges(np.arange(1)).options[0, choice]
        tables.give(np.arange(1), np.array([choice], np.uint8))
    return tables


@pytest.mark.parametrize(
    ("bids", "landlord", "stake"),
    [((3,), 0, 3), ((1, 0, 2), 2, 2), ((0, 1, 0), 1, 1), ((1, 2, 3), 2, 3), ((2, 0, 0), 0, 2)],
)
def test_the_highest_bidder_is_the_landlord(bids: tuple[int, ...], landlord: int, stake: int) -> None:
    tables = bid("contest", *bids)
    state = tables.course
    assert (state.stage[0], state.landlord[0], state.stake[0], state.seat[0]) == (PLAY, landlord, stake, landlord)
    assert [len(str(Action(int(hand)))) for hand in state.hands[0]] == [
        20 if seat == landlord else 17 for seat in range(3)
    ]


def test_a_bid_must_be_higher() -> None:
    options = bid("contest", 2).exchanges(np.arange(1)).options[0]
    assert [CHOICES[choice] for choice in np.flatnonzero(options)] == [3, 0]


def test_nobody_bids() -> None:
    """The contest deals anew, on Botzone the first seat is the landlord."""
    before, again = bid("contest").course.hands[0], bid("contest", 0, 0, 0)
    assert again.course.stage[0] == BID
    assert (again.course.bids[0] == NO_BID).all()
    assert (again.course.hands[0] != before).any()
    botzone = bid("botzone_bidding", 0, 0, 0)
    assert (botzone.course.stage[0], botzone.course.landlord[0], botzone.course.stake[0]) == (PLAY, 0, 1)


def play(profile: str, hands: list[str], *moves: str, stake: int = 1) -> list[float]:
    """The points of a game with these hands, the landlord's first."""
    deal = Deal(
        np.array([[read_hand(hand) for hand in hands]], np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.int8),
        np.full(1, stake, np.int8), np.full((1, 3), NO_BID, np.int8),
    )  # fmt: skip
    tables = Tables.resume(rules_of(None, profile), deal)
    for move in moves:
        lists, rows = find_moves(tables.decisions(np.arange(1)), [Action(read_hand(move))])
        assert rows[0] >= 0, move
        tables.play(np.arange(1), lists.rows(rows))
    assert tables.winner[0] >= 0
    return list(tables.outcome(np.arange(1))[0])


@pytest.mark.parametrize(
    ("profile", "hands", "moves", "points"),
    [
        ("rlcard", ["34", "5", "6"], ["3", "5"], [-4, 2, 2]),  # he played once only: anti-spring
        ("douzero", ["34", "5", "6"], ["3", "5"], [-2, 1, 1]),
        ("rlcard", ["3", "5", "6"], ["3"], [4, -2, -2]),  # no peasant played: spring
        ("rlcard", ["35", "4", "69"], ["3", "", "6", "", "", "9"], [-4, 2, 2]),
        ("rlcard", ["37", "469", "58"], ["3", "4", "5", "7"], [2, -1, -1]),
        ("douzero", ["37", "44449", "58"], ["3", "4444", "", "", "9"], [-4, 2, 2]),
        ("douzero", ["3XD", "44449", "58"], ["3", "4444", "", "XD"], [8, -4, -4]),
    ],
)
def test_points(profile: str, hands: list[str], moves: list[str], points: list[float]) -> None:
    assert play(profile, hands, *moves) == points


def test_the_stake_counts() -> None:
    assert play("rlcard", ["3", "5", "6"], "3", stake=3) == [12, -6, -6]


def test_two_passes_give_the_lead_back() -> None:
    deal = Deal(
        np.array([[read_hand(hand) for hand in ("3A", "55", "66")]], np.uint64), np.zeros(1, np.uint64),
        np.zeros(1, np.int8), np.ones(1, np.int8), np.full((1, 3), NO_BID, np.int8),
    )  # fmt: skip
    tables = Tables.resume(rules_of(), deal)
    for move in ("3", "", ""):
        lists, rows = find_moves(tables.decisions(np.arange(1)), [Action(read_hand(move))])
        tables.play(np.arange(1), lists.rows(rows))
    assert (tables.seat[0], tables.course.to_beat[0]) == (0, -1)
