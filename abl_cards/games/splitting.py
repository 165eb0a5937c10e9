"""Hands that are taken apart into plays: what a game must offer for that."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Splitting(Protocol):
    """An engine of a game whose rules say what a split is."""

    def split_rules(self) -> Any:
        """The compiled rules, as the reasoner of splits reads them."""
