"""Decision points of contest records, replayed with arbitrary cards in place of those hidden from the seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import decision_point_at, error_context
from abl_cards.games.notation import read_decision_point as read_engine_decision_point
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
    """Episode up to a decision, with the information of the deciding seat."""

    level: int
    seat: int
    hand: NDArray[np.uint8]  # uint8 [54], after the exchange, before the first play
    plays: tuple[tuple[int, ContestAction], ...]
    next_action: ContestAction | None  # action of the seat at the decision, if recorded
    exchange: TributeExchange  # exchange before the first play


def read_decision_point(rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
    """Return a decision of a record.

    Args:
        rules: Rules of the record.
        record: Record of the contest.
        move: Number of the play before which the decision is made, from 1; None for the decision after the last play.

    Raises:
        GameError: The record is invalid, has no such play, or a play is not legal.
    """
    check_rules(record, rules)
    if record.get("stage", "play") != "play":
        return read_engine_decision_point(rules, _exchange_state(record))
    prefix = read_episode_prefix(record, move)
    decisions = replay_prefixes(rules, [prefix]).decisions(np.arange(1))
    decision_point = decision_point_at(rules, decisions)
    if prefix.next_action is None:
        return decision_point
    legal, (row,) = find_moves(decisions, [prefix.next_action])
    if row < 0:
        raise GameError(
            f"play {len(prefix.plays) + 1}: {prefix.next_action} is not legal for seat {prefix.seat}",
            ErrorCode.ILLEGAL_MOVE,
        )
    lists = decision_point.move_lists
    same = (lists.form == legal.form[row]) & (lists.cards == legal.cards[row]).all(axis=1)
    return replace(decision_point, chosen_move=int(same.argmax()))


def read_episode_prefix(record: Mapping[str, Any], move: int | None) -> EpisodePrefix:
    """Read a record up to a decision, without the hands of the other seats; raises GameError."""
    plays: tuple[tuple[int, ContestAction], ...] = read_field(record, "plays", [])
    play_number = len(plays) + 1 if move is None else move
    if move is None and "seat" not in record:
        raise GameError(
            f"the record has {len(plays)} plays: name one (--move N), or the seat to move (seat)",
            ErrorCode.INVALID_RECORD,
        )
    if not 1 <= play_number <= len(plays) + ("seat" in record):
        raise GameError(f"there is no play {play_number}: the record has {len(plays)}", ErrorCode.INVALID_RECORD)
    chosen = plays[play_number - 1] if play_number <= len(plays) else None
    seat: int = chosen[0] if chosen else read_field(record, "seat")
    return EpisodePrefix(
        level=read_field(record, "level"),
        seat=seat,
        hand=_own_hand(record, seat),
        plays=plays[: play_number - 1],
        next_action=chosen[1] if chosen else None,
        exchange=TributeExchange(
            **{name: read_field(record, name) for name in ("anti", "tribute", "back") if name in record}
        ),
    )


def _own_hand(record: Mapping[str, Any], seat: int) -> NDArray[np.uint8]:
    """Return the hand [54] of a seat at the first play."""
    hands = record.get("hands")
    if not isinstance(hands, list) or len(hands) != 4 or hands[seat] is None:
        raise GameError(f"hands: must be four, and that of seat {seat} not null", ErrorCode.INVALID_RECORD)
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
    """Return all cards exchanged before the first play."""
    return [gift for field in (TRIBUTE, BACK) if field in record for gift in read_field(record, field)]


def _exchange_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a record that ends before a tribute or a return."""
    stage, seat = record["stage"], read_field(record, "seat")
    counts = [HAND_SIZE] * 4
    for giver, taker, _ in _read_given_cards(record):
        counts[giver], counts[taker] = counts[giver] - 1, counts[taker] + 1
    cards_of_others = [counts[(seat + step) % 4] for step in (1, 2, 3)]
    hand = tuple(hand_to_cards(_own_hand(record, seat)))
    return ContestState(read_field(record, "level"), hand, stage=stage).to_json() | {"cards": cards_of_others}


