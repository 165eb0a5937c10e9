"""The brute force of Tractor, cards, leads and tricks (§1, §2, §5, §6, §8): their numbers, with hands written out."""

import doctest
from importlib import import_module
from itertools import chain
from random import Random

import pytest

from tests.brute_force import tractor
from tests.brute_force.tractor.cards import (
    KINDS,
    PACK,
    RANKS,
    SUITS,
    Order,
    from_botzone,
    points,
    runs_by_subsets,
    subsets,
)
from tests.brute_force.tractor.leads import (
    Lead,
    all_leads,
    beatable,
    challenge,
    decompose,
    lead_of,
    legal_lead,
    plain_leads,
)
from tests.brute_force.tractor.random_play import crowded_hands, random_order, random_throw, random_trick
from tests.brute_force.tractor.rules import BOTZONE, PROFILES, STANDARD, Rules, variant
from tests.brute_force.tractor.trick import covers, winner
from tests.effort import amount

MODULES = ("cards", "rules", "leads", "follow", "trick", "deal", "score", "referee", "random_play")
BOTH = pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)


def lead(rules: Rules, order: Order, cards: str) -> Lead:
    parsed = lead_of(rules, order, cards.split())
    assert parsed, f"{cards} is no lead"
    return parsed


def shape(rules: Rules, level: str, trump: str, cards: str) -> list[str]:
    """The parts of a lead, each as the sorted text of its cards."""
    parsed = lead(rules, rules.order(level, trump), cards)
    return [" ".join(part.cards) for part in parsed.parts]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(f"{tractor.__name__}.{name}")).failed == 0


# --- §1, §2 ---------------------------------------------------------------------------------------------------------


def test_pack_and_points() -> None:
    assert (len(PACK), len(KINDS), points(PACK)) == (108, 54, 200)
    assert [points([card]) for card in ("S5", "HT", "CK", "DA", "SB", "HR")] == [5, 10, 10, 0, 0, 0]
    assert tuple(sorted(map(from_botzone, range(108)))) == PACK


def ladder(order: Order, suit: str) -> list[str]:
    """The cards of a suit from low to high, equal ones joined."""
    steps: dict[int, list[str]] = {}
    for card in order.of_suit(KINDS, suit):
        steps.setdefault(order.strengths[card], []).append(card)
    return ["=".join(steps[strength]) for strength in sorted(steps)]


@BOTH
def test_order_with_a_trump_suit(rules: Rules) -> None:
    order = rules.order("6", "H")
    high = ["S6=C6=D6", "H6", "SB", "HR"]
    assert ladder(order, "T") == [*("H" + rank for rank in "2345789TJQKA"), *high]
    assert ladder(order, "S") == ["S" + rank for rank in "2345789TJQKA"]
    assert ladder(order, "H") == []


@BOTH
def test_order_without_trumps(rules: Rules) -> None:
    order = rules.order("A", "N")
    assert ladder(order, "T") == ["SA=HA=CA=DA", "SB", "HR"]
    assert ladder(order, "H") == ["H" + rank for rank in "23456789TJQK"]


@BOTH
def test_first_of_equal_cards_wins(rules: Rules) -> None:
    order = rules.order("2", "H")
    for led, answers, taker in [
        ("S2", ["C2", "D2", "S2"], 0),  # off-suit level cards do not beat each other
        ("S2", ["C2", "H2", "H2"], 2),
        ("SA", ["SA", "S3", "S4"], 0),
        ("S2 S2", ["C2 C2", "D2 D2", "H3 H3"], 0),
        ("C3", ["S2", "D2", "C4"], 1),
    ]:
        assert winner(order, lead(rules, order, led), [tuple(answer.split()) for answer in answers]) == taker
    no_trump = rules.order("2", "N")
    assert winner(no_trump, lead(rules, no_trump, "S2"), [("H2",), ("SB",), ("HR",)]) == 3
    assert winner(no_trump, lead(rules, no_trump, "S2"), [("H2",), ("C2",), ("S3",)]) == 0


