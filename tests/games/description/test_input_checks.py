"""Inputs about unknown names are errors at their location."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError
from abl_cards.core import ErrorCode
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.input_checks import find_wrong_inputs
from abl_cards.games.description.input_schema import InputArgument
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.known_names import read_known_names
from tests.games.notation.folders import WILD, rules_of

_MORE = """
#external asked(S) : seat(S).
acts_as(card(R,S),card(R,S)) :- rank(R), suit(S).
asks(gift,S) :- asked(S).
option(give(1..2)) :- asked(_).
lots(first,3).
"""
_KNOWN_TERMS = {
    "seat": "0", "name of another seat": "next", "cell": "3", "card": "star", "form": "single(3)",
    "label": "single(3)", "kind": "1", "stage": "gift", "option": "give(1)", "random number": "first", "event": "play",
}  # fmt: skip


def _problems(path: Path, lines: list[str]) -> list[Diagnostic]:
    path.mkdir()
    (path / "game.lp").write_text(WILD + _MORE, encoding="utf-8")
    (path / "inputs.lp").write_text("\n".join(lines), encoding="utf-8")
    return list(find_wrong_inputs(read_known_names(Folder(path), None)))


def _line(name: str, arguments: tuple[InputArgument, ...], wrong: int | None = None) -> str:
    known = ["1" if sort.find_terms is None else _KNOWN_TERMS[sort.name] for sort in arguments]
    for place, (one, other) in enumerate(pairwise(arguments)):
        if one is other and one.name == "cell":
            known[place + 1] = "a"  # the suit of a card
    terms = ["nobody(9)" if index == wrong else term for index, term in enumerate(known)]
    return f"#external {name}({','.join(terms)})." if terms else f"#external {name}."


def test_unknown_names_are_errors_at_their_line(tmp_path: Path) -> None:
    lines = [
        _line(signature.name, entry.arguments, wrong)
        for signature, entry in INPUTS.items()
        for wrong, sort in enumerate(entry.arguments)
        if sort.find_terms is not None
    ]
    problems = _problems(tmp_path / "game", lines)
    locations = [problem.location for problem in problems if problem.location]
    line_numbers = [location.line for location in locations if Path(location.file).name == "inputs.lp"]
    assert sorted(line_numbers) == list(range(1, len(lines) + 1))
    assert {problem.code for problem in problems} == {ErrorCode.UNKNOWN_NAME}


def test_known_names_are_accepted(tmp_path: Path) -> None:
    lines = [_line(signature.name, entry.arguments) for signature, entry in INPUTS.items()]
    assert _problems(tmp_path / "game", lines) == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("#external lot(frist,N) : N = 0..2.", "'first'"),
        ("#external chosen(C) : C = (give(1..3);gvie(1)).", ": gvie(1) "),
        ("#external chosen(give(1..3)).", ""),
        ("#external chosen(give(9)).", ": give(9) "),
        ("#external held(7,1).", ": 7 "),
        ("#external stage(T) : T = (gift;lift).", ": lift "),
        ("#external play(L) : L = (single(3..9);sinlge(3)).", ": sinlge(3) "),
        ("#external acted(S) : S = 0..3.", ": 3 "),
        ("#external held(R,N) : R = 3..99, N = 1.", ""),
    ],
)
def test_input_terms_with_variables(tmp_path: Path, line: str, wrong: str) -> None:
    problems = _problems(tmp_path / "game", [line])
    assert [problem.code for problem in problems] == ([ErrorCode.UNKNOWN_NAME] if wrong else [])
    assert wrong in "".join(map(str, problems))


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("#external holds(S,C,N) : seat(S), C = (star;3), N = 1.", None),  # a rule may go over all cards
        ("#external holds(S,C,N) : seat(S), C = (star;card(3,a)), N = 1.", "star"),
        ("#external aside(star,1).", "star"),
        ("#external aside(card(3,a),1).", "card(3,a)"),
        ("#external aside(3,a,1).", "card(3,a)"),
        ("#external aside(a,1).", "a"),
        ("#external left(R,S,N) : rank(R), suit(S), N = 1.", "card(3,a)"),
        ("#external aside(C,1) : C = (3;wild).", None),
    ],
)
def test_cards_that_do_not_act_as_themselves_are_unknown(tmp_path: Path, line: str, unknown: str | None) -> None:
    """The star acts as `wild` alone, and a card of a rank and a suit as its rank: nothing else is supplied."""
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "game.lp").write_text(f"{WILD}{line}\n", encoding="utf-8")
    problems = list(find_wrong_inputs(read_known_names(Folder(folder), None)))
    assert [problem.code for problem in problems] == [ErrorCode.UNKNOWN_NAME] * (unknown is not None)
    assert all(f": {unknown} is no cell" in str(problem) for problem in problems)


@pytest.mark.parametrize(
    ("rule", "is_wrong"),
    [
        ("leads(S) :- holds(S,card(3,a),1).", True),
        ("leads(S) :- holds(S,star,1), seat(S).", True),
        ("over :- not holds(0,star,1), acts(1).", True),
        ("#external holds(S,3,1) : seat(S). leads(S) :- holds(S,3,1).", False),
        ("leads(S) :- holds(S,C,1), C = 3.", False),
    ],
)
def test_reading_cells_declared_by_common_files_only_is_an_error(tmp_path: Path, rule: str, is_wrong: bool) -> None:
    """`<opening>` declares `holds(S,C,N)` of every card, for games whose cards act as themselves."""
    folder, opening = tmp_path / "game", "#include <opening>. opens(3,a).\n"
    folder.mkdir()
    (folder / "game.lp").write_text(f"{WILD}{opening}{rule}\n", encoding="utf-8")
    problems = list(find_wrong_inputs(read_known_names(Folder(folder), None)))
    assert [problem.code for problem in problems] == [ErrorCode.UNKNOWN_NAME] * is_wrong
    lines = [problem.location.line for problem in problems if problem.location]
    assert lines == [len(f"{WILD}{opening}{rule}".splitlines())] * is_wrong


def test_compilation_rejects_unknown_names(tmp_path: Path) -> None:
    wrong = "#external lot(nmae,0..1). over :- lot(nmae,0)."
    with pytest.raises(KBError, match=r"lot\(nmae,0\)") as raised:
        rules_of(tmp_path / "game", f"{WILD}lots(name,2). #external lot(name,0..1). {wrong}\n")
    error = raised.value.diagnostics[0]
    assert error.code == ErrorCode.UNKNOWN_NAME
    assert error.location is not None
    assert Path(error.location.file).name == "game.lp"
