"""Small OpenGuanDan server, written from observations of the real one; only the rules of play are the project's.

It has one room of four users, and agents play at seats without clients. Unspecified details are left out or made
unusual, because clients must not depend on them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve

from abl_cards.agents.base import Agent
from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.types import ONLY_TABLE
from abl_cards.protocols.common.remote_protocol import ChoiceRequest, Message
from abl_cards.protocols.contest.codec import RANK_TEXT
from abl_cards.protocols.contest.dealer import ContestDealer
from abl_cards.protocols.contest.match_state import table_level
from tests.games.guandan.states import engine

PASS = ["PASS", "PASS", "PASS"]
ENVELOPE = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}
ROOM = 2
NOISE: list[Message] = [
    {"type": "HEARTBEAT"}, {"type": "notify", "stage": "weather", "data": 7},
    {"type": "CHAT", "data": {"stage": "play"}}, {"type": "LOG", "code": 500, "data": "an inner matter"},
]  # fmt: skip


def convert(value: Any) -> Any:
    """Return a message with OpenGuanDan's name of the joker bomb and its order of cards."""
    if isinstance(value, dict):
        return {key: convert(field) for key, field in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) == 3 and isinstance(value[2], list) and isinstance(value[0], str):
        name = ["FourKings", "B"] if value[:2] == ["Bomb", "JOKER"] else value[:2]
        return [*name, value[2][::-1]]
    return [convert(entry) for entry in value]