# --- §5 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "level", "trump", "in_standard", "in_botzone"),
    [
        ("S5 S5 S7 S7", "6", "H", True, True),  # the level is taken out
        ("S5 S5 S6 S6", "6", "H", None, None),  # two suits
        ("H5 H5 H6 H6", "6", "H", False, False),
        ("H5 H5 H7 H7", "6", "H", True, True),
        ("SA SA S2 S2", "6", "H", False, False),  # no wrap
        ("SA SA S3 S3", "2", "H", False, False),
        ("SK SK SA SA", "2", "H", True, True),
        ("S3 S3 S4 S4 S5 S5", "2", "H", True, True),
        ("S3 S3 S5 S5", "2", "H", False, False),
        ("S3 S3 H4 H4", "2", "C", None, None),
        ("SB SB HR HR", "2", "H", True, True),
        ("SB SB HR HR", "2", "N", True, True),
        ("HA HA S2 S2", "2", "H", True, False),  # trump ace, off-suit level
        ("HA HA H2 H2", "2", "H", False, False),
        ("S2 S2 H2 H2", "2", "H", True, False),  # off-suit level, level of the trump suit
        ("S2 S2 C2 C2", "2", "H", False, False),  # equal, not adjacent
        ("H2 H2 SB SB", "2", "H", True, False),  # level of the trump suit, small joker
        ("S2 S2 SB SB", "2", "H", False, False),
        ("H2 H2 SB SB HR HR", "2", "H", True, False),  # three pairs with jokers
        ("HK HK HA HA D2 D2 H2 H2 SB SB HR HR", "2", "H", True, False),
        ("HK HK DA DA", "A", "H", True, False),  # level A: the king is below the level cards
        ("S2 S2 SB SB", "2", "N", True, False),
        ("S2 S2 SB SB HR HR", "2", "N", True, False),
        ("S2 S2 HR HR", "2", "N", False, False),
        ("S3 S3", "2", "H", False, False),
        ("S3 S3 S4", "2", "H", False, False),
    ],
)
def test_tractors_by_profile(
    cards: str, level: str, trump: str, in_standard: bool | None, in_botzone: bool | None
) -> None:
    """Cards that are one tractor, that are not, and (None) that are no lead."""
    for rules, expected in ((STANDARD, in_standard), (BOTZONE, in_botzone)):
        parsed = lead_of(rules, rules.order(level, trump), cards.split())
        assert (parsed and not parsed.is_throw and parsed.parts[0].pairs > 1) == expected


@BOTH
def test_pairs_are_two_identical_cards(rules: Rules) -> None:
    order = rules.order("2", "H")
    assert [part.pairs for part in lead(rules, order, "S3 S3").parts] == [1]
    assert [part.pairs for part in lead(rules, order, "HR HR").parts] == [1]
    assert [part.pairs for part in lead(rules, order, "S2 C2").parts] == [0, 0]  # a throw of two level cards
    assert [part.pairs for part in lead(rules, order, "SB HR").parts] == [0, 0]
    assert lead_of(rules, order, ["S3", "H3"]) is None
    assert lead_of(rules, order, []) is None


@BOTH
def test_decomposition_of_throws(rules: Rules) -> None:
    """Maximal tractors first, the rest into pairs and singles."""
    assert shape(rules, "2", "H", "S3 S3 S4 S4 S5 S5 S7 S7 SA") == ["S3 S3 S4 S4 S5 S5", "S7 S7", "SA"]
    assert shape(rules, "2", "H", "S3 S3 S4 S4 S6 S6 S7 S7") == ["S6 S6 S7 S7", "S3 S3 S4 S4"]
    assert shape(rules, "2", "H", "S3 S4 S5") == ["S5", "S4", "S3"]
    assert shape(rules, "2", "H", "HR HR SB SB H3 H2") == ["SB SB HR HR", "H2", "H3"]


def test_decomposition_of_high_trumps() -> None:
    cards = "HA HA S2 S2 C2 C2 H2 H2 SB SB"
    assert shape(STANDARD, "2", "H", cards) == ["HA HA S2 S2 H2 H2 SB SB", "C2 C2"]
    assert shape(BOTZONE, "2", "H", cards) == ["SB SB", "H2 H2", "S2 S2", "C2 C2", "HA HA"]


