"""Plain knowledge bases of ABLkit: what programs are compared with, written without them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ablkit.reasoning import KBBase

from abl_cards.reasoners import EXAMPLE_PROGRAMS, ProgramKB

DIGITS = list(range(10))
FORMULA_SYMBOLS = [*map(str, range(1, 10)), "+", "-", "*", "/"]
FORMULA_TERMS: dict[str, int | str] = {symbol: int(symbol) for symbol in FORMULA_SYMBOLS[:9]} | {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "div",
}
EQUATION_SYMBOLS = [0, 1, "+", "="]
EQUATION_TERMS: dict[Any, int | str] = {0: 0, 1: 1, "+": "plus", "=": "equals"}


class PlainDigitSum(KBBase):  # type: ignore[misc]  # ablkit has no types
    def logic_forward(self, pseudo_label: Sequence[int]) -> int:
        return sum(pseudo_label)


class PlainFormula(KBBase):  # type: ignore[misc]  # ablkit has no types
    def logic_forward(self, pseudo_label: Sequence[str]) -> float | None:
        if any((symbol in "+-*/") != (index % 2 == 1) for index, symbol in enumerate(pseudo_label)):
            return None
        if len(pseudo_label) % 2 == 0:
            return None
        total, sign, term = Fraction(0), 1, Fraction(int(pseudo_label[0]))
        for operator, symbol in zip(pseudo_label[1::2], pseudo_label[2::2], strict=True):
            if operator in "*/":
                term = term * int(symbol) if operator == "*" else term / int(symbol)
            else:
                total, sign, term = total + sign * term, (1 if operator == "+" else -1), Fraction(int(symbol))
        return float(total + sign * term)


class PlainEquation(KBBase):  # type: ignore[misc]  # ablkit has no types
    def logic_forward(self, pseudo_label: Sequence[Any]) -> str | None:
        text = "".join(map(str, pseudo_label))
        left, equals, right = text.partition("=")
        one, plus, other = left.partition("+")
        numbers = one, other, right
        if not (plus and equals) or not all(
            number.isdigit() and (number == "0" or number[0] == "1") for number in numbers
        ):
            return None
        return "true" if int(one, 2) + int(other, 2) == int(right, 2) else "false"


class PlainAnimals(KBBase):  # type: ignore[misc]  # ablkit has no types
    def logic_forward(self, pseudo_label: Sequence[int]) -> str | None:
        hair, feathers, eggs, milk, flies, fins, legs = pseudo_label
        if (feathers and (not eggs or hair)) or (fins and legs) or (flies and fins and not feathers):
            return None
        classes = [
            name
            for name, holds in (
                ("mammal", milk),
                ("bird", feathers and not milk),
                ("fish", fins and not milk and not feathers),
                ("other", not milk and not feathers and not fins),
            )
            if holds
        ]
        return classes[0]


def tasks() -> dict[str, tuple[ProgramKB, KBBase]]:
    """Return the program and the plain knowledge base of each task."""
    formula = ProgramKB(
        EXAMPLE_PROGRAMS / "formula.lp",
        FORMULA_TERMS,
        results="result/2",
        value=lambda numerator, denominator: numerator / denominator,
        max_err=1e-9,
    )
    return {
        "digit_sum": (
            ProgramKB(EXAMPLE_PROGRAMS / "digit_sum.lp", DIGITS),
            PlainDigitSum(DIGITS, use_cache=False),
        ),
        "formula": (formula, PlainFormula(FORMULA_SYMBOLS, max_err=1e-9, use_cache=False)),
        "equation": (
            ProgramKB(EXAMPLE_PROGRAMS / "equation.lp", EQUATION_TERMS),
            PlainEquation(EQUATION_SYMBOLS, use_cache=False),
        ),
        "animals": (ProgramKB(EXAMPLE_PROGRAMS / "animals.lp", [0, 1]), PlainAnimals([0, 1], use_cache=False)),
    }
