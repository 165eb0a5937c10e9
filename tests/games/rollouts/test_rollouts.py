"""Card sets, forms and inputs of compiled rollouts, against the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.rollouts import (
    can_roll_out,
    check_rollouts_applicable,
    episode_rules,
    find_card_sets,
    position_inputs,
    position_shape,
)
from abl_cards.games.rollouts.card_sets import FOLLOWS, LEADS, largest_hand_bits
from tests.games.every_game import every_game
from tests.games.rollouts.sampled_tables import sample_tables

APPLICABLE = ("guandan", "doudizhu", "president")


@pytest.mark.parametrize("game", every_game("president"))
def test_games_that_do_not_apply_say_why(game: str) -> None:
    rules = load(game).engine().rules
    if can_roll_out(rules):
        check_rollouts_applicable(rules)
        return
    assert game not in APPLICABLE
    with pytest.raises(GameError) as caught:
        check_rollouts_applicable(rules)
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


@pytest.mark.parametrize(("game", "profile"), [*((game, None) for game in APPLICABLE), ("doudizhu", "douzero")])
@pytest.mark.parametrize("num_steps", [5, 14, 33])
def test_forms_and_card_sets_are_those_of_the_engine(game: str, profile: str | None, num_steps: int) -> None:
    """In the profile ``douzero`` hands lead with other kickers than they follow with."""
    tables = sample_tables(load(game, profile=profile).engine(), 16, num_steps)
    rows = tables.rows_to_play()
    state, rules, decisions = tables.state, tables.rules, tables.decisions(rows)
    assert len(rows)
    hands = state.hands[rows, state.seat[rows]]
    sets = find_card_sets(rules, hands, state.fluents[rows], state.context[rows])
    legal, lists = decisions.legal_mask.T.astype(bool), decisions.moves()
    for index, table in enumerate(rows):
        allowed = episode_rules(rules, int(state.context[table])).allowed[state.to_beat[table]].astype(bool)
        runs = np.arange(sets.run_start[index], sets.run_start[index + 1])
        use = LEADS if state.to_beat[table] < 0 else FOLLOWS
        runs = runs[allowed[sets.run_form[runs]] & (sets.run_use[runs] & use > 0)]
        labels = set(rules.forms.label_of[sets.run_form[runs]].tolist())
        playable = [
            (sets.run_form[run], tuple(sets.cards[row]))
            for run in runs
            for row in range(sets.set_start[run], sets.set_start[run + 1])
        ]
        moves = range(lists.start[index], lists.start[index + 1])
        expected = [(lists.form[row], tuple(lists.cards[row])) for row in moves]
        assert sorted(playable) == sorted(move for move in expected if move[0] != rules.forms.pass_form)
        if state.to_beat[table] >= 0 and allowed[rules.forms.pass_form]:
            labels.add(int(rules.forms.label_of[rules.forms.pass_form]))
        assert labels == set(np.flatnonzero(legal[index]).tolist())
    packed = (sets.guard_bits, sets.field_start.astype(np.uint64), sets.set_start[sets.run_start])
    for index, (guard, fields, first, last) in enumerate(zip(*packed[:2], packed[2][:-1], packed[2][1:], strict=True)):
        whole = int(guard) | sum(int(count) << int(bit) for count, bit in zip(hands[index], fields, strict=True))
        for row in range(first, last):
            cards = np.bincount(sets.cards[row][sets.cards[row] < 255], minlength=hands.shape[1])
            rest = whole - int(sets.need[row])
            assert rest == int(guard) | sum(
                int(count) << int(bit) for count, bit in zip(hands[index] - cards, fields, strict=True)
            )


@given(st.lists(st.integers(1, 8), min_size=1, max_size=5), st.data())
def test_no_hand_takes_more_bits_than_the_bound(copies: list[int], data: st.DataObject) -> None:
    hand = [data.draw(st.integers(0, count)) for count in copies]
    bits = sum(count.bit_length() + 1 for count in hand if count)
    assert bits <= largest_hand_bits(np.array(copies, np.uint8), sum(hand))


@pytest.mark.parametrize(
    ("copies", "num_cards", "bits"), [([2] * 54, 28, 56), ([4] * 13 + [1, 1], 20, 35), ([4], 4, 4)]
)
def test_bound_on_the_bits_of_a_hand_is_met(copies: list[int], num_cards: int, bits: int) -> None:
    assert largest_hand_bits(np.array(copies, np.uint8), num_cards) == bits


def test_hand_that_does_not_fit_is_an_error() -> None:
    rules = load("guandan").engine().rules
    hands = np.ones((1, len(rules.pack)), np.uint8)
    with pytest.raises(GameError) as caught:
        find_card_sets(rules, hands, rules.contexts.fluent_states[:1], np.zeros(1, np.int16))
    assert caught.value.code == ErrorCode.UNSUPPORTED_GAME


@pytest.mark.parametrize("game", APPLICABLE)
def test_inputs_of_a_position_are_what_the_seat_sees(game: str) -> None:
    tables = sample_tables(load(game).engine(), 12, 21)
    rows = tables.rows_to_play()
    state, shape, sides = tables.state, position_shape(tables.rules), tables.sides(rows)
    inputs = position_inputs(tables, rows)
    leading = tables.copy(np.arange(len(tables)))
    leading.state.to_beat[:] = -1
    leads = leading.decisions(rows).legal_mask.T
    assert inputs.shape == (len(rows), shape.num_inputs)

    def one_hot(value: int, size: int) -> list[int]:
        return [int(value == place) for place in range(size)]

    def counts(cards: Any, most: int) -> list[int]:
        return [bit for count in cards for bit in one_hot(min(int(count), most) - 1, most)]

    for index, table in enumerate(rows):
        seat, seats = int(state.seat[table]), shape.num_seats
        others = [(seat + offset) % seats for offset in range(1, seats)]
        hand = state.hands[table, seat]
        unplayed = state.hands[table].sum(axis=0) + state.aside[table]
        owner = 0 if state.to_beat[table] < 0 else (int(state.owner[table]) - seat) % seats
        expected = one_hot(int(state.context[table]), len(tables.rules.contexts))
        for cards in (unplayed, hand):
            expected += counts(cards, shape.max_copies)
            if shape.num_ranks:
                ranks = np.bincount(shape.rank_of, weights=cards, minlength=shape.num_ranks)
                expected += counts(ranks, shape.max_rank_copies)
        for other in others:
            expected += one_hot(min(int(state.hands[table, other].sum()), shape.max_hand), shape.max_hand + 1)
        expected += one_hot(owner, seats)
        expected += [int(state.passed[table]) >> other & 1 for other in others]
        expected += [int(sides[index, other] == sides[index, seat]) for other in others]
        expected += leads[index].tolist()
        assert inputs[index].tolist() == expected