def test_number_of_plain_leads() -> None:
    """373 of B (54 + 54 + 265, of 66 runs a suit and the jokers), for any level and trump suit; not 16,441."""
    for level in RANKS:
        for trump in "SN":
            leads = list(plain_leads(BOTZONE.order(level, trump), PACK))
            sizes = [candidate.parts[0].pairs for candidate in leads]
            assert (sizes.count(0), sizes.count(1), len(sizes) - sizes.count(0) - sizes.count(1)) == (54, 54, 265)
            assert len({candidate.cards for candidate in leads}) == 373
            spades = [candidate for candidate in leads if candidate.parts[0].pairs > 1 and candidate.cards[0][0] == "C"]
            assert len(spades) == 66


@pytest.mark.parametrize(("trump", "tractors"), [("H", 3 * 66 + 69 + 3 * 51), ("N", 4 * 66 + 1 + 4 * 2)])
def test_number_of_plain_leads_in_standard(trump: str, tractors: int) -> None:
    """Runs of the trump chain without and with one of the off-suit level pairs."""
    card_sets = {candidate.cards for candidate in plain_leads(STANDARD.order("9", trump), PACK)}
    assert len(card_sets) == 54 + 54 + tractors


@BOTH
def test_runs_equal_runs_by_subsets(rules: Rules) -> None:
    rng = Random(5)
    for _ in range(amount(100, 300)):
        order = random_order(rng, rules)
        hand = crowded_hands(rng, order, 25, 2)[0]
        for suit in [*SUITS, "T"]:
            paired = order.pairs(order.of_suit(hand, suit))
            for length in range(2, len(paired) + 1):
                assert {frozenset(run) for run in order.runs(paired, length)} == runs_by_subsets(order, paired, length)


@BOTH
def test_all_leads_lists_every_lead(rules: Rules) -> None:
    """Singles, pairs, tractors and every throw of one suit: 3 × 3 × 2 − 1 of spades, 2 × 2 − 1 of trumps."""
    hand = ["S3", "S3", "S4", "S4", "S6", "H2", "SB"]
    order = rules.order("2", "H")
    card_sets = [candidate.cards for candidate in all_leads(order, hand)]
    assert len(card_sets) == len(set(card_sets)) == 17 + 3
    assert {candidate.cards for candidate in plain_leads(order, hand)} <= set(card_sets)


@BOTH
def test_legal_leads(rules: Rules) -> None:
    """A lead is cards of one suit in the hand; the challenge to a throw is separate."""
    order, hand = rules.order("2", "H"), ["S3", "S3", "S5", "C5", "C2", "SB"]
    for sent, good in [
        ("S3", True), ("S3 S3", True), ("S3 S5", True), ("S3 S3 S5", True), ("C2 SB", True),
        ("S3 C5", False), ("C5 C2", False), ("S4", False), ("S5 S5", False), ("", False),
    ]:  # fmt: skip
        assert legal_lead(rules, order, hand, sent.split()) == good


def test_leads_of_one_letter() -> None:
    """D6: off, two suits are no lead; on, it hangs on which is sent first."""
    for rules, sent, good in [
        (BOTZONE, "S5 S2", False),
        (variant(BOTZONE, letters=True), "S5 S2", True),
        (variant(BOTZONE, letters=True), "S2 S5", False),
        (variant(BOTZONE, letters=True), "S5 SB", False),
        (variant(BOTZONE, letters=True), "S5 C5", False),
    ]:
        parsed = lead_of(rules, rules.order("2", "H"), sent.split())
        assert (parsed is not None) == good
        assert parsed is None or (parsed.suit, [part.cards for part in parsed.parts]) == ("S", [("S2",), ("S5",)])


# --- §6 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "hand", "is_beaten"),
    [
        ("SK", "SA", True),
        ("SK", "SK", False),
        ("SK", "H3 HR CA", False),  # another suit, trumps too, is nothing bigger in that suit
        ("SK", "SA SA", True),
        ("S9 S9", "ST SJ SQ SK SA", False),  # a pair needs a higher pair
        ("S9 S9", "S3 S3 ST ST", True),
        ("S9 S9 ST ST", "SQ SQ SA SA", False),  # pairs count only if they form a tractor
        ("S9 S9 ST ST", "SQ SQ SK SK", True),
        ("S9 S9 ST ST", "SQ SQ SK SK SA SA", True),  # a longer run as well
        ("S9 S9 ST ST", "S6 S6 S7 S7", False),
        ("S7 S7 S8 S8 S9 S9", "SQ SQ SK SK", False),  # a run of as many pairs at least
        ("H9 H9 HT HT", "SB SB HR HR", True),  # the joker tractor beats any of two pairs
        ("H8 H8 H9 H9 HT HT", "SB SB HR HR", False),
        ("SB SB HR HR", "HK HK HA HA H2 H2 S2 S2", False),  # and cannot be beaten
        ("HR", "HR SB", False),
        ("S2", "C2 D2 D2", False),  # equals are not bigger
        ("S2 S2", "C2 C2", False),
        ("S2 S2", "H2 H2", True),
    ],
)
@BOTH
def test_beatable_parts(rules: Rules, part: str, hand: str, is_beaten: bool) -> None:
    order = rules.order("2", "H")
    parsed = lead(rules, order, part)
    assert beatable(order, parsed.parts[0], parsed.suit, hand.split()) == is_beaten


