"""Proofs that an atom holds in a state or does not."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.terms import Atom, Input
from abl_cards.circuit import proofs
from abl_cards.circuit.evaluation import evaluate
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.oracle import Oracle
from abl_cards.circuit.proofs import Proof, ProofFinder, format_proof
from tests.circuit.chains import claims

RULES = """
#external held(R,N) : R = 3..5, N = 1..4.
#external lead.
#const most = 2.
size(1..4).
pair(R)      :- held(R,most).
bomb(R)      :- held(R,4), R > 3.
several      :- 2 <= #count { R : pair(R) }.
quiet        :- not pair(R) : R = 3..5.
legal(two,R) :- pair(R), not barred(R).
legal(two,R) :- bomb(R).
barred(R)    :- R = 3..5, lead, not bomb(R).
next(R+1)    :- held(R,1), R < 5.
"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    file = tmp_path_factory.mktemp("rules") / "rules.lp"
    file.write_text(RULES, "utf-8")
    outputs = [("legal", 2), ("several", 0), ("quiet", 0), ("next", 1)]
    return KnowledgeBase.load(
        [file], inputs=[Input("held", (range(3, 6), range(1, 5))), Input("lead", ())], outputs=outputs
    )


def reasons(kb: KnowledgeBase, *held: tuple[int, int], lead: bool = False) -> ProofFinder:
    facts = [Atom("held", (rank, n)) for rank, most in held for n in range(1, most + 1)]
    return ProofFinder(kb, [*facts, *([Atom("lead", ())] if lead else [])])


def proof_texts(why: Proof) -> list[str]:
    return [line.strip() for line in format_proof(why) if "by:" not in line and "nearest:" not in line]


def test_proof_of_a_true_atom_ends_in_inputs(kb: KnowledgeBase) -> None:
    why = reasons(kb, (4, 2)).explain("legal(two,4)")
    assert why.holds
    assert why.rule.startswith("legal(two,R) :- pair(R)")
    assert why.location is not None
    assert why.location.line == 10
    assert proof_texts(why)[:3] == ["legal(two,4)", "pair(4)", "held(4,2)   input"]
    assert "not barred(4)" in proof_texts(why)


def test_proof_of_a_false_atom_names_the_first_failing_literal(kb: KnowledgeBase) -> None:
    why = reasons(kb, (4, 1)).explain("legal(two,4)")
    assert not why.holds
    assert proof_texts(why) == ["not legal(two,4)", "not pair(4)", "not held(4,2)   input"]
    barred = reasons(kb, (4, 2), lead=True).explain("legal(two,4)")
    assert proof_texts(barred)[:2] == ["not legal(two,4)", "barred(4)"]
    assert "lead   input" in proof_texts(barred)


def test_proof_uses_the_rule_that_fires(kb: KnowledgeBase) -> None:
    why = reasons(kb, (4, 4), lead=True).explain("legal(two,4)")
    assert why.holds
    assert why.rule.startswith("legal(two,R) :- pair(R)")  # a bomb is not barred
    assert "bomb(4)" in proof_texts(why)


def test_proofs_show_aggregates_and_conditions_unchanged(kb: KnowledgeBase) -> None:
    few, many = reasons(kb, (4, 2)), reasons(kb, (4, 2), (5, 2))
    assert not few.explain("several").holds
    assert few.explain("several").premises[0].kind == "literal"
    assert many.explain("several").holds
    assert reasons(kb).explain("quiet").holds
    assert not few.explain("quiet").holds
    assert reasons(kb, (4, 1)).explain("next(5)").holds
    assert not reasons(kb, (5, 1)).explain("next(6)").holds


def test_proofs_of_atoms_without_rules(kb: KnowledgeBase) -> None:
    here = reasons(kb)
    assert here.explain("legal(three,4)").kind == "no rule"
    assert here.explain("unheard(1)").kind == "no rule"
    assert here.explain("size(3)") == Proof("size(3)", True, "fact")
    assert here.explain("held(3,1)") == Proof("held(3,1)", False, "input")


