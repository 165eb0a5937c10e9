"""A second, naive implementation of the Guandan moves, from rules/guandan.md alone, to test the engine.

It shares no code with the engine: cards are wire texts ('S2', 'HT', 'SB', 'HR'), actions are wire lists
``[type, rank, cards]``. There are two independent implementations:

* `readings` returns the plays that some cards may be read as, by trying every substitution of the wild cards;
  `moves_by_subsets` and `legal_labels_by_subsets` apply it to every subset of a hand.
* `moves` builds the ordered action list as §2.1 of the rules describes it.

>>> sorted(readings(["S6", "H8", "S7", "S9", "ST"], "8"))
[('Straight', '6'), ('StraightFlush', '6')]
>>> moves(["S6", "H8"], "8", ["Single", "A", ["SA"]])
[['PASS', 'PASS', 'PASS'], ['Single', '8', ['H8']]]
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

Action = list[Any]  # [type, rank, cards], as on the wire
Reading = tuple[str, str]  # wire type, wire rank

RANKS = "23456789TJQKA"  # what a wild card may stand for
RUN_RANKS = "A23456789TJQKA"  # the ace is low and high; a run is a slice of this
SUITS = "SHCD"
JOKERS = "BR"
ANY_CARD = [suit + rank for rank in RANKS for suit in SUITS]
JOKER_BOMB = ["SB", "SB", "HR", "HR"]
PASS: Action = ["PASS", "PASS", "PASS"]

RUN_SHAPES = {"Straight": (5, 1), "StraightFlush": (5, 1), "ThreePair": (3, 2), "TwoTrips": (2, 3)}  # groups × size
LEADING = ["Single", "Pair", "Trips", "ThreePair", "ThreeWithTwo", "TwoTrips", "Straight", "Bomb", "StraightFlush"]


# --- Ranks and strength ---------------------------------------------------------------------------------------------


def ranks_ascending(level: str) -> str:
    """All ranks, weakest first, when `level` is played."""
    return RANKS.replace(level, "") + level + JOKERS


def in_hand_order(cards: Sequence[str], level: str) -> list[str]:
    """The cards as `handCards` shows them."""
    order = ranks_ascending(level)
    return sorted(cards, key=lambda card: (order.index(card[1]), SUITS.index(card[0])))


def run(start: str, groups: int) -> str:
    """Return the ranks of a run of a number of groups; a start of 'A' is the low ace."""
    first = RUN_RANKS.index(start)
    return RUN_RANKS[first : first + groups]


def run_starts(kind: str) -> str:
    """The lowest ranks a run of this type may have, lowest first."""
    groups, _ = RUN_SHAPES[kind]
    return RUN_RANKS[: len(RUN_RANKS) - groups + 1]


def bomb_power(action: Action) -> float:
    """The place of the action in bomb4 < bomb5 < straight flush < bomb6 < … < bomb10 < four jokers; 0 for no bomb."""
    kind, rank, cards = action
    if kind == "StraightFlush":
        return 5.5
    if kind == "Bomb":
        return 11 if rank == "JOKER" else len(cards)
    return 0


def rank_power(action: Action, level: str) -> int:
    """Return the strength of an action among those of its type and size."""
    kind, rank, _ = action
    if rank == "JOKER":
        return 0
    return RUN_RANKS.index(rank) if kind in RUN_SHAPES else ranks_ascending(level).index(rank)


def beats(action: Action, other: Action, level: str) -> bool:
    """Return True if `action` beats `other`."""
    if "PASS" in (action[0], other[0]):
        raise ValueError("a pass neither beats nor is beaten")
    if bomb_power(action) != bomb_power(other):
        return bomb_power(action) > bomb_power(other)
    return action[0] == other[0] and rank_power(action, level) > rank_power(other, level)


# --- First path: what may these cards be read as? -------------------------------------------------------------------


def all_shapes() -> Iterator[tuple[str, Reading]]:
    """Every (ranks of the cards, reading) when no card is wild."""
    for rank in RANKS + JOKERS:
        yield rank, ("Single", rank)
        yield rank * 2, ("Pair", rank)
    for rank in RANKS:
        yield rank * 3, ("Trips", rank)
        yield from ((rank * size, ("Bomb", rank)) for size in range(4, 11))
    for triple, pair in product(RANKS, RANKS + JOKERS):
        if triple != pair:
            yield triple * 3 + pair * 2, ("ThreeWithTwo", triple)
    for kind, (groups, size) in RUN_SHAPES.items():
        for start in run_starts(kind):
            yield run(start, groups) * size, (kind, start)
    yield "BBRR", ("Bomb", "JOKER")


SHAPES: dict[str, list[Reading]] = {}  # the sorted ranks of some cards -> what they are
for _ranks, _reading in all_shapes():
    SHAPES.setdefault("".join(sorted(_ranks)), []).append(_reading)


def readings(cards: Sequence[str], level: str) -> set[Reading]:
    """Every (type, rank) that exactly these cards may be played as."""
    wild = "H" + level
    naturals = [card for card in cards if card != wild]
    results: set[Reading] = set()
    for stand_ins in combinations_with_replacement(ANY_CARD, len(cards) - len(naturals)):
        shape = "".join(sorted(card[1] for card in (*naturals, *stand_ins)))
        for reading in SHAPES.get(shape, ()):
            if allowed(reading, cards, naturals, stand_ins, level):
                results.add(reading)
    return results


def allowed(
    reading: Reading, cards: Sequence[str], naturals: Sequence[str], stand_ins: Sequence[str], level: str
) -> bool:
    """Check the rules beyond ranks: suits of five in a row, and wild cards on their own."""
    kind, rank = reading
    if kind == "Straight":
        return len({card[0] for card in cards}) > 1
    if kind == "StraightFlush":
        return len({card[0] for card in (*naturals, *stand_ins)}) == 1
    if kind == "Single" and stand_ins:
        return rank == level
    if kind in ("Pair", "ThreeWithTwo") and is_whole_pair(stand_ins, reading):
        return stand_ins[0][1] == level
    return True


def is_whole_pair(stand_ins: Sequence[str], reading: Reading) -> bool:
    """Return True if two wild cards are the pair of a Pair or a ThreeWithTwo."""
    if len(stand_ins) < 2 or stand_ins[0][1] != stand_ins[1][1]:
        return False
    return reading[0] == "Pair" or stand_ins[0][1] != reading[1]


def handfuls(hand: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield every different multiset of 1 to 10 cards of the hand."""
    copies = [[(card,) * count for count in range(hand.count(card) + 1)] for card in sorted(set(hand))]
    for choice in product(*copies):
        chosen = tuple(chain(*choice))
        if 1 <= len(chosen) <= 10:
            yield chosen


