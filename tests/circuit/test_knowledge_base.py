"""Load knowledge bases: files, includes, constants, facts, and the diagnostics of mistakes."""

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
from abl_cards.core import ErrorCode
from tests.asp.conftest import Load, format_place

DECLARATION = "#external held(R,N) : R = 1..3, N = 1..2.\n"
INPUTS = [Input("held", ((1, 2, 3), (1, 2)))]


def load_files(*files: Path, **settings: object) -> KnowledgeBase:
    return KnowledgeBase.load(files, inputs=INPUTS, outputs=[("legal", 1)], cache=False, **settings)  # type: ignore[arg-type]


def test_facts_have_the_order_of_clingo(load: Load) -> None:
    kb = load(
        DECLARATION + 'p(b). p(10). p(f(1)). p(2). p("x"). p(a). q(X) :- p(X), not r(X). r(a). s(R) :- held(R,1).'
    )
    assert kb.facts("p", 1) == [(2,), (10,), ("a",), ("b",), ('"x"',), ("f(1)",)]
    assert kb.facts("q", 1) == [(2,), (10,), ("b",), ('"x"',), ("f(1)",)]
    assert kb.facts("s", 1) == []
    assert kb.facts("rr", 1) == []
    assert kb.facts_as_dict("rr") == {}


def test_include_searches_library_folders(tmp_path: Path) -> None:
    """Library files come from the first folder that has them, and may include others; other files are refused."""
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
        with pytest.raises(KBError) as caught:
            loaded(f"#include <{name}>.")
        assert caught.value.code == ErrorCode.INVALID_INCLUDE


def test_facts_include_conditional_consequences(load: Load) -> None:
    kb = load(DECLARATION + "p(1..2). both :- p(X) : p(X). either :- held(1,1). either :- not held(1,1).")
    assert kb.facts("both", 0) == [()]


def test_circuits_are_cached(load: Load) -> None:
    kb = load(DECLARATION + "p(R) :- held(R,1). q(R) :- held(R,2).")
    assert kb.circuit("p/1", "q/1") is kb.circuit("q/1", "p/1")
    assert kb.circuit("violated/1").outputs == ()
    with pytest.raises(ValueError, match="'legal'"):
        kb.circuit("legal")


def test_includes_inside_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    main, more, third = tmp_path / "main.lp", tmp_path / "more" / "more.lp", tmp_path / "more" / "third.lp"
    main.write_text('#include "more/more.lp". % "no include": #include "/etc/passwd".\n' + DECLARATION)
    more.write_text('#include "third.lp". #include "../main.lp". legal(X) :- held(X,1), three(X).')
    third.write_text('three("no include <x>"). three(3). %* @f #include "gone.lp". *% says("a@b").')
    kb = load_files(main)
    assert [str(name) for name in kb.circuit("legal/1").outputs] == ["legal(3)"]
    third.write_text("three(3). legal(1) :- hlt(1).")
    with pytest.raises(KBError, match="'hlt/1'") as caught:
        load_files(main)
    problem = next(
        diagnostic for diagnostic in caught.value.diagnostics if diagnostic.code == ErrorCode.UNKNOWN_PREDICATE
    )
    assert problem.location is not None
    assert Path(problem.location.file).parts[-2:] == ("more", "third.lp")
    assert format_place(problem) == "1:23-29"


def test_include_through_an_outside_link_is_rejected(tmp_path: Path) -> None:
    folder, outside = tmp_path / "kb", tmp_path / "secret.lp"
    folder.mkdir()
    outside.write_text("three(3).")
    (folder / "link.lp").symlink_to(outside)
    (folder / "main.lp").write_text('#include "link.lp".\nlegal(1).')
    with pytest.raises(KBError, match=r"'link\.lp'") as caught:
        load_files(folder / "main.lp")
    assert caught.value.code == ErrorCode.FILE_OUTSIDE_FOLDER
    assert format_place(caught.value.diagnostics[0]) == "1:1-20"


def test_includes_do_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    (folder / "main.lp").write_text(DECLARATION + '#include "more.lp".\nlegal(1) :- held(1,1), a.')
    (folder / "more.lp").write_text("a.")
    (tmp_path / "more.lp").write_text("b. #include <incmode>.")
    monkeypatch.chdir(tmp_path)
    assert load_files(folder / "main.lp").facts("a", 0) == [()]


