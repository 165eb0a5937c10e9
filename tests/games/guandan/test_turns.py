"""Turns, the lead, the end of an episode: cases worked by hand from rules/guandan.md, 5 and 8."""

import pytest

from abl_cards.games.state.turns import next_turn
from tests.games.guandan.scripted import is_over, leads, order, play, table_with_hands
from tests.games.guandan.states import PROFILES, engine

ALL_ASKED = [profile for profile in PROFILES if profile != "platform"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_trick_ends_when_all_others_have_passed(profile: str) -> None:
    """Seats play in the order 0 1 2 3; a seat that passed may play again after another play."""
    tables = table_with_hands(engine(profile).rules, ["S3 SJ", "S4 SQ", "S5 SK S7", "S6 SA"], leader=1)
    play(tables, "1: S4\n2: S5\n3: pass\n0: pass\n1: pass")
    assert (tables.seat[0], leads(tables)) == (2, True)
    play(tables, "2: SK\n3: SA\n0: pass\n1: pass")
    assert (tables.seat[0], leads(tables)) == (2, False)
    tables = table_with_hands(engine(profile).rules, ["S3 SJ", "S4 SQ", "S5 SK", "S6 SA"], leader=1)
    play(tables, "1: S4\n2: pass\n3: S6\n0: pass\n1: pass\n2: SK\n3: SA\n")
    assert (tables.seat[0], leads(tables)) == (0, False)


@pytest.mark.parametrize("profile", PROFILES)
def test_leader_of_the_first_episode(profile: str) -> None:
    """The drawn seat leads, and there is no play to beat."""
    for seat in range(4):
        tables = table_with_hands(engine(profile).rules, ["S3", "S4", "S5", "S6"], leader=seat)
        assert (tables.seat[0], leads(tables)) == (seat, True)


@pytest.mark.parametrize("profile", ALL_ASKED)
def test_partner_leads_after_all_others_have_passed(profile: str) -> None:
    """接风: the other three seats decide, then the partner of the finisher leads."""
    tables = table_with_hands(engine(profile).rules, ["S9", "S3 SJ", "S4 SQ", "S5 SK"])
    play(tables, "0: S9\n1: pass\n2: pass")
    assert (tables.seat[0], leads(tables)) == (3, False)
    play(tables, "3: pass")
    assert (tables.seat[0], leads(tables)) == (2, True)
    play(tables, "2: S4\n3: S5\n1: SJ\n")
    assert tables.seat[0] == 2


def test_partner_leads_when_he_has_passed_on_the_platform() -> None:
    """接风 on the platform: the seat after the partner does not decide again."""
    tables = table_with_hands(engine("platform").rules, ["S9", "S3 SJ", "S4 SQ", "S5 SK"])
    play(tables, "0: S9\n1: pass\n2: pass")
    assert (tables.seat[0], leads(tables)) == (2, True)
    play(tables, "2: S4\n3: S5\n1: pass")
    assert (tables.seat[0], leads(tables)) == (2, False)


def test_platform_lets_all_seats_act_while_the_winner_holds_cards() -> None:
    """The partner's pass ends a trick only when its winner is out."""
    tables = table_with_hands(engine("platform").rules, ["S9 S3", "S3 SJ", "S4 SQ", "S5 SK"])
    play(tables, "0: S9\n1: pass\n2: pass\n3: pass")
    assert (tables.seat[0], leads(tables)) == (0, True)


@pytest.mark.parametrize("profile", PROFILES)
def test_seat_beating_the_finisher_leads(profile: str) -> None:
    """A seat that beats the finisher's last play leads if nobody beats it; the finisher is skipped."""
    tables = table_with_hands(engine(profile).rules, ["S9", "ST SJ", "S4 SQ", "S5 SK"])
    play(tables, "0: S9\n1: ST\n2: pass\n3: pass")
    assert (tables.seat[0], leads(tables)) == (1, True)
    tables = table_with_hands(engine(profile).rules, ["S9", "S3 SJ", "S4 SQ", "S5 SK"])
    play(tables, "0: S9\n1: pass\n2: SQ\n3: SK\n1: pass\n2: pass")
    assert (tables.seat[0], leads(tables)) == (3, True)


@pytest.mark.parametrize("profile", PROFILES)
def test_two_remaining_opponents_alternate(profile: str) -> None:
    """With one seat of each team out, the two others alternate, and a winner with cards leads."""
    tables = table_with_hands(engine(profile).rules, ["S9", "ST", "S4 SQ S6", "S5 SK S7"])
    play(tables, "0: S9\n1: ST\n2: SQ\n3: SK\n2: pass")
    assert (tables.seat[0], leads(tables)) == (3, True)
    play(tables, "3: S5\n2: S6\n3: pass")
    assert (tables.seat[0], leads(tables)) == (2, True)


@pytest.mark.parametrize("profile", ALL_ASKED)
def test_partner_leads_after_the_second_finisher_of_the_other_team(profile: str) -> None:
    """接风 after the first finisher: the remaining opponent decides, then the partner leads."""
    tables = table_with_hands(engine(profile).rules, ["S9", "ST", "S4 SQ", "S5 S7"])
    play(tables, "0: S9\n1: ST\n2: pass\n3: pass")
    assert (tables.seat[0], leads(tables)) == (3, True)
    play(tables, "3: S5\n2: SQ\n3: pass")
    assert tables.seat[0] == 2


def test_partner_leads_after_the_second_finisher_on_the_platform() -> None:
    """On the platform too, the opponent before the partner decides first."""
    tables = table_with_hands(engine("platform").rules, ["S9", "ST", "S4 SQ", "S5 S7"])
    play(tables, "0: S9\n1: ST\n2: pass\n3: pass")
    assert (tables.seat[0], leads(tables)) == (3, True)


ENDS = [
    (["S9", "S3 S4", "SJ", "S5 S6"], "0: S9\n1: pass\n2: SJ", [0, 2, 1, 3]),  # 1-2
    (["S9 ST", "S8", "S3 S4", "S9"], "1: S8\n2: pass\n3: S9", [1, 3, 0, 2]),
    (["S9", "ST", "SJ", "S5 S6"], "0: S9\n1: ST\n2: SJ", [0, 1, 2, 3]),  # 1-3: three are out
    (["S9", "ST", "S3 S4", "SJ"], "0: S9\n1: ST\n2: pass\n3: SJ", [0, 1, 3, 2]),  # 1-4
    (["ST", "SJ", "S3 S4", "S9"], "3: S9\n0: ST\n1: SJ", [3, 0, 1, 2]),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("hands", "script", "finish"), ENDS)
def test_end_of_an_episode(profile: str, hands: list[str], script: str, finish: list[int]) -> None:
    """An episode ends when two partners or three seats are out; the others follow by seat."""
    tables = table_with_hands(engine(profile).rules, hands, leader=int(script[0]))
    *before, last = script.splitlines()
    play(tables, "\n".join(before))
    assert not is_over(tables)
    play(tables, last)
    assert is_over(tables)
    assert order(tables) == finish
    assert tables.rows_to_play().size == tables.rows_to_choose().size == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_next_turn_table_is_consistent(profile: str) -> None:
    """While an episode lasts, the next seat holds cards, and has passed only if the trick is over."""
    rules = engine(profile).rules
    form = rules.forms.index["single(3)"]
    for acted, owner, passed, out in [
        (a, o, p, t) for a in range(4) for o in range(4) for p in range(16) for t in range(16)
    ]:
        seat, trick_over, over = next_turn(rules.turn_table, acted, owner, passed, passed, out, form)
        assert over == (out & 5 == 5 or out & 10 == 10) or seat < 0
        if over or passed & 1 << owner or (acted != owner and not passed & 1 << acted):
            continue
        assert seat >= 0
        assert not out & 1 << seat
        if not trick_over:
            assert seat != owner
            assert not passed & 1 << seat
        else:
            assert seat == owner or (out & 1 << owner and seat == (owner + 2) % 4)
