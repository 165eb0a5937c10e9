"""Evaluate the next seat in every situation of a game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature, make_kb_error
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.binding import CircuitQuery, make_array_writer
from abl_cards.games.compiled.seating import Seating
from abl_cards.games.description import Forms, InputSchema
from abl_cards.games.state import EPISODE_OVER_BIT, NO_NEXT_SEAT, TRICK_OVER_BIT, Strides, TurnTable

MAX_TURN_ENTRIES = 1 << 24
"""Maximum number of entries of a turn table."""


def build_turn_table(
    kb: KnowledgeBase, schema: InputSchema, forms: Forms, seating: Seating
) -> tuple[TurnTable, CircuitQuery | None]:
    """Evaluate the circuit of turns for all situations; if it reads fluents, return its query and an empty table."""
    outputs = [name for name in ("turn/1", "trick_over/0", "over/0") if Signature.parse(name) in kb.request.outputs]
    if "over/0" not in outputs:
        remedy = "say when an episode is over: over :- out(S)."
        raise make_kb_error("no rule derives over/0", remedy, ErrorCode.MISSING_OUTPUT)
    circuit = kb.circuit(*outputs)
    seats, query = seating.seats, CircuitQuery.from_circuit(circuit, schema)
    classes, examples = classify_forms(query, schema, forms)
    predicates = {name for name, _ in circuit.inputs}
    num_masks = 1 << seats
    sizes = Strides(
        last_actor=seats if "acted" in predicates else 1,
        owner=seats if "owner" in predicates else 1,
        passed=num_masks if "passed" in predicates else 1,
        passed_in_trick=num_masks if "has_passed" in predicates else 1,
        seats_out=num_masks if "out" in predicates else 1,
        last_form=len(examples),
        leader=seats if "leader" in predicates else 1,
    )
    leftover = np.array(seating.leftover_order, np.int8)
    if "fluents" in query.groups:
        no_strides = Strides(*(0 for _ in sizes))._replace(passed_in_trick=int("has_passed" in predicates))
        return TurnTable(np.zeros(0, np.uint8), no_strides, np.zeros(len(forms), np.int32), leftover), query
    total = int(np.prod(list(sizes), dtype=np.int64))
    if total > MAX_TURN_ENTRIES:
        remedy = "let turn/1 read fewer inputs"
        raise make_kb_error(f"whose turn it is depends on {total} situations", remedy, ErrorCode.GAME_TOO_LARGE)
    situations = Strides(*(axis.ravel() for axis in np.indices(tuple(sizes))))

    last_form = examples[situations.last_form]
    columns = {
        "act": [
            situations.last_actor,
            situations.owner,
            situations.passed,
            situations.passed_in_trick,
            situations.seats_out,
        ],
        "move": [last_form, forms.label_of[last_form]],
        "leader": [situations.leader],
    }
    answers = query.evaluate(total, {name: make_array_writer(values) for name, values in columns.items()})
    strides, stride = dict[str, int](), 1
    for name, size in reversed(sizes._asdict().items()):
        strides[name] = stride if size > 1 else 0
        stride *= size
    return TurnTable(encode_turn_entries(circuit, answers), Strides(**strides), classes, leftover), None


def classify_forms(
    query: CircuitQuery, schema: InputSchema, forms: Forms
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Group the forms that a query does not distinguish.

    Args:
        query: Query whose circuit may read the form and label of a move.
        schema: Numbering of the arguments of inputs.
        forms: Forms of the game.

    Returns:
        Class of each form, int32 [forms], and a form of each class, int16 [classes].
    """
    moves = CircuitQuery.from_circuit(query.circuit, schema, frozenset({"move"}))

    rows = moves.build_rows(len(forms), {"move": make_array_writer([np.arange(len(forms)), forms.label_of])})
    _, examples, classes = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    return classes.reshape(-1).astype(np.int32), examples.astype(np.int16)


def encode_turn_entries(circuit: Circuit, answers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Encode the outputs ``turn/1``, ``trick_over/0`` and ``over/0`` as entries of a turn table.

    Args:
        circuit: Circuit whose outputs these are.
        answers: uint8 [outputs, n], truth of each output.

    Returns:
        uint8 [n], entries as in TurnTable.
    """
    entries = np.zeros(answers.shape[1], np.uint8)
    num_turns = np.zeros(answers.shape[1], np.uint8)
    for (name, args), holds in zip(circuit.outputs, answers, strict=True):
        if name == "turn":
            entries |= holds * np.uint8(args[0])
            num_turns += holds
        elif name == "trick_over":
            entries |= holds * np.uint8(TRICK_OVER_BIT)
        else:
            entries |= holds * np.uint8(EPISODE_OVER_BIT)
    entries[(num_turns != 1) & (entries & EPISODE_OVER_BIT == 0)] = NO_NEXT_SEAT
    return entries
