"""Decisions out of the contest's records: told again with the cards that the seat has not seen dealt out anyhow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import cards_of, hand_of
from abl_cards.errors import GameError
from abl_cards.games import Tables
from abl_cards.games.moment import Moment
from abl_cards.games.play.state import PLAY
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING
from abl_cards.games.words.fields import reading
from abl_cards.games.words.moments import look
from abl_cards.games.words.moments import moment as moment_of
from abl_cards.platforms.contest.actions import find_moves
from abl_cards.platforms.contest.episodes import check_rules, read_field
from abl_cards.platforms.contest.gifts import Gift, Gifts, tell_gifts
from abl_cards.platforms.contest.standings import at_level
from abl_cards.platforms.contest.wire import BACK, TRIBUTE, Action, State, read_cards

FULL_HAND = 27


@dataclass(frozen=True)
class Told:
    """An episode up to a decision, as the seat that decides has seen it."""

    level: int
    seat: int
    hand: NDArray[np.uint8]  # [54] after the tribute, before the first play
    plays: tuple[tuple[int, Action], ...]
    made: Action | None  # what the seat did then
    gifts: Gifts  # the exchange before the first play


def of_record(rules: Rules, record: Mapping[str, Any], move: int | None) -> Moment:
    """The decision before a move of a record, from 1; without a number the one that is to come. Raises GameError."""
    check_rules(record, rules)
    if record.get("stage", "play") != "play":
        return moment_of(rules, _exchange_state(record))
    told = read_told(record, move)
    decisions = tell(rules, [told]).decisions(np.arange(1))
    moment = look(rules, decisions)
    if told.made is None:
        return moment
    found, (row,) = find_moves(decisions, [told.made])
    if row < 0:
        raise GameError(f"play {len(told.plays) + 1}: {told.made} is not legal for seat {told.seat}")
    same = (moment.lists.form == found.form[row]) & (moment.lists.cards == found.cards[row]).all(axis=1)
    return replace(moment, made=int(same.argmax()))


def read_told(record: Mapping[str, Any], move: int | None) -> Told:
    """Read a record up to a decision; the hands of the other seats are left alone. Raises GameError."""
    plays: tuple[tuple[int, Action], ...] = read_field(record, "plays", [])
    number = len(plays) + 1 if move is None else move
    if move is None and "seat" not in record:
        raise GameError(f"say which of the {len(plays)} plays is meant (--move N), or which seat is to move (seat)")
    if not 1 <= number <= len(plays) + ("seat" in record):
        raise GameError(f"there is no play {number}: the record has {len(plays)}")
    made = plays[number - 1] if number <= len(plays) else None
    seat: int = made[0] if made else read_field(record, "seat")
    return Told(
        level=read_field(record, "level"),
        seat=seat,
        hand=_own_hand(record, seat),
        plays=plays[: number - 1],
        made=made[1] if made else None,
        gifts=Gifts(**{name: read_field(record, name) for name in ("anti", "tribute", "back") if name in record}),
    )


def _own_hand(record: Mapping[str, Any], seat: int) -> NDArray[np.uint8]:
    """The cards of a seat when the play begins."""
    hands = record.get("hands")
    if not isinstance(hands, list) or len(hands) != 4 or hands[seat] is None:
        raise GameError(f"hands: there must be four, and that of seat {seat} not null")
    with reading("hands"):
        hand = hand_of(read_cards(hands[seat])).astype(np.int64)
    if hand.sum() != FULL_HAND or hand.max() > 2:
        raise GameError(f"hands: seat {seat} must have {FULL_HAND} cards of two packs, as dealt")
    for giver, taker, card in (
        gift for field in (TRIBUTE, BACK) if field in record for gift in read_field(record, field)
    ):
        hand[card] += (taker == seat) - (giver == seat)
    if hand.min() < 0 or hand.max() > 2:
        raise GameError(f"tribute, back: seat {seat} cannot have given or received these cards")
    return hand.astype(np.uint8)


def _gifts(record: Mapping[str, Any]) -> list[Gift]:
    """All cards given before the play."""
    return [gift for field in (TRIBUTE, BACK) if field in record for gift in read_field(record, field)]


def _exchange_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record before a tribute or a return as a state."""
    stage, seat = record["stage"], read_field(record, "seat")
    counts = [FULL_HAND] * 4
    for giver, taker, _ in _gifts(record):
        counts[giver], counts[taker] = counts[giver] - 1, counts[taker] + 1
    others = [counts[(seat + place) % 4] for place in (1, 2, 3)]
    hand = tuple(cards_of(_own_hand(record, seat)))
    return State(read_field(record, "level"), hand, stage=stage).to_json() | {"cards": others}


