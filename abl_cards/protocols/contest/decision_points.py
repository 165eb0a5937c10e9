"""Decisions in records of the contest, replayed with arbitrary cards in place of those that the seat has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import decision_point_at, error_context
from abl_cards.games.notation import read_decision_point as moment_of
from abl_cards.games.state import PLAY
from abl_cards.games.tables import DecisionPoint, Tables
from abl_cards.games.types import LEADING
from abl_cards.protocols.common import hand_from_cards, hand_to_cards
from abl_cards.protocols.contest.actions import find_moves
from abl_cards.protocols.contest.codec import BACK, TRIBUTE, ContestAction, ContestState, read_cards
from abl_cards.protocols.contest.episodes import check_rules, read_field
from abl_cards.protocols.contest.match_state import fluents_at_level
from abl_cards.protocols.contest.tribute import Gift, TributeExchange, write_exchange

HAND_SIZE = 27


@dataclass(frozen=True)
class EpisodePrefix:
    """An episode up to a decision, as the seat that decides has seen it."""

    level: int
    seat: int
    hand: NDArray[np.uint8]  # [54] after the tribute, before the first play
    plays: tuple[tuple[int, ContestAction], ...]
    next_action: ContestAction | None  # what the seat did then
    exchange: TributeExchange  # the exchange before the first play


def read_decision_point(rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
    """The decision before a move of a record, from 1; without a number the one that is to come. Raises GameError."""
    check_rules(record, rules)
    if record.get("stage", "play") != "play":
        return moment_of(rules, _exchange_state(record))
    told = read_episode_prefix(record, move)
    decisions = replay_prefixes(rules, [told]).decisions(np.arange(1))
    moment = decision_point_at(rules, decisions)
    if told.next_action is None:
        return moment
    found, (row,) = find_moves(decisions, [told.next_action])
    if row < 0:
        raise GameError(
            f"play {len(told.plays) + 1}: {told.next_action} is not legal for seat {told.seat}", ErrorCode.ILLEGAL_MOVE
        )
    same = (moment.move_lists.form == found.form[row]) & (moment.move_lists.cards == found.cards[row]).all(axis=1)
    return replace(moment, chosen_move=int(same.argmax()))


def read_episode_prefix(record: Mapping[str, Any], move: int | None) -> EpisodePrefix:
    """Read a record up to a decision; the hands of the other seats are left alone. Raises GameError."""
    plays: tuple[tuple[int, ContestAction], ...] = read_field(record, "plays", [])
    number = len(plays) + 1 if move is None else move
    if move is None and "seat" not in record:
        raise GameError(
            f"say which of the {len(plays)} plays is meant (--move N), or which seat is to move (seat)",
            ErrorCode.INVALID_RECORD,
        )
    if not 1 <= number <= len(plays) + ("seat" in record):
        raise GameError(f"there is no play {number}: the record has {len(plays)}", ErrorCode.INVALID_RECORD)
    made = plays[number - 1] if number <= len(plays) else None
    seat: int = made[0] if made else read_field(record, "seat")
    return EpisodePrefix(
        level=read_field(record, "level"),
        seat=seat,
        hand=_own_hand(record, seat),
        plays=plays[: number - 1],
        next_action=made[1] if made else None,
        exchange=TributeExchange(
            **{name: read_field(record, name) for name in ("anti", "tribute", "back") if name in record}
        ),
    )


def _own_hand(record: Mapping[str, Any], seat: int) -> NDArray[np.uint8]:
    """The cards of a seat when the play begins."""
    hands = record.get("hands")
    if not isinstance(hands, list) or len(hands) != 4 or hands[seat] is None:
        raise GameError(f"hands: there must be four, and that of seat {seat} not null", ErrorCode.INVALID_RECORD)
    with error_context("hands"):
        hand = hand_from_cards(read_cards(hands[seat])).astype(np.int64)
    if hand.sum() != HAND_SIZE or hand.max() > 2:
        raise GameError(
            f"hands: seat {seat} must have {HAND_SIZE} cards of two packs, as dealt", ErrorCode.INVALID_RECORD
        )
    for giver, taker, card in (
        gift for field in (TRIBUTE, BACK) if field in record for gift in read_field(record, field)
    ):
        hand[card] += (taker == seat) - (giver == seat)
    if hand.min() < 0 or hand.max() > 2:
        raise GameError(
            f"tribute, back: seat {seat} cannot have given or received these cards", ErrorCode.INVALID_RECORD
        )
    return hand.astype(np.uint8)


def _read_given_cards(record: Mapping[str, Any]) -> list[Gift]:
    """All cards given before the play."""
    return [gift for field in (TRIBUTE, BACK) if field in record for gift in read_field(record, field)]


def _exchange_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record before a tribute or a return as a state."""
    stage, seat = record["stage"], read_field(record, "seat")
    counts = [HAND_SIZE] * 4
    for giver, taker, _ in _read_given_cards(record):
        counts[giver], counts[taker] = counts[giver] - 1, counts[taker] + 1
    others = [counts[(seat + place) % 4] for place in (1, 2, 3)]
    hand = tuple(hand_to_cards(_own_hand(record, seat)))
    return ContestState(read_field(record, "level"), hand, stage=stage).to_json() | {"cards": others}


