"""The brute force of Tractor: following (§7), its numbers with hands written out, and the two lists of it agree."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from tests.brute_force.tractor.cards import JOKERS, PACK, Order
from tests.brute_force.tractor.follow import follows, follows_by_subsets, legal_follow
from tests.brute_force.tractor.leads import Lead, decompose, lead_of
from tests.brute_force.tractor.random_play import State, random_answer, random_state
from tests.brute_force.tractor.rules import BOTZONE, PROFILES, STANDARD, Rules, variant
from tests.effort import amount

BOTH = pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)
HOLE = variant(BOTZONE, revokes=True)


def lead(rules: Rules, order: Order, cards: str) -> Lead:
    parsed = lead_of(rules, order, cards.split())
    assert parsed, f"{cards} is no lead"
    return parsed


def answers(rules: Rules, level: str, trump: str, led: str, hand: str) -> set[str]:
    """The legal answers as texts, after both lists agree on them."""
    order = rules.order(level, trump)
    plays = follows(rules, order, lead(rules, order, led), hand.split())
    assert plays == follows_by_subsets(rules, order, lead(rules, order, led), hand.split())
    return {" ".join(cards) for cards in plays}


def texts(text: str) -> set[str]:
    """Answers written with " / " between them, the cards of each in any order."""
    return {" ".join(sorted(cards.split())) for cards in text.split(" / ")}


CASES = [  # lead, hand, answers; level 2, hearts trump
    # 1 suit, 2 single
    ("S9", "S3 S3 SA H3 C4", "S3 / SA"),
    ("S9", "C4 H3 HR D2", "C4 / H3 / HR / D2"),  # void: discard or trump
    ("S9", "S2 S4 CA", "S4"),  # the off-suit level card is trump
    ("H9", "S2 S4 CA SB", "S2 / SB"),  # level cards and jokers follow a trump lead
    # 2 pair
    ("S9 S9", "S3 S3 S4 S6 S6 H3", "S3 S3 / S6 S6"),
    ("S9 S9", "S3 S4 S6 H3 H3", "S3 S4 / S3 S6 / S4 S6"),
    ("S9 S9", "S3 H3 H3 C4", "S3 H3 / S3 C4"),  # all of the suit plus any
    ("S9 S9", "H3 H3 C4", "H3 H3 / H3 C4"),
    ("S9 S9", "S3 S3 H3", "S3 S3"),
    ("H9 H9", "S2 C2 D2 D2 SB", "D2 D2"),
    ("H9 H9", "S2 C2 SB", "S2 C2 / S2 SB / C2 SB"),  # two level cards of two suits are no pair
    # 3 tractor
    ("S9 S9 ST ST", "S3 S3 S4 S4 S6 S6 SA", "S3 S3 S4 S4"),
    ("S9 S9 ST ST", "S3 S3 S4 S4 S5 S5", "S3 S3 S4 S4 / S4 S4 S5 S5"),  # out of a longer one
    ("S9 S9 ST ST", "S3 S3 S5 S5 S7 S7 SA", "S3 S3 S5 S5 / S3 S3 S7 S7 / S5 S5 S7 S7"),
    ("S9 S9 ST ST", "S3 S3 S5 S6 SA", "S3 S3 S5 S6 / S3 S3 S5 SA / S3 S3 S6 SA"),
    ("S9 S9 ST ST", "S3 S4 S5 S6", "S3 S4 S5 S6"),
    ("S9 S9 ST ST", "S3 S4 S5 C4 C4", "S3 S4 S5 C4"),
    ("S9 S9 ST ST", "S3 S4 C4 C4 H5", "S3 S4 C4 C4 / S3 S4 C4 H5"),
    ("S9 S9 ST ST SJ SJ", "S3 S3 S5 S5 S7 S7 S9 SA", "S3 S3 S5 S5 S7 S7"),
    ("S9 S9 ST ST SJ SJ", "S3 S3 S5 S5 S7 S9 SA", "S3 S3 S5 S5 S7 S9 / S3 S3 S5 S5 S7 SA / S3 S3 S5 S5 S9 SA"),
    # 5 void or short
    ("S9 S9", "H3 H4 H4", "H3 H4 / H4 H4"),
    ("SA SK SK", "S3 H4 C5 C5", "S3 H4 C5 / S3 C5 C5"),
    ("SA SK SK", "S3 S4 S5 C5", "S3 S4 S5"),
]


@pytest.mark.parametrize(("led", "hand", "expected"), CASES)
@BOTH
def test_legal_follows(rules: Rules, led: str, hand: str, expected: str) -> None:
    assert answers(rules, "2", "H", led, hand) == texts(expected)


PROFILE_CASES = [  # lead, hand, answers in S, answers in B; level 2, hearts trump
    (  # a shorter tractor goes before loose pairs in S only
        "S9 S9 ST ST SJ SJ", "S3 S3 S4 S4 S6 S6 S8 S8",
        "S3 S3 S4 S4 S6 S6 / S3 S3 S4 S4 S8 S8",
        "S3 S3 S4 S4 S6 S6 / S3 S3 S4 S4 S8 S8 / S3 S3 S6 S6 S8 S8 / S4 S4 S6 S6 S8 S8",
    ),
    (  # the joker tractor in hand is not owed in B, its pairs count as pairs
        "H9 H9 HT HT", "SB SB HR HR H3 H3 HA",
        "SB SB HR HR", "SB SB HR HR / SB SB H3 H3 / HR HR H3 H3",
    ),
    ("H9 H9 HT HT", "SB SB HR HR H3 H5", "SB SB HR HR", "SB SB HR HR"),  # the only two pairs there are
    (  # it follows a tractor with a tractor where another one is held (O9)
        "H9 H9 HT HT", "SB SB HR HR H3 H3 H4 H4", "SB SB HR HR / H3 H3 H4 H4", "SB SB HR HR / H3 H3 H4 H4",
    ),
    (  # tractors of the top chain
        "H9 H9 HT HT", "HA HA C2 C2 H5 H5 H7", "HA HA C2 C2", "HA HA C2 C2 / HA HA H5 H5 / C2 C2 H5 H5",
    ),
    ("H9 H9 HT HT", "C2 C2 H2 H2 S2 S2 H7", "C2 C2 H2 H2 / S2 S2 H2 H2",
     "C2 C2 H2 H2 / S2 S2 H2 H2 / S2 S2 C2 C2"),
    # 4 throws: for pairs and singles B requires only the suit
    ("SA SK SK", "S3 S3 S4 S5", "S3 S3 S4 / S3 S3 S5", "S3 S3 S4 / S3 S3 S5 / S3 S4 S5"),
    ("SA SK SK", "S3 S4 S5 S6", "S3 S4 S5 / S3 S4 S6 / S3 S5 S6 / S4 S5 S6",
     "S3 S4 S5 / S3 S4 S6 / S3 S5 S6 / S4 S5 S6"),
    ("SA SA SQ SQ", "S3 S3 S4 S5 S6", "S3 S3 S4 S5 / S3 S3 S4 S6 / S3 S3 S5 S6",
     "S3 S3 S4 S5 / S3 S3 S4 S6 / S3 S3 S5 S6 / S3 S4 S5 S6"),
    ("SA SQ", "S3 S3 S4", "S3 S3 / S3 S4", "S3 S3 / S3 S4"),
]  # fmt: skip


@pytest.mark.parametrize(("led", "hand", "in_standard", "in_botzone"), PROFILE_CASES)
def test_legal_follows_by_profile(led: str, hand: str, in_standard: str, in_botzone: str) -> None:
    assert answers(STANDARD, "2", "H", led, hand) == texts(in_standard)
    assert answers(BOTZONE, "2", "H", led, hand) == texts(in_botzone)


@pytest.mark.parametrize(
    ("led", "hand", "expected"),
    [
        # D2: that judge dies; each part as in 2 and 3, longest first, in both profiles
        ("SA SQ SQ SJ SJ", "S3 S3 S4 S4 S6 S7", "S3 S3 S4 S4 S6 / S3 S3 S4 S4 S7"),
        ("SA SQ SQ SJ SJ", "S3 S3 S5 S5 S6 S7", "S3 S3 S5 S5 S6 / S3 S3 S5 S5 S7"),
        ("SA SQ SQ SJ SJ", "S3 S3 S5 S6 S7 S8", "S3 S3 S5 S6 S7 / S3 S3 S5 S6 S8 / S3 S3 S5 S7 S8 / S3 S3 S6 S7 S8"),
        ("SA SA SQ SQ SJ SJ", "S3 S3 S5 S5 S6 S6 S8 S9", "S5 S5 S6 S6 S3 S3"),
        ("SA SA SQ SQ SJ SJ", "S5 S5 S6 S6 S8 S9 ST",
         "S5 S5 S6 S6 S8 S9 / S5 S5 S6 S6 S8 ST / S5 S5 S6 S6 S9 ST"),
        ("SA SA SK SK SJ SJ ST ST", "S3 S3 S4 S4 S5 S5 S7 S7 S8 S8",  # two tractors of two pairs
         "S3 S3 S4 S4 S7 S7 S8 S8 / S4 S4 S5 S5 S7 S7 S8 S8"),
    ],
)  # fmt: skip
@BOTH
def test_legal_follows_of_a_throw_with_a_tractor(rules: Rules, led: str, hand: str, expected: str) -> None:
    assert answers(rules, "2", "H", led, hand) == texts(expected)


def test_follows_of_a_throw_with_shorter_tractors() -> None:
    """A throw's tractor of three requires a tractor of two first in S, any three pairs in B."""
    led, hand = "SA S9 S9 ST ST SJ SJ", "S3 S3 S4 S4 S6 S6 S8 S8"
    assert len(answers(STANDARD, "2", "H", led, hand)) == 2 * 1
    assert len(answers(BOTZONE, "2", "H", led, hand)) == 4 * 1
    assert answers(STANDARD, "2", "H", led, hand) == texts("S3 S3 S4 S4 S6 S6 S8 / S3 S3 S4 S4 S8 S8 S6")


