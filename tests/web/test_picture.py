"""Pictures of positions: well-formed, with each card once, in the rectangles of the page's layout."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from abl_cards.core import ErrorCode, GameError, splitmix64_array
from abl_cards.games import Engine, game_names, load
from abl_cards.games.tables import DecisionPoint
from abl_cards.web.page_scripts import PageScripts
from abl_cards.web.picture import PictureOptions, TablePicture, picture_of_record, picture_of_state
from tests.cli_runs import run
from tests.effort import long
from tests.web.test_reviews import played

pytest.importorskip("quickjs")
SVG = "{http://www.w3.org/2000/svg}"
INVENTED = str(Path(__file__).parents[1] / "games" / "vocabulary" / "cards")
SIZES = [(760, 560), (400, 720), (860, 400)]
QUICK = ("president", "whist", INVENTED)
SLOW = tuple(name for name in game_names() if name not in QUICK)


def first_decision(engine: Engine) -> DecisionPoint:
    """Return the first decision of a match, a play or a choice."""
    tables = engine.start_matches(splitmix64_array(np.array([7], np.uint64), 0))
    rows = tables.rows_to_play()
    decisions: Any = tables.decisions(rows) if rows.size else tables.choices(tables.rows_to_choose())
    return engine.decision_point_at(decisions)


def drawn(picture: TablePicture) -> ElementTree.Element:
    """Parse a picture, and check that it needs nothing from outside."""
    text = picture.to_svg()
    assert "href" not in text
    assert "url(" not in text
    assert "undefined" not in text
    assert "NaN" not in text
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def parts(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in root if part.get("class", "").split(" ")[0] == name]


def cards(part: ElementTree.Element) -> list[str]:
    return [card.attrib["data-card"] for card in part.iter(f"{SVG}g") if "data-card" in card.attrib]


def box(rectangle: dict[str, Any]) -> str:
    return " ".join(str(rectangle[side]) for side in "xywh")


def check_layout(root: ElementTree.Element, width: int, height: int, others: int, is_open: bool) -> None:
    """Check that parts lie where the page has them."""
    scripts = PageScripts("table/layout.js")
    sides = scripts.call("countSides", others)
    layout = scripts.call(
        "layOutTable", {"width": width, "height": height}, sides, {"hasControls": False, "isOpen": is_open}
    )
    seats = [box(rectangle) for side in ("left", "top", "right") for rectangle in layout["seats"][side]]
    assert sorted(part.attrib["data-rect"] for part in parts(root, "seat")) == sorted(seats)
    for name in ("own", "hud", "hand"):
        assert [part.attrib["data-rect"] for part in parts(root, name)] == [box(layout[name])]
    piles = {box(rectangle) for side in layout["piles"].values() for rectangle in side}
    assert {part.attrib["data-rect"] for part in parts(root, "pile")} <= piles


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=long) for name in game_names() if name not in QUICK)]
)
def test_picture_of_the_first_decision_shows_the_hand(name: str) -> None:
    engine = load(name).engine()
    point = first_decision(engine)
    hand = engine.rules.card_codes.read(point.state["hand"])
    texts = engine.rules.card_codes.kind_texts
    for width, height in SIZES:
        for language in ("en", "zh"):
            picture = picture_of_state(engine, point.state, PictureOptions(width, height, language, ["Game", "游戏"]))
            root = drawn(picture)
            (shown,) = parts(root, "hand")
            assert sorted(cards(shown)) == sorted(texts[card] for card in hand)
            check_layout(root, width, height, len(engine.teams) - 1, is_open=False)


def test_picture_of_an_act_shows_hands_and_piles() -> None:
    engine, (record, *_) = load("president").engine(), played("president")
    options = PictureOptions()
    hidden = drawn(picture_of_record(engine, record, 5, options))
    assert [cards(part) for part in parts(hidden, "seat")] == [[], [], []]
    opened = picture_of_record(engine, record, 5, options, seat=1, is_open=True)
    root, hands = drawn(opened), opened.position()["seats"]
    check_layout(root, options.width, options.height, 3, is_open=True)
    for part in [*parts(root, "seat"), *parts(root, "hand")]:
        face = hands[int(part.get("data-seat", 1))]["face"]
        assert sorted(cards(part)) == sorted(face)
    assert sum(map(len, map(cards, parts(root, "pile")))) == sum(
        len(play["cards"]) for play in opened.position()["plays"].values()
    )


def test_picture_shows_the_move_with_with_move() -> None:
    engine, (record, *_) = load("president").engine(), played("president")
    positions = [
        picture_of_record(engine, record, 1, PictureOptions(with_move=shown)).position() for shown in (False, True)
    ]
    assert positions[0]["plays"] == {}
    assert [play["isNow"] for play in positions[1]["plays"].values()] == [True]


@pytest.mark.parametrize(("act", "seat"), [(0, None), (10_000, None), (1, 4)])
def test_unknown_acts_and_seats_are_rejected(act: int, seat: int | None) -> None:
    engine, (record, *_) = load("president").engine(), played("president")
    with pytest.raises(GameError) as error:
        picture_of_record(engine, record, act, PictureOptions(), seat)
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_picture_command_prints_svg_and_json(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(played("president")[0]) + "\n", "utf-8")
    answer = run("picture", "president", str(file), "--act", "3", "--size", "500x400", "--lang", "zh")
    assert answer.exit_code == 0, answer.stderr
    assert ElementTree.fromstring(answer.stdout).get("viewBox") == "0 0 500 400"
    position = json.loads(run("picture", "president", str(file), "--act", "3", "--json").stdout)
    assert len(position["seats"]) == 4
    for words in (["--size", "5x5"], ["--size", "big"], ["--lang", "fr"]):
        assert run("picture", "president", str(file), *words).exit_code == 2


def test_state_file_is_drawn_and_rejects_open_hands(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(dict(first_decision(load("president").engine()).state)), "utf-8")
    assert ElementTree.fromstring(run("picture", "president", str(file)).stdout).tag == f"{SVG}svg"
    assert run("picture", "president", str(file), "--open-hands").exit_code == 2


def test_numbers_that_a_state_leaves_open_are_not_drawn() -> None:
    engine, state = load("guandan").engine(), {"level": "8", "hand": ["H5"], "to_beat": None, "cards": [9, 2, 14]}
    position = picture_of_state(engine, state, PictureOptions(with_move=False)).position()
    assert [item["kind"] for item in position["items"]] == ["value"]  # the level played, but not that of a side
    assert {info.get("total") for info in position["seats"]} == {None}