def actions_by_subsets(hand: Sequence[str], level: str, to_beat: Action | None) -> Iterator[Action]:
    """Every action but the pass, in no useful order."""
    for cards in handfuls(hand):
        for kind, rank in readings(cards, level):
            if to_beat is None or beats([kind, rank, cards], to_beat, level):
                yield [kind, rank, list(cards)]


def unordered(action: Action) -> tuple[str, str, tuple[str, ...]]:
    """An action that compares equal whatever the order of its cards; a pass has none."""
    kind, rank, cards = action
    return kind, rank, () if kind == "PASS" else tuple(sorted(cards))


def moves_by_subsets(hand: Sequence[str], level: str, to_beat: Action | None) -> set[tuple[str, str, tuple[str, ...]]]:
    """The legal actions as `unordered` shows them."""
    passes = [] if to_beat is None else [PASS]
    return {unordered(action) for action in [*passes, *actions_by_subsets(hand, level, to_beat)]}


def legal_labels_by_subsets(hand: Sequence[str], level: str, to_beat: Action | None) -> set[str]:
    """The labels of the legal actions."""
    passes = [] if to_beat is None else [PASS]
    return {label_of(action) for action in [*passes, *actions_by_subsets(hand, level, to_beat)]}


# --- Second path: the ordered action list of §2.1 -------------------------------------------------------------------


def moves(hand: Sequence[str], level: str, to_beat: Action | None) -> list[Action]:
    """The legal actions, in the wire order of actions and of the cards inside each."""
    if to_beat is None:
        return [action for kind in LEADING for action in LISTS[kind](hand, level)]
    kinds = ["Bomb", "StraightFlush"]
    if to_beat[0] not in kinds:
        kinds = [to_beat[0], *kinds]
    return [PASS] + [action for kind in kinds for action in LISTS[kind](hand, level) if beats(action, to_beat, level)]


