"""Programs as ABLkit's knowledge base, beside plain ABLkit and beside brute force."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ablkit = pytest.importorskip("ablkit", reason="ablkit is not installed (pip install 'abl-cards[learning]')")

from ablkit.bridge import A3BLBridge, SimpleBridge, VerificationBridge  # noqa: E402
from ablkit.data.structures import ListData  # noqa: E402
from ablkit.learning import ABLModel  # noqa: E402
from ablkit.reasoning import A3BLReasoner, KBBase, Reasoner, VerificationReasoner  # noqa: E402

from abl_cards.asp import KBError  # noqa: E402
from abl_cards.core import ErrorCode, GameError  # noqa: E402
from abl_cards.reasoners import ProbabilityReasoner, ProgramKB  # noqa: E402
from abl_cards.reasoners.abduction.assignment_search import CircuitSolver, PlanSolver  # noqa: E402
from abl_cards.reasoners.abduction.clingo_assignments import ClingoAssignments  # noqa: E402
from tests.effort import amount  # noqa: E402
from tests.reasoners.abduction.reference_kbs import DIGITS, tasks  # noqa: E402

SUM = "result(S) :- S = #sum{ V,P : symbol(P,V) }."
LENGTHS = {"digit_sum": (1, 2, 3), "formula": (1, 2, 3), "equation": (3, 5), "animals": (7,)}


@pytest.fixture(scope="module")
def kbs() -> dict[str, tuple[ProgramKB, KBBase]]:
    return tasks()


def distinct(candidates: list[list[Any]], results: list[Any]) -> tuple[list[list[Any]], list[Any]]:
    """Drop repeated candidates, as ABLkit's search repeats those with fewer changes."""
    first = {tuple(candidate): result for candidate, result in reversed(list(zip(candidates, results, strict=True)))}
    order = dict.fromkeys(map(tuple, candidates))
    return [list(candidate) for candidate in order], [first[candidate] for candidate in order]


def use_solver(kb: ProgramKB, length: int, solver: str) -> None:
    """Replace the solver of a length."""
    program = kb._program(length)
    assert program.compiled is not None
    if solver == "circuit":
        program.solver = CircuitSolver(program.compiled)
    elif solver == "clingo":
        program.solver, program.compiled = ClingoAssignments.load(kb.declaration, length), None
    else:
        assert isinstance(program.solver, PlanSolver)


@pytest.mark.parametrize("task", LENGTHS)
@pytest.mark.parametrize("solver", ["plan", "circuit"])
def test_candidates_equal_plain_ablkit_in_order(task: str, solver: str) -> None:
    kb, plain = tasks()[task]
    random = np.random.default_rng(len(task))
    labels = kb.pseudo_label_list
    for length in LENGTHS[task]:
        use_solver(kb, length, solver)
        truths = [[labels[i] for i in random.integers(0, len(labels), length)] for _ in range(300)]
        results = [result for truth in truths if (result := plain.logic_forward(truth)) is not None] or ["true"]
        for _ in range(amount(3, 6)):
            predicted = [labels[i] for i in random.integers(0, len(labels), length)]
            y = results[random.integers(len(results))]
            for most, more in ((length, 0), (length, 1), (1, 0), (min(2, length), 2), (0, 0)):
                expected = distinct(*plain.abduce_candidates(predicted, y, None, most, more))
                candidates, values = kb.abduce_candidates(predicted, y, None, most, more)
                assert candidates == expected[0]
                assert values == pytest.approx(expected[1]) if task == "formula" else values == expected[1]


@pytest.mark.parametrize("task", LENGTHS)
def test_results_and_revisions_equal_plain_ablkit(kbs: dict[str, tuple[ProgramKB, KBBase]], task: str) -> None:
    kb, plain = kbs[task]
    labels, length = kb.pseudo_label_list, LENGTHS[task][-1]
    random = np.random.default_rng(3)
    for _ in range(10):
        predicted = [labels[i] for i in random.integers(0, len(labels), length)]
        result = plain.logic_forward(predicted)
        assert kb.logic_forward(predicted) == (pytest.approx(result) if isinstance(result, float) else result)
        positions = np.flatnonzero(random.integers(0, 2, length))
        y = next(value for value in (result, 3, "true") if value is not None)
        expected = plain.revise_at_idx(predicted, y, None, positions)
        assert kb.revise_at_idx(predicted, y, None, positions)[0] == expected[0]


