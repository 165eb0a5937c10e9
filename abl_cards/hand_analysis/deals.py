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

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import Circuit, KnowledgeBase, evaluate
from abl_cards.core import GameError, scale_to_range, splitmix64, splitmix64_array
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import CardCodes, atom_rows, require_int, thermometer
from abl_cards.games.min_plays import HandKey, key_cards, key_counts, key_sizes, key_text, read_key
from abl_cards.games.notation import error_context
from abl_cards.games.tables import FixedDeals

_ONE = np.uint64(1)
DEAL_ROLES = ("landlord", "down", "up")
"""In the order of play, the landlord first."""
_MAX_COPIES = 4


class DealBatch(NamedTuple):
    """n deals."""

    hand_keys: NDArray[np.uint64]  # [n, 3] landlord with the bottom cards, down, up
    bottom_keys: NDArray[np.uint64]  # [n]

    def select(self, rows: NDArray[Any] | slice) -> DealBatch:
        """Some of them."""
        return DealBatch(self.hand_keys[rows], self.bottom_keys[rows])

    @classmethod
    def concatenate(cls, batches: Sequence[DealBatch]) -> DealBatch:
        """One after the other."""
        return cls(*(np.concatenate(column) for column in zip(*batches, strict=True)))

    def to_fixed_deals(self) -> FixedDeals:
        """The deals as tables take them: seat 0 is the landlord, and has not taken up the bottom cards yet."""
        hands, bottom = key_counts(self.hand_keys), key_counts(self.bottom_keys)
        hands[:, 0] -= bottom
        return FixedDeals(hands, bottom)


@dataclass(frozen=True)
class DealSampler:
    """Deals as a knowledge base says they are."""

    deck: NDArray[np.uint8]  # [cards] ranks from 0
    hand_sizes: NDArray[np.int64]  # [3] of the hands
    bottom_size: int  # cards
    circuit: Circuit  # flawed/1
    card_kinds: tuple[Term, ...]  # the kinds of cards
    letters: CardCodes

    @classmethod
    def from_knowledge_base(cls, rules: CompiledGame, kb: KnowledgeBase) -> DealSampler:
        """Read deals.lp; raises KBError where hands and pack do not fit."""
        sizes = {str(part): require_int(size, "hand_size") for part, size in kb.facts("hand_size", 2)}
        bottom = [require_int(size, "bottom_size") for (size,) in kb.facts("bottom_size", 1)]
        deck = rules.pack.deck
        fits = sizes.keys() == set(DEAL_ROLES) and len(bottom) == 1 and sum(sizes.values()) == len(deck)
        if not fits or not 0 <= bottom[0] <= sizes[DEAL_ROLES[0]]:
            raise make_kb_error(
                "the hands do not share the pack", "see pack/2, hand_size/2 and bottom_size/1 in deals.lp"
            )
        return cls(deck, np.array([sizes[part] for part in DEAL_ROLES]), bottom[0], kb.circuit("flawed/1"),
                   rules.pack.kinds, rules.card_codes)  # fmt: skip

    def deal(self, keys: NDArray[np.uint64]) -> DealBatch:
        """Shuffle the pack with each key [n]."""
        hands = DealBatch(np.zeros((len(keys), len(DEAL_ROLES)), np.uint64), np.zeros(len(keys), np.uint64))
        _shuffle_deals(self.deck, self.hand_sizes, self.bottom_size, keys, *hands)
        return hands

    def complete_deals(self, landlord_hand: HandKey, keys: NDArray[np.uint64]) -> DealBatch:
        """Deal what the landlord's hand leaves to the peasants, with each key [n]; the bottom stays unknown: 0."""
        rest = self.deck.tolist()
        for rank in key_cards(landlord_hand):
            rest.remove(rank)
        order = np.stack([splitmix64_array(keys, place) for place in range(len(rest))], axis=1).argsort(axis=1)
        cards = _ONE << np.uint64(4) * np.array(rest, np.uint64)[order]
        down, up = cards[:, : self.hand_sizes[1]].sum(axis=1), cards[:, self.hand_sizes[1] :].sum(axis=1)
        return DealBatch(
            np.stack([np.full(len(keys), landlord_hand, np.uint64), down, up], axis=1), np.zeros_like(keys)
        )

    def swap_cards(self, deals: DealBatch, keys: NDArray[np.uint64]) -> DealBatch:
        """The deals with two cards exchanged between two hands each, and other bottom cards; keys [n] decide."""
        changed = DealBatch(deals.hand_keys.copy(), deals.bottom_keys.copy())
        _exchange_cards(self.bottom_size, keys, *changed)
        return changed

    def is_valid(self, deals: DealBatch) -> NDArray[np.bool_]:
        """[n] whether nothing is flawed."""
        return np.asarray(~self._evaluate_flaws(deals).any(axis=0))

    def find_flaws(self, deals: DealBatch) -> list[str]:
        """What is wrong with a single deal."""
        found = self._evaluate_flaws(deals)[:, 0]
        return [str(atom.args[0]) for atom, wrong in zip(self.circuit.outputs, found, strict=True) if wrong]

    def _evaluate_flaws(self, hands: DealBatch) -> NDArray[np.uint8]:
        n, circuit = len(hands.bottom_keys), self.circuit
        counts = np.moveaxis(key_counts(hands.hand_keys), 0, -1)  # [3, 15, n]
        rows = np.zeros((len(circuit.inputs) + 1, n), np.uint8)
        axes = DEAL_ROLES, self.card_kinds, tuple(range(1, _MAX_COPIES + 1))
        rows[atom_rows(circuit.inputs, "dealt", axes)] = thermometer(counts, _MAX_COPIES).reshape(-1, n)
        return evaluate(circuit, rows[:-1])

    def read_deal(self, value: Mapping[str, Any]) -> DealBatch:
        """A deal from its JSON form; raises GameError that names the field, or what is flawed."""
        if not isinstance(value, Mapping) or any(field not in value for field in DEAL_ROLES):
            raise GameError('a deal is a JSON object with "landlord", "down" and "up"')
        keys = []
        for field in (*DEAL_ROLES, "bottom"):
            with error_context(field):
                keys.append(read_key(self.letters, value.get(field, "")))
        hands = DealBatch(np.array([keys[:3]], np.uint64), np.array([keys[3]], np.uint64))
        flaws = self.find_flaws(hands)
        if flaws:
            raise GameError(f"no deal: {', '.join(flaws)} (see deals.lp)")
        inside = (key_counts(hands.bottom_keys) <= key_counts(hands.hand_keys[:, 0])).all()
        if keys[3] and (int(key_sizes(hands.bottom_keys)[0]) != self.bottom_size or not inside):
            raise GameError(f"bottom: {self.bottom_size} cards of the landlord's")
        return hands


