"""Rule files are parsed in a child process, and only text that the lexer accepts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest
from clingo import ast
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.asp import parser
from abl_cards.asp.errors import KBError, Location
from abl_cards.asp.lexer import MAX_NESTING
from abl_cards.asp.parser import find_syntax_errors, parse_program
from abl_cards.asp.program import parse_sources
from abl_cards.asp.sandbox import start_process
from abl_cards.asp.sources import RuleSource, RuleSources, read_sources
from abl_cards.asp.statements import summarise_files
from abl_cards.core import ErrorCode
from tests.effort import amount

DEEP = 20_000
REFUSED = [
    "aa(1)。", "名(1).", "#const 名 = 1.", "#show 名/1.", "#external é.", 'a("名).', '"', 'a("\\q").',
    "a\u00a0:- b.", "a\u200b.", "a.\x0bb.", "a.\x1a", "a.\ufeff", 'a("\ud800").', 'a("\0").', "a(\U0001d49c).",
    f"p({'(' * DEEP}1{')' * DEEP}).", f"p({'f(' * DEEP}1{')' * DEEP}).", f"p({'-' * DEEP}1).", f"p(1{'+1' * DEEP}).",
    f"p(1{'..1' * DEEP}).", f"p(1{'**1' * DEEP}).", f"p({'|' * DEEP}1{'|' * DEEP}).", "p(" * DEEP,
    f"&p{{ {'f(' * DEEP}1{')' * DEEP} }}.", f"p :- {'1<' * DEEP}1.", "p(;" * DEEP,
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:12]))
def test_text_that_would_crash_clingo_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast, "parse_string", lambda *_, **__: pytest.fail("clingo was given the text"))
    statements, problems = parse_sources(RuleSources((RuleSource("a.lp", f"a.\n b. {text}\n", 1),)))
    assert statements == []
    assert problems
    assert all(problem.location is not None and problem.location.line == 2 for problem in problems)


def test_nested_terms_within_the_limit_are_parsed() -> None:
    most = MAX_NESTING - 2
    for text in (f"p({'(' * most}1{')' * most}).", f"p(1{'+1' * most}).", "p(1;" + "2-1;" * 5000 + "3).", "p. " * 5000):
        assert parse_sources(RuleSources((RuleSource("a.lp", text, 1),)))[1] == []


PIECES = ["(", ")", "{", "}", "[", "]", "|", ",", ";", ".", "..", ":-", ":", "not ", "-", "+", "**", "1", "X", "f",
          "a ", "=", '"', "\\", '"名"', "名", "%*", "*%", "%", "\n", "#sum", "#show", "#const ", "&t", "@",
          "#script", "#end", "\x00", "\ufeff", "'"]  # fmt: skip


@settings(max_examples=amount(50, 150))
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 3)), max_size=25))
def test_error_locations_lie_within_the_text(pieces: list[tuple[str, int]]) -> None:
    text = "".join(piece * times for piece, times in pieces)
    lines = text.split("\n")
    for problem in parse_sources(RuleSources((RuleSource("a.lp", text, 1),)))[1]:
        where = problem.location
        assert where is not None
        assert 1 <= where.line <= len(lines) + 1
        assert where.line > len(lines) or where.column <= len(lines[where.line - 1]) + 2


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('s("名字好") b.', 10), ('a :- "名", b(.', 9), ('t("𝒜𝒜") b.', 9),
        ("%* 名名 *% a b.", 12), ('\t"é" b.', 6), ("\ufeffa b.", 4),
    ],
)  # fmt: skip
def test_error_columns_count_characters(text: str, column: int) -> None:
    (problem, *_) = parse_sources(RuleSources((RuleSource("a.lp", text, 1),)))[1]
    assert problem.location is not None
    assert problem.location.column == column


def test_use_columns_count_characters() -> None:
    sources = RuleSources((RuleSource("a.lp", 's("名字",X) :- t("名","名"), u(X).', 1),))
    assert [(use.location.column, use.location.end_column) for use in summarise_files(sources, {}).bodies] == [
        (14, 24), (26, 30),
    ]  # fmt: skip


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "a.lp"
    file.write_bytes("\ufeffa(1) b.".encode())
    sources, problems = read_sources([file], 1 << 20)
    assert problems == []
    (problem,) = parse_sources(sources)[1]
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == (1, 6)


@pytest.mark.parametrize(("data", "column"), [(b"a.\n b(\xff).", 4), ("a. %名\n \0".encode(), 2)])
def test_invalid_bytes_are_errors_at_their_location(tmp_path: Path, data: bytes, column: int) -> None:
    (tmp_path / "a.lp").write_bytes(data)
    (problem,) = read_sources([tmp_path / "a.lp"], 1 << 20)[1]
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == (2, column)


# --- the child --------------------------------------------------------------------------------------------------------

RULES = [
    "#const n = 3. #external h(R) : R = 1..n. a(R) :- h(R), not b(R,n+1), R != 2.",
    "b(n,X) :- c(X). :- c(n). 1 { x } 2.",
]


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with an empty cache and without a child."""
    monkeypatch.setenv("ABL_CARDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(parser, "_parser_process", parser._ParserProcess())
    monkeypatch.setattr(parser, "_program_cache", {})
    yield
    parser._parser_process.stop()


def sources_of(*texts: str) -> RuleSources:
    return RuleSources(tuple(RuleSource(f"{number}.lp", text, 1 + number) for number, text in enumerate(texts)))


def test_child_process_parses_like_this_process(empty_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = sources_of(*RULES, 'says(x,zh,"名"). #show x/0. #defined y/2. d(', RULES[0])
    expected = summarise_files(sources, {})
    assert parse_program(sources) == expected
    parser._parser_process.stop()
    monkeypatch.setattr(parser, "start_process", lambda *_, **__: pytest.fail("known from memory"))
    assert parse_program(sources) == expected
    parser._program_cache.clear()
    assert parse_program(sources) == expected, "known from the disk"


def test_crashed_child_names_the_file_and_is_replaced(empty_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fatal = ["python", "-c", "import os, sys; sys.stdin.readline(); print(1, flush=True); os.kill(os.getpid(), 11)"]
    monkeypatch.setattr(parser, "start_process", lambda *_, **__: Popen(fatal, stdin=-1, stdout=-1))
    with pytest.raises(KBError, match="SIGSEGV") as caught:
        parse_program(sources_of("a.", "b."))
    assert caught.value.code == ErrorCode.GROUNDING_FAILED
    assert caught.value.diagnostics[0].location == Location("1.lp", 1, 1, 1, 1)
    monkeypatch.setattr(parser, "start_process", start_process)
    assert [use.signature.name for use in parse_program(sources_of("a.", "b.")).heads] == ["a", "b"]


def test_child_process_has_time_and_memory_limits(empty_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a(1). " * 50_000
    monkeypatch.setattr(parser, "PARSE_SECONDS", 0.1)
    with pytest.raises(KBError, match=r"0\.1 s") as caught:
        parse_program(sources_of(text))
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED
    assert caught.value.diagnostics[0].location == Location("0.lp", 1, 1, 1, 1)
    monkeypatch.setattr(parser, "PARSE_SECONDS", 20.0)
    monkeypatch.setattr(parser, "PARSE_MEMORY", 64 << 20)
    with pytest.raises(KBError, match="64 MiB") as caught:
        parse_program(sources_of(text))
    assert caught.value.code == ErrorCode.LIMIT_EXCEEDED
    assert caught.value.diagnostics[0].location == Location("0.lp", 1, 1, 1, 1)


def test_forked_process_starts_its_own_child(empty_cache: None) -> None:
    assert find_syntax_errors(RuleSource("a.lp", "a b.", 1))
    first = parser._parser_process.process
    parser._parser_process.owner_pid = os.getpid() + 1
    assert find_syntax_errors(RuleSource("a.lp", "a b.", 1))
    assert parser._parser_process.process is not first
    assert first is not None
    with first:
        first.kill()


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"% a comment\rlost(1).\n", (1, 12)), (b"a(1).\n% twice\r\r\nb(1).\n", (2, 8)), (b"a(1).\r", (1, 6))],
)
def test_carriage_returns_alone_are_errors(tmp_path: Path, data: bytes, place: tuple[int, int]) -> None:
    """Editors show a new line, and for clingo the comment goes on: the rule behind it was lost."""
    file = tmp_path / "a.lp"
    file.write_bytes(data)
    _, (problem,) = read_sources([file], 1 << 20)
    assert problem.code == ErrorCode.FILE_NOT_READABLE
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == place


def test_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "a.lp"
    file.write_bytes(b"\xef\xbb\xbf% a comment\r\na(1).\r\n")
    assert read_sources([file], 1 << 20)[1] == []