def naturals_of(hand: Sequence[str], rank: str, level: str) -> list[str]:
    """The cards of a rank in hand order; the level's own include its wild cards."""
    return [card for card in in_hand_order(hand, level) if card[1] == rank]


def candidates(hand: Sequence[str], rank: str, level: str) -> list[str]:
    """The cards that may serve as `rank` in a group: its own, then the wild cards as substitutes."""
    if rank == level or rank in JOKERS:
        return naturals_of(hand, rank, level)
    return naturals_of(hand, rank, level) + wild_cards(hand, level)


def wild_cards(hand: Sequence[str], level: str) -> list[str]:
    """The wild cards of the hand."""
    return [card for card in hand if card == "H" + level]


def groups_of(hand: Sequence[str], rank: str, size: int, level: str) -> list[list[str]]:
    """The groups of one rank: all positions but the last run upwards, the last downwards; each group once.

    >>> groups_of(["SQ", "SQ", "CQ", "H2"], "Q", 2, "2")
    [['SQ', 'H2'], ['SQ', 'CQ'], ['SQ', 'SQ'], ['CQ', 'H2']]
    """
    cards = candidates(hand, rank, level)
    groups: dict[tuple[str, ...], None] = {}
    for head in combinations(range(len(cards)), size - 1):
        for last in range(len(cards) - 1, head[-1], -1):
            groups[tuple(cards[place] for place in (*head, last))] = None
    return [list(group) for group in groups]


def sets_of(hand: Sequence[str], rank: str, size: int, level: str) -> list[list[str]]:
    """`groups_of` a rank that hold a natural card of it: two wild cards alone are the level pair only."""
    return [group for group in groups_of(hand, rank, size, level) if any(card[1] == rank for card in group)]


def enough_cards(hand: Sequence[str], cards: Sequence[str]) -> bool:
    """Return True if the hand contains these cards, counted with multiplicity."""
    return all(cards.count(card) <= hand.count(card) for card in cards)


def list_singles(hand: Sequence[str], level: str) -> list[Action]:
    """Every different card, in hand order."""
    return [["Single", card[1], [card]] for card in dict.fromkeys(in_hand_order(hand, level))]


def list_pairs(hand: Sequence[str], level: str) -> list[Action]:
    """By level-adjusted rank, jokers included."""
    return [["Pair", rank, pair] for rank in ranks_ascending(level) for pair in sets_of(hand, rank, 2, level)]


def list_trips(hand: Sequence[str], level: str) -> list[Action]:
    """By level-adjusted rank, without jokers."""
    return [["Trips", rank, trips] for rank in ranks_ascending(level)[:13] for trips in sets_of(hand, rank, 3, level)]


def list_full_houses(hand: Sequence[str], level: str) -> list[Action]:
    """Triples outer, pairs inner, of another rank."""
    return [
        ["ThreeWithTwo", triple_rank, triple + pair]
        for (_, triple_rank, triple), (_, pair_rank, pair) in product(list_trips(hand, level), list_pairs(hand, level))
        if triple_rank != pair_rank and enough_cards(hand, triple + pair)
    ]


def list_runs_of_groups(kind: str, hand: Sequence[str], level: str) -> list[Action]:
    """ThreePair or TwoTrips: the product of the groups of each rank; here two wild cards may be a whole pair."""
    groups, size = RUN_SHAPES[kind]
    actions = []
    for start in run_starts(kind):
        for choice in product(*(groups_of(hand, rank, size, level) for rank in run(start, groups))):
            cards = list(chain(*choice))
            if enough_cards(hand, cards):
                actions.append([kind, start, cards])
    return actions


def list_fives(kind: str, hand: Sequence[str], level: str) -> list[Action]:
    """Straight or StraightFlush: the plain product of the candidates of each rank, the low rank slowest."""
    suits_allowed = is_straight_flush if kind == "StraightFlush" else is_mixed
    actions = []
    for start in run_starts(kind):
        for cards in product(*(dict.fromkeys(candidates(hand, rank, level)) for rank in run(start, 5))):
            if suits_allowed(cards, level) and enough_cards(hand, cards):
                actions.append([kind, start, list(cards)])
    return actions


