"""Following: the sets of cards that answer a lead (§7), as a check (``legal_follow``) and as a list.

``follows_by_subsets`` checks every subset of the hand; ``follows`` builds only the legal ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tests.brute_force.tractor.cards import JOKERS, Cards, Order, held, subsets, without
from tests.brute_force.tractor.leads import Lead, decompose
from tests.brute_force.tractor.rules import Rules


def owed_parts(rules: Rules, lead: Lead) -> tuple[int, ...]:
    """Return the parts that a lead requires: the pairs of each tractor, 1 for each pair, longest first."""
    lengths = tuple(part.pairs for part in lead.parts if part.pairs)
    if lead.is_throw and not rules.throws_ask and not any(length > 1 for length in lengths):
        return ()
    return lengths


def size_of(lead: Lead, hand: Sequence[str]) -> int:
    """Return the number of cards to play: as many as were led; only D5 can leave a seat fewer."""
    return min(lead.size, len(hand))


# --- Checks of a set of cards -----------------------------------------------------------------------------------------


def legal_follow(rules: Rules, order: Order, lead: Lead, hand: Sequence[str], cards: Sequence[str]) -> bool:
    """Return True if a hand may answer the lead with these cards."""
    if not held(cards, hand) or len(cards) != size_of(lead, hand):
        return False
    if rules.revokes and revokes(rules, order, lead, hand, cards):
        return True
    mine, played = order.of_suit(hand, lead.suit), order.of_suit(cards, lead.suit)
    if len(mine) <= lead.size:
        return len(played) == len(mine)  # all of the suit, and the rest is free
    if len(played) < lead.size:
        return False
    return answers(rules, order, owed_parts(rules, lead), order.pairs(mine), order.pairs(played))


def answers(rules: Rules, order: Order, owed: tuple[int, ...], mine: list[str], played: list[str]) -> bool:
    """Return True if the played pairs give the owed parts, one by one."""
    if not owed:
        return True
    for chosen, still in steps(rules, order, owed, mine):
        if set(chosen) <= set(played):
            rest = [card for card in played if card not in chosen]
            if answers(rules, order, still, [card for card in mine if card not in chosen], rest):
                return True
    return False


def owed_run(rules: Rules, order: Order, mine: Sequence[str]) -> int:
    """The pairs of the longest tractor in hand that one is held to have: B does not count the joker tractor."""
    return order.longest_run(mine if rules.owes_jokers else [card for card in mine if card not in JOKERS])


def steps(
    rules: Rules, order: Order, owed: tuple[int, ...], mine: list[str]
) -> Iterator[tuple[Cards, tuple[int, ...]]]:
    """Yield the ways to give the first owed part from the pairs in hand: the pairs, and the parts still owed."""
    length, later = owed[0], owed[1:]
    run = owed_run(rules, order, mine)
    if run >= length > 1:
        yield from ((chosen, later) for chosen in order.runs(mine, length))
    elif run and length > 1 and rules.short_tractors:
        yield from ((chosen, (length - run, *later)) for chosen in order.runs(mine, run))
    else:
        yield from ((chosen, later) for chosen in combinations(mine, min(length, len(mine))))


def revokes(rules: Rules, order: Order, lead: Lead, hand: Sequence[str], cards: Sequence[str]) -> bool:
    """D1: allow a pair or tractor of any suit if the hand has the suit led, but not its form."""
    length = lead.parts[0].pairs
    mine = order.of_suit(hand, lead.suit)
    if lead.is_throw or not length or not mine or order.one_suit(cards) is None:
        return False
    paired = order.pairs(mine)
    has_form = bool(paired) if length == 1 else owed_run(rules, order, paired) >= length
    return not has_form and [part.pairs for part in decompose(order, cards)] == [length]


# --- Written down as a list -----------------------------------------------------------------------------------------


def follows_by_subsets(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> set[Cards]:
    """Return every legal answer, by checking each subset of the hand."""
    choices = {tuple(sorted(chosen)) for chosen in combinations(hand, size_of(lead, hand))}
    return {chosen for chosen in choices if legal_follow(rules, order, lead, hand, chosen)}


def follows(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> set[Cards]:
    """Return every legal answer, built from the owed pairs and any cards to fill up."""
    return {tuple(sorted(cards)) for cards in build_follows(rules, order, lead, hand)} | set(
        revoking(rules, order, lead, hand) if rules.revokes else ()
    )


def build_follows(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> Iterator[Cards]:
    """Yield the answers that follow suit, possibly with repetitions."""
    mine = order.of_suit(hand, lead.suit)
    missing = size_of(lead, hand) - len(mine)
    if missing >= 0:
        others = without(hand, mine)
        yield from ((*mine, *filler) for filler in subsets(others, missing))
        return
    for owed in owed_pairs(rules, order, owed_parts(rules, lead), order.pairs(mine)):
        cards = tuple(card for card in owed for _ in range(2))
        yield from ((*cards, *filler) for filler in subsets(without(mine, cards), lead.size - len(cards)))


def owed_pairs(rules: Rules, order: Order, owed: tuple[int, ...], mine: list[str]) -> set[frozenset[str]]:
    """Return the sets of pairs, each as one card, that give the owed parts."""
    if not owed:
        return {frozenset()}
    pair_sets = set()
    for chosen, still in steps(rules, order, owed, mine):
        left = [card for card in mine if card not in chosen]
        pair_sets |= {pairs | set(chosen) for pairs in owed_pairs(rules, order, still, left)}
    return pair_sets


def revoking(rules: Rules, order: Order, lead: Lead, hand: Sequence[str]) -> Iterator[Cards]:
    """The combinations that D1 lets through."""
    for length in {lead.parts[0].pairs} - {0}:
        for suit in {order.suits[card] for card in hand}:
            for run in order.runs(order.pairs(order.of_suit(hand, suit)), length):
                cards = tuple(sorted(2 * run))
                if revokes(rules, order, lead, hand, cards):
                    yield cards
