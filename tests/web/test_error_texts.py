"""Tests of error texts: every error code has a text in both languages, with its values."""

import ast
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core import PACKAGE, ErrorCode, GameError
from abl_cards.web.error_json import HTTP_CODES, error_json
from abl_cards.web.page_scripts import PageScripts
from tests.source_calls import find_calls
from tests.web.test_scripts import run_script
from tests.web.test_words import FOREIGN

REACHABLE = ("web", "games", "agents", "matches", "protocols", "reasoners", "rulelab")
"""Packages that requests of a browser run through; errors of rule files have common words."""
WORDS = "import { errorWords } from './text/error_words.js';---print(errorWords);"


def raised_errors() -> dict[str, set[int]]:
    """Return the codes of the GameErrors of these packages, with the numbers of values that they carry."""
    found: dict[str, set[int]] = {}
    for path in (path for package in REACHABLE for path in Path(PACKAGE, package).rglob("*.py")):
        for _, node in find_calls(path.read_text("utf-8"), ["GameError"]):
            codes = [
                ErrorCode[part.attr]
                for part in node.args
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "ErrorCode"
            ]
            values = node.args[2] if len(node.args) > 2 else None
            number = len(values.elts) if isinstance(values, ast.List) else 0
            for code in codes or [ErrorCode.INVALID_VALUE]:
                found.setdefault(str(code), set()).add(number)
    return found


def test_every_code_has_words_in_both_languages() -> None:
    words: dict[str, list[str]] = run_script(WORDS)
    errors = raised_errors()
    assert len(errors) > 50
    missing = [
        (code, number)
        for code, numbers in {**errors, **{str(code): {0} for code in HTTP_CODES.values()}}.items()
        for number in {0, *numbers}
        if code.replace("-", "_") + (f"_{number}" if number else "") not in words
    ]
    assert missing == []
    for key, (english, chinese) in words.items():
        number = int(key[-1]) if key[-1].isdigit() else 0
        assert chinese.endswith("。"), key
        assert not FOREIGN.search(chinese), key
        assert chinese.count("{}") == number, key
        assert not english or english.count("{}") == number, key
    codes = {code.replace("-", "_") for code in map(str, ErrorCode)} | {"rules"}
    assert {key.rstrip("_12") if key[-1].isdigit() else key for key in words} <= codes


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            ["All 64 tables are in use: close one of yours, or wait.", "This seat belongs to another player.", "odd"],
        ),
        ("zh", ["64张牌桌都在使用中：请关闭自己的一桌，或稍等。", "这个座位是别人的。", "服务器拒绝了这个请求。"]),
    ],
)
def test_error_texts_include_values_and_fall_back(language: str, texts: list[str]) -> None:
    errors: list[dict[str, Any]] = [
        error_json(GameError("full", ErrorCode.TABLES_IN_USE, [64])),
        error_json(GameError("taken", ErrorCode.SEAT_TAKEN)),
        error_json("odd"),
    ]
    pytest.importorskip("quickjs")
    scripts = PageScripts("text/error_text.js")
    scripts.call("setErrorWords", PageScripts("text/error_words.js").call("valueOf")["errorWords"])
    scripts.call("updateSettings", {"language": language}, module="settings.js")
    assert [scripts.call("errorText", error) for error in errors] == texts
