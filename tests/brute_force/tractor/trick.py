"""The winner of a trick (§8)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.brute_force.tractor.cards import TRUMP, Cards, Order
from tests.brute_force.tractor.leads import Lead, Part, decompose

LIFT = 100  # of any trump over the highest card of a plain suit


def covers(parts: Sequence[Part], lead: Lead) -> bool:
    """Return True if these parts, of as many cards as the lead, cover each part of the lead."""
    room = [part.pairs for part in parts]
    for led in lead.parts:
        if led.pairs:
            longest = max(room)
            if longest < led.pairs:
                return False
            room.remove(longest)
            room.append(longest - led.pairs)
    return True


def power(order: Order, lead: Lead, cards: Cards) -> int | None:
    """The strength of an answer to a lead, to compare with that of others; None where it can take no trick."""
    suit = order.one_suit(cards)
    if len(cards) != lead.size or suit is None or suit not in (lead.suit, TRUMP):
        return None
    if lead.is_throw:
        return throw_power(order, lead, cards) if suit == TRUMP else None
    parts = decompose(order, cards)
    if [part.pairs for part in parts] != [lead.parts[0].pairs]:
        return None
    return parts[0].top + trump_bonus(lead, suit)


def trump_bonus(lead: Lead, suit: str) -> int:
    """Return the bonus that ranks any trump over any card of a plain suit."""
    return LIFT if suit == TRUMP else 0


def throw_power(order: Order, lead: Lead, cards: Cards) -> int | None:
    """The highest thing of the form of the lead's longest part, if the trumps cover the throw."""
    if not covers(decompose(order, cards), lead):
        return None
    longest = lead.parts[0].pairs
    if not longest:
        return LIFT + max(order.strengths[card] for card in cards)
    return LIFT + max(order.strengths[run[-1]] for run in order.runs(order.pairs(cards), longest))


def lead_power(lead: Lead) -> int:
    """The strength of the lead itself: the top of its longest part."""
    longest = lead.parts[0].pairs
    return max(part.top for part in lead.parts if part.pairs == longest) + trump_bonus(lead, lead.suit)


def winner(order: Order, lead: Lead, answers: Sequence[Cards]) -> int:
    """Return the winner of a trick: 0 the leader, 1, 2, 3 the seats after it; the first of equals wins."""
    best, taker = lead_power(lead), 0
    for place, cards in enumerate(answers, 1):
        mine = power(order, lead, cards)
        if mine is not None and mine > best:
            best, taker = mine, place
    return taker
