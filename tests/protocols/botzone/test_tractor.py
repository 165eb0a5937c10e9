"""Tractor at Botzone's judge: deliveries, the cover, throws, errors, rounds of a match, external programs."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.agents.registry import make_agent
from abl_cards.agents.subprocess_agent import SubprocessAgent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.match_runner import derive_match_keys as hall_keys
from abl_cards.matches.match_runner import play_match
from abl_cards.protocols.botzone import tractor_bot_file
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.judge import BotzoneJudge
from abl_cards.protocols.botzone.process import BotProcess
from tests.cli_runs import run
from tests.effort import amount
from tests.games.random_play import match_keys
from tests.protocols.botzone.transcripts import Transcript, played, read

RANKS, SUITS = "A234567890JQK", "shcd"
NUM_DEALT = 100
"""Cards that are dealt one by one, with a request after each."""


def engine_of(profile: str = "botzone") -> Engine:
    return load("tractor").engine(profile=profile)


def ids(text: str) -> list[int]:
    """Return numbers of cards such as ``s2``; repeated cards get the number of the second copy.

    >>> ids("s2 s2 jo")
    [4, 58, 52]
    """
    numbers: list[int] = []
    for card in text.split():
        number = {"jo": 52, "Jo": 53}.get(card)
        if number is None:
            number = RANKS.index(card[1]) * 4 + SUITS.index(card[0])
        numbers.append(number if number not in numbers else number + 54)
    return numbers


def allocation(*hands: str) -> dict[str, Any]:
    """Return initdata of a deal in which seats draw given cards first, and the others in random order."""
    texts = iter(ids(" ".join(hands)))
    dealt = [[next(texts) for _ in hand.split()] for hand in hands] + [[] for _ in range(4 - len(hands))]
    given = {card for hand in dealt for card in hand}
    remaining = [card for card in range(108) if card not in given]
    Random(5).shuffle(remaining)
    for hand in dealt:
        num_missing = 25 - len(hand)
        hand += remaining[:num_missing]
        del remaining[:num_missing]
    return {"allocation": dealt, "publiccard": remaining}


class JudgeRound:
    """Round at the judge, response by response."""

    def __init__(self, initdata: dict[str, Any], engine: Engine | None = None) -> None:
        self.judge, self.initdata = BotzoneJudge(engine or engine_of()), initdata
        self.log: list[Any] = []
        self.output = self._next_output()

    def copy(self) -> JudgeRound:
        """Return the round as it is now."""
        other = copy(self)
        other.log = [*self.log]
        return other

    def _next_output(self) -> dict[str, Any]:
        output: dict[str, Any] = self.judge.next_output({"log": self.log, "initdata": self.initdata})
        json.dumps(output)
        return output

    @property
    def seat(self) -> int:
        """Seat of the current request."""
        return int(next(iter(self.output["content"])))

    @property
    def request(self) -> dict[str, Any]:
        """Current request."""
        request: dict[str, Any] = self.output["content"][str(self.seat)]
        return request

    def respond(self, response: Any, seat: int | None = None) -> dict[str, Any]:
        """Add a response, by default of the seat of the current request; return the next output."""
        entry = {str(self.seat if seat is None else seat): {"verdict": "OK", "response": response}}
        self.log += [{"output": {key: self.output[key] for key in ("command", "content", "display")}}, entry]
        self.output = self._next_output()
        return self.output

    def pass_on(self) -> None:
        """Respond without cards until the cover is to be buried; the judge is asked at the end only.

        `test_requests_contain_declarations_and_overturns` asks after every card.
        """
        assert self.request["stage"] == "deal"
        for number in range(NUM_DEALT - len(self.log) // 2):
            self.log += [{"output": {}}, {str((self.seat + number) % 4): {"verdict": "OK", "response": []}}]
        self.output = self._next_output()
        assert self.request["stage"] == "cover"

    def play(self, *responses: Sequence[int]) -> None:
        for response in responses:
            self.respond(list(response))


def event(output: dict[str, Any]) -> tuple[str, list[int]]:
    """Return the error, and the score of each seat."""
    assert output["command"] == "finish"
    return output["display"]["event"]["error"], [output["content"][str(seat)] for seat in range(4)]


DECLARES = allocation("h2 h2 sA sA sK sK sQ hA hA h3 c3 c3")
"""The first seat can declare with its first card, and overturn with its second."""


def test_requests_contain_declarations_and_overturns() -> None:
    """Requests to the next seats contain them."""
    game_round = JudgeRound(DECLARES)
    assert game_round.request["playerpos"] == 0
    assert game_round.request["global"] == {
        "level": "2", "first_round": True,
        "banking": {"called": -1, "snatched": -1, "major": "", "banker": -1},
    }  # fmt: skip
    game_round.respond(ids("h2"))
    assert game_round.request["global"]["banking"] == {"called": 0, "snatched": -1, "major": "h", "banker": 0}
    game_round.play([], [], [])
    assert (game_round.seat, game_round.request["deliver"]) == (0, [59])
    assert "playerpos" not in game_round.request
    game_round.respond([59, 5])
    assert game_round.request["global"]["banking"] == {"called": 0, "snatched": 0, "major": "h", "banker": 0}
    while game_round.request["stage"] != "cover":
        assert game_round.request["stage"] == "deal"
        game_round.respond([])
    assert game_round.seat == 0
    assert game_round.request["deliver"] == DECLARES["publiccard"]


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
def test_faults_during_the_deal(responses: list[tuple[Any, int]], kind: str, scores: list[int]) -> None:
    """Faults are found with and without a choice of the seat."""
    game_round = JudgeRound(allocation("h2 h2 sA", "hA"))
    for response, seat in responses:
        game_round.respond(response, seat)
    assert event(game_round.output) == (kind, scores)


def test_second_declaration_is_an_illegal_move() -> None:
    game_round = JudgeRound(allocation("h2 h2", "s2"))
    game_round.respond(ids("h2"))
    assert event(game_round.respond(ids("s2"))) == ("ILLEGAL_MOVE", [1, -3, 1, 0])


def test_faults_while_burying_cards() -> None:
    public = DECLARES["publiccard"]
    dealt = JudgeRound(DECLARES)
    dealt.respond(ids("h2"))
    dealt.pass_on()
    for response, kind in (
        (public[:7], "ILLEGAL_MOVE"), ([*public, 5], "ILLEGAL_MOVE"), ([*public[:7], public[0]], "NOT_YOUR_POKER"),
        ([*public[:7], DECLARES["allocation"][1][0]], "NOT_YOUR_POKER"), ([], "ILLEGAL_MOVE"),
        ([*public[:7], 200], "INVALID_POKERID"), (8, "INVALID_FORMAT"),
    ):  # fmt: skip
        assert event(dealt.copy().respond(response)) == (kind, [-3, 1, 0, 1])


def test_buries_any_allows_any_number_of_cards(tmp_path: Path) -> None:
    """Botzone's judge accepts it, too (D5); a seat keeps a card to lead."""
    folder = tmp_path / "tractor"
    shutil.copytree(load("tractor").folder.path, folder)
    with (folder / "profiles" / "botzone.lp").open("a", encoding="utf-8") as profile:
        profile.write("buries_any.\n")
    engine = load("tractor").engine(folder, "botzone")
    public, hand = DECLARES["publiccard"], DECLARES["allocation"][0]
    for buried in ([], public[:7], [*public, 5], [*public, *hand[:24]]):
        game_round = JudgeRound(DECLARES, engine)
        game_round.respond(ids("h2"))
        game_round.pass_on()
        game_round.respond(buried)
        assert (game_round.seat, game_round.request["stage"]) == (0, "play")
        left = [card for card in [*public, *hand] if card not in buried]
        assert game_round.respond(left[-1:])["command"] == "request"
    game_round = JudgeRound(DECLARES, engine)
    game_round.respond(ids("h2"))
    game_round.pass_on()
    assert event(game_round.respond([*public, *hand])) == ("ILLEGAL_MOVE", [-3, 1, 0, 1])
    begun, *log = json.loads(json.dumps(played(engine, match_keys(1, 3), "random")))
    assert BotzoneJudge(engine).next_output({"log": log, **begun})["content"] == log[-1]["output"]["content"]


