"""Gymnasium and PettingZoo environments: interfaces, rewards, and equal episodes for equal seeds."""

from __future__ import annotations

import doctest
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from numpy.typing import NDArray
from pettingzoo.test import parallel_api_test

from abl_cards.agents import make_agent
from abl_cards.core import ErrorCode, GameError, derive_key
from abl_cards.env import (
    GymnasiumVectorEnv,
    VectorEnv,
    aec_env,
    gymnasium_env,
    gymnasium_vector_env,
    parallel,
    parallel_env,
    vector_env,
)
from abl_cards.games import load
from tests.effort import amount, long
from tests.env.steps import VOCABULARY, random_actions
from tests.env.test_vector_env import FOLDERS

GAMES = [
    "doudizhu",
    str(VOCABULARY / "pot"),
    str(VOCABULARY / "numbers"),
    *(pytest.param(name, marks=long) for name in ["guandan", "hearts", "tractor", "big2", *FOLDERS]),
]


@pytest.mark.parametrize("module", [parallel, vector_env])
def test_doctests_pass(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


# --- Gymnasium --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_single_environment_passes_check_env(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium_env(name, seed=1))
        check_env(gymnasium_env(name, seat=1, render_mode="ansi"))


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("name", GAMES)
def test_vector_env_steps_match_the_spaces(name: str, episode: Any) -> None:
    """Check spaces, dtypes and shapes of every step, and final observations where episodes ended."""
    env = gymnasium_vector_env(name, 5, seat=1, episode=episode, max_steps=amount(25, 60))
    assert isinstance(env, GymnasiumVectorEnv)
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    observation, info = env.reset(seed=3)
    assert info == {}
    returns, ends = np.zeros(5), 0
    for index in range(amount(40, 80)):
        assert observation in env.observation_space
        assert observation["observation"].dtype == np.float32
        assert observation["action_mask"].dtype == np.int8
        assert observation["action_mask"].any(axis=1).all()
        actions = random_actions(observation["action_mask"].astype(np.bool_), index)
        assert actions in env.action_space
        observation, rewards, terminated, truncated, info = env.step(actions)
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        assert not (terminated & truncated).any()
        assert not info["illegal_action"].any()
        ended, returns = terminated | truncated, returns + rewards
        ends += int(ended.sum())
        assert ended.any() == ("final_obs" in info)
        for row in np.flatnonzero(ended):
            assert info["final_obs"][row] in env.single_observation_space
            assert not info["final_obs"][row]["action_mask"].any()
            assert info["final_info"]["episode_return"][row] == pytest.approx(returns[row])
            returns[row] = 0
        if ended.any():
            assert (info["_final_obs"] == ended).all()
    assert ends > 0
    env.close()
    with pytest.raises(GameError) as error:
        env.step(np.zeros(5, np.int64))
    assert error.value.code == ErrorCode.CLOSED


def test_opponents_play_as_their_agents() -> None:
    """Give the same observations and rewards as a table with the same agents and keys."""
    env = gymnasium_vector_env("doudizhu", 2, opponents=["greedy", "kb"], seat=0, seed=6)
    engine, agents = env._engine, {1: env._agents[1], 2: env._agents[2]}
    observation, _ = env.reset()
    row, match, rewards = np.zeros(1, np.int64), 0, np.zeros(2)
    table = engine.start_matches(np.array([derive_key(6, 0, match)], np.uint64))

    def go_on() -> None:
        while table.winner[0] == -1 and table.seat[0] != 0:
            agent, keys = agents[int(table.seat[0])], np.zeros(1, np.uint64)
            if table.rows_to_play().size:
                table.play(row, agent.play(table.decisions(row), keys))
            else:
                table.choose(row, agent.choose(table.choices(row), keys))

    go_on()
    for index in range(60):
        np.testing.assert_array_equal(observation["observation"][0], table.observe(row)[0])
        actions = random_actions(observation["action_mask"].astype(np.bool_), index)
        observation, rewards, terminated, _, _ = env.step(actions)
        if table.rows_to_play().size:
            table.play(row, table.decisions(row).first_moves(actions[:1].astype(np.int16)))
        else:
            table.choose(row, (actions[:1] - len(engine.labels)).astype(np.uint8))
        go_on()
        assert terminated[0] == (table.winner[0] != -1)
        if terminated[0]:
            assert rewards[0] == engine.rewards(table, row)[0, 0]
            match += 1
            table = engine.start_matches(np.array([derive_key(6, 0, match)], np.uint64))
            go_on()
    assert match > 0


def test_illegal_actions_are_replaced_or_raise() -> None:
    env, strict = (gymnasium_vector_env("doudizhu", 2, illegal_actions=how) for how in ("replace", "raise"))
    observation, _ = env.reset()
    strict.reset()
    illegal = observation["action_mask"].argmin(axis=1)
    legal = observation["action_mask"].argmax(axis=1)
    with pytest.raises(GameError) as error:
        strict.step(illegal)
    assert error.value.code == ErrorCode.ILLEGAL_ACTION
    after, *_, info = env.step(illegal)
    assert info["illegal_action"].all()
    np.testing.assert_array_equal(after["observation"], strict.step(legal)[0]["observation"])


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"seat": 3}, ErrorCode.INVALID_VALUE),
        ({"opponents": ["random"]}, ErrorCode.INVALID_VALUE),
        ({"opponents": "human"}, None),
        ({"illegal_actions": "ignore"}, ErrorCode.INVALID_VALUE),
        ({"render_mode": "human"}, ErrorCode.INVALID_VALUE),
        ({"render_mode": np.array(["ansi", "human"])}, ErrorCode.INVALID_VALUE),
        ({"illegal_actions": np.array(["raise", "replace"])}, ErrorCode.INVALID_VALUE),
    ],
)
def test_invalid_settings_are_rejected(settings: dict[str, Any], code: ErrorCode | None) -> None:
    with pytest.raises(GameError) as error:
        gymnasium_vector_env("doudizhu", 2, **settings)
    assert code is None or error.value.code == code


