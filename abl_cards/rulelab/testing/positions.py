"""Convert true inputs of a query to a JSON state that ``abl-cards legal`` reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import WILD, Form, find_test, fluents_by_name
from abl_cards.games.notation import FluentCodec, required_for_explanation, state_fields


def build_position(rules: CompiledGame, inputs: Collection[Atom]) -> dict[str, Any] | None:
    """Build a JSON state in which these inputs hold as far as possible; None if the cards do not suffice."""
    fluents = _read_fluents(rules, inputs)
    hand = _build_hand(rules, inputs)
    forms = [rules.forms.index[args[0]] for name, args in inputs if name == "to_beat"]
    trick_cards = _form_cards(rules, rules.forms.forms[forms[0]], hand) if forms else None
    if forms and trick_cards is None:
        return None
    state: dict[str, Any] = {"hand": rules.card_codes.write_hand(hand), "to_beat": None}
    if trick_cards is not None:
        label = rules.label_texts[rules.forms.label_of[forms[0]]]
        state["to_beat"] = {"label": label, "cards": rules.card_codes.write_hand(trick_cards)}
    for name, args in inputs:
        if name == "top":
            state["top"] = args[0]
    if any(name == "acts" for name, _ in rules.kb.input_atoms):
        acts = max((int(args[0]) for name, args in inputs if name == "acts"), default=0)
        state["acts"] = max(acts, len(forms))  # the play to beat is an act
    sizes = {seat_name: _max_argument(inputs, "cards", seat_name) for seat_name in rules.seating.relative_names}
    if any(sizes.values()):
        state["cards"] = [max(1, sizes[seat_name]) for seat_name in rules.seating.relative_names]
    needed, values = required_for_explanation(rules, is_choice=False).fluents, FluentCodec(rules.card_codes.term_texts)
    for name, fluent in fluents_by_name(rules.fluents, state_fields()).items():
        value = values.write(fluent, fluents)
        if (fluents[list(fluent.slots)] != fluent.default).any() or (name in needed and value is not None):
            state[name] = value
    return state


def _read_fluents(rules: CompiledGame, inputs: Collection[Atom]) -> NDArray[np.int16]:
    """Return the fluents [slots] that the inputs set."""
    fluents: NDArray[np.int16] = rules.fluents.defaults.copy()
    for test in (find_test(rules.schema, atom) for atom in inputs):
        if test is not None and test.group == "fluents":
            fluents[test.column] = max(fluents[test.column], test.value)
    return fluents


def _max_argument(inputs: Collection[Atom], name: str, first: Term) -> int:
    """Return the largest N in atoms name(first,N); 0 if there is none."""
    return max((int(args[1]) for predicate, args in inputs if predicate == name and args[0] == first), default=0)


def _build_hand(rules: CompiledGame, inputs: Collection[Atom]) -> NDArray[np.uint8]:
    """Return the held cards [kinds]: named cards first, then cards of ranks with too few."""
    hand = np.zeros(len(rules.pack), np.uint8)
    for name, args in inputs:
        kind = rules.pack.index.get(f"card({args[0]},{args[1]})") if name == "held" and len(args) == 3 else None
        if kind is not None:
            hand[kind] = max(hand[kind], int(args[2]))
    for name, args in inputs:
        if name == "held" and len(args) == 2:
            _fill_hand(rules, hand, args[0], int(args[1]))
    return hand


def _fill_hand(rules: CompiledGame, hand: NDArray[np.uint8], cell: Term, count: int) -> None:
    """Add cards until so many act as a cell, one kind after the other."""
    kinds = rules.cells.find_kinds(cell, 0)
    for kind in kinds:
        missing = count - int(hand[kinds].sum())
        hand[kind] += max(0, min(missing, int(rules.pack.copies[kind]) - int(hand[kind])))


def _form_cards(rules: CompiledGame, form: Form, hand: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Return cards [kinds] of a form outside the hand; None if they do not suffice."""
    available, counts = rules.pack.copies - hand, np.zeros(len(rules.pack), np.uint8)
    parts = [(group.cell, group.count, group.only_kind) for group in form.groups]
    wild_kinds, num_wilds = rules.cells.find_kinds(WILD, 0), form.min_wilds
    if form.kickers:
        cells = {group.cell for group in form.groups}
        free_cells = [cell for cell in form.kickers.allowed if cell not in cells]
        parts += [(cell, form.kickers.group_size, None) for cell in free_cells[: form.kickers.num_groups]]
    for cell, count, only_kind in parts:
        kinds = rules.cells.find_kinds(rules.cells.names[cell], 0) if only_kind is None else [only_kind]
        if not kinds or num_wilds > 0:  # no card acts as a vacant cell
            kinds, num_wilds = wild_kinds + kinds, num_wilds - count
        for kind in kinds:
            taken = min(count, int(available[kind]))
            counts[kind] += taken
            available[kind] -= taken
            count -= taken
        if count:
            return None
    return counts
