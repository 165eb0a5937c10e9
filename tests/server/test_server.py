"""Tests of tables over real sockets: seats, sessions, agreement with play_match, and faulty clients."""

from __future__ import annotations

import asyncio
import json
import random
import resource
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.protocols.common.remote_protocol import ChoiceRequest
from abl_cards.protocols.registry import find_protocol
from abl_cards.server.client import Client, client_name
from abl_cards.server.results import ServedResult
from abl_cards.server.server import GameServer, ServeConfig, serve
from tests.effort import amount, long
from tests.server.plain_client import PlainClient
from tests.server.servers import ClientFunction, engine, guest, play_with_clients, run, serve_config

GAMES = 2


def match(first: str, second: str, games: int, seed: int) -> tuple[list[int], int, int]:
    """Return wins, draws and episodes of a match in the arena."""
    agents = make_agent(first, engine()), make_agent(second, engine())
    result = play_match(engine(), agents, games, seed, names=(first, second))
    return list(result.wins), result.draws, result.episodes


def outcome(result: ServedResult) -> tuple[list[int], int, int]:
    values = result.to_json()
    return values["wins"], values["draws"], values["episodes"]


def plain(strong: bool = True) -> ClientFunction:
    return lambda url: PlainClient(url, strong).run()


# --- sessions -------------------------------------------------------------------------------------------------------


def test_plain_clients() -> None:
    """Play with four clients that check every message, and compare seats and results."""
    result, clients, _ = run(
        play_with_clients(serve_config(games=amount(1, GAMES), seed=4), [plain(seat % 2 == 0) for seat in range(4)])
    )
    (table,) = result.tables
    assert [client.seat for client in clients] == [0, 1, 2, 3]
    assert all(client.result["victoryNum"][:2] == table.wins for client in clients)
    assert {client.episodes for client in clients} == {table.episodes}
    assert [seat.player for seat in table.seats] == ["client0", "client1", "client2", "client3"]
    assert [seat.decisions for seat in table.seats] == [client.answers for client in clients]
    assert not any(seat.defaults or sum(seat.faults.values()) for seat in table.seats)


@long
def test_plain_clients_of_equal_strength() -> None:
    """Play a longer match with all kinds of tributes, in which both teams fall from A."""
    result, clients, _ = run(play_with_clients(serve_config(games=1, seed=2), [plain()] * 4))
    assert clients[0].episodes == result.tables[0].episodes > 5


@pytest.mark.parametrize(
    ("first", "second"),
    [("greedy", "random"), *(pytest.param(name, name, marks=long) for name in ("random", "greedy"))],
)
def test_served_agents_play_as_in_play_match(first: str, second: str) -> None:
    """The served games are those of a match with the same seed, in pairs of the same cards."""
    result = run(serve(serve_config({0: first, 1: second, 2: first, 3: second}, games=2, seed=3)))
    assert outcome(result) == match(first, second, 2, 3)


def test_guests_play_as_in_play_match() -> None:
    """Four clients with an agent without randomness play the games of ``play_match``, card by card."""
    result, guests, _ = run(play_with_clients(serve_config(games=2, seed=1), [guest("greedy")] * 4))
    assert outcome(result) == match("greedy", "greedy", 2, 1)
    assert [joined.problems for joined in guests] == [0] * 4
    assert [joined.outcome.wins for joined in guests] == result.tables[0].wins * 2
    assert all(joined.outcome.is_over and joined.outcome.games == 2 for joined in guests)


@long
def test_guests_and_agents_play_as_in_play_match() -> None:
    """Free seats are assigned in order; with random agents at the others, games equal those of ``play_match``."""
    result, guests, _ = run(
        play_with_clients(serve_config({1: "random", 3: "random"}, games=2, seed=7), [guest("greedy")] * 2)
    )
    assert outcome(result) == match("greedy", "random", 2, 7)
    assert [joined.outcome.seat for joined in guests] == [0, 2]
    assert [seat.is_client for seat in result.tables[0].seats] == [True, False, True, False]


def test_guest_kb_plays_as_in_play_match() -> None:
    """The agent kb reads all observations, and receives the same ones from messages."""
    games = amount(1, 2)
    result, guests, _ = run(
        play_with_clients(serve_config({1: "greedy", 3: "greedy"}, games=games, seed=3), [guest("kb")] * 2)
    )
    assert outcome(result) == match("kb", "greedy", games, 3)
    assert [joined.problems for joined in guests] == [0, 0]