def is_mixed(cards: Sequence[str], level: str) -> bool:
    """Return True if the physical cards have two suits."""
    return len({card[0] for card in cards}) > 1


def is_straight_flush(cards: Sequence[str], level: str) -> bool:
    """Return True if the cards that are not wild share a suit."""
    return len({card[0] for card in cards if card != "H" + level}) == 1


def list_bombs(hand: Sequence[str], level: str) -> list[Action]:
    """By size, then level-adjusted rank; the four jokers last."""
    bombs: list[Action] = [
        ["Bomb", rank, cards]
        for size in range(4, 11)
        for rank in ranks_ascending(level)[:13]
        for cards in sets_of(hand, rank, size, level)
    ]
    return bombs + ([["Bomb", "JOKER", JOKER_BOMB]] if enough_cards(hand, JOKER_BOMB) else [])


LISTS: dict[str, Callable[[Sequence[str], str], list[Action]]] = {
    "Single": list_singles,
    "Pair": list_pairs,
    "Trips": list_trips,
    "ThreePair": lambda hand, level: list_runs_of_groups("ThreePair", hand, level),
    "ThreeWithTwo": list_full_houses,
    "TwoTrips": lambda hand, level: list_runs_of_groups("TwoTrips", hand, level),
    "Straight": lambda hand, level: list_fives("Straight", hand, level),
    "Bomb": list_bombs,
    "StraightFlush": lambda hand, level: list_fives("StraightFlush", hand, level),
}


# --- Labels ---------------------------------------------------------------------------------------------------------

LABEL_NAMES = {
    "Single": "single",
    "Pair": "pair",
    "Trips": "triple",
    "TwoTrips": "plate",
    "ThreePair": "tube",
    "ThreeWithTwo": "full_house",
    "Straight": "straight",
    "StraightFlush": "straight_flush",
}


def rank_number(kind: str, rank: str) -> int:
    """2..10, J 11, Q 12, K 13, A 14, small joker 15, big joker 16; the low ace of a run is 1."""
    return RUN_RANKS.index(rank) + 1 if kind in RUN_SHAPES else (RANKS + JOKERS).index(rank) + 2


def label_of(action: Action) -> str:
    """The label among the 168 that the action belongs to."""
    kind, rank, cards = action
    if kind == "PASS":
        return "pass"
    if rank == "JOKER":
        return "joker_bomb"
    if kind == "Bomb":
        return f"bomb({rank_number(kind, rank)},{min(len(cards), 8)})"
    return f"{LABEL_NAMES[kind]}({rank_number(kind, rank)})"


def all_labels() -> Iterator[str]:
    """The 168 labels in the order of rules §8."""
    yield from (f"{name}({number})" for name in ("single", "pair") for number in range(2, 17))
    yield from (f"triple({number})" for number in range(2, 15))
    yield from (f"plate({number})" for number in range(1, 14))
    yield from (f"tube({number})" for number in range(1, 13))
    yield from (f"full_house({number})" for number in range(2, 15))
    yield from (f"straight({number})" for number in range(1, 11))
    yield from (f"bomb({number},{size})" for number in range(2, 15) for size in range(4, 9))
    yield from (f"straight_flush({number})" for number in range(1, 11))
    yield from ("joker_bomb", "pass")


LABELS = tuple(all_labels())


# --- Tribute and return ---------------------------------------------------------------------------------------------


def tribute_cards(hand: Sequence[str], level: str) -> list[str]:
    """The different cards of the highest level-adjusted rank, wild cards left out, in hand order."""
    cards = [card for card in in_hand_order(hand, level) if card != "H" + level]
    return list(dict.fromkeys(card for card in cards if card[1] == cards[-1][1]))


def return_cards(hand: Sequence[str], level: str) -> list[str]:
    """The different cards of natural rank 2..10 but the level's; without one, the lowest neither wild nor joker."""
    cards = [card for card in in_hand_order(hand, level) if card != "H" + level and card[1] not in JOKERS]
    small = [card for card in cards if card[1] in "23456789T" and card[1] != level]
    return list(dict.fromkeys(small)) or cards[:1]
