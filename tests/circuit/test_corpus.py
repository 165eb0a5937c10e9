"""Every malformed knowledge base of the corpus is refused with the words that its first line expects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abl_cards.asp.errors import KBError, Severity
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.lp"))
INPUTS = [Input("held", (range(1, 14), (1, 2))), Input("wild", ((1, 2),))]


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_refused_with_the_expected_words(file: Path) -> None:
    expected = file.read_text().partition("\n")[0].removeprefix("% expect: ")
    with pytest.raises(KBError) as caught:
        KnowledgeBase.load([file], inputs=INPUTS, outputs=[("legal", 1)], cache=False)
    text = str(caught.value)
    assert re.search(expected, text), text
    assert "\n".join(map(str, caught.value.diagnostics)) == text
    assert any(diagnostic.severity == Severity.ERROR for diagnostic in caught.value.diagnostics)
    assert all(diagnostic.message and "\n" not in str(diagnostic) for diagnostic in caught.value.diagnostics)
    assert "reasoner" not in text  # there is nobody else to turn to
