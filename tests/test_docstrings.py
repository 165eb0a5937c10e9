"""Examples in the docstrings of all modules give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from typing import Any

import pytest

import abl_cards

PACKAGE = Path(abl_cards.__file__).resolve().parent
MODULES = sorted(file for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text("utf-8"))


def names_of_examples(folder: Path) -> dict[str, Any]:
    """Return the names that examples use and do not make: the path of a rule file."""
    file = folder / "rules.lp"
    file.write_text("#external held(R,C) : R=0..12, C=1..2.\nlegal(R) :- held(R,2).\n:- held(0,1).\n", "utf-8")
    return {"path": file}


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_examples_give_what_they_say(file: Path, tmp_path: Path) -> None:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    assert doctest.testmod(module, extraglobs=names_of_examples(tmp_path)).failed == 0
