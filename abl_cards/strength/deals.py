"""Whole deals: the pack of the knowledge base shuffled, two cards exchanged, checked by ``flawed``, read and written.

A deal is given by three keys, the cards of the landlord, of the peasant after him and of the one before him, and by the
key of the bottom cards, which the landlord's include. As JSON it is an object of texts: ``landlord``, ``down``, ``up``,
``bottom``; deals that were made for a class say ``class`` and ``confidence`` too.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import Key, cards_of, counts_of, key_text, read_key, sizes_of
from abl_cards.games.play.tables import Given
from abl_cards.games.questions import at_least, atom_rows
from abl_cards.games.reading.rules import Rules
from abl_cards.games.shapes import number
from abl_cards.games.words.fields import reading
from abl_cards.games.words.letters import Letters
from abl_cards.logic import Circuit, KnowledgeBase, Term, evaluate
from abl_cards.logic.errors import kb_error
from abl_cards.streams import below, mix, mix_all

_ONE = np.uint64(1)
PARTS = ("landlord", "down", "up")
"""In the order of play, the landlord first."""
_MOST_COPIES = 4


class Hands(NamedTuple):
    """n deals."""

    parts: NDArray[np.uint64]  # [n, 3] landlord with the bottom cards, down, up
    bottom: NDArray[np.uint64]  # [n]

    def at(self, rows: NDArray[Any] | slice) -> Hands:
        """Some of them."""
        return Hands(self.parts[rows], self.bottom[rows])

    @classmethod
    def joined(cls, several: Sequence[Hands]) -> Hands:
        """One after the other."""
        return cls(*(np.concatenate(column) for column in zip(*several, strict=True)))

    def on_tables(self) -> Given:
        """The deals as tables take them: seat 0 is the landlord, and has not taken up the bottom cards yet."""
        hands, bottom = counts_of(self.parts), counts_of(self.bottom)
        hands[:, 0] -= bottom
        return Given(hands, bottom)


@dataclass(frozen=True)
class Dealer:
    """Deals as a knowledge base says they are."""

    deck: NDArray[np.uint8]  # [cards] ranks from 0
    sizes: NDArray[np.int64]  # [3] of the hands
    bottom: int  # cards
    circuit: Circuit  # flawed/1
    values: tuple[Term, ...]  # the kinds of cards
    letters: Letters

    @classmethod
    def of(cls, rules: Rules, kb: KnowledgeBase) -> Dealer:
        """Read deals.lp; raises KBError where hands and pack do not fit."""
        sizes = {str(part): number(size, "hand_size") for part, size in kb.facts("hand_size", 2)}
        bottom = [number(size, "bottom_size") for (size,) in kb.facts("bottom_size", 1)]
        deck = rules.pack.deck
        fits = sizes.keys() == set(PARTS) and len(bottom) == 1 and sum(sizes.values()) == len(deck)
        if not fits or not 0 <= bottom[0] <= sizes[PARTS[0]]:
            raise kb_error("the hands do not share the pack", "see pack/2, hand_size/2 and bottom_size/1 in deals.lp")
        return cls(deck, np.array([sizes[part] for part in PARTS]), bottom[0], kb.circuit("flawed/1"),
                   rules.pack.kinds, rules.letters)  # fmt: skip

    def deal(self, keys: NDArray[np.uint64]) -> Hands:
        """Shuffle the pack with each key [n]."""
        hands = Hands(np.zeros((len(keys), len(PARTS)), np.uint64), np.zeros(len(keys), np.uint64))
        _deal(self.deck, self.sizes, self.bottom, keys, *hands)
        return hands

    def complete(self, landlord: Key, keys: NDArray[np.uint64]) -> Hands:
        """Deal what the landlord's hand leaves to the peasants, with each key [n]; the bottom stays unknown: 0."""
        rest = self.deck.tolist()
        for rank in cards_of(landlord):
            rest.remove(rank)
        order = np.stack([mix_all(keys, place) for place in range(len(rest))], axis=1).argsort(axis=1)
        cards = _ONE << np.uint64(4) * np.array(rest, np.uint64)[order]
        down, up = cards[:, : self.sizes[1]].sum(axis=1), cards[:, self.sizes[1] :].sum(axis=1)
        return Hands(np.stack([np.full(len(keys), landlord, np.uint64), down, up], axis=1), np.zeros_like(keys))

    def exchange(self, hands: Hands, keys: NDArray[np.uint64]) -> Hands:
        """The deals with two cards exchanged between two hands each, and other bottom cards; keys [n] decide."""
        changed = Hands(hands.parts.copy(), hands.bottom.copy())
        _exchange(self.bottom, keys, *changed)
        return changed

    def sound(self, hands: Hands) -> NDArray[np.bool_]:
        """[n] whether nothing is flawed."""
        return np.asarray(~self._flaws(hands).any(axis=0))

    def flaws(self, hands: Hands) -> list[str]:
        """What is wrong with a single deal."""
        found = self._flaws(hands)[:, 0]
        return [str(atom.args[0]) for atom, wrong in zip(self.circuit.outputs, found, strict=True) if wrong]

    def _flaws(self, hands: Hands) -> NDArray[np.uint8]:
        n, circuit = len(hands.bottom), self.circuit
        counts = np.moveaxis(counts_of(hands.parts), 0, -1)  # [3, 15, n]
        rows = np.zeros((len(circuit.inputs) + 1, n), np.uint8)
        axes = PARTS, self.values, tuple(range(1, _MOST_COPIES + 1))
        rows[atom_rows(circuit.inputs, "dealt", axes)] = at_least(counts, _MOST_COPIES).reshape(-1, n)
        return evaluate(circuit, rows[:-1])

    def read(self, value: Mapping[str, Any]) -> Hands:
        """A deal from its JSON form; raises GameError that names the field, or what is flawed."""
        if not isinstance(value, Mapping) or any(field not in value for field in PARTS):
            raise GameError('a deal is a JSON object with "landlord", "down" and "up"')
        keys = []
        for field in (*PARTS, "bottom"):
            with reading(field):
                keys.append(read_key(self.letters, value.get(field, "")))
        hands = Hands(np.array([keys[:3]], np.uint64), np.array([keys[3]], np.uint64))
        flaws = self.flaws(hands)
        if flaws:
            raise GameError(f"no deal: {', '.join(flaws)} (see deals.lp)")
        inside = (counts_of(hands.bottom) <= counts_of(hands.parts[:, 0])).all()
        if keys[3] and (int(sizes_of(hands.bottom)[0]) != self.bottom or not inside):
            raise GameError(f"bottom: {self.bottom} cards of the landlord's")
        return hands