def test_numbers_are_equal_up_to_max_err() -> None:
    kb = ProgramKB(SUM, DIGITS, max_err=1.5)
    plain = tasks()["digit_sum"][1]
    plain.max_err = 1.5
    for y in (3, 3.5, 2.49, 40):
        assert kb.abduce_candidates([9, 9], y, None, 2, 0) == distinct(*plain.abduce_candidates([9, 9], y, None, 2, 0))


def test_any_result_is_accepted_without_y() -> None:
    kb, plain = tasks()["equation"]
    predicted = ["+", 1, 1, "=", 0]
    candidates, results = kb.abduce_candidates(predicted, None, None, 5, 0)
    assert candidates
    assert set(results) <= {"true", "false"}
    assert plain.abduce_candidates(predicted, None, None, 5, 0) == ([], [])
    fewest = min(sum(a != b for a, b in zip(predicted, other, strict=True)) for other in _valid_equations(plain, 5))
    assert {sum(a != b for a, b in zip(predicted, other, strict=True)) for other in candidates} == {fewest}


def _valid_equations(plain: KBBase, length: int) -> list[tuple[Any, ...]]:
    return [x for x in product(plain.pseudo_label_list, repeat=length) if plain.logic_forward(list(x)) is not None]


# --- batches --------------------------------------------------------------------------------------------------------


def check_batch(
    kb: ProgramKB, probabilities: list[Any], y: list[Any], k: int, x: Any = None, error: float = 1e-9
) -> None:
    """Compare a batch with all assignments, of which the program itself computes the results one by one."""
    best = kb.abduce_batch(probabilities, y, k=k, x=x)
    assert best.dtype == np.int16
    assert best.shape == (len(y), k, max(map(len, probabilities)))
    labels = kb.pseudo_label_list
    for row, (values, target) in enumerate(zip(probabilities, y, strict=True)):
        scores = {}
        for indices in product(range(len(labels)), repeat=len(values)):
            result = kb.logic_forward([labels[i] for i in indices], None if x is None else x[row])
            if result is not None and (target is None or kb._check_equal(result, target)):
                scores[indices] = float(np.log(values[np.arange(len(values)), indices]).sum())
        found = [tuple(other) for other in best[row, :, : len(values)].tolist() if other[0] >= 0]
        assert (best[row, :, len(values) :] == -1).all()
        assert len(found) == len(set(found)) == min(k, len(scores))
        assert [scores[indices] for indices in found] == pytest.approx(
            sorted(scores.values(), reverse=True)[:k], abs=error
        )


@pytest.mark.parametrize(("task", "lengths"), [("digit_sum", (1, 2, 3)), ("formula", (1, 3)), ("equation", (5, 3))])
@pytest.mark.parametrize("solver", ["plan", "circuit"])
@pytest.mark.parametrize("k", [1, 4])
def test_batches_find_the_most_probable_consistent_labels(
    task: str, lengths: tuple[int, ...], solver: str, k: int
) -> None:
    kb, _ = tasks()[task]
    random = np.random.default_rng(k)
    for length in lengths:
        use_solver(kb, length, solver)
    probabilities = [
        random.dirichlet(np.full(len(kb.pseudo_label_list), 0.4), lengths[i % len(lengths)]) + 1e-9 for i in range(6)
    ]
    check_batch(kb, probabilities, [None, "true", "false", 7, 3, 2.5], k)


def test_clingo_solver_finds_the_same_labels() -> None:
    kb, _ = tasks()["equation"]
    random = np.random.default_rng(0)
    for length in (3, 5):
        use_solver(kb, length, "clingo")
    probabilities = [random.dirichlet(np.full(4, 0.4), length) + 1e-6 for length in (3, 5, 5)]
    check_batch(kb, probabilities, ["true", "false", None], 3, error=1e-3)