def test_single_environment_equals_first_of_a_vector() -> None:
    many, one = gymnasium_vector_env("guandan", 3, seed=2), gymnasium_env("guandan", seed=2)
    observations, _ = many.reset()
    observation, _ = one.reset()
    for index in range(40):
        np.testing.assert_array_equal(observations["observation"][0], observation["observation"])
        actions = random_actions(observations["action_mask"].astype(np.bool_), index)
        observations, rewards, *_ = many.step(actions)
        observation, reward, terminated, truncated, _ = one.step(actions[0])
        assert reward == rewards[0]
        np.testing.assert_array_equal(one.action_masks(), observation["action_mask"] == 1)
        if terminated or truncated:
            with pytest.raises(GameError) as error:
                one.step(0)
            assert error.value.code == ErrorCode.NOT_RESET
            observation, _ = one.reset()


def test_action_masks_equal_the_last_observation() -> None:
    env = gymnasium_env("doudizhu", opponents="greedy", seed=1)
    with pytest.raises(GameError) as error:
        env.action_masks()
    assert error.value.code == ErrorCode.NOT_RESET
    observation, _ = env.reset()
    mask = env.action_masks()
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, observation["action_mask"] == 1)
    observation["action_mask"][:] = 0  # belongs to the caller
    np.testing.assert_array_equal(env.action_masks(), mask)


@long
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_async_vector_env_equals_single_environments(context: str) -> None:
    """Give the same steps in Gymnasium's worker processes as in this process."""
    makers = [partial(gymnasium_env, "doudizhu", seed=seed) for seed in range(2)]
    env, tables = AsyncVectorEnv(makers, context=context), [make() for make in makers]
    try:
        observations, _ = env.reset(seed=[5, 6])
        expected = [table.reset(seed=5 + index)[0] for index, table in enumerate(tables)]
        for index in range(15):
            for row, _table in enumerate(tables):
                np.testing.assert_array_equal(observations["observation"][row], expected[row]["observation"])
            actions = random_actions(observations["action_mask"].astype(np.bool_), index)
            observations, _, terminated, _, _ = env.step(actions)
            expected = [table.step(action)[0] for table, action in zip(tables, actions, strict=True)]
            if terminated.any():
                break
    finally:
        env.close()