def covered(hands: dict[str, Any]) -> JudgeRound:
    """Return a round in which the first seat has declared, and buried the public cards."""
    game_round = JudgeRound(hands)
    game_round.respond(ids("h2"))
    game_round.pass_on()
    game_round.respond(hands["publiccard"])
    return game_round


def test_faulty_plays_are_reported() -> None:
    begun = covered(DECLARES)
    assert begun.request["history"] == [[], [], -1, 0]
    for response, kind in (
        ([], "ILLEGAL_MOVE"), (ids("sA hA"), "INVALID_POKERTYPE"), ([300], "INVALID_POKERID"),
        (DECLARES["publiccard"][:1], "NOT_YOUR_POKER"), ({}, "INVALID_FORMAT"),
    ):  # fmt: skip
        assert event(begun.copy().respond(response)) == (kind, [-3, 1, 0, 1])


def test_seats_must_follow_suit() -> None:
    """A seat that has the suit must follow it; INVALID_POKERTYPE is an error of leads only."""
    game_round = covered(DECLARES)
    game_round.respond(ids("sA"))
    assert game_round.request["history"] == [[], [ids("sA")], -1, 0]
    other = next(card for card in DECLARES["allocation"][1] if card % 54 < 52 and card % 4)
    assert any(card % 54 < 52 and not card % 4 for card in DECLARES["allocation"][1])
    assert event(game_round.respond([other])) == ("ILLEGAL_MOVE", [1, -3, 1, 0])


