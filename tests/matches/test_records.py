"""Reading and writing records: round trips, and reports of damaged files."""

import gzip
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.jsonl import MAX_LINE_BYTES, parse_json_line
from abl_cards.games.game import load
from abl_cards.games.tables import NullListener
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.recorder import open_record_file
from abl_cards.matches.records import (
    MAX_BLANK_LINES,
    TruncatedRecord,
    find_held_out,
    read_file_profile,
    read_numbered_records,
    read_records,
    read_valid_records,
    record_to_line,
    write_records,
)
from abl_cards.matches.replay import replay_confirmed, replay_file
from tests.effort import amount

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
GOOD = {"level": "2", "plays": []}


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
@settings(max_examples=amount(12, 50, 2000))
@given(records=st.lists(st.dictionaries(st.text(max_size=4), PLAIN, max_size=4)))
def test_records_round_trip(tmp_path_factory: pytest.TempPathFactory, name: str, records: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.getbasetemp() / name
    write_records(path, records)
    assert read_records(path) == records


def test_gzip_files_are_deterministic(tmp_path: Path) -> None:
    for name in ("one.jsonl.gz", "two.jsonl.gz"):
        write_records(tmp_path / name, [GOOD])
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()


def test_limit_stops_reading(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":2}\n\0\n')
    assert read_records(path, limit=2) == [{"a": 1}, {"a": 2}]
    for limit in (-1, 2.5, "2"):
        with pytest.raises(GameError) as error:
            read_records(path, limit)  # type: ignore[arg-type]
        assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b'"text"', "a record is a JSON object"),
        (b"[1,2]", "a record is a JSON object"),
        (b'{"level": NaN}', "NaN"),
        (b'{"level": -Infinity}', "-Infinity"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"level": ' + b"9" * 6000 + b"}", "digit"),
        (b"", "empty line"),
    ],
)
def test_invalid_line_is_reported_with_its_number(tmp_path: Path, line: bytes, words: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n".join([json.dumps(GOOD).encode(), line, json.dumps(GOOD).encode(), b""]))
    first, bad, last = read_records(path)
    assert (first, last) == (GOOD, GOOD)
    assert isinstance(bad, GameError)
    assert words in str(bad)


def test_byte_order_mark_and_trailing_empty_lines_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\r\n\n")
    assert read_records(path) == [GOOD]


def test_too_many_empty_lines_are_rejected(tmp_path: Path) -> None:
    """Stop reading a file that unpacks from one megabyte to a thousand million empty lines."""
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * (MAX_BLANK_LINES + 2)))
    with pytest.raises(GameError) as error:
        read_records(path)
    assert error.value.code == ErrorCode.INVALID_RECORD


@given(st.binary(max_size=60))
def test_parse_json_line_returns_a_value_or_raises_game_error(line: bytes) -> None:
    with suppress(GameError):
        json.dumps(parse_json_line(line))


def test_binary_and_overlong_files_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\x00\x01\x02\n")
    with pytest.raises(GameError, match="line 1 ") as error:
        read_records(path)
    assert error.value.code == ErrorCode.INVALID_RECORD
    path.write_bytes(b"x" * (MAX_LINE_BYTES + 5))
    with pytest.raises(GameError, match=r"line 1 .* 16 MiB") as error:
        read_records(path)
    assert error.value.code == ErrorCode.INVALID_RECORD


def test_unreadable_lines_do_not_hide_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.core.jsonl.MAX_LINE_BYTES", 1000)
    path, good = tmp_path / "games.jsonl", record_to_line(GOOD)
    path.write_bytes(b"\0\n" + good + b"x" * 3000 + b"\n" + good + b'{"a":"\0"}\n' + good + b"y" * 3000)
    wrong = [line for line, record in enumerate(read_records(path), 1) if isinstance(record, GameError)]
    assert wrong == [1, 3, 5, 7]
    assert [record for record in read_records(path) if not isinstance(record, GameError)] == [GOOD] * 3


def test_search_for_a_line_end_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.core.jsonl.MAX_LINE_BYTES", 1000)
    monkeypatch.setattr("abl_cards.core.jsonl.MAX_SKIPPED_BYTES", 2000)
    path = tmp_path / "games.jsonl"
    path.write_bytes(record_to_line(GOOD) + b"x" * (1 << 20))
    with pytest.raises(GameError, match=r"line 2 is longer than"):
        read_records(path)


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"plain", lambda data: data[:20] + b"\xff" * 9 + data[29:], lambda data: data + b"more"],
    ids=["never packed", "overwritten", "more behind it"],
)
def test_damaged_gzip_file_is_reported(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(damage(gzip.compress(json.dumps([*range(999)]).encode())))
    with pytest.raises(GameError, match=r"games\.jsonl\.gz: damaged gzip file"):
        read_records(path)


def test_missing_file_raises_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "games.jsonl")


