"""Damaged rule files: a KBError or a knowledge base, never another exception and never a crash."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase

TEXT = """% a small game
#const top = 2.
#external held(R,N) : R = 1..3, N = 1..2.
form(single(R)) :- R = 1..3.   form(pair(R)) :- R = 1..top.
needs(single(R),R,1) :- form(single(R)).  needs(pair(R),R,2) :- form(pair(R)).
playable(F) :- form(F), held(R,N) : needs(F,R,N).
legal(F) :- playable(F), not worse(F).
worse(single(R)) :- playable(pair(R)), 2 <= #sum { N,X : held(X,N) }.
:- legal(single(3)), not held(3,2).
preference(keep,hand). says(keep,en,"Keep {1}."). says(keep,zh,"留着{1}。").
cost(keep(R),-R) :- legal(pair(R)), S = #count { X : held(X,1) }, S > 1.
"""
PIECES = [
    "(",
    ")",
    "{",
    "}",
    ".",
    ":-",
    "not ",
    ",",
    ";",
    "..",
    "#",
    "%",
    "%*",
    "*%",
    '"',
    "\\",
    "X",
    "-",
    "1",
    "@",
    "|",
]
PIECES += [
    "#include ",
    "#const a=a.",
    "\n",
    " ",
    "held(1,1)",
    "吃",
    "\x00",
    "\t",
    ":~",
    "&",
    "#sum",
    "#true",
    "99999999999",
]
EDITS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 6), st.sampled_from(PIECES)), min_size=1, max_size=4
)


@given(EDITS)
def test_edited_files_load_or_raise_kb_errors(edits: list[tuple[int, int, str]]) -> None:
    text = TEXT
    for position, cut, piece in edits:
        text = text[:position] + piece + text[position + cut :]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.lp"
        file.write_text(text)
        assert load_error(file) != ""


def load_error(file: Path) -> str | None:
    """Return the errors of a knowledge base; None for a valid one."""
    inputs = [Input("held", ((1, 2, 3), (1, 2)))]
    try:
        kb = KnowledgeBase.load([file], inputs=inputs, outputs=[("legal", 1)], cache=False)
        kb.circuit("legal/1", "cost/2", "violated/1")
    except KBError as caught:
        return str(caught)
    return None
