"""Seats of a table: their teams, their order and the cards dealt to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description import require_int

MAX_SEATS = 12
"""Maximum number of seats."""


@dataclass(frozen=True)
class Seating:
    """Seats of a table, their teams and order.

    Attributes:
        seats: Number of seats.
        teams: Team of each seat.
        relative_names: Names of the other seats by their distance, from 1.
        next_seat: Seat that plays after each seat.
        num_dealt: Number of cards dealt to each seat.
        leftover_order: Order in which seats that still hold cards take the last places.
    """

    seats: int
    teams: tuple[int, ...]
    relative_names: tuple[Term, ...]
    next_seat: tuple[int, ...]
    num_dealt: tuple[int, ...]
    leftover_order: tuple[int, ...]

    @cached_property
    def play_order(self) -> NDArray[np.int64]:
        """[seats, seats] seats in the order of play, starting from each seat."""
        columns = [np.arange(self.seats)]
        for _ in range(self.seats - 1):
            columns.append(np.array(self.next_seat)[columns[-1]])
        return np.stack(columns, axis=1)

    @cached_property
    def turn_distance(self) -> NDArray[np.int64]:
        """[seats, seats] number of turns from one seat to another."""
        return np.argsort(self.play_order, axis=1)

    @cached_property
    def others(self) -> NDArray[np.int8]:
        """[seats, seats - 1] other seats in the order of play."""
        return self.play_order[:, 1:].astype(np.int8)


def _cycle_length(next_seats: Mapping[Term, Term]) -> int:
    """Count the seats from seat 0 until its next turn."""
    seat, length = next_seats[0], 1
    while seat != 0:
        seat, length = next_seats[seat], length + 1
    return length


def read_seating(kb: KnowledgeBase) -> Seating:
    """Read the seats of a game, by ``seat/1``, ``next/2``, ``member/2``, ``who/2``, ``deals/2`` and ``leftover/2``.

    Raises:
        KBError: The seats are not numbered from 0, ``next/2`` does not lead round the table, or a number is not an
            integer.
    """
    seats = sorted(require_int(seat, f"seat({seat})") for (seat,) in kb.facts("seat", 1))
    if seats != list(range(len(seats))) or not 1 < len(seats) <= MAX_SEATS:
        remedy = f"number 2 to {MAX_SEATS} seats from 0: seat(0..3)."
        raise make_kb_error(f"seat/1: {seats or 'none'}", remedy, ErrorCode.INVALID_SEATING)
    n = len(seats)
    next_seats = kb.facts_as_dict("next") or {seat: (seat + 1) % n for seat in seats}
    if sorted(next_seats) != seats or sorted(next_seats.values(), key=str) != seats:
        remedy = "give every seat one next seat, or #include <seats>."
        raise make_kb_error("next/2 is no order of the seats", remedy, ErrorCode.INVALID_SEATING)
    if _cycle_length(next_seats) < n:
        raise make_kb_error(
            f"next/2 leads from seat 0 to {_cycle_length(next_seats)} seats of {n}",
            "let it lead round the whole table",
            ErrorCode.INVALID_SEATING,
        )
    teams = _read_teams(kb, seats)
    dealt = _read_dealt(kb)
    if negative := [f"deals({seat},{count})" for seat, count in dealt.items() if count < 0]:
        remedy = "write 0 or more"
        raise make_kb_error(f"{negative[0]}: the number of cards is negative", remedy, ErrorCode.INVALID_ARGUMENT)
    leftover = {seat: require_int(position, "leftover") for seat, position in kb.facts_as_dict("leftover").items()}
    relative_names = _read_relative_names(kb)
    return Seating(
        n, teams,
        tuple(relative_names.get(distance, distance) for distance in range(1, n)),
        tuple(int(next_seats[seat]) for seat in seats),
        tuple(dealt.get(seat, 0) for seat in seats),
        tuple(sorted(seats, key=lambda seat: leftover.get(seat, seat))),
    )  # fmt: skip


def _read_relative_names(kb: KnowledgeBase) -> dict[int, Term]:
    """Read the names of seats by their distance; raises KBError for two names of one distance."""
    names: dict[int, Term] = {}
    for name, distance in kb.facts_as_dict("who").items():
        if (other := names.setdefault(require_int(distance, "who"), name)) != name:
            message = f"who({other},{distance}): the seat is called {name} as well"
            raise make_kb_error(message, "keep one of the names", ErrorCode.CONFLICTING_FACTS)
    return names


def _read_teams(kb: KnowledgeBase, seats: Sequence[int]) -> tuple[int, ...]:
    """Read the team of each seat; without ``member/2`` each seat is one for itself."""
    members = kb.facts_as_dict("member") or {seat: seat for seat in seats}
    if missing := [seat for seat in seats if seat not in members]:
        remedy = f"write member({missing[0]},Team), or no member/2 where each seat plays for itself"
        raise make_kb_error(f"member/2: seat {missing[0]} has no team", remedy, ErrorCode.INVALID_SEATING)
    teams = tuple(require_int(members[seat], "member") for seat in seats)
    numbers = sorted(set(teams))
    if numbers != list(range(len(numbers))):  # matches share the teams out among agents by these numbers
        message = f"member/2: teams are numbered from 0 without gaps; these are {', '.join(map(str, numbers))}"
        raise make_kb_error(message, f"number them 0 to {len(numbers) - 1}", ErrorCode.INVALID_SEATING)
    return teams


def _read_dealt(kb: KnowledgeBase) -> dict[Term, int]:
    """Read the cards dealt to each seat; where inputs decide it, those dealt in any case."""
    sizes: dict[Term, list[int]] = {}
    for seat, count in kb.instances("deals", 2):
        sizes.setdefault(seat, []).append(require_int(count, "deals"))
    fixed = {seat: require_int(count, "deals") for seat, count in kb.facts_as_dict("deals").items()}
    return {seat: fixed[seat] if seat in fixed else min(counts) for seat, counts in sizes.items()}