@long
def test_one_client_plays_many_games() -> None:
    """One client plays many games."""
    config = serve_config({0: "greedy", 1: "random", 3: "random"}, games=GAMES, seed=9)
    result, (seat,), _ = run(play_with_clients(config, [guest("greedy")]))
    assert outcome(result) == match("greedy", "random", GAMES, 9)
    assert (seat.outcome.seat, seat.outcome.games, seat.outcome.wins, seat.problems) == (
        2,
        GAMES,
        outcome(result)[0][0],
        0,
    )


def test_several_tables_play_the_games_of_one_match() -> None:
    """Tables fill one after the other, play side by side, and together play the games of one long match."""
    config = serve_config({1: "random", 2: "greedy", 3: "random"}, games=1, seed=8, tables=2)
    result, _, _ = run(play_with_clients(config, [guest("greedy")] * 2))
    assert outcome(result) == match("greedy", "random", 2, 8)
    assert [(table.table, table.first_game, table.games) for table in result.tables] == [(0, 0, 1), (1, 1, 1)]
    assert [table.seats[0].player for table in result.tables] == ["client0", "client1"]
    assert result.games == 2


def test_result_is_json_serialisable() -> None:
    result = run(serve(serve_config(dict.fromkeys(range(4), "greedy"), games=1, seed=1)))
    fields = json.loads(json.dumps(result.to_json()))
    assert list(fields) == ["game", "dialect", "games", "seed", "wins", "draws", "episodes", "tables"]
    assert fields["tables"][0]["seats"][3] == {
        "seat": 3, "team": 1, "player": "greedy", "client": False,
        "decisions": result.tables[0].seats[3].decisions,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"dialect": "B"}, ErrorCode.UNKNOWN_PROTOCOL), ({"agents": {4: "greedy"}}, ErrorCode.INVALID_VALUE),
    ],
)  # fmt: skip
def test_invalid_configurations_are_rejected(settings: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        GameServer(serve_config(**settings))
    assert error.value.code == code


def test_agents_that_cannot_be_served_are_rejected() -> None:
    """Before the first client connects, not at the turn of the agent."""
    doudizhu = load("doudizhu").engine()
    for name in ("human", "program:run=cat"):
        with pytest.raises(GameError) as error:
            GameServer(ServeConfig("doudizhu", doudizhu, {1: name}))
        assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE


def test_unknown_agents_are_rejected() -> None:
    with pytest.raises(GameError, match="nobody"):
        GameServer(serve_config({0: "nobody"}))


# --- before the games -----------------------------------------------------------------------------------------------


def test_seat_is_released_before_all_clients_connect() -> None:
    """A client that leaves before the start frees its seat; one that comes too late is rejected."""

    async def scene() -> ServedResult:
        lines: list[str] = []
        async with GameServer(serve_config({1: "greedy", 3: "greedy"}, seed=1), lines.append) as server:
            playing = asyncio.create_task(server.play_games())
            url = f"ws://127.0.0.1:{server.port}/game/"
            early = await connect(url + "early", proxy=None)
            await early.close()
            while not any("free again" in line for line in lines):
                await asyncio.sleep(0)
            guests = [asyncio.create_task(guest("greedy")(url + "first"))]
            while not any("seat 0: first" in line for line in lines):
                await asyncio.sleep(0)
            guests.append(asyncio.create_task(guest("greedy")(url + "second")))
            while not any("seat 2: second" in line for line in lines):
                await asyncio.sleep(0)
            late = await connect(url + "late", proxy=None)
            await late.wait_closed()
            assert (late.close_code, late.close_reason) == (1013, "no seat is free")
            await asyncio.gather(*guests)
            return await playing

    result = run(scene())
    assert [seat.player for seat in result.tables[0].seats] == ["first", "greedy", "second", "greedy"]


def test_seat_is_released_during_the_start_delay() -> None:
    """Not even the last client that connects keeps its seat when it leaves before the first game."""

    async def scene() -> ServedResult:
        lines: list[str] = []
        agents = {0: "greedy", 1: "greedy", 3: "greedy"}
        async with GameServer(serve_config(agents, seed=1, start_delay=0.2), lines.append) as server:
            playing = asyncio.create_task(server.play_games())
            url = f"ws://127.0.0.1:{server.port}/game/"
            early = await connect(url + "early", proxy=None)
            await early.close()
            while not any("free again" in line for line in lines):
                await asyncio.sleep(0)
            await guest("greedy")(url + "guest")
            return await playing

    seat = run(scene()).tables[0].seats[2]
    assert (seat.player, seat.faults["lost"]) == ("guest", 0)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/game/client0", "client0"),
        ("/", "client"),
        ("/game/%1b%5b31m%0a/?x", r"\x1b[31m\n"),
        ("/" + "n" * 99, "n" * 40),
    ],
)
def test_client_names_are_printable_and_short(path: str, name: str) -> None:
    """A name is the end of the path, printable and short."""
    assert client_name(path) == name


