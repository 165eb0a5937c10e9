"""Only regular files inside of a knowledge base are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from abl_cards.asp.bounded_files import FileTooLargeError, NotAFileError, is_inside, read_regular_file, root_folders
from abl_cards.asp.errors import KBError
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.core import ErrorCode
from tests.asp.conftest import format_place

OUTSIDE, NOT_READABLE, INVALID = ErrorCode.FILE_OUTSIDE_FOLDER, ErrorCode.FILE_NOT_READABLE, ErrorCode.INVALID_INCLUDE


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Make a folder with valid rule files."""
    folder = tmp_path / "rules"
    (folder / "profiles").mkdir(parents=True)
    (folder / "main.lp").write_text("legal(1).")
    (folder / "profiles" / "own.lp").write_text("switch(on). #defined switch/1. #show switch/1.")
    return folder


def load_errors(*files: Path) -> list[tuple[ErrorCode, str]]:
    """Return code and place of each error of a knowledge base that is refused."""
    with pytest.raises(KBError) as caught:
        KnowledgeBase.load(files, inputs=[], outputs=[("legal", 1)])
    return [(problem.code, format_place(problem)) for problem in caught.value.diagnostics]


def test_links_inside_the_folder_are_read(rules: Path) -> None:
    (rules / "same.lp").symlink_to("main.lp")
    (rules.parent / "other-name").symlink_to(rules)
    files = [*sorted((rules.parent / "other-name").glob("*.lp")), rules.parent / "other-name" / "profiles" / "own.lp"]
    assert len(files) == 3
    assert KnowledgeBase.load(files, inputs=[], outputs=[("legal", 1)]).facts("legal", 1) == [(1,)]


def test_links_outside_the_folder_are_rejected(rules: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.lp").write_text("secret(1).")
    (rules / "zz.lp").symlink_to(tmp_path / "secret.lp")
    assert load_errors(rules / "main.lp", rules / "zz.lp") == [(OUTSIDE, "-")]


def test_link_to_a_device_is_not_opened(rules: Path) -> None:
    (rules / "zero.lp").symlink_to("/dev/zero")
    assert load_errors(rules / "main.lp", rules / "zero.lp") == [(OUTSIDE, "-")]


def test_linked_profiles_folder_is_rejected(rules: Path, tmp_path: Path) -> None:
    (rules / "profiles").rename(tmp_path / "elsewhere")
    (rules / "profiles").symlink_to(tmp_path / "elsewhere")
    assert load_errors(rules / "main.lp", rules / "profiles" / "own.lp") == [(OUTSIDE, "-")]


def test_self_referential_links_are_errors(rules: Path) -> None:
    (rules / "loop.lp").symlink_to("loop.lp")
    (rules / "main.lp").write_text('legal(1).\n#include "loop.lp".\n#include "gone.lp".')
    assert load_errors(rules / "loop.lp") == [(NOT_READABLE, "-")]
    assert load_errors(rules / "main.lp") == [(NOT_READABLE, "2:1-20"), (INVALID, "3:1-20")]


def test_pipes_and_folders_are_not_opened(rules: Path) -> None:
    os.mkfifo(rules / "pipe.lp")
    (rules / "folder.lp").mkdir()
    assert load_errors(rules / "pipe.lp", rules / "folder.lp") == [(NOT_READABLE, "-"), (NOT_READABLE, "-")]
    (rules / "main.lp").write_text('legal(1). #include %* x *% "pipe.lp".')
    assert load_errors(rules / "main.lp") == [(NOT_READABLE, "1:11-38")]


def test_includes_after_comments_are_rejected(rules: Path) -> None:
    (rules / "main.lp").write_text('legal(1). #include %* x *% "/dev/zero".')
    assert load_errors(rules / "main.lp") == [(OUTSIDE, "1:11-40")]


def test_too_many_includes_are_rejected(rules: Path) -> None:
    for name in ("a.lp", "b.lp"):
        (rules / name).write_text(f"{name[0]}. " + '#include "gone.lp". ' * 2000)
    assert [code for code, _ in load_errors(rules / "a.lp", rules / "b.lp")] == [ErrorCode.TOO_LARGE] * 2


def test_read_regular_file_rejects_large_and_special_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_regular_file(tmp_path / "file", 5) == b"12345"
    with pytest.raises(FileTooLargeError):
        read_regular_file(tmp_path / "file", 4)
    for strange in (tmp_path, Path("/dev/null")):
        with pytest.raises(NotAFileError):
            read_regular_file(strange, 4)


def test_root_folders() -> None:
    assert root_folders([Path("/a/x.lp"), Path("/a/profiles/y.lp")]) == (Path("/a"),)
    assert root_folders([Path("/a/x.lp"), Path("/b/y.lp")]) == (Path("/a"), Path("/b"))
    assert is_inside("/a/b/c", [Path("/a")])
    assert not is_inside("/a/../b", [Path("/a")])
    assert not is_inside("/ab", [Path("/a")])
    assert is_inside("/a", [Path("/b"), "/a"])
    assert is_inside("/a", [Path("/")])
    assert not is_inside("/a", [])
