"""Single decisions out of tables, states and records: what the seat that decides sees, and all that it may do.

A record is told again with the cards that its seat has not seen dealt out anyhow, so nothing can depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import LEADING, NO_BID, PACK, PLAY
from abl_cards.games.doudizhu.decisions import CHOICES, Decisions, Exchanges, Situation, decide, decide_bid
from abl_cards.games.doudizhu.knowledge import FULL_HAND, MOST_CARDS, WHO
from abl_cards.games.doudizhu.records import Record, read_record, row_text
from abl_cards.games.doudizhu.replay import deal_of, find_moves, row_keys
from abl_cards.games.doudizhu.rulebook import Rules
from abl_cards.games.doudizhu.shapes import Key, cards_of, key_of
from abl_cards.games.doudizhu.tables import Tables
from abl_cards.games.doudizhu.wire import Action, State, bid_row, hand_text, read_hand, reading
from abl_cards.games.game import GameError
from abl_cards.games.tables import Moment

# --- out of decisions -------------------------------------------------------------------------------------------------


def action_of(form: int, cards: NDArray[np.uint8]) -> Action:
    """A play, a pass or a bid in words."""
    return Action(bid=CHOICES[int(cards[0])]) if form < 0 else Action(read_hand(row_text(cards)))


def look(rules: Rules, decisions: Decisions | Exchanges, row: int = 0, to_beat: Action | None = None) -> Moment:
    """One of some decisions; to_beat is what was laid down, where that is known."""
    if isinstance(decisions, Exchanges):
        bidding = decisions.at(np.array([row]))
        lists = bidding.moves()
        actions = tuple(action_of(-1, cards) for cards in lists.cards)
        return Moment(bidding, lists, ("bid",) * len(actions), actions, _bid_state(bidding))
    one = decisions.at(np.array([row]))
    lists = one.moves()
    actions = tuple(action_of(int(form), cards) for form, cards in zip(lists.form, lists.cards, strict=True))
    labels = tuple(rules.labels[form] for form in lists.form)
    return Moment(one, lists, labels, actions, _state_of(rules, one, to_beat))


def _bid_state(one: Exchanges) -> dict[str, Any]:
    bids = tuple(int(bid) for bid in one.bids[0] if bid != NO_BID)
    return State(int(one.situation.hand[0]), stage="bid", bids=bids).to_json()


def _state_of(rules: Rules, one: Decisions, to_beat: Action | None) -> dict[str, Any]:
    situation = one.situation
    unseen, counts = int(situation.unseen[0]), situation.cards[0].tolist()
    counted = len(cards_of(unseen)) == sum(counts)  # else a state left open what the others hold
    top, part = int(situation.top[0]), int(situation.part[0])
    fields = State(
        hand=int(situation.hand[0]),
        to_beat=to_beat,
        part=part if part >= 0 else None,
        top=WHO[top] if top >= 0 else None,
        cards=(counts[0], counts[1]),
        unseen=unseen if counted else None,
    ).to_json()
    if top >= 0 and to_beat is None:  # a table remembers its label, not its kickers
        shape = rules.shapes.shapes[int(one.to_beat[0])]
        main = hand_text(key_of([rank for rank, count in shape.main for _ in range(count)]))
        fields["to_beat"] = main + "?" * (shape.kickers * shape.kicker_size)
    return fields


# --- out of states ----------------------------------------------------------------------------------------------------


def identify(rules: Rules, cards: Key) -> int:
    """The label of cards that somebody has laid down; raises GameError when no hand could have led them."""
    lists = decide(rules, np.array([cards], np.uint64), np.array([LEADING], np.int16)).moves()
    found = np.flatnonzero(row_keys(lists.cards) == np.uint64(cards))
    if not found.size:
        raise GameError(f"{hand_text(cards)} is no play")
    return int(lists.form[found[-1]])


def of_state(rules: Rules, value: Mapping[str, Any]) -> Moment:
    """The decision of a state in JSON form; raises GameError."""
    state = State.from_json(value)
    check_profile(rules, state)
    if state.stage == "bid":
        return look(rules, decide_state_bid(rules, state))
    label = label_to_beat(rules, state)
    decisions = decide(rules, np.array([state.hand], np.uint64), np.array([label], np.int16), situation_of(state))
    return look(rules, decisions, 0, state.to_beat)


def check_profile(rules: Rules, state: State) -> None:
    """Raise GameError for a state of another profile."""
    if state.profile not in (None, rules.profile):
        raise GameError(f"profile: the rules are loaded for '{rules.profile}' (choose with --profile)")


def label_to_beat(rules: Rules, state: State) -> int:
    """The label of what there is to beat; raises GameError."""
    if state.to_beat is None:
        return LEADING
    with reading("to_beat"):
        return identify(rules, state.to_beat.cards)


def decide_state_bid(rules: Rules, state: State) -> Exchanges:
    """The bid of a state; raises GameError where there is none to make."""
    exchanges = decide_bid(rules, np.array([state.hand], np.uint64), np.array([bid_row(state.bids)], np.int8))
    if not exchanges.options.any() or int(rules.auction.landlord[tuple(exchanges.bids[0])]) != -1:
        raise GameError(f"bids: nobody bids after {list(state.bids)} under '{rules.profile}'")
    return exchanges


def situation_of(state: State) -> Situation:
    """What a state tells; where it does not say, the others hold full hands and the previous seat made the play."""
    laid = state.to_beat.cards if state.to_beat else 0
    unseen = _without(_without(PACK, state.hand), laid) if state.unseen is None else state.unseen
    top = -1 if state.to_beat is None else WHO.index(state.top or "previous")
    part = 0 if state.part is None else state.part
    others = [MOST_CARDS if (part + place) % 3 == 0 else FULL_HAND for place in (1, 2)]
    cards = list(state.cards) if state.cards else others
    return Situation(
        np.array([state.hand], np.uint64), np.array([unseen], np.uint64), np.array([cards], np.uint8),
        np.array([top], np.int8), np.array([part], np.int8),
    )  # fmt: skip


# --- out of records ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A game up to a decision, as the seat that decides has seen it."""

    record: Record
    seat: int
    plays: tuple[tuple[int, Action], ...]
    made: Action | None  # what the seat did then


