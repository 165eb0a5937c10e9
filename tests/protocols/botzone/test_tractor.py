"""Tractor before Botzone's judge: deliveries, the cover, throws, every error, chained rounds, programs that play."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.match_runner import derive_match_keys as hall_keys
from abl_cards.matches.match_runner import play_match
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.judge import BotzoneJudge
from tests.cli_runs import run
from tests.games.random_play import match_keys
from tests.protocols.botzone.transcripts import Transcript, played, read

RANKS, SUITS = "A234567890JQK", "shcd"


def engine_of(profile: str = "botzone") -> Engine:
    return load("tractor").engine(profile=profile)


def ids(text: str) -> list[int]:
    """Cards such as ``s2``, the second copies where they come again.

    >>> ids("s2 s2 jo")
    [4, 58, 52]
    """
    found: list[int] = []
    for card in text.split():
        number = {"jo": 52, "Jo": 53}.get(card)
        if number is None:
            number = RANKS.index(card[1]) * 4 + SUITS.index(card[0])
        found.append(number if number not in found else number + 54)
    return found


def allocation(*hands: str) -> dict[str, Any]:
    """Initdata of a deal in which seats draw some cards first; who draws which of the others is decided by a seed."""
    texts = iter(ids(" ".join(hands)))
    dealt = [[next(texts) for _ in hand.split()] for hand in hands] + [[] for _ in range(4 - len(hands))]
    given_away = {card for hand in dealt for card in hand}
    rest = [card for card in range(108) if card not in given_away]
    Random(5).shuffle(rest)
    for hand in dealt:
        missing = 25 - len(hand)
        hand += rest[:missing]
        del rest[:missing]
    return {"allocation": dealt, "publiccard": rest}


class Told:
    """A round that is told response by response."""

    def __init__(self, initdata: dict[str, Any], engine: Engine | None = None) -> None:
        self.judge, self.initdata = BotzoneJudge(engine or engine_of()), initdata
        self.log: list[Any] = []
        self.said = self._ask()

    def _ask(self) -> dict[str, Any]:
        found: dict[str, Any] = self.judge.next_output({"log": self.log, "initdata": self.initdata})
        json.dumps(found)
        return found

    @property
    def seat(self) -> int:
        """Who is asked."""
        return int(next(iter(self.said["content"])))

    @property
    def request(self) -> dict[str, Any]:
        """What it is asked."""
        found: dict[str, Any] = self.said["content"][str(self.seat)]
        return found

    def say(self, response: Any, seat: int | None = None) -> dict[str, Any]:
        """Somebody responds, by default who is asked."""
        entry = {str(self.seat if seat is None else seat): {"verdict": "OK", "response": response}}
        self.log += [{"output": {key: self.said[key] for key in ("command", "content", "display")}}, entry]
        self.said = self._ask()
        return self.said

    def pass_on(self, stage: str) -> None:
        """Everybody is silent until this stage."""
        while self.request["stage"] != stage:
            assert self.request["stage"] == "deal"
            self.say([])

    def play(self, *responses: Sequence[int]) -> None:
        for response in responses:
            self.say(list(response))


def event(said: dict[str, Any]) -> tuple[str, list[int]]:
    """The error, and what each seat has."""
    assert said["command"] == "finish"
    return said["display"]["event"]["error"], [said["content"][str(seat)] for seat in range(4)]


DECLARES = allocation("h2 h2 sA sA sK sK sQ hA hA h3 c3 c3")
"""The first seat can declare with its first card, and overturn with its second."""


def test_a_declaration_and_an_overturn() -> None:
    """Each is seen by the next seat; nobody says what he has not been asked."""
    told = Told(DECLARES)
    assert told.request["playerpos"] == 0
    assert told.request["global"] == {
        "level": "2", "first_round": True,
        "banking": {"called": -1, "snatched": -1, "major": "", "banker": -1},
    }  # fmt: skip
    told.say(ids("h2"))
    assert told.request["global"]["banking"] == {"called": 0, "snatched": -1, "major": "h", "banker": 0}
    told.play([], [], [])
    assert (told.seat, told.request["deliver"]) == (0, [59])
    assert "playerpos" not in told.request
    told.say([59, 5])
    assert told.request["global"]["banking"] == {"called": 0, "snatched": 0, "major": "h", "banker": 0}
    told.pass_on("cover")
    assert told.seat == 0
    assert told.request["deliver"] == DECLARES["publiccard"]


DEALING: list[tuple[str, list[tuple[Any, int]], str, list[int]]] = [
    ("no card of the game", [([108], 0)], "INVALID_POKERID", [-3, 1, 0, 1]),
    ("not delivered yet", [([59], 0)], "NOT_YOUR_POKER", [-3, 1, 0, 1]),
    ("twice the same", [([5, 5], 0)], "NOT_YOUR_POKER", [-3, 1, 0, 1]),
    ("a word", [("pass", 0)], "INVALID_FORMAT", [-3, 1, 0, 1]),
    ("nothing", [(None, 0)], "INVALID_FORMAT", [-3, 1, 0, 1]),
    ("no numbers", [([True], 0)], "INVALID_FORMAT", [-3, 1, 0, 1]),
    ("somebody else", [([], 1)], "NOT_YOUR_TURN", [1, -3, 1, 0]),
    ("no level card", [([], 0), ([0], 1)], "NOT_YOUR_POKER", [1, -3, 1, 0]),
    ("no level card of his", [([], 0), ([1], 1)], "INVALID_POKERTYPE", [1, -3, 1, 0]),
    ("an overturn of nothing", [([], 0), ([], 1), ([], 2), ([], 3), ([5, 59], 0)], "ILLEGAL_MOVE", [-3, 1, 0, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("responses", "kind", "scores"), [row[1:] for row in DEALING], ids=[row[0] for row in DEALING])
def test_faults_in_the_deal(responses: list[tuple[Any, int]], kind: str, scores: list[int]) -> None:
    """Whether or not the rules leave the seat anything to choose."""
    told = Told(allocation("h2 h2 sA", "hA"))
    for response, seat in responses:
        told.say(response, seat)
    assert event(told.said) == (kind, scores)


def test_a_second_declaration() -> None:
    told = Told(allocation("h2 h2", "s2"))
    told.say(ids("h2"))
    assert event(told.say(ids("s2"))) == ("ILLEGAL_MOVE", [1, -3, 1, 0])


def test_faults_at_the_cover() -> None:
    public = DECLARES["publiccard"]
    for response, kind in (
        (public[:7], "ILLEGAL_MOVE"), ([*public, 5], "ILLEGAL_MOVE"), ([*public[:7], public[0]], "NOT_YOUR_POKER"),
        ([*public[:7], DECLARES["allocation"][1][0]], "NOT_YOUR_POKER"), ([], "ILLEGAL_MOVE"),
        ([*public[:7], 200], "INVALID_POKERID"), (8, "INVALID_FORMAT"),
    ):  # fmt: skip
        told = Told(DECLARES)
        told.say(ids("h2"))
        told.pass_on("cover")
        assert event(told.say(response)) == (kind, [-3, 1, 0, 1])


def test_any_number_of_cards_is_buried_by_a_switch(tmp_path: Path) -> None:
    """As the judge of Botzone lets it pass (D5); a seat keeps a card to lead."""
    folder = tmp_path / "tractor"
    shutil.copytree(load("tractor").folder.path, folder)
    with (folder / "profiles" / "botzone.lp").open("a", encoding="utf-8") as profile:
        profile.write("buries_any.\n")
    engine = load("tractor").engine(folder, "botzone")
    public, hand = DECLARES["publiccard"], DECLARES["allocation"][0]
    for buried in ([], public[:7], [*public, 5], [*public, *hand[:24]]):
        told = Told(DECLARES, engine)
        told.say(ids("h2"))
        told.pass_on("cover")
        told.say(buried)
        assert (told.seat, told.request["stage"]) == (0, "play")
        left = [card for card in [*public, *hand] if card not in buried]
        assert told.say(left[-1:])["command"] == "request"
    told = Told(DECLARES, engine)
    told.say(ids("h2"))
    told.pass_on("cover")
    assert event(told.say([*public, *hand])) == ("ILLEGAL_MOVE", [-3, 1, 0, 1])
    begun, *log = json.loads(json.dumps(played(engine, match_keys(1, 3), "random")))
    assert BotzoneJudge(engine).next_output({"log": log, **begun})["content"] == log[-1]["output"]["content"]


def covered(hands: dict[str, Any]) -> Told:
    """The first seat has declared, and buried what it took up."""
    told = Told(hands)
    told.say(ids("h2"))
    told.pass_on("cover")
    told.say(hands["publiccard"])
    return told


def test_plays_and_their_faults() -> None:
    for response, kind in (
        ([], "ILLEGAL_MOVE"), (ids("sA hA"), "INVALID_POKERTYPE"), ([300], "INVALID_POKERID"),
        (DECLARES["publiccard"][:1], "NOT_YOUR_POKER"), ({}, "INVALID_FORMAT"),
    ):  # fmt: skip
        told = covered(DECLARES)
        assert told.request["history"] == [[], [], -1, 0]
        assert event(told.say(response)) == (kind, [-3, 1, 0, 1])


def test_following_suit() -> None:
    """Who has the suit, and lays another card, errs; there is no word for a wrong combination but in a lead."""
    told = covered(DECLARES)
    told.say(ids("sA"))
    assert told.request["history"] == [[], [ids("sA")], -1, 0]
    other = next(card for card in DECLARES["allocation"][1] if card % 54 < 52 and card % 4)
    assert any(card % 54 < 52 and not card % 4 for card in DECLARES["allocation"][1])
    assert event(told.say([other])) == ("ILLEGAL_MOVE", [1, -3, 1, 0])


def test_a_throw_that_fails_lies_as_one_card() -> None:
    """Its seat has the others again, and the price is told."""
    told = covered(allocation("h2 h2 sQ sJ", "sA sA"))
    said = told.say(ids("sQ sJ"))
    assert said["display"] == {"event": {"player": 0, "action": ids("sQ sJ")}, "get_score": 20, "punished": 20}
    assert told.request["history"] == [[], [ids("sJ")], -1, 0]
    assert told.request["global"]["total_score"] == 20
    told.say(ids("sA"))
    assert "punished" not in told.said["display"]
    assert told.request["history"][1] == [ids("sJ"), ids("sA")]


SPADES_LEFT = "sQ sJ sJ s0 s0 s9 s9 s8 s7 s6 s5 s4 s3"


def test_a_throw_with_a_tractor_is_followed() -> None:
    """Botzone's judge dies of it; here the standard rule goes on (D2)."""
    told = covered(allocation("h2 h2 sA sA sK sK sQ", "s3 s4 s5 s6 s7 s8", SPADES_LEFT))
    told.say(ids("sA sA sK sK sQ"))
    assert "punished" not in told.said["display"]
    assert told.seat == 1
    assert told.say(ids("s3 s4 s5 s6 s7"))["command"] == "request"
    assert told.seat == 2


