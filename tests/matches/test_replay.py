"""Replays of record files in chunks: the chunk size does not matter, and large or damaged files are handled."""

import gzip
import json
import subprocess
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.compiled.stall_detection import MAX_EPISODES
from abl_cards.games.engine import Engine
from abl_cards.games.tables.listeners import NullListener
from abl_cards.matches import records as record_files
from abl_cards.matches.records import match_indices, write_records
from abl_cards.matches.replay import FileReplay, replay_file
from tests.cli_runs import run
from tests.effort import amount, long
from tests.games.guandan.contest_records import ContestRecorder
from tests.games.guandan.states import engine
from tests.games.notation.folders import rules_of, sets
from tests.games.random_play import match_keys, play_out, step


@pytest.fixture(scope="module")
def interleaved_records() -> list[dict[str, Any]]:
    """Return the records of two parallel matches in the order in which the episodes ended.

    One side plays better, so that the matches end soon.
    """
    records: list[Any] = []
    recorder = ContestRecorder(engine(), 2)
    tables, greedy = engine().start_matches(match_keys(2, 1), recorder), make_agent("greedy", engine())
    while step(tables):
        mine = [row for row in tables.rows_to_play() if tables.seat[row] % 2]
        if mine:
            rows = np.array(mine)
            tables.play(rows, greedy.play(tables.decisions(rows), tables.keys[rows]))
        records += [{"match": table, **record} for table in (0, 1) for record in recorder.pop_records(table)]
    records += [{"match": table, **record} for table in (0, 1) for record in recorder.pop_records(table)]
    order = [record["match"] for record in records]
    assert order != sorted(order)
    return records


def replay_records(path: Path, records: list[Any], piece: int, monkeypatch: pytest.MonkeyPatch) -> FileReplay:
    path.write_text("".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records))
    monkeypatch.setattr("abl_cards.matches.records.MAX_CHUNK_BYTES", piece)
    return replay_file(engine(), path)


