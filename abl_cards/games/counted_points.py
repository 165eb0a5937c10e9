"""Find ``points/3`` that sum 1 + 2 + … + n for a counter of value n, whose input holds for each of these numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from abl_cards.asp import Atom, Diagnostic, Signature, make_warning
from abl_cards.circuit import AND, Circuit
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER

_POINTS = Signature("points", 3)


def find_added_counts(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find ``points/3`` with a counter as number, which the rules derive for each number up to the value.

    Args:
        rules: Compiled rules.

    Yields:
        A warning without a location for each reason of such points.
    """
    if _POINTS not in rules.derived_outputs:
        return
    circuit = rules.kb.circuit(str(_POINTS))
    counters = {fluent.signature for fluent in rules.fluents.fluents if fluent.value_type == COUNTER}
    points = defaultdict[tuple[object, ...], list[tuple[Atom, Atom]]](list)  # (output, input) pairs that are added up
    for output, literal in zip(circuit.outputs, circuit.output_literals.tolist(), strict=True):
        seat, number, reason = output.args
        required = _required_inputs(circuit, literal)
        for atom, is_true in required.items():
            if not is_true or Signature(atom.name, len(atom.args)) not in counters:
                continue
            *key, count = atom.args
            is_exact = isinstance(count, int) and required.get(Atom(atom.name, (*key, count + 1))) is False
            if isinstance(number, int) and abs(number) == count and not is_exact:
                points[seat, reason, atom.name, *key].append((output, atom))
    for pairs in points.values():
        if len(pairs) > 1:
            output, atom = pairs[1]
            message = f"{output} is added to {pairs[0][0]}: {atom} holds for each number up to the count"
            remedy = f"write points(S,1,(Why,N)), or let the number be exact: not {atom.name}(…,N+1)"
            yield make_warning(None, message, remedy, ErrorCode.INEXACT_COUNT)


def _required_inputs(circuit: Circuit, literal: int) -> dict[Atom, bool]:
    """Return the values that inputs must have for a literal to be true, as far as its own gate determines them."""
    literals, gate = [literal], literal // 2 - circuit.first_gate
    if literal % 2 == 0 and gate >= 0 and circuit.kinds[gate] == AND:
        literals = circuit.literals[circuit.starts[gate] : circuit.starts[gate + 1]].tolist()
    rows = {item // 2 - 1: item % 2 == 0 for item in sorted(literals)}
    return {circuit.inputs[row]: value for row, value in rows.items() if 0 <= row < len(circuit.inputs)}
