"""Tests of the command ``explain``."""

from __future__ import annotations

import gzip
import io
import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import abl_cards
from abl_cards.cli import model_views
from abl_cards.protocols.common.cards import CARD_NAMES
from tests.cli_runs import invoke

STATE = {"level": "8", "hand": ["H4", "H4", "C4", "H8", "D9", "S9", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}
SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
    result = invoke("explain", "guandan", *arguments, stdin=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.stdout, result.stderr


def record(line: int = 0) -> dict[str, Any]:
    with gzip.open(SAMPLE, "rt") as file:
        lines = file.readlines()
    value: dict[str, Any] = json.loads(lines[line])
    return value


def test_state_is_read_from_stdin() -> None:
    code, out, _ = run(given=json.dumps(STATE) + "\n")
    assert code == 0
    head, chosen, runner_up, why, candidates = out.strip().split("\n\n")
    assert head.startswith("level: 8\nhand: H4 H4 C4 S9 D9 SA H8\n")
    assert chosen.startswith("chosen: ")
    assert runner_up.startswith("runner-up: ")
    assert why.startswith("why not ")
    assert candidates.startswith("candidates of ")
    assert run("-", given=json.dumps(STATE)) == (code, out, "")


def test_json_has_expected_keys() -> None:
    code, out, _ = run("--json", "--lang", "zh", given=json.dumps(STATE))
    report = json.loads(out)
    assert code == 0
    assert list(report) == [
        "game", "state", "language", "moves", "chosen", "runner_up", "difference", "candidates", "dropped", "made"
    ]  # fmt: skip
    assert list(report["chosen"]) == ["place", "move", "label", "cost", "reasons"]
    assert list(report["chosen"]["reasons"][0]) == ["name", "group", "weight", "words"]
    assert list(report["difference"][0]) == ["name", "group", "chosen", "other", "words"]
    shares = sum(term["other"] - term["chosen"] for term in report["difference"])
    assert shares == report["runner_up"]["cost"] - report["chosen"]["cost"]
    assert report["made"] is None
    assert report["moves"] >= len(report["candidates"])


def test_play_of_a_record_is_explained(tmp_path: Path) -> None:
    """Judge the play of a record; an unfinished record with hidden hands gives the same explanation."""
    value = record(1)
    number = next(n for n, (_, action) in enumerate(value["plays"], 1) if n > 12 and action[0] != "PASS")
    code, out, _ = run(str(SAMPLE), "--line", "2", "--move", str(number), "--json")
    full = json.loads(out)
    assert code == 0
    assert sorted(full["made"]["move"][2]) == sorted(value["plays"][number - 1][1][2])
    seat = value["plays"][number - 1][0]
    value["hands"] = [hand if other == seat else None for other, hand in enumerate(value["hands"])]
    value |= {"seat": seat, "plays": value["plays"][: number - 1]}
    file = tmp_path / "open.jsonl"
    file.write_text(json.dumps(value) + "\n", "utf-8")
    code, out, _ = run(str(file), "--json")
    assert code == 0
    assert json.loads(out) == full | {"made": None}
    text = run(str(SAMPLE), "--line", "2", "--move", str(number))[1]
    assert "the move that was made" in text


def test_agent_variants_change_the_reasons() -> None:
    groups = []
    for name in ("kb", "kb:without=structure"):
        report = json.loads(run("--json", "--agent", name, given=json.dumps(STATE))[1])
        groups.append({reason["group"] for reason in report["chosen"]["reasons"]})
    assert "structure" in groups[0]
    assert "structure" not in groups[1]


@pytest.mark.parametrize(
    ("arguments", "given", "code", "message"),
    [
        ([], "", 1, "nothing to explain"),
        (["--line", "2"], json.dumps(STATE), 1, "line 2 is empty"),
        ([], "[]", 1, "line 1 is not a JSON object"),
        ([], "{", 1, "not JSON"),
        (["--move", "2"], json.dumps(STATE), 1, "goes with a record"),
        (["--lang", "fr"], json.dumps(STATE), 2, "unknown language"),
        (["--agent", "greedy"], json.dumps(STATE), 2, "decides by no preferences"),
        (["--agent", "abl:preset=x"], json.dumps(STATE), 2, "no weights 'guandan-x'"),
        (["--agent", "kb:without=x"], json.dumps(STATE), 2, "unknown group"),
        (["--profile", "x"], json.dumps(STATE), 1, "unknown profile"),
        (["nowhere.json"], "", 1, "nowhere.json"),
        ([str(SAMPLE)], "", 1, "--move N"),
        ([str(SAMPLE), "--move", "999"], "", 1, "there is no play 999"),
    ],
)
def test_errors_are_one_line(arguments: list[str], given: str, code: int, message: str) -> None:
    status, out, err = run(*arguments, given=given)
    assert (status, out) == (code, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_state_can_contain_its_profile() -> None:
    code, out, _ = run("--json", given=json.dumps({**STATE, "profile": "platform"}))
    assert code == 0
    assert json.loads(out)["chosen"]["move"]


@pytest.mark.parametrize(
    ("game", "profile", "move"),
    [("doudizhu", "botzone_bidding", 1), ("doudizhu", "openspiel", 2), ("fifteen", None, 3)],
)
def test_printed_state_gives_the_same_explanation(game: str, profile: str | None, move: int, tmp_path: Path) -> None:
    """The state names its profile where another is the default; of a game that counts acts it is no record."""
    file, state_file = tmp_path / "games.jsonl", tmp_path / "state.json"
    chosen = ["--profile", profile] if profile else []
    assert invoke("match", game, "kb", "random", *chosen, "--games", "1", "--record", str(file)).exit_code == 0
    of_record = json.loads(invoke("explain", game, str(file), "--move", str(move), "--json").stdout)
    assert of_record["state"].get("profile") == profile
    state_file.write_text(json.dumps(of_record["state"]), encoding="utf-8")
    of_state = json.loads(invoke("explain", game, str(state_file), "--json").stdout)
    for key in ("moves", "chosen", "runner_up"):
        assert of_state[key] == of_record[key]
    legal = json.loads(invoke("legal", game, str(state_file), *chosen).stdout)
    assert len(legal["moves"]) == of_record["moves"]
    drawn = invoke("picture", game, str(state_file))
    assert drawn.exit_code == 0, drawn.stderr
    assert drawn.stdout.startswith("<svg")


@pytest.mark.parametrize("text", ["H4 C4", '["Pair","4",["H4","C4"]]'])
def test_why_explains_a_legal_move(text: str) -> None:
    code, out, _ = run("--why", text, given=json.dumps(STATE))
    assert code == 0
    assert "pair(4) is legal:" in out
    assert "held(4,2)" not in out or "input" in out
    assert re.search(r"by: legal\(L\) :- .*guandan/rules\.lp:\d+", out)
    assert "place " in out.rpartition("pair(4) is legal:")[2]


def test_why_explains_an_illegal_move() -> None:
    state = {"level": "8", "hand": ["H4", "C4", "H9", "D9"], "to_beat": ["Pair", "5", ["S5", "D5"]]}
    report = json.loads(run("--why", "H4 C4", "--json", given=json.dumps(state))[1])
    (reading,) = report["why"]
    assert (reading["label"], reading["legal"]) == ("pair(4)", False)
    assert reading["why"]["holds"] is False
    assert reading["why"]["because"][0]["atom"] == "move(pair(4))"
    legal = json.loads(run("--why", "H9 D9", "--json", given=json.dumps(state))[1])["why"][0]
    assert legal["verdict"]["move"] == ["Pair", "9", ["H9", "D9"]]


def test_all_moves_are_ranked() -> None:
    out = run("--all", given=json.dumps(STATE))[1]
    report = json.loads(run("--all", "--json", given=json.dumps(STATE))[1])
    assert [move["place"] for move in report["all"]] == list(range(1, report["moves"] + 1))
    assert [move["cost"] for move in report["all"]] == sorted(move["cost"] for move in report["all"])
    table = out.rpartition("place  cost  label")[2].splitlines()[1:]
    assert len(table) == report["moves"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S2", "not in the hand: S2"),
        ("H4 D9", "no play of the game"),
        ("rubbish", "no card"),
        ('{"a":1}', "{'a': 1}"),
    ],
)
def test_invalid_moves_are_rejected(text: str, message: str) -> None:
    code, out, err = run("--why", text, given=json.dumps(STATE))
    assert (code, out) == (1, "")
    assert message in err


# --- abl --------------------------------------------------------------------------------------------------------------

NUMBER = 40


def explain_sample(*arguments: str) -> tuple[int, str, str]:
    return run(str(SAMPLE), "--line", "2", "--move", str(NUMBER), *arguments)


def test_abl_text_shows_labels_candidates_and_hands(untrained: str) -> None:
    code, out, err = explain_sample("--agent", untrained)
    assert (code, err) == (0, "")
    head, labels, chosen, *rest = out.strip("\n").split("\n\n")
    assert head.startswith("level: ")
    assert labels.startswith("labels by probability: ")
    assert "the most probable label" in chosen.splitlines()[0]
    assert any(part.startswith("candidates of ") for part in rest)
    title, *seats = rest[-4:]
    assert title.startswith("estimated hands")
    assert [seat.split(",")[0] for seat in seats] == ["next", "partner", "previous"]
    assert all(len(line) <= 80 for seat in seats for line in seat.splitlines())
    assert "\x1b" not in out
    assert "手牌估计" in explain_sample("--agent", untrained, "--lang", "zh")[1]


def test_abl_explains_a_state_without_history(untrained: str) -> None:
    """Without a list of played cards, any unseen card may be in any hand."""
    state = {**STATE, "cards": [20, 19, 20]}
    code, out, err = run("--agent", untrained, "--json", given=json.dumps(state))
    assert code == 0, err
    report = json.loads(out)
    assert sum(label["probability"] for label in report["labels"]) == pytest.approx(1, abs=1e-4)
    for hand, left in zip(report["estimate"]["hands"], state["cards"], strict=True):
        assert sum(hand["copies"].values()) == pytest.approx(left, abs=0.02)


def test_abl_json_has_labels_and_estimate(untrained: str, untrained_twin: str) -> None:
    report = json.loads(explain_sample("--agent", untrained, "--json")[1])
    assert list(report)[-3:] == ["drawn", "labels", "estimate"]
    assert sum(label["probability"] for label in report["labels"]) == pytest.approx(1, abs=1e-4)
    chances = [label["probability"] for label in report["labels"]]
    assert chances == sorted(chances, reverse=True)
    first = report["labels"][0]
    assert [first[key] for key in ("label", "probability", "cost")] == [
        report["chosen"][key] for key in ("label", "probability", "cost")
    ]
    for label in report["labels"]:
        assert list(label["answers"]) == ["next", "partner", "previous"]
        shares = label["answers"].values()
        assert all(share is None if label["label"] == "pass" else 0 <= share <= 1 for share in shares)
    assert report["chosen"]["cost"] == min(candidate["cost"] for candidate in report["candidates"])
    for hand, left in zip(report["estimate"]["hands"], report["state"]["cards"], strict=True):
        assert hand["left"] == left == pytest.approx(sum(hand["copies"].values()), abs=0.02)
    seen = [*report["state"]["hand"], *chain(*report["state"]["gone"])]
    for card, copies in ((card, 2 - seen.count(card)) for card in CARD_NAMES if seen.count(card) < 2):
        assert sum(hand["copies"][card] for hand in report["estimate"]["hands"]) == pytest.approx(copies, abs=0.01)
    assert report["estimate"]["projected"]
    assert not json.loads(explain_sample("--agent", f"{untrained},no-projection", "--json")[1])["estimate"]["projected"]
    assert json.loads(explain_sample("--agent", f"{untrained},no-preferences", "--json")[1])["drawn"]
    assert json.loads(explain_sample("--agent", untrained_twin, "--json")[1])["estimate"] is None


def test_unfinished_record_gives_the_same_explanation(untrained: str, tmp_path: Path) -> None:
    value = record(1)
    seat = value["plays"][NUMBER - 1][0]
    value["hands"] = [hand if other == seat else None for other, hand in enumerate(value["hands"])]
    value |= {"seat": seat, "plays": value["plays"][: NUMBER - 1]}
    file = tmp_path / "open.jsonl"
    file.write_text(json.dumps(value) + "\n", "utf-8")
    full = json.loads(explain_sample("--agent", untrained, "--json")[1])
    assert json.loads(run(str(file), "--agent", untrained, "--json")[1]) == full | {"made": None}


def test_png_shows_estimated_hands(untrained: str, untrained_twin: str, tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    heights = []
    for number, name in enumerate((untrained, untrained_twin)):
        file = tmp_path / f"{number}.png"
        assert explain_sample("--agent", name, "--png", str(file))[0] == 0
        heights.append(image.imread(file).shape[0])
    assert heights[0] > 2 * heights[1]  # the twin has no hands to show


def test_hand_map_is_coloured_on_a_terminal(untrained: str, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.StringIO()
    console = Console(file=printed, force_terminal=True, color_system="truecolor", width=100)
    monkeypatch.setattr(model_views, "make_console", lambda: console)
    plain = explain_sample("--agent", untrained)[1]
    monkeypatch.undo()
    text = re.sub(r"\x1b\[[0-9;]*m", "", printed.getvalue())
    assert "\x1b[" in printed.getvalue()
    assert plain + text == explain_sample("--agent", untrained)[1]


def test_tribute_is_decided_by_preferences_only(untrained: str) -> None:
    state = {"level": "8", "hand": ["S3", "D5", "C5", "SA"], "stage": "back"}
    answers = [run("--agent", name, "--json", given=json.dumps(state))[1] for name in ("kb", untrained)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("more", "given", "code", "message"),
    [
        ((), STATE, 1, "how many cards the others hold"),
        (("--png", "why.png"), {**STATE, "to_beat": None, "stage": "back"}, 1, "the preferences decide alone"),
    ],
)
def test_abl_rejects_states_it_cannot_explain(
    untrained: str, more: tuple[str, ...], given: Any, code: int, message: str
) -> None:
    status, out, err = run("--agent", untrained, *more, given=json.dumps(given))
    assert (status, out) == (code, "")
    assert message in err


def test_why_explains_options() -> None:
    """A card of more than ten points is not given back; the rule of option/1 says so."""
    given = json.dumps({"level": "8", "hand": ["S3", "D5", "C5", "SA"], "stage": "back"})
    for text, is_legal in (("D5", True), ("SA", False), ('["back","back",["S3"]]', True)):
        code, out, _ = run("--why", text, "--json", given=given)
        (reading,) = json.loads(out)["why"]
        assert (code, reading["legal"], reading["why"]["holds"]) == (0, is_legal, is_legal)
        assert reading["why"]["atom"].startswith("option(")
        assert ("verdict" in reading) == is_legal
    assert run("--why", "D5", given=given)[0] == 0
    code, out, err = run("--why", "bid(2)", given=given)
    assert (code, out) == (1, "")
    assert "'bid(2)'" in err


def test_png_is_rejected_for_kb() -> None:
    code, _, err = run("--png", "why.png", given=json.dumps(STATE))
    assert code == 1
    assert "the preferences decide alone" in err
