"""Naive Daifugo by the rules of the contest UECda, from the text of its rules.

Cards are two letters, suit and rank, and ``JO`` for the joker. Every subset of a hand is tried: which plays is it, and
do they beat what lies there? A play with the joker may be read in several ways, and the seat says which it means.

Where customs differ: the joker in the place of an eight ends the trick too; the three of spades ends the trick upon a
joker; a run must begin above the end of the one that it beats; a lock counts suits, not ranks; of equal ranks spades
are the best and clubs the worst, where the best cards are given away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import NamedTuple

RANKS, SUITS, JOKER = "3456789TJQKA2", "CDHS", "JO"
PACK = (*(suit + rank for rank in RANKS for suit in SUITS), JOKER)
SEATS, DEALS = 5, 5
EIGHT = RANKS.index("8")


class Reading(NamedTuple):
    """A play as it is meant: its ranks, lowest first (-1 below the three, 13 above the two), and its suits."""

    ranks: tuple[int, ...]
    suits: str
    number: int  # of cards
    is_run: bool = False

    @property
    def is_joker(self) -> bool:
        """The joker alone."""
        return not self.ranks


THE_JOKER = Reading((), "", 1)


def readings(cards: Iterable[str]) -> list[Reading]:
    """Return all plays that some cards may be meant as.

    >>> [reading.ranks for reading in readings(["SK", "SA", "S2", "JO"])]
    [(9, 10, 11, 12), (10, 11, 12, 13)]
    >>> [reading.suits for reading in readings(["H5", "JO"])], readings(["H5", "S6"])
    (['CH', 'DH', 'HS'], [])
    """
    cards = set(cards)
    joker, real = JOKER in cards, sorted(cards - {JOKER}, key=lambda card: RANKS.index(card[1]))
    if not real:
        return [THE_JOKER] if joker else []
    ranks, suits = [RANKS.index(card[1]) for card in real], {card[0] for card in real}
    found: list[Reading] = []
    if len(set(ranks)) == 1:
        choices = [set(suits)] if not joker or len(suits) == 4 else [suits | {suit} for suit in set(SUITS) - suits]
        found += [Reading((ranks[0],), "".join(sorted(choice)), len(cards)) for choice in choices]
    elif len(suits) == 1 and len(cards) >= 3:
        for extra in range(-1, 14) if joker else [None]:
            whole = sorted([*ranks, *([] if extra is None else [extra])])
            if whole == list(range(whole[0], whole[0] + len(whole))):
                found.append(Reading(tuple(whole), suits.copy().pop(), len(whole), True))
    return sorted(found)


def beats(new: Reading, old: Reading | None, revolution: bool, locked: bool) -> bool:
    """Return whether a play may follow another, or lead if there is none.

    >>> three, (four,) = Reading((0,), "S", 1), readings(["H4"])
    >>> beats(four, three, False, False), beats(four, three, True, False), beats(four, three, False, True)
    (True, False, False)
    >>> beats(THE_JOKER, four, True, True), beats(three, THE_JOKER, False, True), beats(four, THE_JOKER, False, False)
    (True, True, False)
    """
    if old is None:
        return True
    if old.is_joker:
        return new == Reading((0,), "S", 1)
    if new.is_joker:
        return old.number == 1
    if (new.number, new.is_run) != (old.number, old.is_run) or (locked and new.suits != old.suits):
        return False
    return new.ranks[-1] < old.ranks[0] if revolution else new.ranks[0] > old.ranks[-1]


def turns_round(play: Reading) -> bool:
    """Return whether a play turns the order of the ranks round."""
    return play.number >= (5 if play.is_run else 4)


Play = tuple[Reading, frozenset[str]]


def plays(hand: Sequence[str], old: Reading | None = None, revolution: bool = False, locked: bool = False) -> set[Play]:
    """Return all legal plays of a hand but the pass."""
    sizes = range(1, len(hand) + 1) if old is None else [old.number]
    return {
        (reading, frozenset(chosen))
        for size in sizes
        for chosen in combinations(hand, size)
        for reading in readings(chosen)
        if beats(reading, old, revolution, locked)
    }


@dataclass
class Match:
    """A match of five deals; hands are given from outside, as is every choice."""

    points: list[int] = field(default_factory=lambda: [0] * SEATS)
    places: list[int] = field(default_factory=list)  # seats of the deal before, the first one first
    deals: int = 0
    hands: list[set[str]] = field(default_factory=list)
    owed: list[tuple[int, int]] = field(default_factory=list)  # cards still to be given back: from, to
    turn: int = 0

    def deal(self, hands: Sequence[Iterable[str]]) -> None:
        """Begin a deal; the worst seats give their best cards away."""
        self.hands, self.owed = [set(hand) for hand in hands], []
        if self.places:
            first, second, _, fourth, last = self.places
            for giver, taker, number in ((last, first, 2), (fourth, second, 1)):
                best = sorted(self.hands[giver], key=PACK.index)[-number:]
                self.hands[giver] -= set(best)
                self.hands[taker] |= set(best)
                self.owed += [(taker, giver)] * number
        self.gone: list[int] = []
        self.revolution = False
        self.clear()
        self.begin()

    def clear(self) -> None:
        """End the trick."""
        self.old: Reading | None = None
        self.owner, self.passed, self.locked = -1, set[int](), False

    def begin(self) -> None:
        """Let somebody give, or the holder of the three of diamonds lead."""
        holder = next(seat for seat, hand in enumerate(self.hands) if "D3" in hand)
        self.turn = self.owed[0][0] if self.owed else holder

    def give(self, card: str) -> None:
        """Give a card back."""
        giver, taker = self.owed.pop(0)
        self.hands[giver].remove(card)
        self.hands[taker].add(card)
        self.begin()

    def options(self) -> set[Play]:
        """Return the legal plays of the seat to act."""
        return plays(sorted(self.hands[self.turn]), self.old, self.revolution, self.locked)

    def act(self, play: Play | None) -> bool:
        """Play, or pass with None; return whether the deal is over."""
        seat, cut = self.turn, False
        if play is None:
            self.passed.add(seat)
        else:
            reading, cards = play
            cut = EIGHT in reading.ranks or (self.old is not None and self.old.is_joker)
            self.locked |= self.old is not None and bool(self.old.suits) and self.old.suits == reading.suits
            self.revolution ^= turns_round(reading)
            self.old, self.owner = reading, seat
            self.hands[seat] -= cards
            if not self.hands[seat]:
                self.gone.append(seat)
        if len(self.gone) == SEATS - 1:
            self.places = [*self.gone, *(other for other in range(SEATS) if other not in self.gone)]
            for place, finisher in enumerate(self.places):
                self.points[finisher] += SEATS - place
            self.deals += 1
            return True
        waiting = [other for other in self._after(seat) if other not in self.passed and other != self.owner]
        if cut or not waiting:
            self.turn = self.owner if self.hands[self.owner] else self._after(self.owner)[0]
            self.clear()
        else:
            self.turn = waiting[0]
        return False

    def _after(self, seat: int) -> list[int]:
        """Return the other seats that hold cards, in order."""
        others = [(seat + step) % SEATS for step in range(1, SEATS)]
        return [other for other in others if self.hands[other]]


def random_hand(rng: Random, size: int) -> list[str]:
    """Return a hand of mostly few ranks or one suit, half of them with the joker."""
    first, width, suit = rng.randrange(13), rng.choice([2, 3, 5, 13]), rng.choice(["C", "D", "H", "S", "", ""])
    liked = {RANKS[(first + step) % 13] for step in range(width)}

    def key(card: str) -> float:
        return rng.random() + (card[1] in liked) + (card[0] == suit)

    hand = sorted(set(PACK) - {JOKER}, key=key)[-size:]
    return [*hand[1:], JOKER] if rng.random() < 0.5 else hand
