"""VectorEnv: shapes, episodes, ends, errors, and independence from the number of environments."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, derive_key
from abl_cards.env import VectorEnv
from abl_cards.games import Engine, game_names, load
from abl_cards.games.tables import Tables, dealing
from tests.effort import amount, long
from tests.env.steps import VOCABULARY, assert_equal, play, random_actions

SHORT = ("numbers", "pot", "tricks", "stock", "fluents")
"""Two to five players, choices, draws, tricks and matches of several deals."""
FOLDERS = [str(folder) for folder in sorted(VOCABULARY.iterdir()) if folder.is_dir()]


@cache
def engine_of(name: str) -> Engine:
    return load(name).engine()


def act_one_by_one(engine: Engine, tables: Tables, action: int) -> None:
    """Play an action at the only table through the engine."""
    row = np.zeros(1, np.int64)
    if tables.rows_to_play().size:
        tables.play(row, tables.decisions(row).first_moves(np.array([action], np.int16)))
    else:
        tables.choose(row, np.array([action - len(engine.labels)], np.uint8))


ALL_FOLDERS = [
    pytest.param(name, marks=[] if Path(name).name in (*SHORT, "doudizhu", "guandan") else [long])
    for name in [*game_names(), *FOLDERS]
]


@pytest.mark.parametrize("name", ALL_FOLDERS)
def test_episodes_equal_those_of_the_engine(name: str) -> None:
    """Every field equals that of single tables with the same keys."""
    engine, num_envs = engine_of(name), 3
    env = VectorEnv(engine, num_envs, seed=5)
    step = env.reset()
    seats = np.arange(env.num_players, dtype=np.int8)
    for index in range(num_envs):
        assert env.keys[index] == derive_key(5, index, 0)
    matches = [0] * num_envs
    tables = [engine.start_matches(np.array([derive_key(5, index, 0)], np.uint64)) for index in range(num_envs)]
    for count in range(amount(30, 90)):
        actions = random_actions(step.action_mask, count)
        step = env.step(actions)
        for index, table in enumerate(tables):
            table.auto_next_episode = False
            before = int(table.num_episodes[0])
            act_one_by_one(engine, table, int(actions[index]))
            is_over = bool(table.num_episodes[0] > before)
            assert step.terminated[index] == is_over
            if is_over:
                np.testing.assert_array_equal(step.reward[index], engine.rewards(table, np.zeros(1, np.int64))[0])
                np.testing.assert_array_equal(step.final_reward[index], step.reward[index])
                own = table.observe(np.zeros(len(seats), np.int64), seats)
                features = [engine.observation_features[name] for name in ("hand",) if name in features_of(engine)]
                for columns in features:
                    np.testing.assert_array_equal(step.final_observation[index][:, columns], own[:, columns])
                if table.winner[0] != -1:
                    matches[index] += 1
                    key = np.array([derive_key(5, index, matches[index])], np.uint64)
                    tables[index] = table = engine.start_matches(key)
                else:
                    dealing.deal(table, np.zeros(1, np.int64))
            else:
                assert not step.reward[index].any()
                assert not step.final_observation[index].any()
            assert step.current_player[index] == table.seat[0]
            np.testing.assert_array_equal(step.observation[index], table.observe(np.zeros(1, np.int64))[0])
            np.testing.assert_array_equal(step.action_mask[index], mask_of(engine, table))


def features_of(engine: Engine) -> set[str]:
    return {feature.name for feature in engine.observation_features.features}


def mask_of(engine: Engine, table: Tables) -> NDArray[np.bool_]:
    """Return the legal labels and options of the only table."""
    mask = np.zeros(len(engine.labels) + engine.num_options, np.bool_)
    row = np.zeros(1, np.int64)
    if table.rows_to_play().size:
        mask[: len(engine.labels)] = table.decisions(row).legal_mask[:, 0]
    else:
        mask[len(engine.labels) :] = table.choices(row).options[0]
    return mask


@pytest.mark.parametrize("name", ["doudizhu", str(VOCABULARY / "pot")])
@pytest.mark.parametrize("num_envs", [1, 7, 130])
def test_shapes_and_dtypes(name: str, num_envs: int) -> None:
    env = VectorEnv(name, num_envs)
    for step in play(env, 3):
        assert step.observation.shape == (num_envs, env.num_features)
        assert step.action_mask.shape == (num_envs, env.num_actions)
        assert step.reward.shape == step.final_reward.shape == (num_envs, env.num_players)
        assert step.final_observation.shape == (num_envs, env.num_players, env.num_features)
        assert step.current_player.shape == step.terminated.shape == step.truncated.shape == (num_envs,)
        assert step.observation.dtype == step.reward.dtype == step.final_observation.dtype == np.float32
        assert step.action_mask.dtype == step.terminated.dtype == step.truncated.dtype == np.bool_
        assert step.current_player.dtype == np.int64
        assert all(value.flags.c_contiguous for value in vars(step).values() if isinstance(value, np.ndarray))
    assert env.num_actions == len(env.action_names)
    assert len(env.teams) == env.num_players


@pytest.mark.parametrize("name", ["guandan", str(VOCABULARY / "stock")])
def test_environments_are_independent_of_num_envs(name: str) -> None:
    steps = amount(40, 120)
    many = play(VectorEnv(name, 9, seed=2**70), steps)
    assert_equal(many, play(VectorEnv(name, 4, seed=2**70), steps), slice(0, 4))


def test_reset_accepts_a_seed_per_environment() -> None:
    env = VectorEnv("doudizhu", 3)
    step = env.reset([4, 5, 4])
    np.testing.assert_array_equal(step.observation[0], step.observation[2])
    np.testing.assert_array_equal(env.reset(range(4, 7)).observation[:2], step.observation[:2])
    for index, seed in enumerate((4, 5)):
        single = VectorEnv("doudizhu", 1, seed).reset()
        np.testing.assert_array_equal(step.observation[index], single.observation[0])
    with pytest.raises(GameError) as error:
        env.reset([1, 2])
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("seed", [-1, 0, 2**64, 2**200, np.uint64(7), np.int8(-3)])
def test_reset_with_a_seed_is_deterministic(seed: Any) -> None:
    env = VectorEnv("doudizhu", 2, seed)
    first, second = env.reset(), env.reset()
    assert not np.array_equal(first.observation, second.observation)
    np.testing.assert_array_equal(env.reset(seed).observation, first.observation)
    np.testing.assert_array_equal(env.reset().observation, second.observation)


@pytest.mark.parametrize("seed", [1.5, "7", None, True, np.True_, [1, True]])
def test_non_integer_seeds_raise_type_error(seed: Any) -> None:
    with pytest.raises(TypeError):
        VectorEnv("doudizhu", 2, seed)


def test_match_episodes_sum_rewards_of_deals() -> None:
    """Rewards come deal by deal; the final reward is their sum."""
    name = str(VOCABULARY / "fluents")
    env, total = VectorEnv(name, 6, seed=1, episode="match"), np.zeros((6, 2), np.float32)
    deals, steps = 0, play(env, 200)
    for step in steps[1:]:
        total += step.reward
        deals += int(step.reward.any(axis=1).sum())
        ended = step.terminated
        np.testing.assert_allclose(step.final_reward[ended], total[ended], rtol=1e-6)
        assert not step.final_reward[~ended].any()
        assert step.final_observation[ended].any() or not ended.any()
        total[ended] = 0
    assert deals > env.episodes == sum(int(step.terminated.sum()) for step in steps) > 0


def test_max_steps_truncates_and_deals_again() -> None:
    env = VectorEnv("doudizhu", 4, max_steps=5)
    steps = play(env, 11)
    assert [int(step.truncated.sum()) for step in steps] == [0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0]
    assert env.episodes == 8
    assert not any(step.terminated.any() or step.reward.any() for step in steps)
    assert steps[5].final_observation.any(axis=2).all()
    key = np.array([derive_key(0, 2, 1)], np.uint64)
    np.testing.assert_array_equal(
        steps[5].observation[2], env.engine.start_matches(key).observe(np.zeros(1, np.int64))[0]
    )


def test_returned_arrays_are_not_overwritten() -> None:
    """Do not overwrite returned arrays, including views, unless copies are off."""
    env = VectorEnv("doudizhu", 8)
    step, held, copies = env.reset(), list[Any](), list[Any]()
    for index in range(12):
        step = env.step(random_actions(step.action_mask, index))
        held.append((step.observation[1:3], step.action_mask.view(np.uint8), step.reward))
        copies.append(tuple(array.copy() for array in held[-1]))
    for arrays, expected in zip(held, copies, strict=True):
        for array, copy in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(array, copy)
    env = VectorEnv("doudizhu", 8, copy=False)
    step = env.reset()
    assert env.step(step.action_mask.argmax(axis=1)).observation is step.observation


def test_modified_masks_have_no_effect() -> None:
    env = VectorEnv("doudizhu", 2)
    step = env.reset()
    illegal = int((~step.action_mask[0]).argmax())
    step.action_mask[:] = True
    with pytest.raises(GameError) as error:
        env.step([illegal, illegal])
    assert error.value.code == ErrorCode.ILLEGAL_ACTION


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([0.0, 0.0], ErrorCode.INVALID_ACTIONS),
        ([True, True], ErrorCode.INVALID_ACTIONS),
        (["0", "0"], ErrorCode.INVALID_ACTIONS),
        ([0], ErrorCode.INVALID_ACTIONS),
        ([[0], [0]], ErrorCode.INVALID_ACTIONS),
        (0, ErrorCode.INVALID_ACTIONS),
        (None, ErrorCode.INVALID_ACTIONS),
        (torch.zeros(2, requires_grad=True), ErrorCode.INVALID_ACTIONS),
        ([-1, 0], ErrorCode.INVALID_ACTIONS),
        ([0, 10**6], ErrorCode.INVALID_ACTIONS),
        ([0, 2**70], ErrorCode.INVALID_ACTIONS),
        (np.array([2**63, 0], np.uint64), ErrorCode.INVALID_ACTIONS),
        ([[0], [0, 1]], ErrorCode.INVALID_ACTIONS),
    ],
)
def test_invalid_actions_do_not_change_the_state(actions: Any, code: ErrorCode) -> None:
    env, twin = VectorEnv("doudizhu", 2, seed=9), VectorEnv("doudizhu", 2, seed=9)
    step = env.reset()
    twin.reset()
    with pytest.raises(GameError) as error:
        env.step(actions)
    assert error.value.code == code
    legal = step.action_mask.argmax(axis=1)
    assert_equal([env.step(legal)], [twin.step(legal)])


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64])
def test_actions_can_be_any_integer_type(dtype: Any) -> None:
    env = VectorEnv(str(VOCABULARY / "numbers"), 2)
    step = env.reset()
    assert env.step(step.action_mask.argmax(axis=1).astype(dtype)).observation.any()


def test_calls_before_reset_and_after_close_are_rejected() -> None:
    env = VectorEnv("doudizhu", 2)
    for use in (lambda: env.step([0, 0]), lambda: env.state_text(0), lambda: env.keys, env.observe_players):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.NOT_RESET
    env.reset()
    env.close()
    env.close()
    for use in (env.reset, lambda: env.step([0, 0]), lambda: env.state_text(0)):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.CLOSED


@pytest.mark.parametrize(
    "settings",
    [
        {"num_envs": 0},
        {"num_envs": 2.0},
        {"num_envs": True},
        {"num_envs": 10**12},
        {"episode": "round"},
        {"realise": "last"},
        {"realise": np.array(["first", "last"])},
        {"episode": np.array(["deal", "match"])},
        {"copy": np.array([True, False])},
        {"copy": "no"},
        {"max_steps": 0},
    ],
)
def test_invalid_settings_are_rejected(settings: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"game": "doudizhu", "num_envs": 2} | settings
    with pytest.raises(GameError) as error:
        VectorEnv(**arguments)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_profile_is_rejected_with_an_engine() -> None:
    with pytest.raises(GameError) as error:
        VectorEnv(engine_of("doudizhu"), 2, profile="douzero")
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_state_text_and_feature_descriptions() -> None:
    env = VectorEnv(load("doudizhu"), 2)
    env.reset()
    assert "legal" in env.state_text(1)
    assert "hand" in env.describe_features()
    for wrong in (-1, 2, "0"):
        with pytest.raises(GameError):
            env.state_text(wrong)  # type: ignore[arg-type]


def test_realise_preferences_equals_the_minimiser() -> None:
    """Realise labels by the card sets with the lowest cost."""
    from abl_cards.reasoners.abduction import Minimiser

    engine = engine_of("doudizhu")
    by_name = play(VectorEnv(engine, 3, realise="preferences"), 60)
    by_function = play(VectorEnv(engine, 3, realise=Minimiser(engine).realise_labels), 60)
    assert_equal(by_name, by_function)
    first = play(VectorEnv(engine, 3), 60)
    assert any(
        not np.array_equal(left.observation, right.observation) for left, right in zip(by_name, first, strict=True)
    )


def test_observe_players_includes_the_current_observation() -> None:
    env = VectorEnv("guandan", 3)
    step = env.reset()
    views = env.observe_players()
    np.testing.assert_array_equal(views[np.arange(3), step.current_player], step.observation)


@long
def test_memory_use_is_constant() -> None:
    """Use no more memory after a million decisions than after a hundred thousand."""
    from abl_cards.bench.processes import read_peak_bytes

    env = VectorEnv("doudizhu", 1024)
    step, peaks = env.reset(), list[int]()
    for index in range(1000):
        step = env.step(random_actions(step.action_mask, index))
        if index in (100, 999):
            peaks.append(read_peak_bytes())
    assert peaks[1] - peaks[0] < 8 << 20
