"""Evaluate circuits by torch, one level of gates at a time, on the CPU or a GPU; results equal those of numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.circuit.circuit import AND, SUM, Circuit

if TYPE_CHECKING:
    import torch

CPU_BLOCK_BYTES, DEVICE_BLOCK_BYTES = 1 << 23, 1 << 28
"""Most bytes for the values of one block of states, on the CPU and on other devices."""


@dataclass(frozen=True)
class _GateGroup:
    """Gates of equal level, kind and number of literals, evaluated together."""

    kind: int
    nodes: torch.Tensor  # [gates]
    literals: torch.Tensor  # [literals, gates] node of each literal
    negated: torch.Tensor  # [literals, gates, 1] uint8
    weights: torch.Tensor  # [literals, gates, 1] int32
    bounds: torch.Tensor  # [gates, 1] int32


@dataclass(frozen=True)
class _Level:
    groups: tuple[_GateGroup, ...]
    is_recursive: bool
    nodes: torch.Tensor  # all nodes of the level


def evaluate_torch(circuit: Circuit, rows: torch.Tensor) -> torch.Tensor:
    """Evaluate a circuit on the device of its inputs.

    Args:
        circuit: Circuit to evaluate.
        rows: uint8[inputs, states] or bool[inputs, states] Values of the inputs.

    Returns:
        uint8[outputs, states] Values of the outputs, 0 or 1, on the same device.

    Raises:
        ValueError: The shape or the dtype does not fit the circuit, or a value is neither 0 nor 1.
    """
    import torch

    if rows.dtype == torch.bool:
        rows = rows.to(torch.uint8)
    if rows.dtype != torch.uint8 or rows.ndim != 2 or len(rows) != len(circuit.inputs):
        raise ValueError(f"rows must be uint8[{len(circuit.inputs)}, states], not {rows.dtype}{list(rows.shape)}")
    if rows.numel() and rows.max() > 1:
        raise ValueError(f"rows must be 0 or 1, not {rows.max()}")
    plan = _get_plan(circuit, rows.device)
    nodes = circuit.first_gate + circuit.num_gates
    block = max(64, (CPU_BLOCK_BYTES if rows.device.type == "cpu" else DEVICE_BLOCK_BYTES) // nodes)
    literals = torch.from_numpy(circuit.output_literals.astype(np.int64)).to(rows.device)
    negated = (literals & 1).to(torch.uint8)[:, None]
    out = torch.empty((len(literals), rows.shape[1]), dtype=torch.uint8, device=rows.device)
    for start in range(0, rows.shape[1], block):
        block_rows = rows[:, start : start + block]
        values = torch.zeros((nodes, block_rows.shape[1]), dtype=torch.uint8, device=rows.device)
        values[0] = 1
        values[1 : circuit.first_gate] = block_rows
        _run_plan(plan, values)
        out[:, start : start + block] = values.index_select(0, literals >> 1) ^ negated
    return out


def _run_plan(plan: tuple[_Level, ...], values: torch.Tensor) -> None:
    import torch

    for level in plan:
        is_changing = True
        while is_changing:
            previous = values[level.nodes] if level.is_recursive else None
            for group in level.groups:
                values.index_copy_(0, group.nodes, _evaluate_group(group, values))
            is_changing = previous is not None and not torch.equal(previous, values[level.nodes])


def _evaluate_group(group: _GateGroup, values: torch.Tensor) -> torch.Tensor:
    """Return [gates, states] the values of a group, computed one literal position at a time."""
    import torch

    def operand(position: int) -> torch.Tensor:
        return values.index_select(0, group.literals[position]).bitwise_xor_(group.negated[position])

    if group.kind == SUM:
        total = torch.zeros((len(group.nodes), values.shape[1]), dtype=torch.int32, device=values.device)
        for position in range(len(group.literals)):
            total += operand(position) * group.weights[position]
        return (total >= group.bounds).to(torch.uint8)
    result = operand(0)
    for position in range(1, len(group.literals)):
        if group.kind == AND:
            result &= operand(position)
        else:
            result |= operand(position)
    return result


def _get_plan(circuit: Circuit, device: torch.device) -> tuple[_Level, ...]:
    """Return the levels of a circuit as tensors on a device, made once."""
    plans: dict[str, tuple[_Level, ...]] = circuit.__dict__.setdefault("_torch_plans", {})
    if str(device) not in plans:
        plans[str(device)] = tuple(_make_levels(circuit, device))
    return plans[str(device)]


def _make_levels(circuit: Circuit, device: torch.device) -> list[_Level]:
    import torch

    loop_of_gate = np.zeros(circuit.num_gates, np.int64)
    for index, (first, end) in enumerate(circuit.loops):
        loop_of_gate[first:end] = index + 1
    sizes = np.diff(circuit.starts)
    keys: dict[tuple[int, int], dict[tuple[int, int], list[int]]] = {}
    for gate in range(circuit.num_gates):
        step = keys.setdefault((int(circuit.levels[gate]), int(loop_of_gate[gate])), {})
        step.setdefault((int(circuit.kinds[gate]), int(sizes[gate])), []).append(gate)
    levels = []
    for (_, loop), groups in sorted(keys.items()):
        members = [gate for gates in groups.values() for gate in gates]
        nodes = torch.tensor([circuit.first_gate + gate for gate in members], device=device)
        levels.append(
            _Level(
                tuple(_make_group(circuit, kind, gates, device) for (kind, _), gates in groups.items()), loop > 0, nodes
            )
        )
    return levels


def _make_group(circuit: Circuit, kind: int, gates: list[int], device: torch.device) -> _GateGroup:
    import torch

    positions = np.stack([np.arange(circuit.starts[gate], circuit.starts[gate + 1]) for gate in gates], axis=1)
    literals = torch.from_numpy(circuit.literals[positions].astype(np.int64)).to(device)
    return _GateGroup(
        kind,
        torch.tensor([circuit.first_gate + gate for gate in gates], device=device),
        literals >> 1,
        (literals & 1).to(torch.uint8)[:, :, None],
        torch.from_numpy(circuit.weights[positions]).to(device)[:, :, None],
        torch.from_numpy(circuit.bounds[gates]).to(device)[:, None],
    )
