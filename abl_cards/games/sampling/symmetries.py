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

from abl_cards.asp import Atom, Signature, Term
from abl_cards.circuit import Circuit, evaluate
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import QUERY_SPECS, parse_rank_and_suit
from abl_cards.games.sampling.samples import sample_input_rows
from abl_cards.games.tables import build_feature_table

_NUM_STATES, _SEED = 2048, 1
_SKIPPED_QUERY = "preferences"  # they are no rules
MAX_SYMMETRIES = 720

TermMap = Callable[[Term], Term]


def find_symmetries(rules: CompiledGame) -> NDArray[np.int64]:
    """[k, kinds] for every order which card comes in the place of each; the natural one first."""
    classes = _find_suit_classes(rules)
    orders = [np.arange(len(rules.pack))]
    for ways in product(*(permutations(each) for each in classes)):
        pairs = (pair for each, way in zip(classes, ways, strict=True) for pair in zip(each, way, strict=True))
        moved = dict(pairs)
        order = np.array([rules.pack.index[_map_suit(kind, moved)] for kind in rules.pack.kinds])
        if (order != orders[0]).any() and len(orders) < MAX_SYMMETRIES:
            orders.append(order)
    return np.stack(orders)


def _map_suit(kind: Term, suits: dict[Term, Term]) -> Term:
    parts = parse_rank_and_suit(kind)
    return kind if parts is None else f"card({parts[0]},{suits.get(parts[1], parts[1])})"


def _find_suit_classes(rules: CompiledGame) -> list[list[Term]]:
    """Suits that can be swapped with each other, in the order of the pack."""
    suits = list(dict.fromkeys(parts[1] for parts in map(parse_rank_and_suit, rules.pack.kinds) if parts))
    alike: dict[Term, list[Term]] = {}
    examined: _InvarianceChecker | None = None
    for one, other in combinations(suits, 2):
        if any(other in found for found in alike.values()):
            continue
        swap = _make_swap(one, other)
        if _are_facts_invariant(rules, swap):
            examined = examined or _InvarianceChecker(rules)
            if examined.is_invariant(swap):
                alike.setdefault(one, [one]).append(other)
    return list(alike.values())


def _make_swap(one: Term, other: Term) -> TermMap:
    """Terms with two suits swapped."""
    names = {str(one): str(other), str(other): str(one)}
    pattern = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)")

    def swap(term: Term) -> Term:
        return term if isinstance(term, int) else pattern.sub(lambda match: names[match[0]], term)

    return swap


# --- what is written down ---------------------------------------------------------------------------------------------


def _are_facts_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    return all(
        check(rules, swap)
        for check in (
            _is_pack_invariant,
            _are_cells_invariant,
            _are_labels_invariant,
            _are_forms_invariant,
            _is_observation_invariant,
        )
    )


def _is_pack_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    number, copies = rules.pack.index, rules.pack.copies
    return all(swap(kind) in number and copies[number[swap(kind)]] == copies[place] for kind, place in number.items())


def _are_cells_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    cells, number = rules.cells, rules.pack.index
    if any(swap(cell) not in cells.index for cell in cells.names):
        return False
    moved = np.array([*(cells.index[swap(cell)] for cell in cells.names), -1])
    kinds = np.array([number[swap(kind)] for kind in rules.pack.kinds])
    return bool((np.sort(moved[cells.acts_as], axis=2) == np.sort(cells.acts_as[:, kinds], axis=2)).all())


def _are_labels_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    return all(swap(label) == label for label in rules.labels)


def _are_forms_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    forms, names = rules.forms, rules.cells.names
    moved = [forms.index.get(swap(form.name), -1) for form in forms.forms]
    if min(moved) < 0 or (rules.strength != rules.strength[:, moved]).any():
        return False

    def shape(place: int, change: TermMap) -> tuple[object, ...]:
        form = forms.forms[place]
        groups = tuple(
            (
                change(names[g.cell]),
                g.count,
                g.min_natural,
                None if g.only_kind is None else change(rules.pack.kinds[g.only_kind]),
            )
            for g in form.groups
        )
        kickers = form.kickers and (
            form.kickers.num_groups, form.kickers.group_size,
            {change(names[cell]): bits for cell, bits in form.kickers.allowed.items()},
            {change(names[cell]): bits for cell, bits in form.kickers.misread.items()},
        )  # fmt: skip
        return (
            form.label,
            change(form.kind),
            groups,
            form.max_wilds,
            form.suit and change(form.suit),
            form.has_mixed_suits,
            kickers,
            form.has_kickers_apart,
        )

    return all(shape(place, swap) == shape(other, lambda term: term) for place, other in enumerate(moved))


def _is_observation_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Whether cards are seen as cards: a fluent about suits is no part that an order of the cards could change."""
    seen = {feature.name for feature in build_feature_table(rules).features}
    return all(
        all(swap(term) == term for term in (*fluent.values, *(term for key in fluent.keys for term in key)))
        for fluent in rules.fluents.fluents
        if fluent.signature.name in seen
    )


# --- what is asked ----------------------------------------------------------------------------------------------------


class _InvarianceChecker:
    """The questions of a game, and their answers in random states."""

    def __init__(self, rules: CompiledGame) -> None:
        self._atom_index = {atom: place for place, atom in enumerate(rules.kb.input_atoms)}
        self._rows = sample_input_rows(rules, _NUM_STATES, _SEED)
        self._circuits = list(_iter_query_circuits(rules))
        self._answers = [evaluate(circuit, self._select_rows(circuit, self._rows)) for circuit in self._circuits]

    def _select_rows(self, circuit: Circuit, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.ascontiguousarray(rows[[self._atom_index[atom] for atom in circuit.inputs]])

    def is_invariant(self, swap: TermMap) -> bool:
        """Whether swapped states get swapped answers."""
        moved = [self._atom_index.get(_swap_atom(atom, swap), -1) for atom in self._atom_index]
        read = {atom for circuit in self._circuits for atom in circuit.inputs}
        if any(_swap_atom(atom, swap) not in read for atom in read):
            return False
        rows = np.zeros_like(self._rows)
        known = np.array(moved) >= 0
        rows[np.array(moved)[known]] = self._rows[known]
        asked = zip(self._circuits, self._answers, strict=True)
        return all(self._has_same_answers(circuit, answers, rows, swap) for circuit, answers in asked)

    def _has_same_answers(
        self, circuit: Circuit, answers: NDArray[np.uint8], rows: NDArray[np.uint8], swap: TermMap
    ) -> bool:
        if {_swap_atom(atom, swap) for atom in circuit.inputs} != set(circuit.inputs):
            return False
        number = {atom: place for place, atom in enumerate(circuit.outputs)}
        moved = [number.get(_swap_atom(atom, swap), -1) for atom in circuit.outputs]
        found = evaluate(circuit, self._select_rows(circuit, rows))
        return min(moved, default=0) >= 0 and bool((found[moved] == answers).all())


def _iter_query_circuits(rules: CompiledGame) -> Iterator[Circuit]:
    for name, question in QUERY_SPECS.items():
        asked = [output for output in question.outputs if Signature.parse(output) in rules.derived_outputs]
        if asked and name != _SKIPPED_QUERY:
            yield rules.kb.circuit(*asked)


def _swap_atom(atom: Atom, swap: TermMap) -> Atom:
    return Atom(atom[0], tuple(swap(term) for term in atom[1]))
