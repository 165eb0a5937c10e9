"""The rules of a run: all its workers and matches use the rules of its start."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.weights_files import load_card
from abl_cards.training.run_parts import RunParts
from abl_cards.training.run_rules import check_same_rules, compute_rule_digests
from abl_cards.training.run_settings import resolve_config
from abl_cards.training.settings import TrainConfig, read_config
from abl_cards.training.trainer import Trainer
from tests.cli_runs import run
from tests.edited import edited
from tests.games.test_vocabulary import HOME as VOCABULARY
from tests.training.test_joint_loop import lines
from tests.training.test_joint_loop import settings as usual

GAME, OTHER = "paodekuai", "lowest_seat"
"""A game whose rules are compiled soon, and a profile of it that is not the usual one."""


def settings(directory: Path, **changes: Any) -> TrainConfig:
    return usual(directory, **({"game": GAME} | changes))


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package's rules."""
    return edited(tmp_path_factory.mktemp("rules") / "mine", name=GAME)


@pytest.fixture(scope="module")
def fewer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return rules without the shortest runs: fewer labels, hence networks of another shape."""
    old = "label(run(M,N,R))     :- series(M,L), row(M,N,R), N >= L."
    edits = {"labels.lp": (old, old.replace(">=", ">"))}
    return edited(tmp_path_factory.mktemp("rules") / "fewer", edits, name=GAME)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the game of ``kb new``."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))


def test_rule_digests_depend_on_contents_only(mine: Path) -> None:
    ours = compute_rule_digests(load(GAME).engine())
    assert {"rules.lp", "labels.lp", "profiles/standard.lp"} <= set(ours)
    assert compute_rule_digests(load(GAME).engine(mine)) == ours
    others = compute_rule_digests(load(GAME).engine(None, OTHER))
    programs = {"program of standard", f"program of {OTHER}"}
    assert set(others) ^ set(ours) == {"profiles/standard.lp", f"profiles/{OTHER}.lp", *programs}


def test_check_same_rules_names_differing_files() -> None:
    begun = {"rules.lp": "1", "old.lp": "2"}
    check_same_rules(begun, dict(begun))
    with pytest.raises(GameError, match=r"rules\.lp .*old\.lp .*new\.lp ") as error:
        check_same_rules(begun, {"rules.lp": "3", "new.lp": "4"})
    assert error.value.code == ErrorCode.RUN_MISMATCH


def test_comments_do_not_change_the_rules(folder: Path) -> None:
    """Comments, layout and sentences do not count; an earlier version stored digests of files alone."""
    file, begun = folder / "rules.lp", compute_rule_digests(load(str(folder)).engine())
    former = {name: digest for name, digest in begun.items() if not name.startswith("program of ")}
    check_same_rules(former, begun)
    text = file.read_text("utf-8")
    file.write_text(f"% Another comment.\n\n{text}", "utf-8")
    edited_digests = compute_rule_digests(load(str(folder)).engine())
    assert edited_digests["rules.lp"] != begun["rules.lp"]
    check_same_rules(begun, edited_digests)
    with pytest.raises(GameError, match=r"rules\.lp") as error:
        check_same_rules(former, edited_digests)
    file.write_text(f"{text}barred(pair(3)) :- label(pair(3)).\n", "utf-8")
    with pytest.raises(GameError, match=r"rules\.lp") as error:
        check_same_rules(begun, compute_rule_digests(load(str(folder)).engine()))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    with pytest.raises(GameError, match="program of"):  # an included file
        check_same_rules(begun, {**begun, "program of the rules": "3"})


def test_workers_and_matches_use_the_rules_of_the_run(tmp_path: Path, fewer: Path) -> None:
    """Workers use the rules of the run; with the package's rules they would have more labels."""
    trained = Trainer.from_config(settings(tmp_path, kb=fewer, workers=2, total_decisions=1, critic_warmup_updates=0))
    assert len(trained.engine.labels) < len(load(GAME).engine().labels)
    trained.fit()
    assert len(lines(tmp_path)) == 1
    words = ["match", GAME, f"abl:weights={trained.weights_path}", "greedy", "--games", "2", "--json"]
    played = run(*words, "--kb", str(fewer))
    assert played.exit_code == 0, played.stderr
    assert json.loads(played.stdout)["games"] == 2
    refused = run(*words)
    assert refused.exit_code in (1, 2)
    assert str(trained.weights_path) in refused.stderr


