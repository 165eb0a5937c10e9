"""The buffer of decisions, and generalised advantages."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from abl_cards.training.experience import Experience, RolloutBuffer


def rows(values: list[float]) -> Experience:
    n = len(values)
    zero: dict[str, Any] = {field.name: np.zeros((n, 1), np.float32) for field in fields(Experience)}
    zero |= {
        name: np.zeros(n, np.float32)
        for name in ("advantage", "value_target", "trick_reward_so_far", "log_probability")
    }
    return Experience(**zero | {"value": np.array(values, np.float32), "label": np.zeros(n, np.int16)})


def advantages(values: list[float], reward: float, discount: float, trace: float) -> list[float]:
    """Return the advantages by their definition: discounted sums of one-step errors, with the reward at the end."""
    after = [*values[1:], 0.0]
    errors = [discount * following - value for value, following in zip(values, after, strict=True)]
    errors[-1] = reward - values[-1]
    return [
        sum((discount * trace) ** (k - first) * errors[k] for k in range(first, len(values)))
        for first in range(len(values))
    ]


@pytest.mark.parametrize(("discount", "trace"), [(0.996, 0.98), (1.0, 1.0), (0.9, 0.0)])
def test_advantages_equal_gae_definition(discount: float, trace: float) -> None:
    memory = RolloutBuffer(50, 2, 4, rows([0.0]))
    values = {(0, 1): [0.5, -0.25, 1.0], (1, 1): [0.125, 2.0], (0, 2): [1.5]}
    for step in range(3):
        now = [(place, values[place][step]) for place in values if step < len(values[place])]
        for place, value in now:
            memory.add(np.array([place[0]]), np.array([place[1]], np.int8), rows([value]))
    rewards = np.array([[0, 2, -1, 0]], np.float32)
    memory.finish_episodes(np.array([0]), rewards, discount, trace)
    assert memory.num_ready == 4
    ready = memory.pop_ready(10)
    for seat in (1, 2):
        mine = values[0, seat]
        expected = advantages(mine, float(rewards[0, seat]), discount, trace)
        for value, advantage in zip(mine, expected, strict=True):
            row = np.flatnonzero(ready.value == np.float32(value))
            assert np.allclose(ready.advantage[row], advantage, atol=1e-6)
            assert np.allclose(ready.value_target[row], advantage + value, atol=1e-6)
    memory.finish_episodes(np.array([1]), rewards, discount, trace)
    assert memory.num_ready == 2


def test_trick_rewards_are_counted_at_their_step() -> None:
    memory = RolloutBuffer(50, 1, 1, rows([0.0]))
    for value, earned in ((0.5, 0.0), (0.25, 1.0), (-1.0, 0.5)):
        row = rows([value])
        row.trick_reward_so_far[:] = earned
        memory.add(np.array([0]), np.array([0], np.int8), row)
    memory.finish_episodes(np.array([0]), np.array([[3.0]], np.float32), 0.5, 0.0, np.array([[2.0]], np.float32))
    ready = memory.pop_ready(3)
    order = np.argsort(ready.trick_reward_so_far)
    assert ready.advantage[order].tolist() == [1.0 + 0.125 - 0.5, 1.5 + 3.0 + 1.0, -0.5 - 0.5 - 0.25]


def test_pop_ready_returns_rows_once_in_order() -> None:
    memory = RolloutBuffer(10, 3, 1, rows([0.0]))
    memory.add(np.arange(3), np.zeros(3, np.int8), rows([1.0, 2.0, 3.0]))
    for table in (2, 0, 1):
        memory.finish_episodes(np.array([table]), np.zeros((1, 1), np.float32), 1.0, 1.0)
    assert memory.pop_ready(2).value.tolist() == [3.0, 1.0]
    assert memory.pop_ready(2).value.tolist() == [2.0]
    assert memory.num_free == 10


def test_full_buffer_raises_memory_error() -> None:
    memory = RolloutBuffer(2, 3, 1, rows([0.0]))
    with pytest.raises(MemoryError, match="make it larger"):
        memory.add(np.arange(3), np.zeros(3, np.int8), rows([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(("name", "value"), [("before", 10), ("last", -2), ("last", 10**9), ("table", 3), ("seat", 1)])
def test_load_state_dict_rejects_rows_out_of_range(name: str, value: int) -> None:
    """Reject rows outside of the arrays, which compiled functions would read."""
    memory = RolloutBuffer(10, 3, 1, rows([0.0]))
    saved = memory.state_dict()
    saved[name] = np.full_like(saved[name], value, np.int64)
    with pytest.raises(ValueError, match=f"'{name}'"):
        RolloutBuffer(10, 3, 1, rows([0.0])).load_state_dict(saved)


def test_state_dict_round_trips() -> None:
    memory, other = (RolloutBuffer(10, 3, 1, rows([0.0])) for _ in range(2))
    memory.add(np.arange(3), np.zeros(3, np.int8), rows([1.0, 2.0, 3.0]))
    memory.finish_episodes(np.array([1]), np.ones((1, 1), np.float32), 1.0, 1.0)
    other.load_state_dict(memory.state_dict())
    for buffer in (memory, other):
        buffer.add(np.array([0]), np.zeros(1, np.int8), rows([4.0]))
        buffer.finish_episodes(np.array([0]), np.ones((1, 1), np.float32), 0.5, 0.5)
    first, second = memory.pop_ready(10), other.pop_ready(10)
    assert all(np.array_equal(getattr(first, field.name), getattr(second, field.name)) for field in fields(first))
