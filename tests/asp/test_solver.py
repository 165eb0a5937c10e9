"""Rules with choices, disjunctions and negative loops are solved by clingo in a bounded child process."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.build import BuildRequest, Limits
from abl_cards.asp.errors import KBError
from abl_cards.asp.solver import ClingoSolver, SolveOptions
from abl_cards.asp.terms import Input
from abl_cards.core import ErrorCode
from tests.asp.conftest import format_place

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


def test_solver_returns_the_cheapest_answer_set(tmp_path: Path) -> None:
    with begin(tmp_path, GROUPS) as solver:
        states = [[solver.find_input_row(text) for text in PAIR_AND_ONE], []]
        pair, empty = solver.solve(states, SolveOptions(shown_predicates=frozenset({"group/2"})))
        assert (pair.satisfiable, pair.is_optimal, pair.costs) == (True, True, (2,))
        assert set(pair.answers[0]) == {"group(3,2)", "group(4,1)"}
        assert (empty.answers, empty.costs) == (((),), (0,))
        all_sets = solver.solve(
            states[:1], SolveOptions(max_models=0, optimal_only=False, shown_predicates=frozenset({"group/2"}))
        )[0]
        assert sorted(all_sets.costs or ()) == [2, 5]
        assert all_sets.is_complete


def test_solver_supports_constraints_disjunctions_and_negative_loops(tmp_path: Path) -> None:
    """A state without an answer set has no answers; answers hold the atoms of #show only."""
    text = "#external held(R,N) : R = 3..4, N = 1..2.\na ; b :- held(3,1).\n"
    text += "p :- not q. q :- not p. :- held(4,1), p. :- held(4,1), q.\n"
    with begin(tmp_path, f"{text}#show a/0. #show b/0.") as solver:
        two, none = solver.solve(
            [[solver.find_input_row("held(3,1)")], [solver.find_input_row("held(4,1)")]], SolveOptions(max_models=0)
        )
    assert sorted(two.answers) == [("a",), ("b",)], "what differs only in what is not shown is told once"
    assert (none.satisfiable, none.answers, none.costs) == (False, (), None)


@pytest.mark.parametrize(
    ("rule", "place", "code"),
    [
        ("{ plan(R) } :- hold(R,1).", "2:16-25", ErrorCode.UNKNOWN_PREDICATE),
        ("{ plan(R) } :- held(R", "3:1-2", ErrorCode.SYNTAX_ERROR),
        ("{ plan(R,S) } :- held(R,1).", "2:10-11", ErrorCode.UNSAFE_VARIABLE),
        ("cost(plan, long) :- held(3,1).", "2:1-17", ErrorCode.INVALID_WEIGHT),
        ("#script (python) #end.", "2:1-8", ErrorCode.UNSUPPORTED_CONSTRUCT),
        ("{ plan(@f(1)) }.", "2:8-10", ErrorCode.UNSUPPORTED_CONSTRUCT),
        (":~ held(3,1). [1]", "2:1-18", ErrorCode.UNSUPPORTED_CONSTRUCT),
        ("{ plan(R+a) : held(R,1) }.", "2:8-11", ErrorCode.UNDEFINED_OPERATION),
        (f"p({'-' * 3000}1).", "2:102-103", ErrorCode.NESTED_TOO_DEEPLY),
    ],
)
def test_invalid_rules_are_errors_at_their_location(tmp_path: Path, rule: str, place: str, code: ErrorCode) -> None:
    with pytest.raises(KBError) as caught:
        begin(tmp_path, f"#external held(R,N) : R = 3..4, N = 1..2. keep(R) :- held(R,1).\n{rule}")
    problem = caught.value.diagnostics[0]
    assert (problem.code, format_place(problem)) == (code, place)
    assert problem.location is not None
    assert Path(problem.location.file).name == "plan.lp"


def test_solving_and_grounding_time_are_limited(tmp_path: Path) -> None:
    """The pigeonhole problem is not decided within its time; grounding has a bound as well."""
    pigeons = "1 { in(P,H) : H = 1..12 } 1 :- P = 1..13. :- in(P,H), in(Q,H), P < Q. cost(far(P,H), H) :- in(P,H)."
    with begin(tmp_path, pigeons) as solver:
        (answer,) = solver.solve([[]], SolveOptions(seconds=0.1))
        assert (answer.satisfiable, answer.is_complete) == (None, False)
    with pytest.raises(KBError, match=r"0\.2 s") as caught:
        begin(tmp_path, "n(1..3000). m :- n(A), n(B), n(C), A+B+C = 99999.", Limits(seconds=0.2))
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED


def test_memory_is_limited(tmp_path: Path) -> None:
    with pytest.raises(KBError) as caught:
        begin(tmp_path, "n(1..9999999).", Limits(memory=100 << 20))
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED


def test_closed_solver_raises(tmp_path: Path) -> None:
    solver = begin(tmp_path, GROUPS)
    solver.close()
    with pytest.raises(KBError) as caught:
        solver.solve([[]])
    assert caught.value.code == ErrorCode.GROUNDING_FAILED


def test_unknown_input_is_named_with_a_suggestion(tmp_path: Path) -> None:
    with begin(tmp_path, GROUPS) as solver, pytest.raises(KBError, match=r"'held\(3,5\)'.*'held\(3,4\)'") as caught:
        solver.find_input_row("held(3,5)")
    assert caught.value.code == ErrorCode.UNKNOWN_INPUT
