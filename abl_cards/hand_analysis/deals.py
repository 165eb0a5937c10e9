"""Deals of three hands: shuffle the pack, exchange two cards, check by ``flawed``, read and write.

A deal consists of the keys of three hands, those of the landlord, of the peasant after him and of the peasant before
him, and of the key of the bottom cards, which the landlord's hand includes. As JSON it is an object of texts:
``landlord``, ``down``, ``up``, ``bottom``; generated deals have ``class`` and ``confidence`` as well.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import Circuit, KnowledgeBase, evaluate
from abl_cards.core import ErrorCode, GameError, copy_values, kernel, scale_to_range, splitmix64, splitmix64_array
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import CardCodes, atom_rows, require_int, thermometer
from abl_cards.games.min_plays import HandKey, key_cards, key_counts, key_sizes, key_text, read_key
from abl_cards.games.notation import error_context
from abl_cards.games.tables import FixedDeals

_ONE = np.uint64(1)
DEAL_ROLES = ("landlord", "down", "up")
"""Names of the hands in the order of play, the landlord first."""
_MAX_COPIES = 4
_MAX_NAMED_FLAWS = 4  # flaws of a deal that its error names


class DealBatch(NamedTuple):
    """A batch of n deals.

    Attributes:
        hand_keys: uint64[n, 3] Keys of the hands: landlord with the bottom cards, down, up.
        bottom_keys: uint64[n] Keys of the bottom cards; 0 where they are unknown.
    """

    hand_keys: NDArray[np.uint64]
    bottom_keys: NDArray[np.uint64]

    def select(self, rows: NDArray[Any] | slice) -> DealBatch:
        """Return the deals with these indices."""
        return DealBatch(self.hand_keys[rows], self.bottom_keys[rows])

    @classmethod
    def concatenate(cls, batches: Sequence[DealBatch]) -> DealBatch:
        """Concatenate batches."""
        return cls(*(np.concatenate(column) for column in zip(*batches, strict=True)))

    def to_fixed_deals(self) -> FixedDeals:
        """Convert to deals for tables, where seat 0 is the landlord and has not taken the bottom cards yet."""
        hands, bottom = key_counts(self.hand_keys), key_counts(self.bottom_keys)
        hands[:, 0] -= bottom
        return FixedDeals(hands, bottom)


@dataclass(frozen=True)
class DealSampler:
    """Samples and checks deals by the rules of a game.

    Attributes:
        deck: uint8[cards] Kind of each card, from 0.
        hand_sizes: int64[3] Cards of each hand.
        bottom_size: Number of bottom cards.
        circuit: Circuit of flawed/1.
        card_kinds: Kinds of cards.
        letters: Codes of cards in texts.
    """

    deck: NDArray[np.uint8]
    hand_sizes: NDArray[np.int64]
    bottom_size: int
    circuit: Circuit
    card_kinds: tuple[Term, ...]
    letters: CardCodes

    @classmethod
    def from_knowledge_base(cls, rules: CompiledGame, kb: KnowledgeBase) -> DealSampler:
        """Read deals.lp.

        Args:
            rules: Compiled game.
            kb: Rules of play together with those of deals.

        Returns:
            The sampler.

        Raises:
            KBError: The sizes of the hands do not fit the pack.
        """
        sizes = {str(part): require_int(size, "hand_size") for part, size in kb.facts("hand_size", 2)}
        bottom = [require_int(size, "bottom_size") for (size,) in kb.facts("bottom_size", 1)]
        deck = rules.pack.deck
        fits = sizes.keys() == set(DEAL_ROLES) and len(bottom) == 1 and sum(sizes.values()) == len(deck)
        if not fits or not 0 <= bottom[0] <= sizes[DEAL_ROLES[0]]:
            remedy = "see pack/2, hand_size/2 and bottom_size/1 in deals.lp"
            raise make_kb_error("the hands do not share the pack", remedy, ErrorCode.INVALID_ARGUMENT)
        return cls(deck, np.array([sizes[part] for part in DEAL_ROLES]), bottom[0], kb.circuit("flawed/1"),
                   rules.pack.kinds, rules.card_codes)  # fmt: skip

    def deal(self, keys: NDArray[np.uint64]) -> DealBatch:
        """Sample deals.

        Args:
            keys: uint64[n] Random keys.

        Returns:
            A deal for each key.
        """
        hands = DealBatch(np.zeros((len(keys), len(DEAL_ROLES)), np.uint64), np.zeros(len(keys), np.uint64))
        _shuffle_deals(self.deck, self.hand_sizes, self.bottom_size, keys, *hands)
        return hands

    def complete_deals(self, landlord_hand: HandKey, keys: NDArray[np.uint64]) -> DealBatch:
        """Sample the hands of the peasants.

        Args:
            landlord_hand: Key of the landlord's hand.
            keys: uint64[n] Random keys.

        Returns:
            A deal for each key, with unknown bottom cards.
        """
        remaining = self.deck.tolist()
        for rank in key_cards(landlord_hand):
            remaining.remove(rank)
        order = np.stack([splitmix64_array(keys, position) for position in range(len(remaining))], axis=1).argsort(
            axis=1
        )
        cards = _ONE << np.uint64(4) * np.array(remaining, np.uint64)[order]
        down, up = cards[:, : self.hand_sizes[1]].sum(axis=1), cards[:, self.hand_sizes[1] :].sum(axis=1)
        return DealBatch(
            np.stack([np.full(len(keys), landlord_hand, np.uint64), down, up], axis=1), np.zeros_like(keys)
        )

    def swap_cards(self, deals: DealBatch, keys: NDArray[np.uint64]) -> DealBatch:
        """Exchange two cards between two hands of each deal, and sample new bottom cards.

        Args:
            deals: n deals.
            keys: uint64[n] Random keys.

        Returns:
            The changed deals.
        """
        changed = DealBatch(deals.hand_keys.copy(), deals.bottom_keys.copy())
        _exchange_cards(self.bottom_size, keys, *changed)
        return changed

    def is_valid(self, deals: DealBatch) -> NDArray[np.bool_]:
        """Return bool[n]: whether a deal has no flaws."""
        return np.asarray(~self._evaluate_flaws(deals).any(axis=0))

    def find_flaws(self, deals: DealBatch) -> list[str]:
        """Return the flaws of a single deal, by the arguments of flawed/1."""
        flaws = self._evaluate_flaws(deals)[:, 0]
        return [str(atom.args[0]) for atom, is_flawed in zip(self.circuit.outputs, flaws, strict=True) if is_flawed]

    def _evaluate_flaws(self, hands: DealBatch) -> NDArray[np.uint8]:
        n, circuit = len(hands.bottom_keys), self.circuit
        counts = np.moveaxis(key_counts(hands.hand_keys), 0, -1)  # [3, 15, n]
        rows = np.zeros((len(circuit.inputs) + 1, n), np.uint8)
        axes = DEAL_ROLES, self.card_kinds, tuple(range(1, _MAX_COPIES + 1))
        rows[atom_rows(circuit.inputs, "dealt", axes)] = thermometer(counts, _MAX_COPIES).reshape(-1, n)
        return evaluate(circuit, rows[:-1])

    def read_deal(self, value: Mapping[str, Any]) -> DealBatch:
        """Read a deal.

        Args:
            value: JSON object with the texts of the hands.

        Returns:
            A batch of one deal.

        Raises:
            GameError: A field is missing or invalid, or the deal has flaws.
        """
        if not isinstance(value, Mapping) or any(field not in value for field in DEAL_ROLES):
            message = 'a deal is a JSON object with "landlord", "down" and "up"'
            raise GameError(message, ErrorCode.INVALID_DEAL)
        keys = []
        for field in (*DEAL_ROLES, "bottom"):
            with error_context(field):
                keys.append(read_key(self.letters, value.get(field, "")))
        hands = DealBatch(np.array([keys[:3]], np.uint64), np.array([keys[3]], np.uint64))
        flaws = self.find_flaws(hands)
        if flaws:
            names = ", ".join([*flaws[:_MAX_NAMED_FLAWS], *["…"][: len(flaws) > _MAX_NAMED_FLAWS]])
            given, needed = (" + ".join(map(str, sizes)) for sizes in (key_sizes(hands.hand_keys[0]), self.hand_sizes))
            text = f"no deal: {names} (see deals.lp): the hands have {given} cards, those of a deal {needed}"
            raise GameError(text, ErrorCode.INVALID_DEAL)
        is_subset = (key_counts(hands.bottom_keys) <= key_counts(hands.hand_keys[:, 0])).all()
        if keys[3] and (int(key_sizes(hands.bottom_keys)[0]) != self.bottom_size or not is_subset):
            message = f"bottom: not {self.bottom_size} cards of the landlord's hand"
            raise GameError(message, ErrorCode.INVALID_DEAL)
        return hands


def deal_to_json(letters: CardCodes, deals: DealBatch, row: int) -> dict[str, str]:
    """Convert a deal to JSON.

    Args:
        letters: Codes of cards.
        deals: A batch of deals.
        row: Index of the deal.

    Returns:
        JSON object with the texts of the hands and of the bottom cards.
    """
    texts = [key_text(letters, int(key)) for key in (*deals.hand_keys[row], deals.bottom_keys[row])]
    return dict(zip((*DEAL_ROLES, "bottom"), texts, strict=True))


@kernel
def _shuffle_deals(deck, sizes, bottom, keys, parts, under):
    """Shuffle with each key; the first cards form the first hand, whose last ones are the bottom cards."""
    pack = np.empty(len(deck), np.uint8)
    for i in range(len(keys)):
        copy_values(deck, pack, len(deck))
        for position in range(len(pack) - 1, 0, -1):
            swap_position = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(position)), np.uint64(position + 1)))
            pack[position], pack[swap_position] = pack[swap_position], pack[position]
        position = 0
        for hand in range(3):
            for _ in range(sizes[hand]):
                parts[i, hand] += _ONE << np.uint64(4 * pack[position])
                position += 1
        for position in range(sizes[0] - bottom, sizes[0]):
            under[i] += _ONE << np.uint64(4 * pack[position])


@kernel
def _exchange_cards(bottom, keys, parts, under):
    """Exchange a card of one hand for a card of another, and draw new bottom cards."""
    for i in range(len(keys)):
        first = np.int64(scale_to_range(splitmix64(keys[i], np.uint64(0)), np.uint64(3)))
        second = (first + 1 + np.int64(scale_to_range(splitmix64(keys[i], np.uint64(1)), np.uint64(2)))) % 3
        given = _draw_card(parts[i, first], splitmix64(keys[i], np.uint64(2)))
        taken = _draw_card(parts[i, second], splitmix64(keys[i], np.uint64(3)))
        parts[i, first] = parts[i, first] - given + taken
        parts[i, second] = parts[i, second] - taken + given
        remaining, under[i] = parts[i, 0], np.uint64(0)
        for index in range(bottom):
            card = _draw_card(remaining, splitmix64(keys[i], np.uint64(4 + index)))
            remaining -= card
            under[i] += card


@kernel
def _draw_card(key, bits):
    """Draw a random card of a hand; return its key."""
    size = np.uint64(0)
    for shift in range(0, 60, 4):
        size += (key >> np.uint64(shift)) & np.uint64(15)
    num_left = np.int64(scale_to_range(bits, size))
    for shift in range(0, 60, 4):
        num_left -= np.int64((key >> np.uint64(shift)) & np.uint64(15))
        if num_left < 0:
            return _ONE << np.uint64(shift)
    return np.uint64(0)
