"""Tests of tables over web sockets: matches, requests, several clients and invalid requests."""

from typing import Any

import pytest

from abl_cards.games.game import game_names, load
from tests.web.asgi import Socket

Run = Any
MOST_TURNS = 12


async def decide(socket: Socket, table: dict[str, Any]) -> None:
    """Make an offered decision; cards are selected one by one until they form a play."""
    query = table["asked"]
    if query["kind"] == "choice":
        values = [option["value"] for option in query["options"]]
        count = query["count"]
        if count is None:
            socket.send(do="choose", values=values[-1:], at=table["at"])
            return
        kept = [card for card in table["hand"] if card in values] or values  # two copies count twice
        socket.send(do="choose", values=kept[:count], at=table["at"])
        return
    picked: list[str] = []
    reply: dict[str, Any] = {"readings": [], "more": query["more"]}
    while not reply["readings"] and reply["more"]:
        picked.append(reply["more"][0])
        socket.send(do="pick", cards=picked, at=table["at"], n=len(picked))
        reply = await socket.until("picked")
    value = reply["readings"][0]["value"] if reply["readings"] else "pass"
    socket.send(do="play", value=value, at=table["at"])


def test_hint_for_a_choice_is_one_of_the_options(with_page: Run) -> None:
    """The canonical notation may write a chosen card like a play."""

    async def test(page: Any) -> None:
        socket = await page.begin(game="guandan", seed=11, seats=["person", "greedy", "greedy", "greedy"])
        table = socket.table
        for _ in range(200):
            if table["phase"] == "end":
                socket.send(do="go")
            elif table["asked"]["kind"] == "choice":
                break
            else:
                socket.send(do="play", value="pass" if table["asked"]["passes"] else [table["hand"][0]], at=table["at"])
            table = await socket.next()
        assert table["asked"]["kind"] == "choice"
        socket.send(do="hint", at=table["at"], n=1)
        hint = await socket.until("hint")
        assert hint["best"]["value"] in [option["value"] for option in table["asked"]["options"]]

    with_page(test)


@pytest.mark.parametrize("name", game_names())
def test_every_game_can_be_played(with_page: Run, name: str) -> None:
    async def test(page: Any) -> None:
        profiles = load(name).folder.profiles
        bids = {"profile": "botzone_bidding"} if "botzone_bidding" in profiles else {}
        socket = await page.begin(game=name, seats=None, **bids)
        table, kinds, ended = socket.table, set(), 0
        for _ in range(MOST_TURNS):
            assert not table["problem"]
            if table["phase"] == "end":
                socket.send(do="go")
                ended += 1
            elif table["phase"] == "over" or ended:
                break
            else:
                kinds.add(table["asked"]["kind"])
                await decide(socket, table)
            table = await socket.next()
        assert kinds
        assert set(table["hand"]) <= set(socket.welcome["deck"])
        assert {event["kind"] for event in table["log"]} & {"play", "choice"}
        await socket.leave()

    with_page(test)


def test_ambiguous_cards_list_all_readings(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="guandan", seats=["person", "random", "random", "random"])
        hall = page.lobby.tables[socket.welcome["table"]]
        rules = hall.engine.rules
        hall.tables.state.hands[0, 0] = 0
        for text in ("S3", "C3", "H2", "H2", "S4"):
            hall.tables.state.hands[0, 0, rules.card_codes.kind_by_text[text]] += 1
        hall.tables.state.to_beat[0] = -1
        hall._mark_changed()
        at = socket.table["at"]
        socket.send(do="pick", cards=["S3", "C3", "H2", "H2", "S4"], at=at, n=1)
        reply = await socket.until("picked")
        assert [reading["text"] for reading in reply["readings"]] == [
            ["full house 4", "三带二4"],  # the strongest comes first
            ["full house 3", "三带二3"],
        ]
        socket.send(do="play", value=reply["readings"][1]["value"], at=at)
        table = await socket.next()
        assert table["log"][-1 - sum(event["seat"] != 0 for event in table["log"] if event.get("seat") is not None)]

    with_page(test)


