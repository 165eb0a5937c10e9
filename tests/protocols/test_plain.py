"""The plain protocol: hosted tables of rule folders, and clients that see only messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types.moves import DRAW
from abl_cards.protocols.common.remote_protocol import InvalidAnswerError, JoinRequest
from abl_cards.protocols.plain import PlainDealer, PlainProtocolClient
from abl_cards.protocols.registry import find_protocol, game_of_dialect
from tests.effort import amount

AUCTION = """
#include <pack52>. #include <seats>. #include <climbing>.
seat(0..2). deals(S,5) :- seat(S).
label(single(R)) :- rank(R). label(pass). form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(pass,pass). needs(single(R),1,R,1) :- rank(R). strength(single(R),R) :- rank(R).
#external held(R,N) : rank(R), N = 1..4.
playable(single(R)) :- held(R,1). playable(pass).
one(bid,2). #external bid(S,N) : seat(S), N = 0..2.
#external event(choice). #external by(S) : seat(S). #external chosen(bid(N)) : N = 0..2.
said(S) :- bid(S,_).
asks(bidding,S) :- seat(S), not said(S), #count { T : seat(T), T < S, not said(T) } = 0.
option(bid(N)) :- N = 0..2.
next(bid(S,N)) :- event(choice), by(S), chosen(bid(N)).
top(N) :- bid(_,N), #count { M : bid(_,M), M > N } = 0.
leads(S) :- bid(S,N), top(N), #count { T : bid(T,N), T < S } = 0.
over :- out(_).
#external finish(P,S) : P = 1, seat(S).
points(S,2,won) :- finish(1,S). points(S,-1,lost) :- seat(S), not finish(1,S).
match_over.
"""


def play_games(engine: Engine, num_games: int) -> tuple[list[int], list[PlainProtocolClient]]:
    """Play games between clients; return the winner of each game, and the clients."""
    seats = len(engine.teams)
    dealer = PlainDealer(engine, num_games)
    clients = [PlainProtocolClient(engine) for _ in range(seats)]
    players = [make_agent("greedy" if seat % 2 else "random", engine) for seat in range(seats)]
    winners = []
    for game in range(num_games):
        dealer.start_game(np.uint64(game // 2), is_rotated=bool(game % 2))
        while dealer.winner == -1:
            send_notifications(dealer, clients)
            request = dealer.next_request()
            message = json.loads(json.dumps(request.message))
            assert message["indexRange"] == request.num_choices - 1 == len(message["actionList"]) - 1
            reply = clients[request.seat].reply(message, players[request.seat], np.uint64(game))
            assert reply.problem is None
            assert (
                find_protocol(engine.game).read_answer(json.dumps(reply.message), request.num_choices) == reply.choice
            )
            request.choose(reply.choice)
        send_notifications(dealer, clients)
        winners.append(dealer.winner)
    wins = [winners.count(team) for team in engine.teams.tolist()]
    for notification in dealer.final_notifications(wins, winners.count(DRAW)):
        clients[notification.seat].handle_message(json.loads(json.dumps(notification.message)))
    return winners, clients


def send_notifications(dealer: PlainDealer, clients: list[PlainProtocolClient]) -> None:
    for notification in dealer.pop_notifications():
        clients[notification.seat].handle_message(json.loads(json.dumps(notification.message)))


@pytest.mark.parametrize("name", ["president", "auction"])
def test_clients_play_whole_games(name: str, tmp_path: Path) -> None:
    """Clients receive their seat and the result, and all their choices are offered."""
    if name == "auction":
        (tmp_path / "game.lp").write_text(AUCTION)
        name = str(tmp_path)
    engine = load(name).engine()
    assert isinstance(engine, Engine)
    games = amount(1, 2)
    winners, clients = play_games(engine, games)
    assert [client.result.seat for client in clients] == list(range(len(clients)))
    for client in clients:
        assert (client.result.is_over, client.result.games) == (True, games)
        assert client.result.wins == sum(winner == client.result.seat for winner in winners)


def test_client_reports_invalid_requests() -> None:
    engine = load("president").engine()
    assert isinstance(engine, Engine)
    client, player = PlainProtocolClient(engine), make_agent("greedy", engine)
    for message, value in (
        ({"type": "act"}, "actionList"),
        ({"type": "act", "actionList": ["pass"]}, "state"),
        ({"type": "act", "actionList": ["pass"], "state": {"hand": ["XX"], "to_beat": None}}, "XX"),
        ({"type": "act", "actionList": ["pass"], "state": {"hand": ["C3"], "to_beat": None}}, "C3"),
    ):
        reply = client.reply(message, player, np.uint64(1))
        assert reply.choice == 0
        assert value in str(reply.problem)
    reply = client.reply({"type": "act", "actionList": [["C4"], ["C5"], "pass"]}, player, np.uint64(1))
    assert reply.choice == 2
    for notification in (
        {"stage": "beginning", "seat": 4},
        {"stage": "gameResult", "victoryNum": 3},
        {"stage": "gameResult", "victoryNum": [1, "x", 0, 0], "draws": 0},
    ):
        with pytest.raises(GameError) as error:
            client.handle_message(notification)
        assert error.value.code == ErrorCode.INVALID_MESSAGE


def test_default_choice_is_pass_if_offered() -> None:
    """Moves of Dou dizhu are listed with the pass at the end, so the first would beat even the partner."""
    engine = load("doudizhu").engine(None, "rlcard")
    dealer, num_passes = PlainDealer(engine, 1), 0
    dealer.start_game(np.uint64(3), False)
    for _ in range(30):
        request = dealer.next_request()
        offered = request.message["actionList"]
        assert offered[request.default] == ("pass" if "pass" in offered else offered[0])
        num_passes += "pass" in offered
        request.choose(0)
    assert num_passes > 5


def test_find_protocol_returns_one_for_every_game() -> None:
    assert find_protocol("president").client_dialects == ("plain",)
    assert find_protocol("guandan").client_dialects == ("guandan", "openguandan")
    assert (game_of_dialect("plain"), game_of_dialect("openguandan")) == (None, "guandan")
    with pytest.raises(GameError, match="klingon") as error:
        game_of_dialect("klingon")
    assert error.value.code == ErrorCode.UNKNOWN_PROTOCOL
    with pytest.raises(InvalidAnswerError) as invalid:
        find_protocol("president").read_answer('{"actIndex": 5}', 5)
    assert (invalid.value.code, invalid.value.fault) == (ErrorCode.INVALID_MESSAGE, "range")


@pytest.mark.parametrize("join_request", [JoinRequest("kb", record_episodes=True), JoinRequest("kb", room="1")])
def test_plain_protocol_rejects_rooms_and_records(join_request: JoinRequest) -> None:
    with pytest.raises(GameError) as error:
        find_protocol("president").create_client(load("president").engine(), "plain", join_request)
    assert error.value.code == ErrorCode.SETTING_CONFLICT
