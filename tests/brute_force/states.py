"""Random Guandan states that cover every type of play: hands of few ranks or suits, with wild cards."""

from random import Random
from typing import NamedTuple

from tests.brute_force.guandan import LEADING, RANKS, RUN_RANKS, SUITS, Action, in_hand_order, moves

DECK = 2 * [suit + rank for suit in SUITS for rank in RANKS] + 2 * ["SB", "HR"]


class State(NamedTuple):
    """Decision of a seat: level, hand and action to beat."""

    hand: list[str]
    level: str
    to_beat: Action | None


def random_hand(rng: Random, size: int, level: str, wilds: int) -> list[str]:
    """A hand in hand order with exactly `wilds` wild cards, often crowded into few ranks or one or two suits."""
    first, width = rng.randrange(len(RUN_RANKS)), rng.choice([2, 3, 5, 6, 13])
    ranks = {RUN_RANKS[(first + step) % 13] for step in range(width)} | set(rng.choice(["", "", "BR"]))
    suits = rng.choice(["SHCD", "SHCD", rng.choice(["SH", "S", "H", "CD", "D"])])
    wild = "H" + level
    others = rng.sample([card for card in DECK if card != wild], 106)
    liked = [card for card in others if card[1] in ranks and (card[0] in suits or card[1] in "BR")]
    disliked = [card for card in others if card not in liked]
    return in_hand_order([wild] * wilds + (liked + disliked)[: size - wilds], level)


def random_to_beat(rng: Random, level: str, kind: str) -> Action:
    """Return an action of a type, from another random hand."""
    while True:
        hand = random_hand(rng, rng.randint(5, 14), level, rng.choice([0, 0, 1, 2]))
        actions = [action for action in moves(hand, level, None) if action[0] == kind]
        if actions:
            return rng.choice(actions)


def random_state(rng: Random, size: int, kind: str | None = None) -> State:
    """Return a state with a hand of a given size, leading if `kind` is None, else following that type."""
    level = rng.choice(RANKS)
    hand = random_hand(rng, size, level, min(size, rng.choice([0, 1, 2])))
    return State(hand, level, None if kind is None else random_to_beat(rng, level, kind))


def mixed_states(seed: int, count: int, smallest: int, largest: int) -> list[State]:
    """States of random sizes that lead or follow each type in turn."""
    rng = Random(seed)
    kinds = [None, *LEADING]
    return [random_state(rng, rng.randint(smallest, largest), kinds[place % len(kinds)]) for place in range(count)]
