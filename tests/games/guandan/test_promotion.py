"""Levels, level A and the end of a match: cases worked by hand from rules/guandan.md, 5 and 8."""

from typing import NamedTuple

import numpy as np
import pytest

from abl_cards.games.types.moves import DRAW
from abl_cards.protocols.contest.codec import LEVEL_OF_TEXT, RANK_TEXT
from abl_cards.protocols.contest.levels import MatchBatch, promote, start_matches
from abl_cards.protocols.contest.match_state import find_fluent, fluent_values, read_team_levels, write_fluent
from abl_cards.protocols.contest.match_state import read_levels as levels_of
from tests.games.guandan.states import PROFILES, engine

RUNNING = -1
BY_WINNER = [profile for profile in PROFILES if profile != "paper"]

# How team 0 or team 1 ends an episode, by the place of the first finisher's partner.
WINS_0 = {2: (0, 2, 1, 3), 3: (0, 1, 2, 3), 4: (2, 1, 3, 0)}
WINS_1 = {2: (1, 3, 0, 2), 3: (3, 0, 1, 2), 4: (1, 0, 2, 3)}
FIRST_0, FIRST_1 = WINS_0[2], WINS_1[2]
LAST_0, LAST_1 = WINS_0[4], WINS_1[4]


class Place(NamedTuple):
    """State of a match: levels, declarer, failures at A, falls from A, the winner."""

    levels: str  # of the two teams, like "9A"
    declarer: int
    failures: tuple[int, int] = (0, 0)
    resets: int = 0
    winner: int = RUNNING


def ladder_of(profile: str, place: Place) -> MatchBatch:
    """A place as tables remember it."""
    rules = engine(profile).rules
    start = start_matches(rules, 1)
    (fluents,) = start.fluents
    for team in (0, 1):
        write_fluent(rules, fluents, "standing", team, LEVEL_OF_TEXT[place.levels[team]])
        write_fluent(rules, fluents, "failures", team, place.failures[team])
    write_fluent(rules, fluents, "resets", place.resets)
    if place.declarer >= 0:
        write_fluent(rules, fluents, "declarer", place.declarer)
        write_fluent(rules, fluents, "level", LEVEL_OF_TEXT[place.levels[place.declarer]])
    return start._replace(winner=np.array([place.winner], np.int8))


def counted(profile: str, ladder: MatchBatch, name: str) -> list[int]:
    """Return the values of a counting fluent."""
    fluent = find_fluent(engine(profile).rules, name)
    assert fluent is not None
    return [int(ladder.fluents[0, slot]) for slot in fluent.slots]


def after(profile: str, place: Place, order: tuple[int, ...]) -> Place:
    """Return the state of a match after an episode with this order of finish."""
    rules = engine(profile).rules
    promoted = promote(rules, ladder_of(profile, place), np.array([order], np.int8))
    mine, theirs = counted(profile, promoted, "failures")
    return Place(
        "".join(RANK_TEXT[int(rank)] for rank in read_team_levels(rules, promoted.fluents)[0]),
        int(fluent_values(rules, "declarer", promoted.fluents)[0, 0]),
        (mine, theirs),
        counted(profile, promoted, "resets")[0],
        int(promoted.winner[0]),
    )


def played_level(profile: str, place: Place) -> str:
    """The level of the next episode."""
    return RANK_TEXT[int(levels_of(engine(profile).rules, ladder_of(profile, place).fluents)[0])]


@pytest.mark.parametrize("profile", PROFILES)
def test_both_teams_start_at_level_2(profile: str) -> None:
    """Both teams start at 2, and 2 is played."""
    rules = engine(profile).rules
    start = start_matches(rules, 3)
    assert read_team_levels(rules, start.fluents).tolist() == [[2, 2]] * 3
    assert levels_of(rules, start.fluents).tolist() == [2] * 3
    assert start.winner.tolist() == [RUNNING] * 3


@pytest.mark.parametrize("profile", PROFILES)
def test_promotions(profile: str) -> None:
    """The first finisher's team rises by 3, 2 or 1 as its partner is second, third or fourth; its level comes next."""
    for place, rise in ((2, 3), (3, 2), (4, 1)):
        assert after(profile, Place("22", -1), WINS_0[place]) == Place(f"{2 + rise}2", 0)
        assert after(profile, Place("22", -1), WINS_1[place]) == Place(f"2{2 + rise}", 1)
        assert after(profile, Place("64", 0), WINS_0[place]) == Place(f"{6 + rise}4", 0)


@pytest.mark.parametrize("profile", BY_WINNER)
def test_the_last_winners_level_is_played(profile: str) -> None:
    """The winner of the last episode declares, whether its level is higher or lower."""
    place = after(profile, Place("93", 0), WINS_1[4])
    assert (place, played_level(profile, place)) == (Place("94", 1), "4")
    place = after(profile, place, WINS_0[3])
    assert (place, played_level(profile, place)) == (Place("J4", 0), "J")


