"""The exchange of cards between two episodes 进贡、还贡, as players are told of it, and as tables have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Tables
from abl_cards.games.reading.pack import rank_and_suit
from abl_cards.games.reading.rules import Rules
from abl_cards.platforms.contest.standings import put, shown, stage_of
from abl_cards.platforms.contest.wire import BACK, TRIBUTE

Gift = tuple[int, int, int]
"""A card given: from, to, card; the seats of a record, or places at a table."""


@dataclass(frozen=True)
class Gifts:
    """What messages or a record tell of the exchange before an episode."""

    anti: tuple[int, ...] = ()  # the seats whose big jokers refuse it
    tribute: tuple[Gift, ...] = ()
    back: tuple[Gift, ...] = ()


def tell_gifts(rules: Rules, fluents: NDArray[np.int16], gifts: Gifts) -> None:
    """Write what was told into what a table remembers [slots]: as if it had happened there."""
    for seat in gifts.anti:
        put(rules, fluents, "shown", seat)
    kinds = rules.pack.kinds
    for giver, taker, card in gifts.tribute:
        put(rules, fluents, "gave", giver, kinds[card])
        put(rules, fluents, "received", taker, *_parts(rules, card))
    for giver, taker, card in gifts.back:
        put(rules, fluents, "gave_back", giver, kinds[card])
        put(rules, fluents, "returned", giver, *_parts(rules, card))
        put(rules, fluents, "received", taker, *_parts(rules, card))


def _parts(rules: Rules, card: int) -> tuple[int | str, int | str]:
    parts = rank_and_suit(rules.pack.kinds[card])
    assert parts is not None
    return parts


class Ledger:
    """Who has paid and returned what at a table, choice by choice.

    Cards change hands when all payers have paid. The rules ask who returns first whose payer was asked first.
    """

    def __init__(self) -> None:
        """Nothing has been given."""
        self._given: dict[str, list[tuple[int, int]]] = {TRIBUTE: [], BACK: []}

    def note(self, stage: str, seat: int, card: int) -> None:
        """A seat has chosen a card in a stage."""
        self._given[stage].append((seat, card))

    def paid(self, tables: Tables, table: int) -> list[Gift] | None:
        """The tributes, once all are paid and before they are; None as long as they are not, or where none is."""
        payers = self._given[TRIBUTE]
        if not payers or stage_of(tables, table) == TRIBUTE:
            return None
        takers = self._takers(tables, table)
        return [(seat, taker, card) for (seat, card), taker in zip(payers, takers, strict=False)]

    def returned(self, tables: Tables, table: int) -> list[Gift] | None:
        """The returns, once all are made; None before, or where none is."""
        if not self._given[BACK] or stage_of(tables, table) in (TRIBUTE, BACK):
            return None
        payers = self._given[TRIBUTE]
        return [(seat, payer, card) for (seat, card), (payer, _) in zip(self._given[BACK], payers, strict=False)]

    def _takers(self, tables: Tables, table: int) -> Sequence[int]:
        """The seats that return, in the order in which they are asked."""
        asked = [seat for seat, _ in self._given[BACK]]
        if stage_of(tables, table) == BACK:
            asked.append(int(tables.seat[table]))
        taking = [seat for seat in range(tables.rules.table.seats) if shown(tables, table, "received", seat)]
        return [*asked, *(seat for seat in taking if seat not in asked)]