# --- PettingZoo: the parallel interface -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_parallel_api_test_passes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel_api_test(parallel_env(name, realise="first"), num_cycles=amount(50, 150))


def test_actions_of_waiting_seats_are_ignored() -> None:
    """Give the episodes of VectorEnv, whatever the actions of waiting seats."""
    table, env = parallel_env("doudizhu", seed=4, realise="first"), VectorEnv("doudizhu", 1, seed=4)
    observations, infos = table.reset()
    step = env.reset()
    assert infos == {agent: {} for agent in table.agents}
    for index in range(120):
        deciding = str(table.agent_selection)
        assert deciding == table.possible_agents[step.current_player[0]]
        for agent, seen in observations.items():
            assert seen in table.observation_space(agent)
            assert seen["action_mask"].any() == (agent == deciding)
        np.testing.assert_array_equal(observations[deciding]["observation"], step.observation[0])
        np.testing.assert_array_equal(observations[deciding]["action_mask"], step.action_mask[0])
        action = random_actions(step.action_mask, index)
        others: dict[str, Any] = dict.fromkeys(table.agents, (10**9, None, "x")[index % 3])
        observations, rewards, terminations, truncations, _ = table.step(others | {deciding: int(action[0])})
        step = env.step(action)
        assert list(rewards.values()) == step.reward[0].tolist()
        assert set(terminations.values()) == {bool(step.terminated[0])}
        assert set(truncations.values()) == {False}
        if step.terminated[0]:
            assert (table.agents, table.agent_selection) == ([], None)
            assert_final(observations, step.final_observation[0])
            with pytest.raises(GameError) as error:
                table.step({})
            assert error.value.code == ErrorCode.NOT_RESET
            observations, _ = table.reset()


def assert_final(observations: dict[str, Any], final: NDArray[np.float32]) -> None:
    for seen, expected in zip(observations.values(), final, strict=True):
        np.testing.assert_array_equal(seen["observation"], expected)
        assert not seen["action_mask"].any()


def test_parallel_errors_do_not_change_the_state() -> None:
    table = parallel_env("doudizhu", seed=1)
    observations, _ = table.reset()
    deciding, text = table.agent_selection, table.render()
    assert deciding is not None
    illegal = int(observations[deciding]["action_mask"].argmin())
    for actions, code in (({}, ErrorCode.INVALID_ACTIONS), ({deciding: illegal}, ErrorCode.ILLEGAL_ACTION)):
        with pytest.raises(GameError) as error:
            table.step(actions)
        assert error.value.code == code
    assert (table.agent_selection, table.render()) == (deciding, text)


@pytest.mark.parametrize("action", [-1, 9999, 1.5, [1, 2], [[1], [1, 2]], [None], None, "3", "illegal"])
def test_single_environment_errors_name_no_environment_index(action: Any) -> None:
    env, table = gymnasium_env("doudizhu", illegal_actions="raise"), parallel_env("doudizhu")
    mask = env.reset()[0]["action_mask"]
    table.reset()
    agent = table.agent_selection
    assert agent is not None
    for step, number in ((env.step, mask.argmin()), (lambda given: table.step({agent: given}), mask.argmin())):
        with pytest.raises(GameError) as error:
            step(number if action == "illegal" else action)
        assert error.value.code == (ErrorCode.ILLEGAL_ACTION if action == "illegal" else ErrorCode.INVALID_ACTIONS)
        assert "environment" not in str(error.value)


def test_spaces_of_unknown_seats_are_rejected() -> None:
    table = parallel_env("doudizhu")
    for space in (table.observation_space, table.action_space):
        with pytest.raises(GameError) as error:
            space("nobody")
        assert error.value.code == ErrorCode.UNKNOWN_SEAT