def deal_texts(letters: Letters, hands: Hands, row: int) -> dict[str, str]:
    """One of some deals in its JSON form."""
    texts = [key_text(letters, int(key)) for key in (*hands.parts[row], hands.bottom[row])]
    return dict(zip((*PARTS, "bottom"), texts, strict=True))


@njit(cache=True, nogil=True)
def _deal(deck, sizes, bottom, keys, parts, under):
    """Shuffle with each key; the first cards go to the first part, its last ones are the bottom cards."""
    pack = np.empty(len(deck), np.uint8)
    for i in range(len(keys)):
        pack[:] = deck
        for place in range(len(pack) - 1, 0, -1):
            other = np.int64(below(mix(keys[i], np.uint64(place)), np.uint64(place + 1)))
            pack[place], pack[other] = pack[other], pack[place]
        place = 0
        for part in range(3):
            for _ in range(sizes[part]):
                parts[i, part] += _ONE << np.uint64(4 * pack[place])
                place += 1
        for place in range(sizes[0] - bottom, sizes[0]):
            under[i] += _ONE << np.uint64(4 * pack[place])


@njit(cache=True, nogil=True)
def _exchange(bottom, keys, parts, under):
    """Exchange a card of one hand for a card of another, and draw the bottom cards anew."""
    for i in range(len(keys)):
        one = np.int64(below(mix(keys[i], np.uint64(0)), np.uint64(3)))
        two = (one + 1 + np.int64(below(mix(keys[i], np.uint64(1)), np.uint64(2)))) % 3
        given = _draw(parts[i, one], mix(keys[i], np.uint64(2)))
        taken = _draw(parts[i, two], mix(keys[i], np.uint64(3)))
        parts[i, one] = parts[i, one] - given + taken
        parts[i, two] = parts[i, two] - taken + given
        left, under[i] = parts[i, 0], np.uint64(0)
        for place in range(bottom):
            card = _draw(left, mix(keys[i], np.uint64(4 + place)))
            left -= card
            under[i] += card


@njit(cache=True, nogil=True)
def _draw(key, bits):
    """A random card of a key, as a key."""
    size = np.uint64(0)
    for shift in range(0, 60, 4):
        size += (key >> np.uint64(shift)) & np.uint64(15)
    left = np.int64(below(bits, size))
    for shift in range(0, 60, 4):
        left -= np.int64((key >> np.uint64(shift)) & np.uint64(15))
        if left < 0:
            return _ONE << np.uint64(shift)
    return np.uint64(0)