@st.composite
def random_programs(draw: st.DrawFn) -> str:
    """Draw rules over three labels at two or three positions: negation, sums, constraints and two layers."""
    position, label = st.integers(0, 2), st.integers(0, 2)
    symbol = st.builds("symbol({},{})".format, position, label)
    literal = st.builds("{}{}".format, st.sampled_from(["", "not "]), symbol)
    lines = ["mid(0..2) :- symbol(0,0), symbol(0,1).", "result(0..3) :- symbol(0,0), symbol(0,1)."]
    for number in range(3):
        for _ in range(draw(st.integers(1, 2))):
            body = draw(st.lists(literal, min_size=1, max_size=3))
            lines.append(f"mid({number}) :- {', '.join(body)}.")
    for number in range(3):
        of_mids = st.builds("{}mid({})".format, st.sampled_from(["", "not "]), label)
        body = draw(st.lists(st.one_of(literal, of_mids), min_size=1, max_size=2))
        lines.append(f"some({number}) :- {', '.join(body)}.")
    weights = draw(st.lists(st.integers(1, 3), min_size=3, max_size=3))
    terms = "; ".join(f"{weight},{number} : some({number})" for number, weight in enumerate(weights))
    lines.append(f"result(S) :- S = #sum{{ {terms} }}.")
    if draw(st.booleans()):
        lines.append(f":- {', '.join(draw(st.lists(literal, min_size=1, max_size=2)))}.")
    return "\n".join(lines)


@settings(max_examples=amount(2, 15), deadline=None)
@given(random_programs(), st.integers(0, 1000))
def test_all_solvers_agree_on_random_programs(program: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    probabilities = [random.dirichlet(np.ones(3), 3) + 1e-9 for _ in range(4)]
    y = [None, *random.integers(0, 6, 3).tolist()]
    predicted = random.integers(0, 3, 3).tolist()
    answers = []
    for solver in ("plan", "circuit", "clingo"):
        kb = ProgramKB(program, [0, 1, 2])
        use_solver(kb, 3, solver)
        answers.append([kb.abduce_candidates(predicted, target, None, 3, 1) for target in y])
        check_batch(kb, probabilities, y, 3, error=1e-9 if solver != "clingo" else 2e-3)
    assert answers[0] == answers[1] == answers[2]


def test_programs_with_choices_use_clingo() -> None:
    kb = ProgramKB("1 { carry(0..1) } 1. result(S+C) :- S = #sum{ V,P : symbol(P,V) }, carry(C).", [0, 1, 2])
    assert kb.abduce_candidates([0, 0], 5, None, 2, 0) == ([[2, 2]], [5])
    assert kb.abduce_candidates([2, 0], 4, None, 2, 0)[0] == [[2, 1], [2, 2]]
    best = kb.abduce_batch([np.array([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1]])], [4], k=3)
    assert best[0].tolist() == [[2, 1], [1, 2], [2, 2]] or best[0].tolist()[0] == [2, 1]
    with pytest.raises(GameError) as error:
        kb.logic_forward([0, 0])
    assert error.value.code == ErrorCode.INVALID_VALUE


# --- declarations -------------------------------------------------------------------------------------------------


def test_program_file_with_custom_predicate_names(tmp_path: Path) -> None:
    file = tmp_path / "most.lp"
    file.write_text("most(V) :- seen(P,V), V = #max{ W : seen(Q,W) }.")
    kb = ProgramKB(file, DIGITS, pseudo_labels="seen(Where,What)", results="most/1")
    assert kb.logic_forward([3, 8, 8, 1]) == 8


def test_texts_become_constants_or_strings() -> None:
    kb = ProgramKB('result("A+") :- symbol(0,"A+"). result(b) :- symbol(0,b).', ["A+", "b", "Z z"])
    assert [kb.logic_forward([label]) for label in kb.pseudo_label_list] == ["A+", "b", None]