def test_void_seat_may_play_any_cards() -> None:
    """12,650 sets of four where all 25 cards differ."""
    hand = list(dict.fromkeys(card for card in PACK if card[0] in "CD" and card[1] != "2"))
    hand += ["SB"]
    order = STANDARD.order("2", "N")
    assert len(hand) == 25
    assert len(follows(STANDARD, order, lead(STANDARD, order, "S3 S3 S4 S4"), hand)) == 12_650


def test_follows_with_the_revoke_switch() -> None:
    """D1: off, suit is followed; on, a trump pair or tractor is let through where the suit has none."""
    plain = "S3 S4 / S3 S6 / S4 S6"
    assert answers(BOTZONE, "2", "H", "S9 S9", "S3 S4 S6 H3 H3 C4 C4") == texts(plain)
    assert answers(HOLE, "2", "H", "S9 S9", "S3 S4 S6 H3 H3 C4 C4") == texts(plain + " / H3 H3 / C4 C4")
    assert answers(HOLE, "2", "H", "S9 S9", "S3 S3 S6 H3 H3") == {"S3 S3"}
    assert answers(HOLE, "2", "H", "S9", "S3 H3 H3") == {"S3"}
    short = "S3 H3 / S3 H4"
    assert answers(HOLE, "2", "H", "S9 S9", "S3 H3 H3 H4") == texts(short + " / H3 H3")
    tractor = "H3 H3 H4 H4 S5 S5 S7 S9"
    assert answers(BOTZONE, "2", "H", "SJ SJ SQ SQ", tractor) == texts("S5 S5 S7 S9")
    assert answers(HOLE, "2", "H", "SJ SJ SQ SQ", tractor) == texts("S5 S5 S7 S9 / H3 H3 H4 H4")
    assert answers(HOLE, "2", "H", "SJ SJ SQ SQ", "H3 H3 H4 H4 S5 S5 S6 S6 S9") == texts("S5 S5 S6 S6")
    assert answers(HOLE, "2", "H", "SJ SJ SA", "S5 S6 S7 H3 H3 H4") == {"S5 S6 S7"}  # not for throws


