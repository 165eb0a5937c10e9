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

from abl_cards.games.faults import TableError, blame, several
from abl_cards.games.play.state import State
from abl_cards.games.reading.fluents import COUNT, MOST_COUNT, Fluent
from abl_cards.games.reading.rules import Rules, form_classes
from abl_cards.games.shapes import number
from abl_cards.games.tables import Indices
from abl_cards.games.telling.columns import test_of
from abl_cards.games.telling.writer import Told, columns_of
from abl_cards.logic import KBError, Signature, Term
from abl_cards.logic.circuit import FALSE, TRUE
from abl_cards.logic.errors import kb_error
from abl_cards.logic.terms import parse_name

_CHANGES = ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3")
CHOICE, SHOWN = "choice", "shown"
"""The events at which somebody has been asked, and at which cards may be taken back."""


class Change(NamedTuple):
    """What may change at an event."""

    rules: Rules
    told: Told
    sets: NDArray[np.int64]  # [n, 3] output, slot, value; what is forgotten comes first, as what is set counts
    adds: NDArray[np.int64]  # [n, 3] output, slot, number
    passes: NDArray[np.int64]  # [n, 4] output, from, to, kind; -1 for those aside
    takes: NDArray[np.int64]  # [n, 2] output, seat: all that lies aside
    backs: NDArray[np.int64]  # [n, 4] output, seat, kind, copies that are taken back out of the trick
    rivals: NDArray[np.int64]  # outputs that set one slot, side by side
    starts: NDArray[np.int64]  # where those of each such slot begin
    matters: NDArray[np.bool_]  # [forms] of which laid down anything changes at all
    known: NDArray[np.uint8] | None  # [outputs, forms] where the form alone decides what changes

    @classmethod
    def of(cls, rules: Rules, event: str) -> Change | None:
        """Compile what the rules change at an event, if anything; raises KBError."""
        told = rules.told(*_CHANGES)
        if told is None:
            return None
        known = {atom: atom.args == (event,) for atom in told.circuit.inputs if atom.name == "event"}
        if event != CHOICE:  # nobody is asked for anything at another event
            known |= {atom: False for atom in told.circuit.inputs if atom.name == "stage"}
        circuit = told.circuit.specialise(known).without_never()
        return _compiled(rules, event, Told.of(circuit, rules.words)) if circuit.outputs else None

    def apply(self, answers: NDArray[np.uint8], state: State, which: Indices) -> None:
        """Change the tables [n] by the answers [outputs, n]; raises TableError."""
        self._check_values(answers, which)
        self._apply(answers, state, which)

    def _apply(self, answers: NDArray[np.uint8], state: State, which: Indices) -> None:
        moved = (self.sets, self.adds, self.passes, self.takes)
        place, row = _change(answers, which, *moved, state.hands, state.aside, state.fluents)
        if place >= 0:
            self._missing(self.passes[row, 0], int(which[place]))
        if len(self.backs):
            place, row = _take_back(answers, which, self.backs, state.lies, state.hands, state.played)
            if place >= 0:
                self._missing(self.backs[row, 0], int(which[place]))

    def apply_known(self, state: State, which: Indices) -> None:
        """Change the tables [n] by the forms that have just been laid down there."""
        assert self.known is not None
        self._apply(np.take(self.known, state.laid[which], axis=1), state, which)

    def touches(self, slots: Iterable[int]) -> bool:
        """Whether any of these slots may get another value."""
        return any(np.isin(found[:, 1], [*slots]).any() for found in (self.sets, self.adds))

    def _check_values(self, answers: NDArray[np.uint8], which: Indices) -> None:
        """Raise TableError where a fluent would get two values at once."""
        if not len(self.starts):
            return
        group, row = _rivals(answers, self.rivals, self.starts)
        if group < 0:
            return
        mine = self.rivals[self.starts[group] : self.starts[group + 1] if group + 1 < len(self.starts) else None]
        found = [str(self.told.circuit.outputs[each].args[0]) for each in mine if answers[each, row]]
        where = blame(self.rules.kb, "next/1")
        raise TableError(int(which[row]), f"`next/1` gives two values at once: {several(found)}{where}")

    def _missing(self, number: int, table: int) -> NoReturn:
        """Raise TableError for a card that is not there."""
        output = self.told.circuit.outputs[number]
        raise TableError(table, f"{output}, and the card is not there: `{output.name}/{len(output.args)}`")


