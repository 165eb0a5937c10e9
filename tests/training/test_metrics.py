"""The file of metrics of a run."""

from pathlib import Path

import pytest

from abl_cards.training.metrics import MetricsWriter, read_metrics
from tests.core.test_atomic_files import files_end_after


def write(directory: Path, size: int, updates: range) -> int:
    with MetricsWriter(directory, size, updates.start) as metrics:
        for update in updates:
            metrics.write({"update": update})
        return metrics.sync()


def updates(directory: Path) -> list[int]:
    return [line["update"] for line in read_metrics(directory)]


def test_lines_after_the_checkpoint_are_truncated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = write(tmp_path, 0, range(3))
    write(tmp_path, size, range(3, 9))
    write(tmp_path, size, range(3, 5))
    assert updates(tmp_path) == [0, 1, 2, 3, 4]
    assert not capsys.readouterr().err


@pytest.mark.parametrize(("left", "remaining"), [(None, []), (0, []), (5, []), (20, [0]), (33, [0, 1])])
def test_missing_lines_are_reported_and_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], left: int | None, remaining: list[int]
) -> None:
    """Continue a deleted or truncated file with complete lines only."""
    size, file = write(tmp_path, 0, range(3)), tmp_path / "metrics.jsonl"
    if left is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:left])
    write(tmp_path, size, range(3, 5))
    assert updates(tmp_path) == [*remaining, 3, 4]
    assert f"note: {file}: {size - 14 * len(remaining)} bytes of lines" in capsys.readouterr().err


def test_full_disk_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"File too large.*metrics\.jsonl"), files_end_after(8):
        write(tmp_path, 0, range(3))


def test_incomplete_last_line_is_left_out(tmp_path: Path) -> None:
    """A run that was killed while it wrote a line is read and, if it is complete, resumed."""
    write(tmp_path, 0, range(3))
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"upd')
    assert updates(tmp_path) == [0, 1, 2]
