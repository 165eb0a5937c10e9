"""The gate constructors keep the meaning of what they simplify."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.circuit.builder import CircuitBuilder, Gate, normalise_sum
from abl_cards.circuit.circuit import AND, FALSE, OR, TRUE

NODES = 4
LITERALS = st.integers(0, 2 * NODES + 1)


def value(builder: CircuitBuilder, literal: int, inputs: tuple[int, ...]) -> bool:
    """The meaning of a literal, read off the gates."""
    node = literal >> 1
    if node < builder.first_gate:
        truth = node == 0 or bool(inputs[node - 1])
    else:
        truth = gate_value(builder, builder.gates[node - builder.first_gate], inputs)
    return truth != bool(literal & 1)


def gate_value(builder: CircuitBuilder, gate: Gate, inputs: tuple[int, ...]) -> bool:
    values = [value(builder, literal, inputs) for literal in gate.literals]
    if gate.kind == AND:
        return all(values)
    if gate.kind == OR:
        return any(values)
    return sum(weight for weight, true in zip(gate.weights, values, strict=True) if true) >= gate.bound


@given(st.lists(LITERALS, max_size=5))
def test_conjunction_and_disjunction(literals: list[int]) -> None:
    builder = CircuitBuilder(NODES)
    both, either = builder.conjunction(literals), builder.disjunction(literals)
    for inputs in product((0, 1), repeat=NODES):
        values = [value(builder, literal, inputs) for literal in literals]
        assert value(builder, both, inputs) == all(values)
        assert value(builder, either, inputs) == any(values)


@given(st.lists(st.tuples(LITERALS, st.integers(-6, 6)), max_size=6), st.integers(-12, 12))
def test_at_least(terms: list[tuple[int, int]], bound: int) -> None:
    builder = CircuitBuilder(NODES)
    literals, weights = [literal for literal, _ in terms], [weight for _, weight in terms]
    result = builder.at_least(literals, weights, bound)
    for inputs in product((0, 1), repeat=NODES):
        total = sum(weight for literal, weight in terms if value(builder, literal, inputs))
        assert value(builder, result, inputs) == (total >= bound)


def test_equal_gates_are_shared() -> None:
    builder = CircuitBuilder(NODES)
    assert builder.conjunction([2, 4]) == builder.conjunction([4, 2, 2, TRUE])
    assert builder.at_least([2, 4, 6], [2, 2, 4], 6) == builder.at_least([6, 4, 2], [4, 2, 2], 5)
    assert builder.disjunction([2, 3]) == TRUE
    assert builder.conjunction([2, 3]) == FALSE
    assert len(builder.gates) == 2


def test_sums_beyond_int32_raise() -> None:
    with pytest.raises(OverflowError):
        normalise_sum([2, 4], [2**30, 2**30], 5)
