"""Parts of the agents kb and abl that can be left out, for shipped and other folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from abl_cards.ablation.firing import skip_idle_parts
from abl_cards.ablation.parts import AblationPart, list_parts, make_variant_part, select_parts
from abl_cards.ablation.runner import ablate
from abl_cards.agents.registry import make_preference_model
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.sampling import sample_estimate
from abl_cards.learners.presets import PRESETS
from tests.effort import amount
from tests.learners.tiny import TINY, save_untrained


@pytest.fixture(scope="module")
def idle(idle_folder: Path) -> Engine:
    return load(str(idle_folder)).engine()


def names(parts: list[AblationPart]) -> list[str]:
    return [part.name for part in parts]


def test_list_parts_of_agent_kb(idle: Engine) -> None:
    groups = ["kb:control", "kb:following", "kb:idle", "kb:leading", "kb:structure"]
    parts = list_parts(idle, "kb")
    assert names(parts) == ["preferences", *groups, "idle.lp", "preferences.lp"]  # no game without the others
    everything = parts[0].variant_of("kb")
    assert not make_preference_model(everything, idle).preferences()
    assert "always" not in make_preference_model("kb:without=idle.lp", idle).preferences()
    single = names(list_parts(idle, "kb", single=True))
    assert single == sorted(f"kb:{name}" for name in idle.preference_model().preferences())


def test_beliefs_file_is_a_part_of_abl_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_list_parts_of_agent_abl() -> None:
    engine = load("doudizhu").engine()
    parts = {part.name: part for part in list_parts(engine, "abl")}
    assert {"projection", "lookahead", "rollout-network", "endgame", "minimiser"} <= {*parts}
    assert parts["lookahead"].variant_of("abl:think=50,endgame=8") == "abl:no-lookahead"
    assert parts["endgame"].variant_of("abl:think=50,endgame=8") == "abl:endgame=0,think=50"
    assert parts["rollout-network"].variant_of("abl:think=50") == "abl:no-rollout-network,think=50"
    for name in ("rollout-network", "endgame", "minimiser", "projection", "lookahead")[: amount(1, 5)]:
        remaining = names(list_parts(engine, parts[name].variant_of("abl")))
        assert name not in remaining


def test_select_parts_keeps_order_and_rejects_unknown(idle: Engine) -> None:
    assert names(select_parts(idle, "kb", ["kb:pass", "kb:idle", "kb:pass"])) == ["kb:pass", "kb:idle"]
    assert select_parts(idle, "kb", None) == list_parts(idle, "kb")
    with pytest.raises(GameError, match="kb:idle") as error:
        select_parts(idle, "kb", ["kb:nothing"])
    assert error.value.code == ErrorCode.UNKNOWN_PART


def test_parts_of_a_game_by_name() -> None:
    assert list_parts("president", "kb") == list_parts(load("president"), "kb")


@pytest.mark.parametrize(
    ("agent", "code"),
    [
        ("greedy", ErrorCode.AGENT_NOT_APPLICABLE),
        ("kb:clingo=kb/president", ErrorCode.AGENT_NOT_APPLICABLE),
        ("nobody", ErrorCode.UNKNOWN_AGENT),
        ("kb:without=nothing.lp", ErrorCode.UNKNOWN_PART),
    ],
)
def test_agents_without_parts_are_rejected(idle: Engine, agent: str, code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        list_parts(idle, agent)
    assert error.value.code == code


def test_removed_file_changes_costs_with_an_estimate() -> None:
    """Without the preferences that guandan's beliefs.lp adds, the costs of an agent with an estimate differ."""
    engine = load("guandan").engine()
    decisions = engine.sample_decisions(200, 1)
    estimate, lists = sample_estimate(engine.rules, decisions, 1), decisions.moves()
    whole, reduced = (make_preference_model(name, engine) for name in ("kb", "kb:without=beliefs.lp"))
    assert not np.array_equal(whole.costs(decisions, lists, estimate)[0], reduced.costs(decisions, lists, estimate)[0])
    assert np.array_equal(whole.costs(decisions, lists)[0], reduced.costs(decisions, lists)[0])


def test_groups_that_never_fire_are_skipped(idle_folder: Path, tmp_path: Path) -> None:
    """A group that no candidate move meets is skipped; one that holds for every move is kept."""
    folder = tmp_path / "with-a-dead-group"
    shutil.copytree(idle_folder, folder)
    rules = 'preference(never, dead). says(never, en, "Never."). says(never, zh, "无。").\n'
    rules += "cost(never, 5) :- leading, passing.\n"  # a seat that leads cannot pass
    with (folder / "preferences.lp").open("a", encoding="utf-8") as file:
        file.write(rules)
    engine = load(str(folder)).engine()
    listed = list_parts(engine, "kb")
    assert "kb:dead" in names(listed)
    parts, skipped = skip_idle_parts(engine, "kb", listed, games=12)
    assert [skip.part for skip in skipped] == ["kb:dead"]
    assert names(parts) == [name for name in names(listed) if name != "kb:dead"]
    assert skip_idle_parts(engine, "kb", [part for part in listed if part.name == "preferences"])[1] == []


def test_variants_are_measured_like_parts(idle: Engine) -> None:
    part = make_variant_part("kb:without=leading", "greedy")
    assert part.variant_of("greedy") == part.name == "kb:without=leading"
    with pytest.raises(GameError) as error:
        make_variant_part("greedy", "greedy")
    assert error.value.code == ErrorCode.DUPLICATE_AGENT
    (row,) = ablate(idle, "greedy", games=24, variants=["random"]).rows
    assert row.part == "random"
    assert row.rate > 0.5
