"""Orders of the cards that change no rule: suits swapped that nothing tells apart.

Two suits may be swapped where the pack, what cards act as, the forms with their labels and their order, and the inputs
of every question stay as they are, and where every question gives the swapped answers in random states.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.observations import observation_of
from abl_cards.games.telling.samples import sample_facts
from abl_cards.logic import Atom, Circuit, Signature, Term, evaluate

_STATES, _SEED = 2048, 1
_NOT_ASKED = "preferences"  # they are no rules
MOST_SYMMETRIES = 720

Swap = Callable[[Term], Term]


def symmetries(rules: Rules) -> NDArray[np.int64]:
    """[k, kinds] for every order which card comes in the place of each; the natural one first."""
    classes = _classes(rules)
    orders = [np.arange(len(rules.pack))]
    for ways in product(*(permutations(each) for each in classes)):
        pairs = (pair for each, way in zip(classes, ways, strict=True) for pair in zip(each, way, strict=True))
        moved = dict(pairs)
        order = np.array([rules.pack.number[_moved(kind, moved)] for kind in rules.pack.kinds])
        if (order != orders[0]).any() and len(orders) < MOST_SYMMETRIES:
            orders.append(order)
    return np.stack(orders)


def _moved(kind: Term, suits: dict[Term, Term]) -> Term:
    parts = rank_and_suit(kind)
    return kind if parts is None else f"card({parts[0]},{suits.get(parts[1], parts[1])})"


def _classes(rules: Rules) -> list[list[Term]]:
    """Suits that can be swapped with each other, in the order of the pack."""
    suits = list(dict.fromkeys(parts[1] for parts in map(rank_and_suit, rules.pack.kinds) if parts))
    alike: dict[Term, list[Term]] = {}
    examined: _Examined | None = None
    for one, other in combinations(suits, 2):
        if any(other in found for found in alike.values()):
            continue
        swap = _swap(one, other)
        if _facts_stay(rules, swap):
            examined = examined or _Examined(rules)
            if examined.stays(swap):
                alike.setdefault(one, [one]).append(other)
    return list(alike.values())


def _swap(one: Term, other: Term) -> Swap:
    """Terms with two suits swapped."""
    names = {str(one): str(other), str(other): str(one)}
    pattern = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)")

    def swap(term: Term) -> Term:
        return term if isinstance(term, int) else pattern.sub(lambda match: names[match[0]], term)

    return swap


# --- what is written down ---------------------------------------------------------------------------------------------


def _facts_stay(rules: Rules, swap: Swap) -> bool:
    return all(check(rules, swap) for check in (_pack_stays, _cells_stay, _labels_stay, _forms_stay, _sight_stays))


def _pack_stays(rules: Rules, swap: Swap) -> bool:
    number, copies = rules.pack.number, rules.pack.copies
    return all(swap(kind) in number and copies[number[swap(kind)]] == copies[place] for kind, place in number.items())


def _cells_stay(rules: Rules, swap: Swap) -> bool:
    cells, number = rules.cells, rules.pack.number
    if any(swap(cell) not in cells.number for cell in cells.names):
        return False
    moved = np.array([*(cells.number[swap(cell)] for cell in cells.names), -1])
    kinds = np.array([number[swap(kind)] for kind in rules.pack.kinds])
    return bool((np.sort(moved[cells.acts], axis=2) == np.sort(cells.acts[:, kinds], axis=2)).all())


def _labels_stay(rules: Rules, swap: Swap) -> bool:
    return all(swap(label) == label for label in rules.labels)


def _forms_stay(rules: Rules, swap: Swap) -> bool:
    forms, names = rules.forms, rules.cells.names
    moved = [forms.number.get(swap(form.name), -1) for form in forms.forms]
    if min(moved) < 0 or (rules.strength != rules.strength[:, moved]).any():
        return False

    def shape(place: int, change: Swap) -> tuple[object, ...]:
        form = forms.forms[place]
        groups = tuple(
            (change(names[g.cell]), g.count, g.natural, None if g.only is None else change(rules.pack.kinds[g.only]))
            for g in form.groups
        )
        kickers = form.kickers and (
            form.kickers.groups, form.kickers.size,
            {change(names[cell]): bits for cell, bits in form.kickers.allowed.items()},
            {change(names[cell]): bits for cell, bits in form.kickers.misread.items()},
        )  # fmt: skip
        return (
            form.label,
            change(form.kind),
            groups,
            form.wilds,
            form.suit and change(form.suit),
            form.mixed,
            kickers,
            form.apart,
        )

    return all(shape(place, swap) == shape(other, lambda term: term) for place, other in enumerate(moved))


def _sight_stays(rules: Rules, swap: Swap) -> bool:
    """Whether cards are seen as cards: a fluent about suits is no part that an order of the cards could change."""
    seen = {feature.name for feature in observation_of(rules).features}
    return all(
        all(swap(term) == term for term in (*fluent.values, *(term for key in fluent.keys for term in key)))
        for fluent in rules.fluents.fluents
        if fluent.signature.name in seen
    )


# --- what is asked ----------------------------------------------------------------------------------------------------


class _Examined:
    """The questions of a game, and their answers in random states."""

    def __init__(self, rules: Rules) -> None:
        self._atoms = {atom: place for place, atom in enumerate(rules.kb.input_atoms)}
        self._rows = sample_facts(rules, _STATES, _SEED)
        self._circuits = list(_circuits(rules))
        self._answers = [evaluate(circuit, self._told(circuit, self._rows)) for circuit in self._circuits]

    def _told(self, circuit: Circuit, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.ascontiguousarray(rows[[self._atoms[atom] for atom in circuit.inputs]])

    def stays(self, swap: Swap) -> bool:
        """Whether swapped states get swapped answers."""
        moved = [self._atoms.get(_of_atom(atom, swap), -1) for atom in self._atoms]
        read = {atom for circuit in self._circuits for atom in circuit.inputs}
        if any(_of_atom(atom, swap) not in read for atom in read):
            return False
        rows = np.zeros_like(self._rows)
        known = np.array(moved) >= 0
        rows[np.array(moved)[known]] = self._rows[known]
        asked = zip(self._circuits, self._answers, strict=True)
        return all(self._same(circuit, answers, rows, swap) for circuit, answers in asked)

    def _same(self, circuit: Circuit, answers: NDArray[np.uint8], rows: NDArray[np.uint8], swap: Swap) -> bool:
        if {_of_atom(atom, swap) for atom in circuit.inputs} != set(circuit.inputs):
            return False
        number = {atom: place for place, atom in enumerate(circuit.outputs)}
        moved = [number.get(_of_atom(atom, swap), -1) for atom in circuit.outputs]
        found = evaluate(circuit, self._told(circuit, rows))
        return min(moved, default=0) >= 0 and bool((found[moved] == answers).all())


def _circuits(rules: Rules) -> Iterator[Circuit]:
    for name, question in QUESTIONS.items():
        asked = [output for output in question.outputs if Signature.parse(output) in rules.derived]
        if asked and name != _NOT_ASKED:
            yield rules.kb.circuit(*asked)


def _of_atom(atom: Atom, swap: Swap) -> Atom:
    return Atom(atom[0], tuple(swap(term) for term in atom[1]))
