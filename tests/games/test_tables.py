"""Lists of card sets: finding moves again, whatever the order of their cards."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD, MoveLists, Moves
from tests.games.random_play import match_keys, step


def _lists() -> MoveLists:
    """Two decisions: a pass, a pair; a pair and a single of other forms."""
    cards = np.array([[NO_CARD, NO_CARD], [3, 4], [3, 4], [5, NO_CARD]], np.uint8)
    return MoveLists(np.array([0, 2, 4]), np.array([0, 1, 2, 3], np.int16), cards)


@pytest.mark.parametrize(
    ("forms", "cards", "rows"),
    [
        ([1, 2], [[4, 3], [3, 4]], [1, 2]),  # in any order
        ([0, 3], [[NO_CARD], [5]], [0, 3]),  # narrower than the lists
        ([1, 3], [[3, NO_CARD, 4], [5, NO_CARD, 6]], [1, -1]),  # wider: a card more is another move
        ([2, 1], [[3, 4], [3, 4]], [-1, -1]),  # the form of another decision
    ],
)
def test_moves_are_found_in_any_card_order(forms: list[int], cards: list[list[int]], rows: list[int]) -> None:
    moves = Moves(np.array(forms, np.int16), np.array(cards, np.uint8))
    assert _lists().find(moves).tolist() == rows


@pytest.mark.parametrize(
    "layout", [lambda cards: cards[:, :1].copy(), lambda cards: np.repeat(cards, 2, axis=1)[:, ::2]]
)
def test_play_accepts_any_array_layout(layout: Callable[[NDArray[np.uint8]], NDArray[np.uint8]]) -> None:
    """Rows narrower than the longest play, and such as lie apart in memory: here of single cards."""
    rules, states = load("president").engine().rules, []
    for laid in (lambda cards: cards, layout):
        tables = Tables.begin(rules, match_keys(50, 3))
        for _ in range(12):
            playing = tables.rows_to_play()
            lists = tables.decisions(playing).moves()
            single = np.flatnonzero((lists.cards[:, 1:] == NO_CARD).all(axis=1))
            rows = single[np.unique(lists.decision_index[single], return_index=True)[1]]
            tables.play(playing, Moves(lists.form[rows], laid(lists.cards[rows])))
        states.append(tables.state)
    assert all(np.array_equal(*fields) for fields in zip(*states, strict=True))


@pytest.mark.parametrize("name", ["president", "hearts"])
def test_play_without_cards_raises(name: str) -> None:
    tables = Tables.begin(load(name).engine().rules, match_keys(3, 1))
    while not (playing := tables.rows_to_play()).size:
        step(tables)
    decisions = tables.decisions(playing)
    moves = decisions.first_moves(decisions.legal_mask.argmax(axis=0).astype(np.int16))
    moves.cards[1] = NO_CARD
    with pytest.raises(TableError) as raised:
        tables.play(playing, moves)
    assert raised.value.table == playing[1]
    assert raised.value.code == ErrorCode.RULES_STUCK


def test_a_table_makes_one_play_at_a_time() -> None:
    tables = load("president").engine().start_matches(np.arange(3, dtype=np.uint64))
    lists = tables.decisions(tables.rows_to_play()).moves()
    moves = lists.select(lists.start[:-1])
    with pytest.raises(GameError) as error:
        tables.play(np.array([0, 0, 1]), moves)
    assert error.value.code == ErrorCode.INVALID_VALUE
    tables.play(np.array([2, 0, 1]), moves)