def test_hints_and_reasons_are_translated(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president")
        at = socket.table["at"]
        for language in ("en", "zh"):
            socket.send(do="hint", at=at, lang=language, n=7)
            hint = await socket.until("hint")
            assert hint["n"] == 7
            assert hint["best"]["reasons"]
            assert hint["best"]["text"].isascii() == (language == "en")
            socket.send(do="why", at=at, lang=language, value=hint["next"][0]["value"], n=8)
            why = await socket.until("why")
            assert why["readings"][0]["legal"]
            assert why["readings"][0]["difference"]
        hand = socket.table["hand"]
        socket.send(do="why", at=at, value=[hand[0], hand[-1]], n=9)
        assert (await socket.receive())["type"] in ("why", "error")

    with_page(test)


def test_reasons_for_options_include_a_proof(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="hearts")
        assert socket.table["asked"]["kind"] == "choice"
        own, at = socket.table["hand"], socket.table["at"]
        other = next(card for card in ("C2", "D2", "H2") if card not in own)
        for value, is_legal in ((own[0], True), (other, False)):
            socket.send(do="why", at=at, value=value, n=7)
            (reading,) = (await socket.until("why"))["readings"]
            assert (reading["legal"], reading["why"]["holds"]) == (is_legal, is_legal)
            assert reading["why"]["atom"].startswith("option(")
            assert ("verdict" in reading) == is_legal

    with_page(test)


async def find_stepwise_hint(socket: Socket) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play the hints until one has several steps; return the table and the hint."""
    for number in range(10, 60):
        table = socket.table
        socket.send(do="hint", at=table["at"], n=number)
        hint = await socket.until("hint")
        if hint["best"].get("steps"):
            return table, hint
        if table["asked"]["kind"] == "choice":
            socket.send(do="choose", values=[hint["best"]["value"]], at=table["at"])
        else:
            socket.send(do="play", value=hint["best"]["value"], at=table["at"])
        if (await socket.next())["phase"] == "end":
            socket.send(do="go")
            await socket.next()
    raise AssertionError("no play has had several steps")


def test_hint_for_stepwise_plays_is_a_complete_play(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="tractor", seed=1)
        table = socket.table
        while table["asked"]["kind"] == "choice":
            await decide(socket, table)
            table = await socket.next()
        socket.send(do="hint", at=table["at"], n=1)
        hint = await socket.until("hint")
        socket.send(do="pick", at=table["at"], cards=hint["best"]["cards"], n=2)
        assert (await socket.until("picked"))["readings"]
        table, hint = await find_stepwise_hint(socket)
        steps = hint["best"]["steps"]
        assert sorted(card for step in steps for card in step["cards"]) == sorted(hint["best"]["cards"])
        assert all(step["reasons"] for step in steps if step["cost"])
        socket.send(do="why", at=table["at"], value=hint["best"]["cards"], n=3)
        (reading,) = (await socket.until("why"))["readings"]
        assert reading["legal"]
        assert sorted(card for step in reading["steps"] for card in step["cards"]) == sorted(hint["best"]["cards"])

    with_page(test)


def test_undo_restores_the_previous_state(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president", seats=["person", "greedy", "greedy", "greedy"])
        before = socket.table
        await decide(socket, before)
        after = await socket.next()
        assert after["at"] > before["at"]
        socket.send(do="back")
        again = await socket.next()
        for field in ("at", "hand", "turn", "trick", "asked", "fluents"):
            shown = again[field], before[field]
            if field == "trick":
                shown = tuple([(event["seat"], event["cards"]) for event in part] for part in shown)  # type: ignore[assignment]
            assert shown[0] == shown[1], field
        socket.send(do="back")
        assert (await socket.receive())["type"] == "error"
        strict = await page.begin(practice=False)
        await decide(strict, strict.table)
        await strict.next()
        strict.send(do="back")
        assert "practice" in (await strict.receive())["text"]

    with_page(test)


def test_two_players_and_a_spectator(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"], seed=4)
        one = await page.sit(table, token)
        two = await page.sit(table, one.table["seats"][1]["token"])
        three = await page.sit(table, two.welcome["watch"])
        assert (one.table["me"], two.table["me"], three.table["me"]) == (0, 1, None)
        assert "hand" not in three.table
        # The seed determines all hands.
        assert [viewer.welcome["seed"] for viewer in (one, two, three)] == ["4", None, None]
        assert all("token" not in chair for chair in two.table["seats"])
        assert one.table["hand"] != two.table["hand"]
        one.send(do="pace", ms=0)
        while one.table["turn"] not in (0, 1):
            await one.receive()
        current, other = (one, two) if one.table["turn"] == 0 else (two, one)
        await current.wait_for_turn()
        other.send(do="play", value="pass", at=current.table["at"], n=1)
        while (message := await other.receive())["type"] != "error":
            pass
        assert "turn" in message["text"]
        await decide(current, current.table)
        seat = current.table["me"]
        while not (other.table["seats"][seat]["said"]):
            await other.receive()
        two.send(do="seat", seat=0, player="greedy")
        two.send(do="again")
        three.send(do="play", value="pass", at=0)
        for socket, text in ((two, "another player"), (two, "owner"), (three, "spectators")):
            while (message := await socket.receive())["type"] != "error":
                pass
            assert text in message["text"]

    with_page(test)


def test_seat_is_released_and_taken_again(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(game="president")
        at = socket.table["at"]
        socket.send(do="pace", ms=10_000)
        socket.send(do="seat", seat=0, player="greedy")
        while (await socket.receive()).get("me", 0) is not None:
            pass
        socket.send(do="seat", seat=0, player="person", name="Ann")
        while (await socket.receive()).get("me") is None:
            pass
        assert socket.table["seats"][0]["name"] == "Ann"
        assert socket.table["at"] >= at

    with_page(test)


def test_guest_of_a_released_seat_spectates(with_page: Run) -> None:
    """The link of a seat that the owner gave to an agent still shows the table; people without a name are taken."""

    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seed=1, seats=["person", "person", "greedy", "greedy"])
        owner = await page.sit(table, token)
        assert [seat["taken"] for seat in owner.table["seats"]] == [True, False, False, False]
        link = owner.table["seats"][1]["token"]
        guest = await page.sit(table, link)
        assert guest.table["seats"][1]["taken"]
        await guest.leave()
        owner.send(do="pace", ms=10_000)
        owner.send(do="seat", seat=1, player="greedy")
        while owner.table["seats"][1]["kind"] == "person":
            await owner.receive()
        again = await page.sit(table, link)
        assert (again.table["me"], again.table["chair"], "hand" in again.table) == (None, None, False)
        owner.send(do="seat", seat=1, player="person")
        while owner.table["seats"][1]["kind"] == "agent":
            await owner.receive()
        assert not owner.table["seats"][1]["taken"]
        assert owner.table["seats"][1]["token"] != link

    with_page(test)


def test_only_the_owner_can_close_a_table(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=["person", "person", "greedy", "greedy"])
        owner = await page.sit(table, token)
        guest = await page.sit(table, owner.table["seats"][1]["token"])
        guest.send(do="close", n=5)
        while (message := await guest.receive())["type"] != "error":
            pass
        assert "owner" in message["text"]
        owner.send(do="close")
        for socket in (owner, guest):
            while await socket.receive():
                pass
            assert socket.closed == 4410
        assert table not in page.lobby.tables
        late = Socket(page.app, f"/api/tables/{table}")
        while await late.receive():
            pass
        assert late.closed == 4404

    with_page(test)


def test_table_survives_a_reconnect(with_page: Run) -> None:
    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seed=2)
        first = await page.sit(table, token)
        first.send(do="pace", ms=0)
        await decide(first, await first.wait_for_turn())
        seen = await first.next()
        await first.leave()
        second = await page.sit(table, token)
        again = await second.wait_for_turn()
        assert [again[field] for field in ("at", "hand", "asked", "revision")] == [
            seen[field] for field in ("at", "hand", "asked", "revision")
        ]

    with_page(test)


@pytest.mark.parametrize(
    "agent",
    [
        "program:run=touch x",
        "abl:weights=/etc/passwd",
        "kb:kb=/",
        "os:system",
        "human",
        "tests/x.py:Player",
        "nobody",
        "",
    ],
)
def test_unsafe_agent_names_are_rejected(with_page: Run, agent: str) -> None:
    async def test(page: Any) -> None:
        answer = await page.post("/api/tables", {"game": "president", "seats": ["person", agent, "kb", "kb"]})
        assert answer.status == 400
        assert "error" in answer.json()
        socket = await page.begin()
        socket.send(do="seat", seat=1, player=agent)
        while (await socket.receive())["type"] != "error":
            pass
        socket.send(do="hint", at=socket.table["at"], agent=agent)
        assert (await socket.receive())["type"] == "error"

    with_page(test)
