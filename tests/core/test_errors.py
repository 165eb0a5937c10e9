"""Error codes: every error of the sources has one, and each is documented and used."""

from __future__ import annotations

import ast
import copy
import re
from functools import cache
from glob import glob
from pathlib import Path

import pytest

from abl_cards.core import ErrorCode, GameError
from tests.conftest import ROOT

ARGUMENTS_BEFORE_CODE = {"GameError": 1, "make_kb_error": 2, "make_error": 3, "make_warning": 3}
"""Positional arguments that precede the code."""


@cache
def sources() -> dict[str, ast.Module]:
    """Return the modules of the package, including the linked folders."""
    names = glob("abl_cards/**/*.py", root_dir=ROOT, recursive=True)
    return {name: ast.parse((ROOT / name).read_bytes()) for name in sorted(names)}


def has_code(call: ast.Call, before: int) -> bool:
    """Return True if a call passes a code, by position, by keyword, or within ``*arguments``."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or len(call.args) > before or "code" in {keyword.arg for keyword in call.keywords}


def test_every_error_has_a_code() -> None:
    missing = [
        f"{name}:{node.lineno}"
        for name, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if (before := ARGUMENTS_BEFORE_CODE.get(node.func.id)) is not None and not has_code(node, before)
    ]
    assert not missing


def test_every_code_is_used() -> None:
    used = {node.attr for tree in sources().values() for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not set(ErrorCode.__members__) - used


@pytest.mark.parametrize("code", ErrorCode)
def test_codes_have_kebab_case_and_a_sentence(code: ErrorCode) -> None:
    assert code.value == code.name.lower().replace("_", "-")
    assert re.fullmatch(r"[A-Z#].*\.", code.description)
    assert ErrorCode(code.value) is code


def test_copies_of_errors_keep_their_code() -> None:
    error = copy.copy(GameError("no", ErrorCode.UNKNOWN_GAME))
    assert (str(error), error.code) == ("no", ErrorCode.UNKNOWN_GAME)


def test_sources_are_found() -> None:
    assert {"abl_cards/learners/networks.py", "abl_cards/games/game.py"} <= set(map(str, map(Path, sources())))
