"""Lines of JSON: errors with codes, whole lines from pieces, and gzip files that are cut off."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from abl_cards.core import ErrorCode, GameError, jsonl

INVALID = [b"{", b"\xff", b"NaN", b'{"a": Infinity}', b"[1e999]", b"[" * 100_000, b"1" * 10_000]


@pytest.mark.parametrize("line", INVALID)
def test_invalid_json_lines_have_an_error_code(line: bytes) -> None:
    with pytest.raises(GameError) as error:
        jsonl.parse_json_line(line)
    assert error.value.code == ErrorCode.INVALID_JSON


@pytest.mark.parametrize("line", [b'{"hand": ["S4"], "seat": 1, "hand": ["S5"]}', b'[{"a": {"hand": 1, "hand": 1}}]'])
def test_two_fields_of_one_name_are_refused(line: bytes) -> None:
    """One of them would be ignored."""
    with pytest.raises(GameError, match="'hand'") as error:
        jsonl.parse_json_line(line)
    assert error.value.code == ErrorCode.INVALID_JSON


def test_python_is_no_remedy_for_long_numbers() -> None:
    with pytest.raises(GameError) as error:
        jsonl.parse_json_line(b"1" * 10_000)
    assert "sys." not in str(error.value)


def test_too_long_lines_have_an_error_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 10)
    file = tmp_path / "long.json"
    file.write_bytes(b'"' + b"x" * 20 + b'"')
    calls = (
        lambda: jsonl.parse_json_line(file.read_bytes()),
        lambda: jsonl.read_json_file(file),
        lambda: list(jsonl.read_line_batches(io.BytesIO(b"1\n" + file.read_bytes()))),
    )
    for call in calls:
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.TOO_LARGE


def test_lines_are_joined_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 3)
    batches = list(jsonl.read_line_batches(io.BytesIO(b"abcdefg\n\nhi\nj")))
    assert [line for batch in batches for line in batch] == [(1, b"abcdefg"), (2, b""), (3, b"hi"), (4, b"j")]


def test_truncated_gzip_file_yields_its_lines_before_the_error(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(gzip.compress(b"1\n2\n") + gzip.compress(bytes(range(256)) * 50)[:-9])
    lines: list[bytes] = []

    def read() -> None:
        with jsonl.open_maybe_gzip(file) as stream:
            for batch in jsonl.read_line_batches(stream):
                lines.extend(line for _, line in batch)

    with pytest.raises(GameError) as error:
        read()
    assert error.value.code == ErrorCode.FILE_NOT_READABLE
    assert lines[:2] == [b"1", b"2"]


def test_empty_path_raises() -> None:
    with pytest.raises(GameError) as raised, jsonl.open_maybe_gzip(""):
        pass
    assert raised.value.code == ErrorCode.FILE_NOT_READABLE