def test_context_is_read_from_the_example() -> None:
    program = "#external base(0..5). result(S+B) :- S = #sum{ V,P : symbol(P,V) }, base(B)."
    kb = ProgramKB(program, DIGITS, context={"base/1": lambda x: [(x["base"],)]})
    assert kb.logic_forward([1, 2], {"base": 4}) == 7
    assert kb.abduce_candidates([9, 9], 3, {"base": 3}, 2, 0)[0] == [[0, 0]]
    probabilities = np.random.default_rng(0).dirichlet(np.ones(10), (3, 2))
    check_batch(kb, list(probabilities), [7, 7, None], 2, [{"base": base} for base in (0, 5, 2)])
    for x, code in ((None, ErrorCode.INVALID_VALUE), ({"base": 9}, ErrorCode.UNKNOWN_INPUT)):
        with pytest.raises(GameError) as error:
            kb.logic_forward([1, 2], x)
        assert error.value.code == code


def test_several_outputs_are_a_tuple_and_none_matches_any() -> None:
    program = "digit(D) :- D = S \\ 10, total(S). carry(S/10) :- total(S). total(S) :- S = #sum{ V,P : symbol(P,V) }."
    kb = ProgramKB(program, DIGITS, results=["digit/1", "carry/1"])
    assert kb.logic_forward([7, 8]) == (5, 1)
    probabilities = np.random.default_rng(0).dirichlet(np.ones(10), (2, 2))
    check_batch(kb, list(probabilities), [(5, 1), (3, 0)], 3)
    labels = kb.abduce_batch(probabilities[:1], [(None, 1)])[0, 0]
    assert labels.sum() >= 10
    assert kb.abduce_candidates([1, 1], (5, 2), None, 2, 0) == ([], [])


@pytest.mark.parametrize(
    "arguments",
    [
        {"pseudo_labels": "symbol"},
        {"results": "result"},
        {"results": []},
        {"pseudo_label_list": []},
        {"pseudo_label_list": [1.5]},
        {"results": ["result/1", "other/1"], "value": max},
        {"program": Path("no-such-file.lp")},
    ],
)
def test_malformed_declarations_raise(arguments: dict[str, Any]) -> None:
    arguments = {"program": SUM, "pseudo_label_list": DIGITS} | arguments
    with pytest.raises(GameError):
        ProgramKB(**arguments).logic_forward([1])


def test_wrong_labels_and_shapes_raise() -> None:
    kb = ProgramKB(SUM, DIGITS)
    for call in (
        lambda: kb.logic_forward([]),
        lambda: kb.logic_forward([10]),
        lambda: kb.abduce_batch([np.ones((2, 9))], [1]),
        lambda: kb.abduce_batch([np.ones((2, 10))], [1, 2]),
    ):
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.INVALID_VALUE
    with pytest.raises(KBError) as problem:
        ProgramKB("result(X) :- symbl(0,X).", DIGITS).logic_forward([1])
    assert problem.value.code == ErrorCode.UNKNOWN_PREDICATE
    assert kb.abduce_batch([], []).shape == (0, 1, 0)


# --- reasoners and bridges of ABLkit --------------------------------------------------------------------------------


class FixedModel:
    """Base model with fixed probabilities; it keeps the labels that it is trained with."""

    def __init__(self, probabilities: np.ndarray) -> None:
        self.probabilities, self.labels = probabilities, list[Any]()

    def fit(self, X: Any, y: Any) -> float:
        self.labels.append(list(y))
        return 0.0

    def predict(self, X: Any) -> np.ndarray:
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.probabilities[np.array([x["row"] if isinstance(x, dict) else x for x in X])]


def trained_labels(bridge_type: Any, reasoner: Any, num_pairs: int = 6) -> list[Any]:
    """Return the labels that one loop of a bridge trains a model with; images are rows of probabilities."""
    random = np.random.default_rng(5)
    model = FixedModel(random.dirichlet(np.full(10, 0.3), 2 * num_pairs) + 1e-9)
    x = [[2 * row, 2 * row + 1] for row in range(num_pairs)]
    bridge = bridge_type(ABLModel(model), reasoner, [])
    bridge.train((x, None, random.integers(0, 19, num_pairs).tolist()), loops=1, segment_size=num_pairs)
    return model.labels


