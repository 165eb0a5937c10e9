"""Property: views of a table equal the state of the engine, after every event of random matches."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.games.game import game_names, load
from abl_cards.games.state import CHOICE, NO_SEAT
from abl_cards.games.types import LEADING, NO_CARD, ONLY_TABLE
from abl_cards.web import table
from abl_cards.web.seats import Permission, TableSeat
from abl_cards.web.selection import CardSelection
from abl_cards.web.snapshot import make_snapshot
from abl_cards.web.table import WebTable
from tests.effort import amount, long

Cards = Counter[str]


class Follower:
    """Plays random matches at a table, and compares all views with the state after every event."""

    def __init__(self, name: str, profile: str | None = None) -> None:
        engine = load(name).engine(profile=profile)
        seats = [TableSeat("agent", str(seat)) for seat in range(engine.rules.seating.seats)]
        self.table, self.agent = WebTable("t", ["", ""], engine, seats, 1, True), make_agent("random", engine)
        self.texts = engine.rules.card_codes.kind_texts
        self.num_events, self.num_read, self.num_failed = 0, 0, 0
        self.played: list[Cards] = [Counter() for _ in seats]

    def step(self) -> None:
        """Make one decision at random; begin another match after the last one."""
        table, key = self.table, np.array([self.num_events], np.uint64)
        if table.is_over:
            table.match_number += 1
            table.start_match()
            self.num_read = 0
        elif table.tables.rows_to_play().size:
            table._play(self.agent.play(table.tables.decisions(ONLY_TABLE), key))
        else:
            table._choose(int(self.agent.choose(table.tables.choices(ONLY_TABLE), key)[0]), False)
        self.num_events += 1

    def cards(self, counts: Any) -> Cards:
        return Counter({self.texts[kind]: int(counts[kind]) for kind in np.flatnonzero(counts).tolist()})

    def read_log(self) -> None:
        """Add the cards of new plays; a deal clears them."""
        for event in self.table.game_log.log:
            if event["number"] <= self.num_read:
                continue
            self.num_read = event["number"]
            if event["kind"] == "deal":
                self.played = [Counter() for _ in self.played]
            elif event["kind"] == "play":
                self.played[event["seat"]].update(event["cards"])
                self.num_failed += "failed" in event

    def check(self) -> None:
        """Compare the views of all seats and of spectators with the state."""
        self.read_log()
        table, state = self.table, self.table.tables.state
        if state.is_composing[0]:
            return  # part of a play, which is no event yet
        for seat in [None, *range(len(table.seats))]:
            view = make_snapshot(table, Permission(seat))
            self.check_public(view)
            if seat is None:
                assert "hand" not in view
            else:
                assert Counter(view["hand"]) == self.cards(state.hands[0, seat])
            if seat is not None and seat == view["turn"]:
                self.check_options(view["asked"])
            else:
                assert view["asked"] is None
        if not table.is_over:
            assert self.played == [self.cards(counts) for counts in state.played[0]]

    def check_public(self, view: dict[str, Any]) -> None:
        tables, state = self.table.tables, self.table.tables.state
        assert view["at"] == tables.num_decisions[0]
        assert view["turn"] == (None if self.table.is_over else state.seat[0])
        order = [seat for seat in state.finish_order[0].tolist() if seat != NO_SEAT]
        for seat, shown in enumerate(view["seats"]):
            assert (shown["cards"], shown["total"]) == (state.hands[0, seat].sum(), tables.total_points[0, seat])
            assert shown["place"] == (order.index(seat) + 1 if seat in order else None)
        if self.table.is_over:
            assert view["ended"]["total"] == tables.total_points[0].tolist()
            return
        lies = {event["seat"]: Counter(event["cards"]) for event in view["trick"]}
        if self.table.engine.rules.trick_query is not None:
            laid = {seat: self.cards(counts) for seat, counts in enumerate(state.trick_cards[0]) if counts.any()}
            assert view["closed"] == (not laid)
            assert not laid or {seat: cards for seat, cards in lies.items() if cards} == laid
        elif state.to_beat[0] != LEADING:
            top = [self.texts[card] for card in state.top_cards[0].tolist() if card != NO_CARD]
            assert lies[int(state.owner[0])] == Counter(top)
            assert view["owned"] == state.owner[0]

    def check_options(self, asked: dict[str, Any]) -> None:
        tables, state = self.table.tables, self.table.tables.state
        if state.stage[0] != CHOICE:
            assert asked["kind"] == "play"
            if not self.table.engine.rules.has_composed_plays:
                assert asked["plays"] == len(tables.decisions(ONLY_TABLE).moves().form)
            return
        options = np.flatnonzero(tables.choices(ONLY_TABLE).options[0])
        assert len(asked["options"]) == len(options)
        assert all(option["card"] for option in asked["options"]) == (asked["count"] is not None)


@pytest.mark.parametrize("name", game_names())
def test_views_equal_the_state(name: str) -> None:
    follower = Follower(name)
    follower.check()
    while follower.num_events < amount(100, 300):
        follower.step()
        follower.check()


@long
@pytest.mark.parametrize("name", game_names())
def test_views_equal_the_state_for_many_events(name: str) -> None:
    follower = Follower(name)
    while follower.num_events < 10_000:
        follower.step()
        follower.check()


def test_plays_that_a_thread_finishes_late_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that leaves during its view abandons the thread; others decide meanwhile."""
    engine = load("president").engine()
    web_table = WebTable("t", ["", ""], engine, [TableSeat("person", name) for name in "ABCD"], 1, True)
    first_seat, make_selection = web_table.seat, CardSelection

    def make_late(*arguments: Any) -> Any:
        selection = make_selection(*arguments)
        monkeypatch.setattr(table, "CardSelection", make_selection)
        while web_table.seat == first_seat:
            card = make_snapshot(web_table, Permission(first_seat))["asked"]["more"][0]
            web_table.play(Permission(first_seat), [card], 0)
        return selection

    monkeypatch.setattr(table, "CardSelection", make_late)
    late = web_table.get_selection()
    assert web_table.seat != first_seat
    assert web_table.get_selection() is not late
