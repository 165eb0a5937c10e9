"""Legal labels agree with an independent brute force, for every profile."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.games.description.fact_arguments import functor
from abl_cards.games.types.moves import LEADING
from tests.brute_force.guandan import LABELS
from tests.effort import amount
from tests.games.guandan.states import (
    PROFILES,
    TYPES,
    States,
    brute_force_masks,
    decided,
    describe,
    engine,
    random_states,
    wild_of,
)

STATES = amount(4_000, 10_000)
COMPARED = amount(300, STATES, 200_000)
HANDS = amount(12, 50, 2_000)


def check(profile: str, states: States) -> None:
    """Compare the masks of circuit and brute force; report the first state that differs."""
    rules = engine(profile).rules
    masks, expected = decided(rules, states).legal_mask.T, brute_force_masks(rules, states)
    wrong = np.flatnonzero((masks != expected).any(axis=1))
    if wrong.size:
        row = int(wrong[0])
        missing = [LABELS[label] for label in np.flatnonzero(expected[row] > masks[row])]
        extra = [LABELS[label] for label in np.flatnonzero(masks[row] > expected[row])]
        pytest.fail(f"{wrong.size} of {len(masks)}: {describe(rules, states, row)}: missing {missing}, extra {extra}")


def test_labels_equal_table_2_of_the_paper() -> None:
    """168 labels in the order of the paper's table 2, in every profile."""
    assert all(engine(profile).labels == LABELS for profile in PROFILES)


@pytest.mark.parametrize("profile", PROFILES)
def test_masks_equal_brute_force(profile: str) -> None:
    """Masks on random states; 200,000 of them in the thorough search."""
    check(profile, random_states(engine(profile).rules, COMPARED, seed=PROFILES.index(profile)))


def test_random_states_cover_the_rules() -> None:
    """The states cover every level, size, number of wild cards and type, both leading and following."""
    rules = engine().rules
    states = random_states(rules, STATES, seed=0)
    sizes, wilds = states.hands.sum(axis=1), states.hands[np.arange(STATES), wild_of(states.levels)]
    assert states.hands.max() == 2
    assert set(sizes) == set(range(1, 28))
    assert set(states.levels) == set(range(2, 15))
    assert set(wilds) == {0, 1, 2}
    assert abs((sizes <= 9).mean() - 0.5) < 0.05
    assert abs((wilds > 0).mean() - 0.5) < 0.05
    assert {functor(str(rules.forms.forms[form].name)) for form in states.to_beat if form != LEADING} == set(TYPES)
    assert 0.15 < (states.to_beat == LEADING).mean() < 0.25
    often = brute_force_masks(rules, states).sum(axis=0)
    assert (often > 0).all(), [LABELS[label] for label in np.flatnonzero(often == 0)]


@settings(max_examples=HANDS)
@given(
    st.lists(st.integers(0, 107), min_size=1, max_size=27, unique=True),
    st.integers(2, 14),
    st.deferred(lambda: st.integers(LEADING, len(engine().rules.forms) - 2)),
    st.sampled_from(PROFILES),
)
def test_any_hand(cards: list[int], level: int, to_beat: int, profile: str) -> None:
    """Masks on whatever hand hypothesis can think of."""
    hand = np.bincount(np.array(cards) // 2, minlength=54).astype(np.uint8)
    check(profile, States(hand[None], np.array([level], np.int8), np.array([to_beat], np.int16)))


@settings(max_examples=HANDS)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=10), st.integers(0, 2), st.integers(2, 14), st.integers(0, 12))
def test_crowded_hands(cards: list[int], wilds: int, level: int, first: int) -> None:
    """Masks on hands of three neighbouring ranks with wild cards, when they lead."""
    hand = np.zeros(54, np.uint8)
    for card in cards:
        hand[4 * ((first + card // 4) % 13) + card % 4] += 1
    hand = np.minimum(hand, 2)
    hand[wild_of(np.array([level], np.int8))] = wilds
    check("standard", States(hand[None], np.array([level], np.int8), np.array([LEADING], np.int16)))


def test_pass_is_the_last_form() -> None:
    """The forms to beat of the strategies are all forms but the pass."""
    assert engine().rules.forms.pass_form == len(engine().rules.forms) - 1
