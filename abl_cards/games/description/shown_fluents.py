"""Fluents as a table shows them: a number of the table, of each seat or of each side, and the cards that they name."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from abl_cards.asp import Term
from abl_cards.games.description.fluents import COUNTER, SET_VALUED, Fluent, Terms

OF_TABLE, OF_SEAT, OF_TEAM = "table", "seat", "team"


class ShownCard(NamedTuple):
    """Cards that one slot of a fluent names.

    Attributes:
        seat: Seat that the cards belong to, or None.
        card: Term of the card; None where the value of the slot is the card.
        copies: Number of copies; 0 where the value of the slot is the number.
    """

    seat: int | None
    card: Term | None
    copies: int


def fluent_owner(fluent: Fluent, seats: Collection[Term], teams: Collection[Term]) -> str | None:
    """Return the scope of a fluent: the table, a seat or a team.

    Args:
        fluent: Fluent of a game.
        seats: Seats of the game.
        teams: Teams of the game.

    Returns:
        OF_TABLE, OF_SEAT or OF_TEAM; None for other keys.
    """
    keys = fluent.keys
    if fluent.value_type == SET_VALUED:
        return OF_SEAT if set(keys) == {(seat,) for seat in seats} else None
    if keys == ((),):
        return OF_TABLE
    if len(teams) < len(seats) and set(keys) == {(team,) for team in teams}:
        return OF_TEAM
    return OF_SEAT if set(keys) == {(seat,) for seat in seats} else None


def value_owner(fluent: Fluent, seats: Collection[Term], teams: Collection[Term]) -> str | None:
    """Return whether the only value of a fluent is a seat (OF_SEAT) or a team (OF_TEAM); None for other fluents."""
    if fluent.keys != ((),) or fluent.value_type in (COUNTER, SET_VALUED):
        return None
    if len(teams) < len(seats) and set(fluent.values) == set(teams):
        return OF_TEAM
    return OF_SEAT if set(fluent.values) == set(seats) else None


def is_number(fluent: Fluent) -> bool:
    """Return whether the values of a fluent are numbers."""
    if fluent.value_type == SET_VALUED:
        return False
    return fluent.value_type == COUNTER or all(isinstance(value, int) for value in fluent.values)


def shown_cards(fluent: Fluent, cards: Collection[Term], seats: Collection[Term]) -> list[ShownCard] | None:
    """Return the cards of each slot of a fluent.

    Keys are a card, or a rank and a suit; a seat may precede, and a number of copies may follow in a set.

    Args:
        fluent: Fluent of a game.
        cards: Kinds of cards of the pack.
        seats: Seats of the game.

    Returns:
        Cards of each slot; None for a fluent that names no cards.
    """
    if fluent.value_type not in (COUNTER, SET_VALUED):
        owner = fluent_owner(fluent, seats, ())
        if owner is None or not set(fluent.values) <= set(cards):
            return None
        return [ShownCard(None if owner == OF_TABLE else _as_int(key[0]), None, 1) for key in fluent.keys]
    found = [_find_card(key, fluent.value_type == SET_VALUED, cards, seats) for key in fluent.keys]
    named = [card for card in found if card is not None]
    return named if named and len(named) == len(found) else None


def _find_card(key: Terms, is_set: bool, cards: Collection[Term], seats: Collection[Term]) -> ShownCard | None:
    """Return the card that a key names, beside a seat before it and copies behind it."""
    for start in (0, 1):
        if start and not (key and key[0] in seats):
            continue
        for end in (len(key), len(key) - 1) if is_set else (len(key),):
            card = _card_of(key[start:end], cards)
            copies = 1 if end == len(key) else key[end]
            if card is not None and isinstance(copies, int) and copies > 0:
                return ShownCard(_as_int(key[0]) if start else None, card, copies if is_set else 0)
    return None


def _card_of(terms: Terms, cards: Collection[Term]) -> Term | None:
    card = terms[0] if len(terms) == 1 else f"card({terms[0]},{terms[1]})" if len(terms) == 2 else None
    return card if card in cards else None


def _as_int(term: Term) -> int | None:
    return term if isinstance(term, int) else None
