"""Legal leads, the parts of cards of one suit, and the challenge to a throw (§5, §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from tests.brute_force.tractor.cards import JOKERS, SUITS, TRUMP, Cards, Order, held, subsets, without
from tests.brute_force.tractor.rules import Rules


class Part(NamedTuple):
    """A single (no pair), a pair (one) or a tractor (two pairs or more)."""

    pairs: int
    cards: Cards
    top: int  # the strength of its highest card


class Lead(NamedTuple):
    """A lead as it is read: one part is a single, a pair or a tractor, more are a throw; the longest part is first."""

    suit: str
    parts: tuple[Part, ...]

    @property
    def cards(self) -> Cards:
        return tuple(sorted(chain(*(part.cards for part in self.parts))))

    @property
    def size(self) -> int:
        return len(self.cards)

    @property
    def is_throw(self) -> bool:
        return len(self.parts) > 1


def part_of(order: Order, paired: Sequence[str]) -> Part:
    """The pair or tractor of these pairs."""
    cards = tuple(card for card in paired for _ in range(2))
    return Part(len(paired), cards, max(order.strengths[card] for card in paired))


def decompose(order: Order, cards: Sequence[str]) -> tuple[Part, ...]:
    """The parts of some cards of one suit: the longest tractors first, then pairs and singles; the highest first."""
    paired, parts = order.pairs(cards), []
    while length := order.longest_run(paired):
        run = order.runs(paired, length)[0]
        parts.append(part_of(order, run))
        paired = [card for card in paired if card not in run]
    parts += [part_of(order, [card]) for card in paired]
    singles = [card for card in cards if cards.count(card) == 1]
    parts += [Part(0, (card,), order.strengths[card]) for card in singles]
    return tuple(sorted(parts, key=lambda part: (-part.pairs, -part.top, SUITS.index(part.cards[0][0]))))


def led_suit(rules: Rules, order: Order, sent: Sequence[str]) -> str | None:
    """The one suit of a lead, or None where it has two; ``sent`` is in the order of sending, for D6."""
    suit = order.one_suit(sent)
    if suit is None and rules.letters and sent and order.suits[sent[0]] != TRUMP:
        by_letter = all(card[0] == sent[0][0] and card not in JOKERS for card in sent)
        return sent[0][0] if by_letter else None
    return suit


def lead_of(rules: Rules, order: Order, sent: Sequence[str]) -> Lead | None:
    """The lead that these cards are, or None: cards of two suits, or none at all."""
    suit = led_suit(rules, order, sent)
    return Lead(suit, decompose(order, tuple(sent))) if suit else None


def legal_lead(rules: Rules, order: Order, hand: Sequence[str], sent: Sequence[str]) -> bool:
    """Return True if this hand may lead these cards; the challenge to a throw is separate."""
    return held(sent, hand) and lead_of(rules, order, sent) is not None


def plain_leads(order: Order, hand: Sequence[str]) -> Iterator[Lead]:
    """Every single, pair and tractor of a hand."""
    for suit in (*SUITS, TRUMP):
        cards = order.of_suit(hand, suit)
        paired = order.pairs(cards)
        for card in sorted(set(cards)):
            yield Lead(suit, (Part(0, (card,), order.strengths[card]),))
        for length in range(1, len(paired) + 1):
            for run in order.runs(paired, length):
                yield Lead(suit, (part_of(order, run),))


def all_leads(order: Order, hand: Sequence[str]) -> Iterator[Lead]:
    """Every lead of a hand, throws among them: each choice of cards of one suit (D6 is left out)."""
    for suit in (*SUITS, TRUMP):
        cards = order.of_suit(hand, suit)
        for size in range(1, len(cards) + 1):
            for chosen in subsets(cards, size):
                yield Lead(suit, decompose(order, chosen))


# --- The challenge to a throw ---------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Result of a lead: the cards on the table, and the price of a failed throw."""

    lead: Lead
    price: int
    failed: tuple[Part, ...]  # the beatable parts


def beatable(order: Order, part: Part, suit: str, hand: Sequence[str]) -> bool:
    """Return True if the hand has a higher part of the same form in that suit."""
    cards = order.of_suit(hand, suit)
    if part.pairs == 0:
        return any(order.strengths[card] > part.top for card in cards)
    runs = order.runs(order.pairs(cards), part.pairs)
    return any(order.strengths[run[-1]] > part.top for run in runs)


def challenge(rules: Rules, order: Order, lead: Lead, others: Sequence[Sequence[str]]) -> Outcome:
    """Return the result of a lead against the three other hands."""
    if not lead.is_throw:
        return Outcome(lead, 0, ())
    failed = tuple(part for part in lead.parts if any(beatable(order, part, lead.suit, hand) for hand in others))
    if not failed:
        return Outcome(lead, 0, ())
    price = {"cards": 10 * sum(len(part.cards) for part in failed), "try": 10, "none": 0}[rules.price]
    return Outcome(Lead(lead.suit, (replacement(rules, order, failed),)), price, failed)


def replacement(rules: Rules, order: Order, failed: Sequence[Part]) -> Part:
    """Return the replacement: the beatable part with the lowest top, or only its lowest card."""
    lowest = min(failed, key=lambda part: (part.top, len(part.cards), SUITS.index(part.cards[0][0])))
    if rules.whole_part:
        return lowest
    card = min(lowest.cards, key=lambda card: order.strengths[card])
    return Part(0, (card,), order.strengths[card])


def hand_after_lead(hand: Sequence[str], outcome: Outcome) -> list[str]:
    """Return the hand after the lead, with the cards of a failed throw that were not played."""
    return without(hand, outcome.lead.cards)
