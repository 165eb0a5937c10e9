"""Tests of mutation tests: edits detected by check, cases or play, and edits without effect."""

import json
from pathlib import Path

import pytest

from abl_cards.rulelab.testing import mutants
from abl_cards.rulelab.testing.cases import CASES_FILE, RuleCase, check_case
from abl_cards.rulelab.testing.edits import COMPARISON, LITERAL, NUMBER, RULE, Edit
from abl_cards.rulelab.testing.mutants import (
    MISSED,
    NOTICED,
    REFUSED,
    SAME,
    Mutant,
    MutationRun,
    _WorkerPool,
    compute_caught_share,
    try_edits,
)
from abl_cards.rulelab.testing.worker import try_edit
from tests.effort import long
from tests.rulelab.testing.conftest import engine_of


def edit(folder: Path, file: str, old: str, new: str, kind: str) -> Edit:
    text = (folder / file).read_text("utf-8")
    assert text.count(old) == 1
    return Edit(file, text.index(old), text.index(old) + len(old), new, kind)


def test_edits_are_tested_in_a_separate_process(folder: Path) -> None:
    """Report the error of an edit that clingo refuses, and the case that detects another one."""
    edits = [
        edit(folder, "labels.lp", "strength(pair(R),R)   :- rank(R).", "", RULE),
        edit(folder, "labels.lp", "needs(pair(R),1,R,2)", "needs(pair(R),1,R,3)", NUMBER),
    ]
    tried = try_edits(MutationRun(folder, None, 20.0), edits, lambda _: None, max_jobs=1)
    assert [mutant.outcome for mutant in tried] == [REFUSED, NOTICED]
    assert tried[1].message.startswith("cases.jsonl:1: labels:")


@pytest.mark.usefixtures("edits_in_process", "low_limits")
def test_try_edits_returns_every_outcome(folder: Path) -> None:
    edits = [
        edit(folder, "labels.lp", "strength(pair(R),R)   :- rank(R).", "", RULE),
        edit(folder, "labels.lp", "needs(pair(R),1,R,2)", "needs(pair(R),1,R,3)", NUMBER),
        edit(folder, "game.lp", "place_points(3,-1)", "place_points(3,-2)", NUMBER),
        edit(folder, "rules.lp", "form(_,F), ", "", LITERAL),
        edit(folder, "rules.lp", "F != pass, ", "", LITERAL),
        edit(folder, "rules.lp", "N = 1..4", "N = 1..5", NUMBER),
        edit(folder, "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S), S = S.", COMPARISON),
        edit(folder, "game.lp", "leads(S) :- lot(leader,S).", "leads(S) :- lot(leader,S). big(1..1000001).", LITERAL),
    ]
    trial, reported = MutationRun(folder, None, 20.0), list[Mutant]()
    mutants = try_edits(trial, edits, reported.append)
    assert [mutant.outcome for mutant in mutants] == [REFUSED, NOTICED, MISSED, REFUSED, SAME, SAME, SAME, REFUSED]
    assert mutants[1].message.startswith("cases.jsonl:1: labels:")
    assert len(reported) == len(edits)
    assert compute_caught_share(mutants) == 4 / 5
    assert "ground rules" in mutants[-1].message
    (case,) = trial.found_cases
    assert "points" in mutants[2].message
    assert case["why"].startswith("notices game.lp:")
    assert not check_case(RuleCase(1, case), engine_of(folder))


