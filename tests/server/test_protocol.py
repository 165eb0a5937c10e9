"""Messages of a table in hand-made positions, against JSON written from rules/guandan.md, section 3."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode
from abl_cards.games.tables import dealing
from abl_cards.games.types import ONLY_TABLE
from abl_cards.protocols.common.cards import parse_hand
from abl_cards.protocols.common.remote_protocol import InvalidAnswerError, Message, Notification, read_act_index
from abl_cards.protocols.contest.codec import LEVEL_OF_TEXT
from abl_cards.protocols.contest.dealer import ContestDealer
from abl_cards.protocols.contest.levels import start_matches
from abl_cards.protocols.contest.match_state import write_fluent
from abl_cards.protocols.contest.protocol import PlayersView, beginning_message
from tests.games.guandan.states import engine

PASS = ["PASS", "PASS", "PASS"]
SHORT = ["S9", "S3 SJ", "S4 SQ", "S5 SK"]


def seated(
    hands: Sequence[str],
    level: str = "2",
    previous: Sequence[int] = (),
    leader: int = 0,
    profile: str = "standard",
    is_rotated: bool = False,
    dialect: str = "A",
) -> ContestDealer:
    """Return a dealer before an episode with hands by table seat; team 0 plays its level."""
    dealer = ContestDealer(engine(profile), 3, dialect)
    dealer.start_game(np.uint64(1), is_rotated)
    dealer.pop_notifications()
    tables = dealer.tables
    tables.auto_next_episode = False
    rules, fluents = tables.rules, tables.state.fluents[0]
    fluents[:] = start_matches(rules, 1).fluents[0]
    write_fluent(rules, fluents, "standing", 0, LEVEL_OF_TEXT[level])
    write_fluent(rules, fluents, "level", LEVEL_OF_TEXT[level])
    write_fluent(rules, fluents, "declarer", 0)
    for place, seat in enumerate(previous, start=1):
        write_fluent(rules, fluents, "finished", place, seat)
    tables.state.hands[0], tables.state.lots[0] = np.stack([parse_hand(hand) for hand in hands]), leader
    dealing.begin_episode(tables, ONLY_TABLE)
    dealing.advance(tables, ONLY_TABLE)
    return dealer


def choose(dealer: ContestDealer, seat: int, *action: Any) -> list[Notification]:
    """Make a choice of the seat to decide; return the notifications after it."""
    request = dealer.next_request()
    assert (request.seat, dealer.seat) == (seat, seat)
    expected = list(action) if action else PASS
    assert request.num_choices == len(request.message["actionList"]) == request.message["indexRange"] + 1
    request.choose(request.message["actionList"].index(expected))
    return dealer.pop_notifications()


def to_all(notifications: list[Notification]) -> Message:
    """Return the message that all seats receive."""
    assert [seat for seat, _ in notifications] == [0, 1, 2, 3]
    assert all(message == notifications[0].message for _, message in notifications)
    return json.loads(json.dumps(notifications[0].message))


def encode_request(dealer: ContestDealer) -> Message:
    """Return the request to the seat to decide, as it is sent."""
    return json.loads(json.dumps(dealer.next_request().message))


def play_notification(seat: int, action: list[Any], greater: int, greatest: list[Any]) -> Message:
    return {
        "type": "notify", "stage": "play", "curPos": seat, "curAction": action,
        "greaterPos": greater, "greaterAction": greatest,
    }  # fmt: skip


def test_beginning() -> None:
    """Each seat gets its own cards, in hand order: level cards behind the aces, then the jokers."""
    dealer = seated(["S2 H8 D8 SA HR SB C3 C3", "S3", "S4", "S5"], level="8")
    hand = ["S2", "C3", "C3", "SA", "H8", "D8", "SB", "HR"]
    notifications = dealer.pop_notifications()
    assert [seat for seat, _ in notifications] == [0, 1, 2, 3]
    assert notifications[0].message == {"type": "notify", "stage": "beginning", "handCards": hand, "myPos": 0}
    assert notifications[3].message == {"type": "notify", "stage": "beginning", "handCards": ["S5"], "myPos": 3}


def test_beginning_of_dialect_c() -> None:
    """In DanZero's dialect the message has the levels as numbers."""
    notifications = seated(SHORT, level="Q", dialect="C").pop_notifications()
    levels = [tuple(message[key] for key in ("curRank", "selfRank", "oppoRank")) for _, message in notifications]
    assert levels == [(12, 12, 2), (12, 2, 12), (12, 12, 2), (12, 2, 12)]
    assert all(type(message["curRank"]) is int for _, message in notifications)


def test_leading() -> None:
    """Nothing to beat: -1 and null, no PASS in the list."""
    assert encode_request(seated(["S9 H9", "S3 SJ", "S4 SQ", "S5 SK"])) == {
        "type": "act", "stage": "play", "handCards": ["S9", "H9"],
        "publicInfo": [{"rest": 2, "playArea": None} for _ in range(4)],
        "selfRank": "2", "oppoRank": "2", "curRank": "2",
        "curPos": -1, "curAction": None, "greaterPos": -1, "greaterAction": None,
        "actionList": [["Single", "9", ["S9"]], ["Single", "9", ["H9"]], ["Pair", "9", ["S9", "H9"]]], "indexRange": 2,
    }  # fmt: skip