@pytest.mark.parametrize("hidden", ["%* % *%\n*% I", "%* %* *% *% I", '%* " *% I %*"*%', '%* %%* "\n*% I'])
def test_includes_among_comments_are_rejected(load: Load, hidden: str) -> None:
    with pytest.raises(KBError) as caught:
        load(DECLARATION + hidden.replace("I", '#include "/etc/hostname".') + "\nlegal(1).")
    assert caught.value.code == ErrorCode.FILE_OUTSIDE_FOLDER


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (b"", ErrorCode.FILE_NOT_READABLE, "1:1-1"),
        (b" \n\n", ErrorCode.FILE_NOT_READABLE, "1:1-1"),
        (b"legal(1).\nlegal(\xff).", ErrorCode.FILE_NOT_READABLE, "2:7-8"),
        (b"legal(1).\n\n\0", ErrorCode.FILE_NOT_READABLE, "3:1-2"),
        ("legal(1). % 掼蛋\nlegal(吃).".encode(), ErrorCode.SYNTAX_ERROR, "2:7-8"),
        (b"legal(99999999999).", ErrorCode.INTEGER_OVERFLOW, "1:7-18"),
        (b"legal(1).\n:- not never.\n#defined never/0.", ErrorCode.ALWAYS_VIOLATED, "2:1-14"),
    ],
)
def test_invalid_content_is_an_error_at_its_location(
    tmp_path: Path, content: bytes, code: ErrorCode, place: str
) -> None:
    file = tmp_path / "rules.lp"
    file.write_bytes(content)
    with pytest.raises(KBError) as caught:
        load_files(file)
    assert (caught.value.code, format_place(caught.value.diagnostics[0])) == (code, place)


def test_missing_special_and_large_files_are_errors(tmp_path: Path) -> None:
    missing, folder, pipe, large = (tmp_path / name for name in ("missing.lp", "folder.lp", "pipe.lp", "large.lp"))
    folder.mkdir()
    os.mkfifo(pipe)
    large.write_text("legal(1). " * 1000)
    with pytest.raises(KBError) as caught:
        load_files(missing, folder, pipe, large, limits=Limits(file_bytes=5000))
    codes = {
        Path(diagnostic.message.partition(":")[0]).name: diagnostic.code for diagnostic in caught.value.diagnostics
    }
    not_readable = ErrorCode.FILE_NOT_READABLE
    assert codes == {
        "missing.lp": not_readable,
        "folder.lp": not_readable,
        "pipe.lp": not_readable,
        "large.lp": ErrorCode.TOO_LARGE,
    }
    with pytest.raises(KBError) as caught:
        load_files()
    assert caught.value.code == not_readable


def test_constants_override_and_unknown_ones_raise(load: Load) -> None:
    text = DECLARATION + "#const top = 2.\nlegal(R) :- held(R,1), R <= top."
    assert len(load(text, constants={"top": 3}).circuit("legal/1").outputs) == 3
    assert len(load(text).circuit("legal/1").outputs) == 2
    with pytest.raises(KBError, match=r"'topp'.*'top'") as caught:
        load(text, constants={"topp": 3})
    assert caught.value.code == ErrorCode.INVALID_CONSTANT


def test_two_facts_for_one_key_raise(load: Load) -> None:
    kb = load(DECLARATION + "value(a,1). value(b,2). legal(1) :- held(1,1). #show value/2.")
    assert kb.facts_as_dict("value") == {"a": 1, "b": 2}
    with pytest.raises(KBError) as caught:
        load(DECLARATION + "value(a,1). value(a,2). #show value/2.").facts_as_dict("value")
    assert caught.value.code == ErrorCode.CONFLICTING_FACTS


def test_warnings_do_not_prevent_loading(load: Load) -> None:
    kb = load(
        DECLARATION + "#external wild(N) : N = 1..2.\nlost(1).\nlegal(1) :- held(1,1).\n"
        "form(1). strange(F) :- form(F), F > 3.\n#show strange/1.\n"
        'preference(p,g). says(p,en,"x"). cost(p,1) :- held(1,1).\npreference(idle,g).',
        inputs=[*INPUTS, Input("wild", None, 1)],
        outputs=[("legal", 1)],
    )
    names = [warning.message.split("'")[1] for warning in kb.warnings]
    assert [*zip((warning.code for warning in kb.warnings), map(format_place, kb.warnings), names, strict=True)] == [
        (ErrorCode.UNUSED_DEFINITION, "2:11-18", "wild/1"),
        (ErrorCode.UNUSED_DEFINITION, "3:1-8", "lost/1"),
        (ErrorCode.NEVER_DERIVED, "5:10-20", "strange/1"),
        (ErrorCode.INCOMPLETE_PREFERENCE, "7:34-43", "p"),
        (ErrorCode.INCOMPLETE_PREFERENCE, "8:1-19", "idle"),
    ]


