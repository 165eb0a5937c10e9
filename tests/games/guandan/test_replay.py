"""Replays of contest records, recorded games and damaged records; each damage is reported on its line only."""

import copy
import gzip
import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.core.errors import GameError
from abl_cards.games.types.results import ReplayResult
from tests.effort import amount
from tests.games.guandan.contest_records import ContestRecorder
from tests.games.guandan.damaged_records import (
    DURING,
    EXCHANGES,
    UNREADABLE,
    Damage,
    Record,
    extra_play,
    many_copies,
    one_return_too_many,
    truncated,
    wrong_level,
    wrong_seat,
)
from tests.games.guandan.states import SOME_PROFILES, engine
from tests.games.random_play import match_keys, play_out, step

SAMPLE = amount(20, 60)
STEPS, FEWER_STEPS, MATCHES = 1_300, amount(400, 1_300), amount(1, 5)
"""Decisions of the recorded match: by the standard rules, and by other profiles; matches played to their end."""
EXAMPLES = amount(15, 50, 2_000)
AROUND = amount(1, 2)
"""Episodes before and after a damaged one that are replayed with it."""


@pytest.fixture(scope="module")
def contest(shared_data: Path) -> list[Record]:
    """The first contest episodes."""
    file = shared_data / "guandan_contest_bots.jsonl.gz"
    if not file.is_file():
        pytest.skip(f"{file} is not here")
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in islice(lines, SAMPLE)]


@cache
def _recorded(profile: str) -> str:
    recorder = ContestRecorder(engine(profile), 1, seed=1)
    tables = engine(profile).start_matches(match_keys(1, 11), recorder)
    for _ in range(STEPS if profile == "standard" else FEWER_STEPS):
        step(tables)
    return json.dumps(recorder.pop_records(0))


def recorded(profile: str = "standard") -> list[Record]:
    """The first episodes of a random match, a fresh copy."""
    records: list[Record] = json.loads(_recorded(profile))
    return records


def replay(records: list[Any], profile: str = "standard") -> ReplayResult:
    """Play records again."""
    return engine(profile).replay(records)


def lines(result: ReplayResult) -> list[int]:
    """The lines that the rules do not confirm."""
    return [disagreement.line for disagreement in result.mismatches]


def test_contest_records_replay(contest: list[Record]) -> None:
    """Contest games agree in every play, order, level, tribute and return."""
    result = replay(contest)
    assert (result.episodes, result.mismatches) == (SAMPLE, ())
    assert result.plays == sum(len(record["plays"]) for record in contest)


def test_contest_records_mismatch_under_other_profiles(contest: list[Record]) -> None:
    """Rules that differ do not confirm them: the lead after a finish, and the tribute, go other ways."""
    assert len(lines(replay(contest, "platform"))) > SAMPLE / 12
    assert lines(replay(contest, "openguandan"))


@pytest.mark.parametrize("profile", SOME_PROFILES)
def test_recorded_games_replay(profile: str) -> None:
    """Random games by the rules of each profile replay without a disagreement, through JSON text."""
    records = recorded(profile)
    assert any(record["tribute"] for record in records)
    result = replay(records, profile)
    assert (result.episodes, result.mismatches) == (len(records), ())
    assert result.plays == sum(len(record["plays"]) for record in records)


def test_whole_matches_replay() -> None:
    """Matches to their end, side by side, replay without a disagreement."""
    recorder = ContestRecorder(engine(), MATCHES)
    tables = engine().start_matches(match_keys(MATCHES, 12), recorder)
    play_out(tables)
    matches = [recorder.pop_records(table) for table in range(MATCHES)]
    assert set(tables.winner.tolist()) <= {0, 1}
    for match, clock in zip(matches, tables.num_decisions.tolist(), strict=True):  # each act is one decision
        assert clock == sum(len(record[acts]) for record in match for acts in ("plays", "tribute", "back"))
    records = [record for match in matches for record in match]
    assert any(record["anti"] for record in records)
    assert any(record["level"] == "A" for record in records)
    result = replay(records)
    assert (result.episodes, result.mismatches) == (len(records), ())


def test_empty_list_replays() -> None:
    """An empty list of records has no mismatches."""
    assert replay([]) == ReplayResult(0, 0, ())


# --- damage ----------------------------------------------------------------------------------------------------


