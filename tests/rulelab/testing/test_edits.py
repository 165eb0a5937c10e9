"""Tests of the list of single edits."""

from pathlib import Path

from abl_cards.rulelab.testing.edits import COMPARISON, LITERAL, NUMBER, RULE, copy_with_parents, list_edits

TEXT = """% a comment with 3 rules. And x < y.
#include <seats>.
says(a, en, "Not 3 cards. Not x < 4."). word(card, 3, en, "three").
p(3) :- q(X,2), not r(X), #count { Y : s(Y), t(Y) } >= 2; X < 4.
seat(0..3).
"""


def test_list_edits_returns_every_kind(tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text(TEXT, "utf-8")
    edits = [(edit.kind, TEXT[edit.start : edit.end], edit.replacement) for edit in list_edits(tmp_path)]
    of = {kind: [edit[1:] for edit in edits if edit[0] == kind] for kind in (RULE, LITERAL, COMPARISON, NUMBER)}
    assert [old.split("(")[0] for old, _ in of[RULE]] == ["#include <seats>.", "p", "seat"]
    assert [old.strip(" ,;") for old, _ in of[LITERAL]] == [
        "q(X,2)", "not r(X)", "#count { Y : s(Y), t(Y) } >= 2", "X < 4",
    ]  # fmt: skip
    assert of[COMPARISON] == [(">=", "<="), ("<", ">")]
    assert of[NUMBER] == [("3", "4"), ("2", "3"), ("2", "3"), ("4", "5"), ("0", "1"), ("3", "4")]


def test_edit_is_applied_and_described(tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text(TEXT, "utf-8")
    (edit,) = [candidate for candidate in list_edits(tmp_path) if TEXT[candidate.start : candidate.end] == "not r(X), "]
    edit.apply(tmp_path)
    assert "p(3) :- q(X,2), #count" in (tmp_path / "a.lp").read_text("utf-8")
    assert edit.describe(TEXT).startswith("a.lp:4: without 'not r(X),' in p(3)")


def test_copy_with_parents_includes_the_parent_folder(tmp_path: Path) -> None:
    for name, text in (("old", "#include <seats>.\n"), ("new", "parent(old).\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ("variant.lp" if name == "new" else "game.lp")).write_text(text, "utf-8")
    copy = copy_with_parents(tmp_path / "new", tmp_path / "copies")
    assert copy == tmp_path / "copies" / "new"
    assert sorted(path.relative_to(copy.parent).as_posix() for path in copy.parent.rglob("*.lp")) == [
        "new/variant.lp", "old/game.lp",
    ]  # fmt: skip
