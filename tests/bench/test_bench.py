"""The speed table: its contents, not its timings."""

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.bench import abduction, circuits, environments, play, processes, rollouts, solving, training
from abl_cards.bench.measurements import COLUMNS, Measurement
from abl_cards.bench.targets import load_targets
from abl_cards.cli.kb import NEW_GAME
from abl_cards.games.game import Game, load
from tests.cli_runs import run
from tests.effort import amount, long


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Measurement("fast", 10, "a/s", 5), True),
        (Measurement("slow", 3, "a/s", 5), False),
        (Measurement("small", 3, "MiB", 5, at_most=True), True),
        (Measurement("large", 10, "MiB", 5, at_most=True), False),
        (Measurement("free", 10, "a/s"), None),
    ],
)
def test_is_met_compares_value_and_target(figure: Measurement, met: bool | None) -> None:
    assert figure.is_met is met
    assert ("✓" in figure.to_rows()[0][2]) == (met is True)


def test_measurement_rows_and_json_show_comparisons() -> None:
    figure = Measurement("steps", 12_345.6, "a/s", 300, others=(("theirs", 4000.0), ("older", 24_691.2)))
    assert figure.to_rows() == [
        ("steps", "12,346 a/s", "≥ 300 ✓", "theirs: 4,000", "3.09 ×"),
        ("", "", "", "older: 24,691", "0.5 ×"),
    ]
    data = json.loads(json.dumps(figure.to_json()))
    assert list(data) == ["what", "value", "unit", "target", "at_most", "others", "met"]
    assert data["others"][1] == {"what": "older", "value": 24_691.2, "ratio": 0.5}


def test_measure_circuits_compares_with_clingo() -> None:
    guandan = load("guandan")
    effort = circuits.CircuitBenchConfig(
        num_states=amount(26, 130), num_solved=amount(1, 3), repetitions=1, with_variants=True
    )
    figures = {figure.what: figure for figure in circuits.measure_circuits(guandan, guandan.engine(), effort)}
    assert figures["circuit against clingo"].target == 5000
    assert "… a circuit for each level" in figures
    assert all(figure.value > 0 for figure in figures.values())


