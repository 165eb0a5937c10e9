"""Environments, engines, tables and agents continue in other processes, by fork and by spawn."""

from __future__ import annotations

import copy
import multiprocessing as mp
import pickle
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.env import VectorEnv, aec_env, gymnasium_env, gymnasium_vector_env, parallel_env
from abl_cards.games import load, pickling
from abl_cards.games.tables import Tables
from tests.effort import long
from tests.env.steps import VOCABULARY, assert_equal, play, random_actions

TIMEOUT = 120  # seconds


def play_on(env: VectorEnv, mask: Any, steps: int = 40) -> list[Any]:
    """Return the arrays of some more steps."""
    step = env.step(random_actions(mask, 0))
    played = []
    for index in range(1, steps):
        played += [step.observation, step.reward, step.terminated, step.final_observation.sum(axis=(1, 2))]
        step = env.step(random_actions(step.action_mask, index))
    return played


def play_tables(tables: Tables) -> dict[str, Any]:
    """Play the first legal label at every table for some steps."""
    for _ in range(10):
        rows = tables.rows_to_choose()
        if rows.size:
            tables.choose(rows, tables.choices(rows).options.argmax(axis=1).astype(np.uint8))
        decisions = tables.decisions(tables.rows_to_play())
        tables.play(decisions.rows, decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16)))
    return tables.arrays()


def choose_moves(agent: Any, tables: Tables) -> Any:
    """Return the moves of an agent at the tables."""
    rows = tables.rows_to_play()
    return agent.play(tables.decisions(rows), tables.keys[rows])


def run_in(context: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function with pickled arguments in a process of any start method."""
    with mp.get_context(context).Pool(1) as pool:
        return pool.apply_async(work, arguments).get(TIMEOUT)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_pickled_objects_continue_in_another_process(context: str) -> None:
    """Give the same steps in another process; one process for all objects, since starting takes seconds."""
    env = VectorEnv("doudizhu", 5, seed=4, realise="preferences")
    steps = play(env, 30)
    engine = env.engine
    agents = {name: make_agent(name, engine) for name in ("random", "greedy", "kb", "kb:without=bombs")}
    tables = engine.start_matches(np.arange(4, dtype=np.uint64))
    tables.record_history()
    play_tables(tables)
    there = run_in(context, _play_everything, env, steps[-1].action_mask, tables, agents)
    here = _play_everything(env, steps[-1].action_mask, tables, agents)
    _assert_same(there, here)


def _play_everything(env: VectorEnv, mask: Any, tables: Tables, agents: dict[str, Any]) -> list[Any]:
    moves = [choose_moves(agent, tables) for agent in agents.values()]
    fresh = env.engine.start_matches(np.arange(3, dtype=np.uint64))
    return [play_on(env, mask), moves, play_tables(fresh), tables.arrays()]


def _assert_same(left: Any, right: Any) -> None:
    """Compare nested lists, tuples and dictionaries of arrays."""
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        left, right = list(left.values()), list(right.values())
    if isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            _assert_same(one, other)
    else:
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("name", ["doudizhu", "guandan", str(VOCABULARY / "pot")])
def test_environment_pickled_during_an_episode_continues(name: str) -> None:
    env = VectorEnv(name, 4, seed=1, max_steps=70)
    steps = play(env, 33)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.engine.rules is env.engine.rules
    assert_equal(play(env, 60, steps[-1])[1:], play(twin, 60, steps[-1])[1:])
    assert twin.episodes == env.episodes
    step = pickle.loads(pickle.dumps(steps[-1]))
    assert_equal([step], [steps[-1]])
    copied = copy.deepcopy(env)
    assert_equal(play(env, 3), play(copied, 3))


def test_pickling_before_reset_and_after_close() -> None:
    env = VectorEnv("doudizhu", 2)
    twin = pickle.loads(pickle.dumps(env))
    assert_equal([env.reset()], [twin.reset()])
    env.close()
    with pytest.raises(GameError) as error:
        pickle.loads(pickle.dumps(env)).reset()
    assert error.value.code == ErrorCode.CLOSED


@pytest.mark.parametrize(
    "make",
    [
        partial(aec_env, "guandan", seed=3, exchange="agent"),
        partial(parallel_env, "doudizhu", seed=3),
        partial(gymnasium_env, "doudizhu", seed=3),
        partial(gymnasium_vector_env, "doudizhu", 3, opponents="kb", seed=3),
    ],
)
def test_pickled_adapters_continue(make: Callable[[], Any]) -> None:
    """A pickled copy gives the same steps as the original."""
    env = make()
    env.reset(seed=8)
    twin = pickle.loads(pickle.dumps(env))
    for table in (env, twin):
        table.reset()
    if hasattr(env, "last"):
        left, right = env.last()[0], twin.last()[0]
    elif hasattr(env, "agents"):
        agents = dict.fromkeys(env.agents, None)
        action = int(env._step.action_mask[0].argmax())
        left, right = (table.step(agents | {table.agent_selection: action}) for table in (env, twin))
    else:
        actions = np.zeros(env.action_space.shape, np.int64)
        left, right = env.step(actions), twin.step(actions)
    _assert_same(left, right)


def test_unpickling_rejects_changed_rules(tmp_path: Path) -> None:
    """Reject a pickle of changed or deleted rules, and name the folder."""
    folder = tmp_path / "numbers"
    shutil.copytree(VOCABULARY / "numbers", folder)
    data = pickle.dumps(load(str(folder)).engine())
    assert pickle.loads(data).rules is load(str(folder)).engine().rules
    pickling._RULES_IN_MEMORY.clear()  # as in a process that was spawned
    assert pickle.loads(data).rules.folder.name == "numbers"
    pickling._RULES_IN_MEMORY.clear()
    with (folder / "game.lp").open("a") as text:
        text.write("\nvalue_of_nothing(1).\n")
    with pytest.raises(GameError) as error:
        pickle.loads(data)
    assert error.value.code == ErrorCode.RULES_CHANGED
    shutil.rmtree(folder)
    with pytest.raises(GameError) as error:
        pickle.loads(data)
    assert error.value.code == ErrorCode.UNKNOWN_GAME


@long
def test_pickled_abl_agent_plays_equal_moves() -> None:
    pytest.importorskip("torch")
    engine = load("doudizhu").engine()
    agent = make_agent("abl:no-lookahead", engine)
    tables = engine.start_matches(np.arange(4, dtype=np.uint64))
    play_tables(tables)
    _assert_same(run_in("spawn", choose_moves, agent, tables), choose_moves(agent, tables))