def test_paper_profile_plays_the_higher_level() -> None:
    """Chen et al. 2025, 1.1: the level of an episode is the higher one; the last winner's where they are equal."""
    place = after("paper", Place("93", 0), WINS_1[4])
    assert (place, played_level("paper", place)) == (Place("94", 0), "9")
    assert after("paper", Place("97", 0), WINS_1[2]) == Place("9T", 1)
    assert after("paper", Place("97", 0), WINS_1[3]) == Place("99", 1)
    assert after("paper", Place("79", 1), WINS_0[3]) == Place("99", 0)
    assert after("paper", Place("A5", 0), WINS_1[3]) == Place("A7", 0, (1, 0))


@pytest.mark.parametrize("profile", PROFILES)
def test_levels_stop_at_ace(profile: str) -> None:
    """A is the highest level, and reaching it is not a win."""
    for levels, place, expected in (
        ("Q3", 2, "A3"),
        ("K3", 2, "A3"),
        ("K3", 3, "A3"),
        ("K3", 4, "A3"),
        ("J3", 2, "A3"),
    ):
        place_after = after(profile, Place(levels, 0), WINS_0[place])
        assert (place_after, played_level(profile, place_after)) == (Place(expected, 0), "A")


@pytest.mark.parametrize("profile", PROFILES)
def test_win_at_own_ace(profile: str) -> None:
    """1-2 at one's own A wins the match everywhere; 1-3 does not where only 1-2 counts; 1-4 nowhere."""
    assert after(profile, Place("A8", 0), WINS_0[2]).winner == 0
    assert after(profile, Place("8A", 1), WINS_1[2]).winner == 1
    assert after(profile, Place("AA", 1), WINS_1[2]).winner == 1
    wins = RUNNING if profile in ("platform", "manual") else 0
    assert after(profile, Place("A8", 0), WINS_0[3]).winner == wins
    assert after(profile, Place("A8", 0), WINS_0[4]).winner == RUNNING


@pytest.mark.parametrize("profile", BY_WINNER)
def test_no_win_at_anothers_level(profile: str) -> None:
    """A team at A that finishes first while the other team's level is played does not win."""
    for levels in ("A8", "AA"):
        assert after(profile, Place(levels, 1), WINS_0[2]).winner == RUNNING
        assert after(profile, Place(levels, 1), WINS_0[2]).declarer == 0


class Case(NamedTuple):
    """An episode's end and what it leads to."""

    before: Place
    order: tuple[int, int, int, int]
    then: Place


STANDARD = [  # every own-A episode not won counts, over the whole match; the third sends back to 2
    Case(Place("A8", 0), LAST_0, Place("A8", 0, (1, 0))),
    Case(Place("A8", 0), FIRST_1, Place("AJ", 1, (1, 0))),
    Case(Place("A8", 0, (1, 0)), WINS_1[3], Place("AT", 1, (2, 0))),
    Case(Place("A8", 0, (2, 0)), LAST_0, Place("28", 0, (0, 0), 1)),  # first, yet fallen: not promoted, 2 is played
    Case(Place("A8", 0, (2, 0)), FIRST_1, Place("2J", 1, (0, 0), 1)),  # the others rise as usual
    Case(Place("AA", 1, (2, 2)), FIRST_0, Place("A2", 0, (2, 0), 1)),  # only the declarer's count goes on
    Case(Place("A8", 1, (2, 0)), LAST_0, Place("A8", 0, (2, 0))),  # another's level: no failure
    Case(Place("A8", 1, (2, 0)), FIRST_1, Place("AJ", 1, (2, 0))),
    Case(Place("A8", 0, (2, 1)), WINS_0[3], Place("A8", 0, (2, 1), 0, 0)),  # won at the last moment
    Case(Place("K8", 0), FIRST_1, Place("KJ", 1)),
]
PLATFORM = [  # a first place at A that does not win, whichever level is played, sends back to 2 at once
    Case(Place("A8", 0), WINS_0[3], Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 0), LAST_0, Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 1), FIRST_0, Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 1), LAST_0, Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 0), FIRST_1, Place("AJ", 1)),  # an episode lost at one's own A changes nothing
    Case(Place("AA", 1), FIRST_0, Place("2A", 0, (0, 0), 1)),
    Case(Place("A8", 0, (0, 0), 60), LAST_0, Place("28", 0, (0, 0), 61)),  # and no number of falls ends a match
]
OPENGUANDAN = [  # a 1-4 at one's own A counts, the fourth sends back to 2; after 50 falls the levels decide
    Case(Place("A8", 0), LAST_0, Place("A8", 0, (1, 0))),
    Case(Place("A8", 0, (2, 0)), LAST_0, Place("A8", 0, (3, 0))),
    Case(Place("A8", 0, (3, 0)), LAST_0, Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 0, (3, 0)), FIRST_1, Place("AJ", 1, (3, 0))),  # a lost episode does not count
    Case(Place("A8", 1, (3, 0)), LAST_0, Place("A8", 0, (3, 0))),
    Case(Place("A8", 0, (3, 0), 48), LAST_0, Place("28", 0, (0, 0), 49)),
    Case(Place("A8", 0, (3, 0), 49), LAST_0, Place("28", 0, (0, 0), 50, 1)),
    Case(Place("A2", 0, (3, 0), 49), LAST_0, Place("22", 0, (0, 0), 50, DRAW)),
]
MANUAL = [  # two own-A episodes not won send back to 2; after 50 falls the match is drawn
    Case(Place("A8", 0), WINS_0[3], Place("A8", 0, (1, 0))),
    Case(Place("A8", 0, (1, 0)), WINS_0[3], Place("28", 0, (0, 0), 1)),
    Case(Place("A8", 0, (1, 0)), FIRST_1, Place("2J", 1, (0, 0), 1)),
    Case(Place("A8", 1, (1, 0)), FIRST_0, Place("A8", 0, (1, 0))),
    Case(Place("A8", 0, (1, 0), 48), LAST_0, Place("28", 0, (0, 0), 49)),
    Case(Place("A8", 0, (1, 0), 49), LAST_0, Place("28", 0, (0, 0), 50, DRAW)),
    Case(Place("A8", 0, (1, 0), 49), FIRST_0, Place("A8", 0, (1, 0), 49, 0)),
]
DANZERO = [  # no fall from A
    Case(Place("A8", 0), LAST_0, Place("A8", 0)),
    Case(Place("A8", 0), FIRST_1, Place("AJ", 1)),
    Case(Place("A8", 1), FIRST_0, Place("A8", 0)),
]
PAPER = [  # as standard, but the higher level is played
    Case(Place("A8", 0), LAST_0, Place("A8", 0, (1, 0))),
    Case(Place("A8", 0), FIRST_1, Place("AJ", 0, (1, 0))),
    Case(Place("A8", 0, (2, 0)), LAST_0, Place("28", 1, (0, 0), 1)),
    Case(Place("A8", 0, (2, 0)), FIRST_1, Place("2J", 1, (0, 0), 1)),
    Case(Place("AK", 0), FIRST_1, Place("AA", 1, (1, 0))),
    Case(Place("AA", 1), FIRST_0, Place("AA", 0, (0, 1))),
]
LEVEL_A = {
    "standard": STANDARD,
    "platform": PLATFORM,
    "openguandan": OPENGUANDAN,
    "manual": MANUAL,
    "danzero": DANZERO,
    "paper": PAPER,
}
CASES = [(profile, *case) for profile, cases in LEVEL_A.items() for case in cases]


