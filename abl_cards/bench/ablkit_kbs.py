"""Plain knowledge bases of ABLkit with rules in Python, to be measured beside programs (``abl-cards[learning]``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ablkit.reasoning import GroundKB, KBBase

DIGITS = list(range(10))
OPERATORS = ("plus", "minus", "times", "div")
MAX_ERR = 1e-6  # largest difference of equal results
FORMULA_SYMBOLS = [*map(str, range(1, 10)), *OPERATORS]


def evaluate_formula(symbols: Sequence[str]) -> float | None:
    """Compute the value of a formula.

    Args:
        symbols: Digits and operators.

    Returns:
        The value; None if the symbols do not form a formula.
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


class SearchedKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Rules as a function of the labels, inverted by ABLkit's search."""

    def __init__(self, labels: Sequence[Any], rules: Callable[[Sequence[Any]], Any]) -> None:
        self.rules = rules
        super().__init__(list(labels), max_err=MAX_ERR, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[Any]) -> Any:
        """Return the result of the labels."""
        return self.rules(pseudo_label)


class TabulatedKB(GroundKB):  # type: ignore[misc]
    """Rules as a function of the labels, as a table of all sequences of one length."""

    def __init__(self, labels: Sequence[Any], rules: Callable[[Sequence[Any]], Any], length: int) -> None:
        self.rules = rules
        super().__init__(list(labels), [length], max_err=MAX_ERR)

    def logic_forward(self, pseudo_label: Sequence[Any]) -> Any:
        """Return the result of the labels."""
        return self.rules(pseudo_label)


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
