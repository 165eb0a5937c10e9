"""Parts of the agents kb and abl that can be left out, for shipped and other folders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.ablation.parts import AblationPart, list_parts, select_parts
from abl_cards.agents.registry import make_preference_model
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.sampling import sample_estimate
from abl_cards.learners.presets import PRESETS
from tests.learners.tiny import TINY, save_untrained


@pytest.fixture(scope="module")
def idle(idle_folder: Path) -> Engine:
    return load(str(idle_folder)).engine()


def names(parts: list[AblationPart]) -> list[str]:
    return [part.name for part in parts]


def test_parts_of_preferences_alone(idle: Engine) -> None:
    groups = ["kb:control", "kb:following", "kb:idle", "kb:leading", "kb:structure"]
    parts = list_parts(idle, "kb")
    assert names(parts) == ["preferences", *groups, "idle.lp", "preferences.lp"]  # no game without the others
    everything = parts[0].variant_of("kb")
    assert not make_preference_model(everything, idle).preferences()
    assert "always" not in make_preference_model("kb:without=idle.lp", idle).preferences()
    single = names(list_parts(idle, "kb", single=True))
    assert single == sorted(f"kb:{name}" for name in idle.preference_model().preferences())


def test_a_file_that_only_beliefs_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agent kb estimates no hands, so that the file of beliefs is a part of abl alone."""
    monkeypatch.setitem(PRESETS, TINY.name, TINY)
    engine = load("guandan").engine()
    learned = f"abl:weights={save_untrained(tmp_path)}"
    assert "beliefs.lp" not in names(list_parts(engine, "kb"))
    parts = names(list_parts(engine, learned))
    assert {"preferences", "kb:beliefs", "beliefs.lp", "projection", "lookahead", "minimiser"} <= {*parts}
    assert not {"lookahead", "endgame"} & {*names(list_parts(engine, f"{learned},no-lookahead"))}
    assert "projection" not in names(list_parts(engine, f"{learned},no-projection"))
    assert "minimiser" not in names(list_parts(engine, f"{learned},no-preferences"))


def test_parts_of_trained_networks() -> None:
    engine = load("doudizhu").engine()
    parts = {part.name: part for part in list_parts(engine, "abl")}
    assert {"projection", "lookahead", "endgame", "minimiser"} <= {*parts}
    assert parts["lookahead"].variant_of("abl:think=50,endgame=8") == "abl:no-lookahead"
    assert parts["endgame"].variant_of("abl:think=50,endgame=8") == "abl:endgame=0,think=50"
    for name in ("projection", "lookahead", "endgame", "minimiser"):
        remaining = names(list_parts(engine, parts[name].variant_of("abl")))
        assert name not in remaining


def test_selection(idle: Engine) -> None:
    assert names(select_parts(idle, "kb", ["kb:pass", "kb:idle", "kb:pass"])) == ["kb:pass", "kb:idle"]
    assert select_parts(idle, "kb", None) == list_parts(idle, "kb")
    with pytest.raises(GameError, match="kb:idle") as error:
        select_parts(idle, "kb", ["kb:nothing"])
    assert error.value.code == ErrorCode.UNKNOWN_PART


@pytest.mark.parametrize(
    ("agent", "code"),
    [
        ("greedy", ErrorCode.AGENT_NOT_APPLICABLE),
        ("kb:clingo=kb/president", ErrorCode.AGENT_NOT_APPLICABLE),
        ("nobody", ErrorCode.UNKNOWN_AGENT),
        ("kb:without=nothing.lp", ErrorCode.UNKNOWN_PART),
    ],
)
def test_agents_without_parts(idle: Engine, agent: str, code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        list_parts(idle, agent)
    assert error.value.code == code


def test_a_file_left_out_changes_decisions() -> None:
    """Without the preferences that guandan's beliefs.lp adds, the costs of an agent with an estimate differ."""
    engine = load("guandan").engine()
    decisions = engine.sample_decisions(200, 1)
    estimate, lists = sample_estimate(engine.rules, decisions, 1), decisions.moves()
    whole, reduced = (make_preference_model(name, engine) for name in ("kb", "kb:without=beliefs.lp"))
    assert not np.array_equal(whole.costs(decisions, lists, estimate)[0], reduced.costs(decisions, lists, estimate)[0])
    assert np.array_equal(whole.costs(decisions, lists)[0], reduced.costs(decisions, lists)[0])
