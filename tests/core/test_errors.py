"""Error codes: every error of the sources has one, and each is documented and used."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from functools import cache
from glob import glob
from pathlib import Path

import pytest

from abl_cards.agents import ForfeitError, PlayerLeftError
from abl_cards.asp import KBError, make_error
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import TableError
from abl_cards.matches.records import TruncatedRecord, UnreadableRecord
from tests.conftest import ROOT
from tests.source_calls import find_calls

ARGUMENTS_BEFORE_CODE = {"GameError": 1, "make_kb_error": 2, "make_error": 3, "make_warning": 3}
"""Positional arguments that precede the code."""


CODE = re.compile(r"^[^#`\n]*?\bErrorCode\.([A-Z_]+)\b", re.MULTILINE)


@cache
def sources() -> dict[str, str]:
    """Return the modules of the package, including the linked folders."""
    names = glob("abl_cards/**/*.py", root_dir=ROOT, recursive=True)
    return {name: (ROOT / name).read_text("utf-8") for name in sorted(names)}


def has_code(call: ast.Call) -> bool:
    """Return True if a call passes a code, by position, by keyword, or within ``*arguments``."""
    assert isinstance(call.func, ast.Name)
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    by_position = len(call.args) > ARGUMENTS_BEFORE_CODE[call.func.id]
    return starred or by_position or "code" in {keyword.arg for keyword in call.keywords}


def test_every_error_has_a_code() -> None:
    calls = [
        (f"{name}:{line}", call)
        for name, text in sources().items()
        for line, call in find_calls(text, ARGUMENTS_BEFORE_CODE)
    ]
    assert not [place for place, call in calls if not has_code(call)]
    assert len(calls) > 500


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("GameError('no')", False), ("GameError(f'{a(1)}', B)", True), ("GameError(*problem)", True),
        ("make_error(a, b, c)", False), ("make_kb_error('(', f(x), code=B)  # )", True),
    ],
)  # fmt: skip
def test_calls_without_a_code_are_found(call: str, expected: bool) -> None:
    ((line, found),) = find_calls(f"\nraise {call}\n# other text)\n", ARGUMENTS_BEFORE_CODE)
    assert (line, has_code(found)) == (2, expected)
    assert not list(find_calls(f"class {call}: other.{call}", ARGUMENTS_BEFORE_CODE))


def test_every_code_is_used() -> None:
    used = {code for text in sources().values() for code in CODE.findall(text)}
    assert not set(ErrorCode.__members__) - used


@pytest.mark.parametrize("code", ErrorCode)
def test_codes_have_kebab_case_and_a_sentence(code: ErrorCode) -> None:
    assert code.value == code.name.lower().replace("_", "-")
    assert re.fullmatch(r"[A-Z#].*\.", code.description)
    assert ErrorCode(code.value) is code


def test_copies_of_errors_keep_their_code() -> None:
    error = copy.copy(GameError("no", ErrorCode.UNKNOWN_GAME))
    assert (str(error), error.code) == ("no", ErrorCode.UNKNOWN_GAME)


@pytest.mark.parametrize(
    "error",
    [
        GameError("text", ErrorCode.CLOSED, ["name", 3]),
        TableError(3, "text", ErrorCode.RULES_CHANGED),
        TruncatedRecord(),
        UnreadableRecord("text"),
        ForfeitError(1, "kind", "text", [0, 1]),
        PlayerLeftError("text"),
        KBError([make_error(None, "text", "remedy", ErrorCode.INVALID_FOLDER)]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_round_trip_through_pickle(error: GameError | KBError) -> None:
    """Keep type, text and attributes; a pool of processes waits for ever for an error that does not unpickle."""
    restored = pickle.loads(pickle.dumps(error))
    assert (type(restored), str(restored), restored.code) == (type(error), str(error), error.code)
    assert vars(restored) == vars(error)


def test_sources_are_found() -> None:
    assert {"abl_cards/learners/networks.py", "abl_cards/games/game.py"} <= set(map(str, map(Path, sources())))
