"""Tests of scores of hands: the paper's table 2, and a plain implementation of algorithm 1."""

from __future__ import annotations

from itertools import chain, combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.asp.errors import KBError
from abl_cards.core import ErrorCode
from abl_cards.games.min_plays.hand_keys import key_counts
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.hand_points import HandScorer
from abl_cards.reasoners.splits.rules import SplitRules, load_split_rules
from tests.games.doudizhu.decided import LETTERS, engine_of, read_hand
from tests.games.doudizhu.edits import edited_doudizhu

_ROCKET = "group_points(rocket,  2*22)."
WORTH = {letter: place - 5 for place, letter in enumerate(LETTERS)}
"""From -5 points, the 3, to 9, the big joker."""
HANDS = st.permutations([letter for letter in LETTERS[:13] for _ in range(4)] + ["X", "D"])


@pytest.fixture(scope="module")
def scorer() -> HandScorer:
    return DealRules.from_engine(engine_of()).hand_scorer


@pytest.fixture(scope="module")
def plays() -> SplitRules:
    return load_split_rules()


def plain(hand: str) -> tuple[int, float]:
    """Return the plays and points of a hand by algorithm 1: the fewest plays, then the most points."""
    counts = {letter: hand.count(letter) for letter in LETTERS}
    plays, points = 0, 0.0
    if counts["X"] and counts["D"]:
        plays, points = 1, 22.0
    else:
        for joker in "XD":
            plays, points = plays + counts[joker], points + counts[joker] * WORTH[joker]
    for letter in LETTERS[:13]:
        if counts[letter] == 4:
            plays, points, counts[letter] = plays + 1, points + (16 if LETTERS.index(letter) >= 7 else 9), 0
    trios = [letter for letter in LETTERS[:13] if counts[letter] == 3]
    trio_sets = chain.from_iterable(combinations(trios, size) for size in range(len(trios) + 1))
    best = min(((one, -worth) for one, worth in (score_groups(dict(counts), trio_set) for trio_set in trio_sets)))
    return plays + best[0], points - best[1]