def replay_prefixes(rules: CompiledGame, prefixes: Sequence[EpisodePrefix]) -> Tables:
    """A table for each, where its decision is to be made; raises GameError where a play is not legal."""
    tables = _set_up_tables(rules, prefixes)
    for number in range(max(len(told.plays) for told in prefixes)):
        which = np.array([row for row, told in enumerate(prefixes) if len(told.plays) > number])
        _play_actions(tables, which, number, [prefixes[row].plays[number] for row in which])
    for row, told in enumerate(prefixes):
        _check_turn(tables, row, told.seat, len(told.plays))
    return tables


def _set_up_tables(rules: CompiledGame, prefixes: Sequence[EpisodePrefix]) -> Tables:
    """A table for each, where its first play is to be made: the cards lie as they did after the exchange."""
    n = len(prefixes)
    tables, which = Tables(rules, n), np.arange(n)
    tables.auto_next_episode = False
    state = tables.state
    state.hands[:] = np.stack([_deal_hands(told) for told in prefixes])
    for row, told in enumerate(prefixes):
        state.fluents[row] = fluents_at_level(rules, told.level)
        write_exchange(rules, state.fluents[row], told.exchange)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    state.stage[:], state.to_beat[:] = PLAY, LEADING
    state.seat[:] = [told.plays[0][0] if told.plays else told.seat for told in prefixes]
    state.owner[which] = state.last_actor[which] = state.seat
    return tables


def _play_actions(
    tables: Tables, rows: NDArray[np.int64], number: int, plays: Sequence[tuple[int, ContestAction]]
) -> None:
    for row, (seat, _) in zip(rows, plays, strict=True):
        _check_turn(tables, int(row), seat, number)
    lists, chosen = find_moves(tables.decisions(rows), [action for _, action in plays])
    for move, (seat, action) in zip(chosen, plays, strict=True):
        if move < 0:
            raise GameError(f"play {number + 1}: {action} is not legal for seat {seat}", ErrorCode.ILLEGAL_MOVE)
    tables.play(rows, lists.select(chosen))


def _check_turn(tables: Tables, row: int, seat: int, number: int) -> None:
    if tables.state.stage[row] != PLAY:
        raise GameError(f"play {number + 1}: the episode is over", ErrorCode.INVALID_RECORD)
    if tables.seat[row] != seat:
        raise GameError(
            f"play {number + 1}: it is the turn of seat {tables.seat[row]}, not of seat {seat}",
            ErrorCode.INVALID_RECORD,
        )


def _deal_hands(prefix: EpisodePrefix) -> NDArray[np.uint8]:
    """[4, 54] hands with which it could have come so: what a seat has shown is its own, the rest is dealt in order."""
    if prefix.hand.sum() != HAND_SIZE:
        raise GameError(
            "tribute, back: each seat that gives a card receives one before the play begins", ErrorCode.INVALID_RECORD
        )
    hands = np.zeros((4, 54), np.int64)
    for seat, action in prefix.plays:
        hands[seat] += hand_from_cards(action.cards)
    hands[prefix.seat] = prefix.hand
    rest = 2 - hands.sum(axis=0)
    if rest.min() < 0 or hands.sum(axis=1).max() > HAND_SIZE:
        raise GameError(
            "hands, plays: more cards than two packs have, or more than 27 of one seat", ErrorCode.INVALID_RECORD
        )
    pool = hand_to_cards(rest)
    for seat in range(4):
        missing = HAND_SIZE - int(hands[seat].sum())
        hands[seat] += hand_from_cards(pool[:missing])
        del pool[:missing]
    return hands.astype(np.uint8)
