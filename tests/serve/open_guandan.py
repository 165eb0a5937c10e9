"""A stub of an OpenGuanDan server, written from what issue and rules say of it.

Rooms are created or joined by messages ``{"type": …, "data": …}``, answered with ``code`` 200; choices come as
``PLAY``, ``TRIBUTE`` and ``PAYTRIBUTE``. Requests and notifications are those of the contest, the joker bomb is
``FourKings``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve

from abl_cards.agents import Agent, agent
from abl_cards.games.guandan.dealer import HERE, GuandanDealer
from abl_cards.games.service import Message
from abl_cards.streams import mix_all
from tests.games.guandan.states import engine

ENVELOPE = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}
ROOM = "r17"


def four_kings(value: Any) -> Any:
    """The same message with OpenGuanDan's name of the joker bomb."""
    if isinstance(value, list) and value[:2] == ["Bomb", "JOKER"]:
        return ["FourKings", "B", value[2]]
    if isinstance(value, list):
        return [four_kings(each) for each in value]
    return {key: four_kings(each) for key, each in value.items()} if isinstance(value, dict) else value


class OpenGuanDan:
    """A server for one player, whose three companions are agents."""

    def __init__(self, games: int, seat: int = 0, wrapped: bool = False) -> None:
        self.games, self.seat, self.wrapped = games, seat, wrapped
        self.heard: list[str] = []  # types of the messages
        self.kings = 0  # joker bombs offered

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """The address, as long as the server runs."""
        async with serve(self._welcome, "127.0.0.1", 0, compression=None) as server:
            yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"

    async def _welcome(self, connection: ServerConnection) -> None:
        if await self._enter(connection):
            await self._play(connection)

    async def _enter(self, connection: ServerConnection) -> bool:
        while True:
            message = await self._hear(connection)
            if message["type"] == "CREATE_ROOM":
                await self._say(connection, {"type": "CREATE_ROOM", "code": 200, "data": {"room": ROOM}})
                continue
            assert message["type"] == "JOIN_ROOM"
            known = message["data"]["room"] == ROOM
            data = {} if known else "no such room"
            await self._say(connection, {"type": "JOIN_ROOM", "code": 200 if known else 404, "data": data})
            return known

    async def _play(self, connection: ServerConnection) -> None:
        dealer, wins = GuandanDealer(engine("openguandan"), self.games), [0, 0]
        names = ["greedy" if (seat - self.seat) % 2 == 0 else "random" for seat in range(4)]
        companions = [agent(name, engine("openguandan")) for name in names]
        for game in range(self.games):
            dealer.begin(np.uint64(game + 1), turned=False)
            while dealer.winner == -1:
                await self._tell(connection, dealer)
                await self._decide(connection, dealer, companions[dealer.seat])
            wins[dealer.winner] += 1
        await self._tell(connection, dealer)
        for seat, message in dealer.farewell(wins, 0):
            if seat == self.seat:
                await self._say(connection, message)

    async def _decide(self, connection: ServerConnection, dealer: GuandanDealer, companion: Agent) -> None:
        tables, keys = dealer.tables, mix_all(dealer.tables.keys, dealer.tables.clock)
        if dealer.seat == self.seat:
            await self._ask(connection, dealer)
        elif tables.playing().size:
            tables.play(HERE, companion.play(tables.decisions(HERE), keys))
        else:
            tables.give(HERE, companion.give(tables.exchanges(HERE), keys))

    async def _ask(self, connection: ServerConnection, dealer: GuandanDealer) -> None:
        request = dealer.request()
        stage = request.message["stage"]
        self.kings += "JOKER" in json.dumps(request.message["actionList"])
        told = four_kings(request.message)
        await self._say(connection, {"type": ENVELOPE[stage], "data": told} if self.wrapped else told)
        answer = await self._hear(connection)
        assert answer["type"] == ENVELOPE[stage]
        await self._say(connection, {"type": answer["type"], "code": 200, "data": {}})
        request.choose(answer["data"]["actIndex"])

    async def _tell(self, connection: ServerConnection, dealer: GuandanDealer) -> None:
        for seat, message in dealer.news():
            if seat == self.seat:
                await self._say(connection, four_kings(message))

    async def _hear(self, connection: ServerConnection) -> Message:
        message: Message = json.loads(await connection.recv())
        assert set(message) == {"type", "data"}
        self.heard.append(message["type"])
        return message

    async def _say(self, connection: ServerConnection, message: Message) -> None:
        await connection.send(json.dumps(message))