def score_groups(counts: dict[str, int], trios: tuple[str, ...]) -> tuple[int, float]:
    """Return the plays and points of these trios and the remaining groups, without jokers and bombs."""
    for letter in trios:
        counts[letter] = 0
    plays, points = len(trios), float(sum(WORTH[letter] + 6 for letter in trios))
    while True:
        runs = [LETTERS[low:high] for low in range(12) for high in range(low + 5, 13)]
        runs = [run for run in runs if all(counts[letter] for letter in run)]
        if not runs:
            break
        longest = max(runs, key=len)
        total = sum(WORTH[letter] for letter in longest)
        plays, points = plays + 1, points + (total / 2 if total > 0 else 3)
        for letter in longest:
            counts[letter] -= 1
    groups = sorted(WORTH[letter] for letter in LETTERS[:13] for _ in range(-(-counts[letter] // 2)))
    groups = groups[len(trios) :]
    return plays + len(groups), points + sum(groups)


@pytest.mark.parametrize(
    ("hand", "plays", "points"),
    [
        ("9", 1, 1), ("99", 1, 1), ("2224", 1, 13), ("22244", 1, 13), ("34567", 1, 3), ("TJQKA", 1, 10), ("3333", 1, 9),
        ("2222", 1, 16), ("TTTT", 1, 16), ("9999", 1, 9), ("XD", 1, 22), ("X", 1, 8), ("D", 1, 9), ("222", 1, 13),
        ("6789T", 1, 3), ("789TJ", 1, 2.5), ("3344", 2, -9),
    ],
)  # fmt: skip
def test_scores_equal_table_2_of_the_paper(scorer: HandScorer, hand: str, plays: int, points: float) -> None:
    scores = scorer.score(np.array([read_hand(hand)], np.uint64))
    assert (scores.plays.tolist(), scores.points.tolist()) == ([plays], [points])


def test_scores_equal_the_plain_algorithm(scorer: HandScorer) -> None:
    random, deck = np.random.default_rng(3), list("".join(letter * 4 for letter in LETTERS[:13]) + "XD")
    hands = ["".join(random.permutation(deck)[: 1 + number % 20]) for number in range(600)]
    hands += ["".join(random.permutation(deck[:32])[: 10 + number % 11]) for number in range(600)]
    scores = scorer.score(np.array([read_hand(hand) for hand in hands], np.uint64))
    assert list(zip(scores.plays.tolist(), scores.points.tolist(), strict=True)) == [plain(hand) for hand in hands]


@given(HANDS, st.integers(1, 20))
def test_split_has_the_cards_and_points_of_the_hand(
    scorer: HandScorer, plays: SplitRules, order: list[str], size: int
) -> None:
    hand = read_hand("".join(order[:size]))
    groups = scorer.split(hand)
    labels = [label for group in groups for label in (group.label, group.carried) if label]
    assert sum(plays.plays[plays.label_index[label]].main_key for label in labels) == hand
    score = scorer.score(np.array([hand], np.uint64))
    assert [len(groups), sum(group.points for group in groups)] == [score.plays[0], score.points[0]]
    assert key_counts(np.array([hand], np.uint64)).sum() == len(plays.hand_text(hand)) == size


def test_edited_group_points_change_the_score(tmp_path: object) -> None:
    folder = edited_doudizhu(tmp_path, "science/strength.lp", _ROCKET, "group_points(rocket, 2*17).")
    scorer = DealRules.from_engine(engine_of(folder)).hand_scorer
    assert scorer.score(np.array([read_hand("XD")], np.uint64)).points.tolist() == [17]


def variant_without(*kinds: str) -> Any:
    """Return rules with all labels of the game, but without the forms of these kinds."""
    rules = engine_of().rules
    index = {label: form for label, form in rules.forms.index.items() if str(label).split("(")[0] not in kinds}
    return SimpleNamespace(label_texts=rules.label_texts, pack=rules.pack, forms=SimpleNamespace(index=index))


@pytest.mark.parametrize(
    ("kinds", "groups"),
    [
        (["trio_pair"], [("trio_single(3)", "single(5)"), ("pair(4)", None)]),
        (["trio_single"], [("trio_pair(3)", "pair(4)"), ("single(5)", None)]),
        (["trio_single", "trio_pair"], [("trio(3)", None), ("pair(4)", None), ("single(5)", None)]),
    ],
)
def test_trios_carry_what_a_variant_lets_them_carry(kinds: list[str], groups: list[tuple[str, str | None]]) -> None:
    kb = DealRules.from_engine(engine_of()).kb
    split = HandScorer.from_knowledge_base(variant_without(*kinds), kb).split(read_hand("333445"))
    assert [(group.label, group.carried) for group in split] == groups


@pytest.mark.parametrize("kind", ["single", "pair", "trio", "bomb", "single_chain", "rocket"])
def test_a_variant_without_a_group_of_the_split_is_reported(kind: str) -> None:
    kb = DealRules.from_engine(engine_of()).kb
    with pytest.raises(KBError, match=kind) as caught:
        HandScorer.from_knowledge_base(variant_without(kind), kb)
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


def test_a_class_without_a_name_is_called_by_its_number() -> None:
    facts = [row for row in DealRules.from_engine(engine_of()).kb.facts("difficulty", 3) if str(row[0]) != "4"]
    rules = DealRules(engine_of(), cast(Any, SimpleNamespace(facts=lambda name, arity: facts)))
    assert rules.get_class_names()[3:] == ("simple", "4")


def test_missing_group_points_are_reported(tmp_path: object) -> None:
    folder = edited_doudizhu(tmp_path, "science/strength.lp", _ROCKET, "")
    with pytest.raises(KBError, match="rocket") as caught:
        _ = DealRules.from_engine(engine_of(folder)).hand_scorer
    assert caught.value.code == ErrorCode.MISSING_FACT