def test_worker_rejects_state_of_other_rules(tmp_path: Path) -> None:
    """Reject a worker whose rule files changed after the start of the run."""
    run_ = Trainer.from_config(settings(tmp_path))
    with pytest.raises(GameError, match=r"rules\.lp") as error:
        run_.load_state_dict(run_.shared_state() | {"rules": dict.fromkeys(run_.rule_digests, "edited")}, {})
    assert error.value.code == ErrorCode.RUN_MISMATCH


def test_resume_rejects_other_rules_and_keeps_the_checkpoint(tmp_path: Path, mine: Path, fewer: Path) -> None:
    chosen = settings(tmp_path / "run", total_decisions=1)
    first = Trainer.from_config(chosen)
    first.fit()
    saved = first.checkpoint_path.read_bytes()
    assert Trainer.from_config(replace(chosen, kb=mine)).num_updates == first.num_updates  # the same ones, elsewhere
    with pytest.raises(GameError, match=rf"checkpoint.*profiles/{OTHER}\.lp") as error:
        Trainer.from_config(replace(chosen, profile=OTHER))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    with pytest.raises(GameError, match=r"labels\.lp") as error:
        Trainer.from_config(replace(chosen, kb=fewer))
    assert error.value.code == ErrorCode.RUN_MISMATCH
    assert first.checkpoint_path.read_bytes() == saved