def replay_prefixes(rules: CompiledGame, prefixes: Sequence[EpisodePrefix]) -> Tables:
    """Return tables at the decisions of prefixes, one row each; raises GameError if a play is not legal."""
    tables = _set_up_tables(rules, prefixes)
    for index in range(max(len(prefix.plays) for prefix in prefixes)):
        rows = np.array([row for row, prefix in enumerate(prefixes) if len(prefix.plays) > index])
        _play_actions(tables, rows, index, [prefixes[row].plays[index] for row in rows])
    for row, prefix in enumerate(prefixes):
        _check_turn(tables, row, prefix.seat, len(prefix.plays))
    return tables


def _set_up_tables(rules: CompiledGame, prefixes: Sequence[EpisodePrefix]) -> Tables:
    """Return tables at the first plays of prefixes, after the exchange of cards."""
    n = len(prefixes)
    tables, rows = Tables(rules, n), np.arange(n)
    tables.auto_next_episode = False
    state = tables.state
    state.hands[:] = np.stack([_deal_hands(prefix) for prefix in prefixes])
    for row, prefix in enumerate(prefixes):
        state.fluents[row] = fluents_at_level(rules, prefix.level)
        write_exchange(rules, state.fluents[row], prefix.exchange)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    state.stage[:], state.to_beat[:] = PLAY, LEADING
    state.seat[:] = [prefix.plays[0][0] if prefix.plays else prefix.seat for prefix in prefixes]
    state.owner[rows] = state.last_actor[rows] = state.seat
    return tables


def _play_actions(
    tables: Tables, rows: NDArray[np.int64], index: int, plays: Sequence[tuple[int, ContestAction]]
) -> None:
    for row, (seat, _) in zip(rows, plays, strict=True):
        _check_turn(tables, int(row), seat, index)
    lists, chosen = find_moves(tables.decisions(rows), [action for _, action in plays])
    for move, (seat, action) in zip(chosen, plays, strict=True):
        if move < 0:
            raise GameError(f"play {index + 1}: {action} is not legal for seat {seat}", ErrorCode.ILLEGAL_MOVE)
    tables.play(rows, lists.select(chosen))


def _check_turn(tables: Tables, row: int, seat: int, index: int) -> None:
    if tables.state.stage[row] != PLAY:
        raise GameError(f"play {index + 1}: the episode is over", ErrorCode.INVALID_RECORD)
    if tables.seat[row] != seat:
        raise GameError(
            f"play {index + 1}: it is the turn of seat {tables.seat[row]}, not of seat {seat}",
            ErrorCode.INVALID_RECORD,
        )


def _deal_hands(prefix: EpisodePrefix) -> NDArray[np.uint8]:
    """Return hands [4, 54] that agree with a prefix: played cards at their seats, the others in order."""
    if prefix.hand.sum() != HAND_SIZE:
        raise GameError(
            "tribute, back: each seat that gives a card receives one before the play begins", ErrorCode.INVALID_RECORD
        )
    hands = np.zeros((4, 54), np.int64)
    for seat, action in prefix.plays:
        hands[seat] += hand_from_cards(action.cards)
    hands[prefix.seat] = prefix.hand
    remaining = 2 - hands.sum(axis=0)
    if remaining.min() < 0 or hands.sum(axis=1).max() > HAND_SIZE:
        raise GameError(
            "hands, plays: more cards than two packs have, or more than 27 of one seat", ErrorCode.INVALID_RECORD
        )
    remaining_cards = hand_to_cards(remaining)
    for seat in range(4):
        num_missing = HAND_SIZE - int(hands[seat].sum())
        hands[seat] += hand_from_cards(remaining_cards[:num_missing])
        del remaining_cards[:num_missing]
    return hands.astype(np.uint8)
