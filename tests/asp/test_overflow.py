"""Arithmetic that may exceed 32 bits is refused; arithmetic that cannot is accepted."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.asp.errors import KBError
from abl_cards.asp.intervals import (
    INT32_MAX,
    IntInterval,
    absolute_value,
    apply_binary,
    bitwise_complement,
    exact_quotients,
    negate,
)
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.core import ErrorCode
from tests.asp.conftest import Load, format_place
from tests.effort import amount

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\nlegal(R) :- held(R,1).\n"
COST = 'preference(f,g). says(f,en,"x"). says(f,zh,"x").\n'


@pytest.mark.parametrize(
    ("rules", "place", "value"),
    [
        ("p(2147483647+1).", "3:3-15", "2147483648"),
        ("p(-2147483647-2).", "3:3-16", "-2147483649"),
        ("#const k = 2**20. #const m = k*k. p(m).", "3:30-33", "1099511627776"),
        ("p(X*X) :- n(X). n(1..3;65536).", "3:3-6", "4294967296"),
        ("p :- n(X), X*X < 0. n(1..3;65536).", "3:12-15", "4294967296"),
        ("p(X*X) :- n(X), X < (5;a). n(1..3;65536).", "3:3-6", "4294967296"),  # numbers are less than symbols
        ("p(Y) :- held(R,_), Y = R * 1000000000.", "3:24-38", "3000000000"),
        ("p(2**40).", "3:3-8", "1099511627776"),
        ("p(2**100000).", "3:3-12", "(2**100000)"),
        ("p(X,Y) :- n(X), n(Y), X+Y < 5. n(0;2147483647).", "3:23-26", "4294967294"),
        ("p(X) :- n(X), X*1000 < 5. n(0;5000000).", "3:15-21", "5000000000"),
        ("p(S) :- S = #sum { X : n(X) }. n(1;2147483647).", "3:9-30", "sum"),
        ("p :- 5 < #sum { X,R : n(X), held(R,1) }. n(1;2147483640).", "3:1-41", "sum"),
        ("p :- #sum { -2000000000,R : held(R,1) } > 5.", "3:6-44", "-6000000000"),
        ("p :- not #sum { -2000000000,R : held(R,1) } > 5.", "3:10-10", "-6000000000"),
        ("p(-X) :- n(X). n(-2147483647-1).", "3:3-5", "2147483648"),
        ("p :- held(R,1) : n(X), R = X*X; held(1,1). n(65536).", "3:28-31", "4294967296"),
        (COST + "cost(f(R), R*1000000000) :- held(R,1).", "4:12-24", "3000000000"),
        (COST + "cost(f(R), 1000000000) :- held(R,1).", "4:1-23", "2147483647"),
    ],
)
def test_possible_overflow_is_an_error_at_its_location(load: Load, rules: str, place: str, value: str) -> None:
    with pytest.raises(KBError) as caught:
        load(DECLARATION + rules)
    overflows = [diagnostic for diagnostic in caught.value.diagnostics if diagnostic.code == ErrorCode.INTEGER_OVERFLOW]
    assert any(format_place(diagnostic) == place and value in diagnostic.message for diagnostic in overflows), (
        caught.value
    )


@pytest.mark.parametrize(
    "rules",
    [
        "p(2147483646+1). p(-2147483647-1). p(65536*32767).",
        "p(X*X) :- n(X), X < 46341. n(1..3;65536).",
        "p(X) :- n(X+1). n(1..3;2147483647).",
        "p(Y) :- n(X), X = Y*2+1. n(1..3;2147483647).",
        "p(N*1000) :- form(F), F = run(_,N). form(run(7,1..9)).",
        "p(S*1000) :- S = #count { R,N : held(R,N) }.",
        "p(S) :- S = #sum { 1000*N,R : held(R,N) }.",
        "p(X/3, X\\3, X&7, X?7, X^7, |X|) :- n(X). n(-5..5;2147483647).",
        "p(-X) :- n(X). n(2147483647).",
        'p("2147483647+1"). % 2147483647+1',
        "#const far = 2147483647. #const near = -far. p(far+near).",
        "p(X*1000000000) :- no(X). #defined no/1.",
    ],
)
def test_impossible_overflow_is_accepted(load: Load, rules: str) -> None:
    load(DECLARATION + rules)


def test_constants_of_the_caller_are_checked(load: Load) -> None:
    text = DECLARATION + "#const k = 1. p(k*1000000)."
    load(text, constants={"k": 2000})
    with pytest.raises(KBError, match="3000000000") as caught:
        load(text, constants={"k": 3000})
    places = [
        format_place(diagnostic)
        for diagnostic in caught.value.diagnostics
        if diagnostic.code == ErrorCode.INTEGER_OVERFLOW
    ]
    assert places == ["3:17-26"]
    with pytest.raises(KBError, match="4294967296") as caught:
        load(text, constants={"k": 2**32})
    places = [
        format_place(diagnostic)
        for diagnostic in caught.value.diagnostics
        if diagnostic.code == ErrorCode.INTEGER_OVERFLOW
    ]
    assert places == ["3:17-26", "-"]


BOUNDS = st.tuples(st.integers(-9, 9), st.integers(0, 5)).map(lambda pair: IntInterval(pair[0], pair[0] + pair[1]))


def evaluate_by_clingo(term: str) -> int | None:
    """Evaluate a term by clingo; None where it is undefined."""
    try:
        symbol = clingo.parse_term(term, logger=lambda code, text: None)
    except RuntimeError:
        return None
    return symbol.number if symbol.type == clingo.SymbolType.Number else None


@given(st.sampled_from(["+", "-", "*", "/", "\\", "**", "&", "?", "^"]), BOUNDS, BOUNDS)
def test_binary_intervals_contain_the_results_of_clingo(sign: str, left: IntInterval, right: IntInterval) -> None:
    result = apply_binary(sign, left, right)
    if not result.fits_int32:
        return
    for a, b in product(range(left.low, left.high + 1), range(right.low, right.high + 1)):
        if (sign in "/\\" and b == 0) or (sign == "**" and a == 0 and b < 0):
            continue  # clingo itself would end this process
        value = evaluate_by_clingo(f"({a}){sign}({b})")
        assert value is None or result.low <= value <= result.high
        if sign == "*" and b:
            assert exact_quotients(IntInterval(a * b, a * b), b) == IntInterval(a, a)


@given(BOUNDS)
def test_unary_intervals_contain_the_exact_results(interval: IntInterval) -> None:
    for number in range(interval.low, interval.high + 1):
        for operation, value in ((negate, -number), (bitwise_complement, ~number), (absolute_value, abs(number))):
            assert operation(interval).low <= value <= operation(interval).high


Term = Callable[[int, int], int]
Written = tuple[str, Term]
LEAVES: list[Written] = [
    ("X", lambda x, y: x),
    ("Y", lambda x, y: y),
    *((str(number), lambda x, y, number=number: number) for number in (1, 7, 40000, 2000000000, -50000)),
]
NUMBERS = {"n": (1, 3, 50000), "m": (-2, 60000)}


def _joined(left: Written, name: str, right: Written) -> Written:
    operation = {"+": operator.add, "-": operator.sub, "*": operator.mul}[name]
    return f"({left[0]}{name}{right[0]})", lambda x, y: operation(left[1](x, y), right[1](x, y))


TERMS = st.recursive(
    st.sampled_from(LEAVES), lambda term: st.builds(_joined, term, st.sampled_from("+-*"), term), max_leaves=4
)
TESTS = st.sampled_from([("<", operator.lt), (">=", operator.ge), ("!=", operator.ne), ("=", operator.eq)])


@settings(max_examples=amount(20, 50, 2_000))
@given(TERMS, TERMS, TESTS, TERMS)
def test_accepted_rules_derive_the_atoms_of_exact_arithmetic(
    head: tuple[str, Term],
    left: tuple[str, Term],
    test: tuple[str, Callable[[int, int], bool]],
    right: tuple[str, Term],
) -> None:
    """Rules that are accepted derive in clingo the atoms that exact integers imply."""
    facts = "".join(f"{name}({number}). " for name, numbers in NUMBERS.items() for number in numbers)
    rule = f"p({head[0]}) :- n(X), m(Y), {left[0]} {test[0]} {right[0]}."
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.lp"
        file.write_text(f"{facts}\n#show p/1. p(0) :- no. #defined no/0.\n{rule}")
        try:
            kb = KnowledgeBase.load([file], inputs=[], outputs=[("p", 1)], cache=False)
        except KBError:
            return
    exact = {head[1](x, y) for x, y in product(NUMBERS["n"], NUMBERS["m"]) if test[1](left[1](x, y), right[1](x, y))}
    assert {atom.args[0] for atom in kb.ground.atoms if atom.name == "p"} == exact


def test_int32_max_equals_the_limit_of_clingo() -> None:
    assert evaluate_by_clingo(f"{INT32_MAX}") == INT32_MAX
    assert evaluate_by_clingo(f"{INT32_MAX}+1") == -(2**31)
