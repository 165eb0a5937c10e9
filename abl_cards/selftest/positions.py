"""From inputs that are true to a position that people can read, and ``abl-cards legal`` too."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.fluents import names_of
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.columns import test_of
from abl_cards.games.words.needs import FIELDS, needs_of_explanation
from abl_cards.games.words.values import Values
from abl_cards.logic import Atom, Term


def position(rules: Rules, inputs: Collection[Atom]) -> dict[str, Any] | None:
    """A state in JSON form in which these inputs hold, as far as a state can say it; None without cards for it."""
    fluents = _fluents(rules, inputs)
    hand = _hand(rules, inputs)
    forms = [rules.forms.number[args[0]] for name, args in inputs if name == "to_beat"]
    lying = _cards(rules, rules.forms.forms[forms[0]], hand) if forms else None
    if forms and lying is None:
        return None
    state: dict[str, Any] = {"hand": rules.letters.hand(hand), "to_beat": None}
    if lying is not None:
        label = rules.label_texts[rules.forms.label_of[forms[0]]]
        state["to_beat"] = {"label": label, "cards": rules.letters.hand(lying)}
    for name, args in inputs:
        if name == "top":
            state["top"] = args[0]
    if any(name == "acts" for name, _ in rules.kb.input_atoms):
        said = max((int(args[0]) for name, args in inputs if name == "acts"), default=0)
        state["acts"] = max(said, len(forms))  # what is to beat was played
    sizes = {who: _most(inputs, "cards", who) for who in rules.table.who}
    if any(sizes.values()):
        state["cards"] = [max(1, sizes[who]) for who in rules.table.who]
    needed, values = needs_of_explanation(rules, choosing=False).fluents, Values(rules.letters.terms)
    for name, fluent in names_of(rules.fluents, FIELDS).items():
        value = values.write(fluent, fluents)
        if (fluents[list(fluent.slots)] != fluent.nothing).any() or (name in needed and value is not None):
            state[name] = value
    return state


def _fluents(rules: Rules, inputs: Collection[Atom]) -> NDArray[np.int16]:
    """[slots] what is remembered."""
    found: NDArray[np.int16] = rules.fluents.nothing.copy()
    for test in (test_of(rules.words, atom) for atom in inputs):
        if test is not None and test.group == "fluents":
            found[test.column] = max(found[test.column], test.value)
    return found


def _most(inputs: Collection[Atom], name: str, first: Term) -> int:
    """The largest N of name(first,N)."""
    return max((int(args[1]) for each, args in inputs if each == name and args[0] == first), default=0)


def _hand(rules: Rules, inputs: Collection[Atom]) -> NDArray[np.uint8]:
    """[kinds] cards that are held: single cards as they are named, then what is missing of a rank."""
    hand = np.zeros(len(rules.pack), np.uint8)
    for name, args in inputs:
        kind = rules.pack.number.get(f"card({args[0]},{args[1]})") if name == "held" and len(args) == 3 else None
        if kind is not None:
            hand[kind] = max(hand[kind], int(args[2]))
    for name, args in inputs:
        if name == "held" and len(args) == 2:
            _fill(rules, hand, args[0], int(args[1]))
    return hand


def _fill(rules: Rules, hand: NDArray[np.uint8], cell: Term, count: int) -> None:
    """Add cards until so many act as a cell, one kind after the other."""
    kinds = rules.cells.kinds(cell, 0)
    for kind in kinds:
        missing = count - int(hand[kinds].sum())
        hand[kind] += max(0, min(missing, int(rules.pack.copies[kind]) - int(hand[kind])))


def _cards(rules: Rules, form: Form, hand: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """[kinds] cards of a form that are not in the hand; None where there are none."""
    left, found = rules.pack.copies - hand, np.zeros(len(rules.pack), np.uint8)
    wanted = [(group.cell, group.count, group.only) for group in form.groups]
    if form.kickers:
        own = {group.cell for group in form.groups}
        free = [cell for cell in form.kickers.allowed if cell not in own]
        wanted += [(cell, form.kickers.size, None) for cell in free[: form.kickers.groups]]
    for cell, count, only in wanted:
        kinds = rules.cells.kinds(rules.cells.names[cell], 0) if only is None else [only]
        for kind in kinds:
            taken = min(count, int(left[kind]))
            found[kind] += taken
            left[kind] -= taken
            count -= taken
        if count:
            return None
    return found