ODD = """
#external in(X) : X = 1..3.
val(1..3). don't(1).
twice(X)     :- not not in(X), val(X).
some         :- in(1..2).
far(X)       :- not in(X/(X-1)), val(X), X > 1.
low(X;9)     :- in(X), X < 3.
quoted(X)    :- in(X), don't(X).
:- in(3).
"""


@pytest.mark.parametrize("numbers", [numbers for size in range(4) for numbers in combinations((1, 2, 3), size)])
def test_proofs_agree_with_clingo(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    """Proofs agree with clingo, also for double negation, pools, intervals and violated constraints."""
    file = tmp_path / "odd.lp"
    file.write_text(ODD, "utf-8")
    outputs = [("twice", 1), ("some", 0), ("far", 1), ("low", 1), ("quoted", 1)]
    kb = KnowledgeBase.load([file], inputs=[Input("in", ((1, 2, 3),))], outputs=outputs)
    inputs = [Atom("in", (number,)) for number in numbers]
    circuit = kb.circuit(*(f"{name}/{arity}" for name, arity in outputs), "violated/1")
    column = np.array([[name in inputs] for name in circuit.inputs], np.uint8)
    values = dict(zip(map(str, circuit.outputs), evaluate(circuit, column)[:, 0].astype(bool), strict=True))
    values |= {f"in({number})": number in numbers for number in (1, 2, 3)}
    here = ProofFinder(kb, inputs)
    for name in values:
        why = here.explain(name)
        assert why.kind != "no rule"
        assert why.rule or name.startswith("in(")
        assert [atom for atom, holds in claims(why) if values.get(atom, holds) != holds] == []


def test_proof_length_is_limited(tmp_path: Path) -> None:
    file = tmp_path / "long.lp"
    rules = "".join(f"a({n}) :- a({n - 1}).\n" for n in range(1, 60))
    file.write_text(f"#external lead.\na(0) :- lead.\n{rules}", "utf-8")
    kb = KnowledgeBase.load([file], inputs=[Input("lead", ())], outputs=[("a", 1)])
    why = ProofFinder(kb, [Atom("lead", ())]).explain("a(59)", max_depth=4)
    assert sum(1 for _ in format_proof(why)) < 20


def test_knowledge_base_is_grounded_once_for_all_states(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state is answered for itself, whatever was asked before."""
    grounded = []

    def ground(*args: Any, **options: Any) -> Oracle:
        grounded.append(args)
        return Oracle(*args, **options)

    monkeypatch.setattr(proofs, "Oracle", ground)
    proofs._index_of.cache_clear()
    answers = [reasons(kb, (4, n)).explain("legal(two,4)").holds for n in (1, 2, 1, 3)]
    assert answers == [False, True, False, True]
    assert len(grounded) == 1


@pytest.mark.parametrize(("rule", "failing"), [
    ("top(2..R) :- held(R,1).", "held("), ("top(2..R) :- size(R); held(R,1).", "held("),
    ("top(2..R) :- size(R); R > 2; not held(3,1); held(R,1).", "held("), ("top(2..R) :- held(R,1); lead.", "held("),
])  # fmt: skip
def test_heads_that_bind_no_variables_have_a_nearest_rule(tmp_path: Path, rule: str, failing: str) -> None:
    """A range up to a variable says no value of it, so a false atom had no rule."""
    file = tmp_path / "rules.lp"
    file.write_text(f"{RULES.partition('#const')[0]}size(1..4).\n{rule}\n", "utf-8")
    inputs = [Input("held", (range(3, 6), range(1, 5))), Input("lead", ())]
    finder = ProofFinder(KnowledgeBase.load([file], inputs=inputs, outputs=[("top", 1)]), [])
    why = finder.explain("top(3)")
    assert not why.holds
    assert why.rule.replace("((2..R))", "(2..R)") == rule
    assert why.premises[0].atom.startswith(failing)
    assert not why.premises[0].holds
    assert finder.explain("top(9)").kind == "no rule"
