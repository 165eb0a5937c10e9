"""Find points that add up all numbers to a count, as an input of a counter holds for each number to its value."""

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
    """Find ``points/3`` with the count of a fluent as its number, for each number to the value of the counter.

    Args:
        rules: Compiled rules.

    Yields:
        A warning without a location for each reason of such points.
    """
    if _POINTS not in rules.derived_outputs:
        return
    circuit = rules.kb.circuit(str(_POINTS))
    counters = {fluent.signature.name for fluent in rules.fluents.fluents if fluent.value_type == COUNTER}
    found = defaultdict[tuple[object, ...], list[tuple[Atom, Atom]]](list)
    for index, output in enumerate(circuit.outputs):
        seat, number, reason = output.args
        operands = _operands(circuit, index)
        for atom in _true_inputs(circuit, operands):
            *key, count = atom.args or (None,)
            above = Atom(atom.name, (*key, count + 1)) if isinstance(count, int) else None
            is_exact = above in circuit.inputs and 2 * circuit.inputs.index(above) + 3 in operands
            if atom.name in counters and isinstance(number, int) and abs(number) == count and not is_exact:
                found[seat, reason, atom.name, *key].append((output, atom))
    for pairs in found.values():
        if len(pairs) > 1:
            output, atom = pairs[1]
            message = f"{output} is added to {pairs[0][0]}: {atom} holds for each number up to the count"
            remedy = f"write points(S,1,(Why,N)), or let the number be exact: not {atom.name}(…,N+1)"
            yield make_warning(None, message, remedy, ErrorCode.INEXACT_COUNT)


def _operands(circuit: Circuit, output: int) -> set[int]:
    """Return the literals that all have to hold for an output, as far as its last gate shows them."""
    literal = int(circuit.output_literals[output])
    gate = literal // 2 - len(circuit.inputs) - 1
    if literal % 2 or gate < 0 or circuit.kinds[gate] != AND:
        return {literal}
    return set(circuit.literals[circuit.starts[gate] : circuit.starts[gate + 1]].tolist())


def _true_inputs(circuit: Circuit, literals: set[int]) -> Iterator[Atom]:
    """Yield the inputs that literals ask to be true."""
    for literal in sorted(literals):
        node = literal // 2
        if literal % 2 == 0 and 0 < node <= len(circuit.inputs):
            yield circuit.inputs[node - 1]