def test_failed_throw_is_reduced_to_one_card() -> None:
    """The seat takes the other cards back, and the display has the penalty."""
    game_round = covered(allocation("h2 h2 sQ sJ", "sA sA"))
    output = game_round.respond(ids("sQ sJ"))
    assert output["display"] == {"event": {"player": 0, "action": ids("sQ sJ")}, "get_score": 20, "punished": 20}
    assert game_round.request["history"] == [[], [ids("sJ")], -1, 0]
    assert game_round.request["global"]["total_score"] == 20
    game_round.respond(ids("sA"))
    assert "punished" not in game_round.output["display"]
    assert game_round.request["history"][1] == [ids("sJ"), ids("sA")]


SPADES_LEFT = "sQ sJ sJ s0 s0 s9 s9 s8 s7 s6 s5 s4 s3"


def test_throw_with_a_tractor_can_be_followed() -> None:
    """Botzone's judge fails on it; here the standard rule applies (D2)."""
    game_round = covered(allocation("h2 h2 sA sA sK sK sQ", "s3 s4 s5 s6 s7 s8", SPADES_LEFT))
    game_round.respond(ids("sA sA sK sK sQ"))
    assert "punished" not in game_round.output["display"]
    assert game_round.seat == 1
    assert game_round.respond(ids("s3 s4 s5 s6 s7"))["command"] == "request"
    assert game_round.seat == 2


def test_longest_trump_part_wins_a_throw() -> None:
    """Of two seats that trump, the longest part decides (D3)."""
    hands = allocation("h2 h2 sA sA sK sK sQ s3 s4 s5 s6 s7 s8", "h5 h5 h7 h7", SPADES_LEFT, "h6 h6 h8 h8")
    game_round = covered(hands)
    game_round.play(ids("sA sA sK"), ids("h5 h5 h7"))
    game_round.play(hands["allocation"][2][4:7], ids("h6 h6 h8"))
    assert game_round.seat == 3
    assert game_round.request["history"][2:] == [0, 3]


# --- rounds and matches -----------------------------------------------------------------------------------------------


def test_next_round_continues_from_the_display() -> None:
    """The field ``next`` of the last display is initdata of the next round."""
    initdata, log = read("tractor.jsonl")
    output = BotzoneJudge(engine_of()).next_output({"log": log, "initdata": initdata})
    carried = output["display"]["next"]
    total = output["display"]["get_score"]
    assert total >= 80
    winner = carried["banker"] % 2
    assert output["content"][str(carried["banker"])] == max(output["content"].values()) > 0
    assert carried["levels"][winner] == carried["level"] != "2"
    assert carried["first_round"] is False
    following = BotzoneJudge(engine_of(), carried).next_output({"log": [], "initdata": {"seed": 3}})
    assert following["content"] == {str(carried["banker"]): following["content"][str(carried["banker"])]}
    request = following["content"][str(carried["banker"])]
    assert (request["global"]["level"], request["global"]["banking"]["banker"]) == (carried["level"], carried["banker"])


