"""Variants: files that they inherit, replace and leave out; facts that would be ignored are errors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import KB_ROOT, MAX_PARENTS, resolve_layers
from tests.edited import edited


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.lp").write_text(text, "utf-8")
    return path


def catch_error(path: Path) -> KBError:
    with pytest.raises(KBError) as caught:
        compile_game(Folder(path))
    return caught.value


@pytest.fixture(scope="module")
def president_variant(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    """President where a single before a seat with one card must be one's highest."""
    rule = "#include <last_card>.\nsingle(set(R,1),R) :- label(set(R,1)).\n"
    return compile_game(
        Folder(folder(tmp_path_factory.mktemp("president_variant"), variant="parent(president).", last=rule))
    )


def test_variant_has_its_own_rules_and_those_of_its_parent(president_variant: CompiledGame) -> None:
    assert len(president_variant.labels) == 53
    assert "sizes" in president_variant.play_query.groups
    named = {file.name for file in president_variant.folder.files()}
    assert named == {"variant.lp", "game.lp", "labels.lp", "preferences.lp", "words.lp", "last.lp"}


def test_errors_are_reported_without_warnings_about_common_files(tmp_path: Path) -> None:
    """Hearts reads no name of a seat, which seats.lp derives."""
    error = catch_error(folder(tmp_path / "child", variant="parent(hearts).", more="barred(C) :- leading, pack(C,_)."))
    assert error.code == ErrorCode.MISSING_INPUT
    assert [Path(problem.location.file).name for problem in error.diagnostics if problem.location] == ["more.lp"]


def test_variant_replaces_and_leaves_out_files(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", one="a.", two="b.", three="c.")
    child = folder(tmp_path / "child", variant="parent(base). replaces(two). leaves_out(three).", two="d.", four="e.")
    layers = resolve_layers(child)
    assert [file.relative_to(tmp_path).as_posix() for file in layers.files] == [
        "child/variant.lp", "child/four.lp", "base/one.lp", "child/two.lp",
    ]  # fmt: skip
    assert layers.folders == (base, child)


def test_variant_inherits_and_replaces_profiles(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", one="a.")
    folder(base / "profiles", plain="b.", rich="c.")
    child = folder(tmp_path / "child", variant="parent(base).")
    folder(child / "profiles", rich="d.", odd="e.")
    profiles = resolve_layers(child).profiles
    assert {name: file.parents[1].name for name, file in profiles.items()} == {
        "odd": "child", "plain": "base", "rich": "child",
    }  # fmt: skip


def test_parent_in_a_sibling_folder_precedes_a_shipped_game(tmp_path: Path) -> None:
    beside = folder(tmp_path / "president", one="a.")
    child = folder(tmp_path / "child", variant="parent(president).")
    assert resolve_layers(child).folders == (beside, child)
    assert (
        resolve_layers(folder(tmp_path / "else" / "child", variant="parent(president).")).folders[0]
        == KB_ROOT / "president"
    )


VARIANT, UNKNOWN = ErrorCode.INVALID_VARIANT, ErrorCode.UNKNOWN_NAME


@pytest.mark.parametrize(
    ("variant", "code", "place", "value"),
    [
        ("parent(presidnt).", VARIANT, (1, 1, 17), "'president'"),
        ('parent("../base").', VARIANT, (1, 1, 18), "parent/1"),
        ('parent("/etc").', VARIANT, (1, 1, 15), "parent/1"),
        ("parent(X) :- a(X). parent(common).", VARIANT, (1, 20, 34), "'common'"),
        ("parent(child).", VARIANT, (1, 1, 14), "'child'"),
        ("parent(base). parent(president).", ErrorCode.CONFLICTING_FACTS, (1, 15, 32), "parent/1"),
        ("parent(base). replaces(on).", VARIANT, (1, 15, 27), "'one'"),
        ("parent(base). replaces(one).", VARIANT, (1, 15, 28), "one.lp"),
        ("parent(base). leaves_out(four).", VARIANT, (1, 15, 31), "four.lp"),
    ],
)
def test_invalid_variants_are_errors(
    tmp_path: Path, variant: str, code: ErrorCode, place: tuple[int, int, int], value: str
) -> None:
    folder(tmp_path / "base", one="a.")
    child = folder(tmp_path / "child", variant=variant, other="b.")
    with pytest.raises(KBError) as caught:
        resolve_layers(child)
    assert caught.value.code == code
    assert value in str(caught.value)
    location = caught.value.diagnostics[0].location
    assert location is not None
    assert Path(location.file).name == "variant.lp"
    assert (location.line, location.column, location.end_column) == place


def test_replacing_a_parent_file_requires_replaces(tmp_path: Path) -> None:
    folder(tmp_path / "base", one="a.")
    error = catch_error(folder(tmp_path / "child", variant="parent(base).", one="b."))
    assert error.code == VARIANT
    assert "replaces(one)" in str(error)


def test_parent_cycles_and_long_chains_are_errors(tmp_path: Path) -> None:
    folder(tmp_path / "a", variant="parent(b).")
    error = catch_error(folder(tmp_path / "b", variant="parent(a)."))
    assert (error.code, "2 folders" in str(error)) == (VARIANT, True)
    for index in range(MAX_PARENTS + 3):
        folder(tmp_path / f"c{index}", variant=f"parent(c{index + 1}).", x="a.")
    error = catch_error(tmp_path / "c0")
    assert (error.code, f"{MAX_PARENTS} parents" in str(error)) == (VARIANT, True)


@pytest.mark.parametrize(
    ("rules", "code", "value"),
    [
        ("points(S,1) :- seat(S).", ErrorCode.WRONG_ARITY, "points/3"),
        ("deals(0,10).", ErrorCode.CONFLICTING_FACTS, "10 and 13"),
        ("deals(4,13).", UNKNOWN, "deals(4,13): 4"),
        ("tier(pear,1).", UNKNOWN, "tier(pear,1): pear"),
        ("one(round,1). #external round(1..3). lasts(rund,match).", UNKNOWN, "lasts(rund,match): rund"),
        ("one(round,1). #external round(1..3). lasts(round,ever).", UNKNOWN, "lasts(round,ever): ever"),
    ],
)
def test_ignored_facts_are_errors(tmp_path: Path, rules: str, code: ErrorCode, value: str) -> None:
    """Facts that the engine would read differently, or not at all."""
    error = catch_error(folder(tmp_path / "mine", variant=f"parent(president).\n{rules}\n"))
    matches = [diagnostic for diagnostic in error.diagnostics if value in diagnostic.message]
    assert [diagnostic.code for diagnostic in matches[:1]] == [code]
    assert matches[0].location is not None


def test_missing_over_is_an_error(tmp_path: Path) -> None:
    copy = tmp_path / "mine"
    shutil.copytree(KB_ROOT / "president", copy)
    file = copy / "game.lp"
    file.write_text(file.read_text("utf-8").replace("over :- #count { S : out(S) } >= 3.", ""), "utf-8")
    error = catch_error(copy)
    assert (error.code, "over/0" in str(error)) == (ErrorCode.MISSING_OUTPUT, True)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("next(round(7)) :- event(deal).", "next(round(7)): round(7)"),
        ("adds(bombs(1),1,x) :- event(deal).", "bombs/1"),
    ],
)
def test_undeclared_fluent_value_is_an_error_at_its_line(tmp_path: Path, rule: str, value: str) -> None:
    fluents = "one(round,1). #external round(1..3). count(bombs,1). #external bombs(1..9). #external event(deal).\n"
    other = "one(mood,1). #external mood(1..3). next(mood(1)) :- event(deal).\n"
    error = catch_error(folder(tmp_path / "mine", variant=f"parent(president).\n{fluents}{other}{rule}\n"))
    assert (error.code, value in str(error)) == (UNKNOWN, True)
    location = error.diagnostics[0].location
    assert location is not None
    assert (Path(location.file).name, location.line) == ("variant.lp", 4)


