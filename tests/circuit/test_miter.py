"""States in which circuits differ, and proofs that there are none."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.asp.terms import Atom, Input
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.coverage import FIRED_PREDICATE, trace_rules
from abl_cards.circuit.evaluation import evaluate
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.miter import MiterEncoding, MiterStatus, find_difference, find_state_with
from tests.effort import amount

INPUTS = [Input("a", (range(4),))]


def base(folder: Path, rules: str) -> KnowledgeBase:
    file = folder / f"{abs(hash(rules))}.lp"
    file.write_text("#external a(0..3).\n" + rules, "utf-8")
    return KnowledgeBase.load([file], inputs=INPUTS, outputs=[("p", 0)], cache=False)


def circuit(folder: Path, rules: str) -> Circuit:
    return base(folder, rules).circuit("p/0")


def no_axioms(encoding: MiterEncoding) -> None:
    """Every state can be."""


def rising(encoding: MiterEncoding) -> None:
    """Holding two copies implies holding one."""
    for number in range(3):
        encoding.forbid(encoding.input_atom(Atom("a", (number + 1,))), -encoding.input_atom(Atom("a", (number,))))


def truth(circuit: Circuit, state: frozenset[Atom]) -> int:
    import numpy as np

    rows = np.array([[atom in state] for atom in circuit.inputs], np.uint8).reshape(len(circuit.inputs), 1)
    return int(evaluate(circuit, rows)[0, 0])


LITERALS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=3)
RULES = st.lists(LITERALS, min_size=1, max_size=3)


def text(rules: list[list[tuple[int, bool]]]) -> str:
    bodies = (", ".join(f"{'not ' * negated}a({number})" for number, negated in body) for body in rules)
    return "\n".join(f"p :- {body}." for body in bodies)


@settings(max_examples=amount(15, 50, 2_000))
@given(RULES, RULES)
def test_found_differences_are_real_and_proofs_hold(
    tmp_path_factory: pytest.TempPathFactory, first: list[list[tuple[int, bool]]], second: list[list[tuple[int, bool]]]
) -> None:
    folder = tmp_path_factory.mktemp("rules")
    ours, theirs = circuit(folder, text(first)), circuit(folder, text(second))
    result = find_difference(ours, theirs, no_axioms, 10)
    states = [frozenset(Atom("a", (n,)) for n in range(4) if bits >> n & 1) for bits in range(16)]
    unlike = [state for state in states if truth(ours, state) != truth(theirs, state)]
    if result.status is MiterStatus.FOUND:
        assert truth(ours, result.state) != truth(theirs, result.state)
    assert (result.status is MiterStatus.NONE) == (not unlike)


def test_impossible_states_make_no_difference(tmp_path: Path) -> None:
    ours, theirs = circuit(tmp_path, "p :- a(2)."), circuit(tmp_path, "p :- a(2), a(1).")
    assert find_difference(ours, theirs, rising, 10).status is MiterStatus.NONE
    result = find_difference(ours, theirs, no_axioms, 10)
    assert result.state == {Atom("a", (2,))}


def test_sums_and_loops_are_encoded(tmp_path: Path) -> None:
    sums = "p :- #count { N : a(N) } >= 3."
    by_hand = "p :- a(A), a(B), a(C), A < B, B < C."
    assert (
        find_difference(circuit(tmp_path, sums), circuit(tmp_path, by_hand), no_axioms, 10).status is MiterStatus.NONE
    )
    loop = "q(0) :- a(0). q(N) :- q(M), a(N), N = (M+1)\\4. p :- q(3)."
    straight = "p :- a(0), a(1), a(2), a(3)."
    assert (
        find_difference(circuit(tmp_path, loop), circuit(tmp_path, straight), no_axioms, 10).status is MiterStatus.NONE
    )


def test_rule_firing_states_are_found(tmp_path: Path) -> None:
    kb, rules = trace_rules(base(tmp_path, "q(N) :- a(N), not a(0).\np :- q(2).\np :- q(0).\np :- a(1), 1 = 2."))
    assert [rule.text for rule in rules[:2]] == ["q(N) :- a(N); not a(0).", "p :- q(2)."]
    assert rules[1].location.line == 3
    twins = kb.circuit(str(FIRED_PREDICATE))
    there = {number for _, (number,) in twins.outputs}
    assert 3 not in there  # its body is never true
    assert find_state_with(twins, Atom(FIRED_PREDICATE.name, (1,)), no_axioms, 10).state == {Atom("a", (2,))}
    impossible = [
        number
        for number in there
        if find_state_with(twins, Atom(FIRED_PREDICATE.name, (number,)), no_axioms, 10).status is MiterStatus.NONE
    ]
    assert impossible == [2] or 2 not in there
