"""The public API: names and signatures, lazy loading, and the example that documents it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

import abl_cards
from abl_cards.circuit.oracle import OutputTable, tabulate_circuit
from abl_cards.rulelab.verification import verification
from tests import public_api
from tests.conftest import ROOT


def test_names_and_signatures_are_those_of_the_snapshot() -> None:
    """After a deliberate change, run ``python -m tests.public_api`` and add a line to CHANGELOG.md."""
    assert public_api.render() == public_api.FILE.read_text("utf-8")


def test_there_are_at_most_twenty_names() -> None:
    assert len(set(abl_cards.__all__)) == len(abl_cards.__all__) <= 20
    assert set(abl_cards.__all__) <= set(dir(abl_cards))


def test_the_package_imports_nothing() -> None:
    """Load every name at its first use, so that the import takes less than a millisecond."""
    code = "import sys; before = set(sys.modules); import abl_cards; print(*(sys.modules.keys() - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["abl_cards"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(abl_cards, "no_such_name")


def test_verify_compares_the_circuit_with_clingo(monkeypatch: pytest.MonkeyPatch) -> None:
    report = abl_cards.verify("president", states=60, seed=3)
    assert (report.num_states, report.mismatches) == (60, [])

    def invert(*arguments: Any) -> OutputTable:
        table = tabulate_circuit(*arguments)
        return replace(table, values=1 - table.values)

    monkeypatch.setattr(verification, "tabulate_circuit", invert)
    assert abl_cards.verify("president", states=2).mismatches


def test_verify_needs_a_state() -> None:
    with pytest.raises(abl_cards.GameError) as error:
        abl_cards.verify("president", states=0)
    assert error.value.code == abl_cards.ErrorCode.INVALID_VALUE