def of_record(rules: Rules, record: Mapping[str, Any], move: int | None) -> Moment:
    """The decision before a move of a record, from 1; without a number the one that is to come. Raises GameError."""
    if record.get("stage", "play") == "bid":
        return _bid_of_record(rules, record)
    told = read_told(rules, record, move)
    decisions = tell(rules, [told]).decisions(np.arange(1))
    laid = next((action for _, action in reversed(told.plays) if action.cards), None)
    moment = look(rules, decisions, 0, laid if decisions.to_beat[0] >= 0 else None)
    if told.made is None:
        return moment
    _, (row,) = find_moves(decisions, [told.made])
    if row < 0:
        raise GameError(f"play {len(told.plays) + 1}: {told.made} is not legal for seat {told.seat}")
    return replace(moment, made=int(row))


def _bid_of_record(rules: Rules, record: Mapping[str, Any]) -> Moment:
    read = read_record({"plays": [], **record}, rules.profile)
    seat = _seat_of(record)
    hand = read.hands[seat]
    if hand is None or len(read.bids) != seat:
        raise GameError(f"hands, bids: seat {seat} bids after {seat} others, and its hand must not be null")
    return look(rules, decide_state_bid(rules, State(hand, stage="bid", bids=read.bids)))


def _seat_of(record: Mapping[str, Any]) -> int:
    seat = record.get("seat")
    if type(seat) is not int or not 0 <= seat < 3:
        raise GameError(f"seat: {seat!r} is no seat 0 to 2")
    return seat