class OpenGuanDan:
    """OpenGuanDan server that waits for a number of clients."""

    def __init__(self, clients: int = 1, key: int = 1, result_first: bool = False, noise: bool = True) -> None:
        self.clients, self.key, self.result_first, self.noise = clients, key, result_first, noise
        self.users: dict[int, str] = {}  # by seat
        self.received: list[Message] = []  # messages of the clients
        self.stages: set[str] = set()  # stages of requests and notifications
        self.left: list[int] = []  # seats whose clients have left by themselves
        self.rounds = 1
        self._connections: dict[int, ServerConnection] = {}
        self._full, self._over = asyncio.Event(), asyncio.Event()
        self._greater: tuple[int, Any] = (-1, PASS)
        self.dealer = ContestDealer(engine("openguandan"), 1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """Run the server; yields its address."""
        async with serve(self._on_connect, "127.0.0.1", 0, compression=None) as server:
            playing = asyncio.create_task(self._play())
            try:
                yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            finally:
                playing.cancel()
                self._over.set()

    # --- rooms -------------------------------------------------------------------------------------------------------

    async def _on_connect(self, connection: ServerConnection) -> None:
        seat = await self._enter(connection)
        if seat is None:
            await connection.wait_closed()  # the real server leaves the connection open, too
            return
        if len(self._connections) == self.clients:
            self._full.set()
        await self._over.wait()
        await connection.wait_closed()
        self.left.append(seat)

    async def _enter(self, connection: ServerConnection) -> int | None:
        message = await self._receive(connection)
        kind, data = message["type"], message["data"]
        create = kind == "CREATE_ROOM"
        assert set(data) - {"seatNum"} == ({"userId", "round"} if create else {"userId", "roomId"})
        reason = self._refusal(kind, data)
        if reason:
            await self._send(connection, {"type": kind, "code": 400, "data": reason})
            return None
        seat: int = data.get("seatNum", next(seat for seat in count() if seat not in self.users))
        response = {"userNum": seat, "roomId": ROOM} | ({"userName": None, "userId": data["userId"]} if create else {})
        self.rounds = data.get("round", self.rounds)
        for other in self._connections.values():
            await self._send(other, {"type": "JOIN", "code": 200, "data": {"roomId": ROOM}})
        self.users[seat], self._connections[seat] = data["userId"], connection
        await self._send(connection, {"type": kind, "code": 200, "data": response})
        return seat

    def _refusal(self, kind: str, data: Message) -> str | None:
        if data["userId"] in self.users.values():
            return "this user is there already"
        if data.get("seatNum") in self.users:
            return "this seat is taken"
        return "no such room" if kind == "JOIN_ROOM" and data["roomId"] != ROOM else None

    # --- the matches -------------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        await self._full.wait()
        names = ["greedy" if (seat - min(self._connections)) % 2 == 0 else "random" for seat in range(4)]
        agents = [make_agent(name, engine("openguandan")) for name in names]
        for match in range(self.rounds):
            self.dealer.start_game(np.uint64(self.key + match), is_rotated=False)
            while self.dealer.winner == -1:
                await self._send_notifications()
                if self.dealer.tables.state.to_beat[0] < 0:
                    self._greater = (-1, PASS)
                await self._decide(agents[self.dealer.seat])
            await self._send_notifications()
            await self._send_end(match + 1)
        self._over.set()

    async def _decide(self, agent: Agent) -> None:
        tables = self.dealer.tables
        keys = splitmix64_array(tables.keys, tables.num_decisions)
        if self.dealer.seat in self._connections:
            await self._request(self.dealer.next_request())
        elif tables.rows_to_play().size:
            tables.play(ONLY_TABLE, agent.play(tables.decisions(ONLY_TABLE), keys))
        else:
            tables.choose(ONLY_TABLE, agent.choose(tables.choices(ONLY_TABLE), keys))

    async def _request(self, request: ChoiceRequest) -> None:
        """Send a request and make the choice of the answer: an action, exactly as it was offered."""
        original, connection = request.message, self._connections[request.seat]
        stage, actions = original["stage"], convert(original["actionList"])
        message: Message = {"type": "act", "stage": stage, "handCards": sorted(original["handCards"])}
        expected: Message = {"roomId": ROOM, "player": request.seat}
        self.stages |= {f"act {stage}", *(action[0] for action in actions)}
        if stage == "play":
            message |= {key: convert(original[key]) for key in original if key.endswith(("Rank", "Pos", "Action"))}
            message |= {"publicInfo": [{"rest": seat_info["rest"]} for seat_info in original["publicInfo"]]}
        else:
            actions = [action for action in actions for _ in range(original["handCards"].count(action[2][0]))]
        if stage == "back":
            paid = next(pair for pair in self._list_tributes() if pair["taker"] == request.seat)
            tribute_fields = {"tributePos": paid["payer"], "tribute": paid["card"]}
            message |= tribute_fields
            expected |= tribute_fields
        if stage == "tribute":
            await self._send(connection, {"type": "tribute", "code": 200, "data": {"actionList": {"0": actions[0]}}})
        await self._send(connection, message | {"actionList": actions, "indexRange": len(actions) - 1})
        answer = await self._receive(connection)
        act = answer["data"].pop("act")
        assert (answer["type"], answer["data"]) == (ENVELOPE[stage], expected)
        assert act in actions
        request.choose(convert(original["actionList"]).index(act))

    def _list_tributes(self) -> list[dict[str, Any]]:
        tributes = self.dealer._tributes.paid_tributes(self.dealer.tables, 0) or []
        return [{"payer": payer, "card": f"card {card}", "taker": taker} for payer, taker, card in tributes]

    async def _send_notifications(self) -> None:
        for seat, message in self.dealer.pop_notifications():
            converted = self._convert_notification(message)
            if seat in self._connections and converted:
                await self._send(self._connections[seat], converted)
                if self.noise and converted["stage"] in ("beginning", "episodeOver"):
                    for noise in NOISE:
                        await self._send(self._connections[seat], noise)
            if seat == 3 and message["stage"] == "play" and message["curAction"] != PASS:
                self._greater = message["curPos"], convert(message["curAction"])

    def _convert_notification(self, message: Message) -> Message | None:
        """Return a notification in OpenGuanDan's form."""
        stage = message["stage"]
        self.stages.add(stage)
        if stage == "gameOver":
            return None
        converted = convert(message)
        if stage == "beginning":
            converted |= {
                "handCards": sorted(converted["handCards"]),
                "levelCard": RANK_TEXT[table_level(self.dealer.tables, 0)],
            }
        elif stage == "play":  # the play to beat before this play
            converted |= {"greaterPos": self._greater[0], "greaterAction": self._greater[1]}
        elif stage == "back":
            converted |= {"count": len(converted["result"])}
        elif stage == "anti-tribute":
            del converted["antiNum"]
        return dict(converted)

    async def _send_end(self, number: int) -> None:
        over = {"stage": "gameOver", "curTimes": number, "settingTimes": self.rounds, "gameRound": number}
        result = {
            "stage": "gameResult", "victory": self.dealer.winner, "victoryRank": "A", "victoryNum": [3, 1, 4, 1],
        }  # fmt: skip
        for message in (result, over) if self.result_first else (over, result):
            for connection in self._connections.values():
                await self._send(connection, {"type": "notify", **message})

    async def _receive(self, connection: ServerConnection) -> Message:
        message: Message = json.loads(await connection.recv())
        assert set(message) == {"type", "data"}
        self.received.append(json.loads(json.dumps(message)))
        return message

    async def _send(self, connection: ServerConnection, message: Message) -> None:
        await connection.send(json.dumps(message))
