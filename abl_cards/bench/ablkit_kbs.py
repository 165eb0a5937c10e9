"""Plain knowledge bases of ABLkit with rules in Python, to be measured beside programs (``abl-cards[learning]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ablkit.reasoning import GroundKB, KBBase

DIGITS = list(range(10))
OPERATORS = ("plus", "minus", "times", "div")
FORMULA_SYMBOLS = [*map(str, range(1, 10)), *OPERATORS]


def evaluate_formula(symbols: Sequence[str]) -> float | None:
    """Compute the value of a formula.

    Args:
        symbols: Digits and operators.

    Returns:
        The value; None where the symbols are no formula.
    """
    if len(symbols) % 2 == 0 or any((symbol in OPERATORS) != (i % 2 == 1) for i, symbol in enumerate(symbols)):
        return None
    total, term = 0.0, float(symbols[0])
    for operator, symbol in zip(symbols[1::2], symbols[2::2], strict=True):
        if operator == "times":
            term *= int(symbol)
        elif operator == "div":
            term /= int(symbol)
        else:
            total, term = total + term, float(symbol) if operator == "plus" else -float(symbol)
    return total + term


class SearchedSum(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Sum of digits, found by ABLkit's search."""

    def __init__(self) -> None:
        super().__init__(DIGITS, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[int]) -> int:
        """Return the sum."""
        return sum(pseudo_label)


class TabulatedSum(GroundKB):  # type: ignore[misc]
    """Sum of digits, as a table of all sequences of one length."""

    def __init__(self, length: int) -> None:
        super().__init__(DIGITS, [length])

    def logic_forward(self, pseudo_label: Sequence[int]) -> int:
        """Return the sum."""
        return sum(pseudo_label)


class SearchedFormula(KBBase):  # type: ignore[misc]
    """Value of a formula, found by ABLkit's search."""

    def __init__(self) -> None:
        super().__init__(FORMULA_SYMBOLS, max_err=1e-6, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[str]) -> float | None:
        """Return the value; None where the symbols are no formula."""
        return evaluate_formula(pseudo_label)


class TabulatedFormula(GroundKB):  # type: ignore[misc]
    """Value of a formula, as a table of all sequences of one length."""

    def __init__(self, length: int) -> None:
        super().__init__(FORMULA_SYMBOLS, [length], max_err=1e-6)

    def logic_forward(self, pseudo_label: Sequence[str]) -> float | None:
        """Return the value; None where the symbols are no formula."""
        return evaluate_formula(pseudo_label)


class SearchedHands(KBBase):  # type: ignore[misc]
    """Plays of cards, found by ABLkit's search among the plays of a ``HandKB``, which looks them up in a table."""

    def __init__(self, kb: Any) -> None:
        self.kb = kb
        super().__init__(kb.pseudo_label_list, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[str]) -> Any:
        """Return the label, or a tuple of labels."""
        return self.kb.logic_forward(pseudo_label)

    def _check_equal(self, reasoning_result: Any, y: Any) -> bool:
        return bool(reasoning_result == y or (isinstance(reasoning_result, tuple) and y in reasoning_result))