def _no_such(rules: Rules, said: str, name: str, arguments: tuple[Term, ...]) -> KBError:
    """That a fluent is none, or has no such value."""
    text = f"{name}({','.join(map(str, arguments))})" if arguments else name
    known = rules.fluents.named(name)
    if known is None:
        manner = "one" if arguments else "any"  # one/2 needs an argument for the value
        return kb_error(
            f"{said}: no such fluent", f"declare it: #external {text}. and {manner}({name},{len(arguments)})."
        )
    if known.signature.arity != len(arguments):
        there = f"there is {name}/{known.signature.arity}, and no {name}/{len(arguments)}"
        return kb_error(f"{said}: {there}", _as_it_is(known))
    return kb_error(f"{said}: {text} is none of those declared", f"widen its domain: #external {text}.")


def _as_it_is(known: Fluent) -> str:
    """How many arguments it is to be given."""
    if known.manner == COUNT:
        return f"adds/3 names a count without its number: adds({known.signature.name}…,N,Why)"
    return "give it as many arguments as #external does"


def slot_and_value(rules: Rules, text: Term, output: str) -> tuple[int, int]:
    """The slot and the value of a fluent as an output of the rules names it; raises KBError."""
    name, arguments = parse_name(text)
    signature = Signature(name, len(arguments))
    place = rules.fluents[signature].place(arguments) if signature in rules.fluents else None
    if place is None:
        raise _no_such(rules, f"{output}({text})", name, arguments)
    return place.slot, place.value


def _compiled(rules: Rules, event: str, told: Told) -> Change:
    rivals = dict[int, list[int]]()
    drops, sets, adds, passes, takes, backs = (list[tuple[int, ...]]() for _ in range(6))
    for output, (name, args) in enumerate(told.circuit.outputs):
        if name == "next":
            sets.append((output, *slot_and_value(rules, args[0], "next")))
            rivals.setdefault(sets[-1][1], []).append(output)
        elif name == "drop":
            slot, _ = slot_and_value(rules, args[0], "drop")
            drops.append((output, slot, int(rules.fluents.nothing[slot])))
        elif name == "adds":
            slot, _ = slot_and_value(rules, _counted(args[0]), "adds")
            adds.append((output, slot, number(args[1], f"adds({args[0]},…)")))
        elif name == "passes":
            passes.append((output, int(args[0]), int(args[1]), rules.pack.number[args[2]]))
        elif name == "takes_aside":
            takes.append((output, int(args[0])))
        elif name == "lays_aside":
            passes.append((output, int(args[0]), -1, rules.pack.number[args[1]]))
        elif name == "takes_back":
            backs.append((output, *_taken_back(rules, event, args)))
    taken = _table(backs, 4)
    taken = taken[np.lexsort((-taken[:, 3], taken[:, 2], taken[:, 1]))]
    matters, known = _mattering(rules, told)
    outputs, starts = _side_by_side(rivals)
    if known is not None and _rivals(known, outputs, starts)[0] >= 0:
        known = None  # what is known is not checked at each play
    return Change(
        rules, told, _table(drops + sets, 3), _table(adds, 3), _table(passes, 4), _table(takes, 2), taken, outputs,
        starts, matters, known,
    )  # fmt: skip


def _table(rows: list[tuple[int, ...]], width: int) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, width)


def _taken_back(rules: Rules, event: str, args: tuple[Term, ...]) -> tuple[int, int, int]:
    """The seat, the kind, and how many copies; raises KBError."""
    text = f"takes_back({args[0]},{args[1]},{args[2]})"
    if event != SHOWN or not rules.composing:
        raise kb_error(
            f"{text} at event({event}): cards are taken back of plays that are laid card by card, when they are shown",
            "write it with event(shown), and more/0 for plays of several parts",
        )
    if number(args[2], text) < 1:
        raise kb_error(f"{text}: no number of copies", "write copies from 1 on")
    return int(args[0]), rules.pack.number[args[1]], number(args[2], text)


