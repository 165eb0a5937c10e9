"""Rules with choices, disjunctions and negative loops: clingo answers, in a child process that is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.build import BuildRequest, Limits
from abl_cards.asp.errors import KBError
from abl_cards.asp.solver import ClingoSolver, SolveOptions
from abl_cards.asp.terms import Input

GROUPS = """
#external held(R,N) : R = 3..9, N = 1..4.
1 { group(R,K) : K = 1..4, held(R,K) } 1 :- held(R,1).
cost(waste(R), 3) :- group(R,K), held(R,K+1).
cost(many, N) :- N = #count { R : group(R,_) }, N > 0.
"""
PAIR_AND_ONE = ["held(3,1)", "held(3,2)", "held(4,1)"]


def begin(folder: Path, text: str, limits: Limits | None = None) -> ClingoSolver:
    file = folder / "plan.lp"
    file.write_text(text, "utf-8")
    return ClingoSolver(BuildRequest((file,), (Input("held", arity=2),), (), {}), limits)


def test_the_cheapest_answer_set(tmp_path: Path) -> None:
    with begin(tmp_path, GROUPS) as solver:
        told = [[solver.find_input_row(each) for each in PAIR_AND_ONE], []]
        pair, empty = solver.solve(told, SolveOptions(shown_predicates=frozenset({"group/2"})))
        assert (pair.satisfiable, pair.is_optimal, pair.costs) == (True, True, (2,))
        assert set(pair.answers[0]) == {"group(3,2)", "group(4,1)"}
        assert (empty.answers, empty.costs) == (((),), (0,))
        every = solver.solve(
            told[:1], SolveOptions(max_models=0, optimal_only=False, shown_predicates=frozenset({"group/2"}))
        )[0]
        assert sorted(every.costs or ()) == [2, 5]
        assert every.is_complete


def test_constraints_disjunctions_and_negative_loops(tmp_path: Path) -> None:
    """Of a state without an answer set nothing is told; what #show says is all that is told."""
    text = "#external held(R,N) : R = 3..4, N = 1..2.\na ; b :- held(3,1).\n"
    text += "p :- not q. q :- not p. :- held(4,1), p. :- held(4,1), q.\n"
    with begin(tmp_path, f"{text}#show a/0. #show b/0.") as solver:
        two, none = solver.solve(
            [[solver.find_input_row("held(3,1)")], [solver.find_input_row("held(4,1)")]], SolveOptions(max_models=0)
        )
    assert sorted(two.answers) == [("a",), ("b",)], "what differs only in what is not shown is told once"
    assert (none.satisfiable, none.answers, none.costs) == (False, (), None)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            "{ plan(R) } :- hold(R,1).",
            r"plan\.lp:2:16-25: error: unknown predicate 'hold/2' \(did you mean 'held",
        ),
        ("{ plan(R) } :- held(R", r"plan\.lp:3:1-2: error: syntax error"),
        ("{ plan(R,S) } :- held(R,1).", r"unsafe variable: 'S' is unsafe"),
        ("cost(plan, long) :- held(3,1).", r"the weight of cost\(plan,long\) is not an integer"),
        ("#script (python) #end.", "#script is not supported"),
        ("{ plan(@f(1)) }.", "@functions"),
        (":~ held(3,1). [1]", "derive cost"),
        ("{ plan(R+a) : held(R,1) }.", "operation undefined"),
    ],
)
def test_what_is_wrong_has_its_place(tmp_path: Path, rule: str, message: str) -> None:
    with pytest.raises(KBError, match=message):
        begin(tmp_path, f"#external held(R,N) : R = 3..4, N = 1..2. keep(R) :- held(R,1).\n{rule}")


def test_time_is_bounded(tmp_path: Path) -> None:
    """Of holes and pigeons nothing is proven in a moment; grounding has the same bound."""
    pigeons = "1 { in(P,H) : H = 1..12 } 1 :- P = 1..13. :- in(P,H), in(Q,H), P < Q. cost(far(P,H), H) :- in(P,H)."
    with begin(tmp_path, pigeons) as solver:
        (answer,) = solver.solve([[]], SolveOptions(seconds=0.3))
        assert (answer.satisfiable, answer.is_complete) == (None, False)
    with pytest.raises(KBError, match=r"clingo exceeded 0\.5 s"):
        begin(tmp_path, "n(1..3000). m :- n(A), n(B), n(C), A+B+C = 99999.", Limits(seconds=0.5))


def test_memory_is_bounded(tmp_path: Path) -> None:
    with pytest.raises(KBError, match=r"160 MiB|was stopped"):
        begin(tmp_path, "n(1..9999999).", Limits(memory=160 << 20))


def test_a_solver_that_was_closed_says_so(tmp_path: Path) -> None:
    solver = begin(tmp_path, GROUPS)
    solver.close()
    with pytest.raises(KBError, match="was ended before"):
        solver.solve([[]])


def test_an_unknown_input_is_named(tmp_path: Path) -> None:
    with begin(tmp_path, GROUPS) as solver, pytest.raises(KBError, match=r"'held\(3,5\)' is no input.*did you mean"):
        solver.find_input_row("held(3,5)")
