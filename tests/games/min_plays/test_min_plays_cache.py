"""Test that numbers of plays are stored, and that what is stored changes no number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.min_plays.any_forms import AnyFormCounter
from abl_cards.games.min_plays.leads import LeadFinder
from abl_cards.games.min_plays.min_plays_cache import MinPlaysCache
from abl_cards.games.sampling import sample_decisions
from abl_cards.games.tables import Decisions
from abl_cards.games.types import NO_CARD, MoveLists
from tests.effort import amount


def hands_and_moves(decisions: Decisions, rows: slice) -> tuple[NDArray[np.uint8], NDArray[np.integer], MoveLists]:
    """Return hands, contexts and moves of some decisions."""
    part = decisions.select(np.arange(len(decisions.view))[rows])
    return part.view.hand, part.view.context, part.moves()


def test_stored_numbers_equal_those_of_a_new_counter(paodekuai: CompiledGame) -> None:
    counter, decisions = AnyFormCounter.from_rules(paodekuai), sample_decisions(paodekuai, amount(60, 400), 3)
    twice = np.tile(np.arange(len(decisions.view)), 2)
    for rows in (slice(0, 20), slice(10, 50), slice(None)):
        hands, context, lists = hands_and_moves(decisions.select(twice), rows)
        stored = counter.min_plays_and_bounds(hands, context, lists.start, lists.cards)
        new = AnyFormCounter.from_rules(paodekuai).min_plays_and_bounds(hands, context, lists.start, lists.cards)
        assert [array.tolist() for array in stored] == [array.tolist() for array in new]


def test_known_hands_are_not_listed_again(paodekuai: CompiledGame, monkeypatch: pytest.MonkeyPatch) -> None:
    counter, listed, list_moves = AnyFormCounter.from_rules(paodekuai), list[int](), LeadFinder.lead_moves

    def list_and_count(
        finder: LeadFinder, context: NDArray[np.integer], hands: NDArray[np.uint8], once: bool
    ) -> object:
        listed.append(len(hands))
        return list_moves(finder, context, hands, once)

    monkeypatch.setattr(LeadFinder, "lead_moves", list_and_count)
    hand = np.zeros((1, len(paodekuai.pack)), np.uint8)
    hand[0, :5] = 1
    other = np.roll(hand, 7, axis=1)
    hands, context = np.concatenate([hand, other, hand]), np.zeros(3, np.int64)
    plays = counter.min_plays(hands, context)
    assert (counter.min_plays(hands[:2], context[:2]) == plays[:2]).all()
    assert listed == [2]


def test_leads_that_differ_in_suits_are_listed_once(paodekuai: CompiledGame) -> None:
    counter, decisions = AnyFormCounter.from_rules(paodekuai), sample_decisions(paodekuai, amount(60, 400), 5)
    hands, context, lists = hands_and_moves(decisions, slice(None))
    assert counter.one_per_rank
    of_all = replace(AnyFormCounter.from_rules(paodekuai), one_per_rank=False)
    for plays, expected in zip(
        counter.min_plays_and_bounds(hands, context, lists.start, lists.cards),
        of_all.min_plays_and_bounds(hands, context, lists.start, lists.cards),
        strict=True,
    ):
        assert plays.tolist() == expected.tolist()
    once, _, _ = counter.leads.lead_moves(context, hands, one_per_rank=True)
    assert len(once.form) < len(counter.leads.lead_moves(context, hands)[0].form)


def test_hand_and_context_belong_to_an_entry() -> None:
    cache, hands = MinPlaysCache(), np.array([[1, 1, 0], [1, 1, 1]], np.uint8)
    start, cards = np.array([0, 1, 2]), np.array([[NO_CARD], [2]], np.uint8)  # the same cards are left of both hands
    plays, bounds = np.zeros(2, np.uint8), np.zeros(2, np.bool_)
    _, codes, is_missing = cache.read(hands, np.zeros(2, np.int64), start, cards, plays, bounds)
    assert is_missing.all()
    cache.store(codes[:1], np.array([7], np.uint8), np.array([True]))
    _, _, is_missing = cache.read(hands, np.zeros(2, np.int64), start, cards, plays, bounds)
    assert is_missing.tolist() == [False, True]
    assert (plays.tolist(), bounds.tolist()) == ([7, 0], [True, False])
    _, _, is_missing = cache.read(hands, np.ones(2, np.int64), start, cards, plays, bounds)
    assert is_missing.all()
