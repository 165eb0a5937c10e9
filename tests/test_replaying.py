"""Files of records played again piece by piece: pieces do not matter, and no file is too large or too broken."""

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from abl_cards.records import matches_of, write_records
from abl_cards.replaying import FileReplay, replay_file
from tests.cli_runs import run
from tests.effort import long
from tests.games.guandan.contest_records import ContestRecorder
from tests.games.guandan.states import engine
from tests.games.random_play import match_keys, step


@pytest.fixture(scope="module")
def told_in_turns() -> list[dict[str, Any]]:
    """Two matches side by side, their episodes in the order in which they ended."""
    records: list[Any] = []
    recorder = ContestRecorder(engine(), 2)
    tables = engine().tables(match_keys(2, 4), recorder)
    while step(tables):
        records += [{"match": table, **record} for table in (0, 1) for record in recorder.records(table)]
    records += [{"match": table, **record} for table in (0, 1) for record in recorder.records(table)]
    order = [record["match"] for record in records]
    assert order != sorted(order)
    return records


def replayed(path: Path, records: list[Any], piece: int, monkeypatch: pytest.MonkeyPatch) -> FileReplay:
    path.write_text("".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records))
    monkeypatch.setattr("abl_cards.records.PIECE", piece)
    return replay_file(engine(), path)


@pytest.mark.parametrize("piece", [20_000, pytest.param(1 << 30, marks=long)])
def test_matches_told_in_turns(
    tmp_path: Path, told_in_turns: list[dict[str, Any]], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels and tributes follow from the episode before of the same match, wherever that stands."""
    found = replayed(tmp_path / "games.jsonl", told_in_turns, piece, monkeypatch)
    assert (found.episodes, found.disagreements) == (len(told_in_turns), ())
    assert matches_of(told_in_turns).tolist() == [record["match"] for record in told_in_turns]


@pytest.mark.parametrize("piece", [9_000, pytest.param(1 << 30, marks=long)])
def test_wrong_lines_have_their_numbers(
    tmp_path: Path, told_in_turns: list[dict[str, Any]], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order that is wrong is so once; what follows an unreadable line of its match is left out, and that is said."""
    records = list(told_in_turns)
    records[1] = records[1] | {"order": records[1]["order"][::-1]}
    wrong = replayed(tmp_path / "games.jsonl", records, piece, monkeypatch)
    assert [each.line for each in wrong.disagreements] == [2]
    unreadable = records[2]["match"]
    records = [*told_in_turns[:2], told_in_turns[2] | {"hands": []}, *told_in_turns[3:]]
    first, *others = replayed(tmp_path / "games.jsonl", records, piece, monkeypatch).disagreements
    assert first.line == 3
    assert any("the lines after it in the same match" in each.text for each in (first, *others))
    assert {records[each.line - 1]["match"] for each in others} <= {unreadable}
    assert len(others) <= 1


def test_a_match_goes_on_after_its_end(
    tmp_path: Path, told_in_turns: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the end was in an earlier piece."""
    mine = [record for record in told_in_turns if record["match"] == 0]
    found = replayed(tmp_path / "games.jsonl", [*mine, mine[-1]], 9_000, monkeypatch)
    assert [(each.line, each.text) for each in found.disagreements] == [
        (len(mine) + 1, "the match was over before this episode")
    ]


def test_a_packed_file_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of it are held, never all of it."""
    monkeypatch.setattr("abl_cards.records.PIECE", 1 << 18)
    path, line = tmp_path / "games.jsonl.gz", json.dumps({"level": "2", "noise": "x" * 3000}).encode() + b"\n"
    path.write_bytes(gzip.compress(line * 8000 + b"\n" * 30_000, 1))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    try:
        found = replay_file(engine(), path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.lines, len(found.disagreements), found.stopped) == (8000, 8000, False)
    assert most < 12 << 20  # 24 MB of text


def test_too_many_disagreements_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr("abl_cards.replaying.MOST_DISAGREEMENTS", 100)
    path.write_bytes(b"x\n" * 300)
    answer = run("replay", "guandan", str(path))
    assert answer.exit_code == 1
    assert answer.stdout.endswith(" 100 disagreements\n")
    assert "stopped here, after 100 disagreements" in answer.stderr


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_file_whose_last_line_is_cut(tmp_path: Path, told_in_turns: list[dict[str, Any]], name: str) -> None:
    """What is whole is played, the line is named, and the exit code tells that the file is not whole."""
    path = tmp_path / name
    write_records(path, told_in_turns[:3])
    path.write_bytes(path.read_bytes()[: -40 if name.endswith(".gz") else -400])
    answer = run("replay", "guandan", str(path))
    assert answer.exit_code == 1
    assert answer.stdout.startswith("2 episodes, ")
    assert answer.stdout.endswith(" plays, 0 disagreements\n")
    assert answer.stderr == f"{path}:3: the last line is cut, the file ends in the middle of it\n"
    told = json.loads(run("replay", "guandan", str(path), "--json").stdout)
    assert (told["episodes"], told["disagreements"], told["cut"]) == (2, [], 3)
    path.write_bytes(path.read_bytes()[:30])
    answer = run("replay", "guandan", str(path))
    assert (answer.exit_code, answer.stdout) == (1, "0 episodes, 0 plays, 0 disagreements\n")
    assert f"{path}:1: the last line is cut" in answer.stderr
