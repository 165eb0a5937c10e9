"""Speed of abduction, from a model's predictions to the chosen labels, beside plain ABLkit on equal examples.

Predictions are random: of sums as by a model that has learned nothing, of cards and formulas as by one that is half
trained, because ABLkit's search cannot revise many. ABLkit's knowledge bases have the same
rules in Python and no cache; they get fewer of the same examples. All times are those of one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.bench.measurements import Measurement, measure_seconds
from abl_cards.games import Engine

CARDS = 5
"""Cards of a play."""
MIN_HAND_RATIO, MIN_BATCH_RATIO = 100.0, 10.0
"""Least ratios to ABLkit's search: of hands, and of formulas and sums by the batch interface."""
_SEED = 7
_MAX_SEARCH_SECONDS = 20.0


@dataclass(frozen=True)
class AbductionBenchConfig:
    """Size of the measurement."""

    num_examples: int
    num_plain: int  # of them by ABLkit
    accuracy: float  # chance that the predicted card or symbol of a position is right
    sum_lengths: tuple[int, ...]
    formula_lengths: tuple[int, ...]
    ground_length: int  # of the examples for GroundKB, whose time and memory grow fastest


QUICK = AbductionBenchConfig(200, 5, 0.7, (5, 6), (3, 5), 3)
FULL = AbductionBenchConfig(1000, 40, 0.7, (5, 6, 7), (3, 5, 7), 5)


def measure_abduction(engine: Engine, config: AbductionBenchConfig) -> list[Measurement]:
    """Measure examples a second; returns nothing where ABLkit is not installed.

    Args:
        engine: Engine of a game; hands are measured where it has plays of five cards in any state.
        config: Size of the measurement.
    """
    if find_spec("ablkit") is None:
        return []
    return [*_measure_hands(engine, config), *_measure_sums(config), *_measure_formulas(config)]


@dataclass(frozen=True)
class _Examples:
    """Examples of one length: predictions and results."""

    probabilities: NDArray[np.float64]  # [n, length, labels]
    predicted: list[list[Any]]
    y: list[Any]

    def to_list_data(self, count: int | None = None) -> Any:
        """Return the first examples as ABLkit's data."""
        from ablkit.data.structures import ListData

        return ListData(
            X=[[None] * len(labels) for labels in self.predicted[:count]],
            Y=self.y[:count],
            pred_prob=list(self.probabilities[:count]),
            pred_pseudo_label=self.predicted[:count],
        )


def _predict(truths: NDArray[np.integer], y: list[Any], labels: Sequence[Any], accuracy: float, seed: int) -> _Examples:
    """Draw predictions of true labels [n, length]."""
    random = np.random.default_rng(seed)
    probabilities = random.dirichlet(np.full(len(labels), 0.3), truths.shape)
    top = np.where(random.random(truths.shape) < accuracy, truths, random.integers(0, len(labels), truths.shape))
    np.put_along_axis(probabilities, top[..., None], probabilities.max(axis=2, keepdims=True) + 0.5, axis=2)
    probabilities = (probabilities + 1e-9) / (probabilities + 1e-9).sum(axis=2, keepdims=True)
    predicted = [[labels[index] for index in row] for row in probabilities.argmax(axis=2).tolist()]
    return _Examples(probabilities, predicted, y)


def _rate(reasoner: Any, examples: _Examples, count: int) -> float:
    """Return examples a second, of which a reasoner chooses the labels of the first ones."""
    data = examples.to_list_data(count)
    return count / measure_seconds(lambda: reasoner.batch_abduce(data))


def _rate_of_search(kb: Any, examples: _Examples, count: int) -> tuple[float, int]:
    """Return examples a second of ABLkit's search, and their number: `count`, or as many as end in a bounded time."""
    from ablkit.reasoning import Reasoner

    reasoner, seconds, done = Reasoner(kb), 0.0, 0
    for example in examples.to_list_data(count):
        seconds += measure_seconds(lambda example=example: reasoner.abduce(example))  # type: ignore[misc]
        done += 1
        if seconds > _MAX_SEARCH_SECONDS:
            break
    return done / seconds, done


def _measure_hands(engine: Engine, config: AbductionBenchConfig) -> list[Measurement]:
    from ablkit.reasoning import Reasoner

    from abl_cards.bench.ablkit_kbs import SearchedHands
    from abl_cards.core import GameError
    from abl_cards.reasoners import HandKB, ProbabilityReasoner

    try:
        kb = HandKB(engine, state=_example_state(engine))
        sets = kb.finder.sets(CARDS)
    except GameError:
        return []
    if not len(sets.form):
        return []
    random = np.random.default_rng(_SEED)
    rows = random.choice(len(sets.form), min(config.num_examples, len(sets.form)), replace=False)
    kinds = np.arange(sets.counts.shape[1])
    truths = np.array([random.permutation(np.repeat(kinds, sets.counts[row])) for row in rows])
    y = [engine.labels[label] for label in sets.label[rows]]
    examples = _predict(truths, y, kb.pseudo_label_list, config.accuracy, _SEED)
    plain = SearchedHands(kb)
    for knowledge_base in (kb, plain):
        _rate(Reasoner(knowledge_base), examples, 2)
    searched, done = _rate_of_search(plain, examples, config.num_plain)
    equal = _rate(Reasoner(kb), examples, done)
    _rate(ProbabilityReasoner(kb), examples, len(rows))  # the card sets of each label are selected once
    batch = _rate(ProbabilityReasoner(kb), examples, len(rows))
    name = f"abduction of {CARDS} cards"
    return [
        Measurement(f"{name}, ABLkit's candidates", _rate(Reasoner(kb), examples, len(rows)), "examples/s"),
        Measurement(f"… the first {done}", equal, "examples/s", MIN_HAND_RATIO * searched,
               others=(("ABLkit's KBBase", searched),)),
        Measurement("… most probable cards", batch, "examples/s"),
    ]  # fmt: skip