def test_beatable_high_trumps() -> None:
    """The top chain is a run in S only; tops are compared where two runs share the level (O6)."""
    for rules, expected in ((STANDARD, True), (BOTZONE, False)):
        order = rules.order("2", "H")
        assert beatable(order, lead(rules, order, "HQ HQ HK HK").parts[0], "T", ["HA", "HA", "C2", "C2"]) == expected
    order = STANDARD.order("2", "H")
    assert beatable(order, lead(STANDARD, order, "HA HA S2 S2").parts[0], "T", ["C2", "C2", "H2", "H2"])
    assert not beatable(order, lead(STANDARD, order, "HA HA S2 S2").parts[0], "T", ["HK", "HK", "C2", "C2"])


CHEAP, FREE = variant(STANDARD, price="try"), variant(STANDARD, price="none")


@pytest.mark.parametrize(
    ("sent", "others", "in_botzone", "in_standard"),
    [
        ("SA SK SK", ["SQ SQ", "S3", "H3 HR"], ("SA SK SK", 0), ("SA SK SK", 0)),  # it stands
        ("SA SK SK", ["S3", "S3", "SA SA"], ("SK", 20), ("SK SK", 10)),  # the pair, against any hand with a bigger one
        ("SA SQ SJ", ["S3", "SK", "S3"], ("SJ", 20), ("SJ", 10)),  # two singles, the lowest is played
        ("SQ S9 S9", ["SK", "SJ SJ", "S3"], ("S9", 30), ("S9 S9", 10)),
        ("SQ S4 S4 S5 S5", ["SK", "S9 S9 ST ST", "S3"], ("S4", 50), ("S4 S4 S5 S5", 10)),
        ("SQ S4 S4 S5 S5", ["S9 S9", "S9 S9 SJ SJ", "SA"], ("SQ", 10), ("SQ", 10)),
        ("SQ SQ S4", ["SK SK", "S3", "SA"], ("S4", 30), ("S4", 10)),
        ("SA SA S4 S4 S6 S6", ["S7 S7", "", ""], ("S4", 40), ("S4 S4", 10)),
        ("SB SB HR HR H3", ["H4", "", ""], ("H3", 10), ("H3", 10)),
        ("S3 S3 S4 S4", ["S9 S9 ST ST", "", ""], ("S3 S3 S4 S4", 0), ("S3 S3 S4 S4", 0)),  # no throw, no challenge
        ("S2 C2", ["H2", "", ""], ("S2", 20), ("S2", 10)),  # equal tops: spades first
        ("S2 C2 C2", ["SB SB", "", ""], ("S2", 30), ("S2", 10)),  # equal tops: fewer cards first
    ],
)
def test_challenge_of_throws(
    sent: str, others: list[str], in_botzone: tuple[str, int], in_standard: tuple[str, int]
) -> None:
    """Cards on the table and price at level 2, hearts trump; S takes 10 a throw, or nothing by a switch."""
    for rules, (laid, price) in ((BOTZONE, in_botzone), (STANDARD, in_standard), (FREE, (in_standard[0], 0))):
        order = rules.order("2", "H")
        for turned in range(3):  # whichever seat it is, the partner too
            hands = [hand.split() for hand in (*others[turned:], *others[:turned])]
            outcome = challenge(rules, order, lead(rules, order, sent), hands)
            assert (outcome.lead.cards, outcome.price) == (tuple(sorted(laid.split())), price)


