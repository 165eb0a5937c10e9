"""What changes at an event: fluents, and cards that go from one seat to another or lie aside.

The rules say it in ``next/1``, ``drop/1``, ``adds/3``, ``passes/3``, ``takes_aside/1``, ``lays_aside/2`` and
``takes_back/3``; a circuit of these is asked for the tables where the event happens, and kernels do what it answers.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, NoReturn

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.asp import Signature, Term, make_kb_error, split_term
from abl_cards.circuit import FALSE, TRUE
from abl_cards.games.binding import CircuitQuery, make_array_writer
from abl_cards.games.compiled import CompiledGame, TableError, classify_forms, join_names, source_hint
from abl_cards.games.description import MAX_COUNT, add_count_argument, explain_unknown_fluent, find_test, require_int
from abl_cards.games.state import TableState
from abl_cards.games.types import Indices

_UPDATE_PREDICATES = ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3")
CHOICE_EVENT, SHOWN_EVENT = "choice", "shown"
"""The events at which somebody has been asked, and at which cards may be taken back."""


class EventUpdate(NamedTuple):
    """What may change at an event."""

    rules: CompiledGame
    query: CircuitQuery
    sets: NDArray[np.int64]  # [n, 3] output, slot, value; what is forgotten comes first, as what is set counts
    adds: NDArray[np.int64]  # [n, 3] output, slot, number
    transfers: NDArray[np.int64]  # [n, 4] output, from, to, kind; -1 for those aside
    kitty_takes: NDArray[np.int64]  # [n, 2] output, seat: all that lies aside
    retractions: NDArray[np.int64]  # [n, 4] output, seat, kind, copies that are taken back out of the trick
    exclusive_outputs: NDArray[np.int64]  # outputs that set one slot, side by side
    exclusive_starts: NDArray[np.int64]  # where those of each such slot begin
    form_matters: NDArray[np.bool_]  # [forms] of which laid down anything changes at all
    known_outputs: NDArray[np.uint8] | None  # [outputs, forms] where the form alone decides what changes

    @classmethod
    def from_rules(cls, rules: CompiledGame, event: str) -> EventUpdate | None:
        """Compile what the rules change at an event, if anything; raises KBError."""
        told = rules.build_query(*_UPDATE_PREDICATES)
        if told is None:
            return None
        known = {atom: atom.args == (event,) for atom in told.circuit.inputs if atom.name == "event"}
        if event != CHOICE_EVENT:  # nobody is asked for anything at another event
            known |= {atom: False for atom in told.circuit.inputs if atom.name == "stage"}
        circuit = told.circuit.specialise(known).without_false_outputs()
        return (
            _compile_update(rules, event, CircuitQuery.from_circuit(circuit, rules.schema)) if circuit.outputs else None
        )

    def apply(self, answers: NDArray[np.uint8], state: TableState, rows: Indices) -> None:
        """Change the tables [n] by the answers [outputs, n]; raises TableError."""
        self._check_values(answers, rows)
        self._apply(answers, state, rows)

    def _apply(self, answers: NDArray[np.uint8], state: TableState, rows: Indices) -> None:
        moved = (self.sets, self.adds, self.transfers, self.kitty_takes)
        place, row = _apply_updates(answers, rows, *moved, state.hands, state.aside, state.fluents)
        if place >= 0:
            self._raise_missing_card(self.transfers[row, 0], int(rows[place]))
        if len(self.retractions):
            place, row = _apply_retractions(
                answers, rows, self.retractions, state.trick_cards, state.hands, state.played
            )
            if place >= 0:
                self._raise_missing_card(self.retractions[row, 0], int(rows[place]))

    def apply_known(self, state: TableState, rows: Indices) -> None:
        """Change the tables [n] by the forms that have just been laid down there."""
        assert self.known_outputs is not None
        self._apply(np.take(self.known_outputs, state.last_form[rows], axis=1), state, rows)

    def changes_slots(self, slots: Iterable[int]) -> bool:
        """Whether any of these slots may get another value."""
        return any(np.isin(found[:, 1], [*slots]).any() for found in (self.sets, self.adds))

    def _check_values(self, answers: NDArray[np.uint8], rows: Indices) -> None:
        """Raise TableError where a fluent would get two values at once."""
        if not len(self.exclusive_starts):
            return
        group, row = _find_conflict(answers, self.exclusive_outputs, self.exclusive_starts)
        if group < 0:
            return
        mine = self.exclusive_outputs[
            self.exclusive_starts[group] : self.exclusive_starts[group + 1]
            if group + 1 < len(self.exclusive_starts)
            else None
        ]
        found = [str(self.query.circuit.outputs[each].args[0]) for each in mine if answers[each, row]]
        where = source_hint(self.rules.kb, "next/1")
        raise TableError(int(rows[row]), f"`next/1` gives two values at once: {join_names(found)}{where}")

    def _raise_missing_card(self, number: int, table: int) -> NoReturn:
        """Raise TableError for a card that is not there."""
        output = self.query.circuit.outputs[number]
        raise TableError(table, f"{output}, and the card is not there: `{output.name}/{len(output.args)}`")


def slot_and_value(rules: CompiledGame, term: Term, predicate: str) -> tuple[int, int]:
    """The slot and the value of a fluent as an output of the rules names it; raises KBError."""
    name, arguments = split_term(term)
    signature = Signature(name, len(arguments))
    place = rules.fluents[signature].locate(arguments) if signature in rules.fluents else None
    if place is None:
        problem, remedy = explain_unknown_fluent(rules.fluents, name, arguments)
        raise make_kb_error(f"{predicate}({term}): {problem}", remedy)
    return place.slot, place.value


def _compile_update(rules: CompiledGame, event: str, query: CircuitQuery) -> EventUpdate:
    rivals = dict[int, list[int]]()
    drops, sets, adds, passes, takes, backs = (list[tuple[int, ...]]() for _ in range(6))
    for output, (name, args) in enumerate(query.circuit.outputs):
        if name == "next":
            sets.append((output, *slot_and_value(rules, args[0], "next")))
            rivals.setdefault(sets[-1][1], []).append(output)
        elif name == "drop":
            slot, _ = slot_and_value(rules, args[0], "drop")
            drops.append((output, slot, int(rules.fluents.defaults[slot])))
        elif name == "adds":
            slot, _ = slot_and_value(rules, add_count_argument(args[0]), "adds")
            adds.append((output, slot, require_int(args[1], f"adds({args[0]},…)")))
        elif name == "passes":
            passes.append((output, int(args[0]), int(args[1]), rules.pack.index[args[2]]))
        elif name == "takes_aside":
            takes.append((output, int(args[0])))
        elif name == "lays_aside":
            passes.append((output, int(args[0]), -1, rules.pack.index[args[1]]))
        elif name == "takes_back":
            backs.append((output, *_retraction_args(rules, event, args)))
    taken = _int_rows(backs, 4)
    taken = taken[np.lexsort((-taken[:, 3], taken[:, 2], taken[:, 1]))]
    matters, known = _effects_by_form(rules, query)
    outputs, starts = _exclusive_groups(rivals)
    if known is not None and _find_conflict(known, outputs, starts)[0] >= 0:
        known = None  # what is known is not checked at each play
    return EventUpdate(
        rules, query, _int_rows(drops + sets, 3), _int_rows(adds, 3), _int_rows(passes, 4), _int_rows(takes, 2), taken,
        outputs, starts, matters, known,
    )  # fmt: skip


def _int_rows(rows: list[tuple[int, ...]], width: int) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, width)


def _retraction_args(rules: CompiledGame, event: str, arguments: tuple[Term, ...]) -> tuple[int, int, int]:
    """The seat, the kind, and how many copies; raises KBError."""
    text = f"takes_back({arguments[0]},{arguments[1]},{arguments[2]})"
    if event != SHOWN_EVENT or not rules.has_composed_plays:
        raise make_kb_error(
            f"{text} at event({event}): cards are taken back of plays that are laid card by card, when they are shown",
            "write it with event(shown), and more/0 for plays of several parts",
        )
    if require_int(arguments[2], text) < 1:
        raise make_kb_error(f"{text}: no number of copies", "write copies from 1 on")
    return int(arguments[0]), rules.pack.index[arguments[1]], require_int(arguments[2], text)


def _exclusive_groups(rivals: Mapping[int, list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The outputs of slots that have several, and where those of each begin."""
    groups = [outputs for outputs in rivals.values() if len(outputs) > 1]
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    return np.array([output for outputs in groups for output in outputs], np.int64), starts.astype(np.int64)