@pytest.mark.parametrize("piece", [20_000, pytest.param(1 << 30, marks=long)])
def test_interleaved_matches_are_replayed(
    tmp_path: Path, interleaved_records: list[dict[str, Any]], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take levels and tributes from the previous episode of the same match, wherever it is in the file."""
    replay = replay_records(tmp_path / "games.jsonl", interleaved_records, piece, monkeypatch)
    assert (replay.episodes, replay.disagreements) == (len(interleaved_records), ())
    assert match_indices(interleaved_records).tolist() == [record["match"] for record in interleaved_records]


@pytest.mark.parametrize("piece", [9_000, pytest.param(1 << 30, marks=long)])
def test_disagreements_have_line_numbers(
    tmp_path: Path, interleaved_records: list[dict[str, Any]], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report a wrong order once, and skip the lines of a match after an unreadable one."""
    records = list(interleaved_records)
    records[1] = records[1] | {"order": records[1]["order"][::-1]}
    wrong = replay_records(tmp_path / "games.jsonl", records, piece, monkeypatch)
    assert [disagreement.line for disagreement in wrong.disagreements] == [2]
    unreadable = records[2]["match"]
    records = [*interleaved_records[:2], interleaved_records[2] | {"hands": []}, *interleaved_records[3:]]
    first, *others = replay_records(tmp_path / "games.jsonl", records, piece, monkeypatch).disagreements
    assert first.line == 3
    assert any("the lines after it in the same match" in disagreement.text for disagreement in (first, *others))
    assert {records[disagreement.line - 1]["match"] for disagreement in others} <= {unreadable}
    assert len(others) <= 1


def test_episode_after_the_end_of_its_match_is_reported(
    tmp_path: Path, interleaved_records: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report an episode after the end of its match, even when that end is in an earlier chunk."""
    mine = [record for record in interleaved_records if record["match"] == 0]
    first = sum(len(json.dumps(record)) + record_files._RECORD_OVERHEAD for record in mine)  # a chunk of its own
    replay = replay_records(tmp_path / "games.jsonl", [*mine, mine[-1]], amount(first, 9_000), monkeypatch)
    assert [(disagreement.line, disagreement.text) for disagreement in replay.disagreements] == [
        (len(mine) + 1, "the match was over before this episode")
    ]


def test_compressed_file_is_read_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold only chunks of a compressed file in memory."""
    monkeypatch.setattr("abl_cards.matches.records.MAX_CHUNK_BYTES", 1 << 18)
    path, line = tmp_path / "games.jsonl.gz", json.dumps({"level": "2", "noise": "x" * 3000}).encode() + b"\n"
    num_lines = amount(4000, 8000)
    path.write_bytes(gzip.compress(line * num_lines + b"\n" * 30_000, 1))
    assert path.stat().st_size < 200_000
    guandan = engine()  # compiled by now, whatever test ran before
    tracemalloc.start()
    try:
        replay = replay_file(guandan, path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (replay.lines, len(replay.disagreements), replay.stopped_early) == (num_lines, num_lines, False)
    assert most < num_lines * 1500  # half of the text


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that returns a file of recorded matches of a game."""

    @cache
    def record(game: str) -> Path:
        games = tmp_path_factory.mktemp("games") / "games.jsonl"
        assert run("match", game, "random", "greedy", "--games", "2", "--record", str(games)).exit_code == 0
        return games

    return record


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system has no paths of pipes")
@pytest.mark.parametrize(
    ("game", "options", "exit_code"),
    [
        ("president", [], 0),
        ("doudizhu", ["--profile", "rlcard"], 0),
        ("doudizhu", [], 1),
        ("president", ["--csv"], 1),
    ],
)
def test_pipe_is_replayed_or_refused(
    tmp_path: Path, recorded: Callable[[str], Path], game: str, options: list[str], exit_code: int
) -> None:
    """A pipe is read once: by the profile that is given, or where the game has none."""
    games = recorded(game)
    options = [*options, str(tmp_path / "rows.csv")] if options == ["--csv"] else options
    with subprocess.Popen(["cat", str(games)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        answer = run("replay", game, f"/dev/fd/{writer.stdout.fileno()}", *options)
    assert answer.exit_code == exit_code
    assert (", 0 disagreements" in answer.stdout) == (exit_code == 0)


def test_too_many_disagreements_stop_the_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr("abl_cards.matches.replay.MAX_DISAGREEMENTS", 100)
    path.write_bytes(b"x\n" * 300)
    answer = run("replay", "guandan", str(path))
    assert answer.exit_code == 1
    assert answer.stdout.endswith(" 100 disagreements\n")
    assert "stopped here, after 100 disagreements" in answer.stderr


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_truncated_last_line_is_reported(tmp_path: Path, interleaved_records: list[dict[str, Any]], name: str) -> None:
    """Replay the complete lines, name the truncated one, and exit with an error."""
    path = tmp_path / name
    write_records(path, interleaved_records[:3])
    path.write_bytes(path.read_bytes()[: -40 if name.endswith(".gz") else -400])
    answer = run("replay", "guandan", str(path))
    assert answer.exit_code == 1
    assert answer.stdout.startswith("2 episodes, ")
    assert answer.stdout.endswith(" plays, 0 disagreements\n")
    assert answer.stderr == f"{path}:3: the last line is truncated\n"
    report = json.loads(run("replay", "guandan", str(path), "--json").stdout)
    assert (report["episodes"], report["disagreements"], report["cut"]) == (2, [], 3)
    path.write_bytes(path.read_bytes()[:30])
    answer = run("replay", "guandan", str(path))
    assert (answer.exit_code, answer.stdout) == (1, "0 episodes, 0 plays, 0 disagreements\n")
    assert f"{path}:1: the last line is truncated" in answer.stderr


@pytest.mark.parametrize(
    ("ends", "bad"),
    [(b"\r", b""), (b"\n", b'{"a":"\xff\xfe"}'), (b"\n", b'{"a":' + b"9" * 10_000 + b"}"), (b"\n", b'{"a":1}}')],
)
def test_invalid_last_line_is_not_reported_as_truncated(
    tmp_path: Path, interleaved_records: list[dict[str, Any]], ends: bytes, bad: bytes
) -> None:
    path = tmp_path / "games.jsonl"
    good = b"".join(json.dumps(record).encode() + ends for record in interleaved_records[:2])
    path.write_bytes(good + bad)
    answer = run("replay", "guandan", str(path), "--json")
    report = json.loads(answer.stdout)
    assert answer.exit_code == 1
    assert [wrong["line"] for wrong in report["disagreements"]] == [1 if ends == b"\r" else 3]
    assert "cut" not in report


def test_empty_lines_between_records_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert run("match", "president", "kb", "greedy", "--games", "4", "--record", str(path)).exit_code == 0
    lines = path.read_text().splitlines()
    whole = run("replay", "president", str(path)).stdout
    path.write_text("\n" + "\n\n \n".join(lines) + "\n")
    csv = tmp_path / "rows.csv"
    answer = run("replay", "president", str(path), "--csv", str(csv))
    assert (answer.exit_code, answer.stdout) == (0, whole)
    assert len(csv.read_text().splitlines()) == 1 + len(lines)
    path.write_text("\n" + "\n\n \n".join([*lines, "{}"]) + "\n")
    report = json.loads(run("replay", "president", str(path), "--json").stdout)
    assert [wrong["line"] for wrong in report["disagreements"]] == [2 + 3 * len(lines)]


# --- impossible records, and records of other platforms ---------------------------------------------------------------


def test_invalid_episode_number_does_not_hide_other_errors(tmp_path: Path) -> None:
    """Report a record past the maximum number of episodes, and still check the others."""
    recorder = engine().new_recorder(3)
    tables = engine().start_matches(match_keys(3, 4), recorder)
    while step(tables):
        if tables.num_episodes.min() > 0:
            break
    records = [recorder.pop_records(table)[0] for table in range(3)]
    assert replay_file(engine(), _write_file(tmp_path, records)).disagreements == ()
    for number in range(amount(1, 3)):
        changed = [dict(record) for record in records]
        changed[number]["episode"] = MAX_EPISODES
        changed[number - 1]["points"] = [9, 9, 9, 9]
        replay = replay_file(engine(), _write_file(tmp_path, changed))
        assert replay.episodes == 3
        assert sorted(disagreement.line for disagreement in replay.disagreements) == sorted(
            (number + 1, (number - 1) % 3 + 1)
        )
        (nowhere,) = [disagreement for disagreement in replay.disagreements if disagreement.line == number + 1]
        assert f"{MAX_EPISODES:,} episodes" in nowhere.text
    alone = replay_file(engine(), _write_file(tmp_path, [records[0] | {"episode": MAX_EPISODES}]))
    assert [disagreement.line for disagreement in alone.disagreements] == [1]


@pytest.mark.parametrize("lines", [(1,), (1, 3), (1, 2, 3)])
def test_deals_without_a_leader_are_reported_per_line(tmp_path: Path, lines: tuple[int, ...]) -> None:
    rules = rules_of(tmp_path / "led", LED)
    led = Engine(rules, "led")
    recorder = led.new_recorder(3)
    tables = led.start_matches(match_keys(3, 4), recorder)
    play_out(tables)
    records = [recorder.pop_records(table)[0] for table in range(3)]
    for line in lines:
        records[line - 1] = records[line - 1] | {"lots": {"first": 7}}
    replay = replay_file(led, _write_file(tmp_path, records))
    assert [disagreement.line for disagreement in replay.disagreements] == list(lines)
    assert all("leads" in disagreement.text for disagreement in replay.disagreements)
    with pytest.raises(GameError, match="line 1: who leads"):
        led.replay(records, NullListener())


LED = sets(
    "seat(0..2). rank(1..4). pack(R,4) :- rank(R). deals(S,5) :- seat(S). "
    "lots(first,3). #external lot(first,I) : I = 0..2. leads(S) :- lot(first,S). "
    "over :- out(_). match_over. #external out(S) : seat(S).",
    4,
).replace("#include <pay>.\nprice(N,N) :- N = 1..4.\n", "")


def _write_file(folder: Path, records: list[Any]) -> Path:
    file = folder / "records.jsonl"
    write_records(file, records)
    return file


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return two rounds in the log format of Botzone, followed by an invalid line."""
    file = tmp_path_factory.mktemp("logs") / "log.jsonl"
    words = ("match", "doudizhu", "greedy", "random", "--profile", "botzone", "--games", "2")
    result = run(*words, "--botzone-log", str(file))
    assert result.exit_code == 0
    with file.open("a") as more:
        more.write(json.dumps({"log": [{}, 7], "initdata": {"seed": 7}}) + "\n")
    return file


def test_botzone_log_is_replayed(log: Path) -> None:
    result = run("replay", "doudizhu", str(log), "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["episodes"] == 3
    assert report["plays"] > 20
    assert [disagreement["line"] for disagreement in report["disagreements"]] == [3]


@pytest.mark.parametrize("command", ["explain", "solve", "review"])
def test_commands_accept_botzone_logs(log: Path, command: str) -> None:
    """Every command that reads records accepts a log of Botzone."""
    acts = json.loads(run("replay", "doudizhu", str(log), "--limit", "1", "--json").stdout)["plays"]
    more = ["--deals", "4", "--moves", "2", "--seat", "0"] if command == "review" else ["--move", str(acts)]
    result = run(command, "doudizhu", str(log), *more, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    if command == "explain":
        assert report["made"]
    elif command == "solve":
        assert report["line"]
    else:
        assert report["decisions"]


@long
def test_kb_diff_reads_botzone_logs(log: Path, tmp_path: Path) -> None:
    assert run("kb", "copy", "doudizhu", str(tmp_path / "copy")).exit_code == 0
    compared = run("kb", "diff", "doudizhu", str(tmp_path / "copy"), "--records", str(log), "--profile", "botzone",
                   "--states", "20", "--json")  # fmt: skip
    assert json.loads(compared.stdout)["states"] > 0


def test_deals_option_reads_botzone_logs(log: Path, tmp_path: Path) -> None:
    """Play the deals of a log in every seating; name an invalid line in ``match --deals`` and ``deal --exclude``."""
    rounds = [json.loads(line) for line in log.read_text().splitlines()[:2]]
    deals, played = tmp_path / "deals.jsonl", tmp_path / "played.jsonl"
    deals.write_text("".join(f"{json.dumps(deal)}\n" for deal in rounds))
    result = run("match", "doudizhu", "greedy", "random", "--deals", str(deals), "--record", str(played), "--json")
    assert result.exit_code == 0, result.stderr
    hands = [json.loads(line)["hands"] for line in played.read_text().splitlines()]
    given = [json.loads(line)["initdata"] for line in deals.read_text().splitlines()]
    letters = [*(letter for letter in "3456789TJQKA2" for _ in range(4)), "X", "D"]
    dealt = [[[letters[card] for card in sorted(hand)] for hand in deal["allocation"]] for deal in given]
    for hand, deal in zip(dealt, given, strict=True):
        hand[0] = [letters[card] for card in sorted([*deal["allocation"][0], *deal["publiccard"]])]
    assert dealt[0] == dealt[1]  # two rounds of a duplicate deal are one deal
    assert hands == [list(map("".join, dealt[0]))] * 2
    for words in (
        ["match", "doudizhu", "greedy", "random", "--deals"],
        ["deal", "doudizhu", "--class", "2", "--exclude"],
    ):
        refused = run(*words, str(log))
        assert refused.exit_code == 1
        assert "line 3: " in refused.stderr.replace("\n", " ")


@pytest.mark.parametrize("command", ["explain", "solve", "review"])
def test_record_errors_have_their_line(log: Path, tmp_path: Path, command: str) -> None:
    file = tmp_path / "log.jsonl"
    first = log.read_text().splitlines()[0]
    file.write_text(
        f'{first}\n{{"hands":[]}}\n{{"log":[{{}},7],"initdata":{{"seed":7}}}}\n{{"profile":"odd","hands":[]}}\n'
    )
    for line in (2, 3, 4):
        result = run(command, "doudizhu", str(file), "--line", str(line))
        assert result.exit_code == 1
        assert result.stderr.lstrip().startswith(f"error: {file}: line {line}: ")
    if command != "review":
        assert (
            f"error: {file}: line 1: there is no act 999" in run(command, "doudizhu", str(file), "--move", "999").stderr
        )


def test_unfinished_logs_are_reported(log: Path, tmp_path: Path) -> None:
    """Report unfinished logs and logs that end with a fault; check the others."""
    whole = json.loads(log.read_text().splitlines()[0])
    cut = whole["log"][:-4]
    fault = {"output": {"command": "finish", "content": {}}}
    logs = [whole | {"log": entries} for entries in (cut, whole["log"], [*cut, {"0": {"verdict": "TLE"}}, fault])]
    file = tmp_path / "log.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in logs))
    report = json.loads(run("replay", "doudizhu", str(file), "--json").stdout)
    first, last = report["disagreements"]
    assert (first["line"], last["line"], report["episodes"]) == (1, 3, 3)
    assert "the round is not over" in first["text"]
    assert "a fault" in last["text"]
    assert report["plays"] > 10
