"""Sweeps of the weight of a preference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.ablation.results import AblationVerdict
from abl_cards.ablation.sweep import sweep_weight
from abl_cards.agents.registry import make_preference_model
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load


def test_scale_option_multiplies_weights() -> None:
    engine = load("president").engine()
    whole, scaled = (make_preference_model(name, engine) for name in ("kb", "kb:scale=structure*2"))
    groups = whole.kb.preference_groups
    for (kind, arguments), before, after in zip(whole.outputs, whole.weights, scaled.weights, strict=True):  # type: ignore[attr-defined]
        name = str(arguments[0]).partition("(")[0]
        factor = 2 if kind == "cost" and groups[name] == "structure" else 1
        assert after == factor * before
    none = make_preference_model("kb:scale=structure*0", engine)
    left_out = make_preference_model("kb:without=structure", engine)
    decisions = engine.sample_decisions(100, 1)
    lists = decisions.moves()
    assert np.array_equal(none.costs(decisions, lists)[0], left_out.costs(decisions, lists)[0])


def test_sweep_weight_measures_each_factor(tmp_path: Path) -> None:
    result = sweep_weight("president", "structure", [4, 0, 1], games=48, folder=tmp_path)
    assert [point.factor for point in result.points] == [0, 4]
    without = result.points[0]
    assert without.rate < 0.5
    assert without.interval[0] < without.rate < without.interval[1]
    assert without.verdict in (AblationVerdict.HARMS, AblationVerdict.NOT_DECIDED)
    assert result.to_json()["points"][0]["factor"] == 0
    assert [row[0] for row in result.cells()[1]] == ["0", "4"]
    result.plot(tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("preference", "factors", "code"),
    [
        ("nothing", [2.0], ErrorCode.UNKNOWN_PREFERENCE),
        ("structure", [1.0], ErrorCode.INVALID_VALUE),
        ("structure", [float("inf")], ErrorCode.INVALID_AGENT_OPTION),
        ("structure", [1e9], ErrorCode.INVALID_AGENT_OPTION),
        ("structure", ["2"], ErrorCode.INVALID_VALUE),
        ("structure", 2.0, ErrorCode.INVALID_VALUE),
    ],
)
def test_invalid_sweeps_are_rejected(preference: str, factors: list[float], code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        sweep_weight("president", preference, factors, games=12)
    assert error.value.code == code
