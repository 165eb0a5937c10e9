"""Record files during play: complete after every episode, sorted at the end, without damage to other files."""

from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.matches.recorder import open_record_file
from abl_cards.matches.records import read_records, write_records
from tests.full_disk import files_up_to

NAMES = pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])


def episode(match: int, number: int) -> dict[str, Any]:
    return {"match": match, "episode": number, "plays": ["x" * 50] * 20}


ENDED = [episode(1, 0), episode(0, 0), episode(2, 0), episode(1, 1), episode(0, 1)]
IN_ORDER = [episode(0, 0), episode(0, 1), episode(1, 0), episode(1, 1), episode(2, 0)]


@NAMES
def test_each_episode_is_written_when_it_ends(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with open_record_file(path) as write:
        for number, record in enumerate(ENDED, 1):
            write(record)
            assert read_records(path) == ENDED[:number]


@NAMES
def test_games_are_sorted_at_the_end(tmp_path: Path, name: str) -> None:
    """The file has the same bytes as one that was written at once."""
    with open_record_file(tmp_path / name) as write:
        for record in ENDED:
            write(record)
    (tmp_path / "once").mkdir()
    write_records(tmp_path / "once" / name, IN_ORDER)
    assert (tmp_path / name).read_bytes() == (tmp_path / "once" / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "once"]


@NAMES
def test_existing_file_is_replaced_at_the_end(tmp_path: Path, name: str) -> None:
    """Write new episodes to a separate part file, and leave part files of other runs unchanged."""
    path, part, taken = tmp_path / name, tmp_path / name.replace(".", ".part2.", 1), name.replace(".", ".part.", 1)
    write_records(path, [{"old": 1}])
    (tmp_path / taken).write_text("of another run")
    messages: list[str] = []
    with open_record_file(path, messages.append) as write:
        write(ENDED[0])
        assert (read_records(path), read_records(part)) == ([{"old": 1}], ENDED[:1])
    assert messages == [
        f"{path} is there already: the new episodes are written to {part}, which replaces it at the end"
    ]
    assert read_records(path) == ENDED[:1]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, taken])
    assert (tmp_path / taken).read_text() == "of another run"


@NAMES
def test_interrupted_match_keeps_its_episodes(tmp_path: Path, name: str) -> None:
    path, messages = tmp_path / name, list[str]()

    def half(number: int) -> None:
        with open_record_file(path, messages.append) as write:
            for record in ENDED[:number]:
                write(record)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half(0)
    assert (list(tmp_path.iterdir()), messages) == ([], [])
    with pytest.raises(KeyboardInterrupt):
        half(2)
    assert read_records(path) == ENDED[:2]
    assert messages == [f"{path} holds the 2 episodes that had ended"]


@NAMES
def test_full_disk_is_reported_and_leaves_complete_records(tmp_path: Path, name: str) -> None:
    path, messages = tmp_path / name, list[str]()

    def fill() -> None:
        with open_record_file(path, messages.append) as write:
            while True:
                write(ENDED[0])

    with (
        files_up_to(3000),
        pytest.raises(GameError, match=name) as raised,
    ):
        fill()
    assert raised.value.code == ErrorCode.RECORDS_NOT_WRITTEN
    assert str(raised.value).endswith(f"; the {len(read_records(path))} episodes before are in it")
    assert read_records(path, 2) == [ENDED[0]] * 2
    assert messages == []


def test_full_disk_while_sorting_keeps_all_episodes(tmp_path: Path) -> None:
    """Keep all episodes in the order in which they ended."""
    path, messages = tmp_path / "games.jsonl", list[str]()
    with open_record_file(path, messages.append) as write:
        for record in ENDED:
            write(record)
        limit = files_up_to(3000)
        limit.__enter__()
    limit.__exit__(None, None, None)
    assert read_records(path) == ENDED
    assert messages == [f"{path}: File too large; the episodes stand in the order in which they ended"]
