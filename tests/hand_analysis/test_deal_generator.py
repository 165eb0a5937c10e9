"""Tests of deals of a requested class, by classifiers with a known rule."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from abl_cards.games.min_plays.hand_keys import key_counts
from abl_cards.hand_analysis import deal_generator
from abl_cards.hand_analysis.deal_generator import DealGenerator
from abl_cards.hand_analysis.deal_requests import deal_id
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deals import DealBatch, DealSampler
from tests.games.doudizhu.decided import engine_of


@cache
def dealer() -> DealSampler:
    return DealRules.from_engine(engine_of()).deal_sampler


def by_twos(hands: DealBatch) -> np.ndarray:
    """Return class C with certainty for a landlord with C twos."""
    return np.eye(5, dtype=np.float32)[key_counts(hands.hand_keys)[:, 0, 12]]


def by_high_cards(hands: DealBatch) -> np.ndarray:
    """Return a probability of class 1 that grows with the landlord's kings, aces, twos and jokers."""
    share = key_counts(hands.hand_keys)[:, 0, 10:].sum(axis=1) / 14
    return np.stack([1 - share, share], axis=1).astype(np.float32)


@pytest.mark.parametrize("deal_class", [0, 2, 4])
def test_generated_deals_are_valid_and_of_the_class(deal_class: int) -> None:
    made = DealGenerator(dealer(), by_twos, 5, deal_id).generate(deal_class, 0.9, 20)
    deals = DealBatch.concatenate(made.deals)
    assert len(made.deals) == len(set(map(tuple, deals.hand_keys.tolist()))) == 20
    assert (key_counts(deals.hand_keys)[:, 0, 12] == deal_class).all()
    assert dealer().is_valid(deals).all()
    assert made.confidence == [1.0] * 20


def test_generation_is_deterministic_and_excludes_known_deals() -> None:
    def names(seed: int, unlike: frozenset[str] = frozenset()) -> list[str]:
        maker = DealGenerator(dealer(), by_twos, seed, deal_id, unlike)
        return [deal_id(deal, 0) for deal in maker.generate(1, 0.9, 10).deals]

    assert names(3) == names(3)
    assert not set(names(3)) & set(names(4))
    assert names(3, frozenset(names(3)[:4]))[:6] == names(3)[4:]


def test_rare_deals_are_found_by_swapping_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_generator, "_MIN_RANDOM_BATCHES", 1)
    random = dealer().deal(np.arange(20_000, dtype=np.uint64))
    assert (by_high_cards(random)[:, 1] >= 0.9).sum() == 0
    made = DealGenerator(dealer(), by_high_cards, 1, deal_id).generate(1, 0.9, 20)
    deals = DealBatch.concatenate(made.deals)
    assert len(made.deals) == 20
    assert (by_high_cards(deals)[:, 1] >= 0.9).all()
    assert dealer().is_valid(deals).all()
    assert len(set(map(tuple, deals.hand_keys.tolist()))) == 20


def test_search_for_impossible_deals_stops() -> None:
    maker = DealGenerator(dealer(), lambda hands: np.zeros((len(hands.bottom_keys), 2), np.float32), 1, deal_id)
    made = maker.generate(1, 0.9, 5, 9000)
    assert made.deals == []
    assert made.n_classified >= 9000
