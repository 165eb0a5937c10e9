"""Tests of whole deals: validity, exchanges, writing and reading, and play in a given order."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.min_plays.hand_keys import key_counts, key_sizes
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deals import DealBatch, DealSampler, deal_to_json
from abl_cards.matches.match_runner import play_match
from tests.effort import long, thorough
from tests.games.doudizhu.decided import engine_of
from tests.games.doudizhu.edits import edited_doudizhu

KEYS = np.arange(300, dtype=np.uint64)


@cache
def default_deal_sampler() -> DealSampler:
    return DealRules.from_engine(engine_of()).deal_sampler


@pytest.fixture(scope="module")
def dealer() -> DealSampler:
    return default_deal_sampler()


@pytest.fixture(scope="module")
def hands(dealer: DealSampler) -> DealBatch:
    return dealer.deal(KEYS)


def test_dealt_and_exchanged_deals_share_one_pack(dealer: DealSampler, hands: DealBatch) -> None:
    for deals in (hands, dealer.swap_cards(hands, KEYS)):
        assert dealer.is_valid(deals).all()
        assert (key_counts(deals.hand_keys).sum(axis=1) == [4] * 13 + [1, 1]).all()
        assert (key_sizes(deals.hand_keys) == [20, 17, 17]).all()
        assert (key_sizes(deals.bottom_keys) == 3).all()
        assert (key_counts(deals.bottom_keys) <= key_counts(deals.hand_keys[:, 0])).all()
    assert len({tuple(parts) for parts in hands.hand_keys.tolist()}) == len(KEYS)


def test_swap_cards_moves_one_card_each_way(dealer: DealSampler, hands: DealBatch) -> None:
    moved = key_counts(dealer.swap_cards(hands, KEYS).hand_keys).astype(int) - key_counts(hands.hand_keys)
    assert (abs(moved).sum(axis=(1, 2)) <= 4).all()
    assert (moved.any(axis=(1, 2))).mean() > 0.8


@settings(max_examples=200 if thorough() else 12)
@given(st.integers(0, 2**64 - 1))
def test_deal_json_round_trips(key: int) -> None:
    dealer = default_deal_sampler()
    one = dealer.deal(np.array([key], np.uint64))
    back = dealer.read_deal(deal_to_json(dealer.letters, one, 0))
    assert (back.hand_keys == one.hand_keys).all()
    assert (back.bottom_keys == one.bottom_keys).all()


@pytest.mark.parametrize("card", range(15))
def test_deals_with_wrong_card_counts_are_invalid(dealer: DealSampler, hands: DealBatch, card: int) -> None:
    one = np.uint64(1 << 4 * card)
    for change in (one, np.uint64(2**64 - int(one))):
        parts = hands.hand_keys.copy()
        able = (
            key_counts(parts[:, 1])[:, card] < (4 if card < 13 else 1)
            if change == one
            else key_counts(parts[:, 1])[:, card] > 0
        )
        parts[:, 1] += change
        assert not dealer.is_valid(DealBatch(parts, hands.bottom_keys).select(able)).any()


def test_read_deal_reports_the_error(dealer: DealSampler, hands: DealBatch) -> None:
    value = deal_to_json(dealer.letters, hands, 0)
    for change, problem in (
        ({"up": value["up"][1:]}, r"copies\(3\), size\(up\)"),
        ({"bottom": "33"}, "^bottom"),
        ({"bottom": "223"}, "^bottom"),  # the landlord has a single 2
    ):
        with pytest.raises(GameError, match=problem) as caught:
            dealer.read_deal(value | change)
        assert caught.value.code == ErrorCode.INVALID_DEAL
    with pytest.raises(GameError, match=r"^down.*3"):
        dealer.read_deal(value | {"down": "3" * 5})
    with pytest.raises(GameError) as caught:
        dealer.read_deal({"landlord": "3"})
    assert caught.value.code == ErrorCode.INVALID_DEAL


@long
def test_custom_flaw_rule_excludes_deals(tmp_path: object, dealer: DealSampler, hands: DealBatch) -> None:
    hand = "hand(landlord;down;up)."
    rule = f"{hand}\nflawed(rocket(P)) :- dealt(P,small,1), dealt(P,big,1)."
    strict = DealRules.from_engine(engine_of(edited_doudizhu(tmp_path, "science/deals.lp", hand, rule))).deal_sampler
    jokers = key_counts(hands.hand_keys)[:, :, 13:].astype(int)
    assert (strict.is_valid(hands) == ~(jokers.sum(axis=2) == 2).any(axis=1)).all()
    assert dealer.is_valid(hands).all()


def test_rules_of_deals_are_loaded_once_for_a_compiled_game() -> None:
    assert DealRules.from_engine(engine_of()).kb is DealRules.from_engine(engine_of()).kb


def test_complete_deals_keeps_the_landlord_hand(dealer: DealSampler, hands: DealBatch) -> None:
    completed = dealer.complete_deals(int(hands.hand_keys[0, 0]), KEYS)
    assert dealer.is_valid(completed).all()
    assert (completed.hand_keys[:, 0] == hands.hand_keys[0, 0]).all()
    assert len({tuple(parts) for parts in completed.hand_keys.tolist()}) > 0.95 * len(KEYS)


def test_fixed_deals_are_played_in_order(hands: DealBatch) -> None:
    rules = DealRules.from_engine(engine_of())
    engine, letters = rules.with_deals(hands.select(np.arange(3))), rules.deal_sampler.letters
    player, records = make_agent("greedy", engine), list[dict[str, Any]]()
    play_match(
        engine, (player, player), 6, 0, names=("greedy", "greedy"), write_record=records.append, use_fixed_deals=True
    )
    records.sort(key=lambda record: int(record["match"]))
    texts = [deal_to_json(letters, hands, deal) for deal in (0, 0, 1, 1, 2, 2)]
    assert [record["hands"][1:] for record in records] == [[text["down"], text["up"]] for text in texts]
    assert [record["aside"] for record in records] == [text["bottom"] for text in texts]


def test_fixed_deals_reject_profiles_with_bidding(hands: DealBatch) -> None:
    with pytest.raises(GameError, match="contest") as caught:
        DealRules.from_engine(engine_of(None, "contest")).with_deals(hands)
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


def test_read_deals_removes_duplicates(hands: DealBatch) -> None:
    rules = DealRules.from_engine(engine_of())
    texts = [deal_to_json(rules.deal_sampler.letters, hands, deal) for deal in (2, 0, 2, 1, 0)]
    read, expected = rules.read_deals(texts), hands.select(np.array([2, 0, 1]))
    np.testing.assert_array_equal(read.hand_keys, expected.hand_keys)
    np.testing.assert_array_equal(read.bottom_keys, expected.bottom_keys)
