"""Moves of whole hands by the index of forms are those of an enumeration of all forms."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.compiled.card_sets import whole_hand_moves
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.game import load
from abl_cards.games.moves.enumerate import ALL_LABELS, enumerate_moves
from abl_cards.games.moves.move_tables import scratch_for
from abl_cards.games.types.moves import MAX_CARD_SETS, NO_CARD, MoveLists
from tests.effort import amount
from tests.games.moves.test_own_kickers import WINGS
from tests.games.moves.test_wild_cards import GAME as WILD
from tests.games.moves.test_wild_cards import WITHOUT

FOLDERS = {"wild": WILD + WITHOUT, "kickers": WINGS}


@pytest.fixture(scope="module", params=FOLDERS)
def game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CompiledGame:
    """Load a game with wild cards, suits and last groups of any rank, or one with kickers of a group's own rank."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    (folder / "game.lp").write_text(FOLDERS[request.param], "utf-8")
    return load(str(folder)).engine().rules


def _enumerate(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_],
    allowed: NDArray[np.uint8],
) -> MoveLists:  # fmt: skip
    """Enumerate the card sets of all allowed forms [forms, n]."""
    n, tables, capacity = len(hands), rules.move_tables, 1 << 20
    start, form = np.zeros(n + 1, np.int64), np.empty(capacity, np.int16)
    cards = np.empty((capacity, rules.forms.max_cards), np.uint8)
    number = enumerate_moves(
        tables, hands, contexts, leading.astype(np.int8), np.full(n, ALL_LABELS, np.int16),
        np.ones((len(rules.labels), n), np.uint8), allowed, 0, n, MAX_CARD_SETS, 0, start, form, cards,
        scratch_for(tables, rules.forms.max_cards),
    )  # fmt: skip
    assert number <= capacity
    return MoveLists(start, form[:number], cards[:number])


def _plain_search(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16], leading: NDArray[np.bool_]
) -> MoveLists:
    """Enumerate all forms with the number of cards of each hand."""
    has_size = rules.forms.num_cards[:, None] == hands.sum(axis=1, dtype=np.int64)
    return _enumerate(rules, hands, contexts, leading, has_size.astype(np.uint8))


def _whole_hands(rules: CompiledGame, number: int) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return the cards of moves of random hands, and of these with a card more, less or exchanged; and contexts."""
    generator, kinds = np.random.default_rng(0), len(rules.pack)
    dealt = np.stack(
        [counts_from_cards(generator.permutation(rules.pack.deck)[:8].tolist(), kinds) for _ in range(number)]
    )
    contexts = generator.integers(0, len(rules.strength), number).astype(np.int16)
    lists = _enumerate(rules, dealt, contexts, np.ones(number, np.bool_), np.ones((len(rules.forms), number), np.uint8))
    hands, chosen = [], generator.integers(0, len(lists.form), 10 * number)
    for cards in lists.cards[chosen]:
        hand = counts_from_cards(cards[cards != NO_CARD].tolist(), kinds).astype(np.int64)
        removed, added = generator.integers(0, kinds, 2)
        changes = np.array([[0, 0], [-1, 0], [0, 1], [-1, 1]])[generator.integers(0, 4)]
        np.add.at(hand, [removed, added], changes)
        hands.append(hand.clip(0, rules.pack.copies).astype(np.uint8))
    return np.stack(hands), contexts[lists.decision_index[chosen]]


def test_moves_equal_plain_search(game: CompiledGame) -> None:
    hands, contexts = _whole_hands(game, amount(40, 2000))
    for leads in (False, True):
        leading = np.full(len(hands), leads)
        expected, found = (
            _plain_search(game, hands, contexts, leading),
            whole_hand_moves(game, hands, contexts, leading),
        )
        assert len(expected.form) > len(hands) // 5
        assert all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(expected, found, strict=True))


def test_masks_filter_labels_and_forms(game: CompiledGame) -> None:
    hands, contexts = _whole_hands(game, 10)
    leading, generator = np.zeros(len(hands), np.bool_), np.random.default_rng(1)
    every = whole_hand_moves(game, hands, contexts, leading)
    legal = generator.integers(0, 2, (len(game.labels), len(hands)), np.uint8)
    allowed = generator.integers(0, 2, (len(game.forms), len(hands)), np.uint8)
    some = whole_hand_moves(game, hands, contexts, leading, legal, allowed)
    hand = np.repeat(np.arange(len(hands)), np.diff(every.start))
    remains = (legal[game.forms.label_of[every.form], hand] & allowed[every.form, hand]).astype(bool)
    assert 0 < len(some.form) < len(every.form)
    assert (some.form == every.form[remains]).all()
    assert (some.cards == every.cards[remains]).all()


def test_hands_larger_than_any_form_have_no_moves(game: CompiledGame) -> None:
    hands = np.full((1, len(game.pack)), 7, np.uint8)
    assert not len(whole_hand_moves(game, hands, np.zeros(1, np.int16), np.ones(1, np.bool_)).form)