@pytest.mark.parametrize(
    ("bridge_type", "make_reasoner"),
    [
        (SimpleBridge, Reasoner),
        (A3BLBridge, A3BLReasoner),
        (VerificationBridge, lambda kb: VerificationReasoner(kb, top_k=2)),
    ],
)
def test_bridges_train_with_labels_of_plain_ablkit(bridge_type: Any, make_reasoner: Any) -> None:
    kb, plain = tasks()["digit_sum"]
    ours, theirs = (trained_labels(bridge_type, make_reasoner(each)) for each in (kb, plain))
    assert [list(map(int, labels)) for labels in ours] == [list(map(int, labels)) for labels in theirs]
    assert ours


class PlainSumWithBase(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Sum of digits and of a number of the example."""

    def logic_forward(self, pseudo_label: list[int], x: Any) -> int:
        return sum(pseudo_label) + int(x[0]["base"])


@pytest.mark.parametrize(("bridge_type", "make_reasoner"), [(SimpleBridge, Reasoner), (A3BLBridge, A3BLReasoner)])
@pytest.mark.parametrize("lengths", [(2,) * 6, (1, 2, 3, 2, 1, 3)])
def test_bridges_with_context_train_with_labels_of_plain_ablkit(
    bridge_type: Any, make_reasoner: Any, lengths: tuple[int, ...]
) -> None:
    program = "#external base(0..5). result(S+B) :- S = #sum{ V,P : symbol(P,V) }, base(B)."
    kb = ProgramKB(program, DIGITS, context={"base/1": lambda x: [(x[0]["base"],)]})
    random = np.random.default_rng(6)
    rows = np.split(np.arange(sum(lengths)), np.cumsum(lengths)[:-1])
    x = [[{"row": int(row), "base": i % 6} for row in part] for i, part in enumerate(rows)]
    probabilities = random.dirichlet(np.full(10, 0.3), sum(lengths)) + 1e-9
    y = [int(random.integers(0, 9 * length + 1)) + i % 6 for i, length in enumerate(lengths)]
    models = []
    for each in (kb, PlainSumWithBase(DIGITS, use_cache=False)):
        models.append(FixedModel(probabilities))
        bridge = bridge_type(ABLModel(models[-1]), make_reasoner(each), [])
        bridge.train((x, None, y), loops=1, segment_size=len(lengths))
    ours, theirs = ([np.asarray(labels).tolist() for labels in model.labels] for model in models)
    assert ours == theirs
    assert ours


def test_networks_trained_with_program_kb_equal_plain_ablkit() -> None:
    """Equal candidates give equal labels, so the whole curves of training agree."""
    pytest.importorskip("torch", reason="torch is not installed (pip install 'abl-cards[learning]')")
    from abl_cards.experiments.abduction_training import ImageClassifier, train_by_abduction
    from abl_cards.experiments.digit_addition import load_images

    images, classes = load_images()
    rows = np.random.default_rng(0).integers(0, 1000, (40, 2))
    curves = []
    for kb in tasks()["digit_sum"]:
        model = ImageClassifier(10, (8, 8), seed=0)
        model.pretrain(list(images[:30]), classes[:30].tolist())
        curve = train_by_abduction(
            model,
            Reasoner(kb),
            [[images[row] for row in pair] for pair in rows],
            classes[rows].sum(axis=1).tolist(),
            2,
            lambda model: [float((model.predict(list(images[1000:])) == classes[1000:]).mean())],
            lambda loop, text: None,
        )
        curves.append([accuracy for _, accuracy in curve])
    assert curves[0] == curves[1]
    assert curves[0][-1] != curves[0][0]


def test_several_outputs_equal_plain_ablkit() -> None:
    class PlainDigits(KBBase):  # type: ignore[misc]  # ablkit has no types
        def logic_forward(self, pseudo_label: list[int]) -> tuple[int, int]:
            return sum(pseudo_label) % 10, sum(pseudo_label) // 10

    program = "digit(S\\10) :- total(S). carry(S/10) :- total(S). total(S) :- S = #sum{ V,P : symbol(P,V) }."
    kb, plain = ProgramKB(program, DIGITS, results=["digit/1", "carry/1"]), PlainDigits(DIGITS, use_cache=False)
    pairs = (([1, 2], (5, 1)), ([0, 0], (9, 1)), ([4], (4, 0)), ([9, 9, 9], (0, 0)))
    for predicted, y in pairs[: amount(3, 4)]:
        for more in (0, 1):
            most = len(predicted)
            expected = distinct(*plain.abduce_candidates(predicted, y, None, most, more))
            assert kb.abduce_candidates(predicted, y, None, most, more) == expected
        assert kb.revise_at_idx(predicted, y, None, [0]) == plain.revise_at_idx(predicted, y, None, [0])


@pytest.mark.parametrize("positions", [[], [1], [1, 0], [0, 0], [-1]])
def test_revisions_with_max_err_equal_plain_ablkit(positions: list[int]) -> None:
    kb, plain = ProgramKB(SUM, DIGITS, max_err=1.5), tasks()["digit_sum"][1]
    plain.max_err = 1.5
    for y in (7, 7.5, 40, "7"):
        assert kb.revise_at_idx([3, 4], y, None, positions) == plain.revise_at_idx([3, 4], y, None, positions)
    assert plain.revise_at_idx([3, 4], None, None, positions) == ([], [])
    assert len(kb.revise_at_idx([3, 4], None, None, positions)[0]) == 10 ** len(positions)


def test_zoopt_finds_consistent_labels() -> None:
    kb, _ = tasks()["digit_sum"]
    probabilities = np.random.default_rng(0).dirichlet(np.ones(10), 3) + 1e-9
    predicted = probabilities.argmax(axis=1).tolist()
    example = ListData(X=[0, 1, 2], Y=20, pred_prob=probabilities, pred_pseudo_label=predicted)
    assert sum(Reasoner(kb, use_zoopt=True).abduce(example)) == 20


def test_probability_reasoner_returns_the_most_probable_labels() -> None:
    kb, _ = tasks()["digit_sum"]
    assert trained_labels(SimpleBridge, ProbabilityReasoner(kb))
    probabilities = np.full((2, 10), 0.01)
    probabilities[0, 9], probabilities[1, 9], probabilities[0, 4], probabilities[1, 3] = 0.5, 0.5, 0.3, 0.3
    example = ListData(X=[0, 1], Y=7, pred_prob=probabilities, pred_pseudo_label=[9, 9])
    assert ProbabilityReasoner(kb).abduce(example) == [4, 3]
    impossible = ListData(X=[0, 1], Y=50, pred_prob=probabilities, pred_pseudo_label=[9, 9])
    assert ProbabilityReasoner(kb).abduce(impossible) == []


def test_context_reaches_reasoners_but_not_verification() -> None:
    """ABLkit's VerificationReasoner does not pass X to the knowledge base."""
    program = "#external base(0..5). result(S+B) :- S = #sum{ V,P : symbol(P,V) }, base(B)."
    kb = ProgramKB(program, DIGITS, context={"base/1": lambda x: [(x[0]["base"],)]})
    probabilities = np.random.default_rng(0).dirichlet(np.ones(10), 2)
    x = [{"row": 0, "base": 5}, {"row": 1, "base": 5}]
    example = ListData(X=x, Y=9, pred_prob=probabilities, pred_pseudo_label=[9, 9])
    for reasoner in (Reasoner(kb), ProbabilityReasoner(kb)):
        assert sum(reasoner.abduce(example)) == 4
    assert A3BLReasoner(kb).abduce(example)[1] in kb.abduce_candidates([9, 9], 9, x, 2, 0)[0]
    with pytest.raises(GameError):
        VerificationReasoner(kb).top_k_candidates(probabilities, 9)


def test_inputs_unsupported_by_ablkit_are_solved() -> None:
    """A3BL takes labels for class indices; the search of KBBase fails beyond the length of an example."""
    kb, plain = tasks()["equation"]
    probabilities = np.random.default_rng(0).dirichlet(np.ones(4), 5)
    example = ListData(X=[0] * 5, Y="true", pred_prob=probabilities, pred_pseudo_label=["+"] * 5)
    with pytest.raises((TypeError, ValueError)):
        A3BLReasoner(kb).abduce(example)
    with pytest.raises(UnboundLocalError):
        plain.abduce_candidates([0], "true", None, 2, 0)
    assert kb.abduce_candidates([0], "true", None, 2, 0) == ([], [])