def test_measured_training_has_no_setting_that_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: `bench` failed when such settings became errors."""
    pytest.importorskip("torch")
    from abl_cards.training import Trainer
    from abl_cards.training.setting_dependencies import find_unused_settings

    unused = list[dict[str, str]]()

    def begin(settings: Any) -> None:
        unused.append(find_unused_settings(settings))
        raise InterruptedError

    monkeypatch.setattr(Trainer, "from_config", begin)
    with pytest.raises(InterruptedError):
        training.measure_training(load("guandan"), training.QUICK)
    assert unused == [{}]


@long
def test_measure_training_requires_initial_weights() -> None:
    pytest.importorskip("torch")
    effort = training.TrainingBenchConfig(num_updates=1, num_envs=16, rollout_size=128)
    [figure] = training.measure_training(load("guandan"), effort)
    assert figure.target == 8_000
    assert figure.value > 0
    assert training.measure_training(load("big2"), effort) == []


def test_measure_play_returns_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "NUM_TABLES", 20)
    monkeypatch.setattr(play, "NUM_KB_TABLES", 20)
    monkeypatch.setattr(play, "EPISODE_DECISIONS", 5)
    guandan = load("guandan")
    effort = play.PlayBenchConfig(repetitions=1, seconds=0.01, num_hands=5, num_decisions=20)
    figures = play.measure_play(guandan.engine(), effort, load_targets("guandan"))
    assert [figure.target for figure in figures] == [300_000, 100_000, 20_000, None, 20_000, 20, None]
    assert figures[-1].value >= figures[-2].value
    assert all(figure.value > 0 for figure in figures)


def test_measure_environments_compares_with_the_bare_loop() -> None:
    """Rates of both, their ratio, which has a target, and the rate with preferences."""
    config = environments.EnvBenchConfig(num_envs=16, num_decisions=64, repetitions=1, steps_in_turn=2)
    rate, ratio, preferences = environments.measure_environments(load("doudizhu").engine(), config)
    assert ratio.target == environments.MIN_RATIO == 0.9
    assert ratio.value == rate.value / rate.others[0][1]
    assert min(rate.value, preferences.value) > 0


def test_measure_solving_requires_a_solvable_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "HAND_SIZES", (6, 10))
    big2 = load("big2")
    six, ten = solving.measure_solving(big2.engine(), solving.SolvingBenchConfig(num_deals=3), load_targets("big2"))
    assert "6 + 6 cards" in six.what
    assert (six.target, ten.target, ten.at_most, ten.unit) == (None, 4, True, "ms")
    assert min(six.value, ten.value) > 0
    assert solving.measure_solving(load("doudizhu").engine(), solving.FULL) == []


def test_measure_rollouts_compares_with_kb() -> None:
    config = rollouts.RolloutBenchConfig(num_tables=4, repetitions=1)
    (figure,) = rollouts.measure_rollouts(load("guandan").engine(), config)
    assert figure.value > figure.others[0][1] > 0
    assert rollouts.measure_rollouts(load("doudizhu").engine(), config) == []


@pytest.mark.parametrize("agent", [RandomAgent(), play.ListingAgent()])
def test_auto_reset_tables_start_new_matches(agent: RandomAgent | play.ListingAgent) -> None:
    """Matches end and new ones are dealt in their place."""
    room = play.AutoResetTables(load("guandan").engine(), 12)
    ended, before = 0, room.tables.num_episodes.copy()
    for _ in range(6000):
        assert room.step(agent) >= 12
        ended += int((room.tables.num_episodes < before).sum())
        before = room.tables.num_episodes.copy()
        if ended > amount(0, 3):
            return
    raise AssertionError("no match came to an end")


def test_listing_agent_draws_from_the_complete_list() -> None:
    """A key, as a share of all keys, is the place of the move in its list."""
    decisions: Any = load("guandan").engine().sample_decisions(300, seed=1)
    lists, shares = decisions.moves(), (np.arange(300) + 1 / np.pi) / 300  # never between two moves
    moves = play.ListingAgent().play(decisions, (shares * 2.0**64).astype(np.uint64))
    for share, first, end, form, cards in zip(shares, lists.start[:-1], lists.start[1:], *moves, strict=True):
        is_move = (lists.form[first:end] == form) & (lists.cards[first:end] == cards).all(axis=1)
        assert np.flatnonzero(is_move).tolist() == [int(share * (end - first))]


def test_stagger_starts_spreads_the_tables() -> None:
    room = play.AutoResetTables(load("guandan").engine(), 40)
    room.stagger_starts(RandomAgent(), 10)
    assert len(set(room.tables.num_decisions.tolist())) == 10


def test_memory_growth_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    processes.print_memory_growth("guandan", 64)
    assert 0 <= float(capsys.readouterr().out) < 1024


def test_bench_command_prints_a_table_or_json(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [Measurement("steps", 12_345.6, "a/s", 300, others=(("theirs", 4000.0),))]
    monkeypatch.setattr("abl_cards.bench.run_benchmarks", lambda *arguments: figures)
    shown = run("bench", "--quick")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[1].split("  ")[0] == COLUMNS[0]
    assert "12,346 a/s" in shown.stdout
    data = json.loads(run("bench", "--json").stdout)
    assert list(data) == ["game", "version", "machine", "figures"]
    assert data["figures"] == [figure.to_json() for figure in figures]


def test_bench_command_accepts_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = list[str]()

    def run_benchmarks(game: Game, *_: object) -> list[Measurement]:
        measured.append(game.name)
        return []

    monkeypatch.setattr("abl_cards.bench.run_benchmarks", run_benchmarks)
    assert json.loads(run("bench", "--game", str(NEW_GAME), "--json").stdout)["game"] == str(NEW_GAME)
    assert measured == [str(NEW_GAME)]


def test_bench_command_rejects_an_unknown_game() -> None:
    assert run("bench", "--game", "mahjong").exit_code == 2


def test_measure_splits_requires_split_rules() -> None:
    from abl_cards.bench import splits

    effort = splits.SplitsBenchConfig(num_hands=64, num_solved=2, repetitions=1)
    best, fewest = splits.measure_splits(load("doudizhu").engine(), effort, load_targets("doudizhu"))
    assert best.target == 50_000
    assert fewest.target == 20_000
    assert best.others[0][0] == "clingo, here"
    assert not splits.measure_splits(load("big2").engine(), effort, load_targets("big2"))


@long
def test_measure_sums_compares_with_ablkit() -> None:
    pytest.importorskip("ablkit")
    effort = abduction.AbductionBenchConfig(4, 1, 0.9, (2, 3), (3,), 2)
    figures = abduction._measure_sums(effort)
    assert [figure.others[0][0] for figure in figures] == [*["ABLkit's KBBase"] * 3, "ABLkit's GroundKB"]
    assert all(figure.value > 0 for figure in figures)
