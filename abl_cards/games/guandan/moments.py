"""Single decisions out of tables, states and records: what the seat that decides sees, and all that it may do.

A record is told again with the cards that its seat has not seen dealt out anyhow, so nothing can depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import cards_of, hand_of
from abl_cards.games.game import GameError
from abl_cards.games.guandan.course import BACK, LEADING, PLAY, TRIBUTE
from abl_cards.games.guandan.decisions import Decisions, Exchanges, Situation, decide, decide_exchange
from abl_cards.games.guandan.episodes import check_rules, read_field
from abl_cards.games.guandan.exchange import Gifts, exchange_of
from abl_cards.games.guandan.knowledge import WHO
from abl_cards.games.guandan.ladder import bottom
from abl_cards.games.guandan.readings import action_of, find_moves, identify
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import EpisodeStart, Tables
from abl_cards.games.guandan.wire import (
    PASSING,
    Action,
    State,
    hand_order,
    read_cards,
    reading,
    wire_rank,
    wire_type,
)
from abl_cards.games.tables import Moment, Moves

FULL_HAND = 27
STAGES = {"tribute": TRIBUTE, "back": BACK}


# --- out of decisions -------------------------------------------------------------------------------------------------


def look(rules: Rules, decisions: Decisions | Exchanges, row: int = 0, to_beat: Action | None = None) -> Moment:
    """One of some decisions; to_beat is what was laid down, where that is known."""
    if isinstance(decisions, Exchanges):
        return _look_at_exchange(rules, decisions, row)
    one = decisions.at(np.array([row]))
    lists = one.moves()
    actions = tuple(action_of(rules, form, cards) for form, cards in zip(lists.form, lists.cards, strict=True))
    labels = tuple(rules.labels[rules.shapes.form_label[form]] for form in lists.form)
    return Moment(one, lists, labels, actions, _state_of(rules, one, "play", to_beat))


def _look_at_exchange(rules: Rules, exchanges: Exchanges, row: int) -> Moment:
    one = Exchanges(
        rules,
        exchanges.which[[row]],
        exchanges.hands.at(np.array([row])),
        exchanges.situation.at(np.array([row])),
        exchanges.options[[row]],
        exchanges.stage[[row]],
    )
    lists = one.moves()
    stage = next(name for name, number in STAGES.items() if number == one.stage[0])
    actions = tuple(Action(stage, stage, (int(cards[0]),)) for cards in lists.cards)
    return Moment(one, lists, (stage,) * len(actions), actions, _state_of(rules, one, stage, None))


def _state_of(rules: Rules, one: Decisions | Exchanges, stage: str, to_beat: Action | None) -> dict[str, Any]:
    situation, level = one.situation, int(one.hands.level[0])
    counted = situation.unseen.sum() == situation.cards.sum()  # else a state left open what the others hold
    top = int(situation.top[0])
    state = State(
        level=level,
        hand=_in_hand_order(situation.hand[0], level),
        to_beat=to_beat,
        stage=stage,
        top=WHO[top] if top >= 0 else None,
        cards=(int(situation.cards[0, 0]), int(situation.cards[0, 1]), int(situation.cards[0, 2])),
        unseen=_in_hand_order(situation.unseen[0], level) if counted else None,
    )
    fields = state.to_json()
    if isinstance(one, Decisions) and top >= 0 and to_beat is None:  # a table remembers its form, not its cards
        label = rules.labels[int(rules.shapes.form_label[one.to_beat[0]])]
        fields["to_beat"] = [wire_type(label), wire_rank(label), []]
    return fields


def _in_hand_order(hand: NDArray[np.uint8], level: int) -> tuple[int, ...]:
    return tuple(card for card in hand_order(level) for _ in range(hand[card]))


# --- out of states ----------------------------------------------------------------------------------------------------


def of_state(rules: Rules, value: Mapping[str, Any]) -> Moment:
    """The decision of a state in JSON form; raises GameError."""
    state = State.from_json(value)
    if state.profile not in (None, rules.profile):
        raise GameError(f"profile: the rules are loaded for '{rules.profile}' (choose with --profile)")
    level, situation = np.array([state.level], np.int8), _situation_of(state)
    if state.stage != "play":
        stage = np.array([STAGES[state.stage]], np.int8)
        return look(rules, decide_exchange(rules, np.arange(1), level, situation, stage))
    with reading("to_beat"):
        form = LEADING if state.to_beat is None else identify(rules, state.level, state.to_beat)
    decisions = decide(rules, situation.hand, level, np.array([form], np.int16), situation)
    if not decisions.legal.any():
        raise GameError("no move is legal in this state")
    return look(rules, decisions, 0, state.to_beat)


def _situation_of(state: State) -> Situation:
    """What a state tells; the others hold full hands, and the previous seat made the play, where it does not say."""
    laid = state.to_beat.cards if state.to_beat else ()
    unseen = np.uint8(2) - hand_of((*state.hand, *laid)) if state.unseen is None else hand_of(state.unseen)
    top = -1 if state.to_beat is None else WHO.index(state.top or "previous")
    cards = state.cards or (FULL_HAND, FULL_HAND, FULL_HAND)
    return Situation(hand_of(state.hand)[None], unseen[None], np.array([cards], np.uint8), np.array([top], np.int8))


# --- out of records ---------------------------------------------------------------------------------------------------


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
    check_rules(record, rules.profile)
    if record.get("stage", "play") != "play":
        return of_state(rules, _exchange_state(record))
    told = read_told(record, move)
    decisions = tell(rules, [told]).decisions(np.arange(1))
    laid = next((action for _, action in reversed(told.plays) if action != PASSING), None)
    moment = look(rules, decisions, 0, laid if decisions.to_beat[0] >= 0 else None)
    if told.made is None:
        return moment
    found, (row,) = find_moves(rules, decisions, [told.made])
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
    for giver, taker, card in (gift for field in STAGES if field in record for gift in read_field(record, field)):
        hand[card] += (taker == seat) - (giver == seat)
    if hand.min() < 0 or hand.max() > 2:
        raise GameError(f"tribute, back: seat {seat} cannot have given or received these cards")
    return hand.astype(np.uint8)


def _exchange_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record before a tribute or a return as a state."""
    stage, seat = record["stage"], read_field(record, "seat")
    counts = [FULL_HAND] * 4
    for giver, taker, _ in (gift for field in STAGES if field in record for gift in read_field(record, field)):
        counts[giver], counts[taker] = counts[giver] - 1, counts[taker] + 1
    others = [counts[(seat + place) % 4] for place in (1, 2, 3)]
    hand = tuple(cards_of(_own_hand(record, seat)))
    return State(read_field(record, "level"), hand, stage=stage).to_json() | {"cards": others}


