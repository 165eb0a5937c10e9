"""The torch evaluator: the gates of a level at a time, for the CPU and for GPUs; the same results as numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.circuit.circuit import AND, SUM, Circuit

if TYPE_CHECKING:
    import torch

CPU_BLOCK_BYTES, DEVICE_BLOCK_BYTES = (
    1 << 23,
    1 << 28,
)  # memory for the values of one block of states: on the CPU, elsewhere


@dataclass(frozen=True)
class _GateGroup:
    """Gates of one level, kind and number of literals, evaluated together."""

    kind: int
    nodes: torch.Tensor  # [gates]
    literals: torch.Tensor  # [literals, gates] nodes
    negated: torch.Tensor  # [literals, gates, 1] uint8
    weights: torch.Tensor  # [literals, gates, 1] int32
    bounds: torch.Tensor  # [gates, 1] int32


@dataclass(frozen=True)
class _Level:
    groups: tuple[_GateGroup, ...]
    is_recursive: bool
    nodes: torch.Tensor  # all the nodes of a repeated level


def evaluate_torch(circuit: Circuit, rows: torch.Tensor) -> torch.Tensor:
    """uint8[outputs, states] from uint8[inputs, states] on the device of `rows`.

    Raises ValueError when the shape or the type does not fit the circuit.
    """
    import torch

    if rows.dtype == torch.bool:
        rows = rows.to(torch.uint8)
    if rows.dtype != torch.uint8 or rows.ndim != 2 or len(rows) != len(circuit.inputs):
        raise ValueError(f"rows must be uint8[{len(circuit.inputs)}, states], not {rows.dtype}{list(rows.shape)}")
    plan = _get_plan(circuit, rows.device)
    nodes = circuit.first_gate + circuit.num_gates
    block = max(64, (CPU_BLOCK_BYTES if rows.device.type == "cpu" else DEVICE_BLOCK_BYTES) // nodes)
    literals = torch.from_numpy(circuit.output_literals.astype(np.int64)).to(rows.device)
    negated = (literals & 1).to(torch.uint8)[:, None]
    out = torch.empty((len(literals), rows.shape[1]), dtype=torch.uint8, device=rows.device)
    for start in range(0, rows.shape[1], block):
        part = rows[:, start : start + block]
        values = torch.zeros((nodes, part.shape[1]), dtype=torch.uint8, device=rows.device)
        values[0] = 1
        values[1 : circuit.first_gate] = part
        _run_plan(plan, values)
        out[:, start : start + block] = values.index_select(0, literals >> 1) ^ negated
    return out


def _run_plan(plan: tuple[_Level, ...], values: torch.Tensor) -> None:
    import torch

    for level in plan:
        again = True
        while again:
            before = values[level.nodes] if level.is_recursive else None
            for group in level.groups:
                values.index_copy_(0, group.nodes, _evaluate_group(group, values))
            again = before is not None and not torch.equal(before, values[level.nodes])


def _evaluate_group(group: _GateGroup, values: torch.Tensor) -> torch.Tensor:
    """[gates, states] the values of a group, a literal position at a time."""
    import torch

    def operand(place: int) -> torch.Tensor:
        return values.index_select(0, group.literals[place]).bitwise_xor_(group.negated[place])

    if group.kind == SUM:
        total = torch.zeros((len(group.nodes), values.shape[1]), dtype=torch.int32, device=values.device)
        for place in range(len(group.literals)):
            total += operand(place) * group.weights[place]
        return (total >= group.bounds).to(torch.uint8)
    result = operand(0)
    for place in range(1, len(group.literals)):
        if group.kind == AND:
            result &= operand(place)
        else:
            result |= operand(place)
    return result


def _get_plan(circuit: Circuit, device: torch.device) -> tuple[_Level, ...]:
    """The levels of a circuit as tensors on a device, made once."""
    plans: dict[str, tuple[_Level, ...]] = circuit.__dict__.setdefault("_torch_plans", {})
    if str(device) not in plans:
        plans[str(device)] = tuple(_make_levels(circuit, device))
    return plans[str(device)]


def _make_levels(circuit: Circuit, device: torch.device) -> list[_Level]:
    import torch

    looped = np.zeros(circuit.num_gates, np.int64)
    for index, (first, end) in enumerate(circuit.loops):
        looped[first:end] = index + 1
    sizes = np.diff(circuit.starts)
    keys: dict[tuple[int, int], dict[tuple[int, int], list[int]]] = {}
    for gate in range(circuit.num_gates):
        step = keys.setdefault((int(circuit.levels[gate]), int(looped[gate])), {})
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

    places = np.stack([np.arange(circuit.starts[gate], circuit.starts[gate + 1]) for gate in gates], axis=1)
    literals = torch.from_numpy(circuit.literals[places].astype(np.int64)).to(device)
    return _GateGroup(
        kind,
        torch.tensor([circuit.first_gate + gate for gate in gates], device=device),
        literals >> 1,
        (literals & 1).to(torch.uint8)[:, :, None],
        torch.from_numpy(circuit.weights[places]).to(device)[:, :, None],
        torch.from_numpy(circuit.bounds[gates]).to(device)[:, None],
    )