def test_settings_are_read_from_the_run_folder(tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    chosen = settings(tmp_path / "run", kb=Path("mine"), total_decisions=1, rollout_size=96, abln=False)
    Trainer.from_config(chosen)
    assert read_config(tmp_path / "run") == replace(chosen, kb=mine)
    assert read_config(tmp_path / "elsewhere") is None
    (tmp_path / "run" / "settings.json").write_text("{", "utf-8")
    with pytest.raises(GameError, match=r"settings\.json") as error:
        read_config(tmp_path / "run")
    assert error.value.code == ErrorCode.INVALID_JSON


def train(folder: Path, *words: str) -> Any:
    return run("train", GAME, "--dir", str(folder), *words)


def test_train_command_resumes_with_stored_settings(tmp_path: Path, mine: Path) -> None:
    words = [f"--set={word}" for word in ("preset=tiny", "rows=128", "tables=16", "threads=1", "decisions=1")]
    begun = train(tmp_path / "run", *words, "--kb", str(mine), "--json")
    assert begun.exit_code == 0, begun.stderr
    first = json.loads(begun.stdout)
    again = train(tmp_path / "run", "--set", f"decisions={first['decisions'] + 1}", "--json")
    assert again.exit_code == 0, again.stderr
    resumed = json.loads(again.stdout)
    assert resumed["decisions"] > first["decisions"]
    assert resumed["last"]["update"] == 1 + len(lines(tmp_path / "run")[1:])
    assert f"kb={mine}" in load_card(Path(resumed["weights"])).command
    changed = train(tmp_path / "run", "--set", "rows=64", "--set", "seed=3")
    assert changed.exit_code == 1
    assert "seed: begun with 0; rollout_size: begun with 128. Leave out these settings" in changed.stderr
    other = train(tmp_path / "run", "--profile", OTHER)
    assert other.exit_code == 1
    assert "begun by other rules" in other.stderr
    assert run("train", "doudizhu", "--dir", str(tmp_path / "run")).exit_code == 1
    shown = train(tmp_path / "run", "--settings")
    assert "128" in shown.stdout


def test_train_command_rejects_unknown_profile(tmp_path: Path) -> None:
    answer = train(tmp_path / "run", "--profile", "nobody")
    assert answer.exit_code == 1
    assert "unknown profile 'nobody'" in answer.stderr
    assert not (tmp_path / "run").exists()


def test_initial_policy_depends_on_prior_scale(tmp_path: Path) -> None:
    """Start from the preferences by default, and from equal labels with prior_scale=0."""
    nothing, known = (Trainer.from_config(settings(tmp_path / str(trust), prior_scale=trust)) for trust in (0.0, None))
    for trainer, alike in ((nothing, True), (known, False)):
        view = trainer.self_play.policy.features(
            trainer.self_play.tables.decisions(trainer.self_play.tables.rows_to_play())
        )
        weighed = trainer.self_play.policy.log_probs(view)
        spread = [float(row[legal].max() - row[legal].min()) for row, legal in zip(weighed, view.legal, strict=True)]
        assert (max(spread) < 1) == alike


def test_shell_command_includes_kb_and_profile() -> None:
    chosen = TrainConfig(Path("x"), kb=Path("my rules"), profile="danzero")
    assert chosen.shell_command() == "abl-cards train guandan --set 'kb=my rules' --set profile=danzero"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"num_envs": 0}, ErrorCode.INVALID_SETTING),
        ({"rollout_size": -1}, ErrorCode.INVALID_SETTING),
        ({"learning_rate": "a"}, ErrorCode.INVALID_SETTING),
        ({"kb_opponent_share": 2}, ErrorCode.INVALID_SETTING),
        ({"kb_opponent_share": 0.7, "past_opponent_share": 0.7}, ErrorCode.SETTING_CONFLICT),
        ({"trick_point_reward": 0.5}, ErrorCode.SETTING_CONFLICT),
        ({"pretrain_agent": "kb", "pretrain_decisions": 0}, ErrorCode.SETTING_CONFLICT),
        ({"records": Path(__file__), "pretrain_episodes": 8}, ErrorCode.SETTING_CONFLICT),
        ({"second_profile": "foo"}, ErrorCode.UNKNOWN_PROFILE),
        ({"game": str(VOCABULARY / "giving"), "profile": None}, ErrorCode.UNSUPPORTED_GAME),
        ({"records": Path("nowhere.jsonl")}, None),
    ],
)
def test_invalid_settings_are_rejected_before_writing(
    tmp_path: Path, changes: dict[str, Any], code: ErrorCode | None
) -> None:
    with pytest.raises((GameError, KBError, FileNotFoundError)) as error:
        Trainer.from_config(replace(settings(tmp_path / "run"), **changes))
    assert getattr(error.value, "code", None) == code
    assert not (tmp_path / "run").exists()


def test_interrupted_train_command_prints_the_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "fit", interrupt)
    directory = tmp_path / "run"
    shown = run("train", GAME, "--dir", str(directory), "--set", "preset=tiny", "--set", "workers=1")
    assert shown.exit_code == 130
    assert str(directory) in shown.stderr


def test_settings_accept_numpy_numbers() -> None:
    given = TrainConfig(seed=np.int64(3), num_envs=np.uint8(8), learning_rate=np.float32(0.5), gamma=np.float64(1))  # type: ignore[arg-type]
    assert given == TrainConfig(seed=3, num_envs=8, learning_rate=0.5, gamma=1.0)
    assert json.loads(json.dumps(given.to_json()))["seed"] == 3


def test_resolve_config_accepts_all_forms_of_a_game() -> None:
    game = load("guandan", "platform")
    names = [resolve_config(form, RunParts(), None) for form in (game, game.engine(), game.directory, "guandan")]
    assert [(config.game, config.profile) for config in names] == [
        ("guandan", "platform"), ("guandan", "platform"), ("guandan", None), ("guandan", None)
    ]  # fmt: skip
