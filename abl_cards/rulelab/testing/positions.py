"""From inputs that are true to a position that people can read, and ``abl-cards legal`` too."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Form, find_test, fluents_by_name
from abl_cards.games.notation import STATE_FIELDS, FluentCodec, required_for_explanation


def build_position(rules: CompiledGame, inputs: Collection[Atom]) -> dict[str, Any] | None:
    """A state in JSON form in which these inputs hold, as far as a state can say it; None without cards for it."""
    fluents = _read_fluents(rules, inputs)
    hand = _build_hand(rules, inputs)
    forms = [rules.forms.index[args[0]] for name, args in inputs if name == "to_beat"]
    lying = _form_cards(rules, rules.forms.forms[forms[0]], hand) if forms else None
    if forms and lying is None:
        return None
    state: dict[str, Any] = {"hand": rules.card_codes.write_hand(hand), "to_beat": None}
    if lying is not None:
        label = rules.label_texts[rules.forms.label_of[forms[0]]]
        state["to_beat"] = {"label": label, "cards": rules.card_codes.write_hand(lying)}
    for name, args in inputs:
        if name == "top":
            state["top"] = args[0]
    if any(name == "acts" for name, _ in rules.kb.input_atoms):
        said = max((int(args[0]) for name, args in inputs if name == "acts"), default=0)
        state["acts"] = max(said, len(forms))  # what is to beat was played
    sizes = {who: _max_argument(inputs, "cards", who) for who in rules.seating.relative_names}
    if any(sizes.values()):
        state["cards"] = [max(1, sizes[who]) for who in rules.seating.relative_names]
    needed, values = required_for_explanation(rules, is_choice=False).fluents, FluentCodec(rules.card_codes.term_texts)
    for name, fluent in fluents_by_name(rules.fluents, STATE_FIELDS).items():
        value = values.write(fluent, fluents)
        if (fluents[list(fluent.slots)] != fluent.default).any() or (name in needed and value is not None):
            state[name] = value
    return state


def _read_fluents(rules: CompiledGame, inputs: Collection[Atom]) -> NDArray[np.int16]:
    """[slots] what is remembered."""
    found: NDArray[np.int16] = rules.fluents.defaults.copy()
    for test in (find_test(rules.schema, atom) for atom in inputs):
        if test is not None and test.group == "fluents":
            found[test.column] = max(found[test.column], test.value)
    return found


def _max_argument(inputs: Collection[Atom], name: str, first: Term) -> int:
    """The largest N of name(first,N)."""
    return max((int(args[1]) for each, args in inputs if each == name and args[0] == first), default=0)


def _build_hand(rules: CompiledGame, inputs: Collection[Atom]) -> NDArray[np.uint8]:
    """[kinds] cards that are held: single cards as they are named, then what is missing of a rank."""
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
    """[kinds] cards of a form that are not in the hand; None where there are none."""
    left, found = rules.pack.copies - hand, np.zeros(len(rules.pack), np.uint8)
    wanted = [(group.cell, group.count, group.only_kind) for group in form.groups]
    if form.kickers:
        own = {group.cell for group in form.groups}
        free = [cell for cell in form.kickers.allowed if cell not in own]
        wanted += [(cell, form.kickers.group_size, None) for cell in free[: form.kickers.num_groups]]
    for cell, count, only in wanted:
        kinds = rules.cells.find_kinds(rules.cells.names[cell], 0) if only is None else [only]
        for kind in kinds:
            taken = min(count, int(left[kind]))
            found[kind] += taken
            left[kind] -= taken
            count -= taken
        if count:
            return None
    return found
