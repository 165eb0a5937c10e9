"""In which games what a hand can lay down is told by its cards and the play to beat, move by move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abl_cards.core import GameError
from abl_cards.games.binding import CircuitQuery
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.sampling import sample_state
from abl_cards.games.tables import Decisions, EventRules, PlayerView
from abl_cards.games.types import NO_CARD

N_SAMPLES, SEED, MAX_CARDS = 400, 2, 12
"""Random states in which parts of hands must lay down parts of what these can."""

_PLAY_GROUPS = frozenset({"trick", "hand", "fluents"})
_END_GROUPS = frozenset({"fluents", "result", "plays", "lots", "aside", "event"})


def check_applicable(rules: CompiledGame) -> None:
    """Raise GameError for games whose ends cannot be solved, with what is in the way."""
    for reason in _obstacles(rules):
        raise GameError(f"{rules.folder.name}: open hands cannot be solved here: {reason}")


def is_applicable(rules: CompiledGame) -> bool:
    """Whether the ends of a game can be solved; that takes a moment when it is asked first."""
    return not _obstacles(rules)


@cache_per_game
def _obstacles(rules: CompiledGame) -> tuple[str, ...]:
    return tuple(_static_obstacles(rules)) or tuple(_sampled_obstacles(rules))


def _static_obstacles(rules: CompiledGame) -> Iterator[str]:
    """What the rules read and change that a search does not follow."""
    flow, parties = EventRules.from_rules(rules), len(set(rules.seating.teams))
    if parties != 2 and not flow.defines_sides:
        yield f"there are {parties} parties, and not two (team/2)"
        return
    if rules.trick_query is not None:
        yield "seats lay cards into tricks (takes/1)"
        return
    if rules.turn_query is not None:
        yield "whose turn it is depends on what is remembered (turn/1, trick_over/0, over/0)"
    if rules.has_draws:
        yield "cards are drawn (draws/1)"
    used = dict(zip(rules.play_query.groups, rules.play_query.used_columns, strict=True))
    if set(used) - _PLAY_GROUPS or any(used.get("trick", np.zeros(0, np.int64)) > 0):
        more = sorted({*used} - _PLAY_GROUPS) or ["whose play is to beat"]
        yield f"what may be played hangs on more than cards and the play to beat ({', '.join(more)})"
    if flow.end_query is not None and set(flow.end_query.groups) - _END_GROUPS:
        yield f"points hang on {', '.join(sorted(set(flow.end_query.groups) - _END_GROUPS))} (points/3)"
    for event in ("pass", "trick"):
        if event in flow.updates:
            yield f"a {event} changes what is remembered (event({event}))"
    change = flow.updates.get("play")
    if change is None:
        return
    if change.known_outputs is None or len(change.transfers) + len(change.kitty_takes) + len(change.retractions):
        yield "plays change more than the form alone decides (event(play))"
    changed = {int(slot) for _, slot, _ in [*change.sets, *change.adds]}
    parts = flow.role_query.query if flow.role_query else None
    asked = [set(rules.contexts.slots), _fluent_slots(rules.play_query), _fluent_slots(parts)]
    if any(changed & slots for slots in asked):
        yield "plays change what may be played, or who plays with whom (event(play))"


def _fluent_slots(told: CircuitQuery | None) -> set[int]:
    """The fluents that a circuit is told."""
    used = {} if told is None else dict(zip(told.groups, told.used_columns, strict=True))
    return set(used["fluents"].tolist()) if "fluents" in used else set()


def _sampled_obstacles(rules: CompiledGame) -> Iterator[str]:
    """Where a part of a hand can lay down something else than what is there of the whole."""
    random = np.random.default_rng(SEED)
    state = sample_state(rules, N_SAMPLES, random)
    everyone, seats = np.arange(N_SAMPLES), state.seat.copy()
    hands = [
        _random_subset(state.hands[table, seat], MAX_CARDS, random) for table, seat in zip(everyone, seats, strict=True)
    ]
    for table, hand in zip(everyone, hands, strict=True):
        state.hands[table, seats[table]] = hand
    whole = Decisions(PlayerView(rules, state, everyone, seats, has_hand_sizes=False)).moves()
    parts = [_random_subset(hand, int(random.integers(1, max(2, hand.sum()))), random) for hand in hands]
    for table, hand in zip(everyone, parts, strict=True):
        state.hands[table, seats[table]] = hand
    some = Decisions(PlayerView(rules, state, everyone, seats, has_hand_sizes=False)).moves()
    for row, hand in enumerate(parts):
        theirs = {_move_key(whole.form[at], whole.cards[at]) for at in range(whole.start[row], whole.start[row + 1])}
        there = {(form, cards) for form, cards in theirs if (np.bincount(cards, minlength=len(hand)) <= hand).all()}
        mine = {_move_key(some.form[at], some.cards[at]) for at in range(some.start[row], some.start[row + 1])}
        if there != mine:
            yield "what may be played hangs on the other cards of a hand (legal/1)"
            return


def _random_subset(hand: np.ndarray, most: int, random: np.random.Generator) -> np.ndarray:
    """So many cards of a hand [kinds]."""
    cards = random.permutation(np.repeat(np.arange(len(hand)), hand))[:most]
    return np.bincount(cards, minlength=len(hand)).astype(np.uint8)


def _move_key(form: np.integer, cards: np.ndarray) -> tuple[int, tuple[int, ...]]:
    return int(form), tuple(sorted(cards[cards != NO_CARD].tolist()))