def _example_state(engine: Engine) -> dict[str, Any]:
    """Return the fields of a sampled state that decide the order of cards."""
    if len(engine.rules.strength) == 1:
        return {}
    point = engine.decision_point_at(engine.sample_decisions(1, _SEED))
    hidden = {"hand", "to_beat", "top"}
    return {name: value for name, value in point.state.items() if name not in hidden and isinstance(value, str)}


def _measure_sums(config: AbductionBenchConfig) -> list[Measurement]:
    from abl_cards.bench.ablkit_kbs import DIGITS
    from abl_cards.reasoners import EXAMPLE_PROGRAMS, ProgramKB

    random = np.random.default_rng(_SEED)
    examples = {}
    for length in {*config.sum_lengths, config.ground_length}:
        truths = random.integers(0, 10, (config.num_examples, length))
        examples[length] = _predict(truths, truths.sum(axis=1).tolist(), DIGITS, 0.0, length)
    return _measure_programs(
        "digit sums",
        lambda: ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", DIGITS),
        sum,
        examples,
        config.sum_lengths,
        config,
    )


def _measure_formulas(config: AbductionBenchConfig) -> list[Measurement]:
    from abl_cards.bench.ablkit_kbs import FORMULA_SYMBOLS, MAX_ERR, evaluate_formula
    from abl_cards.reasoners import EXAMPLE_PROGRAMS, ProgramKB

    symbols = FORMULA_SYMBOLS
    terms: dict[str, int | str] = {symbol: int(symbol) if symbol.isdigit() else symbol for symbol in symbols}
    random = np.random.default_rng(_SEED)
    examples = {}
    for length in {*config.formula_lengths, config.ground_length}:
        truths = random.integers(0, 9, (config.num_examples, length))
        truths[:, 1::2] = random.integers(9, 13, truths[:, 1::2].shape)
        y = [evaluate_formula([symbols[index] for index in row]) for row in truths.tolist()]
        examples[length] = _predict(truths, y, symbols, config.accuracy, length)

    def make_kb() -> ProgramKB:
        file = EXAMPLE_PROGRAMS / "formula.lp"
        return ProgramKB(file, terms, results="result/2", value=lambda n, d: n / d, max_err=MAX_ERR)

    return _measure_programs(
        "formulas",
        make_kb,
        evaluate_formula,
        examples,
        config.formula_lengths,
        config,
    )


def _measure_programs(
    name: str, make_kb: Any, rules: Callable[[Sequence[Any]], Any], examples: dict[int, _Examples],
    lengths: Sequence[int], config: AbductionBenchConfig,
) -> list[Measurement]:  # fmt: skip
    """Measure a task at several lengths, then the growth by length and the time with that of building."""
    from ablkit.reasoning import Reasoner

    from abl_cards.bench.ablkit_kbs import SearchedKB, TabulatedKB
    from abl_cards.reasoners import ProbabilityReasoner

    kb = make_kb()
    plain = SearchedKB(kb.pseudo_label_list, rules)
    rows, ours, theirs = [], [], []
    warm = examples[min(examples)]
    for reasoner in (ProbabilityReasoner(kb), Reasoner(plain)):
        _rate(reasoner, warm, 2)
    for length in lengths:
        kb.abduce_batch(examples[length].probabilities[:1], examples[length].y[:1])  # the program is ground
        ours.append(_rate(ProbabilityReasoner(kb), examples[length], config.num_examples))
        theirs.append(_rate_of_search(plain, examples[length], config.num_plain)[0])
        rows.append(
            Measurement(f"abduction of {name} of length {length}", ours[-1], "examples/s", MIN_BATCH_RATIO * theirs[-1],
                   others=(("ABLkit's KBBase", theirs[-1]),))
        )  # fmt: skip
    growth = [float(np.exp(-np.polyfit(lengths, np.log(rates), 1)[0])) for rates in (ours, theirs)]
    rows.append(Measurement("… time for one more position", growth[0], "×", others=(("ABLkit's KBBase", growth[1]),)))
    chosen = examples[config.ground_length]
    count, data = len(chosen.y), chosen.to_list_data()
    built = count / measure_seconds(lambda: ProbabilityReasoner(make_kb()).batch_abduce(data))

    def abduce_from_table() -> None:
        Reasoner(TabulatedKB(kb.pseudo_label_list, rules, config.ground_length)).batch_abduce(data)

    ground = count / measure_seconds(abduce_from_table)
    what, others = f"… of length {config.ground_length} and building the rules", (("ABLkit's GroundKB", ground),)
    rows.append(Measurement(what, built, "examples/s", ground, others=others))
    return rows
