"""Tests of the coach, of reasons of past decisions, of open hands, and of agents that play at once."""

from threading import Event
from typing import Any

import pytest

from abl_cards.web import coach
from abl_cards.web.coach import MAX_DEALS, MAX_MOVES, NUM_DEALS
from abl_cards.web.seats import Permission
from abl_cards.web.snapshot import make_snapshot, may_see_hands
from tests.effort import amount
from tests.web.asgi import Socket
from tests.web.test_tables import decide

Run = Any


@pytest.fixture(autouse=True)
def _two_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge moves in two rounds of deals instead of eight."""
    monkeypatch.setattr(coach, "MAX_DEALS", amount(2 * NUM_DEALS, MAX_DEALS))


async def answer(socket: Socket, kind: str, **message: Any) -> dict[str, Any]:
    """Send a request and return its answer or error."""
    socket.send(**message, n=99)
    while (reply := await socket.receive())["type"] not in (kind, "error"):
        pass
    return reply


def own_act(table: dict[str, Any]) -> int:
    return next(event["act"] for event in reversed(table["log"]) if event.get("seat") == table["me"])


def other_act(table: dict[str, Any]) -> int:
    return next(event["act"] for event in reversed(table["log"]) if event.get("seat") not in (None, table["me"]))


@pytest.mark.parametrize("name", ["president", "hearts"])
def test_coach_ranks_moves_equally_before_and_after_the_move(with_page: Run, name: str) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game=name, seed=3)
        table = socket.table
        while table["asked"]["kind"] == "choice":
            await decide(socket, table)
            table = await socket.next()
        before = await answer(socket, "coach", do="coach", at=table["at"], lang="zh")
        assert before["deals"] in range(NUM_DEALS, MAX_DEALS + 1, NUM_DEALS)
        assert 1 <= len(before["moves"]) <= MAX_MOVES
        points = [move["points"] for move in before["moves"]]
        assert points == sorted(points, reverse=True)
        assert before["moves"][0]["loss"] == 0
        assert before["moves"][0]["light"] == "good"
        assert all(move["loss"] == pytest.approx(points[0] - move["points"], abs=2e-4) for move in before["moves"])
        assert not any(move["made"] for move in before["moves"])
        worst = before["moves"][-1]
        socket.send(do="play", value=worst["value"], at=table["at"])
        table = await socket.next()
        after = await answer(socket, "coach", do="coach", act=own_act(table))
        (made,) = [move for move in after["moves"] if move["made"]]
        assert made["value"] == worst["value"]
        assert after["deals"] != before["deals"] or made["points"] == worst["points"]
        assert bool(after["difference"]) == (made["loss"] > 0) or not after["moves"][0]["reasons"]
        refused = await answer(socket, "coach", do="coach", act=other_act(table))
        assert refused["code"] == "not-allowed"
        late = await answer(socket, "coach", do="coach", act=10_000)
        assert late["code"] == "not-found"

    with_page(test)


def test_play_continues_while_the_coach_computes(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket, blocked = await page.begin(game="president", seed=3), Event()
        page.lobby.executor._advice_pool.submit(blocked.wait)
        try:
            socket.send(do="coach", at=socket.table["at"], n=1)
            await decide(socket, socket.table)
            assert (await socket.next())["me"] is not None
        finally:
            blocked.set()
        assert (await socket.until("coach"))["n"] == 1

    with_page(test)


def test_reasons_of_other_players_reveal_no_hidden_hand(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president", seed=3)
        past = await answer(socket, "past", do="past", act=other_act(socket.table))
        assert past["seat"] != socket.table["me"]
        assert past["made"]["place"] == 1
        assert past["best"] is None
        name, token = await page.open(game="president", seed=3, seats=["person", "person", "kb", "kb"])
        two, hall = await page.sit(name, token), page.lobby.tables[name]
        for person in hall.seats[:2]:
            person.agent = hall.seats[2].agent  # play for the people
        while {decision.seat for decision in hall.decisions} != {0, 1, 2, 3}:
            hall.run_agent()
        for act, decision in enumerate(hall.decisions):
            reply = await answer(two, "past", do="past", act=act)
            assert reply.get("code", "") == ("" if decision.seat == 0 else "not-allowed")
        while not hall.episode_start:
            hall.run_agent()
        assert (await answer(two, "past", do="past", act=hall.episode_start - 1))["type"] == "past"
        assert (await answer(two, "coach", do="open", open=True))["code"] == "not-allowed"
        assert not may_see_hands(hall, Permission(0, is_owner=True, own_seat=0))

    with_page(test)


def test_only_practice_tables_can_open_all_hands(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president", seed=3)
        assert socket.table["may_open"]
        assert "face" not in socket.table["seats"][1]
        socket.send(do="open", open=True)
        table = await socket.until("table")
        hall = page.lobby.tables[socket.welcome["table"]]
        for seat, info in enumerate(table["seats"]):
            assert ("face" in info) == (seat != table["me"])
            assert seat == table["me"] or len(info["face"]) == info["cards"]
        assert "face" not in make_snapshot(hall, Permission())["seats"][1]
        strict = await page.begin(game="president", seed=3, practice=False)
        assert (await answer(strict, "coach", do="open", open=True))["code"] == "not-allowed"

    with_page(test)


def test_skip_ends_the_deal_when_all_people_are_out(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president", seed=3, seats=["person", "random", "random", "random"])
        table = socket.table
        assert (await answer(socket, "coach", do="skip"))["code"] == "not-allowed"
        hall = page.lobby.tables[socket.welcome["table"]]
        while not table["skip"] and table["phase"] == "play":
            if table["asked"]:
                hint = await answer(socket, "hint", do="hint", at=table["at"])
                hall.agent_delay = 0.3 if len(table["hand"]) == len(hint["best"]["cards"]) else 0.0
                socket.send(do="play", value=hint["best"]["value"], at=table["at"])
            table = await socket.until("table")
        assert table["skip"]
        socket.send(do="skip")
        while (table := await socket.until("table"))["phase"] == "play":
            assert not table["skip"]
        assert table["phase"] in ("end", "over")
        assert not hall.is_fast

    with_page(test)
