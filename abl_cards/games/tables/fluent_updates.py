"""Updates at events: of fluents, and of cards that pass between seats and the kitty.

The rules derive them as ``next/1``, ``drop/1``, ``adds/3``, ``passes/3``, ``takes_aside/1``, ``lays_aside/2`` and
``takes_back/3``. Their circuit is evaluated for the tables where the event happens, and kernels apply its outputs.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Signature, Term, make_kb_error, split_term
from abl_cards.circuit import FALSE, TRUE
from abl_cards.core import ErrorCode, device_function, kernel
from abl_cards.games.binding import CircuitQuery, make_array_writer
from abl_cards.games.compiled import (
    CompiledGame,
    TableError,
    check_hand_limit,
    classify_forms,
    join_names,
    source_hint,
)
from abl_cards.games.description import MAX_COUNT, add_count_argument, explain_unknown_fluent, find_test, require_int
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

_UPDATE_PREDICATES = ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3")
CHOICE_EVENT, SHOWN_EVENT = "choice", "shown"
"""The events after a choice, and at which cards may be taken back."""


class EventUpdate(NamedTuple):
    """Updates that an event can cause."""

    rules: CompiledGame
    query: CircuitQuery
    sets: NDArray[np.int64]  # [n, 3] output, slot, value; drop/1 first, so that next/1 overrides it
    adds: NDArray[np.int64]  # [n, 3] output, slot, amount
    transfers: NDArray[np.int64]  # [n, 4] output, from, to, kind; -1 for the kitty
    kitty_takes: NDArray[np.int64]  # [n, 2] output, seat that takes the whole kitty
    retractions: NDArray[np.int64]  # [n, 4] output, seat, kind, copies taken back out of the trick
    exclusive_outputs: NDArray[np.int64]  # outputs that set the same slot, adjacent
    exclusive_starts: NDArray[np.int64]  # index in exclusive_outputs of the first output of each such slot
    form_matters: NDArray[np.bool_]  # [forms] a play of this form can change something
    known_outputs: NDArray[np.uint8] | None  # [outputs, forms] if the form alone decides the outputs

    @classmethod
    def from_rules(cls, rules: CompiledGame, event: str) -> EventUpdate | None:
        """Compile the updates of an event.

        Args:
            rules: Compiled rules.
            event: Name of the event.

        Returns:
            The updates, None if nothing can change.

        Raises:
            KBError: If a rule names an unknown fluent or count.
        """
        query = rules.build_query(*_UPDATE_PREDICATES)
        if query is None:
            return None
        known_inputs = {atom: atom.args == (event,) for atom in query.circuit.inputs if atom.name == "event"}
        if event != CHOICE_EVENT:  # other events have no stage
            known_inputs |= {atom: False for atom in query.circuit.inputs if atom.name == "stage"}
        circuit = query.circuit.specialise(known_inputs).without_false_outputs()
        return (
            _compile_update(rules, event, CircuitQuery.from_circuit(circuit, rules.schema)) if circuit.outputs else None
        )

    def apply(self, answers: NDArray[np.uint8], state: TableState, rows: Indices) -> None:
        """Apply circuit outputs to tables.

        Args:
            answers: uint8 [outputs, n], circuit outputs.
            state: State of all tables; changed in place.
            rows: int64 [n], tables.

        Raises:
            TableError: If a fluent would get two values, or a card would be moved that is not there.
        """
        self._check_values(answers, rows)
        self._apply(answers, state, rows)

    def _apply(self, answers: NDArray[np.uint8], state: TableState, rows: Indices) -> None:
        """Apply circuit outputs without a check for conflicting values."""
        updates = (self.sets, self.adds, self.transfers, self.kitty_takes)
        index, update_row = _apply_updates(
            answers, rows, *updates, state, self.rules.num_from_stock if self.rules.has_draws else 0
        )
        if index >= 0:
            self._raise_missing_card(self.transfers[update_row, 0], int(rows[index]))
        if self.rules.has_pile and len(self.transfers) + len(self.kitty_takes):
            sizes = state.hands[rows].sum(axis=2, dtype=np.int64)
            check_hand_limit(self.rules.kb, self.rules.usual_hand_size, rows, sizes.max(axis=1))
        if len(self.retractions):
            index, update_row = _apply_retractions(
                answers, rows, self.retractions, state.trick_cards, state.hands, state.played
            )
            if index >= 0:
                self._raise_missing_card(self.retractions[update_row, 0], int(rows[index]))

    def apply_known(self, state: TableState, rows: Indices) -> None:
        """Apply the outputs that follow from the form of the last act to tables rows [n]."""
        assert self.known_outputs is not None
        self._apply(np.take(self.known_outputs, state.last_form[rows], axis=1), state, rows)

    def changes_slots(self, slots: Iterable[int]) -> bool:
        """Return True if the updates can change one of these fluent slots."""
        return any(np.isin(updates[:, 1], [*slots]).any() for updates in (self.sets, self.adds))

    def list_set_slots(self, false_inputs: Collection[Atom] = ()) -> list[int]:
        """Return the fluent slots that the updates can set, and not only reset, where some inputs are false."""
        circuit = self.query.circuit
        known = {atom: False for atom in circuit.inputs if atom in false_inputs}
        possible = set(circuit.specialise(known).without_false_outputs().outputs)
        is_set = [output.name != "drop" and output in possible for output in circuit.outputs]
        return [slot for output, slot, _ in [*self.sets.tolist(), *self.adds.tolist()] if is_set[output]]

    def _check_values(self, answers: NDArray[np.uint8], rows: Indices) -> None:
        """Raise TableError if a fluent would get two values at once."""
        if not len(self.exclusive_starts):
            return
        group, row = _find_conflict(answers, self.exclusive_outputs, self.exclusive_starts)
        if group < 0:
            return
        outputs = self.exclusive_outputs[
            self.exclusive_starts[group] : self.exclusive_starts[group + 1]
            if group + 1 < len(self.exclusive_starts)
            else None
        ]
        values = [str(self.query.circuit.outputs[output].args[0]) for output in outputs if answers[output, row]]
        hint = source_hint(self.rules.kb, "next/1")
        raise TableError(int(rows[row]), f"`next/1` gives two values at once: {join_names(values)}{hint}")

    def _raise_missing_card(self, index: int, table: int) -> NoReturn:
        """Raise TableError for an output that moves a card which is not there."""
        output = self.query.circuit.outputs[index]
        raise TableError(table, f"{output}, and the card is not there: `{output.name}/{len(output.args)}`")


def slot_and_value(rules: CompiledGame, term: Term, predicate: str) -> tuple[int, int]:
    """Find the slot and value that a fluent term stands for.

    Args:
        rules: Compiled rules.
        term: Term such as ``level(0,5)``.
        predicate: Predicate that has the term as argument, for the error message.

    Returns:
        Slot and value.

    Raises:
        KBError: If the game declares no such fluent.
    """
    name, arguments = split_term(term)
    signature = Signature(name, len(arguments))
    location = rules.fluents[signature].locate(arguments) if signature in rules.fluents else None
    if location is None:
        problem, remedy = explain_unknown_fluent(rules.fluents, name, arguments)
        raise make_kb_error(f"{predicate}({term}): {problem}", remedy, ErrorCode.UNKNOWN_NAME)
    return location.slot, location.value


def _compile_update(rules: CompiledGame, event: str, query: CircuitQuery) -> EventUpdate:
    """Translate the outputs of a query into rows of numbers."""
    outputs_by_slot = dict[int, list[int]]()
    drops, sets, adds, transfers, kitty_takes, retractions = (list[tuple[int, ...]]() for _ in range(6))
    for output, (name, args) in enumerate(query.circuit.outputs):
        if name == "next":
            sets.append((output, *slot_and_value(rules, args[0], "next")))
            outputs_by_slot.setdefault(sets[-1][1], []).append(output)
        elif name == "drop":
            slot, _ = slot_and_value(rules, args[0], "drop")
            drops.append((output, slot, int(rules.fluents.defaults[slot])))
        elif name == "adds":
            slot, _ = slot_and_value(rules, add_count_argument(args[0]), "adds")
            adds.append((output, slot, require_int(args[1], f"adds({args[0]},…)")))
        elif name == "passes":
            transfers.append((output, int(args[0]), int(args[1]), rules.pack.index[args[2]]))
        elif name == "takes_aside":
            kitty_takes.append((output, int(args[0])))
        elif name == "lays_aside":
            transfers.append((output, int(args[0]), -1, rules.pack.index[args[1]]))
        elif name == "takes_back":
            retractions.append((output, *_retraction_args(rules, event, args)))
    retraction_rows = _int_rows(retractions, 4)
    retraction_rows = retraction_rows[
        np.lexsort((-retraction_rows[:, 3], retraction_rows[:, 2], retraction_rows[:, 1]))
    ]
    form_matters, known_outputs = _effects_by_form(rules, query)
    exclusive_outputs, exclusive_starts = _exclusive_groups(outputs_by_slot)
    if known_outputs is not None and _find_conflict(known_outputs, exclusive_outputs, exclusive_starts)[0] >= 0:
        known_outputs = None  # apply_known does not check for conflicting values
    return EventUpdate(
        rules, query, _int_rows(drops + sets, 3), _int_rows(adds, 3), _int_rows(transfers, 4),
        _int_rows(kitty_takes, 2), retraction_rows, exclusive_outputs, exclusive_starts, form_matters, known_outputs,
    )  # fmt: skip


def _int_rows(rows: list[tuple[int, ...]], width: int) -> NDArray[np.int64]:
    """Convert rows to an array [rows, width], also if there are none."""
    return np.array(rows, np.int64).reshape(-1, width)


def _retraction_args(rules: CompiledGame, event: str, arguments: tuple[Term, ...]) -> tuple[int, int, int]:
    """Return seat, kind and copies of ``takes_back/3``; raise KBError for an invalid output."""
    text = f"takes_back({arguments[0]},{arguments[1]},{arguments[2]})"
    if event != SHOWN_EVENT or not rules.has_composed_plays:
        raise make_kb_error(
            f"{text} at event({event}): cards are taken back of plays that are laid card by card, when they are shown",
            "write it with event(shown), and more/0 for plays of several parts",
            ErrorCode.INVALID_ARGUMENT,
        )
    if require_int(arguments[2], text) < 1:
        raise make_kb_error(f"{text}: no number of copies", "write copies from 1 on", ErrorCode.INVALID_ARGUMENT)
    return int(arguments[0]), rules.pack.index[arguments[1]], require_int(arguments[2], text)


def _exclusive_groups(outputs_by_slot: Mapping[int, list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the outputs of slots that several outputs set, and the index of the first output of each slot."""
    groups = [outputs for outputs in outputs_by_slot.values() if len(outputs) > 1]
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    return np.array([output for outputs in groups for output in outputs], np.int64), starts.astype(np.int64)


