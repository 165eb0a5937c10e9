"""Planes of cards for convolutional networks."""

from pathlib import Path
from shutil import copytree

import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.games.game import load
from abl_cards.games.tables.planes import build_planes

TRICKS = Path(__file__).parents[1] / "vocabulary" / "tricks"


def test_planes_hold_the_cards_acting_as_their_cells() -> None:
    rules = load(str(TRICKS)).engine().rules
    planes = build_planes(rules)
    (best,) = planes.named_planes[0]
    assert {str(rules.pack.kinds[kind]) for kind in best.nonzero()[0]} == {
        "star",
        "card(5,a)",
        "card(5,b)",
        "card(5,c)",
    }


def test_plane_of_an_unknown_cell_is_an_error(tmp_path: Path) -> None:
    folder = copytree(TRICKS, tmp_path / "mine")
    text = (folder / "game.lp").read_text("utf-8")
    (folder / "game.lp").write_text(text.replace("plane(best,star)", "plane(best,moon)"), "utf-8")
    with pytest.raises(KBError, match=r"plane\(best,moon\)") as raised:
        build_planes(load(str(folder)).engine().rules)
    assert raised.value.code == ErrorCode.UNKNOWN_NAME
