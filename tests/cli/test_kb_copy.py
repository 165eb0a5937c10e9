"""``kb copy``: a variant with the differences by default, the whole game on request."""

import shlex
from pathlib import Path

import pytest

from abl_cards.games.game import load
from tests.cli_runs import run
from tests.full_disk import files_up_to


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def copy(*words: str) -> str:
    result = run("kb", "copy", *words)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def test_copy_is_a_variant_equal_to_its_parent(tmp_path: Path) -> None:
    assert "mine is a variant of president" in copy("president", "mine")
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["variant.lp"]
    assert load(str(tmp_path / "mine")).engine().labels == load("president").engine().labels


@pytest.mark.parametrize("folder", ["my rules", "-mine", "whist"])
def test_printed_commands_can_be_pasted(folder: str) -> None:
    for text in (copy("president", "--", folder), run("kb", "new", "--", f"{folder} new").stdout):
        words = [shlex.split(line) for line in text.splitlines() if line.startswith("  abl-cards ")]
        assert len(words) == 3
        names = {word.removeprefix("./") for line in words for word in line if folder in word and word[0] != "-"}
        assert names in ({folder}, {f"{folder} new"})
        assert all(sum(folder in word and word[0] != "-" for word in line) == 1 for line in words)


def test_copied_files_replace_those_of_the_parent(tmp_path: Path) -> None:
    copy("president", "mine", "preferences", "game.lp")
    text = (tmp_path / "mine" / "variant.lp").read_text("utf-8")
    assert "parent(president).\nreplaces(preferences).\nreplaces(game).\n" in text
    home = load("president").directory
    assert (tmp_path / "mine" / "game.lp").read_bytes() == (home / "game.lp").read_bytes()
    copy("mine", "yours", "words")  # its parent is the folder beside it
    assert "parent(mine)." in (tmp_path / "yours" / "variant.lp").read_text("utf-8")
    load("yours").knowledge_base()


def test_standalone_copy_includes_common_files(tmp_path: Path) -> None:
    copy("president", "mine", "--standalone")
    assert (tmp_path / "mine" / "common" / "turns.lp").is_file()
    knowledge = load("mine").knowledge_base()
    assert not knowledge.warnings  # about rules that are for other games
    assert knowledge.files


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("president", "there"), 1, "there "),
        (("president", "new", "nosuch"), 2, "president has no nosuch.lp; known: game, labels"),
        (("president", "new", "game", "--standalone"), 2, "name none"),
        (("there", "deep/new"), 1, "use --standalone"),
    ],
)
def test_invalid_copies_are_rejected(tmp_path: Path, words: tuple[str, ...], code: int, message: str) -> None:
    copy("president", "there")
    result = run("kb", "copy", *words)
    assert result.exit_code == code
    assert message in result.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "words", [("copy", "president", "mine"), ("copy", "president", "mine", "--standalone"), ("new", "mine")]
)
def test_full_disk_leaves_no_folder(tmp_path: Path, words: tuple[str, ...]) -> None:
    with files_up_to(10):
        result = run("kb", *words)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("error: mine")
    assert not (tmp_path / "mine").exists()
