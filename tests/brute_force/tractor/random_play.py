"""Random legal rounds, and random positions within one trick, to check the engine and the referee on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from random import Random
from typing import NamedTuple

from tests.brute_force.tractor.cards import KINDS, NONE, PACK, RANKS, SUITS, TRUMP, Cards, Order, without
from tests.brute_force.tractor.deal import flipped, shows
from tests.brute_force.tractor.follow import follows, legal_follow
from tests.brute_force.tractor.leads import Lead, decompose, plain_leads
from tests.brute_force.tractor.referee import DEALT, KITTY, Round
from tests.brute_force.tractor.rules import Rules

FEW = 3000  # answers that are listed before one is drawn
THROWS = 0.2  # how often a random leader throws if possible


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
        suited = rng.sample(mine, min(lead.size, len(mine)))
        guess = suited + rng.sample(others, min(lead.size, len(hand)) - len(suited))
        if legal_follow(rules, order, lead, hand, guess):
            return tuple(guess)
    return rng.choice(sorted(islice(follows(rules, order, lead, hand), FEW)))


def dealt(rng: Random, rules: Rules, level: str, banker: int | None, shy: float = 0.5) -> Round:
    """Deal a random round up to the burying; with probability ``shy`` a seat does not show cards it could."""
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
    """A lead and a hand that answers it; the other hands do not matter."""

    order: Order
    lead: Lead
    hand: list[str]


def crowded(rng: Random, order: Order) -> list[str]:
    """Return the kinds of cards in random order, often with one or two suits and adjacent ranks first."""
    suits = {order.suits[rng.choice(KINDS)] for _ in range(rng.choice([1, 1, 2, 3]))}
    low, width = rng.randrange(16), rng.choice([4, 6, 9, 16])
    near = {(low + step) % 16 for step in range(width)}
    kinds = rng.sample(KINDS, len(KINDS))
    kinds.sort(key=lambda card: order.strengths[card] not in near)
    if rng.random() < 0.8:
        kinds.sort(key=lambda card: order.suits[card] not in suits)
    return kinds


def crowded_hands(rng: Random, order: Order, size: int, seats: int) -> list[list[str]]:
    """Draw hands of a given size from one pack, with many pairs and tractors."""
    hands: list[list[str]] = [[] for _ in range(seats)]
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


def random_order(rng: Random, rules: Rules) -> Order:
    return rules.order(rng.choice(RANKS), rng.choice((*SUITS, NONE)))


def random_state(rng: Random, rules: Rules, largest: int = 25, longest: int = 25) -> State:
    """Draw a lead and a hand of bounded sizes, with many pairs and tractors."""
    while True:
        order = random_order(rng, rules)
        leader, hand = crowded_hands(rng, order, rng.randint(1, largest), 2)
        if not leader:
            continue
        lead = crowded_lead(rng, order, leader)
        if lead.size <= min(len(hand), longest):
            return State(order, lead, sorted(hand))


class Throw(NamedTuple):
    """A throw before its challenge, the hand that throws (including the throw) and the three others in turn."""

    order: Order
    lead: Lead
    hand: list[str]
    others: list[list[str]]


def weakened(rng: Random, order: Order, lead: Lead, hand: list[str], others: list[list[str]]) -> list[list[str]]:
    """The other hands with most of what is higher than the lowest part exchanged for cards of other suits."""
    unseen = [card for card in without(PACK, chain(hand, *others)) if order.suits[card] != lead.suit]
    rng.shuffle(unseen)
    lowest = min(part.top for part in lead.parts)

    def is_exchanged(card: str) -> bool:
        higher = order.suits[card] == lead.suit and order.strengths[card] > lowest
        return higher and bool(unseen) and rng.random() < 0.95

    return [[unseen.pop() if is_exchanged(card) else card for card in other] for other in others]


def random_throw(rng: Random, rules: Rules, largest: int = 25) -> Throw:
    """Draw a throw of at least two parts, mostly of high cards, so that some stand and some fail."""
    while True:
        order = random_order(rng, rules)
        hand, *others = crowded_hands(rng, order, rng.randint(2, largest), 4)
        suit = order.suits[rng.choice(hand or list(KINDS))]
        cards = sorted(order.of_suit(hand, suit), key=lambda card: order.strengths[card])
        high = cards[-rng.randint(2, 8) :] if rng.random() < 0.6 else cards
        chosen = rng.sample(high, rng.randint(1, len(high))) if high else []
        lead = Lead(suit, decompose(order, chosen))
        if rng.random() < 0.6:
            others = weakened(rng, order, lead, hand, others)
        if lead.is_throw:
            return Throw(order, lead, sorted(hand), [sorted(other) for other in others])


def trumping(rng: Random, order: Order, lead: Lead) -> Cards | None:
    """Return random trumps that cover the parts of a lead, or None."""
    cards: list[str] = []
    for part in lead.parts:
        runs = order.runs([card for card in KINDS if order.suits[card] == TRUMP], max(part.pairs, 1))
        free = [run for run in runs if not set(run) & set(cards)]
        if not free:
            return None
        cards += [card for card in rng.choice(free) for _ in range(2 if part.pairs else 1)]
    return tuple(cards)


def random_trick(rng: Random, rules: Rules) -> tuple[Order, Lead, list[Cards]]:
    """Draw a lead and three answers of the same size, many of which could take it; hands are ignored."""
    order, lead, _ = random_state(rng, rules, 20, 10)
    answers: list[Cards] = []
    for _ in range(3):
        cards = None
        if rng.random() < 0.7:
            cards = trumping(rng, order, lead)
        elif rng.random() < 0.7:
            same = [
                candidate
                for candidate in plain_leads(order, order.of_suit(PACK, lead.suit))
                if candidate.size == lead.size
            ]
            cards = rng.choice(same).cards if same else None
        answers.append(cards or tuple(rng.sample(PACK, lead.size)))
    return order, lead, answers