# --- clients that misbehave -----------------------------------------------------------------------------------------


class Faulty:
    """Client with a number of valid answers, and then a fault at every request."""

    def __init__(self, kind: str, well: int = 3) -> None:
        self.kind, self.well, self.heard = kind, well, 0

    async def __call__(self, url: str) -> None:
        async with connect(url, compression=None, proxy=None) as connection:
            try:
                async for frame in connection:
                    message = json.loads(frame)
                    if self.kind == "out of turn":
                        await connection.send('{"actIndex": 0}')
                    if message["type"] == "act":
                        self.well -= 1
                        await self.answer(connection, message)
            except ConnectionClosed:
                pass

    async def answer(self, connection: ClientConnection, message: dict[str, Any]) -> None:
        good = '{"actIndex": 0}'
        if self.well >= 0 or self.kind == "out of turn":
            await connection.send(good)
        elif self.kind == "dies":
            connection.transport.abort()
        elif self.kind == "leaves":
            await connection.close()
        elif self.kind == "answers twice":
            await connection.send(good)
            await connection.send(good)
        elif self.kind == "huge":
            await connection.send("x" * 1_000_000)
        elif self.kind != "stalls":
            await connection.send(FRAMES[self.kind].replace("LENGTH", str(len(message["actionList"]))))


FRAMES = {
    "null": "null", "null index": '{"actIndex": null}', "out of range": '{"actIndex": LENGTH}',
    "negative": '{"actIndex": -1}', "garbage": "\x00}{ no JSON", "deep": "[" * 50_000, "a list": "[0]", "empty": "",
}  # fmt: skip
FAULT_OF = {
    "dies": "lost", "leaves": "lost", "huge": "lost", "stalls": "late", "answers twice": "turn", "out of turn": "turn",
    "null": "null", "null index": "null", "out of range": "range", "negative": "range",
}  # fmt: skip


PARTNERS = [
    ("dies", "null"), ("answers twice", "garbage"), ("leaves", "out of range"), ("out of turn", "deep"),
    ("huge", "null index"), ("negative", "a list"), ("empty",), ("stalls",),
]  # fmt: skip
"""Kinds of faults of the clients of one table; one that stalls has a time to think in which good answers are late."""


def test_list_of_faults_is_complete() -> None:
    assert sorted(kind for kinds in PARTNERS for kind in kinds) == sorted({*FAULT_OF, *FRAMES})


@pytest.mark.parametrize("kinds", PARTNERS, ids=", ".join)
def test_faults_are_counted_at_the_seat_of_the_client(kinds: tuple[str, ...]) -> None:
    """Games continue after any fault, and faults are counted at the seat of the client only."""
    free = (1, 3)[-len(kinds) :]
    think_time = 0.002 if "stalls" in kinds else 30.0
    well = 0 if "stalls" in kinds else 3  # a good answer may be late as well, and then comes out of turn
    config = serve_config(dict.fromkeys({0, 1, 2} - set(free), "greedy"), seed=3, think_time=think_time)
    result, _, log = run(play_with_clients(config, [Faulty(kind, well) for kind in kinds]))
    for number, kind in enumerate(kinds):
        seat, fault = result.tables[0].seats[free[number]], FAULT_OF.get(kind, "garbage")
        assert seat.faults[fault] > 0
        assert not sum(count for other, count in seat.faults.items() if other != fault)
        if fault != "turn":
            assert seat.defaults >= seat.decisions - 3 > 0
        assert sum(f"client{number}: first fault of kind {fault}" in line for line in log) == 1
    assert sum(result.tables[0].wins) == 1


class NonReadingConnection:
    """Connection that reads nothing until it is aborted."""

    request = None

    def __init__(self) -> None:
        self.transport, self._broken = self, asyncio.Event()

    def abort(self) -> None:
        self._broken.set()

    async def send(self, text: str) -> None:
        await asyncio.Event().wait()

    async def __aiter__(self) -> AsyncIterator[str]:
        await self._broken.wait()
        for frame in list[str]():
            yield frame