def tell(rules: Rules, stories: Sequence[Told]) -> Tables:
    """A table for each, where its decision is to be made; raises GameError where a play is not legal."""
    tables = _sit_down(rules, stories)
    for number in range(max(len(told.plays) for told in stories)):
        which = np.array([row for row, told in enumerate(stories) if len(told.plays) > number])
        _play(tables, which, number, [stories[row].plays[number] for row in which])
    for row, told in enumerate(stories):
        _check_turn(tables, row, told.seat, len(told.plays))
    return tables


def _sit_down(rules: Rules, stories: Sequence[Told]) -> Tables:
    """A table for each, where its first play is to be made: the cards lie as they did after the exchange."""
    n = len(stories)
    tables, which = Tables(rules, n), np.arange(n)
    tables.endless = False
    state = tables.state
    state.hands[:] = np.stack([_deal(told) for told in stories])
    for row, told in enumerate(stories):
        state.fluents[row] = at_level(rules, told.level)
        tell_gifts(rules, state.fluents[row], told.gifts)
    state.context[:] = rules.contexts.of(state.fluents)
    state.stage[:], state.to_beat[:] = PLAY, LEADING
    state.seat[:] = [told.plays[0][0] if told.plays else told.seat for told in stories]
    state.owner[which] = state.acted[which] = state.seat
    return tables


def _play(tables: Tables, which: NDArray[np.int64], number: int, plays: Sequence[tuple[int, Action]]) -> None:
    for row, (seat, _) in zip(which, plays, strict=True):
        _check_turn(tables, int(row), seat, number)
    lists, chosen = find_moves(tables.decisions(which), [action for _, action in plays])
    for move, (seat, action) in zip(chosen, plays, strict=True):
        if move < 0:
            raise GameError(f"play {number + 1}: {action} is not legal for seat {seat}")
    tables.play(which, lists.rows(chosen))


def _check_turn(tables: Tables, row: int, seat: int, number: int) -> None:
    if tables.state.stage[row] != PLAY:
        raise GameError(f"play {number + 1}: the episode is over")
    if tables.seat[row] != seat:
        raise GameError(f"play {number + 1}: it is the turn of seat {tables.seat[row]}, not of seat {seat}")


def _deal(told: Told) -> NDArray[np.uint8]:
    """[4, 54] hands with which it could have come so: what a seat has shown is its own, the rest is dealt in order."""
    if told.hand.sum() != FULL_HAND:
        raise GameError("tribute, back: each seat that gives a card receives one before the play begins")
    hands = np.zeros((4, 54), np.int64)
    for seat, action in told.plays:
        hands[seat] += hand_of(action.cards)
    hands[told.seat] = told.hand
    rest = 2 - hands.sum(axis=0)
    if rest.min() < 0 or hands.sum(axis=1).max() > FULL_HAND:
        raise GameError("hands, plays: more cards than two packs have, or more than 27 of one seat")
    pool = cards_of(rest)
    for seat in range(4):
        missing = FULL_HAND - int(hands[seat].sum())
        hands[seat] += hand_of(pool[:missing])
        del pool[:missing]
    return hands.astype(np.uint8)