# --- missing libraries ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["gymnasium", "pettingzoo"])
def test_missing_library_error_names_the_extra(library: str) -> None:
    """Run VectorEnv without either library; name the extra in the errors of the factories."""
    code = f"""
import sys
sys.modules[{library!r}] = None
import abl_cards.env as env
env.VectorEnv
made = [env.aec_env, env.parallel_env] + [env.gymnasium_env] * ({library!r} == "gymnasium")
for make in made:
    try:
        make("doudizhu")
    except ModuleNotFoundError as problem:
        assert "abl-cards[{library}]" in str(problem), problem
        assert problem.name.startswith({library!r}), problem.name
    else:
        raise SystemExit("no error")
"""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("actions", [None, [0, 0, 0], 0])
def test_invalid_parallel_actions_are_rejected(actions: Any) -> None:
    table = parallel_env("doudizhu")
    table.reset()
    with pytest.raises(GameError) as error:
        table.step(actions)
    assert error.value.code == ErrorCode.INVALID_ACTIONS


@pytest.mark.parametrize("opponents", [None, 3, [None, "kb"], {"kb", "greedy"}])
def test_invalid_opponents_are_rejected(opponents: Any) -> None:
    with pytest.raises(GameError) as error:
        gymnasium_env("doudizhu", opponents=opponents)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_opponents_can_be_agents() -> None:
    """Play as the agents of the same names, and check the decisions of one's own."""
    engine = load("doudizhu").engine()
    agents = [make_agent("greedy", engine), make_agent("kb", engine)]
    named, given = (gymnasium_vector_env(engine, 2, opponents=some) for some in (["greedy", "kb"], agents))
    actions = named.reset()[0]["action_mask"].argmax(axis=1)
    given.reset()
    np.testing.assert_array_equal(named.step(actions)[0]["observation"], given.step(actions)[0]["observation"])
    with pytest.raises(GameError) as error:
        gymnasium_vector_env(engine, 2, opponents=WrongAgent(), seat=2).reset()
    assert error.value.code == ErrorCode.AGENT_FAILED
    other = make_agent("kb", load("big2").engine())
    for wrong, code in [(WrongAgent, ErrorCode.INVALID_VALUE), (other, ErrorCode.AGENT_NOT_APPLICABLE)]:
        with pytest.raises(GameError) as error:
            gymnasium_vector_env(engine, 2, opponents=wrong)  # type: ignore[arg-type]
        assert error.value.code == code


class WrongAgent:
    """An agent that decides nothing."""

    def play(self, decisions: Any, keys: Any) -> Any:
        return None

    def choose(self, choices: Any, keys: Any) -> Any:
        return None


def test_seat_that_never_decides_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abl_cards.env.gymnasium_envs._MAX_SKIPPED", amount(100, 1000))
    env = gymnasium_vector_env("doudizhu", 1, seat=1, max_steps=1)
    with pytest.raises(GameError) as error:
        env.reset()
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("ends", [False, True])
def test_closed_environment_rejects_reset_and_step(ends: bool) -> None:
    env = gymnasium_env("doudizhu", max_steps=1 if ends else None)
    env.reset(seed=0)
    if ends:
        env.step(0)  # the first observation of the next episode is there already
    env.close()
    for use in (env.reset, lambda: env.step(0)):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.CLOSED


def test_render_shows_the_end_of_an_episode_until_reset() -> None:
    env, table = gymnasium_env("doudizhu", render_mode="ansi", seed=1), parallel_env("doudizhu", seed=1)
    turns = aec_env("guandan", seed=1, one_episode=True)
    observation, _ = env.reset()
    terminated = False
    while not terminated:
        observation, _, terminated, _, _ = env.step(int(observation["action_mask"].argmax()))
    observations, _ = table.reset()
    while (agent := table.agent_selection) is not None:
        observations = table.step({agent: int(observations[agent]["action_mask"].argmax())})[0]
    turns.reset()
    while not turns.terminations[turns.agent_selection]:
        turns.step(int(turns.observe(turns.agent_selection)["action_mask"].argmax()))
    for ended in (env, table, turns):
        assert (ended.render() or "").splitlines()[-1].startswith("the episode is over: points ")
        ended.reset()
        assert "the episode is over" not in (ended.render() or "")
