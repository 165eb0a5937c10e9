"""Following: which sets of cards answer a lead (§7), asked of a set (``legal_follow``) and written down as a list.

``follows_by_subsets`` asks of every choice of cards of the hand; ``follows`` builds only those that will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tests.brute_force.tractor.cards import JOKERS, Cards, Order, held, subsets, without
from tests.brute_force.tractor.leads import Lead, decompose
from tests.brute_force.tractor.rules import Rules


def asked(rules: Rules, lead: Lead) -> tuple[int, ...]:
    """What a lead asks of those who have cards enough: pairs of each tractor, 1 for each pair; the longest first."""
    lengths = tuple(part.pairs for part in lead.parts if part.pairs)
    if lead.is_throw and not rules.throws_ask and not any(length > 1 for length in lengths):
        return ()
    return lengths


def size_of(lead: Lead, hand: Sequence[str]) -> int:
    """How many cards to play: as many as were led; D5 alone can leave somebody fewer."""
    return min(lead.size, len(hand))


# --- Asked of a set of cards ----------------------------------------------------------------------------------------


def legal_follow(rules: Rules, order: Order, lead: Lead, hand: Sequence[str], cards: Sequence[str]) -> bool:
    """Whether a hand may answer the lead with these cards."""
    if not held(cards, hand) or len(cards) != size_of(lead, hand):
        return False
    if rules.revokes and revokes(rules, order, lead, hand, cards):
        return True
    mine, played = order.of_suit(hand, lead.suit), order.of_suit(cards, lead.suit)
    if len(mine) <= lead.size:
        return len(played) == len(mine)  # all of the suit, and the rest is free
    if len(played) < lead.size:
        return False
    return answers(rules, order, asked(rules, lead), order.pairs(mine), order.pairs(played))


def answers(rules: Rules, order: Order, wanted: tuple[int, ...], mine: list[str], played: list[str]) -> bool:
    """Whether the pairs played of those in hand give what is asked, part by part."""
    if not wanted:
        return True
    for chosen, still in steps(rules, order, wanted, mine):
        if set(chosen) <= set(played):
            rest = [card for card in played if card not in chosen]
            if answers(rules, order, still, [card for card in mine if card not in chosen], rest):
                return True
    return False


def owed_run(rules: Rules, order: Order, mine: Sequence[str]) -> int:
    """The pairs of the longest tractor in hand that one is held to have: B does not count the joker tractor."""
    return order.longest_run(mine if rules.owes_jokers else [card for card in mine if card not in JOKERS])


def steps(
    rules: Rules, order: Order, wanted: tuple[int, ...], mine: list[str]
) -> Iterator[tuple[Cards, tuple[int, ...]]]:
    """The ways to give the first of what is asked out of the pairs in hand: the pairs, and what is asked after it."""
    length, later = wanted[0], wanted[1:]
    run = owed_run(rules, order, mine)
    if run >= length > 1:
        yield from ((chosen, later) for chosen in order.runs(mine, length))
    elif run and length > 1 and rules.short_tractors:
        yield from ((chosen, (length - run, *later)) for chosen in order.runs(mine, run))
    else:
        yield from ((chosen, later) for chosen in combinations(mine, min(length, len(mine))))


def revokes(rules: Rules, order: Order, lead: Lead, hand: Sequence[str], cards: Sequence[str]) -> bool:
    """D1: a pair or tractor of any suit where the suit led is held, but nothing of the form in it."""
    length = lead.parts[0].pairs
    mine = order.of_suit(hand, lead.suit)
    if lead.is_throw or not length or not mine or order.one_suit(cards) is None:
        return False
    paired = order.pairs(mine)
    has_form = bool(paired) if length == 1 else owed_run(rules, order, paired) >= length
    return not has_form and [part.pairs for part in decompose(order, cards)] == [length]


# --- Written down as a list -----------------------------------------------------------------------------------------


def follows_by_subsets(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> set[Cards]:
    """Every legal answer, by asking of each choice of cards of the hand."""
    choices = {tuple(sorted(chosen)) for chosen in combinations(hand, size_of(lead, hand))}
    return {chosen for chosen in choices if legal_follow(rules, order, lead, hand, chosen)}


def follows(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> set[Cards]:
    """Every legal answer, by building it: first what is owed, then any cards to fill up."""
    return {tuple(sorted(cards)) for cards in built(rules, order, lead, hand)} | set(
        revoking(rules, order, lead, hand) if rules.revokes else ()
    )


def built(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> Iterator[Cards]:
    """The answers that follow suit, some of them more than once."""
    mine = order.of_suit(hand, lead.suit)
    missing = size_of(lead, hand) - len(mine)
    if missing >= 0:
        others = without(hand, mine)
        yield from ((*mine, *rest) for rest in subsets(others, missing))
        return
    for owed in owed_pairs(rules, order, asked(rules, lead), order.pairs(mine)):
        cards = tuple(card for card in owed for _ in range(2))
        yield from ((*cards, *rest) for rest in subsets(without(mine, cards), lead.size - len(cards)))


def owed_pairs(rules: Rules, order: Order, wanted: tuple[int, ...], mine: list[str]) -> set[frozenset[str]]:
    """The sets of pairs, each as one card, that give what is asked."""
    if not wanted:
        return {frozenset()}
    found = set()
    for chosen, still in steps(rules, order, wanted, mine):
        left = [card for card in mine if card not in chosen]
        found |= {rest | set(chosen) for rest in owed_pairs(rules, order, still, left)}
    return found


def revoking(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> Iterator[Cards]:
    """The combinations that D1 lets through."""
    for length in {lead.parts[0].pairs} - {0}:
        for suit in {order.suits[card] for card in hand}:
            for run in order.runs(order.pairs(order.of_suit(hand, suit)), length):
                cards = tuple(sorted(2 * run))
                if revokes(rules, order, lead, hand, cards):
                    yield cards
