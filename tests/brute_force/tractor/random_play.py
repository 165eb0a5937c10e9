"""Random legal rounds, and random positions within one trick, to check the engine and the referee on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from tests.brute_force.tractor.cards import KINDS, NONE, PACK, RANKS, SUITS, Cards, Order
from tests.brute_force.tractor.deal import flipped, shows
from tests.brute_force.tractor.follow import follows, legal_follow
from tests.brute_force.tractor.leads import Lead, decompose, plain_leads
from tests.brute_force.tractor.referee import DEALT, KITTY, Round
from tests.brute_force.tractor.rules import Rules

FEW = 3000  # answers that are listed before one is drawn
THROWS = 0.2  # how often a random leader throws where he can


def random_lead(rng: Random, order: Order, hand: Sequence[str], throws: float = THROWS) -> Lead:
    """A single, pair or tractor, each as likely; or now and then some cards of one suit, whatever they are."""
    if rng.random() < throws:
        cards = order.of_suit(hand, order.suits[rng.choice(hand)])
        chosen = rng.sample(cards, rng.randint(1, min(len(cards), rng.choice([2, 3, 4, 6, 9, 25]))))
        return Lead(order.suits[chosen[0]], decompose(order, chosen))
    return rng.choice(list(plain_leads(order, hand)))


def random_answer(rng: Random, rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> Cards:
    """A legal answer: guessed at where that is easily done, else drawn from the list of all."""
    mine = order.of_suit(hand, lead.suit)
    others = [card for card in hand if card not in mine]
    for _ in range(20):
        some = rng.sample(mine, min(lead.size, len(mine)))
        guess = some + rng.sample(others, min(lead.size, len(hand)) - len(some))
        if legal_follow(rules, order, lead, hand, guess):
            return tuple(guess)
    return rng.choice(sorted(islice(follows(rules, order, lead, hand), FEW)))


def dealt(rng: Random, rules: Rules, level: str, banker: int | None, shy: float = 0.5) -> Round:
    """A round dealt at random up to the burying; nobody shows as often as ``shy`` though he could."""
    while True:
        one, pack = Round(rules, level, banker), rng.sample(PACK, len(PACK))
        for card in pack[:DEALT]:
            one.deal(card)
            choices = list(shows(rules, level, one.shown, one.hands[one.turn]))
            one.show([] if rng.random() < shy else rng.choice(choices))
        if one.stage == "undeclared":
            kitty = pack[DEALT:]
            trump = flipped(level, kitty) if rules.undeclared == "flip" else rng.choice(SUITS)
            one.undeclared(trump, None if one.given else rng.randrange(4), kitty)
        if one.stage == "bury":
            return one


def play_out(rng: Random, one: Round) -> None:
    """The rest of a round from the burying on, at random."""
    one.bury(rng.sample(one.hands[one.turn], KITTY))
    while one.stage == "play":
        order, hand = one.order, one.hands[one.turn]
        if one.lead is None:
            one.play(random_lead(rng, order, hand).cards)
        else:
            one.play(random_answer(rng, one.rules, order, one.lead, hand))


def random_round(seed: int, rules: Rules, level: str = "2", banker: int | None = None) -> Round:
    """A whole round; equal seeds give equal rounds."""
    rng = Random(seed)
    one = dealt(rng, rules, level, banker)
    play_out(rng, one)
    return one


class State(NamedTuple):
    """A hand that must answer a lead; the other hands and the rest of the pack play no part."""

    order: Order
    lead: Lead
    hand: list[str]


def crowded(rng: Random, order: Order) -> list[str]:
    """The kinds of cards in random order, often those of one or two suits and of adjacent ranks first."""
    suits = {order.suits[rng.choice(KINDS)] for _ in range(rng.choice([1, 1, 2, 3]))}
    low, width = rng.randrange(16), rng.choice([4, 6, 9, 16])
    near = {(low + step) % 16 for step in range(width)}
    kinds = rng.sample(KINDS, len(KINDS))
    kinds.sort(key=lambda card: order.strengths[card] not in near)
    if rng.random() < 0.8:
        kinds.sort(key=lambda card: order.suits[card] not in suits)
    return kinds


def two_hands(rng: Random, order: Order, size: int) -> tuple[list[str], list[str]]:
    """Two hands of so many cards out of one pack, both with many pairs and tractors."""
    hands: tuple[list[str], list[str]] = ([], [])
    pairing = rng.choice([0.3, 0.7, 0.9])
    for card in crowded(rng, order):
        chosen = rng.choice(hands)
        for hand in (chosen, chosen if rng.random() < pairing else rng.choice(hands)):
            if len(hand) < size:
                hand.append(card)
    return hands


def crowded_lead(rng: Random, order: Order, hand: Sequence[str]) -> Lead:
    """A lead of one part, each number of pairs as likely; or as often a throw, if there is one."""
    if rng.random() < 0.5:
        return random_lead(rng, order, hand, throws=1)
    leads: dict[int, list[Lead]] = {}
    for lead in plain_leads(order, hand):
        leads.setdefault(lead.parts[0].pairs, []).append(lead)
    return rng.choice(leads[rng.choice(sorted(leads))])


def random_state(rng: Random, rules: Rules, largest: int = 25, longest: int = 25) -> State:
    """A lead of at most so many cards and a hand of at most so many to answer it, with many pairs and tractors."""
    while True:
        order = rules.order(rng.choice(RANKS), rng.choice((*SUITS, NONE)))
        size = rng.randint(1, largest)
        leader, hand = two_hands(rng, order, size)
        lead = crowded_lead(rng, order, leader)
        if lead.size <= min(len(hand), longest):
            return State(order, lead, sorted(hand))
