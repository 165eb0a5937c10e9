"""Loading: files, includes, constants, facts, warnings, and what a rule writer is told about them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from abl_cards.asp.build import Limits
from abl_cards.asp.errors import KBError
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase
from tests.asp.conftest import Load

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\n"
INPUTS = [Input("held", ((1, 2, 3), (1, 2)))]


def load_files(*files: Path, **settings: object) -> KnowledgeBase:
    return KnowledgeBase.load(files, inputs=INPUTS, outputs=[("legal", 1)], cache=False, **settings)  # type: ignore[arg-type]


def test_facts_come_in_the_order_of_clingo(load: Load) -> None:
    kb = load(
        DECLARATION + 'p(b). p(10). p(f(1)). p(2). p("x"). p(a). q(X) :- p(X), not r(X). r(a). s(R) :- held(R,1).'
    )
    assert kb.facts("p", 1) == [(2,), (10,), ("a",), ("b",), ('"x"',), ("f(1)",)]
    assert kb.facts("q", 1) == [(2,), (10,), ("b",), ('"x"',), ("f(1)",)]
    assert kb.facts("s", 1) == []
    assert kb.facts("rr", 1) == []
    assert kb.facts_as_dict("rr") == {}


def test_common_files_come_from_the_library(tmp_path: Path) -> None:
    """Those of the first folder that has them, which may include others; nothing else can be reached so."""
    for number, folder in enumerate(("own", "common")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "base.lp").write_text(f"base({number}).")
    (tmp_path / "common" / "more.lp").write_text("#include <base>. more(X) :- base(X).")
    rules = tmp_path / "rules.lp"
    library = [tmp_path / "own", tmp_path / "common"]

    def loaded(text: str) -> KnowledgeBase:
        rules.write_text(f"{DECLARATION}legal(1) :- held(1,1). {text}")
        return KnowledgeBase.load([rules], inputs=INPUTS, outputs=[("legal", 1)], library=library, cache=False)

    assert loaded("#include <more>.").facts("more", 1) == [(0,)]
    for name in ("../rules", "mor", "/etc/passwd"):
        with pytest.raises(KBError, match="no such common file"):
            loaded(f"#include <{name}>.")


def test_facts_see_through_conditions(load: Load) -> None:
    kb = load(DECLARATION + "p(1..2). both :- p(X) : p(X). either :- held(1,1). either :- not held(1,1).")
    assert kb.facts("both", 0) == [()]


def test_circuits_are_remembered(load: Load) -> None:
    kb = load(DECLARATION + "p(R) :- held(R,1). q(R) :- held(R,2).")
    assert kb.circuit("p/1", "q/1") is kb.circuit("q/1", "p/1")
    assert kb.circuit("violated/1").outputs == ()
    with pytest.raises(ValueError, match="write name/arity"):
        kb.circuit("legal")


def test_includes_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    main, more, third = tmp_path / "main.lp", tmp_path / "more" / "more.lp", tmp_path / "more" / "third.lp"
    main.write_text('#include "more/more.lp". % "no include": #include "/etc/passwd".\n' + DECLARATION)
    more.write_text('#include "third.lp". #include "../main.lp". legal(X) :- held(X,1), three(X).')
    third.write_text('three("no include <x>"). three(3). %* @f #include "gone.lp". *% says("a@b").')
    kb = load_files(main)
    assert [str(name) for name in kb.circuit("legal/1").outputs] == ["legal(3)"]
    third.write_text("three(3). legal(1) :- hlt(1).")
    with pytest.raises(KBError, match=r"more/third\.lp:1:23-29: error: unknown predicate 'hlt/1'"):
        load_files(main)


def test_include_through_a_link(tmp_path: Path) -> None:
    folder, outside = tmp_path / "kb", tmp_path / "secret.lp"
    folder.mkdir()
    outside.write_text("three(3).")
    (folder / "link.lp").symlink_to(outside)
    (folder / "main.lp").write_text('#include "link.lp".\nlegal(1).')
    with pytest.raises(KBError, match=r"main\.lp:1:1-20: error: #include of 'link\.lp' from outside"):
        load_files(folder / "main.lp")


def test_an_include_is_read_from_the_folder_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    (folder / "main.lp").write_text(DECLARATION + '#include "more.lp".\nlegal(1) :- held(1,1), a.')
    (folder / "more.lp").write_text("a.")
    (tmp_path / "more.lp").write_text("b. #include <incmode>.")
    monkeypatch.chdir(tmp_path)
    assert load_files(folder / "main.lp").facts("a", 0) == [()]


@pytest.mark.parametrize("hidden", ["%* % *%\n*% I", "%* %* *% *% I", '%* " *% I %*"*%', '%* %%* "\n*% I'])
def test_includes_hidden_among_comments(load: Load, hidden: str) -> None:
    with pytest.raises(KBError, match="from outside the knowledge base"):
        load(DECLARATION + hidden.replace("I", '#include "/etc/hostname".') + "\nlegal(1).")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"rules\.lp:1:1-1: error: an empty rule file"),
        (b" \n\n", "an empty rule file"),
        (b"legal(1).\nlegal(\xff).", r"rules\.lp:2:7-8: error: not UTF-8"),
        (b"legal(1).\n\n\0", r"rules\.lp:3:1-2: error: a NUL"),
        ("legal(1). % 掼蛋\nlegal(吃).".encode(), r"rules\.lp:2:7-8: error: unexpected '吃'"),
        (b"legal(99999999999).", r"rules\.lp:1:7-18: error: 99999999999 is more than"),
        (b"legal(1).\n:- not never.\n#defined never/0.", r":2:1-14: error: the constraint is violated in every state"),
    ],
)
def test_strange_content(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "rules.lp"
    file.write_bytes(content)
    with pytest.raises(KBError, match=message):
        load_files(file)


def test_strange_files(tmp_path: Path) -> None:
    missing, folder, pipe, large = (tmp_path / name for name in ("missing.lp", "folder.lp", "pipe.lp", "large.lp"))
    folder.mkdir()
    os.mkfifo(pipe)
    large.write_text("legal(1). " * 1000)
    with pytest.raises(KBError) as caught:
        load_files(missing, folder, pipe, large, limits=Limits(file_bytes=5000))
    text = str(caught.value)
    for part in (
        "missing.lp: cannot be read",
        "folder.lp: not a file",
        "pipe.lp: not a file",
        "larger than 5000 bytes",
    ):
        assert part in text
    with pytest.raises(KBError, match="at least one rule file"):
        load_files()


def test_constants(load: Load) -> None:
    text = DECLARATION + "#const top = 2.\nlegal(R) :- held(R,1), R <= top."
    assert len(load(text, constants={"top": 3}).circuit("legal/1").outputs) == 3
    assert len(load(text).circuit("legal/1").outputs) == 2
    with pytest.raises(KBError, match=r"unknown constant 'topp' \(did you mean 'top'"):
        load(text, constants={"topp": 3})


def test_warnings_let_a_knowledge_base_pass(load: Load) -> None:
    kb = load(
        DECLARATION + "#external wild(N) : N = 1..2.\nlost(1).\nlegal(1) :- held(1,1).\n"
        "form(1). strange(F) :- form(F), F > 3.\n#show strange/1.\n"
        'preference(p,g). says(p,en,"x"). cost(p,1) :- held(1,1).\npreference(idle,g).',
        inputs=[*INPUTS, Input("wild", None, 1)],
        outputs=[("legal", 1)],
    )
    lines = [str(warning).partition("rules.lp:")[2] for warning in kb.warnings]
    assert lines == [
        "2:11-18: warning: input 'wild/1' is used by no rule (remove the declaration)",
        "3:1-8: warning: 'lost/1' is derived but used nowhere (remove it, or #show it)",
        "5:10-20: warning: no rule for 'strange/1' can ever fire (compare the arguments in its bodies)",
        "7:34-43: warning: 'p' has no Chinese words (write says(p, zh, \"…\").)",
        "8:1-19: warning: preference 'idle' costs nothing (derive cost(idle, Weight), or remove it)",
    ]


def test_switches_that_are_off_are_no_warning(load: Load) -> None:
    kb = load(DECLARATION + "#defined switch/0.\na :- switch. b :- a. legal(1) :- held(1,1). legal(2) :- b.")
    assert [str(w) for w in kb.warnings if "fire" in str(w)] == []


def test_importing_and_loading_needs_neither_numba_nor_torch(tmp_path: Path) -> None:
    file = tmp_path / "rules.lp"
    file.write_text(DECLARATION + "legal(R) :- held(R,1).")
    code = f"""
