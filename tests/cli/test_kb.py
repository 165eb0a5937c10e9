"""``abl-cards kb``: check, verify, copy."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp.terms import Atom
from abl_cards.circuit.oracle import Mismatch
from abl_cards.cli import kb_check
from abl_cards.cli.console import load_knowledge
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import ErrorCode
from abl_cards.core.cpu_budget import CpuBudget, get_budget
from abl_cards.games.description.variants import COMMON_DIR
from abl_cards.games.game import load
from abl_cards.rulelab.verification import clingo_pool, preference_verification, verification
from tests.cli_runs import ROOT, run
from tests.edited import edited
from tests.effort import amount, long

PROFILES = ["danzero", "manual", "openguandan", "paper", "platform", "standard"]
CORPUS = sorted((ROOT / "tests" / "circuit" / "corpus").glob("*.lp"))[:: amount(6, 1)]
assert CORPUS


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of a game with two profiles that tests may edit."""
    folder = tmp_path / "rules"
    assert run("kb", "copy", "paodekuai", str(folder), "--standalone").exit_code == 0
    return folder


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return the folder of Guandan."""
    folder = tmp_path / "guandan"
    assert run("kb", "copy", "guandan", str(folder), "--standalone").exit_code == 0
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return the folder of a game that is ground quickly."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "small"))


@pytest.fixture
def folder_with_profiles(small: Path) -> Path:
    """Return such a folder with two profiles."""
    append(small, "default_profile(standard).")
    (small / "profiles").mkdir()
    for name in ("standard", "other"):
        (small / "profiles" / f"{name}.lp").write_text("% Nothing.\n", "utf-8")
    return small


def append(folder: Path, text: str) -> None:
    with (folder / "rules.lp").open("a") as file:
        file.write(f"\n{text}\n")


def test_check_prints_the_size_of_every_profile() -> None:
    answer = run("kb", "check", "guandan")
    assert answer.exit_code == 0
    lines = answer.stdout.splitlines()[2:-1]
    assert [line.split()[0] for line in lines[: len(PROFILES)]] == PROFILES
    assert lines[len(PROFILES)].startswith("grounding of ")
    assert all(".lp:" in line for line in lines[len(PROFILES) + 1 :])  # the costliest rules
    assert answer.stdout.splitlines()[-1] == "no errors"
    assert answer.stderr == ""


def test_check_json_has_expected_keys() -> None:
    answer = run("kb", "check", "paodekuai", "--json", "--profile", "standard")
    report = json.loads(answer.stdout)
    assert list(report) == ["game", "directory", "profiles", "lessons", "grounding", "hints"]
    assert report["grounding"]["rules"] < report["grounding"]["limits"]["rules"]
    assert report["grounding"]["costliest"]
    (profile,) = report["profiles"]
    assert list(profile) == ["profile", "files", "rules", "inputs", "outputs", "gates", "warnings", "errors"]
    assert profile["profile"] == "standard"
    assert profile["gates"] > 500
    assert profile["errors"] == []


def test_check_reads_the_given_folder(folder_with_profiles: Path) -> None:
    answer = run("kb", "check", str(folder_with_profiles), "--profile", "standard", "--no-cache")
    assert answer.exit_code == 0
    assert str(folder_with_profiles) in answer.stdout
    assert run("kb", "check", "paodekuai", "--kb", str(folder_with_profiles), "--profile", "other").exit_code == 0


def test_errors_are_one_per_line_with_locations(folder_with_profiles: Path) -> None:
    append(folder_with_profiles, "legal(X) :- hold(X,1).\nmove(X) :- not wld(1), X = Y.")
    answer = run("kb", "check", str(folder_with_profiles))
    assert answer.exit_code == 1
    lines = answer.stderr.splitlines()
    assert lines[-1] == "0 of 2 profiles are sound"
    assert re.match(rf"{re.escape(str(folder_with_profiles))}/rules\.lp:\d+:\d+-\d+: error: ", lines[0])
    assert len(lines) == len(set(lines))  # once, not once a profile
    report = json.loads(run("kb", "check", str(folder_with_profiles), "--json", "--profile", "standard").stdout)
    (error, *_) = report["profiles"][0]["errors"]
    assert list(error) == ["code", "location", "message", "remedy"]
    assert error["code"] == ErrorCode.UNKNOWN_PREDICATE
    assert error["location"]["file"] == f"{folder_with_profiles}/rules.lp"


def test_first_errors_are_printed_and_the_rest_counted(folder_with_profiles: Path) -> None:
    append(
        folder_with_profiles, "\n".join(f"#show spare/1. spare({number}) :- no_such_{number}." for number in range(400))
    )
    answer = run("kb", "check", str(folder_with_profiles), "--profile", "standard")
    lines = answer.stderr.splitlines()
    assert len(lines) == 52
    assert [f"'no_such_{number}/0'" in line for number, line in enumerate(lines[:50])] == [True] * 50
    assert lines[-2:] == ["… and 350 more errors (kb check --json lists all)", "0 of 1 profiles are sound"]
    report = json.loads(run("kb", "check", str(folder_with_profiles), "--json", "--profile", "standard").stdout)
    assert len(report["profiles"][0]["errors"]) == 400


def test_check_includes_auxiliary_rules(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run("kb", "copy", "doudizhu", str(folder), "science/deals").exit_code == 0
    with (folder / "science" / "deals.lp").open("a") as file:
        file.write("flawed(P) :- dealt(P,R,1), heldd(R).\n")
    answer = run("kb", "check", str(folder), "--profile", "rlcard")
    assert answer.exit_code == 1
    assert re.search(r"science/deals\.lp:\d+:\d+-\d+: .*heldd", answer.stderr)


def test_unknown_auxiliary_rule_files_are_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run("kb", "copy", "president", str(folder)).exit_code == 0
    (folder / "science").mkdir()
    (folder / "science" / "wishes.lp").write_text("wish(1).", "utf-8")
    answer = run("kb", "check", str(folder))
    assert answer.exit_code == 1
    assert "science/wishes.lp: " in answer.stderr.replace("\n", "")


def test_invalid_profile_does_not_affect_others(folder_with_profiles: Path) -> None:
    (folder_with_profiles / "profiles" / "house.lp").write_text("partner_lead(all_passed.")
    answer = run("kb", "check", str(folder_with_profiles))
    assert answer.exit_code == 1
    assert "profiles/house.lp:1:" in answer.stderr
    assert answer.stderr.splitlines()[-1] == "2 of 3 profiles are sound"


def test_plays_left_upper_bound_is_a_warning(large: Path) -> None:
    """Report four wild cards, where the hand has too many splits for an exact count."""
    append(large, "wild_suit(s).")
    for _ in range(2):  # the second time the verdict is known
        answer = run("kb", "check", str(large), "--profile", "standard")
        assert answer.exit_code == 0
        assert re.search(r"preferences\.lp:\d+:\d+-\d+: warning: plays_left/1 .* upper bound .* 65536", answer.stderr)


def test_rules_that_crash_the_engine_are_rejected(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Print one line, and no traceback, when edited rules crash the engine."""

    def stumble(*arguments: Any) -> None:
        raise IndexError("beyond the end")

    monkeypatch.setattr("abl_cards.games.validation.compile_game", stumble)
    append(copy, "strange :- leading, odd. #defined odd/0.")
    for command in (
        ["kb", "check", str(copy), "--profile", "standard"],
        ["kb", "check", "paodekuai", "--kb", str(copy), "--profile", "standard"],
        ["legal", "paodekuai", "--kb", str(copy)],
    ):
        answer = run(*command)
        assert answer.exit_code == 1
        assert f"{copy}: sound logic, but it cannot be played by" in answer.stderr
        assert "IndexError" not in answer.stderr


