"""Tables and views of seats as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abl_cards.cli.player_texts import PlayerTexts
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.notation.decision_points import decision_point_at, read_decision_point
from abl_cards.games.notation.rendering import cards_aside, render_table, render_view
from abl_cards.games.tables.tables import Tables
from abl_cards.web.fluent_texts import fluent_name
from tests.edited import edited
from tests.games.random_play import match_keys, play_out, step


def test_rendered_table_in_play_and_at_its_end(president: CompiledGame) -> None:
    tables = Tables.begin(president, match_keys(1, 3))
    first = render_table(president, tables, 0).splitlines()
    assert first[0] == "episode 1"
    assert sum(line.startswith(">") for line in first) == 1
    assert first[5] == f"seat {tables.seat[0]} leads"
    assert first[6].endswith("legal labels:")
    step(tables)
    assert "to beat: set " in render_table(president, tables, 0)
    play_out(tables)
    assert render_table(president, tables, 0).splitlines()[-1].startswith("the episode is over: points ")


def test_rendered_table_with_a_choice(auction: CompiledGame) -> None:
    tables = Tables.begin(auction, match_keys(1, 3))
    lines = render_table(auction, tables, 0).splitlines()
    assert lines[3].startswith("  aside  ( 3) ")
    assert lines[4:] == ["seat 0 chooses: auction", "3 options: bid(0) bid(1) bid(2)"]
    seen = decision_point_at(auction, tables.choices(np.arange(1)))
    assert "to choose: auction" in render_view(auction, seen)
    assert "请选择：auction" in render_view(auction, seen, "zh")


def test_rendered_table_shows_fluents(guandan: CompiledGame) -> None:
    tables = Tables.begin(guandan, match_keys(1, 3))
    assert render_table(guandan, tables, 0).startswith("episode 1, level 2, standing 2 2\n")


def test_rendered_view_of_a_seat(president: CompiledGame) -> None:
    state = {"hand": ["S5", "H5"], "to_beat": ["S3", "H3"], "top": "across", "cards": [3, 4, 5]}
    assert render_view(president, read_decision_point(president, state)).splitlines() == [
        "the others hold: the next seat 3, the seat across 4, the previous seat 5", "hand: S5 H5",
        "to beat: S3 H3 of the seat across",
    ]  # fmt: skip
    assert render_view(president, read_decision_point(president, {"hand": ["S5"]}), "zh").splitlines() == [
        "手牌：S5",
        "请出牌",
    ]


def test_rendered_view_names_the_draw_pile() -> None:
    """The cards of a draw pile are not those that were set aside."""
    engine = load("gandengyan").engine()
    state = {"hand": ["C3"], "to_beat": None, "cards": [5, 5, 5], "seat": 0, "laid_down": [0, 0, 0, 0], "aside": 31}
    point = engine.read_decision_point({**state, "stock": 31}, None, True)
    texts = [render_view(engine.rules, point, language) for language in ("en", "zh")]
    assert "in the pile: 31" in texts[0]
    assert "牌堆：31" in texts[1]


def test_pile_and_cards_aside_are_counted_apart() -> None:
    engine = load("gandengyan").engine()
    state = {"hand": ["C3"], "to_beat": None, "cards": [5, 5, 3], "seat": 0, "laid_down": [0, 0, 0, 0], "aside": 33}
    point = engine.read_decision_point({**state, "stock": 31}, None, True)
    assert cards_aside(engine.rules, point.state) == {"pile": 31, "aside": 2}
    lines = render_view(engine.rules, point).splitlines()
    assert lines[lines.index("in the pile: 31") + 1] == "aside: 2"


def test_known_cards_aside_are_shown() -> None:
    """The banker of Tractor has buried them."""
    engine = load("tractor").engine()
    tables = Tables.begin(engine.rules, np.array([3], np.uint64))
    while len(rows := tables.rows_to_choose()):
        options = tables.choices(rows).options
        tables.choose(rows, options.argmax(axis=1).astype(np.uint8))
    point = engine.decision_point_at(tables.decisions(tables.rows_to_play()))
    assert f"aside: {' '.join(point.state['aside'])}" in render_view(engine.rules, point).splitlines()
    assert f"⟦{point.state['aside'][0]}⟧" in "\n".join(PlayerTexts(engine, "en").position_lines(point))


def test_rendered_view_shows_a_fluent_with_the_name_of_a_field(tmp_path: Path) -> None:
    """In states it goes by its name and arity, since ``face`` are the open hands of the others."""
    rules = "#external face(R) : rank(R). #external lays(F) : form(_,F). one(face,1).\n"
    rules += "next(face(R)) :- lays(set(R,_)). barred(set(R,N)) :- label(set(R,N)), face(R).\n"
    engine = load(edited(tmp_path / "game", more=rules, name="president")).engine()
    point = engine.read_decision_point({"hand": ["S5", "H6"], "to_beat": None, "face/1": "5"}, None, False)
    assert render_view(engine.rules, point).splitlines()[0] == "face: 5"
    assert render_view(engine.rules, point, only_fluents={"face"}).splitlines()[0] == "face: 5"
    assert fluent_name(engine.rules, "face/1") == ["face", "face"]
