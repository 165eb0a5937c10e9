"""Arguments of decisions: keys, cards, limits, labels that a function draws, and lists of moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import MoveLists
from abl_cards.reasoners.abduction.minimiser import Minimiser

N = 4


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("president").engine()


@pytest.fixture
def decisions(engine: Engine) -> Decisions:
    return engine.start_matches(np.arange(N, dtype=np.uint64)).decisions(np.arange(N))


def equal(moves: Any, others: Any) -> bool:
    return all(np.array_equal(array, other) for array, other in zip(moves, others, strict=True))


def rejected(call: Callable[[], Any], code: ErrorCode = ErrorCode.INVALID_VALUE) -> None:
    with pytest.raises(GameError) as error:
        call()
    assert error.value.code == code


@pytest.mark.parametrize("keys", [[], [1], [1] * 5, [1.0] * N, [-1] * N, [True] * N, [[1]] * N, 1, None, ["a"] * N])
def test_draws_need_a_key_for_each_decision(decisions: Decisions, keys: Any) -> None:
    """Kernels read the keys of all decisions: with fewer they read memory behind them, so a seed repeated nothing."""
    labels = decisions.legal_mask.argmax(axis=0).astype(np.int16)
    given = np.array(keys)
    rejected(lambda: decisions.sample_moves(labels, given))
    rejected(lambda: decisions.try_sample_moves(labels, given))
    rejected(lambda: decisions.sample_labels_and_moves(lambda lo, hi, drawn: None, given))


def test_keys_of_any_integer_type_draw_the_same(decisions: Decisions) -> None:
    labels = decisions.legal_mask.argmax(axis=0).astype(np.int16)
    expected = decisions.sample_moves(labels, np.arange(N, dtype=np.uint64))
    given: list[Any] = [np.arange(N), np.arange(N, dtype=np.uint8), list(range(N))]
    for keys in given:
        assert equal(expected, decisions.sample_moves(labels, keys))


@pytest.mark.parametrize("label", [-1, -2, 53, 2**40])
def test_labels_that_do_not_exist_are_reported(decisions: Decisions, label: int) -> None:
    """The label -1 stood for all labels, or the rules were blamed to have no cards for it."""
    labels = decisions.legal_mask.argmax(axis=0)
    labels[1] = label
    keys = np.arange(N, dtype=np.uint64)
    for call in (decisions.moves, decisions.first_moves, lambda given: decisions.sample_moves(given, keys)):
        with pytest.raises(ValueError, match="labels") as error:
            call(labels)
        assert not isinstance(error.value, GameError)


@pytest.mark.parametrize("label", [53, -1, -2, 30_000])
def test_functions_that_draw_labels_out_of_range_are_reported(decisions: Decisions, label: int) -> None:
    def draw(lo: int, hi: int, labels: Any) -> None:
        labels[lo:hi] = label

    with pytest.raises(ValueError, match="labels"):
        decisions.sample_labels_and_moves(draw, np.arange(N, dtype=np.uint64))


@pytest.mark.parametrize(
    "change",
    [
        lambda hands: hands[:1],
        lambda hands: hands[0],
        lambda hands: hands[:, :3],
        lambda hands: np.tile(hands, (2, 1)),
        lambda hands: hands + np.uint8(1),
        lambda hands: hands * 1.0,
        lambda hands: -hands.astype(np.int8),
        lambda hands: 0,
    ],
)
def test_cards_are_those_of_the_hands(decisions: Decisions, change: Callable[[Any], Any]) -> None:
    """More cards than there are ended the process; fewer rows gave answers from memory behind them."""
    cards = change(decisions.view.hand)
    rejected(lambda: decisions.addable_cards(cards))
    rejected(lambda: decisions.first_card_sets(3, hands=cards))


def test_cards_of_any_integer_type_are_the_same(decisions: Decisions) -> None:
    hands: Any = decisions.view.hand
    limit: Any = np.int64(3)
    lists, _ = decisions.first_card_sets(3, hands=hands)
    assert equal(lists, decisions.first_card_sets(limit, hands=hands.astype(np.int64))[0])
    assert equal(lists, decisions.first_card_sets(3, hands=hands.tolist())[0])
    assert not decisions.addable_cards(hands.astype(np.int32)).any()


@pytest.mark.parametrize("limit", [None, True, 1.5, float("nan"), -1, "3", [1]])
def test_limits_are_numbers_of_card_sets(decisions: Decisions, limit: Any) -> None:
    rejected(lambda: decisions.first_card_sets(limit))


def test_a_limit_beyond_memory_is_none(decisions: Decisions) -> None:
    lists, is_cut = decisions.first_card_sets(10**30)
    assert not is_cut.any()
    assert equal(lists, decisions.moves())


@pytest.mark.parametrize(
    "change",
    [
        lambda lists: None,
        lambda lists: tuple(lists),
        lambda lists: lists._replace(start=lists.start + 1),
        lambda lists: lists._replace(start=lists.start[::-1]),
        lambda lists: lists._replace(start=lists.start[:2]),
        lambda lists: lists._replace(form=lists.form[:1]),
        lambda lists: MoveLists(lists.start, lists.form[1:], lists.cards[1:]),
        lambda lists: lists._replace(form=np.full_like(lists.form, 30_000)),
        lambda lists: lists._replace(form=np.full_like(lists.form, -1)),
        lambda lists: lists._replace(cards=np.full_like(lists.cards, 200)),
    ],
)
def test_lists_are_moves_of_the_decisions(
    engine: Engine, decisions: Decisions, change: Callable[[MoveLists], Any]
) -> None:
    """Cards that there are not ended the process; a filtered list with its former start gave wrong costs."""
    lists = change(decisions.moves())
    preferences = engine.preference_model()
    rejected(lambda: engine.plays_left(decisions, lists))
    rejected(lambda: decisions.takes_trick(lists))
    rejected(lambda: preferences.costs(decisions, lists))
    rejected(lambda: next(iter(preferences.evaluate(decisions, lists))))
    rejected(lambda: preferences.inputs(decisions, lists))
    rejected(lambda: Minimiser(engine).order(decisions, lists))


def test_lists_of_choices_are_options() -> None:
    engine = load("hearts").engine()
    tables = engine.start_matches(np.arange(2, dtype=np.uint64))
    choices = tables.choices(tables.rows_to_choose())
    lists = choices.moves()
    assert len(engine.preference_model().costs(choices, lists)[0]) == len(lists.form)
    rejected(lambda: engine.preference_model().costs(choices, lists._replace(form=lists.form * 0)))
    wrong = np.full_like(lists.cards, engine.num_options)
    rejected(lambda: engine.preference_model().costs(choices, lists._replace(cards=wrong)))
