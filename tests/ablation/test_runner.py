"""Ablations: verdicts, resuming, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from abl_cards.ablation import shards
from abl_cards.ablation.results import Ablation, AblationVerdict
from abl_cards.ablation.runner import ablate
from abl_cards.ablation.shards import RESULT_FILE
from abl_cards.agents.baselines import RandomAgent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match, play_shard
from tests.effort import amount
from tests.games.notation.folders import WILD

PARTS = ["preferences", "kb:structure", "kb:leading"][:: amount(2, 1)]
GAMES = amount(96, 150)


@pytest.fixture(scope="module")
def whole() -> Ablation:
    return ablate("president", "kb", PARTS, games=GAMES, seed=1)


def test_decisive_part_helps_and_stops_early(whole: Ablation) -> None:
    row = whole.row("preferences")
    assert row.verdict == AblationVerdict.HELPS
    assert row.decided
    assert 0.5 < row.interval[0] < row.rate < row.interval[1]
    assert row.games < whole.games == 150  # stopped sooner
    assert whole.row("kb:leading").games == 150
    assert whole.row("kb:leading").verdict == AblationVerdict.NOT_DECIDED


def test_games_equal_those_of_play_match(whole: Ablation) -> None:
    """Deals, seats and decisions equal those of a match of two agents with these names."""
    for row in whole.rows:
        result = play_match("president", ["kb", row.variant], row.games, 1)
        assert (result.wins[0], result.draws, result.episodes) == (row.wins, row.draws, row.episodes)
        assert result.rate == pytest.approx(row.rate, abs=1e-6)


def test_compared_pair_needs_history_if_either_does() -> None:
    """Both make every decision, so the history is recorded where one of them reads it."""

    class WithHistory(RandomAgent):
        needs_history = True

    pair = shards._ComparedPair(WithHistory(), RandomAgent())
    assert [agent.needs_history for agent in pair.agents] == [True, True]
    assert not any(agent.needs_history for agent in shards._ComparedPair(RandomAgent(), RandomAgent()).agents)


def test_agent_without_parts_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "game.lp").write_text(WILD, encoding="utf-8")
    with pytest.raises(GameError) as raised:
        ablate(load(str(tmp_path)), "kb", games=48)
    assert raised.value.code == ErrorCode.UNKNOWN_PART


def test_part_without_effect_makes_no_difference(idle_folder: Path) -> None:
    result = ablate(load(str(idle_folder)), "kb", ["kb:idle", "idle.lp"][: amount(1, 2)], games=48)
    for row in result.rows:
        assert row.verdict == AblationVerdict.NO_DIFFERENCE
        assert not row.decided
        assert row.rate == 0.5
        assert row.interval[0] < 0.5 < row.interval[1]


def test_harmful_part_is_reported(idle_folder: Path, tmp_path: Path) -> None:
    """With the signs of the preferences turned round, the agent plays better without them."""
    folder = tmp_path / "contrary"
    folder.mkdir()
    for file in idle_folder.iterdir():
        if file.is_file():
            text = file.read_text("utf-8")
            contrary = text.replace(", 10) :- passing", ", -90) :- passing") if file.name == "preferences.lp" else text
            (folder / file.name).write_text(contrary, "utf-8")
    (row,) = ablate(str(folder), "kb", ["kb:following"], games=150).rows
    assert row.verdict == AblationVerdict.HARMS
    assert row.interval[1] < 0.5


def test_resumed_ablation_equals_uninterrupted_ablation(
    whole: Ablation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[range] = []

    def stop_at_third(*arguments: Any) -> Any:
        calls.append(arguments[3])
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play_shard(*arguments)

    monkeypatch.setattr(shards, "play_shard", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        ablate("president", "kb", PARTS, games=GAMES, seed=1, folder=tmp_path)
    file = tmp_path / RESULT_FILE
    assert len(file.read_text("utf-8").splitlines()) == 2
    file.write_text(file.read_text("utf-8") + '{"cell": {"ma', "utf-8")  # killed while it was writing
    finished: list[tuple[str, int, int]] = []
    resumed = ablate(
        "president", "kb", PARTS, games=GAMES, seed=1, folder=tmp_path,
        on_progress=lambda part, done, total: finished.append((part.name, done, total)),
    )  # fmt: skip
    assert resumed == whole
    assert calls[2] == calls[3]  # the shard that was interrupted is the first one that is played
    assert [done for name, done, _ in finished if name == "preferences"] == [0, 48, 96]
    played = len(calls)
    assert ablate("president", "kb", PARTS, games=GAMES, seed=1, folder=tmp_path) == whole
    assert len(calls) == played  # nothing is played again
    other = ablate("president", "kb", ["kb:leading"], games=48, seed=2, folder=tmp_path)
    assert len(calls) == played + 1
    assert other.rows[0] != whole.row("kb:leading")


def test_table_json_and_plot_have_all_rows(whole: Ablation, tmp_path: Path) -> None:
    title, _, header, *lines, blank, note = whole.table().splitlines()
    assert "president" in title
    assert header.split()[0] == "without"
    assert (blank, [note]) == ("", whole.notes)
    assert [line.split()[0] for line in lines] == [row.part for row in whole.sorted_rows()]
    plain = whole.to_json()
    assert [row["rate"] for row in plain["rows"]] == sorted((row.rate for row in whole.rows), reverse=True)
    assert {row["verdict"] for row in plain["rows"]} == {"helps", "not decided"}
    whole.plot(tmp_path / "parts.png")
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(GameError) as error:
        whole.row("projection")
    assert error.value.code == ErrorCode.UNKNOWN_PART


def test_a_variant_that_is_named_twice_is_measured_once() -> None:
    result = ablate("president", "random", games=6, variants=["greedy", "greedy", "kb"])
    assert [row.variant for row in result.rows] == ["greedy", "kb"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"games": 5}, ErrorCode.INVALID_VALUE),
        ({"games": "x"}, ErrorCode.INVALID_VALUE),
        ({"seed": "x"}, ErrorCode.INVALID_VALUE),
        ({"folder": 3}, ErrorCode.INVALID_VALUE),
        ({"folder": ""}, ErrorCode.INVALID_VALUE),
        ({"parts": [None]}, ErrorCode.UNKNOWN_PART),
        ({"level": "0.9"}, ErrorCode.INVALID_VALUE),
        ({"training": 3}, ErrorCode.INVALID_VALUE),
        ({"parts": "kb:leading"}, ErrorCode.INVALID_VALUE),
        ({"parts": 3}, ErrorCode.INVALID_VALUE),
        ({"variants": "kb"}, ErrorCode.INVALID_VALUE),
        ({"agent": None}, ErrorCode.INVALID_AGENT_NAME),
        ({"level": 1.0}, ErrorCode.INVALID_VALUE),
        ({"parts": ["projection"]}, ErrorCode.UNKNOWN_PART),
        ({"agent": "random"}, ErrorCode.AGENT_NOT_APPLICABLE),
    ],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        ablate("president", **{"agent": "kb", **arguments})
    assert error.value.code == code