def test_rules_that_contradict_themselves_are_warned_about(load: Load) -> None:
    kb = load(DECLARATION + "p(R) :- held(R,1), not held(R,2), not held(_,2).\np(R) :- held(R,N),  not held(R,N).\n"
              "p(R) :- not held(R,1), not held(R,1), R = 1..3.\np(R) :- held(R,N), not not held(R,N).",
              outputs=[("p", 1)])  # fmt: skip
    assert [(warning.code, format_place(warning)) for warning in kb.warnings] == [
        (ErrorCode.NEVER_DERIVED, "3:21-34"),
    ]


@pytest.mark.parametrize(
    ("condition", "name", "remedy"),
    [
        ("R < kng", "kng", "'king'"),
        ("R >= kng", "kng", "'king'"),
        ("kng <= R", "kng", "'king'"),
        ("R = kng", "kng", "'king'"),
        ("R != kng", "kng", "'king'"),
        ("R > zebra", "zebra", "#const zebra"),
        ("R = zebra", "", ""),  # may be a value that only the engine names
        ("R < king", "", ""),
        ("king < R", "", ""),
        ("R < king, named(kng), kng > R", "", ""),
        ('R < 2, word("R < kng")', "", ""),
        ("R < 2 % R < kng", "", ""),
        ("R < king-1, #count{N : held(R,N)} < kings", "kings", "'king'"),
    ],
)
def test_name_used_only_in_a_comparison_is_a_warning(load: Load, condition: str, name: str, remedy: str) -> None:
    text = f'#const king = 3.\nnamed(kng). word("R < kng").\nlegal(R) :- held(R,_), {condition}\n.'
    if "named" not in condition:
        text = text.replace("named(kng).", "")
    kb = load(DECLARATION + text, outputs=[("legal", 1)])
    found = [warning for warning in kb.warnings if warning.code == ErrorCode.UNKNOWN_NAME]
    assert [warning.message.split("'")[1] for warning in found] == [name] * bool(name)
    assert all(remedy in warning.remedy for warning in found)


def test_preference_without_cost_is_a_warning(load: Load) -> None:
    kb = load(
        DECLARATION + "legal(1) :- held(1,1).\n"
        'preference(none,g). says(none,en,"x"). says(none,zh,"x"). cost(none(R),0) :- held(R,1).\n'
        'preference(some,g). says(some,en,"x"). says(some,zh,"x"). cost(some(R),R-1) :- held(R,1).',
        outputs=[("legal", 1)],
    )
    assert [(warning.code, warning.message.split("'")[1]) for warning in kb.warnings] == [
        (ErrorCode.INCOMPLETE_PREFERENCE, "none")
    ]


def test_unset_switches_are_not_warnings(load: Load) -> None:
    kb = load(DECLARATION + "#defined switch/0.\na :- switch. b :- a. legal(1) :- held(1,1). legal(2) :- b.")
    assert [warning for warning in kb.warnings if warning.code == ErrorCode.NEVER_DERIVED] == []


def test_preferences_of_unset_switches_are_not_warnings(load: Load) -> None:
    """Another profile has the switch; a preference without any rule, or with one that reads no switch, is reported."""
    kb = load(
        DECLARATION + "#defined switch/0.\n#defined other/1.\nlegal(1) :- held(1,1). part(R) :- other(R).\n"
        'preference(p,g). says(p,en,"x"). says(p,zh,"x"). cost(p,1) :- switch, held(1,1).\n'
        'preference(q,g). says(q,en,"x"). says(q,zh,"x"). cost(q(R),1) :- held(R,1), part(R).\n'
        'preference(r,g). says(r,en,"x"). says(r,zh,"x"). cost(r,1) :- held(1,1), 1 > 2. c :- switch.\n'
        "#show c/0.",
        outputs=[("legal", 1)],
    )
    assert [(warning.code, warning.message.split("'")[1]) for warning in kb.warnings] == [
        (ErrorCode.INCOMPLETE_PREFERENCE, "r")
    ]


@pytest.mark.parametrize(
    ("name", "sentence", "wrong"),
    [
        ("p", "No argument {1}.", ["{1}"]),
        ("p(R)", "One {1} and {1^}.", []),
        ("p(R)", "Two {2}, {2^}, none {0}.", ["{2}", "{2^}", "{0}"]),
        ("p(R,1)", "Two {2}.", []),
    ],
)
def test_placeholder_without_an_argument_is_a_warning(load: Load, name: str, sentence: str, wrong: list[str]) -> None:
    kb = load(
        DECLARATION + f'legal(1) :- held(1,1). preference(p,g). says(p,zh,"x"). says(p,en,"{sentence}"). '
        f"cost({name},1) :- held(R,1).",
        outputs=[("legal", 1)],
    )
    found = [(warning.code, warning.message.partition(" ")[0]) for warning in kb.warnings]
    assert found == [(ErrorCode.INCOMPLETE_PREFERENCE, text) for text in wrong]