# --- §8 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("led", "answers", "taker"),
    [
        ("S9", "SJ / SK / ST", 2),
        ("S9", "CA / DA / S8", 0),  # other suits take nothing
        ("SA", "H3 / H4 / SA", 2),  # any trump beats a plain suit, the higher trump takes it
        ("H9", "HT / S2 / H2", 3),
        ("H9", "SA / CA / S3", 0),
        ("S9 S9", "SJ SJ / SK SK / SA SQ", 2),  # two singles are no pair
        ("S9 S9", "SA SK / H3 HR / C4 C4", 0),
        ("S9 S9", "H3 H3 / S2 S2 / C2 C2", 2),
        ("S9 S9", "HA HA / S2 C2 / SA SA", 1),
        ("S3 S3 S4 S4", "S6 S6 S7 S7 / S9 S9 ST ST / SK SK SA SJ", 2),
        ("S3 S3 S4 S4", "SQ SQ SA SA / S6 S6 S8 S8 / S9 SJ SJ SK", 0),  # two pairs are no tractor
        ("S3 S3 S4 S4", "H3 H3 H5 H5 / HA HK HQ HJ / C6 C6 C7 C7", 0),
        ("S3 S3 S4 S4", "H3 H3 H4 H4 / H6 H6 H5 H5 / SK SK SA SA", 2),
        ("S3 S3 S4 S4", "HK HK HA HA / SB SB HR HR / H4 H4 H5 H5", 2),
        ("S3 S3 S4 S4 S5 S5", "H3 H3 H4 H4 H5 H5 / SB SB HR HR H9 H9 / H7 H7 H8 H8 HT HT", 1),
        ("H3 H3 H4 H4", "SB SB HR HR / HK HK HA HA / H5 H5 H6 H6", 1),
    ],
)
@BOTH
def test_winner_of_a_trick(rules: Rules, led: str, answers: str, taker: int) -> None:
    order = rules.order("2", "H")
    assert winner(order, lead(rules, order, led), [tuple(answer.split()) for answer in answers.split(" / ")]) == taker


def test_winner_among_high_trump_tractors() -> None:
    answers: list[tuple[str, ...]] = [("HA",) * 2 + ("C2",) * 2, ("H2",) * 2 + ("SB",) * 2, ("H3",) * 2 + ("H4",) * 2]
    for rules, taker in ((STANDARD, 2), (BOTZONE, 3)):
        order = rules.order("2", "H")
        assert winner(order, lead(rules, order, "S3 S3 S4 S4"), answers) == taker


@pytest.mark.parametrize(
    ("led", "answers", "taker"),
    [
        ("SA SK SK", "SQ SQ SJ / S3 S4 S5 / C3 C3 C4", 0),  # nothing in the suit takes a throw
        ("SA SK SK", "H3 H3 H4 / S3 S4 S5 / C3 C3 C4", 1),
        ("SA SK SK", "H3 H5 HR / S3 S4 S5 / H9 H9 C4", 0),  # not covered; not all trumps
        ("SA SK SK", "H4 H4 HR / H5 H5 H3 / H3 H9 HA", 2),  # the pair decides
        ("SA SK SK", "H4 H4 H3 / S2 S2 H5 / C2 C2 HR", 2),  # equal pairs: the first stays
        ("SA SK", "H3 H4 / H9 H5 / H3 H9", 2),  # the highest single, the first of equals
        ("SA SK", "H9 H9 / HT H3 / H8 H8", 2),  # a pair serves as singles: its card counts
        ("SA SQ SQ SK SK", "H3 H3 H4 H4 H9 / H9 H9 HJ HJ HR / H3 H3 HA HA HK", 1),  # a tractor is led
        ("SA S9 S9 SK SK", "H3 H3 H4 H4 H9 / H9 H9 HJ HJ HR / H3 H3 H8 H8 HK", 2),  # a tractor serves as pairs
        ("SQ SQ SK SK SJ", "H3 H3 H4 H4 H5 / H6 H6 H7 H7 H3 / SB SB HR HR H3", 3),
        ("SQ SQ SK SK S9 S9", "H3 H3 H4 H4 H5 H5 / H6 H6 H7 H7 HA HK / HJ HJ HQ HQ H8 H8", 3),
        ("S3 S3 S4 S4 S5 S5 S7 S7 S8 S8", "H3 H3 H4 H4 H5 H5 H6 H6 H7 H7 / C3 C3 C4 C4 C5 C5 C7 C7 C8 C8 / "
         "H8 H8 H9 H9 HJ HJ HQ HQ HA HA", 1),
        ("HA H2 H2", "H5 H5 HK / H6 H6 HQ / S2 C2 D2", 0),
    ],
)  # fmt: skip
@BOTH
def test_winner_of_a_throw(rules: Rules, led: str, answers: str, taker: int) -> None:
    order = rules.order("2", "H")
    assert winner(order, lead(rules, order, led), [tuple(answer.split()) for answer in answers.split(" / ")]) == taker