def tell(rules: Rules, stories: Sequence[Told]) -> Tables:
    """A table for each, where its decision is to be made; raises GameError where a play is not legal."""
    level = np.array([[told.level] * 2 for told in stories], np.int8)
    n = len(stories)
    ladder = bottom(rules, n)._replace(standing=level, declarer=np.zeros(n, np.int8))
    leader = np.array([told.plays[0][0] if told.plays else told.seat for told in stories], np.int8)
    hands = np.stack([_deal(told) for told in stories])
    tables = Tables.resume(rules, EpisodeStart(hands, ladder, np.full((n, 4), -1, np.int8), leader))
    tables.be_told(np.arange(n), exchange_of([told.gifts for told in stories]))
    for number in range(max(len(told.plays) for told in stories)):
        which = np.array([row for row, told in enumerate(stories) if len(told.plays) > number])
        _play(rules, tables, which, number, [stories[row].plays[number] for row in which])
    for row, told in enumerate(stories):
        _check_turn(tables, row, told.seat, len(told.plays))
    return tables


def _play(
    rules: Rules, tables: Tables, which: NDArray[np.int64], number: int, plays: Sequence[tuple[int, Action]]
) -> None:
    for row, (seat, _) in zip(which, plays, strict=True):
        _check_turn(tables, int(row), seat, number)
    lists, chosen = find_moves(rules, tables.decisions(which), [action for _, action in plays])
    for move, (seat, action) in zip(chosen, plays, strict=True):
        if move < 0:
            raise GameError(f"play {number + 1}: {action} is not legal for seat {seat}")
    rows = np.array(chosen, np.int64)
    tables.play(which, Moves(lists.form[rows], lists.cards[rows]))


def _check_turn(tables: Tables, row: int, seat: int, number: int) -> None:
    if tables.course.stage[row] != PLAY:
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
