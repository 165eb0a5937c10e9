"""Atoms of proofs, for comparison with clingo."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.circuit.proofs import Proof


def claims(proof: Proof) -> Iterator[tuple[str, bool]]:
    """Yield the atoms of a proof, and whether they hold by it."""
    if proof.kind != "literal":
        yield proof.atom, proof.holds
    for premise in proof.premises:
        yield from claims(premise)