def test_two_seats_trump_one_throw() -> None:
    """Likewise (D3): of two that trump in the longest part decides."""
    hands = allocation("h2 h2 sA sA sK sK sQ s3 s4 s5 s6 s7 s8", "h5 h5 h7 h7", SPADES_LEFT, "h6 h6 h8 h8")
    told = covered(hands)
    told.play(ids("sA sA sK"), ids("h5 h5 h7"))
    told.play(hands["allocation"][2][4:7], ids("h6 h6 h8"))
    assert told.seat == 3
    assert told.request["history"][2:] == [0, 3]


# --- rounds and matches -----------------------------------------------------------------------------------------------


def test_a_round_begins_where_the_last_one_ended() -> None:
    """What the display of the end calls next is initdata of the next round."""
    initdata, log = read("tractor.jsonl")
    said = BotzoneJudge(engine_of()).next_output({"log": log, "initdata": initdata})
    carried = said["display"]["next"]
    total = said["display"]["get_score"]
    assert total >= 80
    winner = carried["banker"] % 2
    assert said["content"][str(carried["banker"])] == max(said["content"].values()) > 0
    assert carried["levels"][winner] == carried["level"] != "2"
    assert carried["first_round"] is False
    following = BotzoneJudge(engine_of(), carried).next_output({"log": [], "initdata": {"seed": 3}})
    assert following["content"] == {str(carried["banker"]): following["content"][str(carried["banker"])]}
    request = following["content"][str(carried["banker"])]
    assert (request["global"]["level"], request["global"]["banking"]["banker"]) == (carried["level"], carried["banker"])


