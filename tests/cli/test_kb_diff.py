"""Tests of the command ``kb diff``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import abl_cards
from abl_cards.cli.kb import NEW_GAME
from abl_cards.matches import sampled_positions
from tests.cli_runs import invoke
from tests.cli_runs import run as run_command
from tests.edited import edited
from tests.effort import amount, long

SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"
NEVER_PASS = """preference(never_pass, passing).
says(never_pass, en, "Never pass.").
says(never_pass, zh, "不要过牌。").
cost(never_pass, 1000) :- play(pass).
"""
GENEROUS = """preference(generous, exchange).
says(generous, en, "Return the {1}.").
says(generous, zh, "还{1}。").
moved :- lays(_).
cost(generous(R), -50*R) :- rank(R), held(R,N), not left(R,N), not moved.
"""


@pytest.fixture(autouse=True, scope="module")
def _one_episode() -> Iterator[None]:
    """Sample states from the first episode of a match."""
    with pytest.MonkeyPatch.context() as patch:
        for name, short in (("MAX_DEPTH", 50), ("_DECISIONS_PER_MATCH", 40)):
            patch.setattr(sampled_positions, name, amount(short, getattr(sampled_positions, name)))
        yield


def run(folder: Path, *arguments: str, game: str = "guandan") -> tuple[int, str, str]:
    return run_of(game, folder, "--games", "0", *arguments)


def run_of(name: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    result = invoke("kb", "diff", name, str(folder), "--states", "120", *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.stdout, result.stderr


def difference(folder: Path, *arguments: str, game: str = "guandan") -> dict[str, Any]:
    code, out, _ = run(folder, "--json", *arguments, game=game)
    assert code == 0
    diff: dict[str, Any] = json.loads(out)
    return diff


@pytest.fixture(scope="module")
def never_pass_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return rules with one more preference."""
    return edited(tmp_path_factory.mktemp("rules") / "keen", more=NEVER_PASS)


