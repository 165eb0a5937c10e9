"""Rules with choices, disjunctions and negative loops: clingo answers, in a child process that is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.logic import Input, KBError, Limits
from abl_cards.logic.build import Request
from abl_cards.logic.solver import Solver, Wanted

GROUPS = """
#external held(R,N) : R = 3..9, N = 1..4.
1 { group(R,K) : K = 1..4, held(R,K) } 1 :- held(R,1).
cost(waste(R), 3) :- group(R,K), held(R,K+1).
cost(many, N) :- N = #count { R : group(R,_) }, N > 0.
"""
PAIR_AND_ONE = ["held(3,1)", "held(3,2)", "held(4,1)"]


def begin(folder: Path, text: str, limits: Limits | None = None) -> Solver:
    file = folder / "plan.lp"
    file.write_text(text, "utf-8")
    return Solver(Request((file,), (Input("held", arity=2),), (), {}), limits)


def test_the_cheapest_answer_set(tmp_path: Path) -> None:
    with begin(tmp_path, GROUPS) as solver:
        told = [[solver.number_of(each) for each in PAIR_AND_ONE], []]
        pair, empty = solver.solve(told, Wanted(show=frozenset({"group/2"})))
        assert (pair.satisfiable, pair.optimum, pair.costs) == (True, True, (2,))
        assert set(pair.answers[0]) == {"group(3,2)", "group(4,1)"}
        assert (empty.answers, empty.costs) == (((),), (0,))
        every = solver.solve(told[:1], Wanted(models=0, best=False, show=frozenset({"group/2"})))[0]
        assert sorted(every.costs or ()) == [2, 5]
        assert every.complete


def test_constraints_disjunctions_and_negative_loops(tmp_path: Path) -> None:
    """Of a state without an answer set nothing is told; what #show says is all that is told."""
    text = "#external held(R,N) : R = 3..4, N = 1..2.\na ; b :- held(3,1).\n"
    text += "p :- not q. q :- not p. :- held(4,1), p. :- held(4,1), q.\n"
    with begin(tmp_path, f"{text}#show a/0. #show b/0.") as solver:
        two, none = solver.solve([[solver.number_of("held(3,1)")], [solver.number_of("held(4,1)")]], Wanted(models=0))
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
        (answer,) = solver.solve([[]], Wanted(seconds=0.3))
        assert (answer.satisfiable, answer.complete) == (None, False)
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
        solver.number_of("held(3,5)")
