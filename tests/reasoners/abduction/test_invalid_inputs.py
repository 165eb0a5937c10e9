"""Inputs of abduction that are malformed, contradictory or too large: each a clear error or the right value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ablkit = pytest.importorskip("ablkit", reason="ablkit is not installed (pip install 'abl-cards[learning]')")

from ablkit.data.structures import ListData  # noqa: E402

from abl_cards.asp import KBError, Limits  # noqa: E402
from abl_cards.core import ErrorCode, GameError  # noqa: E402
from abl_cards.games import load  # noqa: E402
from abl_cards.reasoners import EXAMPLE_PROGRAMS, HandKB, MinimisingReasoner, ProgramKB, RulesKB  # noqa: E402
from abl_cards.reasoners.abduction import programs  # noqa: E402
from abl_cards.reasoners.abduction.assignment_search import CircuitSolver  # noqa: E402

DIGITS = list(range(10))
SUM = "result(S) :- S = #sum{ V,P : symbol(P,V) }."
CHOICE = "1 { carry(0..1) } 1. result(S+C) :- S = #sum{ V,P : symbol(P,V) }, carry(C)."
UNIFORM = np.full((2, 10), 0.1)
STATE = {"level": "8", "hand": ["H4", "C4", "D4", "H8", "S9", "D9"], "to_beat": ["Pair", "3", ["S3", "D3"]]}


def code_of(call: Callable[[], object]) -> str:
    """Return the code of the error that a call raises."""
    with pytest.raises((GameError, KBError)) as error:
        call()
    problem: Any = error.value
    return str(problem.code)


def conclude(program: str | Path) -> object:
    """Return the result of a program for two digits."""
    return ProgramKB(program, DIGITS).logic_forward([1, 2])


def with_value(value: float) -> np.ndarray:
    """Return probabilities of which one is given."""
    probabilities = UNIFORM.copy()
    probabilities[1, 3] = value
    return probabilities


@pytest.fixture(scope="module")
def kb() -> ProgramKB:
    return ProgramKB(SUM, DIGITS)


@pytest.fixture(scope="module")
def hands() -> HandKB:
    return HandKB("guandan", state={"level": "8"})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.1])
def test_invalid_probabilities_raise(kb: ProgramKB, hands: HandKB, value: float) -> None:
    cards = np.full((2, 54), 0.1)
    cards[0, 7] = value
    probabilities = np.full((1, 168), 0.1)
    probabilities[0, 5] = value
    rules = RulesKB(load("guandan").engine())
    decision = ListData(X=[STATE], Y=None, pred_prob=probabilities, pred_pseudo_label=["pass"])
    with pytest.raises(GameError, match=r"\[1\]"):  # the example
        kb.abduce_batch([UNIFORM, with_value(value)], [7, 7])
    for call in (
        lambda: kb.abduce_batch([with_value(value)], [7]),
        lambda: ProgramKB(CHOICE, DIGITS).abduce_batch([with_value(value)], [7]),
        lambda: hands.abduce_batch([cards], ["pair(3)"]),
        lambda: MinimisingReasoner(rules).abduce(decision),
    ):
        assert code_of(call) == ErrorCode.INVALID_VALUE


def test_zero_probabilities_are_the_least_probable(kb: ProgramKB, hands: HandKB) -> None:
    assert kb.abduce_batch([np.zeros((2, 10))], [7])[0, 0].sum() == 7
    sure = np.eye(10)[[1, 2]]
    assert kb.abduce_batch([sure], [3]).tolist() == [[[1, 2]]]
    assert {tuple(row) for row in kb.abduce_batch([sure], [7], k=2)[0].tolist()} == {(1, 6), (5, 2)}
    pair = hands.abduce_batch([np.zeros((2, 54))], ["pair(3)"])[0, 0]
    assert hands.logic_forward([hands.pseudo_label_list[card] for card in pair]) == "pair(3)"


@pytest.mark.parametrize("y", [19, -1, 2.5, "seven", float("nan"), float("inf"), (7,), [7], {7}, np.array([3, 4])])
def test_unreachable_result_gives_no_candidates(kb: ProgramKB, y: Any) -> None:
    assert kb.abduce_batch([UNIFORM], [y]).tolist() == [[[-1, -1]]]
    assert kb.abduce_candidates([3, 4], y, None, 2, 0) == ([], [])
    assert kb.revise_at_idx([3, 4], y, None, [0, 1]) == ([], [])


def test_numpy_numbers_are_accepted_as_results(kb: ProgramKB) -> None:
    y = np.array([7, 12])
    assert kb.abduce_batch([UNIFORM, UNIFORM], y)[:, 0].sum(axis=1).tolist() == y.tolist()
    assert kb.abduce_candidates([3, 9], np.int64(7), None, 1, 0)[0] == [[3, 4]]
    several = ProgramKB("first(V) :- symbol(0,V). last(V) :- symbol(1,V).", DIGITS, results=["first/1", "last/1"])
    for pair in ((3, 4), [3, 4], np.array([3, 4])):
        assert several.abduce_batch([UNIFORM], [pair]).tolist() == [[[3, 4]]]


def test_mismatched_batches_raise(kb: ProgramKB, hands: HandKB) -> None:
    for call in (
        lambda: kb.abduce_batch([UNIFORM], 7),  # type: ignore[arg-type]
        lambda: kb.abduce_batch([UNIFORM], [7], k=0),
        lambda: kb.abduce_batch([UNIFORM], [7], k=1.5),  # type: ignore[arg-type]
        lambda: kb.abduce_batch(UNIFORM, [7, 7]),
        lambda: kb.abduce_batch([UNIFORM], [7], x=[]),
        lambda: kb.abduce_batch([[["a"] * 10]], [7]),  # type: ignore[list-item]
        lambda: kb.abduce_batch([np.empty((0, 10))], [0]),
        lambda: kb.revise_at_idx([3, 4], 7, None, [2]),
        lambda: hands.revise_at_idx(["S3", "H3"], "pair(3)", None, [2]),
        lambda: hands.abduce_batch([np.full((2, 54), 0.1)], [{"to_beat": ["SK", "DK"], "beats": "no"}]),
        lambda: hands.abduce_batch([np.full((2, 54), 0.1)], [{"points": None}]),
        lambda: RulesKB(load("guandan").engine()).logic_forward(["no label"], [STATE]),
        lambda: RulesKB(load("guandan").engine()).logic_forward(["pass"], None),  # type: ignore[arg-type]
    ):
        assert code_of(call) == ErrorCode.INVALID_VALUE
    batches: tuple[Any, ...] = ([], np.empty((0, 2, 10)))
    for batch in batches:
        assert kb.abduce_batch(batch, []).shape == (0, 1, 0)
        assert kb.abduce_batch(batch).shape == (0, 1, 0)
    assert hands.abduce_batch([], []).shape == (0, 1, 0)


def test_programs_without_a_result_return_none() -> None:
    never = ProgramKB("result(7) :- symbol(0,1), not symbol(0,1).", DIGITS)
    assert never.logic_forward([1, 2]) is None
    assert never.abduce_candidates([1, 2], 7, None, 2, 0) == ([], [])
    assert never.abduce_batch([UNIFORM, UNIFORM], [7, None]).tolist() == [[[-1, -1]]] * 2
    for program, code in (
        ("other(V) :- symbol(P,V).", ErrorCode.MISSING_OUTPUT),
        (SUM + " :- 1 = 1.", ErrorCode.ALWAYS_VIOLATED),
        ("", ErrorCode.FILE_NOT_READABLE),
        ("result(", ErrorCode.SYNTAX_ERROR),
        ("rules/sum.lp", ErrorCode.INVALID_VALUE),
        (Path("rules/sum.lp"), ErrorCode.FILE_NOT_READABLE),
    ):
        assert code_of(partial(conclude, program)) == code


def test_weak_constraints_raise() -> None:
    for program in (SUM + " :~ symbol(0,3). [5]", CHOICE + " :~ carry(1). [1]", CHOICE + " #minimize{ C : carry(C) }."):
        assert code_of(partial(conclude, program)) == ErrorCode.UNSUPPORTED_CONSTRUCT


def test_deriving_the_labels_raises() -> None:
    for rule in (" { symbol(0,1) }.", " symbol(0,1) :- symbol(1,2)."):
        assert code_of(partial(conclude, SUM + rule)) == ErrorCode.DERIVED_INPUT


def test_value_may_return_none_but_not_raise() -> None:
    program, labels = "result(V,V-1) :- symbol(0,V).", [1, 2, 3]
    divided = ProgramKB(program, labels, results="result/2", value=lambda n, d: n / d)
    assert code_of(lambda: divided.abduce_batch([np.ones((1, 3))], [2])) == ErrorCode.INVALID_VALUE
    kb = ProgramKB(program, labels, results="result/2", value=lambda n, d: n / d if d else None)
    assert [kb.logic_forward([label]) for label in labels] == [None, 2.0, 1.5]
    assert sorted(kb.abduce_batch([np.ones((1, 3))], [None], k=3)[0, :, 0].tolist()) == [-1, 1, 2]
    assert kb.abduce_candidates([1], None, None, 1, 0) == ([[2], [3]], [2.0, 1.5])


def test_atoms_of_equal_value_are_merged() -> None:
    program = "result(V,2) :- symbol(0,V). result(2*V,4) :- symbol(0,V)."
    kb = ProgramKB(program, DIGITS, results="result/2", value=lambda n, d: n / d)
    assert kb.logic_forward([3]) == 1.5
    assert kb.abduce_candidates([0], 1.5, None, 1, 0) == ([[3]], [1.5])


def test_changed_max_err_takes_effect() -> None:
    kb = ProgramKB(SUM, DIGITS)
    assert kb.abduce_candidates([9], 3, None, 1, 0)[0] == [[3]]
    kb.max_err = 1
    assert kb.abduce_candidates([9], 3, None, 1, 0)[0] == [[2], [3], [4]]


def test_sets_and_too_many_labels_raise() -> None:
    assert code_of(lambda: ProgramKB(SUM, {1, 2})) == ErrorCode.INVALID_VALUE  # type: ignore[arg-type]
    assert code_of(lambda: ProgramKB(SUM, range(40_000))) == ErrorCode.TOO_LARGE


def test_large_domains_are_solved_correctly() -> None:
    count = 1500
    kb = ProgramKB("result(V/1000) :- symbol(0,V), not symbol(1,V).", list(range(count)))
    probabilities = np.full((2, count), 1e-9)
    probabilities[0, [10, 1250]], probabilities[1, [1250, 1251]] = (0.9, 0.5), (0.9, 0.5)
    best, second = kb.abduce_batch([probabilities], [1], k=2)[0].tolist()
    assert best == [1250, 1251]
    assert second[0] // 1000 == 1
    assert second[1] == 1250


def test_long_sequences_are_solved_correctly() -> None:
    program = "odd(0,0). odd(P+1,(X+V)\\2) :- odd(P,X), symbol(P,V). result(X) :- odd(length,X)."
    kb = ProgramKB(program, [0, 1])
    probabilities = np.random.default_rng(0).dirichlet(np.ones(2), 600)
    best = probabilities.argmax(axis=1)
    weakest = np.abs(np.log(probabilities[:, 0] / probabilities[:, 1])).argmin()
    for parity in (0, 1):
        expected = best.copy()
        expected[weakest] ^= best.sum() % 2 != parity
        assert kb.abduce_batch([probabilities], [parity])[0, 0].tolist() == expected.tolist()


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize("limits", [None, Limits(rules=1000, literals=5000)])
def test_too_large_programs_raise(monkeypatch: pytest.MonkeyPatch, limits: Limits | None) -> None:
    monkeypatch.setattr(programs, "GROUND_LIMITS", Limits(rules=1000, literals=5000))
    kb = ProgramKB("pair(V,W) :- symbol(0,V), symbol(1,W). result(V+W) :- pair(V,W).", list(range(60)), limits=limits)
    assert code_of(lambda: kb.logic_forward([1, 2])) == ErrorCode.LIMIT_EXCEEDED


def test_search_ends_with_equally_probable_labels() -> None:
    """Partial assignments of equal bounds are extended depth first; else some 10 to the power 9 precede a full one."""
    kb = ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", DIGITS)
    program = kb._program(10)
    assert program.compiled is not None
    program.solver = CircuitSolver(program.compiled)
    assert kb.abduce_batch([np.full((10, 10), 0.1)], [45])[0, 0].sum() == 45


def test_too_large_plan_falls_back_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    from abl_cards.reasoners.abduction import assignment_plans

    probabilities = np.random.default_rng(0).dirichlet(np.ones(10), (4, 3))
    y, whole = [9, 12, 3, None], ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", DIGITS)
    expected = whole.abduce_batch(probabilities, y, k=2)
    monkeypatch.setattr(assignment_plans, "MAX_NODES", 60)
    kb = ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", DIGITS)
    assert kb.abduce_batch(probabilities, y, k=2).tolist() == expected.tolist()
    assert kb.abduce_candidates([1, 2, 3], 9, None, 3, 0) == whole.abduce_candidates([1, 2, 3], 9, None, 3, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("program", 3),
        ("program", [SUM]),
        ("pseudo_label_list", None),
        ("pseudo_label_list", "0123456789"),
        ("pseudo_labels", 3),
        ("results", 3),
        ("results", [None]),
        ("value", "sum"),
        ("context", {"base/1": 4}),
        ("context", ["base/1"]),
        ("max_err", "0.1"),
        ("max_err", -1),
        ("limits", 20),
    ],
)
def test_parts_of_a_declaration_of_other_types_are_named(name: str, value: Any) -> None:
    """A text of labels is no list of them, and a program is never the text of another object."""
    arguments: dict[str, Any] = {"program": SUM, "pseudo_label_list": DIGITS, name: value}
    with pytest.raises(GameError, match=name) as error:
        ProgramKB(**arguments)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_numbers_of_revisions_and_states_are_checked(kb: ProgramKB, hands: HandKB) -> None:
    for numbers in (("x", 0), (None, 0), (2, 1.5), (2, float("nan"))):
        for given, labels, y in ((kb, [1, 2], 5), (hands, ["S3", "D4"], None)):
            with pytest.raises(GameError, match="revision"):
                given.abduce_candidates(labels, y, None, *numbers)  # type: ignore[arg-type]
    with pytest.raises(GameError, match="state"):
        HandKB("guandan", state="8")  # type: ignore[arg-type]


PAIR = "result(same) :- symbol(0,V), symbol(1,V). result(other) :- symbol(0,V), symbol(1,W), V != W."


@pytest.mark.parametrize(
    "labels", [["caf\xe9", "b"], ["not", "b"], {"x": "f(1, 2)", "y": 3}, {"x": "5", "y": np.int64(4)}]
)
def test_labels_are_terms_as_clingo_writes_them(labels: Any) -> None:
    """Texts beyond ASCII and the keyword ``not`` stand in quotes; terms of a mapping may be written with spaces."""
    kb = ProgramKB(PAIR, labels)
    first, second = kb.pseudo_label_list
    assert [kb.logic_forward([first, other]) for other in (first, second)] == ["same", "other"]
    assert kb.abduce_candidates([first, first], "other", None, 1, 0)[0] == [[second, first], [first, second]]


@pytest.mark.parametrize(
    "labels",
    [
        ["length", 2],
        {"x": "length", "y": 2},
        {"x": "f(width)", "y": 2},
        {"x": "Dog", "y": 2},
        {"x": "1..3", "y": 2},
        {"x": "5", "y": 5},
        {"x": "9999999999", "y": 5},
        {"x": 1.5, "y": 2},
        {"x": None, "y": 2},
        {"x": [1], "y": 2},
        [2**31, 1],
        ["a\rb", "c"],
        ["\ud800", "c"],
    ],
)
def test_labels_that_are_other_terms_raise(labels: Any) -> None:
    """The label ``length`` was the number of positions, so that no program derived anything from it."""
    assert code_of(lambda: ProgramKB("#const width = 2. " + PAIR, labels).logic_forward([*labels][:2])) == (
        ErrorCode.INVALID_VALUE
    )


@pytest.mark.parametrize("labels", [None, 5, {3, 4}, {3: 1, 4: 2}, iter([3, 4])])
def test_pseudo_labels_without_an_order_raise(kb: ProgramKB, hands: HandKB, labels: Any) -> None:
    for given in (kb, hands):
        assert code_of(lambda given=given: given.logic_forward(labels)) == ErrorCode.INVALID_VALUE  # type: ignore[misc]
        assert code_of(lambda given=given: given.abduce_candidates(labels, None, None, 1, 0)) == (  # type: ignore[misc]
            ErrorCode.INVALID_VALUE
        )


@pytest.mark.parametrize("positions", [None, 0, "0", [1.5], [None], [True], np.array([True, False])])
def test_positions_are_whole_numbers(kb: ProgramKB, hands: HandKB, positions: Any) -> None:
    """A mask of truth values was read as the positions 1 and 0."""
    assert code_of(lambda: kb.revise_at_idx([3, 9], 7, None, positions)) == ErrorCode.INVALID_VALUE
    assert code_of(lambda: hands.revise_at_idx(["S3", "D4"], None, None, positions)) == ErrorCode.INVALID_VALUE


def test_batches_of_other_types_and_sizes_raise(kb: ProgramKB) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'abl-cards[learning]')")
    others: list[Any] = [UNIFORM.astype(str), UNIFORM + 0j, UNIFORM.astype("datetime64[s]")]
    for probabilities in others:
        assert code_of(partial(kb.abduce_batch, [probabilities], [7])) == ErrorCode.INVALID_VALUE
    assert code_of(partial(kb.abduce_batch, [torch.ones(2, 10, requires_grad=True)], [7])) == ErrorCode.INVALID_VALUE
    assert code_of(partial(kb.abduce_batch, [UNIFORM], {7})) == ErrorCode.INVALID_VALUE  # type: ignore[arg-type]
    assert code_of(partial(kb.abduce_batch, [UNIFORM], [7], k=True)) == ErrorCode.INVALID_VALUE
    assert code_of(partial(kb.abduce_batch, [UNIFORM], [7], k=10**10)) == ErrorCode.TOO_LARGE


@pytest.mark.parametrize("number", [np.int64, np.float32, np.array])
def test_numbers_of_numpy_are_compared_up_to_max_err(number: Callable[[int], Any]) -> None:
    kb = ProgramKB("first(V) :- symbol(0,V). last(V) :- symbol(1,V).", DIGITS, results=["first/1", "last/1"], max_err=1)
    one = ProgramKB(SUM, DIGITS, max_err=1)
    assert one.abduce_candidates([9], number(3), None, 1, 0) == one.abduce_candidates([9], 3, None, 1, 0)
    expected = kb.abduce_candidates([9, 9], (3, 4), None, 2, 0)
    assert len(expected[0]) == 9
    assert kb.abduce_candidates([9, 9], (number(3), number(4)), None, 2, 0) == expected


@pytest.mark.parametrize("rules", ["", " { other }."], ids=["circuit", "clingo"])
def test_context_is_read_alike_with_and_without_a_circuit(rules: str) -> None:
    program = "#external base(0..5). result(S+B) :- S = #sum{ V,P : symbol(P,V) }, base(B)." + rules

    def conclude_with(value: Any) -> Any:
        return ProgramKB(program, DIGITS, context={"base/1": lambda x: x}).logic_forward([1, 2], value)

    contexts: tuple[Any, ...] = ([(3,)], [[3]], [("3",)], [(3.0,)], np.array([[3]]), iter([(3,)]))
    for value in contexts:
        assert conclude_with(value) == 6
    malformed: tuple[Any, ...] = (3, [3], ["3"], [(2.5,)], [("Dog",)], [(None,)], [{3: 3}])
    for value in malformed:
        assert code_of(partial(conclude_with, value)) == ErrorCode.INVALID_VALUE
    assert code_of(partial(conclude_with, [(3, 3)])) == ErrorCode.UNKNOWN_INPUT


def test_functions_of_a_declaration_that_fail_are_named(hands: HandKB) -> None:
    """Errors of any type name the line of the function."""
    program = "#external base(0..5). result(S) :- S = #sum{ V,P : symbol(P,V); B : base(B) }."
    for kb in (
        ProgramKB(program, DIGITS, context={"base/1": lambda x: x["missing"]}),
        ProgramKB(program, DIGITS, context={"base/1": lambda x: []}, value=lambda v: v.missing),
        ProgramKB(program, DIGITS, context={"base/1": lambda x: []}, value=lambda v: {}[v]),
    ):
        with pytest.raises(GameError, match=Path(__file__).name) as error:
            kb.logic_forward([1, 2], {})
        assert error.value.code == ErrorCode.INVALID_VALUE
    assert code_of(lambda: hands.is_consistent(["S3"], {1: 2, "a": 3})) == ErrorCode.INVALID_MOVE
    uniform = np.full((2, 54), 0.1)
    assert hands.abduce_batch([uniform], [{"points": np.int64(0)}])[0, 0, 0] >= 0
    assert code_of(lambda: hands.abduce_batch([uniform], [{"points": "0"}])) == ErrorCode.INVALID_VALUE
