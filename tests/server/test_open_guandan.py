"""Agents at an OpenGuanDan table: rooms, envelopes, unusual messages, and the end of matches."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.protocols.common.remote_protocol import JoinRejectedError, JoinRequest
from abl_cards.protocols.contest.client import ContestClient
from abl_cards.protocols.contest.openguandan import RoomHandshake
from abl_cards.protocols.contest.service import PROTOCOL
from abl_cards.server.guest import JoinResult
from tests.cli_runs import run as run_command
from tests.games.guandan.states import engine
from tests.server.open_guandan import ENVELOPE, PASS, ROOM, OpenGuanDan
from tests.server.servers import guest, run
from tests.server.test_guest import following

DIALECT = "openguandan"


def run_clients(server: OpenGuanDan, *guests: dict[str, Any]) -> list[JoinResult]:
    """Let clients connect one after the other and play to the end; return their results."""

    async def scene() -> list[JoinResult]:
        async with server.open() as url:
            coming = []
            for number, wishes in enumerate(guests):
                coming.append(asyncio.create_task(guest("greedy", DIALECT, **wishes)(url)))
                while len(server.users) <= number and not coming[-1].done():
                    await asyncio.sleep(0)
            return await asyncio.gather(*coming)

    return run(scene())


# --- whole matches ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result_first", [False, True])
def test_complete_match(result_first: bool) -> None:
    """Create a room and play: every answer is an action as offered, and the client leaves after the result."""
    server, records = OpenGuanDan(key=11, result_first=result_first), list[dict[str, Any]]()
    (result,) = run_clients(server, {"name": "u0", "seat": 1, "write": records.append})
    assert server.received[0] == {"type": "CREATE_ROOM", "data": {"userId": "u0", "round": 1, "seatNum": 1}}
    outcome = result.outcome
    assert (outcome.seat, outcome.games, outcome.is_over, result.problems) == (1, 1, True, 0)
    assert outcome.wins == (server.dealer.winner == 1)
    assert result.decisions == len(server.received) - 1
    assert server.left == [1]
    assert {message["type"] for message in server.received[1:]} == set(ENVELOPE.values())
    assert {"act tribute", "act back", "tribute", "back", "play", "episodeOver"} <= server.stages
    assert len(records) == server.dealer.tables.num_episodes[0]
    replayed = engine(DIALECT).replay([record | {"profile": DIALECT} for record in records])
    assert replayed.mismatches == ()


def test_several_matches() -> None:
    """As many matches as the room was created for are played; one of them has a refused tribute."""
    server = OpenGuanDan(key=1, noise=False)
    (result,) = run_clients(server, {"num_matches": 2})
    assert (server.rounds, result.outcome.games, result.outcome.is_over, result.problems) == (2, 2, True, 0)
    assert "anti-tribute" in server.stages


def test_two_clients_in_one_room() -> None:
    """One client creates the room, the other joins it; generated names differ."""
    server = OpenGuanDan(clients=2)
    first, second = run_clients(server, {"seat": 2}, {"room": str(ROOM), "seat": 0})
    assert (first.outcome.seat, second.outcome.seat) == (2, 0)
    assert (first.outcome.is_over, second.outcome.is_over, first.problems, second.problems) == (True, True, 0, 0)
    assert first.outcome.wins == second.outcome.wins
    assert len(set(server.users.values())) == 2
    assert server.received[1]["type"] == "JOIN_ROOM"
    assert server.received[1]["data"] == {"userId": server.users[0], "roomId": ROOM, "seatNum": 0}


# --- refusals --------------------------------------------------------------------------------------------------------


def test_rejected_joins_raise() -> None:
    with pytest.raises(JoinRejectedError, match=r"JOIN_ROOM.* 400: no such room") as error:  # as the server answers
        run_clients(OpenGuanDan(), {"room": "17"})
    assert error.value.code == ErrorCode.JOIN_REJECTED
    with pytest.raises(JoinRejectedError, match="this user is there already"):
        run_clients(OpenGuanDan(clients=3), {"name": "u"}, {"room": str(ROOM), "name": "u"})


def test_rejected_join_exits_with_1() -> None:
    async def scene() -> Any:
        async with OpenGuanDan().open() as url:
            command = ("join", url, "--agent", "greedy", "--protocol", DIALECT, "--room", "hall")
            return await asyncio.to_thread(run_command, *command)

    answer = run(scene())
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert re.fullmatch("error: JOIN_ROOM .* 400: no such room\n", answer.stderr)


@pytest.mark.parametrize(
    ("dialect", "fields"),
    [
        ("guandan", {"room": "2"}), ("guandan", {"seat": 2}), ("guandan", {"num_matches": 2}),
        (DIALECT, {"room": "2", "num_matches": 2}),
    ],
)  # fmt: skip
def test_unsupported_join_requests_are_rejected(dialect: str, fields: dict[str, Any]) -> None:
    with pytest.raises(GameError) as error:
        PROTOCOL.create_client(engine(), dialect, JoinRequest("kb", **fields))
    assert error.value.code == ErrorCode.SETTING_CONFLICT


def test_created_room_is_reported() -> None:
    """The user who creates a room sees its number, for other clients to join."""
    seat = ContestClient(engine(), RoomHandshake("kb"))
    seat.handle_message({"type": "CREATE_ROOM", "code": 200, "data": {"userNum": 0, "roomId": 7}})
    assert seat.pop_user_messages() == ["room 7: the others join with --room 7"]
    assert seat.pop_user_messages() == []


# --- single messages -------------------------------------------------------------------------------------------------


def seated(myPos: int = 0, **more: Any) -> ContestClient:
    """Return a client in room 2 whose episode has begun."""
    seat = ContestClient(engine(), RoomHandshake("kb"))
    seat.handle_message({"type": "JOIN_ROOM", "code": 200, "data": {"userNum": 1, "roomId": 2}})
    hand = ["S4", "SQ", "SK", "H2", *(f"{suit}{rank}" for rank in "5678" for suit in "SHCD"), "D9", *["C9"] * 2] + [
        "DT"
    ] * 4
    beginning = {"handCards": hand, "myPos": myPos, "levelCard": "2"} | more
    seat.handle_message({"type": "notify", "stage": "beginning", **beginning})
    return seat


def answer(seat: ContestClient, request: dict[str, Any]) -> dict[str, Any]:
    reply = seat.reply(request, make_agent("greedy", engine()), np.uint64(1))
    assert reply.problem is None
    return reply.message


def test_requests_to_follow_and_to_lead() -> None:
    """A pass with greaterPos -1 is nothing to beat."""
    queen, king = ["Single", "Q", ["SQ"]], ["Single", "K", ["SK"]]
    message = answer(seated(myPos=3), following(PASS, king, queen))
    assert message == {"type": "PLAY", "data": {"roomId": 2, "player": 3, "act": queen}}
    leading = following(
        ["Single", "4", ["S4"]], queen, king, greaterPos=-1, greaterAction=PASS, curPos=-1, curAction=PASS
    )
    assert answer(seated(), leading)["data"]["act"] == ["Single", "4", ["S4"]]


def test_action_is_returned_as_offered() -> None:
    """Order of cards and name of the joker bomb are unchanged."""
    kings = ["FourKings", "B", ["HR", "SB", "HR", "SB"]]
    hand, bomb = ["SB", "SB", "HR", "HR"], ["Bomb", "9", ["S9", "H9", "C9", "D9"]]
    assert answer(seated(), following(PASS, kings, handCards=hand, greaterAction=bomb))["data"]["act"] == kings


def test_tribute_request_without_hand() -> None:
    """The request has only the list: hand and level come from earlier messages. Cards may be listed twice."""
    seat = seated(myPos=2, levelCard=10)
    seat.handle_message({"type": "tribute", "code": 200, "data": {"actionList": {"0": ["tribute", "tribute", ["SK"]]}}})
    king = ["tribute", "tribute", ["SK"]]
    message = answer(seat, {"type": "act", "stage": "tribute", "actionList": [king, king]})
    assert message == {"type": "TRIBUTE", "data": {"roomId": 2, "player": 2, "act": king}}


def test_return_request_without_hand() -> None:
    """The answer repeats two fields of the request."""
    seat, five = seated(), ["back", "back", ["S5"]]
    seat.handle_message({"type": "notify", "stage": "tribute", "result": [[3, 0, "HR"]]})
    request = {"type": "act", "stage": "back", "tributePos": 3, "tribute": "HR", "actionList": [five, five]}
    assert answer(seat, request) == {
        "type": "PAYTRIBUTE", "data": {"roomId": 2, "player": 0, "tributePos": 3, "tribute": "HR", "act": five},
    }  # fmt: skip


@pytest.mark.parametrize("field", ["antiNum", "antiNums"])
def test_both_spellings_of_anti_tribute_are_read(field: str) -> None:
    seat = seated()
    seat.handle_message({"type": "notify", "stage": "anti-tribute", field: 1, "antiPos": [3]})
    assert seat._table_view.exchange.anti == (3,)


def test_only_cur_action_is_counted_as_played() -> None:
    """GreaterAction is the play before, and is not counted again."""
    seat, nine = seated(), ["Single", "9", ["H9"]]
    seat.handle_message(
        {"type": "notify", "stage": "play", "curPos": 1, "curAction": nine, "greaterPos": -1, "greaterAction": PASS}
    )
    seat.handle_message(
        {"type": "notify", "stage": "play", "curPos": 2, "curAction": PASS, "greaterPos": 1, "greaterAction": nine}
    )
    assert seat._table_view._tables.state.played[0].sum(axis=1).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "HEARTBEAT", "code": 0}, {"type": "ERROR", "code": 500}, {"type": "JOIN", "code": 200}, {},
        {"type": "notify", "stage": ["play"]}, {"type": "notify"}, {"code": None}, {"type": 7},
        {"type": "notify", "stage": "weather"},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_unknown_messages_are_ignored(message: dict[str, Any]) -> None:
    seat = seated()
    seat.handle_message(message)
    assert (seat.pop_user_messages(), seat.result.is_over) == ([], False)


def test_rejected_answer_raises_invalid_message() -> None:
    with pytest.raises(GameError, match=r"PLAY.* 400: illegal") as raised:
        seated().handle_message({"type": "PLAY", "code": 400, "data": "illegal"})
    assert not isinstance(raised.value, JoinRejectedError)
    assert raised.value.code == ErrorCode.INVALID_MESSAGE


OVER = {"type": "notify", "stage": "gameOver", "curTimes": 1, "settingTimes": 1, "gameRound": 1}
RESULT = {"type": "notify", "stage": "gameResult", "victory": 1, "victoryRank": "A", "victoryNum": [3, 1, 4, 1]}


@pytest.mark.parametrize("messages", [(OVER, RESULT), (RESULT, OVER)])
@pytest.mark.parametrize("myPos", [0, 3])
def test_match_end_messages_arrive_in_any_order(messages: tuple[dict[str, Any], ...], myPos: int) -> None:
    """``victory`` is the team that won, ``victoryNum`` is ignored, and the end needs both messages."""
    seat = seated(myPos)
    seat.handle_message(messages[0])
    assert not seat.result.is_over
    seat.handle_message(messages[1])
    outcome = seat.result
    assert (outcome.is_over, outcome.games, outcome.wins, outcome.draws) == (True, 1, myPos == 3, 0)


def test_help_lists_the_options_of_rooms() -> None:
    help_text = re.sub(r"\s+", " ", run_command("join", "--help").stdout)
    assert all(option in help_text for option in ("--room", "--seat", "--rounds", "--name", "--record", "userId"))
