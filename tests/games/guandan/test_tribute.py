"""Tribute and return: cases worked by hand from rules/guandan.md, 3, 5 and 8."""

import pytest

from abl_cards.games.tables.tables import Tables
from abl_cards.protocols.contest.match_state import refusing_seats
from tests.games.guandan.scripted import Script, choose, is_over, leads, options, play, table_with_hands
from tests.games.guandan.states import PROFILES, engine

BY_CARD = ["standard", "paper"]
BY_SEAT = ["platform", "openguandan", "danzero", "manual"]
PLAIN = ["S3 S9 SQ", "S4 S9 SK", "S5 S9 SA", "S6 S9 SJ"]  # the highest cards: Q, K, A, J
Order = tuple[int, int, int, int]


def gifts(tables: Script) -> list[tuple[int, int]]:
    """Return giver and receiver of each tribute in the order of payment."""
    return tables.gifts


def refusers(tables: Tables) -> list[int]:
    """The seats whose big jokers refuse the tribute."""
    return refusing_seats(tables, 0)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("previous", "payer", "receiver"),
    [((0, 1, 2, 3), 3, 0), ((0, 3, 2, 1), 1, 0), ((1, 2, 3, 0), 0, 1), ((0, 1, 3, 2), 2, 0), ((3, 0, 2, 1), 1, 3)],
)
def test_single_tribute(profile: str, previous: Order, payer: int, receiver: int) -> None:
    """The last pays the first, even its partner, gets a card back and leads."""
    tables = table_with_hands(engine(profile).rules, PLAIN, previous=previous)
    paid = PLAIN[payer].split()[-1]
    assert options(tables) == paid
    choose(tables, payer, paid)
    assert gifts(tables) == [(payer, receiver)]
    returned = PLAIN[receiver].split()[0]
    assert set(options(tables).split()) == {returned, "S9"}
    choose(tables, receiver, returned)
    assert (tables.seat[0], leads(tables)) == (payer, True)
    assert tables.state.hands[0].sum(axis=1).tolist() == [3, 3, 3, 3]
    play(tables, f"{payer}: {returned}")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "previous", [(0, 2, 1, 3), (0, 2, 3, 1), (1, 3, 0, 2), (1, 3, 2, 0), (2, 0, 1, 3), (3, 1, 2, 0)]
)
@pytest.mark.parametrize("last_pays_more", [False, True])
def test_double_tribute(profile: str, previous: Order, last_pays_more: bool) -> None:
    """Both losers pay, the last first; by card the higher goes to the first finisher, by seat to the seat before."""
    first, second, third, last = previous
    hands = ["S3 S4", "S3 S4", "S3 S4", "S3 S4"]
    hands[last], hands[third] = ("S3 SB", "S4 SK") if last_pays_more else ("S3 SK", "S4 SB")
    tables = table_with_hands(engine(profile).rules, hands, previous=previous)
    choose(tables, last, hands[last].split()[1])
    assert not tables.rows_to_play().size
    choose(tables, third, hands[third].split()[1])
    higher, lower = (last, third) if last_pays_more else (third, last)
    if profile in BY_CARD:
        assert set(gifts(tables)) == {(higher, first), (lower, second)}
    else:
        assert set(gifts(tables)) == {(last, (last + 3) % 4), (third, (third + 3) % 4)}
    assert [giver for giver, _ in gifts(tables)] == [last, third]
    for _, taker in gifts(tables):  # the returns come in the order of the payers
        choose(tables, taker, "S3")
    assert (tables.seat[0], leads(tables)) == (higher, True)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "previous", [(0, 2, 1, 3), (0, 2, 3, 1), (1, 3, 0, 2), (1, 3, 2, 0), (2, 0, 1, 3), (3, 1, 2, 0)]
)
def test_double_tribute_of_equal_cards(profile: str, previous: Order) -> None:
    """Equal cards: the seat before the first finisher pays him and leads; elsewhere the last-placed seat leads."""
    first, second, third, last = previous
    tables = table_with_hands(engine(profile).rules, ["S3 SK", "C3 CK", "S3 DK", "C3 HK"], previous=previous)
    for payer in (last, third):
        choose(tables, payer, options(tables))
    upstream = (first - 1) % 4
    other = third if upstream == last else last
    expected = {(upstream, first), (other, second)}
    if profile in BY_CARD:
        assert set(gifts(tables)) == expected
        leader = upstream
    else:
        assert set(gifts(tables)) == {(payer, (payer - 1) % 4) for payer in (third, last)}
        leader = last
    for _, taker in gifts(tables):
        choose(tables, taker, "S3" if taker % 2 == 0 else "C3")
    assert (tables.seat[0], leads(tables)) == (leader, True)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("previous", "jokers", "seats"),
    [
        ((0, 1, 2, 3), (0, 0, 0, 2), [3]),
        ((2, 1, 3, 0), (2, 0, 0, 0), [0]),
        ((0, 2, 1, 3), (0, 0, 0, 2), [3]),
        ((0, 2, 1, 3), (0, 2, 0, 0), [1]),
        ((0, 2, 1, 3), (0, 1, 0, 1), [1, 3]),
        ((1, 3, 2, 0), (1, 0, 1, 0), [0, 2]),
    ],
)
def test_tribute_is_refused_with_both_big_jokers(
    profile: str, previous: Order, jokers: tuple[int, ...], seats: list[int]
) -> None:
    """抗贡: if the payers hold both big jokers, no tribute is paid and the first finisher leads."""
    hands = [" ".join(["S3", "SK"] + ["HR"] * count) for count in jokers]
    tables = table_with_hands(engine(profile).rules, hands, previous=previous)
    assert refusers(tables) == seats
    assert not tables.rows_to_choose().size
    assert gifts(tables) == []
    assert (tables.seat[0], leads(tables)) == (previous[0], True)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("previous", "jokers"),
    [
        ((0, 1, 2, 3), (0, 0, 0, 1)),
        ((0, 1, 2, 3), (0, 0, 2, 0)),
        ((0, 1, 2, 3), (0, 1, 0, 1)),
        ((0, 1, 2, 3), (2, 0, 0, 0)),
        ((0, 2, 1, 3), (1, 1, 0, 0)),
        ((0, 2, 1, 3), (1, 0, 0, 1)),
        ((0, 2, 1, 3), (0, 0, 2, 0)),
    ],
)
def test_tribute_is_not_refused_otherwise(profile: str, previous: Order, jokers: tuple[int, ...]) -> None:
    """Big jokers elsewhere, or only one of them with the payers, refuse nothing."""
    hands = [" ".join(["S3", "SK"] + ["HR"] * count) for count in jokers]
    tables = table_with_hands(engine(profile).rules, hands, previous=previous)
    assert refusers(tables) == []
    assert tables.rows_to_choose().size
    assert tables.seat[0] == previous[3]
    assert options(tables) == ("HR" if jokers[previous[3]] else "SK")


