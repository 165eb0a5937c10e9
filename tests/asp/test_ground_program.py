"""Atoms are read from their text, and come in clingo's order."""

from __future__ import annotations

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.asp.ground_program import GroundProgramObserver, TooManyRules, number_atoms
from abl_cards.asp.terms import atom_from_symbol

NAMES = st.sampled_from(["a", "b", "aa", "B_", "pass"]).map(str.lower)
TERMS = st.recursive(
    st.integers(-20, 20).map(str)
    | NAMES
    | st.sampled_from(["#inf", "#sup", '""', '"(,"', '"a\\"),("', '"\\n"'])
    | st.just("-a"),
    lambda inner: (
        st.tuples(NAMES, st.lists(inner, min_size=1, max_size=3)).map(lambda pair: f"{pair[0]}({','.join(pair[1])})")
        | inner.map(lambda term: f"({term},)")
        | st.lists(inner, min_size=2, max_size=3).map(lambda terms: f"({','.join(terms)})")
    ),
    max_leaves=6,
)
ATOMS = NAMES | st.tuples(NAMES, st.lists(TERMS, min_size=1, max_size=3)).map(
    lambda pair: f"{pair[0]}({','.join(pair[1])})"
)


@given(st.lists(ATOMS, max_size=12))
def test_atoms_equal_those_of_clingo_in_order(texts: list[str]) -> None:
    control = clingo.Control()
    control.add("base", [], " ".join(f"#external {text}." for text in texts))
    control.ground([("base", [])])
    known = sorted(((atom.symbol, atom.literal) for atom in control.symbolic_atoms), key=lambda pair: pair[0])
    assert number_atoms(control.symbolic_atoms) == (
        tuple(atom_from_symbol(symbol) for symbol, _ in known),
        [number for _, number in known],
    )


def test_rules_and_literals_are_limited() -> None:
    observer = GroundProgramObserver(limits=(3, 2))
    for number, body in enumerate(([2, 3], [], []), 1):  # the second and third come when two literals are there
        observer.rule(False, [number], body)
    with pytest.raises(TooManyRules):
        observer.rule(False, [4], [])
    observer = GroundProgramObserver(limits=(3, 2))
    observer.rule(False, [1], [2, 3, 4])
    with pytest.raises(TooManyRules):
        observer.rule(False, [2], [])
