"""Every syntax error says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp import KBError
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode

SLIPS = {
    "label(pass)\n\nform(pass,pass).\n": (3, 1, "full stop"),
    "label(pass).\nform(pass,pass)\n": (3, 1, "full stop"),
    "label(pass) :- rank(1)..\n": (2, 1, "one full stop"),
    "label(pass) :- rank(1), .\n": (1, 25, "full stop"),
    "Label(pass).\n": (1, 6, "small letter"),
    "_(3).\n": (1, 2, "small letter"),
    "a(R) :- rank(R), R = < 5.\n": (1, 22, "<="),
    "a(R) :- rank(R), R => 5.\n": (1, 21, ">="),
    "a(R :- rank(R).\n": (1, 5, "bracket"),
    "a(R) :- rank(R) suit(R).\n": (1, 17, "comma"),
    "a(R) :- rank(R), !suit(R).\n": (1, 18, "not"),
    "a(R) :- rank(R) && suit(R).\n": (1, 18, "commas"),
    "a(1.5).\n": (1, 4, "whole numbers"),
    "// a comment\n": (1, 1, "%"),
    '% größe\nword(a,zh,"牌") b.\n': (2, 16, "comma"),  # columns count letters
}


@pytest.mark.parametrize("text", SLIPS)
def test_syntax_errors_have_a_remedy(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rules.lp"
    file.write_text(text, "utf-8")
    with pytest.raises(KBError) as caught:
        KnowledgeBase.load([file], inputs=[], outputs=[])
    line, column, remedy = SLIPS[text]
    (problem,) = caught.value.diagnostics
    assert problem.code == ErrorCode.SYNTAX_ERROR
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == (line, column)
    assert remedy in problem.remedy
