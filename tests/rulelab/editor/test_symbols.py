"""Tests of occurrences of symbols against the parser of clingo."""

from __future__ import annotations

from collections import Counter

import pytest
from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.lexer import LexerToken, scan_text
from abl_cards.games.description.variants import KB_ROOT
from abl_cards.rulelab.editor.symbols import (
    BODY,
    CONSTANT,
    DEFINED,
    EXTERNAL,
    HEAD,
    TERM,
    SymbolOccurrence,
    find_occurrences,
)
from abl_cards.rulelab.editor.tokens import SourceText
from tests.effort import amount

FILES = sorted(KB_ROOT.glob("**/*.lp"))


def parsed(text: str) -> Counter[tuple[str, int, bool]]:
    """Return each name with its arity and whether it is a predicate."""
    counts: Counter[tuple[str, int, bool]] = Counter()
    ast.parse_string(scan_text(text).code, lambda statement: _walk(statement, counts, False))
    return counts


def _walk(node: ast.AST, counts: Counter[tuple[str, int, bool]], predicate: bool) -> None:
    kind = node.ast_type
    if kind in (ASTType.Function, ASTType.SymbolicTerm):
        text = node.name if kind == ASTType.Function else str(node.symbol)
        if text[:1].isalpha() or text[:1] == "_":
            counts[text, len(node.arguments) if kind == ASTType.Function else 0, predicate] += 1
    elif kind in (ASTType.ShowSignature, ASTType.Defined):
        counts[node.name, node.arity, True] += 1
    elif kind == ASTType.Definition:
        counts[node.name, 0, False] += 1
    pool = kind == ASTType.Pool
    for key in node.child_keys if kind != ASTType.External else ("atom", "body"):
        child = getattr(node, key)
        for item in [child] if isinstance(child, ast.AST) else child or ():
            _walk(item, counts, kind == ASTType.SymbolicAtom or (pool and predicate))


def test_occurrences_equal_those_of_the_clingo_parser() -> None:
    assert len(FILES) > 80
    for file in FILES[:: amount(3, 1)]:
        text = file.read_text("utf-8")
        mine = Counter(
            (occurrence.name, occurrence.arity, occurrence.is_predicate)
            for occurrence in find_occurrences(SourceText(text))
        )
        theirs = parsed(text)
        # A pool of a name, p(1;2), is one name in the text and several atoms for the parser.
        assert set(mine) == set(theirs), file
        assert all(mine[key] <= theirs[key] for key in mine), file


def list_roles(text: str) -> list[tuple[str, int, str]]:
    return [(occurrence.name, occurrence.arity, occurrence.role) for occurrence in find_occurrences(SourceText(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a(X) :- b(X,c), not d.", [("a", 1, HEAD), ("b", 2, BODY), ("c", 0, TERM), ("d", 0, BODY)]),
        ("#external held(R) : rank(R).", [("held", 1, EXTERNAL), ("rank", 1, BODY)]),
        ("#const king = 13.", [("king", 0, CONSTANT)]),
        ("#defined mode/1. #show a/2.", [("mode", 1, DEFINED), ("a", 2, BODY)]),
        ("{ a(R) : b(R) ; c } :- d.", [("a", 1, HEAD), ("b", 1, BODY), ("c", 0, HEAD), ("d", 0, BODY)]),
        (
            "n :- #count { R,x : a(R), not b } > k.",
            [("n", 0, HEAD), ("x", 0, TERM), ("a", 1, BODY), ("b", 0, BODY), ("k", 0, TERM)],
        ),
        ("a :- R = king, b(R), R != low.", [("a", 0, HEAD), ("king", 0, TERM), ("b", 1, BODY), ("low", 0, TERM)]),
        (":- a ; b : c.", [("a", 0, BODY), ("b", 0, BODY), ("c", 0, BODY)]),
        ("next(level(R)) :- a(level(R", [("next", 1, HEAD), ("level", 1, TERM), ("a", 1, BODY), ("level", 1, TERM)]),
        ("a(1;2). b((1,2),c).", [("a", 1, HEAD), ("b", 2, HEAD), ("c", 0, TERM)]),
        ('% a(X)\ns(en,"b(1)."). %* c *% t', [("s", 2, HEAD), ("en", 0, TERM), ("t", 0, HEAD)]),
        (":~ a(W). [W@2,x]", [("a", 1, BODY), ("x", 0, TERM)]),
    ],
)  # fmt: skip
def test_occurrences_have_their_roles(text: str, expected: list[tuple[str, int, str]]) -> None:
    assert list_roles(text) == expected


def test_occurrences_have_line_and_column() -> None:
    text = "ab(X) :-\n  cd(ef)."
    places = [
        (SourceText(text).line_and_column(occurrence.start), text[occurrence.start : occurrence.end])
        for occurrence in find_occurrences(SourceText(text))
    ]
    assert places == [((0, 0), "ab"), ((1, 2), "cd"), ((1, 5), "ef")]


@pytest.mark.parametrize(
    "text", ["", "\0", "((((", ")))", "}}{{;:", "#", "a(" * 3000, "a.." * 99, '"', "%*", "[", "a:-" * 50]
)
def test_invalid_text_raises_no_error(text: str) -> None:
    assert all(isinstance(occurrence, SymbolOccurrence) for occurrence in find_occurrences(SourceText(text)))


@pytest.mark.parametrize(
    "piece", ["p(", "p(a,", "{", "}", "a;", "a,", "a:", "_", "'", '"\\"', "#include <", "c(X) ", "|", "%*"]
)
def test_work_is_linear_in_the_length_of_the_text(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of token tests per token is bounded, independent of the nesting."""
    looks = 0
    look = LexerToken.is_mark

    def counted(token: LexerToken, *marks: str) -> bool:
        nonlocal looks
        looks += 1
        return look(token, *marks)

    monkeypatch.setattr(LexerToken, "is_mark", counted)
    text = SourceText(f"x :- {piece * 4000}")
    find_occurrences(text)
    assert looks <= 40 * len(text.tokens) + 100
    assert len(text.tokens) <= 4 * 4000 + 10
