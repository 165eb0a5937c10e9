"""Names that are reserved by shared rule files."""

from pathlib import Path

import pytest

from abl_cards.asp import KBError, Severity, Signature
from abl_cards.core.errors import ErrorCode
from abl_cards.games.description import COMMON_DIR, ENGINE_SIGNATURES, INPUTS, list_shelf_names, parse_files
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.loading import load_game_knowledge

GAME = """#include <seats>.
#include <climbing>.
seat(0..2). rank(1..3). pack(R,4) :- rank(R). deals(S,4) :- seat(S). leads(0).
label(set(R)) :- rank(R). label(pass). form(L,L) :- label(L). kind(set(R),set) :- rank(R). kind(pass,pass).
needs(set(R),1,R,1) :- rank(R). strength(set(R),R) :- rank(R).
#external held(R,N) : rank(R), N = 1..4.
playable(set(R)) :- held(R,1). playable(pass).
over :- out(_). points(S,1,x) :- out(S). match_over.
"""


def write(folder: Path, *lines: str) -> Folder:
    """Write a game with more lines after the eighth."""
    (folder / "game.lp").write_text(GAME + "".join(f"{line}\n" for line in lines), "utf-8")
    return Folder(folder)


def test_reserved_names_are_those_derived_by_a_shared_file() -> None:
    known = {*ENGINE_SIGNATURES, *INPUTS}
    names = set(map(str, list_shelf_names(parse_files([COMMON_DIR / "order.lp"], ()), known)))
    assert {"outranks/1", "rival/1"} <= names
    assert not names & {"legal/1", "move/1", "barred/1", "tier/2"}
    assert Signature("rank", 1) not in list_shelf_names(parse_files([COMMON_DIR / "pack52.lp"], ()), known)


def test_deriving_a_reserved_name_is_a_warning(tmp_path: Path) -> None:
    folder = write(tmp_path, "rank(4).", "outranks(set) :- held(3,4).")
    (warning,) = load_game_knowledge(folder, cache=False).warnings
    assert (warning.severity, warning.code) == (Severity.WARNING, ErrorCode.RESERVED_NAME)
    assert warning.location is not None
    assert (Path(warning.location.file).name, warning.location.line) == ("game.lp", 10)
    assert "order.lp" in warning.message


@pytest.mark.parametrize("line", ["any(rival,1). next(rival(set)) :- event(play). #external event(play)."])
def test_input_with_a_derived_name_is_an_error_at_its_line(tmp_path: Path, line: str) -> None:
    folder = write(tmp_path, "barred(set(3)) :- rival(set).", line, "#external rival(set).")
    with pytest.raises(KBError) as error:
        load_game_knowledge(folder, cache=False)
    problem = error.value.diagnostics[0]
    assert problem.code == ErrorCode.DERIVED_INPUT
    assert problem.location is not None
    assert problem.location.line == 11
    assert "order.lp" in problem.message
    shown = [item.location.file for item in error.value.diagnostics if item.location]
    assert not [file for file in shown if "common" in file]  # nobody can mend those