def test_last_round_ends_the_match() -> None:
    """A banker's side that holds at the ace wins the match."""
    initdata, log = read("tractor_second_round.jsonl")
    judge = BotzoneJudge(engine_of())
    levels = {"level": "A", "levels": ["A", "2"], "banker": 0, "first_round": False}
    judge_request = {"log": [], "initdata": initdata | levels}
    assert judge.next_output(judge_request)["content"]["0"]["global"]["level"] == "A"
    assert log[-1]["output"]["content"] == {"0": 1, "1": 0, "2": 1, "3": 0}


@pytest.mark.parametrize(
    ("initdata", "values"),
    [
        ({"level": "1"}, "^initdata: level: .*\"1\""),
        ({"level": [2]}, "level"),
        ({"level": True}, "level"),
        ({"banker": 4}, "banker: 4 "),
        ({"banker": "0"}, "banker"),
        ({"banker": True}, "banker"),
        ({"first_round": 1}, "first_round: 1 "),
        ({"first_round": False}, "banker: "),
        ({"first_round": True, "banker": 1}, "banker: "),
        ({"levels": ["2"]}, "levels"),
        ({"levels": ["2", "x"]}, "levels"),
        ({"levels": ["2", "3"], "level": "2", "banker": 1}, "^initdata: level: "),
        ({"lots": [4]}, "^initdata: lots: .* 4$"),
        ({"lots": ["0"]}, "^initdata: lots: .* 1 "),
        ({"lots": 3}, "^initdata: lots: .* 1 "),
    ],
)  # fmt: skip
def test_invalid_initdata_is_rejected(initdata: dict[str, Any], values: str) -> None:
    with pytest.raises(GameError, match=values) as error:
        BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata | {"seed": 1}})
    assert error.value.code == ErrorCode.INVALID_MESSAGE


@pytest.mark.parametrize(
    ("initdata", "level", "banker"),
    [({"level": 10, "banker": 2}, "0", 2), ({"level": "K"}, "K", -1), ({"banker": -1}, "2", -1),
     ({"levels": ["5", "9"], "banker": 3}, "9", 3)],
)  # fmt: skip
def test_initdata_sets_level_and_banker(initdata: dict[str, Any], level: str, banker: int) -> None:
    """A seed determines the cards, of which the first eight are public; the banker draws first."""
    output = BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata | {"seed": 1}})
    ((seat, request),) = output["content"].items()
    assert int(seat) == max(banker, 0)
    assert (request["global"]["level"], request["global"]["banking"]["banker"]) == (level, banker)
    assert len(output["initdata"]["publiccard"]) == 8


def test_undeclared_deal_of_the_standard_profile_is_unsupported() -> None:
    """The cards would be dealt again, which Botzone's protocol does not support."""
    game_round = JudgeRound(DECLARES, engine_of("standard"))
    with pytest.raises(GameError, match="standard") as error:
        game_round.pass_on()
    assert error.value.code == ErrorCode.UNSUPPORTED_GAME


def test_adapters_are_found_by_the_fluents_of_a_folder() -> None:
    assert find_adapter(engine_of().rules) is find_adapter(engine_of("standard").rules)
    assert find_adapter(engine_of().rules) is not find_adapter(load("doudizhu").engine(profile="botzone").rules)


# --- arbitrary input --------------------------------------------------------------------------------------------------

cards = st.lists(st.integers(-1, 109), max_size=9)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 110) | st.floats() | st.text(max_size=3) | cards,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("012x") | st.text(max_size=3), inner),
    max_leaves=6,
)
entries = values | st.dictionaries(st.sampled_from("0123"), st.fixed_dictionaries({"response": values}), min_size=1)


@settings(max_examples=amount(5, 12))
@given(st.sampled_from([0, 2, 60, 198, 200, 202, 204, 210, 300, 384]), st.lists(entries, min_size=1, max_size=3))
def test_arbitrary_input_ends_in_an_answer_or_an_error(step: int, entries_after: list[Any]) -> None:
    """Invalid entries are added at any step of a round."""
    initdata, log = read("tractor.jsonl")
    log = log[:step]
    for entry in entries_after:
        log += [{"output": {}}, entry]
    try:
        output = BotzoneJudge(engine_of()).next_output({"log": log, "initdata": initdata})
    except GameError:
        return
    assert output["command"] in ("request", "finish")
    json.dumps(output)


