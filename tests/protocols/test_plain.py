"""The plain protocol: tables of folders, played by guests who know only what they are told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types.moves import DRAW
from abl_cards.protocols.common.remote_protocol import InvalidAnswerError, JoinRequest
from abl_cards.protocols.plain import PlainDealer, PlainProtocolClient
from abl_cards.protocols.registry import find_protocol, game_of_dialect

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


def played(engine: Engine, games: int) -> tuple[list[int], list[PlainProtocolClient]]:
    """So many games between guests; who has won each, and the guests."""
    seats = len(engine.teams)
    dealer = PlainDealer(engine, games)
    guests = [PlainProtocolClient(engine) for _ in range(seats)]
    players = [make_agent("greedy" if seat % 2 else "random", engine) for seat in range(seats)]
    won = []
    for number in range(games):
        dealer.start_game(np.uint64(number // 2), turned=bool(number % 2))
        while dealer.winner == -1:
            tell(dealer, guests)
            request = dealer.next_request()
            message = json.loads(json.dumps(request.message))
            assert message["indexRange"] == request.num_choices - 1 == len(message["actionList"]) - 1
            reply = guests[request.seat].reply(message, players[request.seat], np.uint64(number))
            assert reply.problem is None
            assert (
                find_protocol(engine.game).read_answer(json.dumps(reply.message), request.num_choices) == reply.choice
            )
            request.choose(reply.choice)
        tell(dealer, guests)
        won.append(dealer.winner)
    wins = [won.count(team) for team in engine.teams.tolist()]
    for news in dealer.final_notifications(wins, won.count(DRAW)):
        guests[news.seat].handle_message(json.loads(json.dumps(news.message)))
    return won, guests


def tell(dealer: PlainDealer, guests: list[PlainProtocolClient]) -> None:
    for news in dealer.pop_notifications():
        guests[news.seat].handle_message(json.loads(json.dumps(news.message)))


@pytest.mark.parametrize("name", ["president", "auction"])
def test_guests_play_whole_games(name: str, tmp_path: Path) -> None:
    """They hear where they sit and who has won, and every choice of theirs is offered."""
    if name == "auction":
        (tmp_path / "game.lp").write_text(AUCTION)
        name = str(tmp_path)
    engine = load(name).engine()
    assert isinstance(engine, Engine)
    won, guests = played(engine, 2)
    assert [guest.result.seat for guest in guests] == list(range(len(guests)))
    for guest in guests:
        assert (guest.result.is_over, guest.result.games) == (True, 2)
        assert guest.result.wins == sum(winner == guest.result.seat for winner in won)


def test_a_guest_says_what_it_does_not_understand() -> None:
    engine = load("president").engine()
    assert isinstance(engine, Engine)
    guest, player = PlainProtocolClient(engine), make_agent("greedy", engine)
    for message, said in (
        ({"type": "act"}, "actionList"),
        ({"type": "act", "actionList": ["pass"]}, "state"),
        ({"type": "act", "actionList": ["pass"], "state": {"hand": ["XX"], "to_beat": None}}, "no card"),
        ({"type": "act", "actionList": ["pass"], "state": {"hand": ["C3"], "to_beat": None}}, "is not offered"),
    ):
        reply = guest.reply(message, player, np.uint64(1))
        assert reply.choice == 0
        assert said in str(reply.problem)
    reply = guest.reply({"type": "act", "actionList": [["C4"], ["C5"], "pass"]}, player, np.uint64(1))
    assert reply.choice == 2
    for news in ({"stage": "beginning", "seat": 4}, {"stage": "gameResult", "victoryNum": 3}):
        with pytest.raises(GameError):
            guest.handle_message(news)


def test_who_does_nothing_passes_where_that_is_offered() -> None:
    """Moves of Dou dizhu are listed with the pass at the end, and the first of them would beat even the partner."""
    engine = load("doudizhu").engine(None, "rlcard")
    dealer, passed = PlainDealer(engine, 1), 0
    dealer.start_game(np.uint64(3), False)
    for _ in range(30):
        request = dealer.next_request()
        offered = request.message["actionList"]
        assert offered[request.default] == ("pass" if "pass" in offered else offered[0])
        passed += "pass" in offered
        request.choose(0)
    assert passed > 5


def test_every_game_has_a_service() -> None:
    assert find_protocol("president").client_dialects == ("plain",)
    assert find_protocol("guandan").client_dialects == ("guandan", "openguandan")
    assert (game_of_dialect("plain"), game_of_dialect("openguandan")) == (None, "guandan")
    with pytest.raises(GameError, match="unknown dialect 'klingon'"):
        game_of_dialect("klingon")
    with pytest.raises(GameError, match="serve --record"):
        find_protocol("president").create_client(
            load("president").engine(), "plain", JoinRequest("kb", record_episodes=True)
        )
    with pytest.raises(GameError, match="rooms"):
        find_protocol("president").create_client(load("president").engine(), "plain", JoinRequest("kb", room="1"))
    with pytest.raises(InvalidAnswerError):
        find_protocol("president").read_answer('{"actIndex": 5}', 5)
