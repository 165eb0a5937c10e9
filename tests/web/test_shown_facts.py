"""What a table shows: scores, badges and results in both languages, in every game and in one with invented names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.games import Engine, Game
from abl_cards.games.description import Folder
from abl_cards.games.game import game_names, load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web.offers import bilingual_title
from abl_cards.web.seats import Permission, TableSeat
from abl_cards.web.snapshot import make_snapshot
from abl_cards.web.table import WebTable
from tests.effort import amount
from tests.web.test_scripts import run_script
from tests.web.test_words import is_foreign


class ShownTable:
    """A table at which greedy players play one deal, with what a player and a spectator see."""

    def __init__(self, game: Game, engine: Engine | None = None) -> None:
        self.engine = engine or game.engine()
        seats = [TableSeat("agent", str(seat)) for seat in range(self.engine.rules.seating.seats)]
        self.table = WebTable("t", bilingual_title(game), self.engine, seats, 1, True)
        self.agent, self.num_acts = make_agent("greedy", self.engine), 0

    def view(self, seat: int | None = 0) -> dict[str, Any]:
        return make_snapshot(self.table, Permission(seat))

    def play(self, num_acts: int) -> None:
        """Make decisions until the deal is over, or their number is reached."""
        table = self.table
        for _ in range(num_acts):
            if table.game_log.episode_result is not None:
                return
            key = np.array([self.num_acts], np.uint64)
            if table.tables.rows_to_play().size:
                table._play(self.agent.play(table.tables.decisions(ONLY_TABLE), key))
            else:
                table._choose(int(self.agent.choose(table.tables.choices(ONLY_TABLE), key)[0]), False)
            self.num_acts += 1


def pairs(value: Any) -> Iterator[list[str]]:
    """Yield all pairs of texts."""
    if isinstance(value, dict):
        for item in value.values():
            yield from pairs(item)
    elif isinstance(value, list):
        if len(value) == 2 and all(isinstance(item, str) for item in value):
            yield value
        else:
            for item in value:
                yield from pairs(item)


@pytest.mark.parametrize("name", game_names())
def test_each_game_is_shown_in_both_languages(name: str) -> None:
    here = ShownTable(load(name))
    views = [here.view(), here.view(None)]
    here.play(12)
    views.append(here.view())
    here.play(amount(120, 2000))
    here.table.is_waiting = here.table.game_log.episode_result is not None and not here.table.is_over
    end = here.view()
    assert end["ended"] is not None or here.num_acts >= 120
    for view in [*views, end]:
        shown = view["shown"]
        assert len(shown["badges"]) == len(view["seats"])
        texts = [*pairs(shown), *pairs(view["ended"] and view["ended"]["shown"])]
        assert not [text for text in texts if is_foreign(text[1])]
        names = [item["name"] for item in shown["items"]]
        assert all(english and chinese and english != chinese for english, chinese in names), names
        for item in shown["items"]:
            assert item["kind"] in ("bar", "level", "value", "cards")
            assert item.get("team") is None or item.get("seat") is None
        orders = view["orders"]
        assert sorted(orders["rank"]) == sorted(orders["suit"]) == sorted(here.engine.rules.card_codes.kind_texts)
        if "hand" in view:
            assert view["hand"] == sorted(view["hand"], key=orders[orders["usual"]].index)


def test_score_of_the_last_deal_stays_until_the_next() -> None:
    here = ShownTable(load("whist"))
    here.play(100)
    bars = [item for item in here.view()["shown"]["items"] if item["kind"] == "bar"]
    assert sum(item["value"] for item in bars) == 13
    lines = here.view()["ended"]["shown"]["lines"]
    assert [(line["team"], line["value"], line["target"]) for line in lines] == [
        (item["team"], item["value"], 7) for item in bars
    ]


def test_bottom_cards_and_partners_are_shown() -> None:
    here = ShownTable(load("doudizhu"))
    shown = here.view()["shown"]
    (cards,) = [item["cards"] for item in shown["items"] if item["kind"] == "cards"]
    assert len(cards) == 3
    assert [badges[0]["name"][0] for badges in shown["badges"]] == ["landlord", "peasant", "peasant"]
    assert shown["partners"]
    assert ["\u00d71", "\u00d71"] in [item.get("text") for item in shown["items"]]


def test_trumps_stand_apart() -> None:
    here = ShownTable(load("spades"))
    orders = here.view()["orders"]
    assert orders["usual"] == "suit"
    assert set(orders["trumps"]) == {f"S{rank}" for rank in "23456789TJQKA"}
    assert orders["suit"][:3] == ["SA", "SK", "SQ"]


INVENTED = """title(en,"Morps").
#include <seats>.
#include <climbing>.
#include <places>.
colour(zeb;kul). size(1..9).
pack(glim(C,N),1) :- colour(C), size(N).
seat(0..2). deals(S,6) :- seat(S).
label(morp(N)) :- size(N). label(pass).
form(L,L) :- label(L).
kind(morp(N),morp) :- size(N). kind(pass,pass).
acts_as(glim(C,N),N) :- colour(C), size(N).
needs(morp(N),1,N,1) :- size(N).
strength(morp(N),10-N) :- size(N).
leads(0).
over :- out(_).
place_points(1,2). place_points(2,-1). place_points(3,-1).
match_over.
#external held(N,C) : size(N), C = 1..2.
lacking(F)  :- needs(F,_,R,N), not held(R,N).
playable(F) :- form(_,F), F != pass, not lacking(F).
playable(pass).
#external event(E) : E = (play;end).
#external acted(S) : seat(S).
#external zorks(S,N) : seat(S), N = 1..20.
count(zorks,2).
adds(zorks(S),1,play) :- event(play), acted(S).
"""


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of a game with invented names and an order of cards of its own."""
    folder = tmp_path_factory.mktemp("invented") / "morps"
    folder.mkdir()
    (folder / "game.lp").write_text(INVENTED, "utf-8")
    return folder


