"""Folders that name a parent: what they take over, replace and leave out; whatever else they say is an error."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.games.compiled.compiled_game import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import KB_ROOT, MAX_PARENTS, resolve_layers


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.lp").write_text(text, "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(KBError) as caught:
        compile_game(Folder(path))
    return str(caught.value)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    """President where a single before a seat with one card must be one's highest."""
    rule = "#include <last_card>.\nsingle(set(R,1),R) :- label(set(R,1)).\n"
    return compile_game(Folder(folder(tmp_path_factory.mktemp("house"), variant="parent(president).", last=rule)))


def test_a_variant_has_the_rules_of_its_parent_and_its_own(house: CompiledGame) -> None:
    assert len(house.labels) == 53
    assert "sizes" in house.play_query.groups
    named = {file.name for file in house.folder.files()}
    assert named == {"variant.lp", "game.lp", "labels.lp", "preferences.lp", "words.lp", "last.lp"}


def test_files_are_replaced_and_left_out_where_it_is_said(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", one="a.", two="b.", three="c.")
    child = folder(tmp_path / "child", variant="parent(base). replaces(two). leaves_out(three).", two="d.", four="e.")
    found = resolve_layers(child)
    assert [file.relative_to(tmp_path).as_posix() for file in found.files] == [
        "child/variant.lp", "child/four.lp", "base/one.lp", "child/two.lp",
    ]  # fmt: skip
    assert found.folders == (base, child)


def test_profiles_of_the_parent_are_there_and_may_be_replaced(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", one="a.")
    folder(base / "profiles", plain="b.", rich="c.")
    child = folder(tmp_path / "child", variant="parent(base).")
    folder(child / "profiles", rich="d.", odd="e.")
    profiles = resolve_layers(child).profiles
    assert {name: file.parents[1].name for name, file in profiles.items()} == {
        "odd": "child", "plain": "base", "rich": "child",
    }  # fmt: skip


def test_a_folder_beside_comes_before_a_game_of_that_name(tmp_path: Path) -> None:
    beside = folder(tmp_path / "president", one="a.")
    child = folder(tmp_path / "child", variant="parent(president).")
    assert resolve_layers(child).folders == (beside, child)
    assert (
        resolve_layers(folder(tmp_path / "else" / "child", variant="parent(president).")).folders[0]
        == KB_ROOT / "president"
    )


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("parent(presidnt).", "variant.lp:1:1-17: error: there is no game and no folder 'presidnt' .*'president'"),
        ('parent("../base").', "a name is wanted"),
        ('parent("/etc").', "a name is wanted"),
        ("parent(X) :- a(X). parent(common).", "there is no game and no folder 'common'"),
        ("parent(child).", "there is no game and no folder 'child' to take over from"),
        ("parent(base). parent(president).", "variant.lp:1:15-32: error: two facts of parent/1"),
        ("parent(base). replaces(on).", r"replaces\(on\): the parent has no on.lp \(did you mean 'one'"),
        ("parent(base). replaces(one).", r"replaces\(one\): there is no one.lp"),
        ("parent(base). leaves_out(four).", r"leaves_out\(four\): the parent has no four.lp"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, variant: str, said: str) -> None:
    folder(tmp_path / "base", one="a.")
    child = folder(tmp_path / "child", variant=variant, other="b.")
    with pytest.raises(KBError, match=said):
        resolve_layers(child)


def test_a_file_of_the_same_name_has_to_be_said_to_replace(tmp_path: Path) -> None:
    folder(tmp_path / "base", one="a.")
    assert "write replaces(one). in" in refused(folder(tmp_path / "child", variant="parent(base).", one="b."))


def test_circles_and_long_chains_end(tmp_path: Path) -> None:
    folder(tmp_path / "a", variant="parent(b).")
    assert "b is its own parent, through 2 folders" in refused(folder(tmp_path / "b", variant="parent(a)."))
    for number in range(MAX_PARENTS + 3):
        folder(tmp_path / f"c{number}", variant=f"parent(c{number + 1}).", x="a.")
    assert "more than 8 parents" in refused(tmp_path / "c0")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("points(S,1) :- seat(S).", r"variant\.lp:2:1-12: error: 'points/2' is derived, .* is points/3"),
        ("deals(0,10).", r"deals\(0,…\): there are 10 and 13 \(keep one of them\)"),
        ("deals(4,13).", r"deals\(4,13\): 4 is no seat"),
        ("tier(pear,1).", r"tier\(pear,1\): pear is no kind: no form is of it"),
        (
            "one(round,1). #external round(1..3). lasts(rund,match).",
            r"lasts\(rund,match\): rund is no fluent",
        ),
        ("one(round,1). #external round(1..3). lasts(round,ever).", r"ever is no time that fluents last"),
    ],
)
def test_what_would_be_ignored_is_an_error(tmp_path: Path, rules: str, said: str) -> None:
    """A fact that the engine would read another way, or not at all."""
    assert re.search(said, refused(folder(tmp_path / "mine", variant=f"parent(president).\n{rules}\n")))


def test_an_episode_that_is_never_over_is_an_error(tmp_path: Path) -> None:
    copy = tmp_path / "mine"
    shutil.copytree(KB_ROOT / "president", copy)
    file = copy / "game.lp"
    file.write_text(file.read_text("utf-8").replace("over :- #count { S : out(S) } >= 3.", ""), "utf-8")
    assert "no rule derives over/0 (say when an episode is over" in refused(copy)


@pytest.mark.parametrize(("rule", "said"), [
    ("next(round(7)) :- event(deal).", r"next\(round\(7\)\): round\(7\) is none of those declared"),
    ("adds(bombs(1),1,x) :- event(deal).", r"there is bombs/1, and no bombs/2 \(adds/3 names a count without"),
])  # fmt: skip
def test_a_value_that_a_fluent_has_not_says_so_where_it_stands(tmp_path: Path, rule: str, said: str) -> None:
    fluents = "one(round,1). #external round(1..3). count(bombs,1). #external bombs(1..9). #external event(deal).\n"
    other = "one(mood,1). #external mood(1..3). next(mood(1)) :- event(deal).\n"
    path = folder(tmp_path / "mine", variant=f"parent(president).\n{fluents}{other}{rule}\n")
    assert re.search(rf"variant\.lp:4:.*{said}", refused(path))