@pytest.mark.parametrize("name", ["cut.jsonl", "cut.jsonl.gz"])
def test_complete_lines_of_a_truncated_file_are_read(tmp_path: Path, name: str) -> None:
    """Read every complete line of a truncated file, and report the truncated one."""
    records = [GOOD | {"episode": number} for number in range(3)]
    pieces = [
        gzip.compress(record_to_line(record)) if name.endswith(".gz") else record_to_line(record) for record in records
    ]
    path, ends = tmp_path / name, [0, *accumulate(map(len, pieces))]
    for length in range(ends[-1]):
        path.write_bytes(b"".join(pieces)[:length])
        lines = read_records(path)
        whole = [record for record in lines if not isinstance(record, TruncatedRecord)]
        assert whole == records[: len(whole)]
        assert len(whole) >= sum(end <= length for end in ends[1:])
        if length in ends or (name == "cut.jsonl" and length + 1 in ends):  # a line end may be missing
            assert lines == whole
        else:
            assert isinstance(lines[-1], TruncatedRecord)


def test_truncated_single_stream_gzip_file_is_read(tmp_path: Path) -> None:
    """Read the complete lines of a truncated file that was compressed as one stream."""
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(
        gzip.compress(b"".join(record_to_line({"noise": os.urandom(99).hex()}) for _ in range(999)))[:-5000]
    )
    *whole, last = read_records(path)
    assert 800 < len(whole) < 999
    assert not any(isinstance(record, GameError) for record in whole)
    assert isinstance(last, TruncatedRecord)


@pytest.mark.parametrize("name", ["games.jsonl.gz", "GAMES.JSONL.GZ", "games.jsonl"])
def test_gzip_files_with_many_members_and_padding_are_read(tmp_path: Path, name: str) -> None:
    """Readers know them by their first bytes."""
    path = tmp_path / name
    path.write_bytes(b"".join(gzip.compress(record_to_line(GOOD)) for _ in range(500)) + bytes(512))
    assert read_records(path) == [GOOD] * 500


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old")

    def half() -> Iterator[dict[str, Any]]:
        yield GOOD
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_records(path, half())
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


def test_write_records_replaces_only_regular_files(tmp_path: Path) -> None:
    """Do not replace /dev/null, even with the permission to do it."""
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(GameError) as error:
            write_records(path, [GOOD])
        assert error.value.code == ErrorCode.RECORDS_NOT_WRITTEN
    with pytest.raises(GameError) as error:
        write_records(tmp_path / "nowhere" / "games.jsonl", [GOOD])
    assert error.value.code == ErrorCode.RECORDS_NOT_WRITTEN
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_file_without_records_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n\n")
    with pytest.raises(GameError, match=r"games\.jsonl") as error:
        read_valid_records(path)
    assert error.value.code == ErrorCode.NO_RECORDS


def test_find_held_out_selects_the_last_matches() -> None:
    records = [{"match": match, "episode": episode} for match in (4, 7, 9) for episode in (0, 1)]
    assert find_held_out(records, 0, "games.jsonl").tolist() == [False] * 6
    assert find_held_out(records, 2, "games.jsonl").tolist() == [False, False, True, True, True, True]
    for count in (3, 4):
        with pytest.raises(GameError, match=r"games\.jsonl.* 2 ") as error:
            find_held_out(records, count, "games.jsonl")
        assert error.value.code == ErrorCode.NO_RECORDS


def test_unconfirmed_record_is_reported_with_its_line() -> None:
    engine = load("president").engine()
    records: list[dict[str, Any]] = []
    play_match(engine, ["greedy", "greedy"], 6, 1, write_record=records.append)
    replay_confirmed(engine, records, NullListener(), "games.jsonl")
    records[2] = {**records[2], "finish": records[2]["finish"][::-1]}
    for lines, place in ((None, 3), (range(11, 11 + len(records)), 13)):
        with pytest.raises(GameError, match=rf"games\.jsonl:{place}: .* 1 of {len(records)} ") as error:
            replay_confirmed(engine, records, NullListener(), "games.jsonl", lines)
        assert error.value.code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("path", [None, 3, 1.5, b"games.jsonl", [], ""])
def test_functions_of_files_reject_what_is_no_path(path: Any) -> None:
    engine = load("president").engine()
    calls: list[Callable[[], Any]] = [
        lambda: read_valid_records(path),
        lambda: read_numbered_records(path),
        lambda: read_file_profile(path, ()),
        lambda: write_records(path, []),
        lambda: replay_file(engine, path),
        lambda: open_record_file(path, print).__enter__(),
    ]
    for call in calls:
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_written_records_are_dictionaries_of_plain_values(tmp_path: Path) -> None:
    """A number was written as a line; numbers of NumPy raised a bare ``TypeError``."""
    file = tmp_path / "records.jsonl"
    write_records(file, [{"seed": np.int64(3), "points": np.array([1, -1]), "won": [np.bool_(True)]}])
    assert json.loads(file.read_text()) == {"seed": 3, "points": [1, -1], "won": [True]}
    others: tuple[Any, ...] = (3, ["a"], {"a": object()}, {(1, 2): 3})
    for other in others:
        with pytest.raises(GameError) as error:
            write_records(file, [other])
        assert error.value.code == ErrorCode.INVALID_RECORD
    assert json.loads(file.read_text())["seed"] == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_is_not_read_for_its_profile(tmp_path: Path) -> None:
    """The records that it held would be lost for the next reader; nothing waits for its writer."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert read_file_profile(path, ()) is None
    with pytest.raises(GameError) as error:
        read_file_profile(path, ("standard",))
    assert error.value.code == ErrorCode.FILE_NOT_READABLE