def paying(records: list[Record]) -> int:
    """An episode in the middle of the first match that begins with a tribute."""
    return next(at for at, record in enumerate(records[2:], start=2) if len(record["tribute"]) == 1)


def name_of(damage: Damage) -> str:
    """Return the name of a case."""
    return damage.__name__


@pytest.mark.parametrize("damage", [*DURING, *EXCHANGES, *UNREADABLE], ids=name_of)
def test_damaged_record_is_a_mismatch_on_its_line(damage: Damage) -> None:
    """A record that breaks the rules or cannot be read is one disagreement, on its line; others are confirmed."""
    records = recorded()
    at = paying(records)
    damages = (*DURING, *EXCHANGES, *UNREADABLE)
    assert lines_of_damaged(damages, at, at + 1 + AROUND)[damage] == [at + 1]


@cache
def lines_of_damaged(damages: tuple[Damage, ...], at: int, length: int) -> dict[Damage, list[int]]:
    """The lines not confirmed in the first episodes of the match after each damage to one; replayed side by side."""
    records: list[Record] = []
    for damage in damages:
        match = recorded()[:length]
        damage(match[at])
        records += match
    wrong = lines(replay(records))
    return {
        damage: [line - length * number for line in wrong if 0 < line - length * number <= length]
        for number, damage in enumerate(damages)
    }


@pytest.mark.parametrize("damage", UNREADABLE, ids=name_of)
def test_unreadable_last_record_is_the_only_mismatch(damage: Damage) -> None:
    """An unreadable record at the end of the records affects no other record."""
    assert lines_of_damaged(tuple(UNREADABLE), AROUND, 1 + AROUND)[damage] == [1 + AROUND]


def test_wrong_finish_order_is_reported_on_its_line() -> None:
    """An order of finish that the plays do not lead to is reported on its line."""
    records = recorded()
    order = records[-1]["order"]
    order[2], order[3] = order[3], order[2]
    result = replay(records)
    assert lines(result) == [len(records)]
    assert "order" in result.mismatches[0].text


def test_wrong_finish_order_does_not_affect_later_records() -> None:
    """The episode after it follows from what was played."""
    records = recorded()
    order = records[1]["order"]
    order[:] = order[::-1]
    assert lines(replay(records)) == [2]


def test_too_many_copies_are_a_mismatch() -> None:
    """258 copies of a card are not two."""
    records = recorded()
    many_copies(records[-1])
    assert lines(replay(records)) == [len(records)]


def test_surplus_return_is_a_mismatch() -> None:
    """Every return in the record is one that was made."""
    records = recorded()
    at = paying(records)
    one_return_too_many(records[at])
    assert lines(replay(records)) == [at + 1]


def test_recorded_tribute_that_was_refused_is_a_mismatch() -> None:
    """Report a recorded tribute if the tribute was refused."""
    records = refused_episode()
    giver, taker = records[1]["order"][0], records[0]["order"][0]
    card = records[1]["hands"][giver][-1]
    records[1]["tribute"] = [[records[0]["order"][3], taker, card]]
    records[1]["back"] = [[taker, records[0]["order"][3], card]]
    assert lines(replay(records)) == [2]


def refused_episode() -> list[Record]:
    """The first two episodes of a match whose second begins with a refused tribute."""
    recorder = ContestRecorder(engine(), 2)
    tables = engine().start_matches(match_keys(2, 13), recorder)
    while (tables.num_episodes < 2).any():
        step(tables)
    matches = [recorder.pop_records(table)[:2] for table in range(2)]
    return next(match for match in matches if match[1]["anti"])


def test_return_in_the_first_episode_is_a_mismatch() -> None:
    """Nothing is returned before the first episode of a match."""
    records = recorded()[:1]
    records[0]["back"] = [[0, 1, "S3"]]
    assert lines(replay(records)) == [1]


@pytest.mark.parametrize("action", [["", "", ["S3"]], ["Single", "3", ["S3", "C3"]], ["Bomb", "3", ["S3"]]])
def test_play_that_fits_no_label_is_a_mismatch(action: list[Any]) -> None:
    """A play whose type, rank and number of cards go with no label is none."""
    record = recorded()[0]
    seat = record["plays"][0][0]
    record["plays"] = [[seat, action]]
    record["hands"] = give_to(record["hands"], seat, action[2])
    (problem,) = replay([record]).mismatches
    assert "play 1" in problem.text


