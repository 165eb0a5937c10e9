"""Exchange of cards between two episodes 进贡、还贡, in messages and at tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import parse_rank_and_suit
from abl_cards.games.tables import Tables
from abl_cards.protocols.contest.codec import BACK, TRIBUTE
from abl_cards.protocols.contest.match_state import current_stage, has_fluent_for_seat, write_fluent

Gift = tuple[int, int, int]
"""Exchanged card: giver, receiver, card; seats are those of a record or of a table."""


@dataclass(frozen=True)
class TributeExchange:
    """Exchange before an episode, from messages or a record."""

    anti: tuple[int, ...] = ()  # seats whose big jokers refuse the tribute
    tribute: tuple[Gift, ...] = ()
    back: tuple[Gift, ...] = ()


def write_exchange(rules: CompiledGame, fluents: NDArray[np.int16], exchange: TributeExchange) -> None:
    """Write an exchange into the fluents [slots] of a table, as if it had happened there."""
    for seat in exchange.anti:
        write_fluent(rules, fluents, "shown", seat)
    kinds = rules.pack.kinds
    for giver, taker, card in exchange.tribute:
        write_fluent(rules, fluents, "gave", giver, kinds[card])
        write_fluent(rules, fluents, "received", taker, *_card_arguments(rules, card))
    for giver, taker, card in exchange.back:
        write_fluent(rules, fluents, "gave_back", giver, kinds[card])
        write_fluent(rules, fluents, "returned", giver, *_card_arguments(rules, card))
        write_fluent(rules, fluents, "received", taker, *_card_arguments(rules, card))


def _card_arguments(rules: CompiledGame, card: int) -> tuple[int | str, int | str]:
    parts = parse_rank_and_suit(rules.pack.kinds[card])
    assert parts is not None
    return parts


class TributeTracker:
    """Tracks paid and returned cards at a table, choice by choice.

    Cards change hands when all payers have paid. The first to return is the receiver of the first payer.
    """

    def __init__(self) -> None:
        """Make a tracker without exchanged cards."""
        self._by_stage: dict[str, list[tuple[int, int]]] = {TRIBUTE: [], BACK: []}

    def add(self, stage: str, seat: int, card: int) -> None:
        """Add the card that a seat has chosen in a stage."""
        self._by_stage[stage].append((seat, card))

    def paid_tributes(self, tables: Tables, table: int) -> list[Gift] | None:
        """Return the tributes after all are paid; None before, or if there are none."""
        payers = self._by_stage[TRIBUTE]
        if not payers or current_stage(tables, table) == TRIBUTE:
            return None
        receivers = self._receivers(tables, table)
        return [(seat, taker, card) for (seat, card), taker in zip(payers, receivers, strict=False)]

    def returned_cards(self, tables: Tables, table: int) -> list[Gift] | None:
        """Return the returned cards after all are returned; None before, or if there are none."""
        if not self._by_stage[BACK] or current_stage(tables, table) in (TRIBUTE, BACK):
            return None
        payers = self._by_stage[TRIBUTE]
        return [(seat, payer, card) for (seat, card), (payer, _) in zip(self._by_stage[BACK], payers, strict=False)]

    def _receivers(self, tables: Tables, table: int) -> Sequence[int]:
        """Return the seats that return a card, in order."""
        receivers = [seat for seat, _ in self._by_stage[BACK]]
        if current_stage(tables, table) == BACK:
            receivers.append(int(tables.seat[table]))
        seats_with_card = [
            seat for seat in range(tables.rules.seating.seats) if has_fluent_for_seat(tables, table, "received", seat)
        ]
        return [*receivers, *(seat for seat in seats_with_card if seat not in receivers)]
