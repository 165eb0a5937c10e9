"""Inputs about something that there is not are errors at their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.input_checks import INPUT_ARGUMENTS, InputArgument, find_wrong_inputs
from abl_cards.games.description.input_schema import INPUTS
from abl_cards.games.description.known_names import read_known_names
from tests.games.notation.folders import WILD, rules_of

_MORE = """
#external asked(S) : seat(S).
asks(gift,S) :- asked(S).
option(give(1..2)) :- asked(_).
lots(first,3).
"""
_THERE = {
    "seat": "0", "name of another seat": "next", "rank, suit or card": "3", "card": "star", "form": "single(3)",
    "label": "single(3)", "kind": "1", "stage": "gift", "option": "give(1)", "random number": "first", "event": "play",
}  # fmt: skip


def _problems(path: Path, lines: list[str]) -> list[Diagnostic]:
    path.mkdir()
    (path / "game.lp").write_text(WILD + _MORE, encoding="utf-8")
    (path / "inputs.lp").write_text("\n".join(lines), encoding="utf-8")
    return list(find_wrong_inputs(read_known_names(Folder(path), None)))


def _line(name: str, arguments: tuple[InputArgument | None, ...], wrong: int | None = None) -> str:
    there = ["1" if named is None else _THERE[named.name] for named in arguments]
    written = ["nobody(9)" if place == wrong else term for place, term in enumerate(there)]
    return f"#external {name}({','.join(written)})." if written else f"#external {name}."


def test_every_input_is_declared() -> None:
    assert set(INPUT_ARGUMENTS) == set(INPUTS)


def test_every_argument_that_names_nothing_is_an_error_at_its_line(tmp_path: Path) -> None:
    lines = [
        _line(signature.name, arguments, wrong)
        for signature, arguments in INPUT_ARGUMENTS.items()
        for wrong, named in enumerate(arguments)
        if named is not None
    ]
    found = _problems(tmp_path / "game", lines)
    places = [each.location.line for each in found if each.location and Path(each.location.file).name == "inputs.lp"]
    assert sorted(places) == list(range(1, len(lines) + 1))


def test_what_there_is_may_be_named(tmp_path: Path) -> None:
    assert (
        _problems(tmp_path / "game", [_line(each.name, arguments) for each, arguments in INPUT_ARGUMENTS.items()]) == []
    )


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("#external lot(frist,N) : N = 0..2.", "did you mean 'first'?"),
        ("#external chosen(C) : C = (give(1..3);gvie(1)).", "gvie(1) is no option"),
        ("#external chosen(give(1..3)).", ""),
        ("#external chosen(give(9)).", "give(9) is no option"),
        ("#external held(7,1).", "7 is no rank, suit or card"),
        ("#external stage(T) : T = (gift;lift).", "lift is no stage"),
        ("#external play(L) : L = (single(3..9);sinlge(3)).", "sinlge(3) is no label"),
        ("#external acted(S) : S = 0..3.", "3 is no seat"),
        ("#external held(R,N) : R = 3..99, N = 1.", ""),
    ],
)
def test_a_variable_may_give_more_of_a_functor(tmp_path: Path, line: str, wrong: str) -> None:
    found = _problems(tmp_path / "game", [line])
    assert len(found) == bool(wrong)
    assert wrong in "".join(map(str, found))


def test_check_refuses_them(tmp_path: Path) -> None:
    wrong = "#external lot(nmae,0..1). over :- lot(nmae,0)."
    with pytest.raises(KBError, match=r"game\.lp:\d+.*lot\(nmae,0\): nmae is no random number"):
        rules_of(tmp_path / "game", f"{WILD}lots(name,2). #external lot(name,0..1). {wrong}\n")