def _side_by_side(rivals: Mapping[int, list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The outputs of slots that have several, and where those of each begin."""
    groups = [outputs for outputs in rivals.values() if len(outputs) > 1]
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    return np.array([output for outputs in groups for output in outputs], np.int64), starts.astype(np.int64)


MOST_CLASSES = 64
"""Of forms that a circuit tells apart: beyond that all of them matter."""


def _mattering(rules: Rules, told: Told) -> tuple[NDArray[np.bool_], NDArray[np.uint8] | None]:
    """[forms] whether anything can come of it when a form is laid down; and what, where nothing else decides."""
    classes, examples = form_classes(told, rules.words, rules.forms)
    if len(examples) > MOST_CLASSES:
        return np.ones(len(rules.forms), np.bool_), None
    moves = Told.of(told.circuit, rules.words, frozenset({"move"}))
    rows = moves.rows(len(examples), {"move": columns_of([examples, rules.forms.label_of[examples]])})
    asked = [row for row, atom in enumerate(told.circuit.inputs) if (test := test_of(rules.words, atom)) and
             test.group == "move"]  # fmt: skip
    found = []
    for column in rows.T:
        values = {told.circuit.inputs[row]: bool(column[row]) for row in asked}
        found.append((told.circuit.specialise(values) if values else told.circuit).output_literals)
    literals = np.stack(found, axis=1)[:, classes]  # [outputs, forms]
    decided = bool(np.isin(literals, (TRUE, FALSE)).all())
    return (literals != FALSE).any(axis=0), np.ascontiguousarray(literals == TRUE, np.uint8) if decided else None


def _counted(text: Term) -> str:
    """``failures(0)`` as ``failures(0,1)``."""
    text = str(text)
    return f"{text[:-1]},1)" if text.endswith(")") else f"{text}(1)"


_AT_ONCE = 32
"""Answers that are looked at together."""


@njit(cache=True, nogil=True)
def places(answers, output, found):
    """Write to found where an output holds, of answers [outputs, n], in order; returns at how many places.

    Most hold nowhere, and this is seen many answers at a time.
    """
    flat, n, step = answers.reshape(answers.size), np.uint64(answers.shape[1]), np.uint64(_AT_ONCE)
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
                    found[count] = place
                    count += 1
        here = end
    return count


@njit(cache=True, nogil=True)
def _rivals(answers, outputs, starts):
    """The first group of outputs of which two hold at once, and where; groups begin at starts. Else -1, -1."""
    n = answers.shape[1]
    holds, found = np.full(n, -1, np.int64), np.empty(n, np.int64)  # the last group of which an output holds
    for group in range(len(starts)):
        end, first = starts[group + 1] if group + 1 < len(starts) else len(outputs), n
        for place in range(starts[group], end):
            for k in range(places(answers, outputs[place], found)):
                if holds[found[k]] == group:
                    first = min(first, found[k])
                holds[found[k]] = group
        if first < n:
            return group, first
    return -1, -1


@njit(cache=True, nogil=True)
def _change(answers, which, sets, adds, passes, takes, hands, aside, fluents):
    """Change tables which[:] by answers [outputs, n]; the others as in ``Change``.

    Returns the first of which[:] where a card is to go that is not there, and the row of passes; else -1, -1.
    """
    found = np.empty(len(which), np.int64)
    for row in range(len(sets)):
        for k in range(places(answers, sets[row, 0], found)):
            fluents[which[found[k]], sets[row, 1]] = sets[row, 2]
    for row in range(len(adds)):
        for k in range(places(answers, adds[row, 0], found)):
            count = np.int64(fluents[which[found[k]], adds[row, 1]]) + adds[row, 2]
            fluents[which[found[k]], adds[row, 1]] = min(max(count, -MOST_COUNT), MOST_COUNT)
    for row in range(len(passes)):
        giver, taker, kind = passes[row, 1], passes[row, 2], passes[row, 3]
        for k in range(places(answers, passes[row, 0], found)):
            table = which[found[k]]
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
        for k in range(places(answers, takes[row, 0], found)):
            table = which[found[k]]
            for kind in range(aside.shape[1]):
                hands[table, takes[row, 1], kind] += aside[table, kind]
                aside[table, kind] = 0
    return -1, -1


@njit(cache=True, nogil=True)
def _take_back(answers, which, backs, lies, hands, played):
    """Give cards back at tables which[:] by answers [outputs, n]; backs as in ``Change``.

    Of several numbers of copies the largest counts. Returns the first of which[:] where the cards do not lie, and the
    row of backs; else -1, -1. Rows are sorted by seat, kind, and copies downwards.
    """
    wrong, place = -1, -1
    taken = np.full(len(which), -1, np.int64)  # the row of the seat and the kind that cards were taken back of last
    found = np.empty(len(which), np.int64)
    for row in range(len(backs)):
        seat, kind, copies = backs[row, 1], backs[row, 2], backs[row, 3]
        for k in range(places(answers, backs[row, 0], found)):
            i = found[k]
            if taken[i] >= 0 and backs[taken[i], 1] == seat and backs[taken[i], 2] == kind:
                continue
            table, taken[i] = which[i], row
            if lies[table, seat, kind] < copies:
                if place < 0 or i < place:
                    place, wrong = i, row
            else:
                lies[table, seat, kind] -= copies
                played[table, seat, kind] -= copies
                hands[table, seat, kind] += copies
    return place, wrong
