"""Blanking out parts of a rule file does not change its rules, and clingo gets no include."""

from __future__ import annotations

import pytest
from clingo import ast
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.asp.lexer import INCLUDE, parse_number, scan_text

PIECES = ["%*", "*%", "%", "%%", '"', "\\", "\\n", "\n", " ", "a.", 'b("x").', "c(1..2).", "#", "*", ".", "d:-e.", "'"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TRICKS = st.lists(st.sampled_from([*PIECES, INCLUDE, '"/dev/zero"', "<x>", "#script(lua)"]), max_size=9).map("".join)


def read_by_clingo(text: str) -> list[str] | None:
    """Parse a text by clingo; return statements with locations, None where clingo refuses it."""
    statements: list[ast.AST] = []
    try:
        ast.parse_string(text, statements.append, logger=lambda code, message: None)
    except RuntimeError:
        return None
    rules = [statement for statement in statements if statement.ast_type != ast.ASTType.Comment]
    return [f"{statement.location.begin.line}:{statement.location.begin.column} {statement}" for statement in rules]


@given(TEXTS)
def test_comments_equal_those_of_clingo(text: str) -> None:
    scanned = scan_text(text)
    assert len(scanned.code) == len(text)
    bare = None if scanned.unclosed_comment_at is not None else read_by_clingo(scanned.code)
    assert bare == read_by_clingo(text)


@given(TRICKS)
def test_scanned_code_has_no_include(text: str) -> None:
    scanned = scan_text(text)
    assert INCLUDE not in scanned.code
    assert all(include.path or include.problem for include in scanned.includes)


@pytest.mark.parametrize(
    "text",
    [
        '#include "more.lp".',
        '#include\n\t"more.lp"\n.',
        '#include"more.lp".',
        '#include %* x *% "more.lp".',
        '#include % x\n%* " %* *% *%"more.lp"% x\n.',
        'a("%*"). #include "more.lp". %* *%',
        '%* "*% #include "more.lp". %"*%',
    ],
)
def test_includes_are_found_anywhere(text: str) -> None:
    (include,) = scan_text(text).includes
    assert (include.path, include.problem) == ("more.lp", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('#include "more.lp"', "#include without a file"),
        ("#include.", "#include without a file"),
        ('#include "a\\t".', "#include without a file"),
        ('a :- b, #include "more.lp".', "#include inside of a rule"),
    ],
)
def test_includes_without_a_file_name_are_errors(text: str, problem: str) -> None:
    (include,) = scan_text(text).includes
    assert include.problem.startswith(problem)


def test_library_includes_are_recognised() -> None:
    (include,) = scan_text("#include <seats>.").includes
    assert (include.path, include.is_library, include.problem) == ("seats", True, "")


def test_comments_and_strings_are_not_includes() -> None:
    for text in ('% #include "a".', '%* #include "a". *%', "#includex.", 'says("#include <a>").'):
        assert scan_text(text).includes == ()


def test_parse_number_equals_clingo() -> None:
    assert [parse_number(text) for text in ("0x1F", "0b11", "0o17", "19", "0")] == [31, 3, 15, 19, 0]
    assert parse_number("9" * 5000) is None
    assert parse_number("0xFFFFFFFF") == 2**32 - 1
