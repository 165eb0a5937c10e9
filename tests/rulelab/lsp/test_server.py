"""Tests of the language server by its protocol, in a separate process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pygls is not installed (pip install 'abl-cards[lsp]')")

from abl_cards.core import ErrorCode
from tests.rulelab.lsp.client import Editor

OWN = """% mine.lp
#external held(R,N) : rank(R), N = 1..4.  % in the hand

plain(R) :- held(R,1), not rich(R).
rich(R)  :- held(R,3), R != scanty.  % 三张
low_one(scanty).
"""


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    made = Editor()
    yield made
    assert made.close() == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a rule file of a variant of President."""
    return write_variant(tmp_path)


@pytest.fixture(scope="module")
def unchanged_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return such a file for tests that change nothing: the server checks it once."""
    return write_variant(tmp_path_factory.mktemp("unchanged"))


def write_variant(home: Path) -> Path:
    """Write a variant of President, and return its rule file."""
    folder = home / "mine"
    folder.mkdir()
    (folder / "variant.lp").write_text("parent(president).\n")
    made = folder / "mine.lp"
    made.write_text(OWN, "utf-8")
    return made


def at(file: Path, text: str, words: str, into: int = 1) -> dict[str, Any]:
    """Return the position of words in a text."""
    before = text[: text.index(words) + into]
    line, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    return {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": column}}


def codes(diagnostics: list[dict[str, Any]]) -> set[str]:
    """Return the codes of diagnostics."""
    return {item["code"] for item in diagnostics}


def test_diagnostics_are_published_on_save(editor: Editor, file: Path) -> None:
    editor.open(file)
    (unused,) = [item for item in editor.diagnostics(file, bool) if "plain/1" in item["message"]]
    assert (unused["severity"], unused["range"]["start"]) == (2, {"line": 3, "character": 0})
    file.write_text(OWN.replace("held(R,1)", "hold(R,1)"), "utf-8")
    editor.save(file)
    diagnostics = editor.diagnostics(file, lambda diagnostics: any(item["severity"] == 1 for item in diagnostics))
    (problem,) = [item for item in diagnostics if item["severity"] == 1]
    assert (problem["code"], unused["code"]) == (ErrorCode.UNKNOWN_PREDICATE, ErrorCode.UNUSED_DEFINITION)
    assert "'hold/2'" in problem["message"]
    assert problem["range"] == {"start": {"line": 3, "character": 12}, "end": {"line": 3, "character": 21}}
    file.write_text(OWN, "utf-8")
    editor.save(file)
    editor.diagnostics(file, lambda diagnostics: all(item["severity"] == 2 for item in diagnostics))


def test_syntax_errors_are_published_on_change(editor: Editor, file: Path) -> None:
    editor.open(file)
    editor.change(file, OWN + "x(R :- held(R,1).", 2)
    (problem,) = editor.diagnostics(file, lambda diagnostics: codes(diagnostics) >= {ErrorCode.SYNTAX_ERROR})
    assert problem["range"]["start"]["line"] == 6
    editor.change(file, OWN, 3)
    editor.diagnostics(file, lambda diagnostics: ErrorCode.SYNTAX_ERROR not in codes(diagnostics))


def test_completion_offers_predicates_of_engine_and_folder(editor: Editor, file: Path) -> None:
    editor.open(file)
    text = f"{OWN}x :- ric"
    editor.change(file, text, 2)
    offered = editor.ask("textDocument/completion", at(file, text, "x :- ric", 8))["result"]["items"]
    assert [item["label"] for item in offered] == ["rich(R)"]
    assert offered[0]["insertText"] == "rich(${1:R})"
    assert offered[0]["documentation"]["value"] == "三张"
    text = f"{OWN}x :- in_tr"
    editor.change(file, text, 3)
    offered = editor.ask("textDocument/completion", at(file, text, "in_tr", 5))["result"]["items"]
    assert {"in_trick(S,N)", "in_trick(S,R,N)", "in_trick(S,R,Suit,N)"} <= {item["label"] for item in offered}
    assert "An input" in offered[0]["documentation"]["value"]


def test_hover_returns_meaning_and_source_of_a_predicate(editor: Editor, unchanged_file: Path) -> None:
    editor.open(unchanged_file)
    text = editor.ask("textDocument/hover", at(unchanged_file, OWN, "held(R,3)"))["result"]["contents"]["value"]
    assert "N cards of the own hand act as R" in text
    assert "An input: " in text
    assert "what may be played" in text
    assert editor.ask("textDocument/hover", at(unchanged_file, OWN, "R) :-", 0))["result"] is None


def test_definitions_are_found_in_folder_parents_and_common_files(editor: Editor, unchanged_file: Path) -> None:
    editor.open(unchanged_file)
    (here,) = editor.ask("textDocument/definition", at(unchanged_file, OWN, "rich(R).\nrich"))["result"]
    assert here["range"]["start"] == {"line": 4, "character": 0}
    held = editor.ask("textDocument/definition", at(unchanged_file, OWN, "held(R,3)"))["result"]
    assert [place["uri"].rsplit("/", 2)[1:] for place in held] == [["mine", "mine.lp"], ["president", "labels.lp"]]
    (rank, *_) = editor.ask("textDocument/definition", at(unchanged_file, OWN, "rank(R)"))["result"]
    assert "/kb/common/" in rank["uri"]


def test_references_and_rename_are_limited_to_the_folder(editor: Editor, file: Path) -> None:
    editor.open(file)
    position = at(file, OWN, "rich(R).\nrich")
    places = editor.ask("textDocument/references", position | {"context": {"includeDeclaration": True}})["result"]
    assert [place["range"]["start"] for place in places] == [{"line": 3, "character": 27}, {"line": 4, "character": 0}]
    changed = editor.ask("textDocument/rename", position | {"newName": "wealthy"})["result"]["changes"]
    assert {uri: [change["range"] for change in edits] for uri, edits in changed.items()} == {
        file.as_uri(): [place["range"] for place in places]
    }
    constant = editor.ask("textDocument/rename", at(file, OWN, "scanty.") | {"newName": "scantest"})["result"][
        "changes"
    ]
    assert [change["range"]["start"] for change in constant[file.as_uri()]] == [
        {"line": 4, "character": 28}, {"line": 5, "character": 8},
    ]  # fmt: skip
    cases = file.with_name("cases.jsonl")
    cases.write_text('{"words": {"pass": "pass"}}\n{"state": {"hand": []}, "labels": ["scanty"]}\n', "utf-8")
    again = editor.ask("textDocument/rename", at(file, OWN, "scanty.") | {"newName": "scantest"})["result"]["changes"]
    (edit,) = again[cases.as_uri()]
    assert (edit["range"]["start"]["line"], edit["newText"].count("scantest")) == (1, 1)
    cases.unlink()


@pytest.mark.parametrize(
    ("words", "name", "message"),
    [
        ("held(R,3)", "kept", "'held/2'"), ("rank(R)", "grade", "'rank/1'"), ("rich(R).\nrich", "Rich", "'Rich'"),
        ("rich(R).\nrich", "plain", "'plain'"), ("rich(R).\nrich", "cost", "'cost'"), (" :- held(R,1)", "x", "rename"),
    ],
)  # fmt: skip
def test_invalid_renames_are_rejected(
    editor: Editor, unchanged_file: Path, words: str, name: str, message: str
) -> None:
    editor.open(unchanged_file)
    answer = editor.ask("textDocument/rename", at(unchanged_file, OWN, words) | {"newName": name})
    assert message in answer["error"]["message"]
    assert "Traceback" not in json.dumps(answer)


def test_rename_of_a_fluent_includes_terms(editor: Editor, file: Path) -> None:
    text = "one(mood,1). #external mood(M) : M = 1..2.\nnext(mood(1)) :- event(deal).\nx :- mood(2).\n"
    file.write_text(text)
    editor.open(file)
    changed = editor.ask("textDocument/rename", at(file, text, "mood(2)") | {"newName": "temper"})["result"]["changes"]
    assert len(changed[file.as_uri()]) == 4


def test_expensive_rules_are_stopped(editor: Editor, file: Path) -> None:
    """Answer other requests meanwhile, and name the rule in the diagnostic."""
    text = f"{OWN}n(1..200).\nm(A,B,C) :- n(A), n(B), n(C).\n"
    file.write_text(text, "utf-8")
    editor.open(file)
    assert editor.ask("textDocument/hover", at(file, text, "held(R,3)"))["result"]
    diagnostics = editor.diagnostics(file, lambda diagnostics: codes(diagnostics) >= {ErrorCode.LIMIT_EXCEEDED})
    assert [item["range"]["start"]["line"] for item in diagnostics if item["code"] == ErrorCode.LIMIT_EXCEEDED] == [7]


@pytest.mark.parametrize(
    "uri",
    ["file:///etc/passwd", "http://example.org/x.lp", "untitled:1", "", "file:///nowhere/x.lp", "file:///a%00.lp"],
)
def test_documents_outside_rule_folders_are_not_read(editor: Editor, uri: str) -> None:
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    editor.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "x", "version": 1, "text": "a"}})
    answer = editor.ask("textDocument/hover", place)
    assert "error" in answer or answer["result"] is None
    assert "root:" not in json.dumps(answer)


def test_malformed_messages_are_answered(editor: Editor, file: Path) -> None:
    """Keep running and answer every request."""
    editor.open(file)
    for data in (b"{", b"[]", b"null", b'"x"', b'{"jsonrpc":"2.0"}', b"\xff\xfe", b"{" * 5000, b'{"id":1,"method":5}'):
        editor.send(data)
    document = {"uri": file.as_uri()}
    for method in ("textDocument/hover", "textDocument/completion", "textDocument/rename", "no/such"):
        params: Any
        for params in (
            None,
            {},
            {"textDocument": document},
            {"textDocument": document, "position": {"line": "a"}},
            [1],
        ):
            assert "error" in editor.ask(method, params), (method, params)
    far = {"textDocument": document, "position": {"line": 10**9, "character": 10**9}}
    assert "error" not in editor.ask("textDocument/completion", far)
    editor.change(file, "\0" * 50 + "(((" * 5000, 9)
    assert "result" in editor.ask("textDocument/documentSymbol", {"textDocument": document})
    assert editor.ask("textDocument/hover", at(file, OWN, "held"))["result"] is None


def test_unusual_frames_do_not_stop_the_server(editor: Editor) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "odd", "method": "no/such", "params": {"jsonrpc": "x"}}).encode()
    size = b"%d" % len(body)
    legal = [
        b"content-length: %s\r\n\r\n", b"Content-Length:%s\r\n\r\n", b"CONTENT-LENGTH :\t%s \r\n\r\n",
        b"Content-Length: %s\n\n", b"X-A: b\r\nContent-Length: %s\r\nContent-Type: x/y; charset=utf-8\r\n\r\n",
        b"\r\n\r\nContent-Length: %s\r\n\r\n",
        b"Content-Type: x/y; charset=utf8\r\nContent-Length: %s\r\n\r\n", b"hello\r\nContent-Length: %s\r\n\r\n",
        b"\x00\xffhelloContent-Length: %s\r\n\r\n", b"x" * 50_000 + b"Content-Length: %s\r\n\r\n",
    ]  # fmt: skip
    for header in legal:
        editor.send(body, header.replace(b"%s", size))
        assert editor.receive(lambda message: "error" in message)["id"] == "odd", header[:40]
    refused = [b"-5", b"0", b"", b"abc", b"1.5", b"99999999999", b"9" * 3000]
    for header in [
        *(b"Content-Length: %s\r\n\r\n" % length for length in refused), b"Content-Type: x\r\n\r\n",
        b"Content-Type: x; charset=utf-16\r\nContent-Length: %s\r\n\r\n" % size,
    ]:  # fmt: skip
        editor.send(body, header)
        editor.send(body)
        answers = [editor.receive(lambda message: "error" in message) for _ in range(2)]
        assert [answer["id"] for answer in answers] == [None, "odd"], header[:40]
        assert answers[0]["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("data", "number", "code"),
    [
        (b"{", None, -32700), (b"\xff\xfe", None, -32700), (b"[" * 50_000, None, -32700), (b"1" * 6000, None, -32700),
        (b"[]", None, -32600), (b"null", None, -32600), (b'{"jsonrpc":"2.0"}', None, -32600),
        (b'{"id":7,"method":5}', 7, -32600), (b'{"jsonrpc":"1.0","id":8,"method":"shutdown"}', 8, -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"initialize","params":{}}', None, -32602),
        (b'{"jsonrpc":"2.0","id":9,"method":"textDocument/hover","params":{"jsonrpc":"2.0"}}', 9, -32602),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":10,"method":"no/such","params":{}}', 10, -32601),
    ],
)  # fmt: skip
def test_invalid_requests_return_json_rpc_errors(editor: Editor, data: bytes, number: int | None, code: int) -> None:
    editor.send(data)
    answer = editor.receive(lambda message: "error" in message)
    assert (answer["id"], answer["error"]["code"]) == (number, code)


def test_truncated_frame_stops_the_server() -> None:
    editor = Editor()
    editor.send(b"", b"Content-Length: 50\r\n\r\n{}")
    assert editor.wait_for_exit() == 0
    assert editor.receive(lambda message: "error" in message)["error"]["code"] == -32700


def test_unreadable_files_are_reported_with_utf16_columns(editor: Editor, file: Path) -> None:
    """Columns are UTF-16 units, for unsaved and saved texts."""
    syntax, nested = ErrorCode.SYNTAX_ERROR, ErrorCode.NESTED_TOO_DEEPLY
    for version, (text, code, column) in enumerate([
        ('n("𝒜名"). aa(1)。', syntax, 15), ('n("𝒜名"). b b.', syntax, 12), ('n("名', syntax, 2),
        ("p" + "(" * 9000, nested, 101),
    ]):  # fmt: skip

        def is_published(diagnostics: list[dict[str, Any]], code: str = code, column: int = column) -> bool:
            """Return whether the diagnostics are those of this text."""
            places = [item["range"]["start"] for item in diagnostics if item["code"] == code]
            return {"line": 0, "character": column} in places

        editor.open(file)
        editor.change(file, f"{text}\n", version + 2)
        (typed,) = editor.diagnostics(file, is_published)
        file.write_text(f"{text}\n", "utf-8")
        editor.save(file)
        diagnostics = editor.diagnostics(file, is_published)
        for item in (typed, next(item for item in diagnostics if item["code"] == code)):
            assert item["range"]["start"] == {"line": 0, "character": column}, text[:20]
    file.write_text(OWN, "utf-8")
    editor.save(file)
    editor.diagnostics(file, lambda diagnostics: all(item["severity"] == 2 for item in diagnostics))