def test_the_last_round_of_a_match_has_no_next_one() -> None:
    """At the ace a bank that holds wins."""
    initdata, log = read("tractor_second_round.jsonl")
    judge = BotzoneJudge(engine_of())
    levels = {"level": "A", "levels": ["A", "2"], "banker": 0, "first_round": False}
    told = {"log": [], "initdata": initdata | levels}
    assert judge.next_output(told)["content"]["0"]["global"]["level"] == "A"
    assert log[-1]["output"]["content"] == {"0": 1, "1": 0, "2": 1, "3": 0}


@pytest.mark.parametrize(
    ("initdata", "problem"),
    [
        ({"level": "1"}, "level: \"1\" is no level"),
        ({"level": [2]}, "level"),
        ({"level": True}, "level"),
        ({"banker": 4}, "banker: 4 is no seat"),
        ({"banker": "0"}, "banker"),
        ({"banker": True}, "banker"),
        ({"first_round": 1}, "first_round: 1 is neither true nor false"),
        ({"first_round": False}, "banker: there must be a seat"),
        ({"first_round": True, "banker": 1}, "banker: the first round finds one"),
        ({"levels": ["2"]}, "levels"),
        ({"levels": ["2", "x"]}, "levels"),
        ({"levels": ["2", "3"], "level": "2", "banker": 1}, "the banker's side is at another level"),
        ({"lots": [4]}, "lots: numbers from 0 on, below 4"),
        ({"lots": ["0"]}, "lots: a list of 1 numbers"),
        ({"lots": 3}, "lots: a list of 1 numbers"),
    ],
)  # fmt: skip
def test_wrong_initdata(initdata: dict[str, Any], problem: str) -> None:
    with pytest.raises(GameError, match=problem):
        BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata | {"seed": 1}})