def test_loading_imports_neither_numba_nor_torch(tmp_path: Path) -> None:
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


def test_joins_may_exceed_the_declared_range(load: Load) -> None:
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
    ("rules", "code", "place", "value"),
    [
        ("switch(far_of).", ErrorCode.UNUSED_DEFINITION, "4:1-15", "'far_off'"),
        ("switch(no). :- switch(X), X != on, X != far_off.", ErrorCode.UNUSED_DEFINITION, "4:1-11", "switch(no)"),
        ("switch(7).", ErrorCode.UNUSED_DEFINITION, "4:1-10", "far_off, on"),
        ("switch(on). #const top = 12. [override]", ErrorCode.INVALID_CONSTANT, "4:13-40", "top"),
        ("violated(1).", ErrorCode.RESERVED_NAME, "4:1-12", "'violated'"),
        ("_asked(1,1).", ErrorCode.RESERVED_NAME, "4:1-12", "'_asked'"),
        ("#const a = b. #const b = a.", ErrorCode.INVALID_CONSTANT, "4:1-14", "rules.lp:4:15-28"),
        ("cost((a,b),2) :- held(1,1).", ErrorCode.INVALID_WEIGHT, "4:1-14", "cost"),
        (f"legal({'-' * 3000}1).", ErrorCode.NESTED_TOO_DEEPLY, "4:106-107", ""),
        (f"#const a = {'-' * 3000}1.", ErrorCode.NESTED_TOO_DEEPLY, "4:111-112", ""),
        (FEW, ErrorCode.NO_CIRCUIT, "4:1-60", ""),
        (BIG, ErrorCode.INTEGER_OVERFLOW, "4:1-47", "2147483647"),
        (BIG + FEW, ErrorCode.NO_CIRCUIT, "4:48-107", ""),
        ('#include "a\\nb".', ErrorCode.INVALID_INCLUDE, "4:1-17", "'a b'"),
    ],
)
def test_errors_have_their_location(load: Load, rules: str, code: ErrorCode, place: str, value: str) -> None:
    text = SWITCH.replace("\n", "\n#defined switch/1.\n", 1) + rules
    with pytest.raises(KBError) as caught:
        load(text)
    problems = [
        diagnostic
        for diagnostic in caught.value.diagnostics
        if (diagnostic.code, format_place(diagnostic)) == (code, place)
    ]
    assert any(value in str(diagnostic) for diagnostic in problems), caught.value
    assert all("\n" not in str(diagnostic) for diagnostic in caught.value.diagnostics)


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
def test_facts_for_optional_predicates_are_accepted(load: Load, rules: str) -> None:
    load(DECLARATION + "#defined switch/1. legal(1) :- switch(on), held(1,1). " + rules)


def test_directives_and_constants_without_effect_are_warnings(load: Load) -> None:
    """A name in a comment or a text counts for nothing, one in another constant or in `#show` does."""
    kb = load(
        DECLARATION
        + '#const low = 3. #const high = low + 1. #const lost = 2. % lost\nlegal(1) :- held(1,1), "lost" != high.\n'
        "other(1). #show other/1. #show otter/1. #show held/2.\n#defined legal/1. #defined other/2. #defined off/1.\n"
        "legal(2) :- off(2), held(2,1).\n#defined othe/2. legal(3) :- held(3,1), not other(1,2).",
    )
    assert [(warning.code, format_place(warning)) for warning in kb.warnings] == [
        (ErrorCode.UNUSED_DEFINITION, "2:40-56"),
        (ErrorCode.UNKNOWN_PREDICATE, "4:26-40"),
        (ErrorCode.UNUSED_DEFINITION, "7:1-17"),
    ]
    assert ["'other/1'" in kb.warnings[1].remedy, "'other/2'" in kb.warnings[2].remedy] == [True, True]


def test_similar_names_are_warnings(load: Load) -> None:
    kb = load(SWITCH + "#defined switch/1. swtch(on). #const king = 3. #const kng = 12. legal(king).")
    suggestions = {
        format_place(warning): warning.remedy for warning in kb.warnings if warning.code == ErrorCode.UNUSED_DEFINITION
    }
    assert "'switch'" in suggestions["3:20-29"]
    assert "'king'" in suggestions["3:48-64"]