@BOTH
def test_runs_are_covered_greedily(rules: Rules) -> None:
    """Runs of 4 and 3 do not give 3 + 2 + 2: the 3 is cut off the 4 (O13)."""
    order = rules.order("2", "H")

    def doubled(ranks: str, suit: str) -> list[str]:
        return [suit + rank for rank in ranks for _ in range(2)]

    thrown = lead(rules, order, " ".join(doubled("345789JQ", "S")[:6] + doubled("78TJ", "S")))
    assert [part.pairs for part in thrown.parts] == [3, 2, 2]
    assert not covers(decompose(order, doubled("3456", "H") + doubled("89T", "H")), thrown)
    assert covers(decompose(order, doubled("34567", "H") + doubled("9T", "H")), thrown)


@BOTH
def test_two_seats_may_trump_a_throw(rules: Rules) -> None:
    """D3: the public judge dies here, also in no-trump; play goes on."""
    order = rules.order("2", "N")
    assert winner(order, lead(rules, order, "SA SK"), [("SB", "S2"), ("H2", "HR"), ("HR", "SB")]) == 2


@BOTH
def test_listed_leads_parse_back(rules: Rules) -> None:
    """``lead_of`` parses every lead that ``all_leads`` lists."""
    rng = Random(9)
    for _ in range(amount(40, 100)):
        order = random_order(rng, rules)
        for candidate in all_leads(order, crowded_hands(rng, order, 8, 2)[0]):
            assert lead_of(rules, order, candidate.cards) == candidate
            assert sorted(chain(*(part.cards for part in candidate.parts))) == list(candidate.cards)


# --- Challenge and tricks agree ---------------------------------------------------------------------------------------


def can_take(order: Order, led: Lead, hand: list[str]) -> bool:
    """Return True if cards of the suit led in the hand would take the trick."""
    cards = order.of_suit(hand, led.suit)
    return any(winner(order, led, [chosen]) for chosen in subsets(cards, led.size))


@BOTH
def test_beatable_parts_agree_with_the_winner(rules: Rules) -> None:
    rng, beaten = Random(6), 0
    for _ in range(amount(150, 400)):
        order, led, _, others = random_throw(rng, rules, 14)
        for part in led.parts:
            for hand in others:
                alone = beatable(order, part, led.suit, hand)
                assert can_take(order, Lead(led.suit, (part,)), hand) == alone, (part, hand)
                beaten += alone
    assert beaten > amount(40, 100)


@BOTH
def test_unbeaten_throw_of_trumps_wins(rules: Rules) -> None:
    rng, stood = Random(7), 0
    for _ in range(amount(250, 600)):
        order, led, _, others = random_throw(rng, rules, 12)
        if led.suit == "T" and not challenge(rules, order, led, others).failed:
            stood += 1
            assert not any(can_take(order, led, hand) for hand in others), led
    assert stood > amount(8, 20)


@BOTH
def test_random_throws_both_stand_and_fail(rules: Rules) -> None:
    rng = Random(8)
    throws = [random_throw(rng, rules) for _ in range(400)]
    failed = [len(challenge(rules, throw.order, throw.lead, throw.others).failed) for throw in throws]
    assert min(failed.count(0), sum(throw == 1 for throw in failed), sum(throw > 1 for throw in failed)) > 40
    assert all(set(throw.lead.cards) <= set(throw.hand) and len(throw.others) == 3 for throw in throws)


@BOTH
def test_random_tricks_are_won_by_every_place(rules: Rules) -> None:
    rng = Random(10)
    tricks = [random_trick(rng, rules) for _ in range(400)]
    takers = {throw: [winner(o, led, a) for o, led, a in tricks if led.is_throw == throw] for throw in (False, True)}
    assert all(takers[throw].count(taker) > 10 for throw in takers for taker in range(4))