def test_client_with_full_queue_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unread messages are queued up to a limit, then the connection is aborted."""
    monkeypatch.setattr("abl_cards.server.client.MAX_QUEUED_CHARS", 20_000)

    async def scene() -> int:
        client = Client(cast(ServerConnection, NonReadingConnection()), find_protocol("guandan").read_answer, print)
        attending = asyncio.create_task(client.run())
        request = ChoiceRequest(0, {"stage": "x" * 1_000}, 1, lambda number: None)
        num_requests = 0
        while not attending.done():
            assert await client.request_choice(request, 0.001) == 0
            num_requests += 1
        assert (client.result.faults["lost"], client.result.faults["late"]) == (1, num_requests - 1)
        return num_requests

    assert run(scene()) == 20


def test_table_without_clients_is_played_by_default() -> None:
    """A table without clients is played to the end by default choices."""
    result, _, _ = run(play_with_clients(serve_config(games=1, seed=3), [Faulty("dies", well) for well in range(4)]))
    assert sum(result.tables[0].wins) == 1
    assert [seat.faults["lost"] for seat in result.tables[0].seats] == [1] * 4


def test_late_answers_are_dropped() -> None:
    """An answer after the timeout of its request is dropped, and later answers count."""

    async def slow_once(url: str) -> list[int]:
        """Delay the first answer until the second request."""
        answers, held, choices = [0, 0], True, []
        async with connect(url, compression=None, proxy=None) as connection:
            async for frame in connection:
                message = json.loads(frame)
                if message["type"] != "act":
                    continue
                choices.append(message["indexRange"])
                if not held:
                    await connection.send(json.dumps({"actIndex": message["indexRange"]}))
                elif len(choices) == 2:
                    held = False
                    for _ in answers:
                        await connection.send(json.dumps({"actIndex": min(choices)}))
        return choices

    agents = {0: "greedy", 1: "greedy", 2: "greedy"}
    result, _, _ = run(play_with_clients(serve_config(agents, seed=3, think_time=0.3), [slow_once]))
    seat = result.tables[0].seats[3]
    assert (seat.faults["late"], seat.defaults) == (1, 1)
    assert sum(seat.faults.values()) == 1


def test_client_recovers_after_a_skipped_request() -> None:
    """A client that skips one request is in step again afterwards."""

    async def skip_one(url: str) -> None:
        num_requests = 0
        async with connect(url, compression=None, proxy=None) as connection:
            async for frame in connection:
                if json.loads(frame)["type"] == "act":
                    num_requests += 1
                    if num_requests != 2:
                        await connection.send('{"actIndex": 0}')

    agents = {0: "greedy", 1: "greedy", 2: "greedy"}
    result, _, _ = run(play_with_clients(serve_config(agents, seed=3, think_time=0.3), [skip_one]))
    seat = result.tables[0].seats[3]
    assert (seat.faults["late"], seat.defaults, sum(seat.faults.values())) == (1, 1, 1)


# --- noise at the port ----------------------------------------------------------------------------------------------


def test_random_bytes_do_not_stop_the_server() -> None:
    """Random bytes, broken handshakes and truncated frames neither stop a game nor use up memory."""

    async def throw(port: int, noise: bytes) -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(noise)
            writer.write_eof()
            await reader.read()
            writer.close()
        except OSError:
            pass

    async def scene() -> ServedResult:
        dice = random.Random(1)
        shake = b"GET /game/x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        shake += b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + b"A" * 22 + b"==\r\n\r\n"
        throws = [
            dice.randbytes(10_000),
            shake[:40],
            shake[:-4] + b"\r\nX: " + b"y" * 99_999,
            b"GET / HTTP/1.1\r\n\r\n",
        ]
        throws += [dice.randbytes(dice.randrange(200)) for _ in range(amount(50, 100))]
        throws += [shake + dice.randbytes(20), shake + b"\x81\xff" + b"\xff" * 8, shake + b"\x81\x85abcd"]
        async with GameServer(serve_config({1: "greedy", 3: "greedy"}, games=1, seed=1)) as server:
            playing = asyncio.create_task(server.play_games())
            url = f"ws://127.0.0.1:{server.port}/game/x"
            for noise in throws:
                await throw(server.port, noise)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for noise in throws * amount(2, 4):
                await throw(server.port, noise)
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB
            await asyncio.gather(guest("greedy")(url), guest("greedy")(url))
            return await playing

    assert sum(run(scene()).tables[0].wins) == 1
