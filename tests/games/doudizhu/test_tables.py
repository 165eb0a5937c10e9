"""The course of games of Dou dizhu: cards are kept, bids make a landlord, bombs and springs double the stake."""

import numpy as np
import pytest

from abl_cards.games.notation.match_moves import find_plays
from abl_cards.games.state.state import CHOICE, PLAY
from abl_cards.games.tables.tables import DealtEpisodes, Tables
from tests.games.doudizhu.decided import engine_of, hand
from tests.games.random_play import match_keys, play_out, step

HERE = np.arange(1)


def read_fluent(tables: Tables, name: str) -> list[int]:
    """The numbers that the first table remembers under the name of a fluent; -1 for none."""
    fluent = tables.rules.fluents.find(name)
    assert fluent is not None
    return [int(number) for number in tables.state.fluents[0, fluent.first_slot : fluent.slots.stop]]


@pytest.mark.parametrize("profile", ["rlcard", "botzone_bidding"])
def test_number_of_cards_is_constant(profile: str) -> None:
    engine = engine_of(None, profile)
    tables = engine.start_matches(match_keys(50, 1))
    while step(tables):
        state = tables.state
        assert (state.hands.sum(axis=1) + state.played.sum(axis=1) + state.aside == engine.rules.pack.copies).all()
    assert (tables.num_episodes == 1).all()
    assert (tables.match_returns(np.arange(50)).sum(axis=1) == 0).all()


def test_match_keys_determine_matches() -> None:
    alone, among = (engine_of().start_matches(match_keys(count, 7)) for count in (1, 30))
    play_out(alone)
    play_out(among)
    assert (alone.state.played[0] == among.state.played[0]).all()


def bid(profile: str, *bids: int) -> Tables:
    tables = engine_of(None, profile).start_matches(match_keys(1, 3))
    for number in bids:
        assert (tables.rows_to_choose() == [0]).all()
        option = tables.rules.schema.options.index(f"bid({number})")
        assert tables.choices(HERE).options[0, option]
        tables.choose(HERE, np.array([option], np.uint8))
    return tables


@pytest.mark.parametrize(
    ("bids", "landlord", "points"),
    [((3,), 0, 3), ((1, 0, 2), 2, 2), ((0, 1, 0), 1, 1), ((1, 2, 3), 2, 3), ((2, 0, 0), 0, 2)],
)
def test_the_highest_bidder_is_the_landlord(bids: tuple[int, ...], landlord: int, points: int) -> None:
    tables = bid("contest", *bids)
    state = tables.state
    assert (state.stage[0], read_fluent(tables, "landlord"), state.seat[0]) == (PLAY, [landlord], landlord)
    assert state.hands[0].sum(axis=1).tolist() == [20 if seat == landlord else 17 for seat in range(3)]
    assert sum(read_fluent(tables, "bottom")) == 3
    assert max(read_fluent(tables, "bid")) == points


def test_bids_must_increase() -> None:
    tables = bid("contest", 2)
    options = np.flatnonzero(tables.choices(HERE).options[0])
    assert [tables.rules.schema.options[option] for option in options] == ["bid(3)", "bid(0)"]


def test_all_seats_pass_the_auction() -> None:
    """The contest deals again; on Botzone the first seat is the landlord."""
    before, again = bid("contest").state.hands[0], bid("contest", 0, 0, 0)
    assert again.state.stage[0] == CHOICE
    assert read_fluent(again, "bid") == [-1] * 3
    assert (again.state.hands[0] != before).any()
    botzone = bid("botzone_bidding", 0, 0, 0)
    assert (botzone.state.stage[0], read_fluent(botzone, "landlord")) == (PLAY, [0])


def dealt(profile: str, hands: list[str]) -> Tables:
    """A table where these cards have been dealt, and none are left over."""
    rules = engine_of(None, profile).rules
    return Tables.resume(
        rules,
        DealtEpisodes(
            np.stack([hand(cards) for cards in hands])[None], np.zeros((1, 15), np.uint8), rules.fluents.defaults[None],
            np.zeros((1, 0), np.int16), np.zeros((1, 3), np.int64), np.zeros(1, np.int32),
        ),
    )  # fmt: skip


def play(tables: Tables, *moves: str) -> None:
    for move in moves:
        lists, (row,) = find_plays(tables.decisions(HERE), [move or "pass"])
        assert isinstance(row, int), row
        tables.play(HERE, lists.select(np.array([row])))


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
def test_points_by_bombs_and_springs(profile: str, hands: list[str], moves: list[str], points: list[float]) -> None:
    tables = dealt(profile, hands)
    play(tables, *moves)
    assert tables.winner[0] == int(points[0] < 0)
    assert tables.match_returns(HERE)[0].tolist() == points


def test_points_are_multiplied_by_the_bid() -> None:
    tables = dealt("contest", ["3", "5", "6"])
    tables.choose(HERE, np.array([tables.rules.schema.options.index("bid(3)")], np.uint8))
    play(tables, "3")
    assert tables.match_returns(HERE)[0].tolist() == [12, -6, -6]


def test_two_passes_return_the_lead() -> None:
    tables = dealt("rlcard", ["3A", "55", "66"])
    play(tables, "3", "", "")
    assert (tables.seat[0], tables.state.to_beat[0]) == (0, -1)


def test_roles_sides_and_point_values_follow_the_auction() -> None:
    """Seat 1 as the landlord: roles, sides and the worth of a point."""
    tables = bid("contest", 0, 2, 0)
    assert tables.roles(HERE).tolist() == [[1, 0, 1]]
    assert tables.sides(HERE).tolist() == [[1, 0, 1]]
    seats = np.array([1], np.int8), np.array([2], np.int8)
    assert tables.point_value(HERE, *seats).tolist() == [-0.5]
    assert tables.point_value(HERE, *seats[::-1]).tolist() == [-2]