@settings(max_examples=12)
@given(st.dictionaries(st.sampled_from(["level", "banker", "first_round", "levels", "lots", "seed"]), values))
def test_arbitrary_initdata(initdata: Any) -> None:
    try:
        output = BotzoneJudge(engine_of()).next_output({"log": [], "initdata": initdata})
    except GameError:
        return
    json.dumps(output)


# --- programs ---------------------------------------------------------------------------------------------------------

REPLAY = """import json, sys
responses, kept = json.load(open(sys.argv[1])), len(sys.argv) > 2
message = json.loads(input())
seat, turn, request = message["requests"][0]["playerpos"], len(message["responses"]), message["requests"][-1]
while True:
    known = not request["global"]["first_round"]
    print(json.dumps({"response": FAULT if known else responses[seat][turn]}), flush=True)
    if not kept:
        break
    turn, request = turn + 1, json.loads(input())
"""
"""Program that repeats the responses of a first round, and makes a fault in the second."""


def logs_of(names: tuple[str, str], games: int = 1) -> tuple[Any, list[Any]]:
    engine, logs = engine_of(), list[Any]()
    result = play_match(engine, [make_agent(name, engine) for name in names], games, 0, names=names, log=logs.append)
    logs = json.loads(json.dumps(logs))
    for log in logs:
        output = BotzoneJudge(engine).next_output(log)
        assert (output["command"], output["content"]) == ("finish", log["log"][-1]["output"]["content"])
    return result, logs


@pytest.mark.parametrize(("keep_running", "fault"), [(False, "[0, 0]"), (True, "[108]")])
def test_programs_receive_a_request_after_every_card(tmp_path: Path, keep_running: bool, fault: str) -> None:
    """Forced requests are included; two seats of one program are two processes."""
    first = Transcript("tractor", "botzone", 0, "greedy").make(hall_keys(0, np.zeros(1, np.int64)))
    responses: list[list[Any]] = [[], [], [], []]
    for entry in first[2::2]:
        ((seat, answer),) = entry.items()
        responses[int(seat)].append(answer["response"])
    (tmp_path / "responses.json").write_text(json.dumps(responses), "utf-8")
    (tmp_path / "bot.py").write_text(REPLAY.replace("FAULT", fault), "utf-8")
    command = f"{sys.executable} {tmp_path / 'bot.py'} {tmp_path / 'responses.json'}"
    name = f"program:run={command}{' kept' if keep_running else ''},seconds=60{',keep-running' if keep_running else ''}"
    result, logs = logs_of((name, "greedy"))
    assert logs[0]["log"] == first[1:]
    (lapse,) = result.lapses
    assert lapse.kind == ("INVALID_POKERID" if keep_running else "NOT_YOUR_POKER")
    assert logs[1]["initdata"]["first_round"] is False
    assert (len(logs), len(logs[1]["log"]) < 20) == (2, True)


def test_match_and_judge_commands(tmp_path: Path) -> None:
    """Commands write a log, judge it, and begin a round with given initdata."""
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


class KeptProcess(BotProcess):
    """Kept process that plays by kb in this process, and checks that it reads every request of its seat."""

    def __init__(self, rules: dict[str, Any]) -> None:
        super().__init__(["kept"], 1, keep_running=True)
        self._rules, self._num_read = rules, 0

    def request(self, message: dict[str, Any]) -> Any:
        number = len(message["requests"])
        assert number in (1, self._num_read + 1)
        self._num_read = number
        return {"response": tractor_bot_file.answer(self._rules, json.loads(json.dumps(message)))}


def test_kept_programs_read_every_request_of_their_seat() -> None:
    """In the second round, played with --long, a seat decides while cards of other seats are underway."""
    engine, logs = engine_of(), list[Any]()
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model())))

    def write(log: Any) -> None:
        logs.append(log)
        if len(logs) == amount(1, 2):
            raise EOFError

    with pytest.raises(EOFError):
        play_match(engine, [SubprocessAgent(lambda: KeptProcess(rules)), make_agent("greedy", engine)], 1, 3, log=write)
    assert [log["log"][-1]["output"]["command"] for log in logs] == ["finish"] * amount(1, 2)
