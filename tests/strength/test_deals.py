"""Whole deals: sound by the rules, exchanged, written and read, and played as they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.agents import agent
from abl_cards.arena import play_match
from abl_cards.errors import GameError
from abl_cards.games.counting.keys import counts_of, sizes_of
from abl_cards.strength.deals import Dealer, Hands, deal_texts
from abl_cards.strength.rules import StrengthRules
from tests.effort import long, thorough
from tests.games.doudizhu.decided import engine_of
from tests.games.doudizhu.edits import edited_doudizhu

KEYS = np.arange(300, dtype=np.uint64)


@pytest.fixture(scope="module")
def dealer() -> Dealer:
    return StrengthRules.of(engine_of()).dealer


@pytest.fixture(scope="module")
def hands(dealer: Dealer) -> Hands:
    return dealer.deal(KEYS)


def test_dealt_and_exchanged_deals_share_one_pack(dealer: Dealer, hands: Hands) -> None:
    for each in (hands, dealer.exchange(hands, KEYS)):
        assert dealer.sound(each).all()
        assert (counts_of(each.parts).sum(axis=1) == [4] * 13 + [1, 1]).all()
        assert (sizes_of(each.parts) == [20, 17, 17]).all()
        assert (sizes_of(each.bottom) == 3).all()
        assert (counts_of(each.bottom) <= counts_of(each.parts[:, 0])).all()
    assert len({tuple(parts) for parts in hands.parts.tolist()}) == len(KEYS)


def test_an_exchange_moves_one_card_each_way(dealer: Dealer, hands: Hands) -> None:
    moved = counts_of(dealer.exchange(hands, KEYS).parts).astype(int) - counts_of(hands.parts)
    assert (abs(moved).sum(axis=(1, 2)) <= 4).all()
    assert (moved.any(axis=(1, 2))).mean() > 0.8


@settings(max_examples=200 if thorough() else 12)
@given(st.integers(0, 2**64 - 1))
def test_texts_parse_back(key: int) -> None:
    dealer = StrengthRules.of(engine_of()).dealer
    one = dealer.deal(np.array([key], np.uint64))
    back = dealer.read(deal_texts(dealer.letters, one, 0))
    assert (back.parts == one.parts).all()
    assert (back.bottom == one.bottom).all()


@pytest.mark.parametrize("card", range(15))
def test_a_card_too_many_or_too_few_is_a_flaw(dealer: Dealer, hands: Hands, card: int) -> None:
    one = np.uint64(1 << 4 * card)
    for change in (one, np.uint64(2**64 - int(one))):
        parts = hands.parts.copy()
        able = (
            counts_of(parts[:, 1])[:, card] < (4 if card < 13 else 1)
            if change == one
            else counts_of(parts[:, 1])[:, card] > 0
        )
        parts[:, 1] += change
        assert not dealer.sound(Hands(parts, hands.bottom).at(able)).any()


def test_what_is_wrong_is_named(dealer: Dealer, hands: Hands) -> None:
    value = deal_texts(dealer.letters, hands, 0)
    for change, problem in (
        ({"up": value["up"][1:]}, r"no deal: copies\(3\), size\(up\)"),
        ({"down": "3" * 5}, "down: there are not that many 3"),
        ({"bottom": "33"}, "bottom: 3 cards of the landlord's"),
        ({"bottom": "223"}, "bottom: 3 cards"),  # the landlord has a single 2
    ):
        with pytest.raises(GameError, match=problem):
            dealer.read(value | change)
    with pytest.raises(GameError, match='a deal is a JSON object with "landlord"'):
        dealer.read({"landlord": "3"})


@long
def test_a_rule_of_ones_own_keeps_deals_out(tmp_path: object, dealer: Dealer, hands: Hands) -> None:
    hand = "hand(landlord;down;up)."
    rule = f"{hand}\nflawed(rocket(P)) :- dealt(P,small,1), dealt(P,big,1)."
    strict = StrengthRules.of(engine_of(edited_doudizhu(tmp_path, "science/deals.lp", hand, rule))).dealer
    jokers = counts_of(hands.parts)[:, :, 13:].astype(int)
    assert (strict.sound(hands) == ~(jokers.sum(axis=2) == 2).any(axis=1)).all()
    assert dealer.sound(hands).all()


def test_the_rest_of_a_landlords_hand(dealer: Dealer, hands: Hands) -> None:
    completed = dealer.complete(int(hands.parts[0, 0]), KEYS)
    assert dealer.sound(completed).all()
    assert (completed.parts[:, 0] == hands.parts[0, 0]).all()
    assert len({tuple(parts) for parts in completed.parts.tolist()}) > 0.95 * len(KEYS)


def test_given_deals_are_played_in_their_order(hands: Hands) -> None:
    rules = StrengthRules.of(engine_of())
    engine, letters = rules.with_deals(hands.at(np.arange(3))), rules.dealer.letters
    player, records = agent("greedy", engine), list[dict[str, Any]]()
    play_match(engine, ("greedy", "greedy"), (player, player), 6, write=records.append, given=True)
    records.sort(key=lambda record: int(record["match"]))
    texts = [deal_texts(letters, hands, deal) for deal in (0, 0, 1, 1, 2, 2)]
    assert [record["hands"][1:] for record in records] == [[each["down"], each["up"]] for each in texts]
    assert [record["aside"] for record in records] == [each["bottom"] for each in texts]


def test_a_bid_for_landlord_cannot_be_given(hands: Hands) -> None:
    with pytest.raises(GameError, match="profile contest bids for him"):
        StrengthRules.of(engine_of(None, "contest")).with_deals(hands)
