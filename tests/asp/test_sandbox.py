"""Untrusted knowledge bases are built in a child process that ends at each limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from abl_cards.asp import sandbox
from abl_cards.asp.build import Limits
from abl_cards.asp.errors import KBError, Severity
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.core import ErrorCode, cpu_budget
from tests.asp.conftest import Load, format_place

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\nlegal(R) :- held(R,1).\n"


def test_child_process_builds_the_same_result(load: Load) -> None:
    text = DECLARATION + "legal(9) :- #sum { N,R : held(R,N) } >= 4. :- held(1,2). unused."
    trusted = load(text, outputs=[("legal", 1)])
    other = load(text, outputs=[("legal", 1)], trusted=False)
    assert other.ground == trusted.ground
    assert (other.constraints, other.warnings) == (trusted.constraints, trusted.warnings)


def test_warm_child_serves_one_build_and_is_replaced(
    load: Load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It serves one build from any working directory, and another one replaces it."""
    monkeypatch.setattr(sandbox, "_warm_pool", sandbox._WarmPool())
    sandbox.keep_warm_process()
    (first,) = sandbox._warm_pool.processes
    load(DECLARATION, trusted=False)
    (second,) = sandbox._warm_pool.processes
    assert first.poll() is not None
    assert second is not first
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    Path("rules.lp").write_text(DECLARATION)
    KnowledgeBase.load([Path("rules.lp")], inputs=[Input("held", ((1, 2, 3), (1, 2)))], outputs=[], trusted=False)
    (third,) = sandbox._warm_pool.processes
    third.communicate()
    assert third.returncode == 0


def test_errors_of_the_child_are_raised(load: Load) -> None:
    with pytest.raises(KBError, match="'hold/1'") as caught:
        load(DECLARATION + "legal(9) :- hold(1).", trusted=False)
    problem = next(diagnostic for diagnostic in caught.value.diagnostics if diagnostic.severity == Severity.ERROR)
    assert (problem.code, format_place(problem)) == (ErrorCode.UNKNOWN_PREDICATE, "3:13-20")


@pytest.mark.parametrize(
    ("rules", "limits", "value"),
    [
        ("n(0). n(X+1) :- n(X).", Limits(seconds=0.3), "0.3 s"),
        ("n(1..99). m(A,B,C) :- n(A), n(B), n(C).", Limits(rules=20_000), "20000"),
        ("n(1..99). #external x(A,B) : n(A), n(B).", Limits(literals=5_000), ""),
        ("p(a). p(f(X,X,X)) :- p(X), X != b.", Limits(seconds=0.4), ""),
        ("n(1..3000). m :- n(A), n(B), n(C), A+B+C = 99999.", Limits(seconds=0.3), "0.3 s"),
        ("n(1..9999999).", Limits(seconds=20, memory=100 << 20, rules=10**9), ""),
    ],
)
def test_exceeded_limits_raise(load: Load, rules: str, limits: Limits, value: str) -> None:
    inputs = [Input("held", ((1, 2, 3), (1, 2))), Input("x", None, 2)]
    with pytest.raises(KBError) as caught:
        load(DECLARATION + rules, trusted=False, limits=limits, inputs=inputs)
    assert value in str(caught.value)
    crashed = ErrorCode.GROUNDING_FAILED  # where clingo runs out of memory by a signal
    assert caught.value.code in ({ErrorCode.LIMIT_EXCEEDED} if value else {ErrorCode.LIMIT_EXCEEDED, crashed})


EXPLOSIONS = [
    "n(1..60).  m(A,B,C) :- n(A), n(B), n(C).  k(A,B,C,D) :- held(A,B), held(C,D).",
    "k(A,B,C,D,E,F) :- held(A,B), held(C,D), held(E,F).  n(0).  n(X+1) :- n(X).",
    "k(A,B,C) :- A = 1..2, B = 1..2, C = 1..2.  n(1..99999).",
    "m(X) :- far(X), s(Y), s(Z), Y < Z, X > Y.  s(1..4).  far(X) :- X = 1..99999.",
    "even(0).  even(X+2) :- odd(X+1).  odd(X+1) :- even(X).  k(A,B,C,D) :- held(A,B), held(C,D).",
]
WORST = ["m(A,B,C)", "n(X+1)", "n(1..99999)", "far(X)", "even(X+2)"]


@pytest.mark.parametrize(("rules", "worst"), [*zip(EXPLOSIONS, WORST, strict=True)])
def test_exceeded_limits_name_the_rule(load: Load, rules: str, worst: str) -> None:
    text = DECLARATION + "\n".join(rules.split("  "))
    with pytest.raises(KBError) as caught:
        load(text, trusted=False, limits=Limits(rules=20_000))
    (problem,) = caught.value.diagnostics
    assert problem.location is not None
    assert worst in text.splitlines()[problem.location.line - 1]


def test_wall_time_limit_names_no_rule(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that did not get its processor time is ended, and the error names no rule."""
    monkeypatch.setattr(sandbox, "WALL_TIME_FACTOR", 0.0)
    monkeypatch.setattr(sandbox, "STARTUP_SECONDS", 0.0)
    with pytest.raises(KBError) as caught:
        load(DECLARATION, trusted=False)
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED
    assert caught.value.diagnostics[0].location is None


def test_shared_budget_limits_all_loads_of_a_command(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    with cpu_budget.shared_budget():
        for _ in range(2):
            with pytest.raises(KBError, match=r"0\.3 s") as caught:
                load(DECLARATION + "n(0). n(X+1) :- n(X).", trusted=False, limits=Limits(seconds=0.3))
            assert caught.value.code == ErrorCode.LIMIT_EXCEEDED
            monkeypatch.setattr(sandbox, "_run", lambda *_: pytest.fail("a child was started without a budget"))


def test_circuit_compilation_uses_the_budget(load: Load) -> None:
    kb = load(DECLARATION + "n(1..400). m(A,R) :- n(A), held(R,1).", outputs=[("m", 2)], trusted=False)
    kb.cpu_budget.remaining = -1.0
    with pytest.raises(KBError, match="20 s") as caught:
        kb.circuit("m/2")
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED


def test_crash_of_clingo_raises(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    fatal = [sys.executable, "-c", "import os; os.abort()"]
    monkeypatch.setattr(sandbox, "_warm_pool", sandbox._WarmPool())
    monkeypatch.setattr(sandbox, "start_process", lambda *_: subprocess.Popen(fatal, stdin=-1, stdout=-1, stderr=-1))
    with pytest.raises(KBError, match="SIGABRT") as caught:
        load(DECLARATION, trusted=False)
    assert caught.value.code == ErrorCode.GROUNDING_FAILED


def test_child_process_does_not_import_numpy() -> None:
    """Each knowledge base starts one, and importing numpy would double the time to start."""
    script = "import sys, abl_cards.asp.sandbox; sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_warm_child_ends_with_its_process() -> None:
    code = "from abl_cards.asp import sandbox; sandbox.keep_warm_process()"
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stderr == ""
