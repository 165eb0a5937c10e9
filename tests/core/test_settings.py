"""Settings that are parsed from words of the form ``name=value``."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.settings import (
    SEED_RANGE,
    SettingError,
    apply_settings,
    check_settings,
    current_keys,
    describe_settings,
    format_value,
    setting,
    settings_to_json,
)
from abl_cards.training.settings import TrainConfig as TrainingSettings


@dataclass(frozen=True)
class Settings:
    games: int = setting(10, "how many")
    share: float = setting(0.5, "how much")
    fast: bool = setting(True, "how")
    name: str = setting("kb", "who")
    names: tuple[str, ...] = setting(("a", "b"), "who else")
    shares: tuple[float, ...] = setting((0.0, 1.0), "how much else")
    file: Path | None = setting(None, "from where")
    most: int | None = setting(None, "at most")
    seed: int = setting(0, "by which", SEED_RANGE)


def test_settings_of_every_type_are_parsed() -> None:
    words = ["games=1_000", "share=0.25", "fast=false", "names=x y:z,w=1", "shares=0 0.1", "file=a/b", "most=3"]
    expected = Settings(1000, 0.25, False, "kb", ("x", "y:z,w=1"), (0.0, 0.1), Path("a/b"), 3)
    assert apply_settings(Settings(), words) == expected
    assert apply_settings(expected, ["file=none", "most=", "names="]).names == ()
    assert apply_settings(expected, ["file=none", "most="]).file is None


FLOATS = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
COUNTS = st.integers(1, SEED_RANGE[-1])


@given(
    st.builds(
        Settings, COUNTS, FLOATS, st.booleans(), st.sampled_from(["kb", "abl:a=b,c"]),
        st.lists(st.sampled_from(["kb", "abl:a,b"])).map(tuple), st.lists(FLOATS).map(tuple),
        st.none() | st.just(Path("x/y.gz")), st.none() | COUNTS, st.integers(0, SEED_RANGE[-1]),
    )
)  # fmt: skip
def test_formatted_settings_round_trip(settings: Settings) -> None:
    words = [f"{name}={format_value(value)}" for name, value in vars(settings).items()]
    assert apply_settings(Settings(), words) == settings


@pytest.mark.parametrize(
    "word",
    [
        "games",
        "game=3",
        "games=many",
        "fast=2",
        "share=",
        "most=x",
        "file",
        "seed=-5",
        f"seed={2**63}",
        "games=-1",
        "games=0",
        "share=-0.1",
        "shares=0.5 -0.1",
        "most=-1",
        "share=nan",
        "share=inf",
    ],
)
def test_invalid_settings_are_named_in_the_error(word: str) -> None:
    with pytest.raises(SettingError, match=word.partition("=")[0]):
        apply_settings(Settings(), [word])


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("settings", [Settings(), TrainingSettings(Path())])
def test_nan_and_infinity_raise(settings: object, text: str) -> None:
    """Refuse nan and infinity, which are of type float, as what they are."""
    for item in fields(settings):  # type: ignore[arg-type]
        if "float" in str(item.type):
            with pytest.raises(SettingError, match="finite"):
                apply_settings(settings, [f"{item.name}={text}"])


def test_excluded_settings_raise() -> None:
    with pytest.raises(SettingError, match="games=3") as error:
        apply_settings(Settings(), ["games=3"], excluded=("games",))
    assert error.value.code == ErrorCode.INVALID_SETTING
    assert next(name for name, _, _ in describe_settings(Settings(), excluded=("games",))) == "share"


def test_settings_to_json_returns_json_values() -> None:
    data = settings_to_json(Settings(file=Path("x")))
    assert data["file"] == "x"
    assert data["names"] == ["a", "b"]


@pytest.mark.parametrize(
    "word",
    [
        "num_envs=0",
        "rollout_size=0",
        "minibatch_size=-1",
        "checkpoint_interval=0",
        "snapshot_interval=0",
        "threads=0",
        "prior_scale=nan",
        "ent_coef=inf",
        "learning_rate=-1",
        "kb_opponent_share=2",
        "ema_decay=5",
        "prior_scale=-3",
        "total_decisions=-5",
        "critic_warmup_updates=-4",
        "workers=-2",
        "workers=1000000",
        "threads=1000000",
        "actors=1000000",
        "max_policy_lag=-1",
        f"total_decisions={10**20}",
    ],
)
def test_invalid_training_settings_raise(word: str) -> None:
    with pytest.raises(SettingError, match=word.partition("=")[0]):
        apply_settings(TrainingSettings(Path()), [word])


def test_errors_state_the_limits() -> None:
    with pytest.raises(SettingError, match=r"kb_opponent_share .* 0 to 1"):
        apply_settings(TrainingSettings(Path()), ["kb_opponent_share=1.5"])
    assert apply_settings(TrainingSettings(Path()), ["kb_opponent_share=1"]).kb_opponent_share == 1


def test_none_is_accepted_for_optional_settings() -> None:
    assert apply_settings(TrainingSettings(Path(), rollout_size=5), ["rollout_size=none"]).rollout_size is None


def test_former_keys_are_accepted() -> None:
    assert apply_settings(TrainingSettings(Path()), ["rows=64"]).rollout_size == 64
    assert current_keys(TrainingSettings, {"rows": 64, "seed": 1}) == {"rollout_size": 64, "seed": 1}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("games", 0), ("games", True), ("games", "3"), ("games", 2.0), ("share", -0.5), ("share", float("nan")),
        ("share", "1"), ("fast", 1), ("name", None), ("names", ["a"]), ("names", (1,)), ("shares", (0.5, -1.0)),
        ("file", "x"), ("most", 0), ("seed", -1),
    ],
)  # fmt: skip
def test_settings_made_in_python_are_checked(name: str, value: object) -> None:
    with pytest.raises(GameError, match=name) as error:
        check_settings(replace(Settings(), **{name: value}))  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.INVALID_SETTING


@given(st.builds(Settings, games=st.integers(1, 1000).map(np.int64), most=st.none() | st.just(3)))
def test_numpy_numbers_and_integers_for_floats_are_accepted(settings: Settings) -> None:
    check_settings(settings)
    check_settings(replace(settings, share=2))
