"""Symmetries of a game: permutations of suits that leave its rules unchanged.

Two suits are interchangeable if a swap preserves the pack, the cells that cards act as, the forms with their labels and
order, and the inputs of every query. Every query must also yield the swapped outputs in random states.
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
_SKIPPED_QUERY = "preferences"  # preferences are no rules
MAX_SYMMETRIES = 720
"""Most permutations that ``find_symmetries`` returns."""

TermMap = Callable[[Term], Term]


def find_symmetries(rules: CompiledGame) -> NDArray[np.int64]:
    """Find the permutations of cards that leave the rules of a game unchanged.

    Args:
        rules: Compiled rules.

    Returns:
        int64 [k, kinds], card that replaces each card, the identity first; k is at most ``MAX_SYMMETRIES``.
    """
    classes = _find_suit_classes(rules)
    orders = [np.arange(len(rules.pack))]
    for permuted in product(*(permutations(suits) for suits in classes)):
        pairs = (
            pair
            for suits, permutation in zip(classes, permuted, strict=True)
            for pair in zip(suits, permutation, strict=True)
        )
        suit_map = dict(pairs)
        order = np.array([rules.pack.index[_map_suit(kind, suit_map)] for kind in rules.pack.kinds])
        if (order != orders[0]).any() and len(orders) < MAX_SYMMETRIES:
            orders.append(order)
    return np.stack(orders)


def _map_suit(kind: Term, suits: dict[Term, Term]) -> Term:
    """Replace the suit of a card."""
    parts = parse_rank_and_suit(kind)
    return kind if parts is None else f"card({parts[0]},{suits.get(parts[1], parts[1])})"


def _find_suit_classes(rules: CompiledGame) -> list[list[Term]]:
    """Return classes of at least two interchangeable suits, in the order of the pack."""
    suits = list(dict.fromkeys(parts[1] for parts in map(parse_rank_and_suit, rules.pack.kinds) if parts))
    classes: dict[Term, list[Term]] = {}
    checker: _InvarianceChecker | None = None
    for suit, other in combinations(suits, 2):
        if any(other in members for members in classes.values()):
            continue
        swap = _make_swap(suit, other)
        if _are_facts_invariant(rules, swap):
            checker = checker or _InvarianceChecker(rules)
            if checker.is_invariant(swap):
                classes.setdefault(suit, [suit]).append(other)
    return list(classes.values())


def _make_swap(suit: Term, other: Term) -> TermMap:
    """Return a function that swaps two suits in a term."""
    names = {str(suit): str(other), str(other): str(suit)}
    pattern = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)")

    def swap(term: Term) -> Term:
        return term if isinstance(term, int) else pattern.sub(lambda match: names[match[0]], term)

    return swap


# --- facts ------------------------------------------------------------------------------------------------------------


def _are_facts_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Return True if a swap preserves pack, cells, labels, forms and observations."""
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
    """Return True if swapped cards have as many copies."""
    index, copies = rules.pack.index, rules.pack.copies
    return all(
        swap(kind) in index and copies[index[swap(kind)]] == copies[kind_index] for kind, kind_index in index.items()
    )


def _are_cells_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Return True if swapped cards act as swapped cells in every context."""
    cells, index = rules.cells, rules.pack.index
    if any(swap(cell) not in cells.index for cell in cells.names):
        return False
    swapped_cells = np.array([*(cells.index[swap(cell)] for cell in cells.names), -1])
    kinds = np.array([index[swap(kind)] for kind in rules.pack.kinds])
    return bool((np.sort(swapped_cells[cells.acts_as], axis=2) == np.sort(cells.acts_as[:, kinds], axis=2)).all())


def _are_labels_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Return True if no label contains one of the suits."""
    return all(swap(label) == label for label in rules.labels)