@pytest.mark.parametrize(
    ("initdata", "level", "banker"),
    [({"level": 10, "banker": 2}, "0", 2), ({"level": "K"}, "K", -1), ({"banker": -1}, "2", -1),
     ({"levels": ["5", "9"], "banker": 3}, "9", 3)],
)  # fmt: skip
def test_what_initdata_may_say(initdata: dict[str, Any], level: str, banker: int) -> None:
    """A seed gives the cards, the first eight of them the kitty; the banker is delivered the first card."""
    said = BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata | {"seed": 1}})
    ((seat, request),) = said["content"].items()
    assert int(seat) == max(banker, 0)
    assert (request["global"]["level"], request["global"]["banking"]["banker"]) == (level, banker)
    assert len(said["initdata"]["publiccard"]) == 8


def test_a_deal_that_nobody_declares_by_the_standard_rule() -> None:
    """It is dealt again, for which Botzone has no word."""
    told = Told(DECLARES, engine_of("standard"))
    with pytest.raises(GameError, match="profile standard deals anew"):
        told.pass_on("cover")


def test_dialects_are_told_apart_by_what_a_folder_has() -> None:
    assert find_adapter(engine_of().rules) is find_adapter(engine_of("standard").rules)
    assert find_adapter(engine_of().rules) is not find_adapter(load("doudizhu").engine(profile="botzone").rules)


# --- whatever comes ---------------------------------------------------------------------------------------------------

cards = st.lists(st.integers(-1, 109), max_size=9)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 110) | st.floats() | st.text(max_size=3) | cards,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("012x") | st.text(max_size=3), inner),
    max_leaves=6,
)
entries = values | st.dictionaries(st.sampled_from("0123"), st.fixed_dictionaries({"response": values}), min_size=1)