def test_folder_without_show_lp_shows_public_facts(invented: Path) -> None:
    here = ShownTable(Game(Folder(invented)))
    here.play(3)
    shown = here.view()["shown"]
    assert [item["kind"] for item in shown["items"]] == ["value"]
    assert shown["partners"]
    assert shown["places"]
    orders = here.view()["orders"]
    assert (orders["usual"], orders["trumps"]) == ("rank", [])
    here.play(200)
    assert here.view()["ended"]["shown"] == {"places": [None] * 3, "lines": []}


def test_show_lp_of_an_invented_game_is_applied(invented: Path) -> None:
    (invented / "show.lp").write_text(
        "show_bar(zorks,0,N*2,N) :- N = #count { S : size(S) }.\nshow_order(suit,descending).\n"
        "show_trump(N) :- size(N), N > 7.\nshow_result(finish). show_result(zorks).\n"
        'show_name(zorks,en,"zorks so far").\nshow_name(place(1),en,"top morp").\n',
        "utf-8",
    )
    here = ShownTable(Game(Folder(invented)))
    here.play(3)
    view = here.view()
    assert [(item["seat"], item["value"], item["target"]) for item in view["shown"]["items"]] == [
        (seat, 1, 9) for seat in range(3)
    ]
    assert len(view["orders"]["trumps"]) == 4
    assert set(view["orders"]["suit"][:4]) == set(view["orders"]["trumps"])
    here.play(200)
    ended = here.view()["ended"]["shown"]
    assert ended["places"] == [["top morp", ""], None, None]
    assert {line["name"][0] for line in ended["lines"]} == {"zorks so far"}


def test_hand_order_can_be_chosen_per_game() -> None:
    printed = run_script(
        """globalThis.navigator ??= { language: 'en' };
        globalThis.localStorage = { getItem: () => null, setItem: () => {} };
        const { arrangeHand, nextOrders, orderOf } = await import('./table/hand_order.js');
        ---
        const { orders, hand } = input;
        const settings = { orders: {} };
        const chosen = { orders: nextOrders(settings, 'a', orders) };
        print([
          orderOf(settings, 'a', orders), orderOf(chosen, 'a', orders), orderOf(chosen, 'b', orders),
          orderOf({ orders: nextOrders(chosen, 'a', orders) }, 'a', orders), orderOf(settings, 'a', {}),
          arrangeHand(hand, orders, 'suit', null).cards.map((card) => card.key),
          arrangeHand(hand, orders, 'rank', null).cards.map((card) => card.text),
          nextOrders(settings, 'a', { ...orders, suit: orders.rank, usual: 'rank' }).a,
        ]);""",
        orders={"rank": ["S3", "H3", "S2", "H2"], "suit": ["H3", "H2", "S3", "S2"], "usual": "suit"},
        hand=["S2", "H3", "S3", "H3"],
    )  # fmt: skip
    assert printed == [
        "suit", "groups", "suit", "rank", "rank", ["H3#1", "H3#2", "S3#1", "S2#1"], ["S3", "H3", "H3", "S2"],
        "groups",
    ]  # fmt: skip


def test_result_lines_are_translated() -> None:
    result = {
        "finish": [1, 0],
        "shown": {
            "places": [["first", "头游"], None],
            "lines": [
                {"kind": "level", "name": ["level", "级"], "team": 0, "before": ["2", "2"], "text": ["5", "5"],
                 "gain": 3},
                {"kind": "bar", "name": ["points", "得分"], "value": 85, "low": 0, "high": 200, "target": 80},
                {"kind": "bar", "name": ["tricks", "墩"], "value": 4, "seat": 1},
            ],
        },
    }  # fmt: skip
    printed = run_script(
        """globalThis.navigator ??= { language: 'en' };
        globalThis.localStorage = { getItem: () => '{"language":"zh"}', setItem: () => {} };
        const { finishNames, resultLines, seatColumns } = await import('./table/result_text.js');
        ---
        const names = { seat: (seat) => ['你', '甲'][seat], team: () => '我方' };
        print([finishNames(input.result, names), resultLines(input.result, names), seatColumns(input.result)]);""",
        result=result,
    )
    assert printed == [
        ["头游 甲 · 第2名 你"],
        ["我方升3级：2 → 5", "得分：85（达到目标80）"],
        [{"name": "墩", "values": {"1": 4}}],
    ]
