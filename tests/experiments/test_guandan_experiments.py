"""The experiments on Guandan with tiny budgets and untrained networks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.experiments import (
    guandan_abln,
    guandan_expert,
    guandan_hidden_hands,
    guandan_kb_ablation,
    hint_weights,
    joint_loop,
)
from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.decision_dataset import collect_self_play
from abl_cards.experiments.experiment import run_experiment
from abl_cards.experiments.expert_agreement import FIRST_ENTRY, AgreementListener
from abl_cards.experiments.external_clients import ExternalProgram
from abl_cards.experiments.hand_estimates import BASELINE_ESTIMATORS, choose_revealed, squared_errors
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.engine import Engine
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.types.moves import Moves
from abl_cards.learners.weights_files import load_card
from abl_cards.reasoners.hidden_hands.hands import abduce_hands, project_estimate
from abl_cards.training.settings import read_config
from tests.cli_runs import ROOT, run
from tests.effort import long
from tests.experiments.conftest import SAMPLE, partial_results


def rows(results: dict[str, Any], table: str) -> list[dict[str, Any]]:
    table_rows: list[dict[str, Any]] = results["tables"][table]["rows"]
    return table_rows


def test_guandan_abln_reports_matches_and_points(tiny_agent: str, tmp_path: Path) -> None:
    settings = guandan_abln.GuandanAblnConfig(agent="greedy", twin="random", rounds=2, games=2, episodes=18)
    results = run_experiment("guandan_abln", settings, tmp_path)
    with_, without = rows(results, "matches")
    assert (with_["won"], without["won"]) == (1.0, 0.0)
    assert (without["from"], without["to"]) == (1 - with_["to"], 1 - with_["from"])
    assert 0 < with_["from"] < 1 == with_["to"]
    assert with_["standard deviation"] == 0
    won, lost = rows(results, "points")
    assert won["episodes"] == lost["episodes"] == 18
    assert won["episodes won"] + lost["episodes won"] == 1
    assert won["3 points"] + won["2 points"] + won["1 point"] == pytest.approx(1)
    for row in rows(results, "point_intervals"):
        assert (row["from"] is None) == (row["won"] is None)
        assert row["won"] is None or row["from"] <= row["won"] <= row["to"]


@long
def test_kb_ablation_measures_all_groups(engine: Engine, tiny_agent: str, tmp_path: Path) -> None:
    groups = set(engine.preference_model().kb.preference_groups.values())
    network_parts = {"no-projection", "no-preferences"}  # the critic of these networks has learned nothing
    assert set(guandan_kb_ablation.measured_parts(tiny_agent, engine)) == groups | network_parts
    assert set(guandan_kb_ablation.measured_parts("kb", engine)) == groups - {"beliefs"}
    single = guandan_kb_ablation.measured_parts("kb", engine, single=True)
    assert set(single) == {*engine.preference_model().preferences()}
    settings = guandan_kb_ablation.GuandanKbAblationConfig(agent="kb", without=("wild", "passing"), games=6)
    results = run_experiment("guandan_kb_ablation", settings, tmp_path)
    best, other = rows(results, "parts")
    assert (best["without"], other["without"]) == ("passing", "wild")  # an agent that passes badly loses
    assert best["won"] == 1.0 > other["won"]
    (part,) = partial_results("guandan_kb_ablation", settings, tmp_path, tmp_path)
    assert rows(part, "parts") == [other]
    assert part["missing"] == "passing"
    with pytest.raises(GameError) as error:
        guandan_kb_ablation.run(
            guandan_kb_ablation.GuandanKbAblationConfig(agent="kb", without=("bomb",)), ExperimentWorkspace(tmp_path)
        )
    assert error.value.code == ErrorCode.UNKNOWN_PART


class Repeater(NullListener):
    """Record the plays by hands, and repeat them; unlike an agent it uses all hands."""

    def __init__(self) -> None:
        self.script: dict[bytes, tuple[int, np.ndarray]] = {}

    def _key(self, course: Any, table: int) -> bytes:
        return course.hands[table].tobytes() + bytes([course.seat[table], course.to_beat[table] + 2 & 255])

    def on_play(self, tables: Any, rows: np.ndarray, moves: Moves) -> None:
        for row, table in enumerate(rows):
            self.script[self._key(tables.state, table)] = moves.form[row], moves.cards[row]

    def play(self, decisions: Any, keys: Any) -> Moves:
        scripted = [self.script[self._key(decisions.view.state, table)] for table in decisions.rows]
        return Moves(*(np.array(column) for column in zip(*scripted, strict=True)))

    def choose(self, choices: Any, keys: Any) -> np.ndarray:
        raise AssertionError("positions lie behind the exchange")


def follow_records(engine: Engine, agent: Any, records: RecordedEpisodes) -> AgreementListener:
    follower = AgreementListener(engine, agent, records, (10, 1, FIRST_ENTRY), seed=0)
    records.replay(engine, follower)
    return follower


def test_replayed_expert_moves_agree_completely(engine: Engine) -> None:
    records, repeater = RecordedEpisodes.load(SAMPLE, "guandan").last_matches(1), Repeater()
    records.replay(engine, repeater)
    follower = follow_records(engine, repeater, records)
    choices = follower.agreement()
    assert choices.shares() == {"overall": 1.0, "not passed": 1.0, "choice": 1.0}
    assert len(choices.agrees) == sum(len(record["plays"]) for record in records.episodes)
    assert 0 < choices.expert_passed.mean() < choices.has_choice.mean() < 1
    endings = follower.predict_scores(lambda done, remark: None)
    assert set(endings) == {10, 1, FIRST_ENTRY}
    assert all(len(right) == len(records) for right in endings.values())
    assert np.concatenate(list(endings.values())).all()


def test_random_agent_agrees_less(engine: Engine) -> None:
    records = RecordedEpisodes.load(SAMPLE, "guandan").last_matches(1)
    (random,) = load_agents(["random"], engine)
    follower = follow_records(engine, random.agent, records)
    shares = follower.agreement().shares()
    assert 0 < (shares["choice"] or 0) < (shares["overall"] or 0) < 0.8
    endings = follower.predict_scores(lambda done, remark: None)
    assert not np.concatenate(list(endings.values())).all()


def test_expert_report_compares_agents(tiny_agent: str, tmp_path: Path) -> None:
    settings = guandan_expert.GuandanExpertConfig(agents=("kb", tiny_agent), records=SAMPLE, last=1, steps=(5, 1))
    results = run_experiment("guandan_expert", settings, tmp_path)
    (part,) = partial_results("guandan_expert", settings, tmp_path, tmp_path)
    assert rows(part, "agreement") == rows(results, "agreement")[:1]
    kb, tiny = rows(results, "agreement")
    assert kb["decisions"] == tiny["decisions"]
    assert kb["overall"] > tiny["overall"] > 0
    steps = rows(results, "steps")
    assert [row["entries before the end"] for row in steps] == ["-max", "-30", "-20", "-10", "-5", "-1"]
    assert steps[-1]["paper: score"] == 0.9537
    assert steps[-1]["kb: action"] is not None
    assert steps[-1]["kb: score, from"] < steps[-1]["kb: score"] <= steps[-1]["kb: score, to"]
    assert steps[2]["kb: score"] is None  # not requested
    assert {"scores.svg", "actions.svg"} <= {file.name for file in tmp_path.iterdir()}


def test_later_plays_are_a_subset_of_the_true_hands(engine: Engine) -> None:
    (greedy,) = load_agents(["greedy"], engine)
    views = collect_self_play(engine, greedy.agent, 400, seed=2)
    assert 400 <= len(views) < 700
    assert (views.played_later <= views.truth).all()
    unplayed = views.truth - views.played_later  # a hand that was not played out lost
    assert ((unplayed.sum(axis=2) == 0).sum(axis=1) >= 1).all()
    assert (views.played_later.sum(axis=(1, 2)) > 0).mean() > 0.9
    estimate = BASELINE_ESTIMATORS["counting + facts + hints"](views)
    tightened = abduce_hands(estimate, views.constraints, views.played_later)
    assert views.constraints.is_consistent(tightened, 1e-3).all()
    assert (tightened >= views.played_later - 1e-4).all()
    better, plain = (
        squared_errors(views, tightened)["all"],
        squared_errors(views, project_estimate(estimate, views.constraints))["all"],
    )
    assert better < 0.7 * plain
    assert [choose_revealed(views, share, 1).mean() for share in (0.0, 1.0)] == [0.0, 1.0]
    half = choose_revealed(views, 0.5, 1)
    assert all(len(set(half[views.episode == number])) == 1 for number in set(views.episode))


@long
def test_guandan_hidden_hands_reports_estimation_errors(tiny_agent: str, tmp_path: Path) -> None:
    settings = guandan_hidden_hands.GuandanHiddenHandsConfig(
        agent=tiny_agent, records=SAMPLE, last=1, decisions=120, shares=(0.0, 1.0), pretrain_decisions=150, steps=2
    )
    results = run_experiment("guandan_hidden_hands", settings, tmp_path)
    for place in ("contest", "own"):
        errors = {row["estimate"]: row["all"] for row in rows(results, f"errors_{place}")}
        assert errors["counting"] >= errors["counting + facts"] > errors["counting + facts + hints"]
        assert errors["ABLN"] >= errors["ABLN + projection"] - 1e-3
    nothing, abducing, full = rows(results, "abduction")
    assert (nothing["the rest"], abducing["the rest"], full["the rest"]) == ("left out", "abduced", "–")
    assert abducing["own: error"] != nothing["own: error"] != full["own: error"]
    assert nothing["own: gap closed"] is full["own: gap closed"] is None
    *parts, last = partial_results("guandan_hidden_hands", settings, tmp_path, tmp_path)
    assert [row["estimate"] for row in rows(parts[0], "errors_contest")] == ["counting"]
    assert rows(last, "abduction") == [nothing, {**abducing, "own: gap closed": None, "contest: gap closed": None}]


def test_agents_without_abln_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="has no ABLN"):
        guandan_hidden_hands.run(
            guandan_hidden_hands.GuandanHiddenHandsConfig(agent="kb", records=SAMPLE), ExperimentWorkspace(tmp_path)
        )


def test_fitted_hint_weights_do_not_lower_the_likelihood(tmp_path: Path) -> None:
    settings = hint_weights.HintWeightsConfig(records=SAMPLE, share=0.5, held_out=0, steps=10)
    results = run_experiment("hint_weights", settings, tmp_path)
    before, after = map(float, re.findall(r"-\d\.\d+", results["tables"]["weights"]["note"]))
    assert after >= before


@long
def test_joint_loop_reports_play_before_and_after_training(tiny_agent: str, tmp_path: Path) -> None:
    settings = joint_loop.JointLoopConfig(
        preset="tiny", minutes=0.01, stages=1, num_envs=16, rollout_size=128, minibatch_size=64,
        opponents=("random",), reference_agent="greedy",
        episodes=8,
    )  # fmt: skip
    results = run_experiment("joint_loop", settings, tmp_path / "out")
    (row,) = rows(results, "training")
    assert row["updates"] >= 1
    assert load_card(Path(row["weights"])).steps == row["decisions"]
    before, after, beside = rows(results, "episodes")
    assert [player["agent"] for player in (before, after, beside)] == [
        "after 0 minutes",
        "after 0.01 minutes",
        "greedy",
    ]
    assert beside["from"] < beside["won"] <= beside["to"]
    assert {"learned", "critic", "pace"} <= set(results["plots"])
    curve = results["plots"]["learned"]
    assert [point[0] for point in curve["lines"]["against random"]] == [0, 0.01]
    assert set(curve["intervals"]) == {"against random", "greedy against random"}
    parts = partial_results("joint_loop", settings, tmp_path / "out", tmp_path)
    assert [rows(part, "episodes") for part in parts] == [[before], [before, after]]
    (folder,) = (tmp_path / "out").glob("loop-*")
    saved = (folder / "metrics.jsonl").read_bytes()
    assert run_experiment("joint_loop", settings, tmp_path / "out") == results  # it has had its minutes
    assert (folder / "metrics.jsonl").read_bytes() == saved
    with pytest.raises(GameError, match="does not learn"):
        joint_loop.run(joint_loop.JointLoopConfig(init_from="kb"), ExperimentWorkspace(tmp_path))


@long
def test_joint_loop_uses_profile_and_initial_weights(tiny_agent: str, tmp_path: Path) -> None:
    settings = joint_loop.JointLoopConfig(
        init_from=tiny_agent, profile="danzero", minutes=0.005, stages=1, num_envs=16, rollout_size=128,
        minibatch_size=64,
        opponents=("random",), reference_agent="", episodes=4,
    )  # fmt: skip
    run_experiment("joint_loop", settings, tmp_path)
    (folder,) = tmp_path.glob("loop-*")
    config = read_config(folder)
    assert config is not None
    assert (config.profile, config.preset, config.prior_scale) == ("danzero", "tiny", None)
    assert f"abl:weights={config.init_from}" == tiny_agent


CLIENT = (
    "import asyncio, sys; from tests.server.plain_client import PlainClient; "
    "asyncio.run(PlainClient(sys.argv[1]{}).run())"
)


def run_tournament(tmp_path: Path, command: str, visitors: str = "plain", *more: str) -> Any:
    words = [
        "run",
        "guandan_tournament",
        "--dir",
        str(tmp_path),
        "--json",
        "--set",
        "agents=greedy",
        "--set",
        "external_games=2",
    ]
    sets = [f"external_programs={visitors}", f"command={command}", *more]
    return run(*words, *(part for setting in sets for part in ("--set", setting)))


def test_external_programs_play_in_the_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    client = CLIENT.format(", strong=sys.argv[2] == 'strong'")
    done = run_tournament(tmp_path, f'{sys.executable} -c "{client}" {{url}} {{name}}', "plain strong")
    assert done.exit_code == 0, done.stderr
    win_rows = rows(json.loads(done.stdout), "wins")
    assert {"agent": "greedy", "greedy": None, "plain": 1.0}.items() <= win_rows[0].items()
    assert win_rows[0]["strong"] is not None
    assert (win_rows[1]["greedy"], win_rows[1]["strong"]) == (0.0, None)  # visitors do not meet each other
    log = (tmp_path / "log.txt").read_text("utf-8")
    assert all(f"seat {seat}: {name}" in log for seat in (1, 3) for name in ("plain", "strong"))
    assert "left" not in log


def test_external_programs_need_unique_names(tmp_path: Path) -> None:
    done = run_tournament(tmp_path, "true", "greedy")
    assert done.exit_code == 1
    assert "name of its own" in done.stderr


def test_external_program_that_exits_is_reported(tmp_path: Path) -> None:
    done = run_tournament(tmp_path, f'{sys.executable} -c "raise SystemExit(3)"')
    assert done.exit_code == 1
    assert "exit code 3" in done.stderr


def test_external_program_startup_timeout_is_reported(tmp_path: Path) -> None:
    """End the tournament when a program does not connect in time."""
    done = run_tournament(
        tmp_path, f"{sys.executable} -c 'import time; time.sleep(600)'", "plain", "startup_timeout=0.5"
    )
    assert done.exit_code == 1
    assert "not all of them sat down within 0.5 seconds (startup_timeout=" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("command=bot '{url}",), "no closing quotation"),
        (("external_games=0",), "from 1 to"),
        (("port=65536",), "from 0 to 65535"),
        (("think_time=-1",), "think_time is a number from 0 on"),
        (("think_time=nan",), "of type float"),
    ],
)
def test_invalid_external_program_settings_are_rejected(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    sets = [part for word in ("agents=greedy", "external_programs=a'b", *words) for part in ("--set", word)]
    done = run("run", "guandan_tournament", "--dir", str(tmp_path), *sets)
    assert done.exit_code in (1, 2)
    assert message in done.stderr


def test_external_program_name_is_not_parsed_as_shell_syntax() -> None:
    visitor = ExternalProgram("a'b\"c", "bot '{name} x' {url}", 0, 1)
    assert visitor.command_words("ws://x") == ["bot", "a'b\"c x", "ws://x"]
