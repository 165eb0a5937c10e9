"""Plots of a run: measured values with their counts, and no points for missing values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.learners.presets import PRESETS
from abl_cards.matches.intervals import wilson_interval
from abl_cards.training import plots
from abl_cards.training.metrics import read_metrics
from abl_cards.training.plots import MAX_POINTS, PlotWriter, build_curves
from tests.cli_runs import run
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import SHORT


def line(update: int, **more: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("policy_loss", "entropy", "divergence", "clipped", "hands_loss"))
    return {"update": update, "decisions": 100 * update, "pace": 50.0, "value_loss": 1.0, **nothing, **more}


def test_missing_values_have_no_points() -> None:
    first = [line(1), line(2)]
    assert [curve.name for curve in build_curves(first)] == ["critic", "pace"]
    curves = {curve.name: curve.lines for curve in build_curves([*first, line(3, hands_loss=0.25, entropy=1.5)])}
    assert curves["hands"] == {"hands_loss": [(300, 0.25)]}
    assert curves["entropy"] == {"entropy": [(300, 1.5)]}
    assert build_curves([]) == []


def test_win_curves_have_counts_and_intervals() -> None:
    kb = {"episodes against kb": 10, "wins against kb": 0.3}
    past = {"episodes against its past": 4, "wins against its past": 1.0}
    (wins,) = (curve for curve in build_curves([line(1), line(2, **kb), line(3, **kb, **past)]) if curve.name == "wins")
    assert wins.lines == {
        "against kb (20 episodes)": [(200, 0.3), (300, 0.3)],
        "against its past (4 episodes)": [(300, 1.0)],
    }
    assert wins.bands["against kb (20 episodes)"][0] == pytest.approx((200, *wilson_interval(0.3, 10)))
    assert set(wins.to_json()["intervals"]) == set(wins.lines)


def test_many_updates_are_aggregated() -> None:
    kb = {"episodes against kb": 10, "wins against kb": 0.5}
    many = [line(number, **kb) for number in range(1, 3 * MAX_POINTS + 1)]
    curves = {curve.name: curve for curve in build_curves(many)}
    ((name, points),) = curves["wins"].lines.items()
    assert len(points) == MAX_POINTS
    assert curves["wins"].bands[name][0] == pytest.approx((300, *wilson_interval(0.5, 30)))
    assert curves["pace"].lines["pace"][-1] == (100 * len(many), 50.0)


def test_training_draws_its_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.setattr(plots, "_DRAW_INTERVAL", 0.0)  # as it goes
    words = ["train", SHORT, "--dir", str(tmp_path), "--plots", "--json"]
    words += [f"--set={word}" for word in ("preset=tiny", "tables=32", "rows=32", "threads=1", "decisions=1")]
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    drawn = json.loads(done.stdout)["plots"]
    assert str(tmp_path / "critic.png") in drawn
    assert all(Path(file).read_bytes().startswith(b"\x89PNG") for file in drawn)
    (first,) = read_metrics(tmp_path)
    against = [name for name in first if name.startswith("episodes against ")]
    assert all(first[name] > 0 and name.replace("episodes", "wins") in first for name in against)


def test_missing_matplotlib_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "has_matplotlib", lambda: False)
    with pytest.raises(GameError) as error:
        PlotWriter(tmp_path)
    assert error.value.code == ErrorCode.MISSING_LIBRARY