MAX_FORM_CLASSES = 64
"""Most classes of forms with different effects to tabulate; beyond it, every form counts as relevant."""


def _effects_by_form(rules: CompiledGame, query: CircuitQuery) -> tuple[NDArray[np.bool_], NDArray[np.uint8] | None]:
    """Return which forms can change something [forms], and the outputs [outputs, forms] if the form decides them."""
    classes, examples = classify_forms(query, rules.schema, rules.forms)
    if len(examples) > MAX_FORM_CLASSES:
        return np.ones(len(rules.forms), np.bool_), None
    move_query = CircuitQuery.from_circuit(query.circuit, rules.schema, frozenset({"move"}))
    rows = move_query.build_rows(len(examples), {"move": make_array_writer([examples, rules.forms.label_of[examples]])})
    move_rows = [row for row, atom in enumerate(query.circuit.inputs) if (test := find_test(rules.schema, atom)) and
             test.group == "move"]  # fmt: skip
    outputs = []
    for column in rows.T:
        values = {query.circuit.inputs[row]: bool(column[row]) for row in move_rows}
        outputs.append((query.circuit.specialise(values) if values else query.circuit).output_literals)
    literals = np.stack(outputs, axis=1)[:, classes]  # [outputs, forms]
    is_decided = bool(np.isin(literals, (TRUE, FALSE)).all())
    return (literals != FALSE).any(axis=0), np.ascontiguousarray(literals == TRUE, np.uint8) if is_decided else None


