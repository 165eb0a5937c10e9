"""Errors about names that nothing declares: their places in the folder, and their remedies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError, Severity
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode
from abl_cards.games.game import load
from tests.edited import edited


def problems_of(folder: Path) -> list[Diagnostic]:
    with pytest.raises(KBError) as caught:
        load(str(folder)).knowledge_base()
    return list(caught.value.diagnostics)


def place_of(problem: Diagnostic) -> tuple[str, int]:
    assert problem.location is not None
    return Path(problem.location.file).name, problem.location.line


def line_of(folder: Path, text: str) -> tuple[str, int]:
    """Return the first file and line of a folder that begin with a text."""
    for file in sorted(folder.glob("*.lp")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if line.startswith(text):
                return file.name, number
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("name", "removed", "unknown", "files"),
    [
        ("president", "pack52", "pack/2", ["pack52", "ace_high"]),  # which the engine reads as well
        ("whist", "seats", "who/1", ["seats"]),
        ("hearts", "tricks", "laid_by/3", ["tricks"]),
    ],
)
def test_unknown_predicate_error_names_shared_files_that_derive_it(
    tmp_path: Path, name: str, removed: str, unknown: str, files: list[str]
) -> None:
    folder = edited(tmp_path / "game", {"game.lp": (f"#include <{removed}>.", "")}, name=name)
    found = next(item for item in problems_of(folder) if f"'{unknown}'" in item.message)
    assert found.code == ErrorCode.UNKNOWN_PREDICATE
    assert all(f"#include <{file}>." in found.remedy for file in files)


@pytest.mark.parametrize(
    ("file", "removed", "unknown", "shared"),
    [
        ("labels.lp", "strength(set(R,N),R)  :- form(_,set(R,N)).", "strength/2", "climbing"),  # which includes order
        ("game.lp", "place_points(1,2). place_points(2,1). place_points(3,-1). place_points(4,-2).", "place_points/2",
         "places"),
        ("game.lp", "#include <seats>.", "who/1", "notions"),
    ],
)  # fmt: skip
def test_error_in_a_shared_file_is_located_at_its_include(
    tmp_path: Path, file: str, removed: str, unknown: str, shared: str
) -> None:
    folder = edited(tmp_path / "game", {file: (removed, "")}, name="president")
    found = [item for item in problems_of(folder) if f"'{unknown}'; it shows at" in item.message]
    assert found
    assert {place_of(item) for item in found} == {line_of(folder, f"#include <{shared}>.")}


@pytest.mark.parametrize(
    ("declaration", "arity", "kinds"), [("count(score,2).", 2, ["one", "count", "any"]), ("any(broken,0).", 0, ["any"])]
)
def test_unknown_input_error_suggests_a_fluent_declaration(
    tmp_path: Path, declaration: str, arity: int, kinds: list[str]
) -> None:
    folder = edited(tmp_path / "game", {"game.lp": (declaration, "")}, name="hearts")
    (found,) = problems_of(folder)
    name = declaration.partition("(")[2].partition(",")[0]
    assert (found.code, place_of(found)) == (ErrorCode.UNKNOWN_INPUT, line_of(folder, f"#external {name}"))
    assert [kind for kind in ("one", "count", "any") if f"{kind}({name},{arity})" in found.remedy] == kinds


def test_consequential_errors_of_unknown_names_are_omitted(tmp_path: Path) -> None:
    """Without `seat/1` no declaration has an instance, and most rules never fire."""
    problems = problems_of(edited(tmp_path / "game", {"game.lp": ("seat(0..3).", "")}, name="whist"))
    assert {item.severity for item in problems} == {Severity.ERROR}
    assert {item.code for item in problems} == {ErrorCode.UNKNOWN_PREDICATE}


@pytest.mark.parametrize(
    ("file", "rule", "misspelt", "code"),
    [
        ("game.lp", "over :- #count", "ovr :- #count", ErrorCode.MISSING_OUTPUT),
        ("game.lp", "leads(S) :-", "lead(S) :-", ErrorCode.MISSING_OUTPUT),
        ("labels.lp", "needs(set(R,N),1,R,N)", "need(set(R,N),1,R,N)", ErrorCode.MISSING_FACT),
    ],
)
def test_misspelt_engine_predicate_is_an_error_at_its_line(
    tmp_path: Path, file: str, rule: str, misspelt: str, code: ErrorCode
) -> None:
    folder = edited(tmp_path / "game", {file: (rule, misspelt)}, name="president")
    with pytest.raises(KBError) as caught:
        load(folder).engine()
    (found,) = caught.value.diagnostics
    assert (found.code, place_of(found)) == (code, line_of(folder, misspelt))
    assert all(name in found.remedy for name in (name_of(rule), name_of(misspelt)))


def test_unused_predicate_warning_suggests_the_engine_predicate(tmp_path: Path) -> None:
    folder = edited(tmp_path / "game", {"game.lp": ("match_over.", "mach_over.")}, name="president")
    (found,) = load(folder).knowledge_base().warnings
    assert (found.code, place_of(found)) == (ErrorCode.UNUSED_DEFINITION, line_of(folder, "mach_over"))
    assert "match_over" in found.remedy


def test_similar_rule_name_is_suggested_before_shared_files(tmp_path: Path) -> None:
    """Shared files derive `strength/2` too, but the game has a rule for a similar name that nothing uses."""
    folder = edited(tmp_path / "game", {"labels.lp": ("strength(set", "strenght(set")}, name="president")
    found = [item for item in problems_of(folder) if item.code == ErrorCode.UNKNOWN_PREDICATE]
    assert found
    assert all("strenght/2" in item.remedy for item in found)
    assert not any("#include" in item.remedy for item in found)


def test_shared_file_supplying_most_missing_names_is_suggested_first(tmp_path: Path) -> None:
    folder = edited(tmp_path / "game", {"game.lp": ("#include <climbing>.", "")}, name="president")
    found = [item for item in problems_of(folder) if item.code == ErrorCode.MISSING_INPUT]
    assert {name for item in found for name in ("out/1", "leading/0") if name in item.message} == {"out/1", "leading/0"}
    assert all("write #include <climbing>." in item.remedy for item in found)


def name_of(rule: str) -> str:
    return rule.partition("(")[0].partition(" ")[0]


def test_undeclared_input_error_has_the_declaration_to_write(tmp_path: Path) -> None:
    """The ranges come from the rules, and a shared file is suggested only for several names that it declares."""
    folder = edited(tmp_path / "game", more="next(face(L)) :- lays(L).\n", name="president")
    (found,) = problems_of(folder)
    assert (found.code, place_of(found)) == (ErrorCode.MISSING_INPUT, ("more.lp", 1))
    assert "#external lays(F) : form(_,F)." in found.remedy
    assert "#include" not in found.remedy


@pytest.mark.parametrize(
    ("rules", "remedies"),
    [
        ("next(face(L)) :- lays(L).", ["#external face(…)", "one(face,1)"]),
        ("#external face(R) : rank(R). one(face,1). next(face(L)) :- lays(L).", ["bind", "#external face(…)"]),
        ("#external had(S,N) : seat(S), N = 1..3. count(had,2). next(had(S)) :- lays(L), acted(S).", ["had(…,N)"]),
        ("#external had(S,N) : seat(S), N = 1..3. count(had,2). adds(had(S,N),1,x) :- lays(L), acted(S), N = 1.",
         ["adds(had(…),N,Why)"]),
    ],
)  # fmt: skip
def test_undeclared_fluent_value_names_the_declaration_not_one_value(
    tmp_path: Path, rules: str, remedies: list[str]
) -> None:
    folder = edited(tmp_path / "game", more=f"#external lays(F) : form(_,F).\n{rules}\n", name="president")
    found = problems_of(folder)
    assert all(place_of(item) == ("more.lp", 2) for item in found)
    assert all(part in found[0].remedy for part in remedies)
    assert "set(" not in found[0].remedy  # no single value


def test_unused_fluent_warning_keeps_the_declaration_while_a_rule_sets_it(tmp_path: Path) -> None:
    rules = "#external face(F) : form(_,F). one(face,1).\n#external lays(F) : form(_,F). next(face(F)) :- lays(F).\n"
    folder = edited(tmp_path / "game", more=rules, name="president")
    (found,) = load(folder).knowledge_base().warnings
    assert (found.code, place_of(found)) == (ErrorCode.UNUSED_DEFINITION, ("more.lp", 1))
    assert "rules that set it" in found.remedy
    (folder / "show.lp").write_text("show_value(face).\n", "utf-8")
    assert not load(folder).knowledge_base().warnings  # people see it


def new_game(path: Path, old: str, new: str, file: str = "labels.lp") -> Path:
    """Write the folder of `kb new` with a changed text."""
    shutil.copytree(NEW_GAME, path)
    text = (path / file).read_text("utf-8")
    assert text.count(old) == 1
    (path / file).write_text(text.replace(old, new), "utf-8")
    return path


def test_unknown_names_cause_no_errors_about_numbers(tmp_path: Path) -> None:
    """A variable that nothing binds any more has no bounds: `seat(P-1)` could be any number then."""
    found = problems_of(new_game(tmp_path / "game", "seat(0..2).", "chair(0..2).", "game.lp"))
    assert {item.code for item in found if item.severity == Severity.ERROR} == {ErrorCode.UNKNOWN_PREDICATE}


def test_shared_files_of_certain_games_are_not_suggested(tmp_path: Path) -> None:
    """`three_run.lp` has seats, and everything else of a game for three."""
    found = problems_of(new_game(tmp_path / "game", "seat(0..2).", "chair(0..2).", "game.lp"))
    missing = [item for item in found if "'seat/1'" in item.message]
    assert missing
    assert all("#include" not in item.remedy for item in missing)


@pytest.mark.parametrize(
    ("old", "new", "suggested"),
    [
        ("label(pair(R))   :-", "lable(pair(R)) :-", "label/1"),
        ("kind(pair(R),pair) ", "knd(pair(R),pair) ", "kind/2"),
        ("strength(pair(R),R) ", "strenght(pair(R),R) ", "strength/2"),
        ("needs(pair(R),1,R,2) ", "need(pair(R),1,R,2) ", "needs/4"),
    ],
)
def test_misspelt_rule_is_named_beside_the_errors_that_it_causes(
    tmp_path: Path, old: str, new: str, suggested: str
) -> None:
    """Other rules derive the predicate, so the errors speak of what is missing, at other lines."""
    folder = new_game(tmp_path / "game", old, new)
    found = problems_of(folder)
    assert found[0].severity == Severity.ERROR
    warnings = [item for item in found if item.severity == Severity.WARNING]
    assert [place_of(item) for item in warnings] == [line_of(folder, new.partition("(")[0] + "(")]
    assert f"'{suggested}'" in warnings[0].remedy


def test_misspelt_rule_without_errors_names_the_predicate(tmp_path: Path) -> None:
    folder = new_game(tmp_path / "game", "match_over. ", "point(0,1,extra). match_over. ", "game.lp")
    (warning,) = load(str(folder)).knowledge_base().warnings
    assert "'points/3'" in warning.remedy


def test_unread_file_is_named_beside_the_errors_that_it_causes(tmp_path: Path) -> None:
    shutil.copytree(NEW_GAME, tmp_path / "game")
    (tmp_path / "game" / "labels.lp").rename(tmp_path / "game" / "labels.LP")
    warnings = [item for item in problems_of(tmp_path / "game") if item.severity == Severity.WARNING]
    assert [place_of(item) for item in warnings if "labels.lp" in item.remedy] == [("labels.LP", 1)]
