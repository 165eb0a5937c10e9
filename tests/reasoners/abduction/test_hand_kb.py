"""Perceived cards: plays of Guandan beside the brute force, and plays of other folders beside ABLkit's own search."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import pytest

ablkit = pytest.importorskip("ablkit", reason="ablkit is not installed (pip install 'abl-cards[learning]')")

from ablkit.data.structures import ListData  # noqa: E402
from ablkit.reasoning import KBBase, Reasoner  # noqa: E402

from abl_cards.core import ErrorCode, GameError  # noqa: E402
from abl_cards.games import load  # noqa: E402
from abl_cards.reasoners import HandKB, MinimisingReasoner, ProbabilityReasoner, RulesKB  # noqa: E402
from tests.brute_force import guandan  # noqa: E402
from tests.effort import amount  # noqa: E402

LEVEL = "8"
STRAIGHT = ["Straight", "5", ["S5", "D6", "H7", "S8", "D9"]]


@pytest.fixture(scope="module")
def kb() -> HandKB:
    return HandKB("guandan", state={"level": LEVEL})


class PlainHands(KBBase):  # type: ignore[misc]  # ablkit has no types
    """ABLkit's own search over cards, with the plays of a knowledge base."""

    def __init__(self, kb: HandKB) -> None:
        self.kb = kb
        super().__init__(kb.pseudo_label_list, use_cache=False)

    def logic_forward(self, pseudo_label: list[str]) -> Any:
        return self.kb.logic_forward(pseudo_label)

    def _check_equal(self, reasoning_result: Any, y: Any) -> bool:
        return self.kb._check_equal(reasoning_result, y)


def random_cards(random: np.random.Generator, size: int) -> list[str]:
    cards = [*guandan.ANY_CARD, "SB", "HR"] * 2
    return [cards[i] for i in random.permutation(len(cards))[:size]]


def labels(kb: HandKB, cards: list[str]) -> set[str]:
    result = kb.logic_forward(cards)
    return set() if result is None else {result} if isinstance(result, str) else set(result)


def near_play(kb: HandKB, random: np.random.Generator, size: int, changes: int) -> tuple[list[str], str]:
    """Draw a play, shuffle its cards, and change some of them; returns the cards and the label."""
    sets = kb.finder.sets(size)
    row = random.integers(len(sets.form))
    cards = np.repeat(kb.pseudo_label_list, sets.counts[row])[random.permutation(size)].tolist()
    for position in random.permutation(size)[:changes]:
        cards[position] = kb.pseudo_label_list[random.integers(54)]
    return cards, kb.engine.labels[sets.label[row]]


def test_logic_forward_equals_brute_force(kb: HandKB) -> None:
    random = np.random.default_rng(0)
    wanted = [(size, changes) for size in (1, 2, 3, 4, 5, 6) for changes in (0, 0, 0, 1)] * amount(1, 4)
    hands = [near_play(kb, random, size, changes)[0] for size, changes in wanted]
    for cards in hands + [random_cards(random, size) for size in (1, 2, 3, 5) for _ in range(10)]:
        if any(cards.count(card) > 2 for card in cards):
            assert labels(kb, cards) == set()
        else:
            assert len(labels(kb, cards)) == len(guandan.readings(cards, LEVEL)), cards


@pytest.mark.parametrize(("size", "changes"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (5, 0), (5, 1)])
def test_candidates_equal_ablkit_search(kb: HandKB, size: int, changes: int) -> None:
    random, plain = np.random.default_rng(size + changes), PlainHands(kb)
    cards, label = near_play(kb, random, size, changes)
    for y in (label, kb.abduce_candidates(cards, label, None, size, 0)[0][0]):
        expected = plain.abduce_candidates(cards, y, None, changes, 0)
        candidates, results = kb.abduce_candidates(cards, y, None, changes, 0)
        assert candidates == [list(each) for each in dict.fromkeys(map(tuple, expected[0]))]
        assert results == [kb.logic_forward(candidate) for candidate in candidates]
    assert kb.revise_at_idx(cards, label, None, [0])[0] == plain.revise_at_idx(cards, label, None, [0])[0]


def test_candidates_have_the_order_of_ablkit(kb: HandKB) -> None:
    cards, plain = ["S3", "S4"], PlainHands(kb)
    expected = plain.abduce_candidates(cards, "pair(4)", None, 2, 1)[0]
    assert kb.abduce_candidates(cards, "pair(4)", None, 2, 1)[0] == [
        list(c) for c in dict.fromkeys(map(tuple, expected))
    ]


@pytest.mark.parametrize("y", ["pair(3)", ["H3", "D3"], None, {"to_beat": ["Pair", "K", ["SK", "DK"]], "beats": True}])
def test_batches_find_the_most_probable_cards(kb: HandKB, y: Any) -> None:
    random = np.random.default_rng(1)
    probabilities = [random.dirichlet(np.full(54, 0.1), 2) + 1e-9 for _ in range(3)]
    best = kb.abduce_batch(probabilities, [y] * 3, k=4)
    assert best.dtype == np.int16
    for values, found in zip(probabilities, best, strict=True):
        scores = {
            pair: float(np.log(values[[0, 1], pair]).sum())
            for pair in product(range(54), repeat=2)
            if kb.is_consistent([kb.pseudo_label_list[card] for card in pair], y)
        }
        pairs = [tuple(pair) for pair in found.tolist()]
        assert len(set(pairs)) == 4
        assert [scores[pair] for pair in pairs] == pytest.approx(sorted(scores.values(), reverse=True)[:4])


