"""``abl-cards solve``: values, lines of play, and error messages."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from abl_cards.cli import solve
from abl_cards.matches.records import sample_records_path
from tests.cli_runs import invoke
from tests.effort import amount


def test_json_has_the_documented_keys() -> None:
    result = invoke("solve", "big2", "3344566789", "45577TJQKA", "--json")
    solution = json.loads(result.stdout)
    assert list(solution) == ["value", "line", "nodes", "seconds"]
    assert solution["value"] == -1
    assert solution["line"][:2] == ["3344", ""]


def test_to_beat_option_and_text_output() -> None:
    result = invoke("solve", "big2", "46", "55", "--to-beat", "3")
    assert result.exit_code == 0
    assert "value +2: HAND1 wins 2 cards" in result.stdout
    assert result.stdout.splitlines()[1:3] == ["  HAND1  6", "  HAND2  pass"]


DOUDIZHU = ["334567K2", "45JJ", "99A2", "--state", '{"landlord":0}']


def test_two_parties_are_solved() -> None:
    result = invoke("solve", "doudizhu", *DOUDIZHU, "--json")
    solution = json.loads(result.stdout)
    assert list(solution) == ["value", "line", "moves", "nodes", "seconds"]
    assert solution["value"] == max(move["value"] for move in solution["moves"]) in (2, -2)
    assert solution["line"][0] == [0, solution["moves"][0]["move"]]
    text = invoke("solve", "doudizhu", *DOUDIZHU).stdout
    assert text.startswith(f"value {solution['value']:+g}: seat 0 ")


def test_position_before_an_act_of_a_record_is_solved(tmp_path: Path) -> None:
    """Solve the position before the last play as won, as it was in the record."""
    file = tmp_path / "games.jsonl"
    invoke("match", "doudizhu", "greedy", "random", "--games", "1", "--record", str(file))
    acts = json.loads(file.read_text().splitlines()[0])["acts"]
    result = invoke("solve", "doudizhu", str(file), "--move", str(len(acts)), "--json")
    solution = json.loads(result.stdout)
    assert solution["line"] == [acts[-1]]
    assert solution["value"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["guandan", "3", "4"], "2 hands for 4 seats"),
        (["president", "S3", "S4", "S5", "S6"], "there are 4 parties, and not two"),
        (["doudizhu", "3", "4", "5"], "every end of this position is worth the same: no value of bid/2, landlord/1"),
        (["doudizhu", "3", "4", "5", "--state", "7"], "--state '7' is not a JSON object"),
        (["doudizhu", *DOUDIZHU, "--max-nodes", "1"], "not solved"),
        (["doudizhu", "games.jsonl", "--to-beat", "3"], "--to-beat and --state need hands"),
        (["big2", "3", "4", "--move", "2"], "--line and --move need a file"),
        (["big2", "3X", "4"], "the first hand: 'X' is no card"),
        (["big2", "3", ""], "the second hand"),
        (["big2", "33333", "4"], "not that many 3"),
        (["big2", "3", "4", "--to-beat", "35"], "35 are not a play"),
        (["big2", "3345667889TJJQKKA2", "3456677899TTJQQA22", "--seconds", "0"], "not solved in 0 s"),
    ],
)
def test_errors_are_one_line(arguments: list[str], says: str) -> None:
    result = invoke("solve", *arguments)
    assert result.exit_code in (1, 2)
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ({"hand": ["2"]}, []),
        ({"face": ["2222"]}, []),
        ({"to_beat": ["6"]}, ["--to-beat", "5"]),
        ({"to_beat": None}, ["--to-beat", "5"]),
    ],
)
def test_state_must_not_repeat_arguments(field: dict[str, object], arguments: list[str]) -> None:
    result = invoke("solve", "big2", "33", "44", *arguments, "--state", json.dumps(field), "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert next(iter(field)) in result.stderr


def test_state_can_contain_the_play_to_beat() -> None:
    answers = [
        json.loads(invoke("solve", "big2", "46", "55", *more, "--json").stdout)
        for more in (["--state", '{"to_beat":"3"}'], ["--to-beat", "3", "--state", "{}"])
    ]
    assert answers[0]["moves"] == answers[1]["moves"]


# --- inputs that a state leaves open ----------------------------------------------------------------------------------


def _solve_value(*arguments: str) -> float:
    result = invoke("solve", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return float(json.loads(result.stdout)["value"])


def test_number_of_plays_is_inferred_when_the_landlord_leads() -> None:
    """Infer the number of plays for the doubled stake: one more for the landlord who leads."""
    assert _solve_value("doudizhu", "57", "8", "99", "--state", '{"landlord":0}') == -2


@pytest.mark.parametrize(("plays", "value"), [([2, 1, 1], -2), ([1, 0, 2], -2), ([0, 0, 0], -4)])
def test_state_can_contain_the_number_of_plays(plays: list[int], value: int) -> None:
    more = json.dumps({"landlord": 0, "laid_down": plays})
    assert _solve_value("doudizhu", "57", "8", "99", "--state", more) == value


@pytest.mark.parametrize(
    ("state", "field"),
    [
        ({"hand": "8", "face": ["99", "57"], "landlord": 0, "seat": 1}, "laid_down"),
        ({"hand": "57", "face": ["8", "99"], "to_beat": "4", "landlord": 0, "seat": 0}, "laid_down"),
        ({"hand": "57", "cards": [1, 2], "landlord": 0, "seat": 0, "laid_down": [2, 2, 2]}, "face"),
    ],
)
def test_missing_inputs_are_reported(state: dict[str, object], field: str, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state))
    result = invoke("solve", "doudizhu", str(file))
    assert result.exit_code == 1
    assert f'give "{field}"' in result.stderr


def test_finishing_order_is_required_and_used(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    state = {"level": "2", "hand": ["H9", "S9"], "face": [["D3"], [], []], "seat": 0}
    file.write_text(json.dumps(state))
    assert 'give "finish"' in invoke("solve", "guandan", str(file)).stderr
    values = set()
    for order in (["partner", "previous"], ["previous", "partner"]):
        file.write_text(json.dumps(state | {"finish": order}))
        values.add(_solve_value("guandan", str(file)))
    assert len(values) == 2


def test_passed_seats_are_inferred_from_the_top_play() -> None:
    """Infer that seat 1 has passed when seat 2 answers the landlord's four."""
    more = {"landlord": 0, "seat": 2, "laid_down": [2, 1, 1]}
    given = _solve_value(
        "doudizhu",
        "99",
        "57",
        "8",
        "--to-beat",
        "4",
        "--state",
        json.dumps(more | {"top": "next", "passed": ["previous"]}),
    )
    assert (
        _solve_value("doudizhu", "99", "57", "8", "--to-beat", "4", "--state", json.dumps(more | {"top": "next"}))
        == given
    )