@pytest.fixture(scope="module")
def never_pass_president(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return rules of a small game with one more preference."""
    return edited(tmp_path_factory.mktemp("rules") / "keen", more=NEVER_PASS, name="president")


def test_equal_rules_report_no_difference(tmp_path: Path) -> None:
    code, out, _ = run(edited(tmp_path / "same", name="hearts"), game="hearts")
    assert code == 0
    assert "no difference" in out
    assert "120 states compared, 12 of them card exchanges or bids" in out


def test_removed_preference_is_reported_with_its_effects() -> None:
    games = str(amount(4, 40))
    answer = run_command("kb", "diff", "president", "--without", "pass", "--states", "200", "--games", games, "--json")
    assert answer.exit_code == 0
    diff = json.loads(answer.stdout)
    assert diff["without"] == ["pass"]
    assert diff["weights"] == [{"name": "pass", "before": [10], "after": []}]
    assert diff["causes"]["preferences"] == diff["changed"] > 0
    before, after = diff["balance"]
    assert after["pass_share"] > before["pass_share"]


def test_added_preference_that_changes_decisions_is_reported(never_pass_president: Path) -> None:
    diff = difference(never_pass_president, game="president")
    assert list(diff) == [
        "game", "directory", "without", "profiles", "seed", "states", "choices", "left_out", "stuck", "labels",
        "weights", "changed", "causes", "preferences", "examples", "results", "smallest", "balance", "stopped",
    ]  # fmt: skip
    assert diff["labels"] == {"added": [], "removed": [], "gained": [], "lost": [], "other_cards": []}
    assert diff["smallest"] is diff["stopped"] is None
    assert diff["weights"] == [{"name": "never_pass", "before": [], "after": [1000]}]
    assert diff["preferences"] == [
        {"name": "never_pass", "group": "passing", "share": 1000 * diff["changed"], "decisions": diff["changed"]}
    ]
    assert diff["causes"]["preferences"] == diff["changed"] > 0
    for example in diff["examples"]:
        assert example["before"] == "pass"
        assert example["after"] != example["before"]
        assert example["preferences"] == [{"name": "never_pass", "share": 1000}]
    code, out, _ = run(never_pass_president, game="president")
    assert code == 0
    assert "weight of never_pass: none → 1000" in out
    assert "before: PASS" in out
    assert "+1000 never_pass" in out


@long
def test_added_preference_that_changes_choices_is_reported(tmp_path: Path) -> None:
    """Report that the highest card is returned instead of a low one, and no other difference."""
    diff = difference(folder := edited(tmp_path / "generous", more=GENEROUS))
    assert (diff["states"], diff["choices"]) == (120, 12)
    assert [weight["name"] for weight in diff["weights"]] == ["generous"]
    assert 0 < diff["changed"] <= 12
    assert diff["preferences"][0]["name"] == "generous"
    for example in diff["examples"]:
        assert example["state"]["stage"] == example["before"][0] == example["after"][0] == "back"
        assert example["before"][2] != example["after"][2]
    out = run(folder)[1]
    assert "before: back" in out
    assert "labels: equal in every state" in out


def test_lost_option_is_reported(tmp_path: Path) -> None:
    """A bid that is not offered any more, in states of play and in those of records."""
    folder, file = tmp_path / "cautious", tmp_path / "games.jsonl"
    bidding = ("--profile", "botzone_bidding")
    assert invoke("kb", "copy", "doudizhu", str(folder), "bidding").exit_code == 0
    rules = (folder / "bidding.lp").read_text(encoding="utf-8")
    fewer = rules.replace("option(bid(N)) :- stage(bid),", "option(bid(N)) :- N != 1, stage(bid),")
    assert fewer != rules
    (folder / "bidding.lp").write_text(fewer, encoding="utf-8")
    played = invoke("match", "doudizhu", "random", "kb", "--games", "6", *bidding, "--record", str(file))
    assert played.exit_code == 0, played.stderr
    acts = [act for line in file.read_text("utf-8").splitlines() for act in json.loads(line)["acts"]]
    num_bids = sum(str(act[1]).startswith("bid") for act in acts)
    for source in (), ("--records", str(file), "--states", "10000"):
        arguments = ("--games", "0", *bidding, *source)
        diff = json.loads(run_of("doudizhu", folder, *arguments, "--json")[1])
        assert diff["choices"] > 0
        assert [lost["label"] for lost in diff["labels"]["lost"]] == ["bid(1)"]
        assert diff["labels"]["gained"] == []
        assert diff["smallest"]["stage"] == "bid"
    assert (diff["states"], diff["choices"]) == (len(acts), num_bids)
    shown = run_of("doudizhu", folder, "--games", "0", *bidding)[1]
    assert "option lost: bid(1)" in shown
    assert "no difference" not in shown


@long
def test_example_states_are_complete(never_pass_rules: Path) -> None:
    (example, *_) = difference(never_pass_rules, "--records", str(SAMPLE))["examples"]
    gone = sum(map(len, example["state"].get("gone", [])))
    assert sum(example["state"]["cards"]) + len(example["state"]["hand"]) + gone == 108


@long
def test_lost_labels_are_reported(tmp_path: Path) -> None:
    rules = {"labels.lp": ("wilds(F,2) :- kind(F,straight).", "wilds(F,0) :- kind(F,straight).")}
    folder = edited(tmp_path / "tame", rules)
    diff = difference(folder, "--states", "300")
    assert diff["labels"]["gained"] == []
    assert {lost["label"].partition("(")[0] for lost in diff["labels"]["lost"]} == {"straight"}
    assert diff["weights"] == []
    assert "label lost: straight(" in run(folder, "--states", "300")[1]


@long
def test_decisions_changed_by_a_constraint_are_counted(tmp_path: Path) -> None:
    diff = difference(edited(tmp_path / "strict", more=":- play(pass), not leading.\n"))
    assert diff["causes"]["constraint"] == diff["changed"] > 0
    assert diff["preferences"] == []


@long
def test_diff_is_deterministic_for_a_seed(never_pass_rules: Path) -> None:
    first, again, other = (difference(never_pass_rules, "--seed", seed, "--states", "60") for seed in "445")
    assert first == again != other


@pytest.mark.parametrize("what", ["nowhere", "empty"])
def test_missing_or_empty_folder_is_an_error(tmp_path: Path, what: str) -> None:
    if what == "empty":
        (tmp_path / what).mkdir()
    code, _, err = run(tmp_path / what)
    assert code == 1
    assert "error" in err


# --- changes of the rules ---------------------------------------------------------------------------------------------


def variant(folder: Path, more: str, parent: str = "president") -> Path:
    """Return a game with additional rules."""
    folder.mkdir()
    (folder / "variant.lp").write_text(f"parent({parent}).\n{more}", "utf-8")
    return folder


def test_diff_has_smallest_hand_and_balance(tmp_path: Path) -> None:
    """Show the smallest hand for a rule against leading a pair of threes before a seat with one card."""
    rules = "#external cards(W,N) : who(W), N = 1..16.\nbarred(set(3,2)) :- cards(next,1), not cards(next,2).\n"
    folder, games = variant(tmp_path / "house", rules), str(amount(8, 40))
    code, out, _ = run_of("president", folder, "--states", "1000", "--games", games, "--json")
    assert code == 0
    diff = json.loads(out)
    assert [label["label"] for label in diff["labels"]["lost"]] == ["set(3,2)"]
    least = diff["smallest"]
    assert sorted(card[1] for card in least["hand"]) == ["3", "3"]
    assert least["cards"][0] == 1
    before, after = diff["balance"]
    assert before["episodes"] >= int(games)
    assert len(before["wins_by_seat"]) == 4
    assert before["roles"] == after["roles"] == ["player"]  # so the text has no row for it
    assert 0 < after["first_wins"] < 1
    assert after["bombs_an_episode"] == 0
    assert sum(after["wins_by_seat"]) == pytest.approx(1, abs=0.01)
    assert all(low < share < high for share, (low, high) in zip(after["wins_by_seat"], after["wins_95"], strict=True))
    assert 0 < after["forced_share"] < 1
    text = run_of("president", folder, "--states", "1000", "--games", games)[1]
    assert text.startswith("smallest hand that shows it: {")
    assert "first to play" in text
    assert "player" not in text
    assert "only one move" in text


def test_other_cards_for_equal_labels_are_reported(tmp_path: Path) -> None:
    """Report other card sets where the labels are the same."""
    rules = (
        "only(set(3,1),1,card(3,s)).\nlacking_spade :- not held(3,s,1).\n#external held(R,S,N) : R = 3, S = s, N = 1.\n"
        "barred(set(3,1)) :- lacking_spade.\n"
    )
    states = "--states", str(amount(300, 800))
    code, out, _ = run_of("president", variant(tmp_path / "spade", rules), *states, "--games", "0", "--json")
    assert code == 0
    diff = json.loads(out)
    assert [label["label"] for label in diff["labels"]["other_cards"]] == ["set(3,1)"]
    assert diff["labels"]["other_cards"][0]["no_more"]
    assert len(diff["smallest"]["hand"]) == 1


def test_rules_without_a_legal_move_are_reported(tmp_path: Path) -> None:
    rules = "only(set(3,1),1,card(3,s)).\n"
    extent = "--states", str(amount(300, 600)), "--games", str(amount(6, 30))
    code, out, err = run_of("president", variant(tmp_path / "stuck", rules), *extent)
    assert (code, err.strip()) == (0, "")
    assert "other cards for set(3,1)" in out
    assert "balance: play stops by the edited rules: seat" in out


def test_options_are_matched_by_name(tmp_path: Path) -> None:
    """Match options by name when a rare new option shifts their numbers."""
    rules = "option(none) :- stage(give), held(R,c,1) : R = 2..14.\nlisted(none,0).\n"
    code, out, _ = run_of("hearts", variant(tmp_path / "house", rules, "hearts"), "--games", "0", "--json")
    assert code == 0
    diff = json.loads(out)
    assert diff["choices"]
    assert (diff["left_out"], diff["changed"]) == (0, 0)


def test_two_profiles_are_compared(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "profiles").mkdir()
    (folder / "profiles" / "few.lp").write_text("barred(pair(3)) :- label(pair(3)).\n", "utf-8")
    (folder / "mine.lp").write_text("default_profile(all).\n", "utf-8")
    (folder / "profiles" / "all.lp").write_text("% All pairs.\n", "utf-8")
    options = "--profile", "all", "--against", "few", "--states", "200", "--games", "4", "--json"
    answer = run_command("kb", "diff", str(folder), *options)
    diff = json.loads(answer.stdout)
    assert diff["profiles"] == ["all", "few"]
    assert [label["label"] for label in diff["labels"]["lost"]] == ["pair(3)"]
    assert {card[1] for card in diff["smallest"]["hand"]} == {"3"}
    assert run_command("kb", "diff", str(folder)).exit_code == 2


def test_records_use_their_profile_and_skipped_ones_are_counted(tmp_path: Path) -> None:
    file, mixed, wrong = (tmp_path / name for name in ("lowest.jsonl", "mixed.jsonl", "wrong.jsonl"))
    play = ("--games", str(amount(1, 2)), "--seed", "3", "--profile", "lowest_seat", "--record", str(file))
    assert run_command("match", "paodekuai", "greedy", "greedy", *play).exit_code == 0
    lines = file.read_text("utf-8").splitlines()
    mixed.write_text("\n".join([*lines, '{"game":"hearts","acts":[]}']) + "\n", "utf-8")
    wrong.write_text('{"game":"hearts","acts":[]}\n', "utf-8")

    def compare(records: Path) -> Any:
        words = ("--without", "leading", "--records", str(records), "--games", "0", "--states", "50", "--json")
        return run_command("kb", "diff", "paodekuai", *words)

    compared = compare(file)
    assert (compared.exit_code, compared.stderr) == (0, "")
    assert json.loads(compared.stdout)["profiles"] == ["lowest_seat", "lowest_seat"]
    partly = compare(mixed)
    assert partly.exit_code == 0
    assert f"mixed.jsonl:{len(lines) + 1}: " in partly.stderr
    assert f"1 of {len(lines) + 1} records" in partly.stderr
    assert json.loads(partly.stdout) == json.loads(compared.stdout)
    refused = compare(wrong)
    assert refused.exit_code == 1
    assert "wrong.jsonl:1: " in refused.stderr


def test_different_points_are_reported_for_equal_moves(tmp_path: Path) -> None:
    edits = {"game.lp": ("place_points(2,1). place_points(3,-1).", "place_points(2,2). place_points(3,-2).")}
    folder = edited(tmp_path / "other", edits, name="president")
    shown = run(folder, game="president")[1]
    assert "results: " in shown
    assert "no other difference" in shown
    results = difference(folder, game="president")["results"]
    assert results["different"] == results["episodes"] > 0
    assert "points" in results["example"]
    equal = edited(tmp_path / "equal", {"game.lp": ("place_points(2,1).", "place_points(2,2-1).")}, name="president")
    assert difference(equal, game="president")["results"] == {**results, "different": 0, "example": ""}
    assert "no difference" in run(equal, game="president")[1]