@pytest.mark.parametrize("profile", PROFILES)
def test_first_episode_has_no_tribute(profile: str) -> None:
    """Nothing is paid before the first episode of a match."""
    tables = table_with_hands(engine(profile).rules, PLAIN, leader=2)
    assert (tables.seat[0], leads(tables), is_over(tables)) == (2, True, False)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("level", "hand", "expected"),
    [
        ("2", "S3 SA DA H2 H2", "SA DA"),  # a wild card is not paid
        ("2", "S3 SA C2 H2 S2", "S2 C2"),  # the level stands above the ace
        ("2", "S2 SB", "SB"),
        ("2", "SB HR", "HR"),
        ("9", "S9 C9 HA SK", "S9 C9"),
        ("9", "H9 SK SK DK", "SK DK"),
        ("A", "HA SA SK", "SA"),
        ("A", "HA S2 SK", "SK"),
    ],
)
def test_tribute_is_the_highest_card(profile: str, level: str, hand: str, expected: str) -> None:
    """The highest card by level-adjusted rank, wild cards aside; equal ranks leave a choice."""
    tables = table_with_hands(engine(profile).rules, ["S3", "S4", "S5", hand], level=level, previous=(0, 1, 2, 3))
    assert set(options(tables).split()) == set(expected.split())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("level", "hand", "expected"),
    [
        ("2", "S2 H2 S3 D3 ST SJ SB", "S3 D3 ST"),  # 2 to 10, never a level card
        ("2", "SA SJ S9", "S9"),  # an ace is no card below 10
        ("8", "S8 H8 SA SQ HR", "SQ"),  # none: the lowest that is neither wild nor joker
        ("J", "HJ SJ SQ SB", "SQ"),  # the level card is high there
        ("A", "HA SA S2", "S2"),
        ("8", "S8 SB", "S8"),
        ("8", "H8 SA SB", "SA"),
    ],
)
def test_returned_cards_are_2_to_10_or_the_lowest(profile: str, level: str, hand: str, expected: str) -> None:
    """A natural rank of 2 to 10, never a level card; a hand without one returns its lowest."""
    tables = table_with_hands(engine(profile).rules, [hand, "S4", "S5", "C4 HR"], level=level, previous=(0, 1, 2, 3))
    choose(tables, 3, "HR")
    assert set(options(tables).split()) == set(expected.split())


@pytest.mark.parametrize("profile", PROFILES)
def test_a_tribute_of_a_low_card_may_be_returned(profile: str) -> None:
    """The receiver chooses among 28 cards, including the tribute."""
    tables = table_with_hands(engine(profile).rules, ["SJ SQ", "S4", "S5", "S3 H9"], previous=(0, 1, 2, 3))
    choose(tables, 3, "H9")
    assert options(tables) == "H9"
