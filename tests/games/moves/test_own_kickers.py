"""Kickers of a group's own rank, pools of kickers, excluded card sets: by brute force from the text of the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.min_plays.leads import _leading_view
from abl_cards.games.moves import ALL_LABELS, enumerate_moves, scratch_for
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import MAX_CARD_SETS, NO_CARD
from tests.effort import amount
from tests.fuzz.checks import Reader, differences
from tests.games.notation.folders import rules_of

Card = tuple[int, str]
Cards = tuple[Card, ...]
RANKS, SUITS = range(1, 6), "abcd"

WINGS = """
#include <seats>. #include <climbing>. #include <playable>.
rank(1..5). suit(a;b;c;d). packs(3). pack(card(R,T),1) :- rank(R), suit(T).
seat(0..1). deals(S,14) :- seat(S). leads(0). over :- out(_). match_over.
label(single(R)) :- rank(R). label(plane(R,N)) :- rank(R), rank(R+N-1), N = 1..2. label(pass).
label(bomb(R,N)) :- rank(R), N = 7..8. label(even(R)) :- rank(R). label(four(R)) :- rank(R).
form(L,L) :- label(L).
kind(F,single) :- form(_,F), F = single(_). kind(F,plane(N)) :- form(_,F), F = plane(_,N). kind(pass,pass).
kind(F,bomb(N)) :- form(_,F), F = bomb(_,N). kind(F,even) :- form(_,F), F = even(_).
kind(F,four) :- form(_,F), F = four(_).
needs(single(R),1,R,1) :- rank(R). needs(plane(R,N),I,R+I-1,3) :- label(plane(R,N)), I = 1..N.
needs(bomb(R,N),1,R,N) :- label(bomb(R,N)). needs(four(R),1,R,3) :- rank(R).
needs(even(R),1,card(R,a),2) :- rank(R). needs(even(R),2,card(R,b),2) :- rank(R).
needs(even(R),3,card(R,c),2) :- rank(R). needs(even(R),4,card(R,d),2) :- rank(R).
strength(F,R) :- needs(F,1,R,_), rank(R). strength(even(R),R) :- rank(R).
kickers(plane(R,N),2*N,1) :- label(plane(R,N)). uses_pool(plane(R,N),any) :- label(plane(R,N)).
kicker_pool(any,R,1..2) :- rank(R).
excludes(bomb(R,8),even(R)) :- rank(R).
kickers(four(R),1,2) :- rank(R). uses_pool(four(R),pairs) :- rank(R). kicker_pool(pairs,R,1) :- rank(R).
kicker(four(5),1,0).
"""
"""Planes carry two cards for each three, at most two of a rank beside the threes; three with two equal cards."""


@cache
def wings(folder: Path) -> CompiledGame:
    return rules_of(folder, WINGS)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    return wings(tmp_path_factory.mktemp("wings"))


# --- the rules in plain Python ----------------------------------------------------------------------------------------


def subsets(cards: list[Card], size: int) -> set[Cards]:
    """Return the sets of so many cards, equal cards alike."""
    return {tuple(sorted(chosen)) for chosen in combinations(sorted(cards), size)}


def of_counts(hand: list[Card], counts: dict[int, int]) -> Iterator[Cards]:
    """Yield the sets with so many cards of each rank."""
    by_rank = [subsets([card for card in hand if card[0] == rank], count) for rank, count in counts.items() if count]
    for parts in product(*by_rank):
        yield tuple(sorted(card for part in parts for card in part))


def plays(hand: list[Card]) -> dict[str, set[Cards]]:
    """Return what a hand can lead, by the text of the rules."""
    found: dict[str, set[Cards]] = {}
    held = Counter(rank for rank, _ in hand)
    for rank in RANKS:
        found[f"single({rank})"] = subsets([card for card in hand if card[0] == rank], 1)
        for length in (1, 2):
            main = range(rank, rank + length)
            if main[-1] in RANKS:
                found[f"plane({rank},{length})"] = {
                    cards
                    for kickers in product(range(3), repeat=len(RANKS))
                    if sum(kickers) == 2 * length
                    for counts in [{r: k + 3 * (r in main) for r, k in zip(RANKS, kickers, strict=True)}]
                    if all(held[r] >= n for r, n in counts.items())
                    for cards in of_counts(hand, counts)
                }
        for size in (7, 8):
            bombs = subsets([card for card in hand if card[0] == rank], size)
            even = [suit for suit in SUITS for _ in range(2)]
            found[f"bomb({rank},{size})"] = {cards for cards in bombs if sorted(suit for _, suit in cards) != even}
        pairs = [Counter({rank: 3}) + Counter({r: 2}) for r in RANKS if not (rank == 5 and r == 1)]
        found[f"four({rank})"] = {cards for counts in pairs for cards in of_counts(hand, dict(counts))}
        even_set = tuple((rank, suit) for suit in SUITS for _ in range(2))
        found[f"even({rank})"] = {even_set} if not Counter(even_set) - Counter(hand) else set()
    return {label: sets for label, sets in found.items() if sets}


# --- the engine -------------------------------------------------------------------------------------------------------


def decisions_of(rules: CompiledGame, hands: list[list[Card]]) -> Decisions:
    """Return decisions about leads."""
    counts = np.zeros((len(hands), len(rules.pack)), np.uint8)
    for row, hand in enumerate(hands):
        for rank, suit in hand:
            counts[row, rules.pack.index[f"card({rank},{suit})"]] += 1
    context = np.zeros(len(hands), np.int64)
    return Decisions(_leading_view(rules, counts, context, rules.contexts.fluent_states[context]))


def cards_of(rules: CompiledGame, row: np.ndarray) -> Cards:
    kinds = [str(rules.pack.kinds[card]) for card in row if card != NO_CARD]
    return tuple(sorted((int(kind[5]), kind[7]) for kind in kinds))


def listed(rules: CompiledGame, decisions: Decisions, row: int = 0) -> dict[str, list[Cards]]:
    lists, found = decisions.moves(), dict[str, list[Cards]]()
    for move in range(lists.start[row], lists.start[row + 1]):
        label = str(rules.forms.forms[lists.form[move]].name)
        found.setdefault(label, []).append(cards_of(rules, lists.cards[move]))
    return found


def random_hand(random: np.random.Generator) -> list[Card]:
    """Draw a hand with many cards of few ranks."""
    ranks = random.choice(list(RANKS), random.integers(1, 4), replace=False)
    pack = [(int(rank), suit) for rank in ranks for suit in SUITS for _ in range(3)]
    size = random.integers(1, min(14, len(pack)) + 1)
    return [pack[index] for index in random.choice(len(pack), size, replace=False)]


def check_hands(rules: CompiledGame, hands: list[list[Card]]) -> None:
    """Compare the legal labels and the lists of card sets."""
    decisions = decisions_of(rules, hands)
    for row, hand in enumerate(hands):
        expected, found = plays(hand), listed(rules, decisions, row)
        legal = {str(rules.labels[label]) for label in np.flatnonzero(decisions.legal_mask[:, row])}
        assert legal == set(expected), hand
        assert {label: sorted(sets) for label, sets in found.items()} == {
            label: sorted(sets) for label, sets in expected.items()
        }, hand


@settings(max_examples=amount(6, 200))
@given(seed=st.integers(0, 2**32))
def test_leads_by_brute_force(rules: CompiledGame, seed: int) -> None:
    random = np.random.default_rng(seed)
    check_hands(rules, [random_hand(random) for _ in range(amount(2, 20))])


def test_lists_of_hands_of_limiting_sizes(rules: CompiledGame) -> None:
    even = [(2, suit) for suit in SUITS for _ in range(2)]
    check_hands(rules, [even, [*even, (2, "a")], [*even, (1, "a")], even[1:], [(5, suit) for suit in "aabbc"], []])


def test_random_card_sets_are_uniform(rules: CompiledGame) -> None:
    hand = [(1, suit) for suit in "aabcd"] + [(2, suit) for suit in "abbc"] + [(4, "a"), (4, "b"), (5, "c")]
    decisions = decisions_of(rules, [hand])
    for label in ("plane(1,2)", "plane(1,1)", "four(1)"):
        index, expected = rules.forms.label_index[label], plays(hand)[label]
        draws = 60 * len(expected)
        many = decisions_of(rules, [hand] * draws)
        moves = many.sample_moves(
            np.full(draws, index, np.int16), splitmix64_array(np.arange(draws).astype(np.uint64), 1)
        )
        counts = Counter(cards_of(rules, row) for row in moves.cards)
        assert set(counts) == expected
        assert max(counts.values()) < 120
        assert min(counts.values()) > 20
        first = decisions.first_moves(np.array([index], np.int16))
        assert cards_of(rules, first.cards[0]) == listed(rules, decisions)[label][0]


BY_RANK = """
#include <seats>. #include <climbing>. #include <playable>.
rank(1..6). pack(R,7) :- rank(R). seat(0..1). deals(S,16) :- seat(S). leads(0). over :- out(_). match_over.
label(single(R)) :- rank(R). label(plane(R)) :- rank(R), rank(R+1). label(pass). form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(plane(R),plane) :- label(plane(R)). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). needs(plane(R),1,R,2) :- label(plane(R)). needs(plane(R),2,R+1,2) :- label(plane(R)).
strength(F,R) :- needs(F,1,R,_).
kickers(plane(R),4,1) :- label(plane(R)). uses_pool(plane(R),any) :- label(plane(R)).
kicker_pool(any,R,1..3) :- rank(R). APART
"""


@pytest.mark.parametrize("apart", ["", "apart(plane(R)) :- label(plane(R))."])
def test_packed_kernels_list_the_same_moves(tmp_path: Path, apart: str) -> None:
    """Without suits the packed kernels list what the general ones list, in the same order."""
    rules = rules_of(tmp_path, BY_RANK.replace("APART", apart))
    assert rules.move_query.packed is not None
    hands = np.random.default_rng(1).multivariate_hypergeometric([7] * 6, 15, 60).astype(np.uint8)
    context = np.zeros(len(hands), np.int64)
    decisions = Decisions(_leading_view(rules, hands, context, rules.contexts.fluent_states[context]))
    packed = decisions.moves()
    start, capacity = np.zeros(len(hands) + 1, np.int64), len(packed.form)
    form, cards = np.empty(capacity, np.int16), np.empty((capacity, rules.forms.max_cards), np.uint8)
    count = enumerate_moves(
        rules.move_tables, hands, decisions.context, np.ones(len(hands), np.int8),
        np.full(len(hands), ALL_LABELS, np.int16), decisions.legal_mask, decisions.form_mask, 0, len(hands),
        MAX_CARD_SETS, 0, start, form, cards, scratch_for(rules.move_tables, rules.forms.max_cards),
    )  # fmt: skip
    assert count == capacity > 2000
    assert (start == packed.start).all()
    assert (form == packed.form).all()
    assert (cards == packed.cards).all()
    if apart:
        kickers = np.array([(cards == rank).sum(axis=1) for rank in (4, 5)])
        other = np.isin(form, [rules.forms.index[f"plane({rank})"] for rank in (1, 2, 3)])
        assert other.any()
        assert not (kickers[:, other] > 0).all(axis=0).any()


@pytest.mark.parametrize(("order", "is_clear"), [((1, 2, 3, 4, 6, 5), True), ((5, 6, 1, 2, 3, 4), False)])
def test_cells_kept_apart_are_the_last_by_both_orders(tmp_path: Path, order: tuple[int, ...], is_clear: bool) -> None:
    """The kernels would keep apart other cells than rules that compare ranks."""
    places = " ".join(f"index({rank},{place})." for place, rank in enumerate(order))
    text = BY_RANK.replace("APART", f"\napart(plane(R)) :- label(plane(R)). {places}")
    if is_clear:
        rules_of(tmp_path, text)
        return
    with pytest.raises(KBError) as raised:
        rules_of(tmp_path, text)
    (error,) = raised.value.diagnostics
    assert (error.code, error.location is not None) == (ErrorCode.INVALID_FORM, True)


# --- wild cards -------------------------------------------------------------------------------------------------------

WILD = """
#include <seats>. #include <climbing>.
rank(1..3). suit(a;b). packs(2). pack(card(R,T),1) :- rank(R), suit(T). pack(star,1). letter(star,"*").
seat(0..1). deals(S,7) :- seat(S). leads(0). over :- out(_). match_over.
one(level,1). #external level(R) : rank(R). lots(turned,3). #external lot(turned,I) : I = 0..2. #external event(deal).
next(level(I+1)) :- event(deal), lot(turned,I).
is_wild(star). is_wild(card(R,a)) :- level(R).
acts_as(C,wild) :- is_wild(C). acts_as(card(R,T),R) :- pack(card(R,T),_), not is_wild(card(R,T)).
label(single(R)) :- rank(R). label(plane(R)) :- rank(R), rank(R+1). label(pass). form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(plane(R),plane) :- label(plane(R)). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). wilds(single(R),1) :- rank(R).
needs(plane(R),1,R,2) :- label(plane(R)). needs(plane(R),2,R+1,2) :- label(plane(R)).
wilds(plane(R),2) :- label(plane(R)). natural(plane(1),1,1).
kickers(plane(R),2,1) :- label(plane(R)). kicker(plane(R),Q,1..2) :- label(plane(R)), rank(Q).
strength(F,R) :- needs(F,1,R,_).
#external held(R,N) : rank(R), N = 1..3.
playable(F) :- form(_,F). barred(F) :- form(_,F), held(R,3), rank(R), not held(R,1).
"""


@pytest.fixture(scope="module")
def wild_engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("wild")
    (folder / "game.lp").write_text(WILD, "utf-8")
    return load(str(folder)).engine()


def test_lists_with_wild_cards_and_own_kickers_equal_naive_reading(wild_engine: Engine) -> None:
    """Lists agree with the naive reading, which tries all ways to distribute the cards."""
    reader, states = Reader.of(wild_engine), amount(20, 1000)
    decisions = wild_engine.sample_decisions(states, 5)
    assert not list(differences(reader, decisions, list(range(states))))


# --- errors -----------------------------------------------------------------------------------------------------------

BASE = """#include <seats>. #include <climbing>. #include <playable>.
rank(1..4). suit(a;b). pack(card(R,T),2) :- rank(R), suit(T).
seat(0..1). deals(S,6) :- seat(S). leads(0). over :- out(_). match_over.
label(single(R)) :- rank(R). label(trio(R)) :- rank(R). label(two(R)) :- rank(R). label(pass). form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(trio(R),trio) :- rank(R). kind(two(R),two) :- rank(R). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). needs(trio(R),1,R,2) :- rank(R). strength(F,R) :- needs(F,1,R,_), rank(R).
needs(two(R),1,card(R,a),1) :- rank(R). needs(two(R),2,card(R,b),1) :- rank(R). strength(two(R),R) :- rank(R).
kickers(trio(R),1,1) :- rank(R). uses_pool(trio(R),any) :- rank(R). kicker_pool(any,R,1) :- rank(R).
"""
ERRORS = {
    "kicker(trio(1),card(1,a),1).": ErrorCode.INVALID_FORM,
    "kicker(two(1),1,1). kickers(two(1),1,1).": ErrorCode.INVALID_FORM,
    "only(trio(1),1,card(1,a)).": ErrorCode.INVALID_FORM,
    "mixed_suits(trio(1)).": ErrorCode.INVALID_FORM,
    "excludes(trio(1),two(1)).": ErrorCode.INVALID_FORM,
    "excludes(two(1),trio(1)).": ErrorCode.INVALID_FORM,
    "excludes(two(1),two(1)).": ErrorCode.INVALID_FORM,
    "excludes(two(1),twice(1)).": ErrorCode.UNKNOWN_NAME,
    "kicker_pool(any,9,1).": ErrorCode.UNKNOWN_NAME,
    "kicker_pool(any,1,16).": ErrorCode.INVALID_ARGUMENT,
    "kicker(trio(1),2,16).": ErrorCode.INVALID_ARGUMENT,
    "uses_pool(two(1),many). kickers(two(1),1,1).": ErrorCode.MISSING_FACT,
    "kickers(two(1),1,1).": ErrorCode.MISSING_FACT,
    "uses_pool(trio(1),other). kicker_pool(other,1,1).": ErrorCode.CONFLICTING_FACTS,
    "misread(trio(1),card(2,a),1).": ErrorCode.MISSING_FACT,
}


@pytest.mark.parametrize("line", ERRORS)
def test_invalid_kicker_facts_are_errors(tmp_path: Path, line: str) -> None:
    """Each error has its code, its line and a remedy."""
    (tmp_path / "game.lp").write_text(BASE + line + "\n", "utf-8")
    with pytest.raises(KBError) as problem:
        load(str(tmp_path)).engine()
    diagnostic = problem.value.diagnostics[0]
    assert (diagnostic.code, diagnostic.location and diagnostic.location.line) == (ERRORS[line], 9)
    assert diagnostic.remedy