@BOTH
def test_follows_reject_missing_cards_and_wrong_counts(rules: Rules) -> None:
    order = rules.order("2", "H")
    pair, hand = lead(rules, order, "S9 S9"), ["S3", "S3", "S4"]
    assert legal_follow(rules, order, pair, hand, ["S3", "S3"])
    for cards in (["S3"], ["S3", "S3", "S4"], ["S4", "S4"], ["S6", "S6"], []):
        assert not legal_follow(rules, order, pair, hand, cards)


# --- The lists agree --------------------------------------------------------------------------------------------


def states(seed: int, count: int, rules: Rules, largest: int, longest: int) -> list[State]:
    rng = Random(seed)
    return [random_state(rng, rules, largest, longest) for _ in range(count)]


RULES = {**PROFILES, "revokes": HOLE, "standard without": variant(STANDARD, short_tractors=False)}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_follows_equal_follows_by_subsets(rules: Rules) -> None:
    """``follows`` and ``follows_by_subsets`` on random states; every state has an answer, and drawn ones are legal."""
    rng = Random(1)
    for state in states(2, amount(60, 400), rules, 12, 12):
        plays = follows_by_subsets(rules, *state)
        assert plays
        assert follows(rules, *state) == plays, state
        assert tuple(sorted(random_answer(rng, rules, *state))) in plays


