"""Atomic writes: a file is complete or absent."""

import errno
import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from abl_cards.core.atomic_files import atomic_write, lock_folder, make_folder, remove_partial_files, write_text


@contextmanager
def files_end_after(size: int) -> Iterator[None]:
    """Limit the size of files as `ulimit -f` does; Python ignores the signal and raises an error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_file_is_replaced_when_complete(tmp_path: Path) -> None:
    file = tmp_path / "new" / "some.txt"
    write_text(file, "牌")
    with atomic_write(file) as stream:
        stream.write(b"x" * 100_000)
        assert file.read_text("utf-8") == "牌"
    assert file.stat().st_size == 100_000
    assert list(file.parent.iterdir()) == [file]


def test_size_limit_leaves_only_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "some.state"
    write_text(file, "old")
    with files_end_after(1000), pytest.raises(OSError, match="File too large") as error:
        write_text(file, "x" * 100_000)
    assert error.value.filename == str(file)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"some.state": "old"}


def test_full_disk_leaves_only_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "some.state"
    write_text(file, "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_text(file, "new")
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(file))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"some.state": "old"}


def test_error_mentions_the_old_file_only_if_it_exists(tmp_path: Path) -> None:
    write_text(tmp_path / "old", "old")
    for name in ("old", "new"):
        with files_end_after(1000), pytest.raises(OSError, match="File too large") as error:
            write_text(tmp_path / name, "x" * 100_000)
        assert ("old file" in str(error.value)) == (name == "old")


def test_exception_of_the_writer_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_write(tmp_path / "some.txt"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_symbolic_link_is_kept(tmp_path: Path) -> None:
    file, link = tmp_path / "some.txt", tmp_path / "link.txt"
    write_text(file, "old")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"


def test_temporary_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    process = os.fork()
    if not process:  # ends in the middle of a file, as a kill does
        with atomic_write(tmp_path / "some.txt"):
            os._exit(0)
    os.waitpid(process, 0)
    write_text(tmp_path / ".hidden", "mine")
    assert len(list(tmp_path.iterdir())) == 2
    remove_partial_files(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [".hidden"]


def test_read_only_file_system_error_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux refuses to delete there what does not exist; that error named the temporary file."""

    def refuse(path: Path, *arguments: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(OSError, match="Read-only file system") as error:
        write_text(tmp_path / "new", "text")
    assert error.value.filename == str(tmp_path / "new")


def test_folder_that_cannot_be_locked_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File too large") as error, files_end_after(0), lock_folder(tmp_path / "run"):
        pass
    assert error.value.filename == str(tmp_path / "run")


def test_folder_that_cannot_be_filled_is_removed(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "long").write_bytes(b"x" * 10_000)
    target, reason = tmp_path / "made" / "target", "cannot be written: File too large"
    with pytest.raises(OSError, match=reason) as error, files_end_after(100), make_folder(target):
        shutil.copytree(tmp_path / "source", target, dirs_exist_ok=True)
    assert error.value.filename == str(target / "long")
    assert not target.exists()
    with pytest.raises(OSError, match=reason) as error, files_end_after(100), make_folder(target):
        (target / "long").write_text("x" * 10_000)
    assert error.value.filename == str(target)
    assert not target.exists()


def test_existing_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError), make_folder(tmp_path):
        pass
    assert (tmp_path / "file").exists()
