"""Damages of a record of Guandan: breaches of the rules of plays and exchanges, and what cannot be read."""

import copy
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
Damage = Callable[[Record], Any]


def first_pass(record: Record) -> int:
    """The number of the first pass."""
    return next(number for number, (_, action) in enumerate(record["plays"]) if action[0] == "PASS")


def last_play(record: Record) -> list[Any]:
    """The play that ends the episode."""
    play: list[Any] = record["plays"][-1]
    return play


def illegal_play(record: Record) -> None:
    """A seat plays a card that is not in its hand."""
    seat, action = record["plays"][0]
    held = record["hands"][seat]
    missing = next(card for card in record["hands"][(seat + 1) % 4] if card not in held)
    action[:] = ["Single", missing[1], [missing]]


def weak_play(record: Record) -> None:
    """A pass becomes a single that does not beat anything."""
    number = first_pass(record)
    record["plays"][number][1] = ["Single", "2", ["S2"]]


def leader_passes(record: Record) -> None:
    """The leader passes."""
    record["plays"][0][1] = ["PASS", "PASS", "PASS"]


def wrong_type(record: Record) -> None:
    """A play has a type that does not exist."""
    record["plays"][0][1][0] = "Quartet"


def wrong_rank(record: Record) -> None:
    """A play has another rank than that of its cards."""
    action = record["plays"][0][1]
    action[1] = "3" if action[1] != "3" else "4"


def wrong_seat(record: Record) -> None:
    """A play is another seat's."""
    play = record["plays"][5]
    play[0] = (play[0] + 1) % 4


def missing_play(record: Record) -> None:
    """A play in the middle is left out."""
    del record["plays"][6]


def truncated(record: Record) -> None:
    """The record ends too early."""
    del record["plays"][-3:]


def no_plays(record: Record) -> None:
    """There are no plays."""
    record["plays"] = []


def extra_play(record: Record) -> None:
    """A play follows the end."""
    record["plays"].append([0, ["PASS", "PASS", "PASS"]])


def wrong_anti(record: Record) -> None:
    """A tribute is recorded as refused."""
    record["anti"] = [record["tribute"][0][0]]


def missing_tribute(record: Record) -> None:
    """The tribute is left out."""
    record["tribute"] = []


def missing_back(record: Record) -> None:
    """The return is left out."""
    record["back"] = []


def wrong_receiver(record: Record) -> None:
    """The tribute goes to another seat."""
    giver, taker, _ = record["tribute"][0]
    record["tribute"][0][1] = next(seat for seat in range(4) if seat not in (giver, taker))


def wrong_returner(record: Record) -> None:
    """The return goes to another seat."""
    giver, taker, _ = record["back"][0]
    record["back"][0][1] = next(seat for seat in range(4) if seat not in (giver, taker))


def wrong_tribute_card(record: Record) -> None:
    """The tribute is not the highest card."""
    giver, _, card = record["tribute"][0]
    record["tribute"][0][2] = next(other for other in record["hands"][giver] if other[1] != card[1])


def wrong_back_card(record: Record) -> None:
    """A joker is returned."""
    record["back"][0][2] = "SB"


def one_tribute_too_many(record: Record) -> None:
    """A second payer pays where only one should."""
    record["tribute"] += [copy.deepcopy(record["tribute"][0])]


def one_return_too_many(record: Record) -> None:
    """A card is returned twice."""
    record["back"] += [copy.deepcopy(record["back"][0])]


def wrong_level(record: Record) -> None:
    """Another level is played."""
    record["level"] = "7" if record["level"] != "7" else "8"


def wrong_ranks(record: Record) -> None:
    """A team's level is another."""
    record["ranks"][1] = "7" if record["ranks"][1] != "7" else "8"


def third_copy(record: Record) -> None:
    """A card is there three times."""
    hands = record["hands"]
    hands[0][0] = hands[1][0] if hands[1][0] != hands[0][0] else hands[2][0]


def many_copies(record: Record) -> None:
    """A card is there 258 times."""
    record["hands"][0] += [record["hands"][0][0]] * 256


def swapped_cards(record: Record) -> None:
    """Two seats hold each other's cards."""
    record["hands"][0], record["hands"][1] = record["hands"][1], record["hands"][0]


def short_hand(record: Record) -> None:
    """A hand lacks a card."""
    record["hands"][2].pop()


def three_hands(record: Record) -> None:
    """A hand is missing."""
    record["hands"].pop()


def no_such_card(record: Record) -> None:
    """A card does not exist."""
    record["hands"][3][4] = "S1"


def no_such_seat(record: Record) -> None:
    """A seat does not exist."""
    record["plays"][2][0] = 4


def seat_is_true(record: Record) -> None:
    """A seat is no number."""
    record["plays"][2][0] = True


def play_is_text(record: Record) -> None:
    """A play is no pair."""
    record["plays"][2] = "PASS"


def no_level(record: Record) -> None:
    """A field is missing."""
    del record["level"]


def level_is_number(record: Record) -> None:
    """A level is no letter."""
    record["level"] = 2


def other_profile(record: Record) -> None:
    """The record is of other rules."""
    record["profile"] = "platform"


def other_game(record: Record) -> None:
    """The record is of another game."""
    record["game"] = "doudizhu"


DURING = [
    illegal_play, weak_play, leader_passes, wrong_rank, wrong_seat, missing_play, truncated, no_plays, extra_play,
    swapped_cards, wrong_level, wrong_ranks, wrong_type,
]  # fmt: skip
EXCHANGES = [
    wrong_anti, missing_tribute, missing_back, wrong_receiver, wrong_returner, wrong_tribute_card, wrong_back_card,
    one_tribute_too_many,
]  # fmt: skip
UNREADABLE = [
    third_copy, short_hand, three_hands, no_such_card, no_such_seat, seat_is_true, play_is_text, no_level,
    level_is_number, other_profile, other_game,
]  # fmt: skip