def test_following() -> None:
    """After a play and a pass: the latest action, the one to beat, what lies before each seat."""
    dealer = seated(["S9 S3", "S4 SJ", "S4 SQ", "S5 SK"])
    dealer.pop_notifications()
    nine = ["Single", "9", ["S9"]]
    assert to_all(choose(dealer, 0, *nine)) == play_notification(0, nine, 0, nine)
    assert to_all(choose(dealer, 1)) == play_notification(1, PASS, 0, nine)
    assert encode_request(dealer) == {
        "type": "act", "stage": "play", "handCards": ["S4", "SQ"],
        "publicInfo": [
            {"rest": 1, "playArea": nine}, {"rest": 2, "playArea": PASS}, {"rest": 2, "playArea": None},
            {"rest": 2, "playArea": None},
        ],
        "selfRank": "2", "oppoRank": "2", "curRank": "2",
        "curPos": 1, "curAction": PASS, "greaterPos": 0, "greaterAction": nine,
        "actionList": [PASS, ["Single", "Q", ["SQ"]]], "indexRange": 1,
    }  # fmt: skip


def test_a_new_trick() -> None:
    """The leader has nothing to beat, and the play areas keep the latest actions."""
    dealer = seated(["S9 S3", "S4 SJ", "S4 SQ", "S5 SK"])
    for seat, action in [(0, ["Single", "9", ["S9"]]), (1, []), (2, []), (3, [])]:
        choose(dealer, seat, *action)
    request = encode_request(dealer)
    assert (request["curPos"], request["curAction"], request["greaterPos"], request["greaterAction"]) == (-1, None) * 2
    assert [area["playArea"] for area in request["publicInfo"]] == [["Single", "9", ["S9"]], PASS, PASS, PASS]


def test_episode_over() -> None:
    """Finish order, the unfinished by seat, the level just played and what is left; then the end of the game."""
    dealer = seated(["S9", "S3 S4", "SJ", "S5 S6"], level="A", leader=0)
    dealer.pop_notifications()
    choose(dealer, 0, "Single", "9", ["S9"])
    choose(dealer, 1)
    notifications = choose(dealer, 2, "Single", "J", ["SJ"])
    assert [message["stage"] for seat, message in notifications if seat == 1] == ["play", "episodeOver", "gameOver"]
    assert to_all(notifications[4:8]) == {
        "type": "notify", "stage": "episodeOver", "order": [0, 2, 1, 3], "curRank": "A",
        "restCards": [[1, ["S3", "S4"]], [3, ["S5", "S6"]]],
    }  # fmt: skip
    assert to_all(notifications[8:]) == {"type": "notify", "stage": "gameOver", "curTimes": 1, "settingTimes": 3}
    assert dealer.winner == 0


def test_game_result() -> None:
    """Victories of the team at both of its seats, draws at all."""
    assert to_all(seated(SHORT).final_notifications([2, 1], 3)[4:]) == {
        "type": "notify", "stage": "gameResult", "victoryNum": [2, 1, 2, 1], "draws": [3, 3, 3, 3],
    }  # fmt: skip


def test_single_tribute() -> None:
    """The payer chooses among his highest cards but wild ones; the receiver returns 2 to T, no level card."""
    dealer = seated(["S3 S8 HT SJ", "S4 SK", "S5 SQ", "S6 SA HA H8"], level="8", previous=(0, 1, 2, 3))
    dealer.pop_notifications()
    request = encode_request(dealer)
    assert (dealer.seat, request["stage"], request["curPos"], request["greaterAction"]) == (3, "tribute", -1, None)
    assert request["actionList"] == [["tribute", "tribute", ["SA"]], ["tribute", "tribute", ["HA"]]]
    assert request["publicInfo"][1] == {"rest": 2, "playArea": None}
    notifications = choose(dealer, 3, "tribute", "tribute", ["HA"])
    assert to_all(notifications) == {"type": "notify", "stage": "tribute", "result": [[3, 0, "HA"]]}
    request = encode_request(dealer)
    assert (dealer.seat, request["stage"], request["handCards"]) == (0, "back", ["S3", "HT", "SJ", "HA", "S8"])
    assert request["actionList"] == [["back", "back", ["S3"]], ["back", "back", ["HT"]]]
    assert [area["rest"] for area in request["publicInfo"]] == [5, 2, 2, 3]
    assert to_all(choose(dealer, 0, "back", "back", ["HT"])) == {
        "type": "notify", "stage": "back", "result": [[0, 3, "HT"]],
    }  # fmt: skip
    request = encode_request(dealer)
    assert (dealer.seat, request["stage"], request["handCards"]) == (3, "play", ["S6", "HT", "SA", "H8"])


