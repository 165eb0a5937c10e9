"""Specialised circuits and bytecode come from the disk cache, and equal those that are computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.terms import Input
from abl_cards.circuit import compile as compiling
from abl_cards.circuit import evaluation
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.circuit_io import MIN_CACHED_GATES
from abl_cards.circuit.compile import specialise_circuit
from abl_cards.circuit.evaluation import evaluate, get_bytecode
from abl_cards.circuit.lower import lower_circuit
from tests.asp.conftest import Load

RULES = """
#external bit(X) : X = 1..SIZE.
several(X,Y,Z) :- bit(X), bit(Y), not bit(Z), X < Y, Z = 1..SIZE.
many(X) :- X+1 <= #count { Y,Z : several(X,Y,Z) }, X = 1..SIZE.
loop(1) :- many(1).  loop(X+1) :- loop(X), bit(X+1).  loop(X) :- loop(X+1), bit(X).
"""


def make_circuit(load: Load, size: int) -> Circuit:
    rules = RULES.replace("SIZE", str(size))
    inputs, outputs = [Input("bit", (range(1, size + 1),))], [("several", 3), ("many", 1), ("loop", 1)]
    return load(rules, inputs=inputs, outputs=outputs).circuit("several/3", "many/1", "loop/1")


def clear_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear the caches in memory, so that only the disk has the results, and let computing fail."""

    def fail(*_: object) -> None:
        raise AssertionError("made again")

    compiling._specialise_cache.clear()
    evaluation._bytecode_cache.clear()
    monkeypatch.setattr(compiling, "_specialise", fail)
    monkeypatch.setattr(evaluation, "lower_circuit", fail)


def test_specialised_circuits_are_loaded(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = make_circuit(load, 16)
    assert circuit.num_gates >= MIN_CACHED_GATES
    assert len(circuit.loops)
    values = {circuit.inputs[2]: True, circuit.inputs[5]: False}
    made = specialise_circuit(circuit, values)
    clear_caches(monkeypatch)
    loaded = specialise_circuit(circuit, values)
    assert loaded is not made
    assert (loaded.digest, loaded.fixed_inputs) == (made.digest, values)
    with pytest.raises(AssertionError):
        specialise_circuit(circuit, {**values, circuit.inputs[7]: True})


def test_bytecode_is_loaded(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit, other = make_circuit(load, 16), make_circuit(load, 16)
    rows = np.random.default_rng(0).integers(0, 2, (len(circuit.inputs), 300), np.uint8)
    expected, made = evaluate(circuit, rows), lower_circuit(circuit)
    clear_caches(monkeypatch)
    loaded = get_bytecode(other)
    assert loaded is not circuit.__dict__["_code"]
    for name in ("operations", "segments", "outputs"):
        assert (getattr(loaded, name) == getattr(made, name)).all()
    assert loaded.slots == made.slots
    assert (evaluate(other, rows) == expected).all()


def test_damaged_entries_are_made_again(load: Load, private_cache: Path) -> None:
    circuit = make_circuit(load, 16)
    values = {circuit.inputs[2]: True}
    digest = specialise_circuit(circuit, values).digest
    (stored,) = private_cache.glob("*.kb")
    good = stored.read_bytes()
    for damage in (b"", good[:-1], good[:40] + b"x" + good[41:]):
        stored.write_bytes(damage)
        compiling._specialise_cache.clear()
        assert specialise_circuit(circuit, values).digest == digest
        assert stored.read_bytes() == good


def test_small_circuits_are_not_stored(load: Load, private_cache: Path) -> None:
    circuit = make_circuit(load, 5)
    get_bytecode(specialise_circuit(circuit, {circuit.inputs[2]: True}))
    assert not list(private_cache.iterdir())