@settings(max_examples=12)
@given(st.sampled_from([0, 2, 60, 198, 200, 202, 204, 210, 300, 384]), st.lists(entries, min_size=1, max_size=3))
def test_whatever_comes_ends_in_an_answer_or_an_error(place: int, following: list[Any]) -> None:
    """At any place of a round."""
    initdata, log = read("tractor.jsonl")
    log = log[:place]
    for entry in following:
        log += [{"output": {}}, entry]
    try:
        said = BotzoneJudge(engine_of()).next_output({"log": log, "initdata": initdata})
    except GameError:
        return
    assert said["command"] in ("request", "finish")
    json.dumps(said)


@settings(max_examples=12)
@given(st.dictionaries(st.sampled_from(["level", "banker", "first_round", "levels", "lots", "seed"]), values))
def test_whatever_a_round_begins_with(initdata: Any) -> None:
    try:
        said = BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata})
    except GameError:
        return
    json.dumps(said)


# --- programs ---------------------------------------------------------------------------------------------------------

REPLAY = """import json, sys
said, kept = json.load(open(sys.argv[1])), len(sys.argv) > 2
asked = json.loads(input())
seat, turn, request = asked["requests"][0]["playerpos"], len(asked["responses"]), asked["requests"][-1]
while True:
    known = not request["global"]["first_round"]
    print(json.dumps({"response": FAULT if known else said[seat][turn]}), flush=True)
    if not kept:
        break
    turn, request = turn + 1, json.loads(input())
"""
"""Responds what was responded in a first round; in the second one it errs."""


def logs_of(names: tuple[str, str], games: int = 1) -> tuple[Any, list[Any]]:
    engine, logs = engine_of(), list[Any]()
    result = play_match(engine, [make_agent(name, engine) for name in names], games, 0, names=names, log=logs.append)
    logs = json.loads(json.dumps(logs))
    for log in logs:
        said = BotzoneJudge(engine).next_output(log)
        assert (said["command"], said["content"]) == ("finish", log["log"][-1]["output"]["content"])
    return result, logs


@pytest.mark.parametrize(("kept", "fault"), [(False, "[0, 0]"), (True, "[108]")])
def test_programs_are_asked_after_every_card(tmp_path: Path, kept: bool, fault: str) -> None:
    """Also where the rules leave nothing to choose; two seats of one program are two processes."""
    first = Transcript("tractor", "botzone", 0, "greedy").make(hall_keys(0, np.zeros(1, np.int64)))
    said: list[list[Any]] = [[], [], [], []]
    for entry in first[2::2]:
        ((seat, answer),) = entry.items()
        said[int(seat)].append(answer["response"])
    (tmp_path / "said.json").write_text(json.dumps(said), "utf-8")
    (tmp_path / "bot.py").write_text(REPLAY.replace("FAULT", fault), "utf-8")
    command = f"{sys.executable} {tmp_path / 'bot.py'} {tmp_path / 'said.json'}"
    name = f"program:run={command}{' kept' if kept else ''},seconds=60{',keep-running' if kept else ''}"
    result, logs = logs_of((name, "greedy"))
    assert logs[0]["log"] == first[1:]
    (lapse,) = result.lapses
    assert lapse.kind == ("INVALID_POKERID" if kept else "NOT_YOUR_POKER")
    assert logs[1]["initdata"]["first_round"] is False
    assert (len(logs), len(logs[1]["log"]) < 20) == (2, True)


def test_the_commands(tmp_path: Path) -> None:
    """A log is written, judged, and a round that begins where the last one ended."""
    log, bot = tmp_path / "log.jsonl", tmp_path / "bot.py"
    bot.write_text("print('{\"response\":[108]}')", "utf-8")
    name = f"program:run={sys.executable} {bot}"
    answer = run("match", "tractor", name, "greedy", "--profile", "botzone", "--games", "1", "--botzone-log", str(log))
    assert answer.exit_code == 0, answer.stderr
    assert "INVALID_POKERID" in answer.stdout
    judged = run("judge", "tractor", stdin=log.read_bytes())
    assert json.loads(judged.stdout)["content"] == {"0": 0, "1": 1, "2": -3, "3": 1}  # seat 2 is the first to choose
    begun = run("judge", "tractor", "--initdata", '{"level":"5","banker":2,"seed":4}', stdin='{"log":[]}')
    assert json.loads(begun.stdout)["content"]["2"]["global"]["level"] == "5"