_SCAN_WIDTH = 32
"""Outputs that are tested together."""


@kernel
def find_true(answers, output, positions):
    """Write the positions at which an output holds, in ascending order.

    Most outputs hold nowhere, so ``_SCAN_WIDTH`` positions are tested at a time.

    Args:
        answers: uint8 [outputs, n], circuit outputs.
        output: Index of the output.
        positions: int64 [n], receives the positions.

    Returns:
        Number of positions.
    """
    flat, n, step = answers.reshape(answers.size), np.uint64(answers.shape[1]), np.uint64(_SCAN_WIDTH)
    first, begin, count = np.uint64(output) * n, np.uint64(0), 0  # unsigned: loops that LLVM vectorises
    while begin < n:
        end, any_true = min(begin + step, n), np.uint8(0)
        if end - begin == step:
            for position in range(step):
                any_true |= flat[first + begin + position]
        else:
            any_true = np.uint8(1)
        if any_true:
            for position in range(begin, end):
                if flat[first + position]:
                    positions[count] = position
                    count += 1
        begin = end
    return count


@kernel
def _find_conflict(answers, outputs, starts):
    """Return the first group of outputs of which two hold at once, and its first column; -1, -1 if there is none."""
    n = answers.shape[1]
    last_group, columns = np.full(n, -1, np.int64), np.empty(n, np.int64)  # holds: the last group with a true output
    for group in range(len(starts)):
        end, first_column = starts[group + 1] if group + 1 < len(starts) else len(outputs), n
        for position in range(starts[group], end):
            for k in range(find_true(answers, outputs[position], columns)):
                if last_group[columns[k]] == group:
                    first_column = min(first_column, columns[k])
                last_group[columns[k]] = group
        if first_column < n:
            return group, first_column
    return -1, -1