def test_corpus_rule_files_give_no_traceback(small: Path) -> None:
    for file in CORPUS:
        shutil.copy(file, small / "corpus.lp")
        answer = run("kb", "check", str(small))
        assert answer.exit_code in (0, 1), file.stem
        assert (answer.exit_code == 1) == ("error: " in answer.stderr), file.stem


@pytest.mark.parametrize("damage", [b"\xff\xfe\x00", b"\x00" * 40, b"%*" * 9, b"a" * 70_000], ids=range(4))
def test_binary_rule_files_are_rejected(small: Path, damage: bytes) -> None:
    (small / "noise.lp").write_bytes(damage)
    answer = run("kb", "check", str(small))
    assert answer.exit_code == 1
    assert "noise.lp" in answer.stderr


def test_special_files_are_rejected_without_opening(copy: Path) -> None:
    os.mkfifo(copy / "pipe.lp")
    (copy / "zz.lp").symlink_to("/dev/zero")
    (copy / "self.lp").symlink_to("self.lp")
    (copy / "profiles" / "folder.lp").mkdir()
    answer = run("kb", "check", str(copy), "--profile", "folder")
    assert answer.exit_code == 1
    for words in ("pipe.lp: not a file", "folder.lp: not a file", "zz.lp: a link that leads out", "Too many levels"):
        assert words in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["guandan", "--profile", "../vocabulary"], 1, "unknown profile '../vocabulary'"),
        (["guandan", "--profile", "bogus"], 1, "standard"),
        (["guandan", "--kb", "nowhere"], 1, "nowhere"),
        (["mahjong"], 2, "unknown game 'mahjong'"),
        (["hearst"], 2, "did you mean 'hearts'?"),
        (["./hearts"], 2, "./hearts is no folder"),
        (["."], 2, "name a folder of rule files"),
        (["tests/circuit/corpus", "--profile", "standard"], 1, "profile"),
        (["kb/common"], 1, "0 of 1 profiles are sound"),
    ],
)
def test_check_rejects_unknown_games_profiles_and_folders(
    arguments: list[str], code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    answer = run("kb", "check", *arguments)
    assert answer.exit_code == code
    assert words in answer.stderr


def test_copy_does_not_overwrite(copy: Path) -> None:
    before = (copy / "rules.lp").read_text()
    answer = run("kb", "copy", "paodekuai", str(copy), "--standalone")
    assert answer.exit_code == 1
    assert "exists already" in answer.stderr
    assert (copy / "rules.lp").read_text() == before


def test_copy_writes_rule_files_and_prints_the_next_step(tmp_path: Path) -> None:
    """Copy all files with --standalone; otherwise copy the named files and print the parent."""
    answer = run("kb", "copy", "guandan", str(tmp_path / "mine"), "--standalone")
    home = load("guandan").directory
    rules = {path.relative_to(home) for path in home.rglob("*.lp")}
    common = {Path("common") / path.relative_to(COMMON_DIR) for path in COMMON_DIR.rglob("*.lp")}
    assert _rule_files(tmp_path / "mine") == rules | common
    assert f"abl-cards kb check {tmp_path / 'mine'}" in answer.stdout
    assert run("kb", "copy", "guandan", str(tmp_path / "small"), "rules.lp", "profiles/paper").exit_code == 0
    assert _rule_files(tmp_path / "small") == {Path("variant.lp"), Path("rules.lp"), Path("profiles/paper.lp")}


def _rule_files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*.lp")}


@pytest.mark.parametrize(
    ("game", "atoms", "kind"), [("guandan", "level/1", "straight_flush"), ("paodekuai", "holding/1", "carry")]
)
def test_verify_prints_count_and_coverage(game: str, atoms: str, kind: str) -> None:
    states = amount(20, 60)
    answer = run("kb", "verify", game, "--states", str(states), "--seed", "3")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines()[-1] == f"{states} states, 0 mismatches"
    assert atoms in answer.stdout
    assert kind in answer.stdout


def test_verify_splits_states_between_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spread many states over child processes, which load the same profile."""
    monkeypatch.setattr(clingo_pool, "MIN_STATES_PER_PROCESS", 40)
    monkeypatch.setattr(clingo_pool, "CHUNK_SIZE", 30)
    answer = run("kb", "verify", "paodekuai", "--states", "100", "--profile", "lowest_seat", "--json")
    report = json.loads(answer.stdout)
    assert list(report) == ["states", "seed", "outputs", "mismatches"]
    assert (report["states"], report["mismatches"]) == (100, [])


@long
def test_a_mismatch_is_printed_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def differ(*arguments: Any) -> list[Mismatch]:
        return [Mismatch(4, "legal(pass) is True for the circuit, False for clingo", (Atom("leading"),))]

    monkeypatch.setattr(verification, "compare_tables", differ)
    monkeypatch.setattr(clingo_pool, "CHUNK_SIZE", 25)
    answer = run("kb", "verify", "guandan", "--states", "30")
    assert answer.exit_code == 1
    lines = answer.stdout.splitlines()
    assert lines[0] == "state 4: legal(pass) is True for the circuit, False for clingo; inputs: leading"
    assert [line.partition(":")[0] for line in lines[1:3]] == ["state 5", "state 30"]  # 4 after the first of its chunk
    assert lines[-1] == "30 states, 3 mismatches"


def test_verify_reports_a_wrong_circuit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report mismatches when the circuit belongs to other rules than clingo reads."""
    folder = edited(tmp_path / "barred", more="barred(set(R,1)) :- rank(R).\n", name="president")
    other = clingo_pool.load_oracle(clingo_pool.KnowledgeSource("president", folder, None))
    monkeypatch.setattr(clingo_pool, "load_oracle", lambda source: other)
    answer = run("kb", "verify", "president", "--states", "40")
    assert answer.exit_code == 1
    assert re.search(r"^state \d+: .* for the circuit, .* for clingo", answer.stdout, re.M)


@long
def test_verify_preferences_compares_moves_and_decisions() -> None:
    answer = run("kb", "verify", "guandan", "--preferences", "--states", "200", "--seed", "2")
    assert answer.exit_code == 0
    lines = answer.stdout.splitlines()
    assert lines[-1] == "200 pairs, 3 decisions, 0 mismatches"
    fired = {line.split()[0]: int(line.split()[-1].replace(",", "")) for line in lines[1:-3]}
    assert fired.keys() == set(load("guandan").knowledge_base().preference_groups.values())
    assert sum(times > 0 for times in fired.values()) > 8


def test_verify_preferences_of_a_game_with_bidding() -> None:
    answer = run("kb", "verify", "doudizhu", "--preferences", "--states", "60", "--profile", "botzone_bidding")
    assert answer.stdout.splitlines()[-1] == "60 pairs, 1 decisions, 0 mismatches"


def test_verify_preferences_samples_states_with_moves() -> None:
    """Sample states from play: a fifth of random hands have no move in this game."""
    states = amount(40, 100)
    answer = run("kb", "verify", "paodekuai", "--preferences", "--states", str(states))
    assert answer.exit_code == 0, answer.stderr
    (num_pairs,) = re.findall(r"^(\d+) pairs, \d+ decisions, 0 mismatches$", answer.stdout, re.MULTILINE)
    assert int(num_pairs) == states


@long
def test_verify_preferences_json_of_another_folder(tmp_path: Path) -> None:
    """Count the moves that violate constraints."""
    folder = edited(tmp_path / "strict", more=":- play(pass), not leading.\n")
    report = json.loads(
        run("kb", "verify", "guandan", "--preferences", "--states", "100", "--kb", str(folder), "--json").stdout
    )
    keys = ["pairs", "decisions", "moves", "estimated", "inconsistent", "seed", "outputs", "mismatches"]
    assert list(report) == keys
    assert (report["pairs"], report["decisions"], report["mismatches"]) == (100, 2, [])
    assert report["moves"] >= 2
    assert report["inconsistent"] > 0


LAZY = """preference(lazy, passing).
says(lazy, en, "Rest.").
says(lazy, zh, "休息。").
cost(lazy, -5000) :- play(pass).
"""


def test_verify_preferences_reports_other_costs_and_choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report differences when only the rules of clingo prefer to pass."""
    source = clingo_pool.KnowledgeSource("president", edited(tmp_path / "lazy", more=LAZY, name="president"), None)
    other = clingo_pool.load_oracle(source)
    monkeypatch.setattr(clingo_pool, "load_oracle", lambda source: other)
    monkeypatch.setattr(clingo_pool, "MIN_STATES_PER_PROCESS", 1_000_000)  # child processes would not have the patch
    monkeypatch.setattr(preference_verification, "decisions_for_pairs", lambda pairs: pairs // 2)
    answer = run("kb", "verify", "president", "--preferences", "--states", "20")
    assert answer.exit_code == 1
    assert re.search(
        r"the cost is -?\d+ for the circuit, -[45]\d\d\d for clingo; inputs: .*play\(pass\)", answer.stdout
    )
    assert "the circuit chooses this move, clingo that of state" in answer.stdout


@pytest.mark.parametrize("states", ["0", "-5", "many"])
def test_verify_rejects_invalid_number_of_states(states: str) -> None:
    assert run("kb", "verify", "guandan", "--states", states).exit_code == 2


@pytest.mark.parametrize("form", [[], ["--standalone"]], ids=["variant", "whole"])
@pytest.mark.parametrize(("name", "profile"), [("paodekuai", "lowest_seat"), ("doudizhu", "rlcard")])
def test_copied_folder_is_a_separate_game(tmp_path: Path, name: str, profile: str, form: list[str]) -> None:
    folder = tmp_path / "mine"
    assert run("kb", "copy", name, str(folder), *form).exit_code == 0
    answer = run("kb", "check", str(folder), "--profile", profile, "--json")
    assert (answer.exit_code, json.loads(answer.stdout)["game"]) == (0, str(folder))


@pytest.mark.usefixtures("edits_in_process")
def test_mutations_can_be_limited_to_a_file() -> None:
    """Count both missing rules of the file as refused edits."""
    answer = run("kb", "test", "fifteen", "--only", "mutations", "--file", "variant.lp", "--json")
    assert json.loads(answer.stdout)["mutations"] | {"not_noticed": []} == {
        "edits": 2, "noticed_share": 1.0, "not_noticed": [], "refused": 2,
    }  # fmt: skip
    answer = run("kb", "test", "fifteen", "--only", "mutations", "--file", "rules.lp")
    assert answer.exit_code == 2
    message = "--file rules.lp: nothing to mutate there (there are: game.lp, variant.lp)"
    assert message in " ".join(answer.stderr.split())


@pytest.mark.parametrize(
    ("part", "option"),
    [("cases", ("--file", "game.lp")), ("coverage", ("--min-score", "0.5")), ("coverage", ("--accept",))],
)
def test_options_of_a_part_that_is_left_out_are_an_error(part: str, option: tuple[str, ...]) -> None:
    answer = run("kb", "test", "fifteen", "--only", part, *option)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert option[0] in answer.stderr


def test_each_profile_has_its_own_time_limit(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[CpuBudget] = []

    def load_and_note(*arguments: Any) -> Any:
        budgets.append(get_budget(20.0))
        return load_knowledge(*arguments)

    monkeypatch.setattr(kb_check, "load_knowledge", load_and_note)
    report = json.loads(run("kb", "check", "paodekuai", "--kb", str(copy), "--json").stdout)
    assert len(budgets) == len(report["profiles"]) > 1
    assert len(set(map(id, budgets))) == len(budgets)


def test_kb_test_says_that_a_file_of_cases_has_none(tmp_path: Path) -> None:
    """It said that there was no such file, also where it was empty."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "cases.jsonl").write_text("", "utf-8")
    result = run("kb", "test", str(folder), "--only", "cases")
    assert result.exit_code == 0
    assert "has no" not in result.stdout
    assert str(folder / "cases.jsonl") in result.stdout
