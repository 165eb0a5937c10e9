"""What chains of reasons claim."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.circuit.proofs import Proof


def claims(why: Proof) -> Iterator[tuple[str, bool]]:
    """The atoms of a chain, and whether it says that they hold."""
    if why.kind != "literal":
        yield why.atom, why.holds
    for each in why.premises:
        yield from claims(each)