def test_printed_state_is_solved_like_its_record(tmp_path: Path) -> None:
    records, state = tmp_path / "games.jsonl", tmp_path / "state.json"
    invoke("match", "doudizhu", "greedy", "random", "--games", str(amount(1, 3)), "--record", str(records))
    for line, text in enumerate(records.read_text().splitlines(), 1):
        act = len(json.loads(text)["acts"]) - 2
        explained = invoke("explain", "doudizhu", str(records), "--line", str(line), "--move", str(act), "--json")
        seen = json.loads(explained.stdout)["state"]
        hands = _hands(json.loads(text), act)
        faces = [hands[(seen["seat"] + place) % 3] for place in (1, 2)]
        state.write_text(json.dumps(seen | {"face": faces}))
        recorded = _solve_value("doudizhu", str(records), "--line", str(line), "--move", str(act))
        assert _solve_value("doudizhu", str(state)) == recorded


def _hands(record: dict[str, Any], act: int) -> list[str]:
    """Return the hand of each seat before an act."""
    hands = [list(hand) for hand in record["hands"]]
    hands[0] += list(record["aside"])
    for seat, cards in record["acts"][: act - 1]:
        for card in "" if cards == "pass" else cards:
            hands[seat].remove(card)
    return ["".join(hand) for hand in hands]


@pytest.mark.parametrize("game", ["spades", "gandengyan"])
def test_unsolvable_games_are_rejected_before_reading_the_state(game: str) -> None:
    """No field of the state is asked for in vain."""
    result = invoke("solve", game, "H9 SK", "HT C3", "D5 C5", "CA S4")
    assert result.exit_code == 1
    assert "open hands" in result.stderr
    assert "give" not in result.stderr


def test_time_limit_starts_at_the_first_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling comes before them; it took a minute of a limit of five seconds."""
    seconds = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: seconds[-1])
    with solve._report_search(5.0) as on_progress:
        seconds.append(100.0)
        assert on_progress(1)
        seconds.append(104.0)
        assert on_progress(2)
        seconds.append(105.5)
        assert not on_progress(3)


def test_too_many_cards_are_refused_with_their_number() -> None:
    games = sample_records_path("guandan")
    answer = invoke("solve", "guandan", str(games), "--move", "1")
    assert answer.exit_code == 1
    assert f"{games}: line 1: 108 cards " in answer.stderr