def deal_to_json(letters: CardCodes, deals: DealBatch, row: int) -> dict[str, str]:
    """One of some deals in its JSON form."""
    texts = [key_text(letters, int(key)) for key in (*deals.hand_keys[row], deals.bottom_keys[row])]
    return dict(zip((*DEAL_ROLES, "bottom"), texts, strict=True))


@njit(cache=True, nogil=True)
def _shuffle_deals(deck, sizes, bottom, keys, parts, under):
    """Shuffle with each key; the first cards go to the first part, its last ones are the bottom cards."""
    pack = np.empty(len(deck), np.uint8)
    for i in range(len(keys)):
        pack[:] = deck
        for place in range(len(pack) - 1, 0, -1):
            other = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(place)), np.uint64(place + 1)))
            pack[place], pack[other] = pack[other], pack[place]
        place = 0
        for part in range(3):
            for _ in range(sizes[part]):
                parts[i, part] += _ONE << np.uint64(4 * pack[place])
                place += 1
        for place in range(sizes[0] - bottom, sizes[0]):
            under[i] += _ONE << np.uint64(4 * pack[place])


@njit(cache=True, nogil=True)
def _exchange_cards(bottom, keys, parts, under):
    """Exchange a card of one hand for a card of another, and draw the bottom cards anew."""
    for i in range(len(keys)):
        one = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(0)), np.uint64(3)))
        two = (one + 1 + np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(2)))) % 3
        given = _draw_card(parts[i, one], splitmix64(keys[i], np.uint64(2)))
        taken = _draw_card(parts[i, two], splitmix64(keys[i], np.uint64(3)))
        parts[i, one] = parts[i, one] - given + taken
        parts[i, two] = parts[i, two] - taken + given
        left, under[i] = parts[i, 0], np.uint64(0)
        for place in range(bottom):
            card = _draw_card(left, splitmix64(keys[i], np.uint64(4 + place)))
            left -= card
            under[i] += card


@njit(cache=True, nogil=True)
def _draw_card(key, bits):
    """A random card of a key, as a key."""
    size = np.uint64(0)
    for shift in range(0, 60, 4):
        size += (key >> np.uint64(shift)) & np.uint64(15)
    left = np.int64(scale_to_range(bits, size))
    for shift in range(0, 60, 4):
        left -= np.int64((key >> np.uint64(shift)) & np.uint64(15))
        if left < 0:
            return _ONE << np.uint64(shift)
    return np.uint64(0)
