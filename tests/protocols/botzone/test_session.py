"""Botzone's words: what programs are asked, what an answer can lack, and a bot of ours that plays what kb plays."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.game import load
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.botzone import bot_file
from abl_cards.protocols.botzone.adapter import ONLY_TABLE, find_adapter
from abl_cards.protocols.botzone.bot import bot_data
from abl_cards.protocols.botzone.faults import Fault
from abl_cards.protocols.botzone.registry import BotzoneGame
from abl_cards.protocols.botzone.session import BotzoneSession
from tests.cli_runs import run
from tests.games.doudizhu.decided import engine_of
from tests.games.random_play import match_keys, play_out
from tests.protocols.botzone.old_python import too_new


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_the_bot_plays_what_kb_plays(profile: str) -> None:
    """In whole games, every decision and bid of all three seats."""
    engine = engine_of(None, profile)
    rules, kb = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model()))), make_agent("kb", engine)
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 31), script)
    for number in range(3):
        if number:
            tables.begin_match(ONLY_TABLE, match_keys(1, 31 + number))
        while tables.winner[0] < 0:
            answer = {"response": bot_file.answer(rules, json.loads(json.dumps(script.message())))}
            if tables.rows_to_choose().size:
                choice = kb.choose(tables.choices(ONLY_TABLE), np.zeros(1, np.uint64))
                assert script.read_choice(tables.choices(ONLY_TABLE), answer) == choice[0]
                tables.choose(ONLY_TABLE, choice)
                continue
            decisions = tables.decisions(ONLY_TABLE)
            moves: Moves = kb.play(decisions, np.zeros(1, np.uint64))
            assert script.read_play(decisions, answer).cards.tobytes() == moves.cards.tobytes()
            tables.play(ONLY_TABLE, moves)


def test_the_first_requests() -> None:
    """The landlord has 20 cards and an empty history; the next seat sees what he led."""
    engine = engine_of(None, "botzone")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), script)
    (request,) = script.message()["requests"]
    assert len(request["own"]) == 20
    assert request["history"] == [[], []]
    assert set(request["publiccard"]) <= set(request["own"])
    assert script.message()["responses"] == []
    tables.play(ONLY_TABLE, tables.decisions(ONLY_TABLE).moves().select(np.array([0])))
    (following,) = script.message()["requests"]
    assert [len(cards) for cards in following["history"]] == [0, 1]
    assert following["publiccard"] == request["publiccard"]


def test_bids_and_what_they_come_to() -> None:
    engine = engine_of(None, "botzone_bidding")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 3), script)
    for bid, before in ((1, []), (2, [1]), (0, [1, 2])):
        request = script.message()["requests"][-1]
        assert (len(request["own"]), request["bid"]) == (17, before)
        option = script.read_choice(tables.choices(ONLY_TABLE), {"response": bid})
        tables.choose(ONLY_TABLE, np.array([option], np.uint8))
    message = script.message()
    assert message["responses"] == [2]
    request = message["requests"][-1]
    assert (request["landlord"], request["pos"], request["finalbid"], len(request["own"])) == (1, 1, 2, 20)


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_the_bot_bids_legally_after_any_list(profile: str) -> None:
    """Lists that the auction of these rules cannot produce, of a judge with other rules, are answered too."""
    engine = engine_of(None, profile)
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model())))
    for bids in (bids for length in range(5) for bids in product(range(4), repeat=length)):
        own = [*range(0, 51, 3)] if len(bids) % 2 else [*range(37, 54)]
        bid = bot_file.answer(rules, {"requests": [{"own": own, "bid": list(bids)}], "responses": []})
        assert bid in {0, 1, 2, 3} - set(range(1, max(bids, default=0) + 1))


def test_the_bot_passes_over_a_play_that_its_rules_do_not_know() -> None:
    """A trio with a kicker that another judge allows, and five cards that are no play anywhere."""
    engine = engine_of(None, "botzone")
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model())))
    own, public = [*range(0, 34, 2)], [51, 52, 53]
    for laid in ([1, 3, 5, 7, 9], [1, 5, 9]):
        request = {"own": own, "publiccard": public, "history": [[], laid], "landlord": 0, "pos": 1, "finalbid": 1}
        assert bot_file.answer(rules, {"requests": [request], "responses": []}) == []


def test_a_seat_keeps_the_cards_that_it_has_not_sent() -> None:
    """Of equal cards those leave the hand that the program has named, not the first ones."""
    engine = engine_of(None, "botzone")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), script)
    own = sorted(script.message()["requests"][0]["own"])
    rank = next(number // 4 for number in own if sum(each // 4 == number // 4 for each in own) > 1)
    last = max(number for number in own if number // 4 == rank)
    decisions = tables.decisions(ONLY_TABLE)
    tables.play(ONLY_TABLE, script.read_play(decisions, {"response": [last]}))
    assert script.message()["requests"][0]["history"] == [[], [last]]
    assert script.log[1] == {"0": {"verdict": "OK", "response": [last]}}
    for _ in range(2):
        decisions = tables.decisions(ONLY_TABLE)
        tables.play(ONLY_TABLE, decisions.moves().select(np.array([len(decisions.moves().cards) - 1])))
        script.issue_request()
    if tables.seat[0] == 0:
        with pytest.raises(Fault, match="are not cards that seat 0 holds"):
            script.read_play(tables.decisions(ONLY_TABLE), {"response": [last]})


def test_numbers_tell_nothing_of_other_hands() -> None:
    """Dealt in their order, the first seat would have the first of equal cards in every game."""
    engine = engine_of(None, "botzone")
    firsts = []
    for seed in range(12):
        script = BotzoneSession(engine.rules)
        engine.start_matches(match_keys(1, seed), script)
        threes = {seat for seat, hand in enumerate(script.initdata["allocation"]) if 0 in hand}
        firsts.append(next(iter(threes), 3))
    assert len(set(firsts)) > 2


def test_the_log_of_a_game_is_written_when_it_ends() -> None:
    engine, written = engine_of(None, "botzone"), list[dict[str, Any]]()
    script = BotzoneSession(engine.rules, write=written.append)
    tables = engine.start_matches(match_keys(1, 5), script)
    play_out(tables)
    ((initdata, log),) = [(each["initdata"], each["log"]) for each in written]
    assert sorted(card for hand in [*initdata["allocation"], initdata["publiccard"]] for card in hand) == list(
        range(54)
    )
    assert log[-1]["output"]["content"] == {str(seat): points for seat, points in enumerate(tables.points[0].tolist())}
    assert all(next(iter(entry)) == "output" for entry in log[::2])
    json.dumps(written)


ANSWERS: list[tuple[str, Any, str, str]] = [
    ("nothing", None, "INVALID_FORMAT", "is no answer like"),
    ("a list", [1], "INVALID_FORMAT", "is no answer like"),
    ("null", {"response": None}, "INVALID_FORMAT", "null is no response"),
    ("a text", {"response": "3"}, "INVALID_FORMAT", "is no list of cards"),
    ("no numbers", {"response": [True]}, "INVALID_FORMAT", "is no list of cards"),
    ("no card", {"response": [54]}, "INVALID_POKERID", "are not all cards"),
    ("negative", {"response": [-1]}, "INVALID_POKERID", "are not all cards"),
    ("huge", {"response": [10**40]}, "INVALID_POKERID", "are not all cards"),
    ("pass", {"response": []}, "ILLEGAL_MOVE", "is no legal move of seat 0"),
]


@pytest.mark.parametrize(("answer", "kind", "text"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_wrong_answers(answer: Any, kind: str, text: str) -> None:
    engine = engine_of(None, "botzone")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), script)
    with pytest.raises(Fault, match=text) as caught:
        script.read_play(tables.decisions(ONLY_TABLE), answer)
    assert caught.value.kind == kind


def test_cards_that_are_held_and_are_no_play() -> None:
    engine = engine_of(None, "botzone")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), script)
    own = sorted(script.message()["requests"][0]["own"])
    for response, kind in (([own[0], own[-1]], "INVALID_POKERTYPE"), (own[:1] * 2, "NOT_YOUR_POKER")):
        with pytest.raises(Fault) as caught:
            script.read_play(tables.decisions(ONLY_TABLE), {"response": response})
        assert caught.value.kind == kind
    tables.play(ONLY_TABLE, script.read_play(tables.decisions(ONLY_TABLE), {"response": own[-1:]}))
    mine = sorted(script.message()["requests"][0]["own"])
    if mine[0] // 4 < own[-1] // 4:  # a play, but one that beats nothing
        with pytest.raises(Fault) as caught:
            script.read_play(tables.decisions(ONLY_TABLE), {"response": mine[:1]})
        assert caught.value.kind == "ILLEGAL_MOVE"


@pytest.mark.parametrize(("bid", "kind"), [(4, "ILLEGAL_MOVE"), (-1, "ILLEGAL_MOVE"), ([], "INVALID_FORMAT")])
def test_wrong_bids(bid: Any, kind: str) -> None:
    engine = engine_of(None, "botzone_bidding")
    script = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 8), script)
    with pytest.raises(Fault) as caught:
        script.read_choice(tables.choices(ONLY_TABLE), {"response": bid})
    assert caught.value.kind == kind


@pytest.mark.parametrize("profile", ["botzone", "botzone_bidding"])
def test_the_bot_runs_on_old_pythons(profile: str) -> None:
    """On Python 3.6, below four million bytes."""
    engine = engine_of(None, profile)
    platform = BotzoneGame.from_engine(engine)
    assert platform
    source = platform.bot_source(engine.preference_model())
    assert too_new(source, (3, 6)) == []
    assert len(source) < 4_000_000


def test_one_file_is_all_it_needs(tmp_path: Path) -> None:
    """Written by the command, run by a Python that sees nothing else."""
    file = tmp_path / "bot.py"
    assert run("bot", "doudizhu", str(file), "--profile", "botzone").exit_code == 0
    asked = {
        "requests": [{"own": [0, 4, 8, 12, 16, 53], "publiccard": [0, 4, 8], "history": [[], [2]]}],
        "responses": [],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(file)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    response = json.loads(done.stdout)["response"]
    assert set(response) <= {4, 8, 12, 16, 53}


def test_folders_that_nobody_speaks_for() -> None:
    with pytest.raises(GameError, match="has not what Botzone's requests speak of"):
        find_adapter(load("guandan").engine().rules)
    assert BotzoneGame.from_engine(load("guandan").engine()) is None