import sys
from abl_cards.asp import Input
from abl_cards.circuit import KnowledgeBase
inputs = [Input("held", ((1, 2, 3), (1, 2)))]
KnowledgeBase.load([{str(file)!r}], inputs=inputs, outputs=[("legal", 1)]).circuit("legal/1").stats
assert not {{"numba", "torch"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_joins_may_pass_the_declared_range(load: Load) -> None:
    kb = load(
        DECLARATION + "needs(a,1,2). needs(b,2,3). needs(c,1,1). other(9).\n"
        "legal(F) :- needs(F,R,N), held(R,N), not held(R,N+1).\n"
        "legal(x) :- needs(F,R,N), held(R,N), R != 2. legal(y) :- held(R,N), other(X), X > R, held(R,_).",
        outputs=[("legal", 1)],
    )
    assert kb.warnings == ()
    assert kb.facts("needs", 3) == [("a", 1, 2), ("b", 2, 3), ("c", 1, 1)]
    assert not [name for name in kb.ground.atoms if name.name.startswith("_")]


FEW = "few(R) :- held(R,1), #count { S : few(S), held(S,2) } != 1. "
BIG = "wide :- #sum { 2000000000,R : held(R,1) } > 3. "
SWITCH = DECLARATION + "legal(1) :- switch(on), held(1,1). legal(2) :- switch(far_off), held(1,1).\n"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("switch(far_of).", "4:1-15: error: no rule asks for switch(far_of) (did you mean 'far_off'?)"),
        ("switch(no). :- switch(X), X != on, X != far_off.", "4:1-11: error: no rule asks for switch(no)"),
        ("switch(7).", "4:1-10: error: no rule asks for switch(7) (rules ask for far_off, on)"),
        ("switch(on). #const top = 12. [override]", "4:13-40: error: #const top with [override]"),
        ("violated(1).", "4:1-12: error: 'violated' is reserved for integrity constraints"),
        ("_asked(1,1).", "4:1-12: error: '_asked' is reserved for the checks"),
        ("#const a = b. #const b = a.", "rules.lp:4:1-14: error: cyclic constant definition"),
        ("#const a = b. #const b = a.", "rules.lp:4:15-28: note: cycle involves definition"),
        ("cost((a,b),2) :- held(1,1).", "4:1-14: error: a cost without a name"),
        (f"legal({'-' * 3000}1).", "4:106-107: error: terms or literals are nested too deeply"),
        (f"#const a = {'-' * 3000}1.", "4:111-112: error: terms or literals are nested too deeply"),
        (FEW, "4:1-60: error: a loop through an aggregate that more atoms can make false has no circuit"),
        (BIG, "4:1-47: error: the weights of a sum add up to more than 2147483647"),
        (BIG + FEW, "4:48-107: error: a loop through an aggregate"),
        ('#include "a\\nb".', "4:1-17: error: #include of 'a b': no such file"),
    ],
)
def test_mistakes_are_told_where_they_stand(load: Load, rules: str, message: str) -> None:
    text = SWITCH.replace("\n", "\n#defined switch/1.\n", 1) + rules
    with pytest.raises(KBError) as caught:
        load(text)
    assert message in str(caught.value)
    assert all("\n" not in str(each) for each in caught.value.diagnostics)


@pytest.mark.parametrize(
    "rules",
    [
        "switch(on).",
        "switch(X) :- X = 3, held(1,1).",  # no fact
        "other(2). legal(3) :- other(X), held(X,1), held(1,1). #const jack = 11.",
        "switch(2). :- switch(X), held(X,2).",
        "switch(no). :- switch(X), X != on, X != no.",
        "row(1,a). row(2,b). legal(R) :- row(R,a), held(R,1). #show row/2.",
    ],
)
def test_facts_that_somebody_may_ask_for_are_no_mistake(load: Load, rules: str) -> None:
    load(DECLARATION + "#defined switch/1. legal(1) :- switch(on), held(1,1). " + rules)


def test_names_that_are_nearly_others_are_warned_of(load: Load) -> None:
    kb = load(SWITCH + "#defined switch/1. swtch(on). #const king = 3. #const kng = 12. legal(king).")
    text = "\n".join(map(str, kb.warnings))
    assert "3:20-29: warning: 'swtch/1' is derived but used nowhere (did you mean 'switch'?)" in text
    assert "3:48-64: warning: constant 'kng' is used nowhere (did you mean 'king'?)" in text