@device_function
def apply_fluent_updates(answers, rows, sets, adds, fluents):
    """Apply the outputs [outputs, n] that change fluents to tables rows [n]; sets and adds as in ``EventUpdate``."""
    columns = np.empty(len(rows), np.int64)
    for row in range(len(sets)):
        for k in range(find_true(answers, sets[row, 0], columns)):
            fluents[rows[columns[k]], sets[row, 1]] = sets[row, 2]
    for row in range(len(adds)):
        for k in range(find_true(answers, adds[row, 0], columns)):
            count = np.int64(fluents[rows[columns[k]], adds[row, 1]]) + adds[row, 2]
            fluents[rows[columns[k]], adds[row, 1]] = min(max(count, -MAX_COUNT), MAX_COUNT)


@kernel
def _apply_updates(answers, rows, sets, adds, transfers, kitty_takes, state, num_from_stock):
    """Apply circuit outputs [outputs, n] to tables rows [n]; sets, adds, passes, takes as in ``EventUpdate``.

    A seat takes up what lay aside before the event, but for the cards of the stock that are still to be drawn.
    Returns index in ``rows`` and row of ``passes`` of the first card that is not there, or -1, -1.
    """
    hands, aside = state.hands, state.aside
    columns = np.empty(len(rows), np.int64)
    apply_fluent_updates(answers, rows, sets, adds, state.fluents)
    for row in range(len(kitty_takes)):
        for k in range(find_true(answers, kitty_takes[row, 0], columns)):
            table = rows[columns[k]]
            for place in range(state.num_drawn[table], num_from_stock):
                aside[table, state.stock[table, place]] -= 1
            for kind in range(aside.shape[1]):
                hands[table, kitty_takes[row, 1], kind] += aside[table, kind]
                aside[table, kind] = 0
            for place in range(state.num_drawn[table], num_from_stock):
                aside[table, state.stock[table, place]] += 1
    for row in range(len(transfers)):
        giver, taker, kind = transfers[row, 1], transfers[row, 2], transfers[row, 3]
        for k in range(find_true(answers, transfers[row, 0], columns)):
            table = rows[columns[k]]
            if (hands[table, giver, kind] if giver >= 0 else aside[table, kind]) == 0:
                return columns[k], row
            if giver >= 0:
                hands[table, giver, kind] -= 1
            else:
                aside[table, kind] -= 1
            if taker >= 0:
                hands[table, taker, kind] += 1
            else:
                aside[table, kind] += 1
    return -1, -1


@kernel
def _apply_retractions(answers, rows, retractions, trick_cards, hands, played):
    """Return cards of the trick to hands at tables rows [n] by circuit outputs [outputs, n].

    ``backs`` is ``EventUpdate.retractions``, sorted by seat, kind, and descending copies, so that the largest number of
    copies counts. Returns index in ``rows`` and row of ``backs`` of the first card that is not there, or -1, -1.
    """
    missing_row, missing_column = -1, -1
    last_applied = np.full(len(rows), -1, np.int64)  # row of backs that was applied last
    columns = np.empty(len(rows), np.int64)
    for row in range(len(retractions)):
        seat, kind, copies = retractions[row, 1], retractions[row, 2], retractions[row, 3]
        for k in range(find_true(answers, retractions[row, 0], columns)):
            i = columns[k]
            if (
                last_applied[i] >= 0
                and retractions[last_applied[i], 1] == seat
                and retractions[last_applied[i], 2] == kind
            ):
                continue
            table, last_applied[i] = rows[i], row
            if trick_cards[table, seat, kind] < copies:
                if missing_column < 0 or i < missing_column:
                    missing_column, missing_row = i, row
            else:
                trick_cards[table, seat, kind] -= copies
                played[table, seat, kind] -= copies
                hands[table, seat, kind] += copies
    return missing_column, missing_row