def test_variant_titles_replace_those_of_the_parent(tmp_path: Path) -> None:
    """They replace those of the parent in their language; two of one folder are an error."""
    parent = 'parent(whist). title(en,"Knaves").'
    rules = compile_game(Folder(folder(tmp_path / "knaves", variant=parent)))
    assert rules.folder.titles == {**Folder(KB_ROOT / "whist").titles, "en": "Knaves"}
    error = catch_error(folder(tmp_path / "both", variant=parent, more='title(en,"Jacks").'))
    assert [problem.code for problem in error.diagnostics] == [ErrorCode.CONFLICTING_FACTS]


def test_two_profile_titles_in_one_language_are_an_error(tmp_path: Path) -> None:
    names = 'title(mild,en,"Mild"). title(mild,zh,"M"). title(mild,en,"Gentle").'
    path = edited(tmp_path / "game", more=names, name="whist")
    folder(path / "profiles", mild="")
    assert [problem.code for problem in catch_error(path).diagnostics] == [ErrorCode.CONFLICTING_FACTS]


def test_two_default_profiles_of_one_folder_are_an_error(tmp_path: Path) -> None:
    """A variant may choose another one than its parent."""
    path = edited(tmp_path / "game", more="default_profile(mild).", name="whist")
    folder(path / "profiles", mild="", wild="")
    folder(tmp_path / "child", variant="parent(game).\ndefault_profile(wild).")
    assert Folder(tmp_path / "child").default_profile == "wild"
    folder(path, most="default_profile(wild).")
    assert [problem.code for problem in catch_error(path).diagnostics] == [ErrorCode.CONFLICTING_FACTS]


def test_title_with_a_variable_is_one_error(tmp_path: Path) -> None:
    """Names in single quotes are variables to clingo."""
    path = edited(tmp_path / "game", more="title(en,'Mine').", name="whist")
    assert [problem.code for problem in catch_error(path).diagnostics] == [ErrorCode.MISPLACED_FACT]


@pytest.mark.parametrize("rules", ["label(odd). form(odd,odd).", "label(odd). form(odd,odd). order(odd,99)."])
def test_missing_facts_of_a_label_are_located_at_the_label(tmp_path: Path, rules: str) -> None:
    """The first label has no place in the order, the second a form without a kind."""
    error = catch_error(folder(tmp_path / "child", variant="parent(president).", more=rules))
    assert error.code == ErrorCode.MISSING_FACT
    assert [Path(problem.location.file).name for problem in error.diagnostics if problem.location] == ["more.lp"]