def give_to(hands: list[list[str]], seat: int, cards: list[str]) -> list[list[str]]:
    """The hands after the seat has exchanged its first cards for these where it lacks them."""
    for card in cards:
        if card not in hands[seat]:
            owner = next(other for other in range(4) if card in hands[other])
            mine = next(other for other in hands[seat] if other not in cards)
            hands[owner].remove(card)
            hands[seat].remove(mine)
            hands[owner].append(mine)
            hands[seat].append(card)
    return hands


def test_several_damaged_records_are_reported_in_order() -> None:
    """Each damaged line is reported once, in order, with words of its own."""
    records = recorded()
    for at, damage in ((1, wrong_seat), (3, wrong_level), (4, truncated), (6, extra_play)):
        damage(records[at])
    result = replay(records)
    assert lines(result) == [2, 4, 5, 7]
    assert len({disagreement.text for disagreement in result.mismatches}) == 4
    assert all(disagreement.text and "\n" not in disagreement.text for disagreement in result.mismatches)


def test_invalid_json_lines_are_reported_with_their_number() -> None:
    """A line that could not be read is given as its error, and reported as such."""
    records: list[Any] = recorded()
    problem = GameError("line 3 is no JSON: Expecting value")
    result = replay([*records, problem])
    assert [(one.line, one.text) for one in result.mismatches] == [(len(records) + 1, str(problem))]
    assert result.episodes == len(records) + 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("level", "1"),
        ("hands", []),
        ("anti", 3),
        ("anti", [4]),
        ("tribute", [3, 0, "HR"]),
        ("back", "S3"),
        ("plays", [3]),
        ("order", [0, 1, 2]),
        ("order", [0, 1, 2, 2]),
        ("ranks", ["2"]),
        ("ranks", ["2", 2]),
        ("hands", [["X3"], [], [], []]),
        ("tribute", [[0, 1, "X3"]]),
    ],
)
def test_errors_name_the_field(field: str, value: Any) -> None:
    """The error of an unreadable field is one line that begins with its name."""
    (problem,) = replay([recorded()[0] | {field: value}]).mismatches
    assert problem.text.startswith(f"{field}: ")
    assert "\n" not in problem.text


def test_each_unreadable_line_is_a_mismatch() -> None:
    """Each unreadable line is one mismatch."""
    assert lines(replay([GameError("no"), {}, None, 3, [], "x"])) == [1, 2, 3, 4, 5, 6]


def test_episode_after_the_end_of_the_match_is_a_mismatch() -> None:
    """An episode after a match is won is reported."""
    recorder = ContestRecorder(engine(), 1)
    tables = engine().start_matches(match_keys(1, 14), recorder)
    play_out(tables)
    records = recorder.pop_records(0)
    extra = copy.deepcopy(records[-1])
    extra["episode"] += 1
    assert lines(replay([*records, extra])) == [len(records) + 1]


def test_missing_episode_is_reported_at_the_next() -> None:
    """An episode left out is noticed at the next one."""
    records = recorded()
    assert lines(replay(records[:2] + records[3:]))[:1] == [3]


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.sampled_from(["S3", "PASS"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=10,
)
FIELDS = ["game", "profile", "episode", "level", "ranks", "hands", "anti", "tribute", "back", "plays", "order"]


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(FIELDS), JSON)
def test_any_json_in_a_field(field: str, value: Any) -> None:
    """A record with one field replaced by anything is confirmed or reported; never any other exception."""
    record = recorded()[0]
    result = replay([record | {field: value}])
    assert (result.episodes, set(lines(result)) <= {1}) == (1, True)


@settings(max_examples=EXAMPLES)
@given(st.integers(0, 60), st.integers(0, 3), JSON)
def test_any_json_in_a_play(number: int, depth: int, value: Any) -> None:
    """A play damaged anywhere is reported on its line."""
    record = recorded()[0]
    place: Any = record["plays"]
    for _ in range(depth):
        if not isinstance(place[number % len(place)], list):
            break
        place = place[number % len(place)]
    if place[number % len(place)] == value:
        return
    place[number % len(place)] = value
    result = replay([record])
    assert lines(result) == [1]


@settings(max_examples=EXAMPLES)
@given(JSON)
def test_any_json_as_record(value: Any) -> None:
    """Whatever is no record is a disagreement."""
    assert lines(replay([value])) == [1]
