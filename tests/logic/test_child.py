"""Knowledge bases from outside are built in a child process that is stopped at every limit."""

from __future__ import annotations

import time

import pytest

from abl_cards.logic import KBError, Limits
from tests.logic.conftest import Load

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\nlegal(R) :- held(R,1).\n"


def test_same_result_as_in_this_process(load: Load) -> None:
    text = DECLARATION + "legal(9) :- #sum { N,R : held(R,N) } >= 4. :- held(1,2). unused."
    trusted = load(text, outputs=[("legal", 1)])
    other = load(text, outputs=[("legal", 1)], trusted=False)
    assert other.ground == trusted.ground
    assert (other.constraints, other.warnings) == (trusted.constraints, trusted.warnings)


def test_errors_come_back(load: Load) -> None:
    with pytest.raises(KBError, match=r"rules\.lp:3:13-20: error: unknown predicate 'hold/1'"):
        load(DECLARATION + "legal(9) :- hold(1).", trusted=False)


@pytest.mark.parametrize(
    ("rules", "limits", "message"),
    [
        ("n(0). n(X+1) :- n(X).", Limits(seconds=0.8), r"exceeded 0\.8 s .*first suspects: .*rules\.lp:3"),
        ("n(1..99). m(A,B,C) :- n(A), n(B), n(C).", Limits(rules=20_000), "exceeded 20000 ground rules"),
        ("p(a). p(f(X,X,X)) :- p(X), X != b.", Limits(seconds=1), "exceeded|stopped"),
        ("n(1..3000). m :- n(A), n(B), n(C), A+B+C = 99999.", Limits(seconds=0.5), r"exceeded 0\.5 s"),
        ("n(1..9999999).", Limits(seconds=20, memory=200 << 20, rules=10**9), "200 MiB|stopped"),
    ],
)
def test_limits(load: Load, rules: str, limits: Limits, message: str) -> None:
    start = time.monotonic()
    with pytest.raises(KBError, match=message):
        load(DECLARATION + rules, trusted=False, limits=limits)
    assert time.monotonic() - start < limits.seconds + 3


def test_a_crash_of_clingo_is_a_message(load: Load) -> None:
    nested = "-" * 1_000_000
    with pytest.raises(KBError, match=r"stopped by SIG|exceeded|failed"):
        load(DECLARATION + f"legal(9) :- {nested}1 < 1.", trusted=False)
