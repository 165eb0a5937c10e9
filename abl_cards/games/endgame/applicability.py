"""Check whether the solver of endgames applies to a game.

It needs two parties, and moves whose legality depends only on their cards and the play to beat.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.binding import CircuitQuery
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.sampling import sample_state
from abl_cards.games.tables import Decisions, EventRules, PlayerView
from abl_cards.games.types import NO_CARD

N_SAMPLES, SEED, MAX_CARDS = 400, 2, 12
"""Random states for the test that the moves of a subset of a hand are a subset of its moves; cards of a hand."""

_PLAY_GROUPS = frozenset({"trick", "hand", "fluents"})
_END_GROUPS = frozenset({"fluents", "result", "plays", "lots", "aside", "event"})


def check_applicable(rules: CompiledGame) -> None:
    """Check that endgames of a game can be solved.

    Args:
        rules: Compiled rules.

    Raises:
        GameError: If they cannot, with the reason.
    """
    for reason in _obstacles(rules):
        raise GameError(f"{rules.folder.name}: open hands cannot be solved here: {reason}", ErrorCode.UNSUPPORTED_GAME)


def is_applicable(rules: CompiledGame) -> bool:
    """Return True if endgames of a game can be solved.

    Args:
        rules: Compiled rules.

    Returns:
        Result of a test on the rules and on random states, computed once for each game.
    """
    return not _obstacles(rules)


@cache_per_game
def _obstacles(rules: CompiledGame) -> tuple[str, ...]:
    """Return reasons why endgames cannot be solved; random states are tested only if the rules show none."""
    return tuple(_party_obstacles(rules)) or tuple(play_obstacles(rules)) or subset_obstacles(rules)


def _party_obstacles(rules: CompiledGame) -> Iterator[str]:
    """Yield a reason if there are not two parties."""
    parties = len(set(rules.seating.teams))
    if parties != 2 and not EventRules.from_rules(rules).defines_sides:
        yield f"there are {parties} parties, and not two (member/2)"


def play_obstacles(rules: CompiledGame) -> Iterator[str]:
    """Yield the inputs and updates of the rules that a play of packed hands does not model.

    Args:
        rules: Compiled rules.

    Yields:
        The reasons.
    """
    event_rules = EventRules.from_rules(rules)
    if rules.trick_query is not None:
        yield "the game is played in tricks (takes/1)"
        return
    if rules.turn_query is not None:
        yield "the next seat depends on fluents (turn/1, trick_over/0, over/0)"
    if rules.has_draws:
        yield "cards are drawn, or choices follow tricks (draws/1, draw_pile/0)"
    used_columns = dict(zip(rules.play_query.groups, rules.play_query.used_columns, strict=True))
    if set(used_columns) - _PLAY_GROUPS or any(used_columns.get("trick", np.zeros(0, np.int64)) > 0):
        reasons = sorted({*used_columns} - _PLAY_GROUPS) or ["owner of the play to beat"]
        yield f"legal moves depend on more than cards and the play to beat ({', '.join(reasons)})"
    if event_rules.end_query is not None and set(event_rules.end_query.groups) - _END_GROUPS:
        yield f"points depend on {', '.join(sorted(set(event_rules.end_query.groups) - _END_GROUPS))} (points/3)"
    for event in ("pass", "trick"):
        if event in event_rules.updates:
            yield f"a {event} changes fluents (event({event}))"
    update = event_rules.updates.get("play")
    if update is None:
        return
    if update.known_outputs is None or len(update.transfers) + len(update.kitty_takes) + len(update.retractions):
        yield "updates after a play depend on more than its form (event(play))"
    changed = {int(slot) for _, slot, _ in [*update.sets, *update.adds]}
    role_query = event_rules.role_query.query if event_rules.role_query else None
    slot_sets = [set(rules.contexts.slots), read_fluent_slots(rules.play_query), read_fluent_slots(role_query)]
    if any(changed & slots for slots in slot_sets):
        yield "plays change legal moves or sides (event(play))"


def read_fluent_slots(query: CircuitQuery | None) -> set[int]:
    """Return the fluent slots that a query reads.

    Args:
        query: A query of the rules; None for none.
    """
    used_columns = {} if query is None else dict(zip(query.groups, query.used_columns, strict=True))
    return set(used_columns["fluents"].tolist()) if "fluents" in used_columns else set()


@cache_per_game
def subset_obstacles(rules: CompiledGame) -> tuple[str, ...]:
    """Return a reason if, in a random state, the moves of a subset of a hand are not those its cards allow.

    Args:
        rules: Compiled rules.

    Returns:
        The reason, if any; computed once for each game.
    """
    random = np.random.default_rng(SEED)
    state = sample_state(rules, N_SAMPLES, random)
    all_rows, seats = np.arange(N_SAMPLES), state.seat.copy()
    hands = [
        _random_subset(state.hands[table, seat], MAX_CARDS, random) for table, seat in zip(all_rows, seats, strict=True)
    ]
    for table, hand in zip(all_rows, hands, strict=True):
        state.hands[table, seats[table]] = hand
    full_moves = Decisions(PlayerView(rules, state, all_rows, seats, has_hand_sizes=False)).moves()
    parts = [_random_subset(hand, int(random.integers(1, max(2, hand.sum()))), random) for hand in hands]
    for table, hand in zip(all_rows, parts, strict=True):
        state.hands[table, seats[table]] = hand
    part_moves = Decisions(PlayerView(rules, state, all_rows, seats, has_hand_sizes=False)).moves()
    for row, hand in enumerate(parts):
        full_keys = {
            _move_key(full_moves.form[move], full_moves.cards[move])
            for move in range(full_moves.start[row], full_moves.start[row + 1])
        }
        expected = {
            (form, cards) for form, cards in full_keys if (np.bincount(cards, minlength=len(hand)) <= hand).all()
        }
        actual = {
            _move_key(part_moves.form[move], part_moves.cards[move])
            for move in range(part_moves.start[row], part_moves.start[row + 1])
        }
        if expected != actual:
            return ("legal moves depend on the other cards of a hand (legal/1)",)
    return ()


def _random_subset(hand: np.ndarray, most: int, random: np.random.Generator) -> np.ndarray:
    """Return at most ``most`` random cards of a hand [kinds]."""
    cards = random.permutation(np.repeat(np.arange(len(hand)), hand))[:most]
    return np.bincount(cards, minlength=len(hand)).astype(np.uint8)


def _move_key(form: np.integer, cards: np.ndarray) -> tuple[int, tuple[int, ...]]:
    """Return form and sorted cards of a move."""
    return int(form), tuple(sorted(cards[cards != NO_CARD].tolist()))
