"""Agents as clients of remote tables: reading of messages, and handling of invalid ones."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.common.remote_protocol import Reply
from abl_cards.protocols.contest.client import ContestClient
from abl_cards.protocols.contest.handshake import ContestHandshake
from abl_cards.protocols.contest.service import PROTOCOL
from abl_cards.protocols.registry import find_protocol, game_of_dialect
from abl_cards.server.guest import JoinResult
from tests.games.guandan.states import engine
from tests.server.servers import guest, run
from tests.server.test_protocol import PASS, encode_request, seated


def new_client() -> ContestClient:
    return ContestClient(engine(), ContestHandshake())


def reply(message: dict[str, Any], name: str = "greedy") -> Reply:
    return new_client().reply(message, make_agent(name, engine()), np.uint64(1))


def following(*actions: Any, **changes: Any) -> dict[str, Any]:
    """Return a request to follow a single nine, with these plays to choose from."""
    hand = ["S4", "SQ", "SK"]
    public = [{"rest": 27, "playArea": None} for _ in range(4)]
    nine = ["Single", "9", ["S9"]]
    return {
        "type": "act", "stage": "play", "handCards": hand, "publicInfo": public, "selfRank": "2", "oppoRank": "2",
        "curRank": "2", "curPos": 1, "curAction": PASS, "greaterPos": 0, "greaterAction": nine,
        "actionList": list(actions), "indexRange": len(actions) - 1,
    } | changes  # fmt: skip


QUEEN, KING = ["Single", "Q", ["SQ"]], ["Single", "K", ["SK"]]


# --- requests ------------------------------------------------------------------------------------------------------


def test_choice_is_found_in_any_order() -> None:
    """Find the agent's move by type, rank and cards, at any place and in any order of cards."""
    assert reply(following(PASS, QUEEN, KING)) == Reply(1, {"actIndex": 1})
    assert reply(following(PASS, KING, QUEEN)) == Reply(2, {"actIndex": 2})
    dealer = seated(["S9 H9 D9 C4 D4", "S4", "S5", "S6"])
    message = encode_request(dealer)
    index = next(n for n, action in enumerate(message["actionList"]) if action[0] == "ThreeWithTwo")
    message["actionList"][index][2].reverse()
    assert reply(message).choice == index


def test_missing_choice_is_replaced_and_reported() -> None:
    """The first choice is taken and the difference is reported."""
    assert reply(following(PASS, KING)) == Reply(0, {"actIndex": 0}, "Single Q SQ is not offered")


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_any_offered_tribute_is_chosen(name: str) -> None:
    """Choose any offered card, also one that our rules would not offer."""
    message = following(["tribute", "tribute", ["S4"]], ["tribute", "tribute", ["SK"]], stage="tribute")
    message |= {"curPos": -1, "curAction": None, "greaterPos": -1, "greaterAction": None}
    answer = reply(message, name)
    assert (answer.choice in (0, 1), answer.problem) == (True, None)


def test_windows_dialect_is_read() -> None:
    """Python lists as text, and three nulls for nothing, come from the Windows platform; levels as numbers are read."""
    text = "['Single', '9', ['S9']]"
    assert reply(following(PASS, QUEEN, KING, greaterAction=text, curAction="['PASS', 'PASS', 'PASS']")).choice == 1
    leading = following(["Single", "4", ["S4"]], QUEEN, KING, curRank=2, greaterAction="[None, None, None]")
    assert reply(leading) == Reply(0, {"actIndex": 0})
    assert reply(leading | {"greaterAction": [None, None, None]}) == Reply(0, {"actIndex": 0})


def test_four_kings_are_beaten_and_played() -> None:
    """OpenGuanDan's joker bomb can be beaten and played."""
    kings = ["FourKings", "B", ["SB", "SB", "HR", "HR"]]
    hand = ["SB", "SB", "HR", "HR"]
    bomb = ["Bomb", "9", ["S9", "H9", "C9", "D9"]]
    assert reply(following(PASS, kings, handCards=hand, greaterAction=bomb)) == Reply(1, {"actIndex": 1})
    assert reply(following(PASS, greaterAction=kings)) == Reply(0, {"actIndex": 0})


@pytest.mark.parametrize(
    "changes",
    [
        {"handCards": None}, {"handCards": ["S1"]}, {"handCards": 3}, {"curRank": "X"}, {"curRank": 15},
        {"curRank": True}, {"actionList": []}, {"actionList": None},
        {"actionList": [7, None, {}, ["Single", "Q", 3], ["Single", "Q", [["SQ"]]]]},

        {"greaterAction": ["Pair", "9", ["S9"]]}, {"greaterAction": "__import__('os')"}, {"greaterAction": {}},
        {"greaterAction": "(" * 5000}, {"greaterAction": "{[]: 1}"},
        {"stage": "tribute"}, {"stage": "dance"}, {"handCards": ["S9"] * 300},
    ],
)  # fmt: skip
def test_invalid_requests_are_answered_with_the_first_choice(changes: dict[str, Any]) -> None:
    """The answer is the first choice, with the error."""
    answer = reply(following(PASS, QUEEN, **changes))
    assert (answer.choice, answer.message, bool(answer.problem)) == (0, {"actIndex": 0}, True)


def test_invalid_levels_are_ignored() -> None:
    assert reply(following(PASS, QUEEN, selfRank=[], oppoRank={})).problem is None