def test_batches_consider_all_card_orders(kb: HandKB) -> None:
    random = np.random.default_rng(2)
    values = random.dirichlet(np.full(54, 0.1), 5) + 1e-9
    best = kb.abduce_batch([values], ["full_house(3)"] if "full_house(3)" in kb.engine.labels else ["straight(5)"], k=3)
    scores = np.log(values)
    request = kb._request("straight(5)" if "full_house(3)" not in kb.engine.labels else "full_house(3)", 5)
    every = sorted(
        (sum(scores[p, card] for p, card in enumerate(order)) for cards in request.cards.tolist()
         for order in set(permutations(cards))), reverse=True
    )  # fmt: skip
    assert [float(scores[np.arange(5), row].sum()) for row in best[0]] == pytest.approx(every[:3])


def test_beating_plays_equal_brute_force(kb: HandKB) -> None:
    random = np.random.default_rng(3)
    y = {"to_beat": STRAIGHT, "beats": True}
    checked = 0
    for _ in range(amount(60, 150)):
        cards, _ = near_play(kb, random, 5, 0)
        if any([*cards, *STRAIGHT[2]].count(card) > 2 for card in cards):
            continue
        readings = guandan.readings(cards, LEVEL)
        beats = any(guandan.beats([kind, rank, cards], STRAIGHT, LEVEL) for kind, rank in readings)
        assert kb.is_consistent(cards, y) == beats, cards
        assert kb.is_consistent(cards, y | {"beats": False}) == (not beats)
        checked += beats
    assert checked


def test_recorded_moves_are_accepted_as_labels(kb: HandKB) -> None:
    pairs = kb.abduce_candidates(["S3", "H3"], "pair(4)", None, 2, 0)
    for recorded in (["D4", "S4"], ["Pair", "4", ["C4", "H4"]]):
        assert kb.abduce_candidates(["S3", "H3"], recorded, None, 2, 0) == pairs


def test_ablkit_reasoners_accept_hand_kb(kb: HandKB) -> None:
    random = np.random.default_rng(4)
    probabilities = random.dirichlet(np.full(54, 0.1), 2) + 1e-9
    predicted = [kb.pseudo_label_list[card] for card in probabilities.argmax(axis=1)]
    example = ListData(X=[0, 1], Y="pair(3)", pred_prob=probabilities, pred_pseudo_label=predicted)
    for reasoner in (Reasoner(kb), ProbabilityReasoner(kb)):
        assert kb.logic_forward(reasoner.abduce(example)) == "pair(3)"


def test_points_of_cards_in_hearts() -> None:
    kb = HandKB("hearts")
    assert [kb.is_consistent([card], {"points": points}) for card, points in (("H5", 1), ("SQ", 13), ("S5", 1))] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("game", ["doudizhu", "big2", "president"])
def test_hand_kb_works_for_any_game(game: str) -> None:
    engine = load(game).engine()
    kb = HandKB(engine)
    plain = PlainHands(kb)
    cards = kb.pseudo_label_list
    plays = {pair: kb.logic_forward(list(pair)) for pair in combinations_with_replacement(cards, 2)}
    label = next(result for result in plays.values() if isinstance(result, str))
    found = kb.abduce_candidates([cards[0], cards[-1]], label, None, 1, 0)[0]
    expected = plain.abduce_candidates([cards[0], cards[-1]], label, None, 1, 0)[0]
    assert found == [list(each) for each in dict.fromkeys(map(tuple, expected))]


def test_invalid_requests_raise(kb: HandKB) -> None:
    for call, code in (
        (lambda: kb.logic_forward(["X9"]), ErrorCode.INVALID_CARDS),
        (lambda: kb.logic_forward([]), ErrorCode.INVALID_VALUE),
        (lambda: kb.abduce_candidates(["S3"], ["Nothing"], None, 1, 0), ErrorCode.INVALID_CARDS),
        (lambda: HandKB("guandan", state={"level": "XX"}), ErrorCode.INVALID_STATE),
    ):
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == code


# --- decisions ------------------------------------------------------------------------------------------------------


def test_recorded_move_fixes_the_label_of_the_reasoner() -> None:
    rules = RulesKB(load("guandan").engine())
    state = {"level": "8", "hand": ["H4", "C4", "D4", "H8", "S9", "D9"], "to_beat": ["Pair", "3", ["S3", "D3"]]}
    probabilities = np.full((1, len(rules.engine.labels)), 1e-6)
    probabilities[0, rules.engine.labels.index("pass")] = 0.9
    expected = {None: ["pass"], "pair(4)": ["pair(4)"], "trips(4)": []}
    requests = [(None, None), ("pair(4)", "pair(4)"), (["Pair", "4", ["H4", "D4"]], "pair(4)")]
    requests += [(["D4", "S4"], "pair(4)"), (["Trips", "4", ["H4", "C4", "D4"]], "trips(4)")]
    for y, label in requests:
        example = ListData(X=[state], Y=y, pred_prob=probabilities, pred_pseudo_label=["pass"])
        assert MinimisingReasoner(rules).abduce(example) == expected[label]
        if y is not None:
            assert rules.abduce_candidates(["pass"], y, [state], 1, 0)[0] == [expected[label]][: len(expected[label])]
    assert rules.revise_at_idx(["pass"], "pair(4)", [state], [0])[0] == [["pair(4)"]]
    assert rules.revise_at_idx(["pass"], "pair(4)", [state], [])[0] == []