def test_double_tribute() -> None:
    """The last finisher pays first; tributes are sent when both are paid, returns when both are returned."""
    dealer = seated(["S3 S9", "S3 SK", "S4 S9", "S6 SA"], previous=(0, 2, 1, 3))
    dealer.pop_notifications()
    assert choose(dealer, 3, "tribute", "tribute", ["SA"]) == []
    message = to_all(choose(dealer, 1, "tribute", "tribute", ["SK"]))
    assert message == {"type": "notify", "stage": "tribute", "result": [[3, 0, "SA"], [1, 2, "SK"]]}
    assert choose(dealer, 0, "back", "back", ["S3"]) == []
    message = to_all(choose(dealer, 2, "back", "back", ["S4"]))
    assert message == {"type": "notify", "stage": "back", "result": [[0, 3, "S3"], [2, 1, "S4"]]}
    assert dealer.seat == 3


@pytest.mark.parametrize(
    ("hands", "seats"),
    [(["S3", "S4", "S5", "S6 HR HR"], [3]), (["S3", "S4 HR", "S5", "S6 HR"], [1, 3])],
)
def test_anti_tribute(hands: list[str], seats: list[int]) -> None:
    """It is sent right after the cards, with both spellings of the number; the first finisher leads."""
    dealer = seated(hands, previous=(0, 2, 1, 3) if len(seats) == 2 else (0, 1, 2, 3))
    message = to_all(dealer.pop_notifications()[4:])
    number = len(seats)
    assert message == {
        "type": "notify", "stage": "anti-tribute", "antiNum": number, "antiNums": number, "antiPos": seats,
    }  # fmt: skip
    assert (dealer.seat, encode_request(dealer)["stage"]) == (0, "play")


def test_rotated_cards() -> None:
    """In the second game of a pair each player has the next table seat; seats and levels rotate along."""
    dealer = seated(["S9 S3", "S4 SJ", "S4 SQ", "S5 SK"], level="7", is_rotated=True)
    notifications = dealer.pop_notifications()
    assert [message["handCards"] for _, message in notifications] == [
        ["S4", "SJ"],
        ["S4", "SQ"],
        ["S5", "SK"],
        ["S3", "S9"],
    ]
    assert [message["myPos"] for _, message in notifications] == [0, 1, 2, 3]
    nine = ["Single", "9", ["S9"]]
    assert to_all(choose(dealer, 3, *nine)) == play_notification(3, nine, 3, nine)
    request = encode_request(dealer)
    assert (dealer.seat, request["selfRank"], request["oppoRank"]) == (0, "2", "7")
    assert request["publicInfo"][3] == {"rest": 1, "playArea": nine}


def test_joker_bomb_and_wild_card() -> None:
    """Four jokers are a Bomb JOKER; a wild card is written in the slot it fills."""
    actions = encode_request(seated(["SB SB HR HR", "S4", "S5", "S6"]))["actionList"]
    assert ["Bomb", "JOKER", ["SB", "SB", "HR", "HR"]] in actions
    actions = encode_request(seated(["H6 C7 HK D9 HT", "S4", "S5", "S6"], level="K"))["actionList"]
    assert ["Straight", "6", ["H6", "C7", "HK", "D9", "HT"]] in actions


def test_messages_hide_the_hands_of_other_seats() -> None:
    """The cards of the other seats appear in no message to a seat."""
    dealer = seated(["S9 S3", "S4 SJ", "S4 SQ", "S5 SK"])
    assert not {"SJ", "SQ", "SK"} & set(json.dumps(encode_request(dealer)).split('"'))
    assert beginning_message(PlayersView(dealer.tables), 1)["handCards"] == ["S4", "SJ"]


@pytest.mark.parametrize("answer", ['{"actIndex": 0}', b'{"actIndex":4}', ' {"actIndex":3, "more":[1]} '])
def test_answers_are_read(answer: str | bytes) -> None:
    assert read_act_index(answer, 5) in (0, 3, 4)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("null", "null"), ('{"actIndex": null}', "null"), ('{"actIndex": 5}', "range"), ('{"actIndex": -1}', "range"),
        ('{"actIndex": 1' + "0" * 4000 + "}", "range"), ('{"actIndex": 1' + "0" * 9000 + "}", "garbage"),
        ('{"actIndex": true}', "garbage"), ('{"actIndex": "1"}', "garbage"), ('{"actIndex": 1.5}', "garbage"),
        ("{}", "garbage"), ("[1]", "garbage"), ("1", "garbage"), ("", "garbage"), ('{"actIndex": ', "garbage"),
        (b"\xff\xfe", "garbage"), ("[" * 60_000, "garbage"), ('{"actIndex": NaN}', "garbage"),
    ],
)  # fmt: skip
def test_faulty_answers_are_rejected(answer: str | bytes, fault: str) -> None:
    with pytest.raises(InvalidAnswerError) as raised:
        read_act_index(answer, 5)
    assert (raised.value.fault, raised.value.code) == (fault, ErrorCode.INVALID_MESSAGE)