@pytest.mark.parametrize(("profile", "before", "order", "then"), CASES)
def test_level_a(profile: str, before: Place, order: tuple[int, ...], then: Place) -> None:
    """Failures at A, falls back to 2, and the end of a match."""
    place_after = after(profile, before, order)
    if place_after.winner == RUNNING:
        assert place_after == then
    else:  # where a match is over, only its winner and its falls matter
        assert (place_after.winner, place_after.resets) == (then.winner, then.resets)


@pytest.mark.parametrize("profile", PROFILES)
def test_teams_are_symmetric(profile: str) -> None:
    """With the seats turned by one, the same happens to the other team."""
    for before, order, _ in LEVEL_A[profile]:
        mirrored = after(profile, turned(before), tuple((seat + 1) % 4 for seat in order))
        there = after(profile, before, order)
        if there.winner in (RUNNING, DRAW):
            assert mirrored == turned(there)
        else:
            assert mirrored.winner == 1 - there.winner


def turned(place: Place) -> Place:
    """The place with the teams exchanged."""
    declarer = 1 - place.declarer if place.declarer >= 0 else -1
    return place._replace(levels=place.levels[::-1], failures=place.failures[::-1], declarer=declarer)


def test_three_failures_in_a_row() -> None:
    """A whole story by the standard rules: up to A, three failures with others' episodes between, and again."""
    story = [
        (FIRST_0, "52", 0), (FIRST_0, "82", 0), (FIRST_0, "J2", 0), (FIRST_0, "A2", 0), (LAST_0, "A2", 0),
        (FIRST_1, "A5", 1), (FIRST_1, "A8", 1), (LAST_0, "A8", 0), (FIRST_1, "2J", 1), (WINS_0[3], "4J", 0),
    ]  # fmt: skip
    place = Place("22", -1)
    for order, levels, declarer in story:
        place = after("standard", place, order)
        assert (place.levels, place.declarer) == (levels, declarer)
    assert place == Place("4J", 0, (0, 0), 1)


@pytest.mark.parametrize("profile", PROFILES)
def test_batched_promotion_equals_single_promotion(profile: str) -> None:
    """Promoting many matches gives the same results as promoting one."""
    cases = LEVEL_A[profile]
    ladders = [ladder_of(profile, case.before) for case in cases]
    together = MatchBatch(*map(np.concatenate, zip(*ladders, strict=True)))
    promoted = promote(engine(profile).rules, together, np.array([case.order for case in cases], np.int8))
    for row, case in enumerate(cases):
        alone = promote(engine(profile).rules, ladders[row], np.array([case.order], np.int8))
        for field in MatchBatch._fields:
            assert (getattr(promoted, field)[row] == getattr(alone, field)[0]).all()
