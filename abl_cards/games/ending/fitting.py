"""In which games what a hand can lay down is told by its cards and the play to beat, move by move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.view import View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.telling.random_states import random_state
from abl_cards.games.telling.writer import Told
from abl_cards.games.words.once import once

SAMPLE, SEED, MOST_CARDS = 400, 2, 12
"""Random states in which parts of hands must lay down parts of what these can."""

_PLAY = frozenset({"trick", "hand", "fluents"})
_END = frozenset({"fluents", "result", "plays", "lots", "aside", "event"})


def check_fits(rules: Rules) -> None:
    """Raise GameError for games whose ends cannot be solved, with what is in the way."""
    for reason in _fitting(rules):
        raise GameError(f"{rules.folder.name}: open hands cannot be solved here: {reason}")


def fits(rules: Rules) -> bool:
    """Whether the ends of a game can be solved; that takes a moment when it is asked first."""
    return not _fitting(rules)


@once
def _fitting(rules: Rules) -> tuple[str, ...]:
    return tuple(_reasons(rules)) or tuple(_differences(rules))


def _reasons(rules: Rules) -> Iterator[str]:
    """What the rules read and change that a search does not follow."""
    flow, parties = Flow.of(rules), len(set(rules.table.team))
    if parties != 2 and not flow.says_sides:
        yield f"there are {parties} parties, and not two (team/2)"
        return
    if rules.taking is not None:
        yield "seats lay cards into tricks (takes/1)"
        return
    if rules.course is not None:
        yield "whose turn it is depends on what is remembered (turn/1, trick_over/0, over/0)"
    if rules.draws:
        yield "cards are drawn (draws/1)"
    used = dict(zip(rules.play.groups, rules.play.used, strict=True))
    if set(used) - _PLAY or any(used.get("trick", np.zeros(0, np.int64)) > 0):
        more = sorted({*used} - _PLAY) or ["whose play is to beat"]
        yield f"what may be played hangs on more than cards and the play to beat ({', '.join(more)})"
    if flow.ended is not None and set(flow.ended.groups) - _END:
        yield f"points hang on {', '.join(sorted(set(flow.ended.groups) - _END))} (points/3)"
    for event in ("pass", "trick"):
        if event in flow.changes:
            yield f"a {event} changes what is remembered (event({event}))"
    change = flow.changes.get("play")
    if change is None:
        return
    if change.known is None or len(change.passes) + len(change.takes) + len(change.backs):
        yield "plays change more than the form alone decides (event(play))"
    changed = {int(slot) for _, slot, _ in [*change.sets, *change.adds]}
    parts = flow.parts.told if flow.parts else None
    asked = [set(rules.contexts.slots), _slots(rules.play), _slots(parts)]
    if any(changed & slots for slots in asked):
        yield "plays change what may be played, or who plays with whom (event(play))"


def _slots(told: Told | None) -> set[int]:
    """The fluents that a circuit is told."""
    used = {} if told is None else dict(zip(told.groups, told.used, strict=True))
    return set(used["fluents"].tolist()) if "fluents" in used else set()


def _differences(rules: Rules) -> Iterator[str]:
    """Where a part of a hand can lay down something else than what is there of the whole."""
    random = np.random.default_rng(SEED)
    state = random_state(rules, SAMPLE, random)
    everyone, seats = np.arange(SAMPLE), state.seat.copy()
    hands = [_part(state.hands[table, seat], MOST_CARDS, random) for table, seat in zip(everyone, seats, strict=True)]
    for table, hand in zip(everyone, hands, strict=True):
        state.hands[table, seats[table]] = hand
    whole = Decisions(View(rules, state, everyone, seats, at_table=False)).moves()
    parts = [_part(hand, int(random.integers(1, max(2, hand.sum()))), random) for hand in hands]
    for table, hand in zip(everyone, parts, strict=True):
        state.hands[table, seats[table]] = hand
    some = Decisions(View(rules, state, everyone, seats, at_table=False)).moves()
    for row, hand in enumerate(parts):
        theirs = {_cards(whole.form[at], whole.cards[at]) for at in range(whole.start[row], whole.start[row + 1])}
        there = {(form, cards) for form, cards in theirs if (np.bincount(cards, minlength=len(hand)) <= hand).all()}
        mine = {_cards(some.form[at], some.cards[at]) for at in range(some.start[row], some.start[row + 1])}
        if there != mine:
            yield "what may be played hangs on the other cards of a hand (legal/1)"
            return


def _part(hand: np.ndarray, most: int, random: np.random.Generator) -> np.ndarray:
    """So many cards of a hand [kinds]."""
    cards = random.permutation(np.repeat(np.arange(len(hand)), hand))[:most]
    return np.bincount(cards, minlength=len(hand)).astype(np.uint8)


def _cards(form: np.integer, cards: np.ndarray) -> tuple[int, tuple[int, ...]]:
    return int(form), tuple(sorted(cards[cards != NO_CARD].tolist()))
