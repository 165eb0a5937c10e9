"""The public API: names and signatures, lazy loading, and the example that documents it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from types import ModuleType
from typing import Any

import pytest

import abl_cards
from abl_cards.circuit.oracle import OutputTable, tabulate_circuit
from abl_cards.rulelab.verification import verification
from tests import public_api
from tests.conftest import ROOT


def test_names_and_signatures_equal_the_snapshot() -> None:
    """After a deliberate change, run ``python -m tests.public_api`` and add a line to CHANGELOG.md."""
    assert public_api.render() == public_api.FILE.read_text("utf-8")


def test_public_api_has_at_most_twenty_names() -> None:
    assert len(set(abl_cards.__all__)) == len(abl_cards.__all__) <= 20
    assert set(abl_cards.__all__) <= set(dir(abl_cards))


def test_package_import_is_lazy() -> None:
    """Load every name at its first use, so that the import takes less than a millisecond."""
    code = "import sys; before = set(sys.modules); import abl_cards; print(*(sys.modules.keys() - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["abl_cards"]


def test_unknown_name_raises_attribute_error() -> None:
    assert not hasattr(abl_cards, "no_such_name")


def test_verify_compares_the_circuit_with_clingo(monkeypatch: pytest.MonkeyPatch) -> None:
    report = abl_cards.verify("president", states=60, seed=3)
    assert (report.num_states, report.mismatches) == (60, [])

    def invert(*arguments: Any) -> OutputTable:
        table = tabulate_circuit(*arguments)
        return replace(table, values=1 - table.values)

    monkeypatch.setattr(verification, "tabulate_circuit", invert)
    assert abl_cards.verify("president", states=2).mismatches


def test_verify_accepts_all_forms_of_a_game() -> None:
    game = abl_cards.load("president")
    for form in (game, game.directory, game.engine()):
        assert abl_cards.verify(form, states=2).mismatches == []


@pytest.mark.parametrize(
    "arguments", [{"states": 0}, {"states": 1.5}, {"states": "10"}, {"states": True}, {"seed": "x"}]
)
def test_verify_rejects_invalid_states_and_seeds(arguments: dict[str, Any]) -> None:
    with pytest.raises(abl_cards.GameError) as error:
        abl_cards.verify("president", **arguments)
    assert error.value.code == abl_cards.ErrorCode.INVALID_VALUE


PATHS_ONLY = {"training.TrainerCallback.on_checkpoint": "called by the trainer, which passes a Path"}
"""Parameters that are paths and no texts, with the reason. Fields of dataclasses and tuples have the type they hold."""


def list_packages() -> Iterator[tuple[str, ModuleType]]:
    """Yield the packages that export names, by name."""
    for package in pkgutil.iter_modules(abl_cards.__path__):
        module = importlib.import_module(f"abl_cards.{package.name}") if package.ispkg else None
        if module is not None and hasattr(module, "__all__"):
            yield package.name, module


def list_functions(name: str, value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield a function, or the constructor and the public methods of a class, by name."""
    if inspect.isfunction(value):
        yield name, value
    elif inspect.isclass(value):
        for key, member in vars(value).items():
            is_constructor = key == "__init__" and not is_dataclass(value)
            function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
            if inspect.isfunction(function) and (is_constructor or not key.startswith("_")):
                yield f"{name}.{key}", function


def takes_paths_only(annotation: object) -> bool:
    """Return whether an annotation has paths, and no texts in their place."""
    text = str(annotation)
    return bool(re.search(r"\bPath\b", text)) and not re.search(r"\bstr\b", text)


def test_all_path_arguments_accept_strings() -> None:
    functions = [
        found
        for package, module in list_packages()
        for name in module.__all__
        for found in list_functions(f"{package}.{name}", getattr(module, name))
    ]
    assert len(functions) > 500
    refused = [
        (name, parameter.name)
        for name, function in functions
        for parameter in inspect.signature(function).parameters.values()
        if takes_paths_only(parameter.annotation) and name not in PATHS_ONLY
    ]
    assert refused == []


@pytest.mark.parametrize(
    ("annotation", "is_refused"),
    [("Path", True), ("Path | None", True), ("Sequence[Path]", True), ("str | Path", False), ("Paths", False)],
)
def test_takes_paths_only_detects_annotations(annotation: str, is_refused: bool) -> None:
    assert takes_paths_only(annotation) == is_refused
