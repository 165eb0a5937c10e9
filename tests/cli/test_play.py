"""``abl-cards match`` and ``abl-cards replay``, and replays of recorded matches."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from abl_cards.cli import progress
from abl_cards.matches.records import sample_records_path
from tests.cli_runs import run
from tests.effort import amount
from tests.full_disk import files_up_to

SAMPLE = sample_records_path("guandan")


@pytest.fixture(scope="module")
def episodes() -> list[dict[str, Any]]:
    """Return the first match of the sample."""
    return [json.loads(line) for line in gzip.open(SAMPLE)][:10]


def write(path: Path, *records: Any) -> str:
    path.write_text("".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records))
    return str(path)


def test_match_json_is_stable() -> None:
    answer = run("match", "big2", "greedy", "random", "--games", "2", "--seed", "5", "--json")
    report = json.loads(answer.stdout)
    assert list(report) == ["game", "agents", "games", "seed", "wins", "draws", "rate", "interval", "episodes"]
    assert report["agents"] == ["greedy", "random"]
    assert (report["games"], report["seed"]) == (2, "5")
    assert sum(report["wins"]) + report["draws"] == 2
    assert 0 <= report["interval"][0] <= report["rate"] <= report["interval"][1] <= 1
    assert report["episodes"] >= 2
    again = run("match", "big2", "greedy", "random", "--games", "2", "--seed", "5", "--json")
    assert again.stdout == answer.stdout


def test_match_prints_a_table() -> None:
    answer = run("match", "president", "random", "random", "--games", "3")
    assert answer.exit_code == 0
    assert "95 % interval" in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("3 games, ")


def test_progress_counts_the_episodes_of_long_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress.ProgressLines, "_print_lines", lambda lines: None)  # a thread, without any pause
    result = run("match", "guandan", "greedy", "random", "--games", "2", "--json")
    lines = [line for line in result.stderr.splitlines() if line.startswith("greedy : random: ")]
    counts = [int(found[1]) for line in lines if (found := re.search(r", (\d+) episodes?", line))]
    assert counts == sorted(counts)
    assert counts[-1] == json.loads(result.stdout)["episodes"]
    assert any("0 of 2, 0 : 0, 1 episode," in line for line in lines)
    short = run("match", "president", "greedy", "random", "--games", "2")  # a match is one episode
    assert not re.search("[0-9] episode", short.stderr)


@pytest.mark.parametrize(("name", "game"), [("games.jsonl", "guandan"), ("games.jsonl.gz", "president")])
def test_recorded_match_replays_without_disagreements(tmp_path: Path, name: str, game: str) -> None:
    path = tmp_path / name
    played = run("match", game, "greedy", "random", "--games", str(amount(1, 2)), "--record", str(path), "--json")
    episodes = json.loads(played.stdout)["episodes"]
    replayed = run("replay", game, str(path))
    assert replayed.exit_code == 0
    assert replayed.stdout.startswith(f"{episodes} episode{'s' * (episodes > 1)}, ")
    assert replayed.stdout.endswith(" 0 disagreements\n")


def test_variant_reads_records_of_its_parent(tmp_path: Path) -> None:
    """A variant may have other preferences alone; its own records are not those of the parent."""
    folder, file, own = tmp_path / "ours", tmp_path / "games.jsonl", tmp_path / "own.jsonl"
    assert run("kb", "copy", "gandengyan", str(folder), "preferences").exit_code == 0
    for more in ([], ["--kb", str(folder)]):
        record = str(own if more else file)
        assert (
            run(
                "match", "gandengyan", "random", "kb", "--games", str(amount(1, 2)), "--record", record, *more
            ).exit_code
            == 0
        )
    replayed = run("replay", "gandengyan", str(file), "--kb", str(folder))
    assert (replayed.exit_code, replayed.stdout[-17:]) == (0, " 0 disagreements\n")
    explained = run("explain", "gandengyan", str(file), "--kb", str(folder), "--move", "2", "--json")
    assert explained.exit_code == 0, explained.stderr
    assert run("replay", str(folder), str(own)).exit_code == 0
    assert run("replay", "gandengyan", str(own)).exit_code == 1
    assert run("explain", "gandengyan", str(own), "--move", "2").exit_code == 1


def test_full_disk_keeps_finished_episodes(tmp_path: Path) -> None:
    """Keep the finished episodes."""
    path = tmp_path / "games.jsonl"
    with files_up_to(30_000):
        answer = run("match", "guandan", "greedy", "random", "--games", "2", "--record", str(path))
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert re.fullmatch(
        r"error: .*games\.jsonl: File too large; the \d episodes before are in it", answer.stderr.strip()
    )
    replayed = run("replay", "guandan", str(path))
    assert (replayed.exit_code, replayed.stdout[1:12]) == (0, " episodes, ")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["greedy", "bogus"], 2, "greedy, human, kb, program, random"),
        (["greedy", "random", "--games", "0"], 2, "--games"),
        (["greedy", "random", "--games", "x"], 2, "--games"),
        (["greedy", "random", "--profile", "bogus"], 1, "standard"),
        (["greedy", "random", "--kb", "nowhere"], 1, "nowhere"),
        (["greedy", "random", "--record", "nowhere/games.jsonl"], 1, "nowhere"),
        (["greedy", "random", "--record", "."], 1, "no file"),
    ],
)
def test_invalid_matches_are_rejected(
    arguments: list[str], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run("match", "guandan", *arguments)
    assert (answer.exit_code, answer.stdout) == (code, "")
    assert words in answer.stderr
    assert not list(tmp_path.iterdir())


def test_contest_sample_replays_without_disagreements() -> None:
    answer = run("replay", "guandan", str(SAMPLE))
    assert (answer.exit_code, answer.stdout) == (0, "42 episodes, 3327 plays, 0 disagreements\n")


def test_first_contest_records_replay_without_disagreements(shared_data: Path) -> None:
    answer = run("replay", "guandan", str(shared_data / "guandan_contest_bots.jsonl.gz"), "--limit", "60", "--json")
    report = json.loads(answer.stdout)
    assert list(report) == ["episodes", "plays", "disagreements"]
    assert (report["episodes"], report["disagreements"]) == (60, [])


def test_disagreements_have_file_and_line(tmp_path: Path, episodes: list[dict[str, Any]]) -> None:
    wrong = episodes[1] | {"order": episodes[1]["order"][::-1]}
    path = write(tmp_path / "games.jsonl", episodes[0], wrong, "garbage", episodes[0])
    answer = run("replay", "guandan", path)
    assert answer.exit_code == 1
    *disagreements, last = answer.stdout.splitlines()
    assert [text.split(" ")[0] for text in disagreements] == [f"{path}:2:", f"{path}:3:"]
    assert last.startswith("4 episodes, ")
    assert last.endswith(" 2 disagreements")
    report = json.loads(run("replay", "guandan", path, "--json").stdout)
    assert [disagreement["line"] for disagreement in report["disagreements"]] == [2, 3]


@pytest.mark.parametrize(
    "damage",
    [
        {"plays": []}, {"plays": None}, {"plays": [[0, ["Pair"]]]}, {"plays": [[9, ["PASS", "PASS", "PASS"]]]},
        {"order": [0, 1, 2]}, {"order": [0, 0, 1, 2]}, {"order": "0123"}, {"level": 2}, {"level": "1"},
        {"ranks": ["2"]},
        {"hands": []}, {"hands": [["S2"] * 27] * 4}, {"tribute": [[0, 1]]}, {"tribute": [[0, 1, "S2"]]}, {"back": 7},
        {"anti": [4]}, {"anti": [True]}, {"game": "mahjong"}, {"profile": "platform"}, {"hands": "x" * 100_000},
    ],
    ids=str,
)  # fmt: skip
def test_damaged_record_is_a_disagreement(
    tmp_path: Path, episodes: list[dict[str, Any]], damage: dict[str, Any]
) -> None:
    answer = run("replay", "guandan", write(tmp_path / "games.jsonl", episodes[0] | damage))
    assert answer.exit_code == 1
    first, last = answer.stdout.splitlines()
    assert first.startswith(f"{tmp_path}/games.jsonl:1: ")
    assert len(first) < 600
    assert last.endswith(" 1 disagreement")


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"", "no records"), (b"\n\n", "no records"), (b"\x00\x01", "zero bytes")],
)
def test_invalid_record_files_are_rejected(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "games.jsonl"
    if content is not None:
        path.write_bytes(content)
    answer = run("replay", "guandan", str(path))
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert words in answer.stderr
    assert "games.jsonl" in answer.stderr