MAX_FORM_CLASSES = 64
"""Of forms that a circuit tells apart: beyond that all of them matter."""


def _effects_by_form(rules: CompiledGame, query: CircuitQuery) -> tuple[NDArray[np.bool_], NDArray[np.uint8] | None]:
    """[forms] whether anything can come of it when a form is laid down; and what, where nothing else decides."""
    classes, examples = classify_forms(query, rules.schema, rules.forms)
    if len(examples) > MAX_FORM_CLASSES:
        return np.ones(len(rules.forms), np.bool_), None
    moves = CircuitQuery.from_circuit(query.circuit, rules.schema, frozenset({"move"}))
    rows = moves.build_rows(len(examples), {"move": make_array_writer([examples, rules.forms.label_of[examples]])})
    asked = [row for row, atom in enumerate(query.circuit.inputs) if (test := find_test(rules.schema, atom)) and
             test.group == "move"]  # fmt: skip
    found = []
    for column in rows.T:
        values = {query.circuit.inputs[row]: bool(column[row]) for row in asked}
        found.append((query.circuit.specialise(values) if values else query.circuit).output_literals)
    literals = np.stack(found, axis=1)[:, classes]  # [outputs, forms]
    decided = bool(np.isin(literals, (TRUE, FALSE)).all())
    return (literals != FALSE).any(axis=0), np.ascontiguousarray(literals == TRUE, np.uint8) if decided else None