def read_told(rules: Rules, record: Mapping[str, Any], move: int | None) -> Told:
    """Read a record up to a decision; the hands of the other seats are left alone. Raises GameError."""
    read = read_record(record, rules.profile)
    number = len(read.plays) + 1 if move is None else move
    if move is None and "seat" not in record:
        raise GameError(
            f"say which of the {len(read.plays)} plays is meant (--move N), or which seat is to move (seat)"
        )
    if not 1 <= number <= len(read.plays) + ("seat" in record):
        raise GameError(f"there is no play {number}: the record has {len(read.plays)}")
    made = read.plays[number - 1] if number <= len(read.plays) else None
    seat = made[0] if made else _seat_of(record)
    if read.hands[seat] is None:
        raise GameError(f"hands: that of seat {seat} must not be null")
    return Told(read, seat, read.plays[: number - 1], made[1] if made else None)


def tell(rules: Rules, stories: Sequence[Told]) -> Tables:
    """A table for each, where its decision is to be made; raises GameError where a play is not legal."""
    tables = Tables.resume(rules, deal_of([replace(told.record, hands=_deal(told)) for told in stories]))
    for number in range(max(len(told.plays) for told in stories)):
        which = np.array([row for row, told in enumerate(stories) if len(told.plays) > number])
        plays = [stories[row].plays[number] for row in which]
        for row, (seat, _) in zip(which, plays, strict=True):
            _check_turn(tables, int(row), seat, number)
        lists, chosen = find_moves(tables.decisions(which), [action for _, action in plays])
        for row, (seat, action) in zip(chosen, plays, strict=True):
            if row < 0:
                raise GameError(f"play {number + 1}: {action} is not legal for seat {seat}")
        tables.play(which, lists.rows(chosen))
    for row, told in enumerate(stories):
        _check_turn(tables, row, told.seat, len(told.plays))
    return tables


def _check_turn(tables: Tables, row: int, seat: int, number: int) -> None:
    if tables.course.stage[row] != PLAY:
        raise GameError(f"play {number + 1}: the game is over")
    if tables.seat[row] != seat:
        raise GameError(f"play {number + 1}: it is the turn of seat {tables.seat[row]}, not of seat {seat}")


def _deal(told: Told) -> tuple[Key, ...]:
    """Hands with which it could have come so: what a seat has shown is its own, the rest is dealt in order."""
    record, seat = told.record, told.seat
    shown = [0, 0, 0]
    for player, action in told.plays:
        shown[player] = _add(shown[player], action.cards)
    if record.landlord != seat and record.bottom is not None:  # everybody has seen whose the bottom cards are
        shown[record.landlord] = _join(shown[record.landlord], record.bottom)
    shown[seat] = record.hands[seat] or 0
    rest = PACK
    for key in shown:
        rest = _take(rest, key)
    pool = list(cards_of(rest))
    for player in range(3):
        missing = (MOST_CARDS if player == record.landlord else FULL_HAND) - len(cards_of(shown[player]))
        if missing < 0 or (player == seat and missing):
            raise GameError(f"hands, plays: seat {player} has not as many cards as its part is dealt")
        shown[player] += key_of(pool[:missing])
        del pool[:missing]
    return tuple(shown)


def _add(key: Key, more: Key) -> Key:
    """The sum of two keys; raises GameError where that makes more cards than there are."""
    _take(PACK, key)
    _take(PACK - key, more)
    return key + more


def _join(key: Key, other: Key) -> Key:
    """The fewest cards that hold both."""
    return sum(max(key >> shift & 15, other >> shift & 15) << shift for shift in range(0, 60, 4))


def _without(key: Key, less: Key) -> Key:
    """A key less the cards of another, as far as it has them."""
    return sum(max(0, (key >> shift & 15) - (less >> shift & 15)) << shift for shift in range(0, 60, 4))


def _take(key: Key, less: Key) -> Key:
    if any((less >> shift & 15) > (key >> shift & 15) for shift in range(0, 60, 4)):
        raise GameError("hands, plays: more cards than one pack has")
    return key - less