@pytest.mark.parametrize(("limit", "jobs"), [(1, 1), (2, 2), (9, 3)])
def test_number_of_processes_is_limited_by_edits_and_max_jobs(
    limit: int, jobs: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    class Idle(_WorkerPool):
        def __init__(self, jobs: int) -> None:
            started.append(jobs)
            super().__init__(1)  # its process starts with the first edit that it tries

    monkeypatch.setattr(mutants, "_WorkerPool", Idle)
    monkeypatch.setattr(MutationRun, "try_edit", lambda self, worker, edit, text: Mutant(edit, text, SAME, ""))
    edits = [edit(folder, "rules.lp", "N = 1..4", f"N = 1..{most}", NUMBER) for most in (5, 6, 7)]
    tried = mutants.try_edits(MutationRun(folder, None, 20.0), edits, lambda mutant: None, max_jobs=limit)
    assert ([mutant.edit for mutant in tried], started) == (edits, [jobs])


@long
def test_failing_cases_detect_no_edits(folder: Path, tmp_path: Path) -> None:
    """Such a case would detect every edit, even one without effect."""
    wrong = {"why": "nothing may be led", "state": {"hand": ["D3"], "to_beat": None}, "moves": []}
    (folder / CASES_FILE).write_text(json.dumps(wrong) + "\n", "utf-8")
    same = edit(folder, "rules.lp", "F != pass, ", "", LITERAL)
    request: dict[str, object] = {"folder": str(folder), "profile": None, "seconds": 20.0, "found": [], "edit": same}
    assert try_edit(tmp_path / "home", request)[0] == SAME


def test_edit_of_a_profile_is_tested_with_that_profile(folder: Path, tmp_path: Path) -> None:
    """By the default rules nothing differs, and no case uses the profile."""
    game = folder / "game.lp"
    flat = game.read_text("utf-8").replace("place_points(2,-1).", "default_profile(flat).")
    game.write_text(flat, "utf-8")
    (folder / "profiles").mkdir()
    (folder / "profiles" / "flat.lp").write_text("place_points(2,-1).\n", "utf-8")
    (folder / "profiles" / "deep.lp").write_text("place_points(2,0).\n", "utf-8")
    result = try_edit(
        tmp_path / "home",
        {
            "folder": str(folder), "profile": None, "seconds": 20.0, "found": [],
            "edit": edit(folder, "profiles/deep.lp", "0", "1", NUMBER),
        },
    )  # fmt: skip
    assert result[0] == MISSED, result[1]
    assert result[2] is not None
    assert result[2]["profile"] == "deep"


@long
@pytest.mark.usefixtures("edits_in_process")
def test_proposed_cases_detect_their_edits(folder: Path) -> None:
    """Edits of costs, lists and labels lead to cases about these."""
    (folder / CASES_FILE).unlink()
    (folder / "preferences.lp").write_text(
        'preference(low, g). says(low, en, "Low."). says(low, zh, "小。").\n'
        "#external play(L) : label(L).\n"
        "cost(low, 3) :- play(single(3)).\n",
        "utf-8",
    )
    edits = [
        edit(folder, "preferences.lp", "low, 3", "low, 4", NUMBER),
        edit(folder, "labels.lp", "kind(pair(R),pair)", "kind(pair(R),single)", COMPARISON),
    ]
    trial = MutationRun(folder, None, 20.0)
    assert [mutant.outcome for mutant in try_edits(trial, edits, lambda _: None)] == [MISSED, MISSED]
    assert {"costs", "labels"} == {name for case in trial.found_cases for name in case} - {"why", "state"}
    (folder / CASES_FILE).write_text("".join(json.dumps(case) + "\n" for case in trial.found_cases), "utf-8")
    again = try_edits(MutationRun(folder, None, 20.0), edits, lambda _: None)
    assert [mutant.outcome for mutant in again] == [NOTICED, NOTICED]


def test_equivalent_card_atoms_make_no_difference(folder: Path, tmp_path: Path) -> None:
    """A whole card and its rank and suit are one input, whose atoms have numbers and terms in one place."""
    with (folder / "game.lp").open("a") as file:
        file.write(
            "\n#external holds(S,C,N)   : seat(S), pack(C,_), N = 1.\n"
            "#external holds(S,R,T,N) : seat(S), rank(R), suit(T), N = 1.\n"
            "points(S,-1,left(R,T)) :- holds(S,card(R,T),1), holds(S,R,T,1).\n"
        )
    same = edit(folder, "game.lp", ", holds(S,R,T,1).", ".", LITERAL)
    request: dict[str, object] = {"folder": str(folder), "profile": None, "seconds": 20.0, "found": [], "edit": same}
    result = try_edit(tmp_path / "home", request)
    assert result[0] == SAME, result[1]
