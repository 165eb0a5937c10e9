"""Tests of splits: clingo's optimum, exhaustive search, the 40 orders, violations and their texts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from abl_cards.games.min_plays.hand_keys import key_counts, keys_from_counts
from abl_cards.reasoners.splits.greedy_splits import KIND_ORDERS, split_greedily
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.oracle import UNITS_PER_NAT, SplitOracle
from abl_cards.reasoners.splits.rules import load_split_rules
from abl_cards.reasoners.splits.splits import Splitter
from abl_cards.reasoners.splits.tag_violations import count_cards_by_tag
from tests.effort import amount
from tests.games.doudizhu.decided import hand_text, read_hand, uneven_hands

DECK = np.repeat(np.arange(15), [4] * 13 + [1, 1])


@cache
def splitter(profile: str = "rlcard") -> Splitter:
    return Splitter.of(load_split_rules(profile=profile))


def hands_of(*texts: str) -> NDArray[np.uint64]:
    return np.array([read_hand(text) for text in texts], np.uint64)


def tags_of(*texts: str) -> NDArray[np.uint8]:
    rows = np.full((len(texts), 20), NO_TAG, np.uint8)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = [int(letter) for letter in text]
    return rows


@pytest.mark.parametrize("profile", ["rlcard", "botzone"])
@pytest.mark.parametrize("weight", [0, 1, 8])
def test_best_split_equals_clingo_optimum(profile: str, weight: int) -> None:
    random = np.random.default_rng([3, weight])
    num_hands = amount(12, 40)
    hands = uneven_hands(random, num_hands)
    chances = random.dirichlet(np.full(4, 0.4), (num_hands, 20))
    likely = np.round(UNITS_PER_NAT * np.log(chances + 1e-4)).astype(np.int64)
    likely[-num_hands // 4 :] = 0  # the prices only
    by_search = splitter(profile)
    split = by_search.best(hands, likely / UNITS_PER_NAT, float(weight))
    oracle = SplitOracle.of(by_search)
    best = [oracle.optimum(int(hand), scores, 10 * weight) for hand, scores in zip(hands, likely, strict=True)]
    assert split.score == pytest.approx(np.array(best) / UNITS_PER_NAT, abs=1e-9)
    assert by_search.consistent(hands, split.tags).all()


@given(st.lists(st.sampled_from(DECK.tolist()), min_size=1, max_size=20), st.integers(0, 2**32 - 1))
def test_splits_partition_the_hand(cards: list[int], seed: int) -> None:
    counts = np.minimum(np.bincount(cards, minlength=15), [4] * 13 + [1, 1])
    hands = keys_from_counts(counts[None])
    split = splitter().best(hands, np.log(np.random.default_rng(seed).dirichlet(np.ones(4), (1, 20))), 1.0)
    pieces = splitter().piece_cards(split.piece_labels(0))
    assert sum(pieces) == int(hands[0])
    assert len(pieces) == split.n_pieces[0]
    assert splitter().consistent(hands, split.tags)[0]
    again = splitter().pieces_of_tags(hands, split.tags)
    assert (again.tags == split.tags).all()
    assert again.n_pieces[0] <= split.n_pieces[0]


def fewest(hands: NDArray[np.uint64]) -> list[int]:
    """Return the least numbers of pieces, by trying every piece with the lowest card."""
    rules = load_split_rules()
    assert load_split_rules().kb is rules.kb  # loaded once for a compiled game
    pieces = [rules.plays[rules.label_index[str(form)]].main_key for form, _ in rules.kb.facts("piece", 2)]
    by_lowest: list[list[int]] = [[] for _ in range(15)]
    for key in pieces:
        by_lowest[next(rank for rank in range(15) if key >> 4 * rank & 15)].append(key)
    tops = sum(8 << 4 * place for place in range(15))

    @cache
    def search(hand: int) -> int:
        if not hand:
            return 0
        lowest = next(rank for rank in range(15) if hand >> 4 * rank & 15)
        return 1 + min(search(hand - key) for key in by_lowest[lowest] if ((hand | tops) - key) & tops == tops)

    return [search(hand) for hand in hands.tolist()]


def test_fewest_pieces_equal_brute_force() -> None:
    random = np.random.default_rng(4)
    even = [np.bincount(random.permutation(DECK)[:17], minlength=15) for _ in range(30)]
    hands = np.concatenate([uneven_hands(random, 60), keys_from_counts(np.array(even))])
    split = splitter().fewest_pieces(hands)
    assert split.n_pieces.tolist() == fewest(hands)
    assert (split_greedily(splitter(), hands).n_pieces >= split.n_pieces).all()


@pytest.mark.parametrize(
    ("hand", "tags", "pieces"),
    [
        ("334556677779TQQKAX", "110110002220000000", 14),
        ("34444555567", "00222022200", 2),
        ("XD", "33", 1),
        ("34445556789TA22XD", "02222220000001133", 6),  # the example of the paper
        ("344445556789TA22", "0022222200000011", 6),
    ],
)
def test_number_of_pieces_of_tags(hand: str, tags: str, pieces: int) -> None:
    assert splitter().pieces_of_tags(hands_of(hand), tags_of(tags)).n_pieces.tolist() == [pieces]


def test_likelihoods_and_piece_weights_determine_the_split() -> None:
    hands = hands_of("33344456")
    likely = np.full((1, 20, 4), np.log(0.02))
    likely[0, :, 0] = np.log(0.94)
    assert splitter().best(hands, likely, 0.0).tags_text(0) == "0" * 8
    assert splitter().best(hands, likely, 100.0).tags_text(0) == "22222200"


def test_more_than_twenty_cards_raise() -> None:
    with pytest.raises(ValueError, match="at most 20 cards"):
        splitter().fewest_pieces(keys_from_counts(np.full((1, 15), 2)))


def test_greedy_splits_by_forty_orders() -> None:
    assert KIND_ORDERS.shape == (40, 8)
    hands = uneven_hands(np.random.default_rng(1), 200)
    split = split_greedily(splitter(), hands)
    assert splitter().consistent(hands, split.tags).all()
    for row in range(len(hands)):
        assert sum(splitter().piece_cards(split.piece_labels(row))) == int(hands[row])
    worked = split_greedily(splitter(), hands_of("3334445678", "22225"))
    assert worked.n_pieces.tolist() == [3, 2]  # two orders take 333 and 45678, or 333444 and single cards


def test_violations_and_their_texts() -> None:
    hands, tags = hands_of("3445XD", "3445XD", "3445XD"), tags_of("011033", "001003", "011000")
    assert splitter().consistent(hands, tags).tolist() == [True, False, True]
    wrong = splitter().find_violations(hands, tags)
    assert [[(flaw.name, flaw.rank, flaw.tag) for flaw in flaws] for flaws in wrong] == [
        [], [("torn", 1, 1), ("lonely", 14, 3)], [],
    ]  # fmt: skip
    assert splitter().violation_text(wrong[1][0], "en") == "the 4s tagged pair are no whole groups"
    assert splitter().violation_text(wrong[1][1], "zh") == "标为炸弹的D组不成任何牌型"


def test_unordered_or_missing_tags_are_inconsistent() -> None:
    hands = hands_of("3334", "3334")
    assert splitter().consistent(hands, tags_of("1100", "222")).tolist() == [False, False]
    cards = count_cards_by_tag(hands, tags_of("0110", "2220"))
    assert cards[0, 0].tolist() == [1, 2, 0, 0]
    assert (cards.sum(axis=2) == key_counts(hands)).all()
    assert [hand_text(int(hand)) for hand in hands] == ["3334", "3334"]
