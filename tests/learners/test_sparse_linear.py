"""Linear layers whose inputs are mostly zero: the compressed product against the dense one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from abl_cards.games.game import load
from abl_cards.learners import sparse_linear as module
from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, Preset
from abl_cards.learners.sparse_linear import MIN_SPARSE_ROWS, SparseRows, concat_flat, sparse_linear
from tests.learners.test_weight_transfer import random_inputs
from tests.learners.tiny import TINY

OUTPUTS = 37  # no multiple of the width of a vector


def sparse_parts(n: int, seed: int = 0) -> list[Tensor]:
    """Return parts of several dtypes: with dense columns, mostly zero, and mostly equal to another number."""
    rng = np.random.default_rng(seed)
    usual = rng.integers(1, 9, (n, 1)) / np.float32(5)
    plays = np.where(rng.random((n, 70)) < 0.9, usual, usual + 0.4).astype(np.float32)
    return [
        torch.from_numpy(rng.random((n, 3, 4), np.float32)),
        torch.from_numpy(rng.random((n, 2, 33)) < 0.1),
        torch.zeros((n, 0)),
        torch.from_numpy(rng.integers(0, 40, (n, 50), np.uint8) % 3),
        torch.from_numpy(plays),
        torch.from_numpy(rng.integers(0, 9, (n, 100), np.int64))[:, ::2] // 8,
        torch.zeros((n, 5), dtype=torch.bool),
    ]


def layer(parts: list[Tensor], seed: int = 1) -> torch.nn.Linear:
    """Return a layer that reads the parts."""
    torch.manual_seed(seed)
    return torch.nn.Linear(sum(part.flatten(1).shape[1] for part in parts), OUTPUTS)


@pytest.mark.parametrize("num_dense", [0, 1, 2])
@pytest.mark.parametrize("n", [MIN_SPARSE_ROWS, MIN_SPARSE_ROWS + 13])
def test_values_and_gradients_equal_the_dense_product(n: int, num_dense: int) -> None:
    parts = sparse_parts(n)
    sparse, dense = layer(parts), layer(parts)
    output = sparse_linear(parts, sparse.weight, sparse.bias, torch.float32, num_dense)
    expected = dense(concat_flat(parts, torch.float32))
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=1e-5)
    for result in (output, expected):
        result.square().mean().backward()
    for name, weight in sparse.named_parameters():
        torch.testing.assert_close(weight.grad, dense.get_parameter(name).grad, atol=1e-6, rtol=1e-4)
    assert not torch.equal(output, expected)  # else it was not the compressed product


@pytest.mark.parametrize("n", [0, 1, MIN_SPARSE_ROWS - 1])
def test_few_rows_use_the_dense_product(n: int) -> None:
    parts = sparse_parts(n)
    linear = layer(parts)
    output = sparse_linear(parts, linear.weight, linear.bias, torch.float32, 1)
    assert output.shape == (n, OUTPUTS)
    assert torch.equal(output, linear(concat_flat(parts, torch.float32)))


def test_inference_rows_do_not_depend_on_other_rows() -> None:
    """Else a game would depend on how many others are played beside it."""
    parts = sparse_parts(MIN_SPARSE_ROWS)
    linear = layer(parts)
    with torch.inference_mode():
        output = sparse_linear(parts, linear.weight, linear.bias, torch.float32, 1)
        assert torch.equal(output, linear(concat_flat(parts, torch.float32)))


def test_half_precision_uses_the_dense_product() -> None:
    parts = sparse_parts(MIN_SPARSE_ROWS)
    linear = layer(parts)
    with torch.autocast("cpu", torch.bfloat16):
        for dtype in (torch.float32, torch.bfloat16):
            output = sparse_linear(parts, linear.weight, linear.bias, dtype)
            assert output.dtype == torch.bfloat16
            assert torch.equal(output, linear(concat_flat(parts, dtype)))


def test_inputs_requiring_gradients_receive_them() -> None:
    parts = sparse_parts(MIN_SPARSE_ROWS)
    linear, wanted = layer(parts), parts[4].requires_grad_()
    sparse_linear(parts, linear.weight, linear.bias, torch.float32).sum().backward()  # type: ignore[no-untyped-call]
    assert wanted.grad is not None


def test_inputs_without_sparse_columns_use_the_dense_product() -> None:
    parts = sparse_parts(MIN_SPARSE_ROWS)[:1]
    linear = layer(parts)
    output = sparse_linear(parts, linear.weight, linear.bias, torch.float32, num_dense=1)
    assert torch.equal(output, linear(concat_flat(parts, torch.float32)))


def test_compressed_rows_keep_values_above_the_minimum() -> None:
    plays, legal = torch.tensor([[2.0, 3.0, 2.0], [1.0, 1.0, 1.0]]), torch.tensor([[False, True], [False, False]])
    rows = SparseRows.compress([plays, torch.zeros((2, 0)), legal])
    assert rows.sizes == (3, 2)
    assert rows.starts.tolist() == [0, 2, 2]
    assert rows.columns.tolist() == [1, 4]
    assert rows.values.tolist() == [1.0, 1.0]
    assert rows.least.tolist() == [[2.0, 0.0], [1.0, 0.0]]


def test_products_are_deterministic() -> None:
    parts, gradient = [part.flatten(1) for part in sparse_parts(700)], torch.randn(700, OUTPUTS)
    weight = layer(sparse_parts(700)).weight.detach()
    first, second = (SparseRows.compress(parts) for _ in range(2))
    assert torch.equal(first.multiply(weight), second.multiply(weight))
    assert torch.equal(first.weight_gradient(gradient), second.weight_gradient(gradient))


def inputs_with_nothing_to_beat(networks: Networks, n: int) -> tuple[InputTensors, PrivilegedTensors]:
    """Return random inputs of which every other decision leads; some have one legal label, or none."""
    inputs, privileged = random_inputs(networks, n, np.random.default_rng(6))
    to_beat, legal = inputs.to_beat.clone(), inputs.legal.clone()
    to_beat[::2] = -1
    legal[:3], legal[1, 4] = False, True
    return replace(inputs, to_beat=to_beat, legal=legal, plays_left=inputs.plays_left.round()), privileged


@pytest.mark.parametrize("preset", [TINY, TINY.without_abln(), PRESETS["quick"]], ids=lambda preset: str(preset.name))
def test_networks_equal_those_with_dense_products(preset: Preset, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = Networks(preset, GameShape.of(load("doudizhu").engine()), seed=4)
    inputs, privileged = inputs_with_nothing_to_beat(networks, MIN_SPARSE_ROWS)
    outputs, gradients = [], []
    for rows in (MIN_SPARSE_ROWS, MIN_SPARSE_ROWS + 1):
        monkeypatch.setattr(module, "MIN_SPARSE_ROWS", rows)
        networks.zero_grad()
        policy, value = networks.decision(inputs).clamp(min=-50), networks.critic(inputs, privileged)
        (policy.mean() + value.square().mean()).backward()
        outputs.append([policy, value])
        gradients.append([weight.grad for weight in networks.parameters() if weight.grad is not None])
    torch.testing.assert_close(*outputs, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(*gradients, atol=1e-5, rtol=1e-3)
