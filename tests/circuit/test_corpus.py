"""Each malformed knowledge base of the corpus is refused with the diagnostics that its first line expects.

That line is ``% expect: CODE PLACE `VALUE` …``, for several diagnostics separated by ``|``. PLACE is a pattern for line
and columns, "-" for none; each VALUE is a part of the message.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError, Severity
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase
from tests.asp.conftest import format_place

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.lp"))
INPUTS = [Input("held", (range(1, 14), (1, 2))), Input("wild", ((1, 2),))]


def is_expected(diagnostic: Diagnostic, expected: str) -> bool:
    """Return whether a diagnostic has the code, the place and the values of an expectation."""
    code, place, *_ = expected.split()
    values = re.findall(r"`([^`]+)`", expected)
    return (
        diagnostic.code == code
        and fnmatch(format_place(diagnostic), place)
        and all(value in str(diagnostic) for value in values)
    )


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_corpus_files_raise_the_expected_diagnostics(file: Path) -> None:
    expectations = file.read_text().partition("\n")[0].removeprefix("% expect: ").split(" | ")
    with pytest.raises(KBError) as caught:
        KnowledgeBase.load([file], inputs=INPUTS, outputs=[("legal", 1)], cache=False)
    diagnostics = caught.value.diagnostics
    for expected in expectations:
        assert any(is_expected(diagnostic, expected) for diagnostic in diagnostics), (expected, diagnostics)
    assert "\n".join(map(str, diagnostics)) == str(caught.value)
    assert any(diagnostic.severity == Severity.ERROR for diagnostic in diagnostics)
    assert all(diagnostic.message and "\n" not in str(diagnostic) for diagnostic in diagnostics)