def test_request_decision_equals_table_decision() -> None:
    seen: list[Decisions] = []

    class RecordingAgent:
        def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
            seen.append(decisions)
            return decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16))

        def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
            raise AssertionError

    dealer = seated(["S9 H9 S3", "S4 SJ HJ H8", "S4", "S5"], level="8")
    request = dealer.next_request()
    request.choose(request.message["actionList"].index(["Pair", "9", ["S9", "H9"]]))
    new_client().reply(encode_request(dealer), RecordingAgent(), np.uint64(1))
    there = dealer.tables.decisions(np.array([0]))
    assert (seen[0].legal_mask == there.legal_mask).all()
    assert (seen[0].label_to_beat, seen[0].ranking.tolist()) == (there.label_to_beat, there.ranking.tolist())


# --- notifications --------------------------------------------------------------------------------------------------


def test_notifications_update_the_result() -> None:
    seat = new_client()
    for message in (
        {"stage": "beginning", "handCards": ["S4"] * 27, "myPos": 3},
        {"stage": "gameOver", "curTimes": 2, "settingTimes": 2},
        {"stage": "gameResult", "victoryNum": [0, 1, 0, 1], "draws": [1] * 4}, {"stage": "surprise"}, {},
    ):  # fmt: skip
        seat.handle_message({"type": "notify", **message})
    outcome = seat.result
    assert (outcome.seat, outcome.games, outcome.wins, outcome.draws, outcome.is_over) == (3, 2, 1, 1, True)


@pytest.mark.parametrize(
    "message",
    [
        {"stage": "beginning"}, {"stage": "beginning", "myPos": "0"}, {"stage": "beginning", "myPos": 0},
        {"stage": "gameOver"}, {"stage": "gameResult", "victoryNum": [1], "draws": [0]},
    ],
)  # fmt: skip
def test_invalid_notifications_are_rejected(message: dict[str, Any]) -> None:
    with pytest.raises(GameError) as error:
        new_client().handle_message({"type": "notify", **message})
    assert error.value.code in (ErrorCode.INVALID_MESSAGE, ErrorCode.INVALID_STATE)


# --- addresses and dialects -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "dialect", "url"),
    [
        ("ws://127.0.0.1:23456", "guandan", "ws://127.0.0.1:23456/game/kb"),
        ("h:1", "guandan", "ws://h:1/game/kb"),
        ("localhost", "guandan", "ws://localhost:23456/game/kb"),
        ("ws://h:80/game/gd/12345678901234567", "guandan", "ws://h:80/game/gd/12345678901234567"),
        ("127.0.0.1:9000/", "guandan", "ws://127.0.0.1:9000/game/kb"),
        ("127.0.0.1", "openguandan", "ws://127.0.0.1:8181"),
        ("wss://h/room", "openguandan", "wss://h:8181/room"),
    ],
)
def test_complete_url_adds_defaults(address: str, dialect: str, url: str) -> None:
    assert PROTOCOL.complete_url(address, dialect, "kb") == url


@pytest.mark.parametrize("address", ["http://h", "ws://", "ws://h:port", "ws://h:99999", "ws://[::1"])
def test_invalid_addresses_are_rejected(address: str) -> None:
    with pytest.raises(GameError, match=re.escape(address)) as error:
        PROTOCOL.complete_url(address, "guandan", "kb")
    assert error.value.code == ErrorCode.INVALID_ADDRESS


def test_game_of_dialect_finds_the_game() -> None:
    assert game_of_dialect("openguandan") == game_of_dialect("guandan") == "guandan"
    with pytest.raises(GameError, match="guandan, openguandan, plain") as error:
        game_of_dialect("x")
    assert error.value.code == ErrorCode.UNKNOWN_PROTOCOL
    assert find_protocol("big2").client_dialects == ("plain",)


# --- tables that misbehave ------------------------------------------------------------------------------------------


def test_invalid_frames_are_counted() -> None:
    """Invalid frames are counted, requests are answered, and the outcome is not over without a result."""
    answers: list[Any] = []

    async def talk(connection: ServerConnection) -> None:
        for frame in ("null", "[]", "{", b"\xff", "{}", '{"type":"notify","stage":"gameOver"}', "[" * 100_000):
            await connection.send(frame)
        await connection.send(json.dumps(following(PASS, QUEEN)))
        answers.append(json.loads(await connection.recv()))

    async def scene() -> JoinResult:
        async with listen(talk, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            result: JoinResult = await guest("greedy")(f"ws://127.0.0.1:{port}/game/x")
            return result

    result = run(scene())
    assert answers == [{"actIndex": 1}]
    assert (result.decisions, result.problems, result.outcome.is_over) == (1, 6, False)


def test_client_leaves_after_the_result() -> None:
    """The client leaves after the result although the table does not close."""

    async def linger(connection: ServerConnection) -> None:
        result = {"type": "notify", "stage": "gameResult", "victoryNum": [1, 0, 1, 0], "draws": [0] * 4}
        await connection.send(json.dumps(result))
        await connection.wait_closed()

    async def scene() -> JoinResult:
        async with listen(linger, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            result: JoinResult = await guest("greedy")(f"ws://127.0.0.1:{port}/game/x")
            return result

    assert run(scene()).outcome.is_over


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid", "localhost"])
def test_connection_refused_error_names_the_address(host: str) -> None:
    async def scene() -> None:
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        url = f"ws://{host}:{server.sockets[0].getsockname()[1]}/game/x"
        server.close()
        await server.wait_closed()
        with pytest.raises(OSError, match="no table there") as error:
            await guest("greedy")(url)
        assert error.value.filename == url

    run(scene())


def test_http_server_is_not_a_table() -> None:
    """Either nothing listens, or an HTTP server without web sockets."""

    async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def scene() -> None:
        server = await asyncio.start_server(web, "127.0.0.1", 0)
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/game/x"
        async with server:
            with pytest.raises(GameError) as error:
                await guest("greedy")(url)
            assert error.value.code == ErrorCode.CONNECTION_FAILED
        with pytest.raises(ConnectionRefusedError):
            await guest("greedy")(url)

    run(scene())