_SCAN_WIDTH = 32
"""Answers that are looked at together."""


@njit(cache=True, nogil=True)
def find_true(answers, output, positions):
    """Write to found where an output holds, of answers [outputs, n], in order; returns at how many places.

    Most hold nowhere, and this is seen many answers at a time.
    """
    flat, n, step = answers.reshape(answers.size), np.uint64(answers.shape[1]), np.uint64(_SCAN_WIDTH)
    first, here, count = np.uint64(output) * n, np.uint64(0), 0  # unsigned: loops that LLVM vectorises
    while here < n:
        end, some = min(here + step, n), np.uint8(0)
        if end - here == step:
            for place in range(step):
                some |= flat[first + here + place]
        else:
            some = np.uint8(1)
        if some:
            for place in range(here, end):
                if flat[first + place]:
                    positions[count] = place
                    count += 1
        here = end
    return count


@njit(cache=True, nogil=True)
def _find_conflict(answers, outputs, starts):
    """The first group of outputs of which two hold at once, and where; groups begin at starts. Else -1, -1."""
    n = answers.shape[1]
    holds, found = np.full(n, -1, np.int64), np.empty(n, np.int64)  # the last group of which an output holds
    for group in range(len(starts)):
        end, first = starts[group + 1] if group + 1 < len(starts) else len(outputs), n
        for place in range(starts[group], end):
            for k in range(find_true(answers, outputs[place], found)):
                if holds[found[k]] == group:
                    first = min(first, found[k])
                holds[found[k]] = group
        if first < n:
            return group, first
    return -1, -1


@njit(cache=True, nogil=True)
def _apply_updates(answers, rows, sets, adds, passes, takes, hands, aside, fluents):
    """Change tables rows[:] by answers [outputs, n]; the others as in ``EventUpdate``.

    Returns the first of rows[:] where a card is to go that is not there, and the row of passes; else -1, -1.
    """
    found = np.empty(len(rows), np.int64)
    for row in range(len(sets)):
        for k in range(find_true(answers, sets[row, 0], found)):
            fluents[rows[found[k]], sets[row, 1]] = sets[row, 2]
    for row in range(len(adds)):
        for k in range(find_true(answers, adds[row, 0], found)):
            count = np.int64(fluents[rows[found[k]], adds[row, 1]]) + adds[row, 2]
            fluents[rows[found[k]], adds[row, 1]] = min(max(count, -MAX_COUNT), MAX_COUNT)
    for row in range(len(passes)):
        giver, taker, kind = passes[row, 1], passes[row, 2], passes[row, 3]
        for k in range(find_true(answers, passes[row, 0], found)):
            table = rows[found[k]]
            if (hands[table, giver, kind] if giver >= 0 else aside[table, kind]) == 0:
                return found[k], row
            if giver >= 0:
                hands[table, giver, kind] -= 1
            else:
                aside[table, kind] -= 1
            if taker >= 0:
                hands[table, taker, kind] += 1
            else:
                aside[table, kind] += 1
    for row in range(len(takes)):
        for k in range(find_true(answers, takes[row, 0], found)):
            table = rows[found[k]]
            for kind in range(aside.shape[1]):
                hands[table, takes[row, 1], kind] += aside[table, kind]
                aside[table, kind] = 0
    return -1, -1


@njit(cache=True, nogil=True)
def _apply_retractions(answers, rows, backs, trick_cards, hands, played):
    """Give cards back at tables rows[:] by answers [outputs, n]; backs as in ``EventUpdate``.

    Of several numbers of copies the largest counts. Returns the first of rows[:] where the cards do not lie, and the
    row of backs; else -1, -1. Rows are sorted by seat, kind, and copies downwards.
    """
    wrong, place = -1, -1
    taken = np.full(len(rows), -1, np.int64)  # the row of the seat and the kind that cards were taken back of last
    found = np.empty(len(rows), np.int64)
    for row in range(len(backs)):
        seat, kind, copies = backs[row, 1], backs[row, 2], backs[row, 3]
        for k in range(find_true(answers, backs[row, 0], found)):
            i = found[k]
            if taken[i] >= 0 and backs[taken[i], 1] == seat and backs[taken[i], 2] == kind:
                continue
            table, taken[i] = rows[i], row
            if trick_cards[table, seat, kind] < copies:
                if place < 0 or i < place:
                    place, wrong = i, row
            else:
                trick_cards[table, seat, kind] -= copies
                played[table, seat, kind] -= copies
                hands[table, seat, kind] += copies
    return place, wrong
