"""Sessions of Dou dizhu on Botzone: requests, faults of answers, and the bot of the agent kb."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.botzone import bot_file
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.faults import Fault
from abl_cards.protocols.botzone.registry import BotzoneGame
from abl_cards.protocols.botzone.session import BotzoneSession
from tests.cli_runs import run
from tests.effort import amount
from tests.games.doudizhu.decided import engine_of
from tests.games.random_play import match_keys, play_out
from tests.protocols.botzone.old_python import too_new


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_bot_plays_the_moves_of_kb(profile: str) -> None:
    """All decisions and bids of whole games agree for all three seats."""
    engine = engine_of(None, profile)
    rules, kb = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model()))), make_agent("kb", engine)
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 31), session)
    for number in range(amount(1, 3)):
        if number:
            tables.begin_match(ONLY_TABLE, match_keys(1, 31 + number))
        while tables.winner[0] < 0:
            answer = {"response": bot_file.answer(rules, json.loads(json.dumps(session.message())))}
            if tables.rows_to_choose().size:
                choice = kb.choose(tables.choices(ONLY_TABLE), np.zeros(1, np.uint64))
                assert session.read_choice(tables.choices(ONLY_TABLE), answer) == choice[0]
                tables.choose(ONLY_TABLE, choice)
                continue
            decisions = tables.decisions(ONLY_TABLE)
            moves: Moves = kb.play(decisions, np.zeros(1, np.uint64))
            assert session.read_play(decisions, answer).cards.tobytes() == moves.cards.tobytes()
            tables.play(ONLY_TABLE, moves)


def test_first_requests_have_cards_and_history() -> None:
    """The landlord has 20 cards and an empty history; the next seat sees the lead."""
    engine = engine_of(None, "botzone")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), session)
    (request,) = session.message()["requests"]
    assert len(request["own"]) == 20
    assert request["history"] == [[], []]
    assert set(request["publiccard"]) <= set(request["own"])
    assert session.message()["responses"] == []
    tables.play(ONLY_TABLE, tables.decisions(ONLY_TABLE).moves().select(np.array([0])))
    (following,) = session.message()["requests"]
    assert [len(cards) for cards in following["history"]] == [0, 1]
    assert following["publiccard"] == request["publiccard"]


def test_bid_requests_and_first_play_request() -> None:
    engine = engine_of(None, "botzone_bidding")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 3), session)
    for bid, before in ((1, []), (2, [1]), (0, [1, 2])):
        request = session.message()["requests"][-1]
        assert (len(request["own"]), request["bid"]) == (17, before)
        option = session.read_choice(tables.choices(ONLY_TABLE), {"response": bid})
        tables.choose(ONLY_TABLE, np.array([option], np.uint8))
    message = session.message()
    assert message["responses"] == [2]
    request = message["requests"][-1]
    assert (request["landlord"], request["pos"], request["finalbid"], len(request["own"])) == (1, 1, 2, 20)


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_bot_bids_are_legal_after_any_bids(profile: str) -> None:
    """Lists of judges with other rules, which these rules cannot produce, are answered, too."""
    engine = engine_of(None, profile)
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model())))
    for bids in (bids for length in range(5) for bids in product(range(4), repeat=length)):
        own = [*range(0, 51, 3)] if len(bids) % 2 else [*range(37, 54)]
        bid = bot_file.answer(rules, {"requests": [{"own": own, "bid": list(bids)}], "responses": []})
        assert bid in {0, 1, 2, 3} - set(range(1, max(bids, default=0) + 1))


def test_bot_passes_on_unknown_plays() -> None:
    """The plays are a trio with a kicker that other judges allow, and five cards that are never a play."""
    engine = engine_of(None, "botzone")
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model())))
    own, public = [*range(0, 34, 2)], [51, 52, 53]
    for laid in ([1, 3, 5, 7, 9], [1, 5, 9]):
        request = {"own": own, "publiccard": public, "history": [[], laid], "landlord": 0, "pos": 1, "finalbid": 1}
        assert bot_file.answer(rules, {"requests": [request], "responses": []}) == []


def test_sent_card_numbers_leave_the_hand() -> None:
    """Of equal cards, those that the program has sent leave the hand."""
    engine = engine_of(None, "botzone")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), session)
    own = sorted(session.message()["requests"][0]["own"])
    rank = next(number // 4 for number in own if sum(card // 4 == number // 4 for card in own) > 1)
    last = max(number for number in own if number // 4 == rank)
    decisions = tables.decisions(ONLY_TABLE)
    tables.play(ONLY_TABLE, session.read_play(decisions, {"response": [last]}))
    assert session.message()["requests"][0]["history"] == [[], [last]]
    assert session.log[1] == {"0": {"verdict": "OK", "response": [last]}}
    for _ in range(2):
        decisions = tables.decisions(ONLY_TABLE)
        tables.play(ONLY_TABLE, decisions.moves().select(np.array([len(decisions.moves().cards) - 1])))
        session.issue_request()
    if tables.seat[0] == 0:
        with pytest.raises(Fault) as caught:
            session.read_play(tables.decisions(ONLY_TABLE), {"response": [last]})
        assert caught.value.kind == "NOT_YOUR_POKER"


def test_card_numbers_reveal_nothing_about_other_hands() -> None:
    """Numbers in the order of the deal would give the first of equal cards to the first seat in every game."""
    engine = engine_of(None, "botzone")
    firsts = []
    for seed in range(12):
        session = BotzoneSession(engine.rules)
        engine.start_matches(match_keys(1, seed), session)
        threes = {seat for seat, hand in enumerate(session.initdata["allocation"]) if 0 in hand}
        firsts.append(next(iter(threes), 3))
    assert len(set(firsts)) > 2


def test_log_is_written_at_the_end_of_a_game() -> None:
    engine, written = engine_of(None, "botzone"), list[dict[str, Any]]()
    session = BotzoneSession(engine.rules, write=written.append)
    tables = engine.start_matches(match_keys(1, 5), session)
    play_out(tables)
    ((initdata, log),) = [(log["initdata"], log["log"]) for log in written]
    assert sorted(card for hand in [*initdata["allocation"], initdata["publiccard"]] for card in hand) == list(
        range(54)
    )
    assert log[-1]["output"]["content"] == {str(seat): points for seat, points in enumerate(tables.points[0].tolist())}
    assert all(next(iter(entry)) == "output" for entry in log[::2])
    json.dumps(written)


ANSWERS: list[tuple[str, Any, str, str]] = [
    ("nothing", None, "INVALID_FORMAT", "^null "),
    ("a list", [1], "INVALID_FORMAT", r"^\[1\] "),
    ("null", {"response": None}, "INVALID_FORMAT", "^null "),
    ("a text", {"response": "3"}, "INVALID_FORMAT", '^"3" '),
    ("no numbers", {"response": [True]}, "INVALID_FORMAT", r"^\[true\] "),
    ("no card", {"response": [54]}, "INVALID_POKERID", r"^\[54\] "),
    ("negative", {"response": [-1]}, "INVALID_POKERID", r"^\[-1\] "),
    ("huge", {"response": [10**40]}, "INVALID_POKERID", r"^\[10000"),
    ("pass", {"response": []}, "ILLEGAL_MOVE", r"^\[\] .*seat 0"),
]


@pytest.mark.parametrize(("answer", "kind", "text"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_invalid_answers_are_faults(answer: Any, kind: str, text: str) -> None:
    engine = engine_of(None, "botzone")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), session)
    with pytest.raises(Fault, match=text) as caught:
        session.read_play(tables.decisions(ONLY_TABLE), answer)
    assert (caught.value.kind, caught.value.code) == (kind, ErrorCode.INVALID_MESSAGE)


def test_held_cards_that_form_no_play_are_faults() -> None:
    engine = engine_of(None, "botzone")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), session)
    own = sorted(session.message()["requests"][0]["own"])
    for response, kind in (([own[0], own[-1]], "INVALID_POKERTYPE"), (own[:1] * 2, "NOT_YOUR_POKER")):
        with pytest.raises(Fault) as caught:
            session.read_play(tables.decisions(ONLY_TABLE), {"response": response})
        assert caught.value.kind == kind
    tables.play(ONLY_TABLE, session.read_play(tables.decisions(ONLY_TABLE), {"response": own[-1:]}))
    mine = sorted(session.message()["requests"][0]["own"])
    if mine[0] // 4 < own[-1] // 4:  # a play, but one that beats nothing
        with pytest.raises(Fault) as caught:
            session.read_play(tables.decisions(ONLY_TABLE), {"response": mine[:1]})
        assert caught.value.kind == "ILLEGAL_MOVE"


@pytest.mark.parametrize(("bid", "kind"), [(4, "ILLEGAL_MOVE"), (-1, "ILLEGAL_MOVE"), ([], "INVALID_FORMAT")])
def test_invalid_bids_are_faults(bid: Any, kind: str) -> None:
    engine = engine_of(None, "botzone_bidding")
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), session)
    with pytest.raises(Fault) as caught:
        session.read_choice(tables.choices(ONLY_TABLE), {"response": bid})
    assert caught.value.kind == kind


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_bot_source_is_compatible_with_old_pythons(profile: str) -> None:
    """It runs on Python 3.6, and is shorter than four million bytes."""
    engine = engine_of(None, profile)
    platform = BotzoneGame.from_engine(engine)
    assert platform
    source = platform.bot_source(engine.preference_model())
    assert too_new(source, (3, 6)) == []
    assert len(source) < 4_000_000


def test_bot_file_runs_without_other_modules(tmp_path: Path) -> None:
    """A file that the command has written runs in a Python without other modules."""
    file = tmp_path / "bot.py"
    for refused, code in ((tmp_path / "none" / "bot.py", 1), (tmp_path / "bot.txt", 2), (tmp_path / "bot.zip", 2)):
        assert run("bot", "doudizhu", str(refused), "--profile", "botzone").exit_code == code
        assert list(tmp_path.iterdir()) == []
    assert run("bot", "doudizhu", str(file), "--profile", "botzone").exit_code == 0
    message = {
        "requests": [{"own": [0, 4, 8, 12, 16, 53], "publiccard": [0, 4, 8], "history": [[], [2]]}],
        "responses": [],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(file)], input=json.dumps(message), capture_output=True, text=True, check=True
    )
    response = json.loads(done.stdout)["response"]
    assert set(response) <= {4, 8, 12, 16, 53}


def test_games_without_an_adapter_are_rejected() -> None:
    with pytest.raises(GameError) as error:
        find_adapter(load("guandan").engine().rules)
    assert error.value.code == ErrorCode.UNSUPPORTED_GAME
    assert BotzoneGame.from_engine(load("guandan").engine()) is None
