"""``abl-cards legal``: read states, write moves, and answer every invalid line."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.cli import legal
from abl_cards.core.jsonl import read_line_batches
from abl_cards.games.game import load
from tests.cli_runs import run
from tests.effort import amount

FOLLOWING = {"level": "8", "hand": ["H5", "H8"], "to_beat": ["Pair", "4", ["H4", "C4"]]}
MOVES = {"moves": [["PASS", "PASS", "PASS"], ["Pair", "5", ["H5", "H8"]]]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
CARDS = st.lists(st.sampled_from(["H5", "H8", "S3", "SB", "HR", "", "X9", "h5", "H10"]) | JSON, max_size=5)
STATES = st.fixed_dictionaries(
    {},
    optional={
        "level": st.sampled_from(["2", "8", "A", "B", "10", 8, None]) | JSON,
        "hand": CARDS | JSON,
        "to_beat": st.tuples(st.sampled_from(["Pair", "Bomb", "PASS", "pair"]) | JSON, JSON, CARDS | JSON) | JSON,
        "stage": st.sampled_from(["play", "tribute", "back", "end"]) | JSON,
        "profile": st.sampled_from(["standard", "platform", "../standard", ""]) | JSON,
        "surplus": JSON,
    },
)


def lines(*states: Any) -> str:
    return "".join(f"{state if isinstance(state, str) else json.dumps(state)}\n" for state in states)


def test_stdin_and_files_give_equal_answers(tmp_path: Path) -> None:
    text = lines(FOLLOWING, {"level": "8", "hand": ["S3"], "to_beat": None})
    (tmp_path / "states.jsonl").write_text(text)
    (tmp_path / "states.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    answers = [run("legal", "guandan", stdin=text)]
    answers += [run("legal", "guandan", str(tmp_path / name)) for name in ("states.jsonl", "states.jsonl.gz")]
    assert {(answer.exit_code, answer.stderr) for answer in answers} == {(0, "")}
    assert {answer.stdout for answer in answers} == {
        lines(MOVES, {"moves": [["Single", "3", ["S3"]]]}).replace(" ", "")
    }


def test_exchange_stages_have_their_own_moves() -> None:
    hand = ["H8", "S5", "D9", "D9"]
    answer = run(
        "legal", "guandan", stdin=lines(*({"level": "8", "hand": hand, "stage": s} for s in ("tribute", "back")))
    )
    assert [json.loads(line)["moves"] for line in answer.stdout.splitlines()] == [
        [["tribute", "tribute", ["D9"]]],
        [["back", "back", ["S5"]], ["back", "back", ["D9"]]],
    ]


def test_invalid_lines_are_answered_in_order_with_their_number() -> None:
    answer = run("legal", "guandan", stdin=lines(FOLLOWING, "garbage", "", FOLLOWING, "[]"))
    results = [json.loads(line) for line in answer.stdout.splitlines()]
    assert answer.exit_code == 1
    assert [results[0], results[2]] == [MOVES, MOVES]
    assert results[1] == {"error": "line 2: not JSON: Expecting value (column 1)"}
    assert results[3]["error"].startswith("line 5: ")
    assert answer.stderr.splitlines() == [results[1]["error"], results[3]["error"]]


def test_state_can_contain_its_profile() -> None:
    states = [FOLLOWING | {"profile": name} for name in ("platform", "standard", "bogus", "../profiles/standard")]
    answer = run("legal", "guandan", stdin=lines(*states))
    first, second, *others = [json.loads(line) for line in answer.stdout.splitlines()]
    assert (first, second) == (MOVES, MOVES)
    assert all("platform, standard" in other["error"] for other in others)


def test_kb_option_changes_the_moves(tmp_path: Path) -> None:
    """The five and the eight of hearts form no pair where the wild card is a spade."""
    run("kb", "copy", "guandan", str(tmp_path / "rules"), "--standalone")
    vocabulary = tmp_path / "rules" / "vocabulary.lp"
    vocabulary.write_text(vocabulary.read_text().replace("wild_suit(h).", "wild_suit(s)."))
    answer = run("legal", "guandan", "--kb", str(tmp_path / "rules"), stdin=lines(FOLLOWING))
    assert (answer.exit_code, json.loads(answer.stdout)) == (0, {"moves": [["PASS", "PASS", "PASS"]]})


@pytest.mark.parametrize(
    "line",
    [
        "{", "nan", "[" * 50_000, '{"level":' + "9" * 5000 + "}", '"text"', "{}", '{"level":"8"}',
        '{"level":"8","hand":[]}',
        '{"level":"8","hand":["\\ud800"]}', '{"level":"8","hand":["H5","H5","H5"]}',
        '{"level":"8","hand":["H5"],"to_beat":["Pair","4",["H4","C5"]]}',
        '{"level":"8","hand":["H5"],"to_beat":["PASS","PASS","PASS"]}',
        '{"level":"8","hand":["H5"],"to_beat":["Single","4",["H4"]],"stage":"back"}',
        '{"level":"8","hand":["H5"],"hands":[]}', '{"level":"8","hand":["H5"],"profile":[]}',
        '{"level":"1","hand":["H5"]}', '{"level":"8","hand":[["H5"]]}', '{"level":"8","hand":{"H5":1}}',
        '{"level":"8","hand":["' + "H" * 100_000 + '"]}',
    ],
)  # fmt: skip
def test_invalid_lines_are_rejected(line: str) -> None:
    answer = run("legal", "guandan", stdin=f"{line}\n")
    assert answer.exit_code == 1
    (result,) = map(json.loads, answer.stdout.splitlines())
    assert list(result) == ["error"]
    assert result["error"].startswith("line 1: ")
    assert len(result["error"]) < 500


@given(st.lists(STATES | JSON, min_size=1, max_size=12))
@settings(max_examples=amount(25, 40))
def test_every_line_gets_an_answer(states: list[Any]) -> None:
    desk = legal.LegalMoveAnswerer(load("guandan"), None, None, False)
    answers = desk.answer_batch([(number, json.dumps(state).encode()) for number, state in enumerate(states, 1)])
    assert len(answers) == len(states)
    assert all(list(answer) in (["moves"], ["error"]) for answer in answers)


@given(st.lists(st.binary(max_size=12), max_size=12), st.integers(1, 9))
def test_line_batches_are_independent_of_chunk_size(pieces: list[bytes], size: int) -> None:
    text = b"\n".join(piece.replace(b"\n", b"") for piece in pieces)

    class Drip:
        def __init__(self) -> None:
            self.left = text

        def read1(self, most: int) -> bytes:
            now, self.left = self.left[:size], self.left[size:]
            return now

    read = [line for batch in read_line_batches(Drip()) for line in batch]  # type: ignore[arg-type]
    assert read == list(enumerate(text.split(b"\n"), 1))


def test_too_long_lines_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.core.jsonl.MAX_LINE_BYTES", 100)
    answer = run("legal", "guandan", stdin="x" * 10_000)
    assert answer.exit_code == 1
    assert "line 1 is longer than" in answer.stderr


def test_unreadable_files_are_one_line_errors(tmp_path: Path) -> None:
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"{}" * 999)[:-9])
    for name in ("nowhere.jsonl", ".", "broken.gz"):
        answer = run("legal", "guandan", str(tmp_path / name))
        assert (answer.exit_code, answer.stdout) == (1, "")
        assert answer.stderr.startswith("error: ")
        assert len(answer.stderr.splitlines()) == 1


def test_labels_option_adds_labels() -> None:
    answer = run("legal", "guandan", "--labels", stdin=lines(FOLLOWING))
    result = json.loads(answer.stdout)
    assert list(result) == ["moves", "labels"]
    assert sorted(result["labels"]) == ["pair(5)", "pass"]