def follows_by_counts(rules: Rules, order: Order, lead: Lead, hand: Sequence[str], cards: Sequence[str]) -> bool:
    """Check §7.1 to 7.3 and 7.5 for leads of one part, by counting."""
    mine, played = order.of_suit(hand, lead.suit), order.of_suit(cards, lead.suit)
    if len(played) != min(len(mine), lead.size):
        return False
    if len(mine) < lead.size:
        return True
    num_pairs = lead.parts[0].pairs
    paired = order.pairs(mine)
    known = paired if rules.owes_jokers else [card for card in paired if card not in JOKERS]
    if num_pairs > 1 and any(order.runs(known, num_pairs)):
        return [part.pairs for part in decompose(order, played)] == [num_pairs]
    enough = len(order.pairs(played)) >= min(num_pairs, len(paired))
    if enough and num_pairs > 2 and rules.short_tractors and order.longest_run(paired):
        return order.longest_run(order.pairs(played)) == order.longest_run(paired)
    return enough


@BOTH
def test_follows_of_one_part_equal_follows_by_counts(rules: Rules) -> None:
    """Leads of up to four pairs; for longer ones, S requires a tractor again from the remaining pairs."""
    seen = 0
    for order, led, hand in states(3, amount(300, 800), rules, 12, 8):
        if led.is_throw or led.parts[0].pairs > 4:
            continue
        seen += led.parts[0].pairs > 1
        choices = {tuple(sorted(chosen)) for chosen in combinations(hand, led.size)}
        expected = {chosen for chosen in choices if follows_by_counts(rules, order, led, hand, chosen)}
        if led.parts[0].pairs < 4:
            assert follows(rules, order, led, hand) == expected, (led, hand)
        else:
            assert follows(rules, order, led, hand) <= expected, (led, hand)
    assert seen > amount(12, 30)


def test_random_states_are_varied() -> None:
    """Leads of every form, hands that follow in full, in part and not at all, tractors answered by tractors."""
    samples = states(4, 600, STANDARD, 14, 14)
    assert {len(state.lead.parts) for state in samples} >= {1, 2, 3, 4}
    assert {state.lead.parts[0].pairs for state in samples} >= {0, 1, 2, 3}
    assert {state.order.trump for state in samples} == set("SHCDN")
    held = [(len(state.order.of_suit(state.hand, state.lead.suit)), state.lead.size) for state in samples]
    assert min(sum(mine > size for mine, size in held), sum(mine == 0 for mine, _ in held)) > 50
    assert sum(0 < mine < size for mine, size in held) > 25
    tractors = [state for state in samples if state.lead.parts[0].pairs > 1]
    owed = [order.longest_run(order.pairs(order.of_suit(hand, led.suit))) for order, led, hand in tractors]
    assert min(sum(length == 0 for length in owed), sum(length > 1 for length in owed)) > 20
