"""Atoms of proofs, for comparison with clingo."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.circuit.proofs import Proof


def claims(why: Proof) -> Iterator[tuple[str, bool]]:
    """Yield the atoms of a proof, and whether they hold by it."""
    if why.kind != "literal":
        yield why.atom, why.holds
    for each in why.premises:
        yield from claims(each)