def _are_forms_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Return True if swapped forms exist with swapped groups, the same label and the same strength."""
    forms, names = rules.forms, rules.cells.names
    swapped_forms = [forms.index.get(swap(form.name), -1) for form in forms.forms]
    if min(swapped_forms) < 0 or (rules.strength != rules.strength[:, swapped_forms]).any():
        return False

    def shape(index: int, change: TermMap) -> tuple[object, ...]:
        form = forms.forms[index]
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
            form.wild_range,
            form.suit and change(form.suit),
            form.has_mixed_suits,
            kickers,
            form.has_kickers_apart,
            {change(name) for name in form.excluded_forms},
        )

    return all(shape(index, swap) == shape(other, lambda term: term) for index, other in enumerate(swapped_forms))


def _is_observation_invariant(rules: CompiledGame, swap: TermMap) -> bool:
    """Return True if no observed fluent depends on the suits, as a permutation of cards would not change it."""
    observed = {feature.name for feature in build_feature_table(rules).features}
    return all(
        all(swap(term) == term for term in (*fluent.values, *(term for key in fluent.keys for term in key)))
        for fluent in rules.fluents.fluents
        if fluent.signature.name in observed
    )


# --- queries ----------------------------------------------------------------------------------------------------------


class _InvarianceChecker:
    """Circuits of the queries of a game, and their outputs in random states."""

    def __init__(self, rules: CompiledGame) -> None:
        """Evaluate all queries in random states."""
        self._atom_index = {atom: index for index, atom in enumerate(rules.kb.input_atoms)}
        self._rows = sample_input_rows(rules, _NUM_STATES, _SEED)
        self._circuits = list(_iter_query_circuits(rules))
        self._outputs = [evaluate(circuit, self._select_rows(circuit, self._rows)) for circuit in self._circuits]

    def _select_rows(self, circuit: Circuit, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the input rows of a circuit among those of all inputs."""
        return np.ascontiguousarray(rows[[self._atom_index[atom] for atom in circuit.inputs]])

    def is_invariant(self, swap: TermMap) -> bool:
        """Return True if every query yields swapped outputs for swapped states."""
        swapped_rows = [self._atom_index.get(_swap_atom(atom, swap), -1) for atom in self._atom_index]
        read = {atom for circuit in self._circuits for atom in circuit.inputs}
        if any(_swap_atom(atom, swap) not in read for atom in read):
            return False
        rows = np.zeros_like(self._rows)
        has_row = np.array(swapped_rows) >= 0
        rows[np.array(swapped_rows)[has_row]] = self._rows[has_row]
        queries = zip(self._circuits, self._outputs, strict=True)
        return all(self._has_same_answers(circuit, outputs, rows, swap) for circuit, outputs in queries)

    def _has_same_answers(
        self, circuit: Circuit, expected: NDArray[np.uint8], rows: NDArray[np.uint8], swap: TermMap
    ) -> bool:
        """Return True if a circuit yields the swapped outputs of ``answers`` for swapped input rows."""
        if {_swap_atom(atom, swap) for atom in circuit.inputs} != set(circuit.inputs):
            return False
        output_index = {atom: index for index, atom in enumerate(circuit.outputs)}
        swapped_outputs = [output_index.get(_swap_atom(atom, swap), -1) for atom in circuit.outputs]
        outputs = evaluate(circuit, self._select_rows(circuit, rows))
        return min(swapped_outputs, default=0) >= 0 and bool((outputs[swapped_outputs] == expected).all())


def _iter_query_circuits(rules: CompiledGame) -> Iterator[Circuit]:
    """Yield the circuits of all queries but preferences."""
    for name, query in QUERY_SPECS.items():
        outputs = [output for output in query.outputs if Signature.parse(output) in rules.derived_outputs]
        if outputs and name != _SKIPPED_QUERY:
            yield rules.kb.circuit(*outputs)


def _swap_atom(atom: Atom, swap: TermMap) -> Atom:
    """Apply a swap to the arguments of an atom."""
    return Atom(atom[0], tuple(swap(term) for term in atom[1]))
