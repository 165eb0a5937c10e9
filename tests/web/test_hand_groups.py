"""Property: groups of a hand have exactly its cards; in games of emptying hands they are as many as the least plays."""

from collections import Counter

import numpy as np
import pytest

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.web.hand_groups import group_hand, group_seat
from tests.effort import amount

EMPTYING, TRICKS = ("president", "doudizhu"), ("hearts",)


@pytest.mark.parametrize("name", [*EMPTYING, *TRICKS])
def test_groups_have_the_cards_of_the_hand(name: str) -> None:
    engine = load(name).engine()
    texts = engine.rules.card_codes.kind_texts
    tables = engine.start_matches(np.arange(amount(4, 20, 200), dtype=np.uint64))
    for hand in tables.state.hands[:, 0]:
        groups = group_hand(engine, hand, 0)
        held = Counter({texts[kind]: int(number) for kind, number in enumerate(hand) if number})
        assert Counter(card for group in groups for card in group) == held
        if name in EMPTYING:
            assert len(groups) >= int(engine.min_plays(np.array([0]), hand[np.newaxis])[0])
            assert len(groups) <= int(engine.min_plays(np.array([0]), hand[np.newaxis])[0]) + 2


def test_spectators_have_no_hand() -> None:
    engine = load("president").engine()
    with pytest.raises(GameError) as caught:
        group_seat(engine, engine.start_matches(np.zeros(1, np.uint64)), None)
    assert caught.value.code is ErrorCode.NOT_SEATED
