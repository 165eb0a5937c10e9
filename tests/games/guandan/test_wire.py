"""Text and JSON forms of actions and states parse back, and garbage is refused with one clear error."""

import doctest
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl_cards.core.errors import GameError
from abl_cards.games.description.fact_arguments import functor
from abl_cards.games.notation.canonical import canonical_notation
from abl_cards.protocols.common.cards import CARD_NAMES
from abl_cards.protocols.contest import codec
from abl_cards.protocols.contest.actions import find_form, to_action
from abl_cards.protocols.contest.codec import (
    LEVEL_OF_TEXT,
    PASS_ACTION,
    STAGES,
    ContestAction,
    ContestState,
    hand_sort_order,
)
from tests.brute_force.guandan import LABELS, in_hand_order, label_of, ranks_ascending
from tests.effort import amount
from tests.games.guandan.states import PROFILES, decided, engine, random_states

EXAMPLES = amount(20, 50, 2_000)
WORDS = [
    "Bomb", "Pair", "Single", "Straight", "StraightFlush", "ThreePair", "ThreeWithTwo", "Trips", "TwoTrips", "back",
    "tribute",
]  # fmt: skip
CARDS = st.integers(0, 53)
ACTIONS = st.one_of(
    st.just(PASS_ACTION),
    st.builds(
        ContestAction,
        st.sampled_from(WORDS),
        st.sampled_from([*"A23456789TJQKBR", "JOKER"]),
        st.lists(CARDS, min_size=1, max_size=10).map(tuple),
    ),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(CARD_NAMES)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.sampled_from(["level", "hand", "to_beat", "stage", "profile"]) | st.text(), inner),
    ),
    max_leaves=15,
)


@st.composite
def states(draw: st.DrawFn) -> ContestState:
    """Draw states that two packs allow."""
    deck = draw(st.lists(st.integers(0, 107), min_size=2, max_size=37, unique=True))
    stage = draw(st.sampled_from(STAGES))
    cut = draw(st.integers(1, min(len(deck) - 1, 27)))
    returnable = tuple(card // 2 for card in deck[cut : cut + 10])
    to_beat = draw(st.sampled_from([None, ContestAction("Bomb", "4", returnable)])) if stage == "play" else None
    profile = draw(st.sampled_from([None, *PROFILES]))
    return ContestState(draw(st.integers(2, 14)), tuple(card // 2 for card in deck[:cut]), to_beat, stage, profile)


@settings(max_examples=EXAMPLES)
@given(ACTIONS)
def test_actions_parse_back(action: ContestAction) -> None:
    """The text and the JSON form of an action name it, through JSON text too."""
    assert ContestAction.parse(str(action)) == action
    assert ContestAction.from_json(action.to_json()) == action
    assert ContestAction.from_json(json.loads(json.dumps(action.to_json()))) == action


@settings(max_examples=EXAMPLES)
@given(states())
def test_states_parse_back(state: ContestState) -> None:
    """The text and the JSON form of a state name it, through JSON text too."""
    assert ContestState.parse(str(state)) == state
    assert ContestState.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert ContestState.from_json(ContestState.parse(str(state)).to_json()) == state


def test_forms_equal_the_protocol_examples() -> None:
    """The forms agree with the protocol."""
    assert ContestAction.parse("PASS").to_json() == ["PASS", "PASS", "PASS"]
    assert ContestAction.parse("Bomb JOKER SB SB HR HR").to_json() == ["Bomb", "JOKER", ["SB", "SB", "HR", "HR"]]
    state = ContestState.from_json({"level": "8", "hand": ["H5", "D3"], "to_beat": None})
    assert state.to_json() == {"level": "8", "hand": ["H5", "D3"], "to_beat": None}
    assert str(state) == "play level 8 hand H5 D3"
    assert ContestState.parse("tribute by platform level A hand HA").to_json() == {
        "level": "A", "hand": ["HA"], "to_beat": None, "stage": "tribute", "profile": "platform",
    }  # fmt: skip


def test_examples_in_docstrings() -> None:
    """Run the examples in docstrings."""
    assert doctest.testmod(codec).failed == 0


def test_label_names_equal_brute_force() -> None:
    """Type and rank of every label are what the brute force calls them."""
    words = canonical_notation(engine().rules)
    assert words is not None
    for label, (kind, rank) in zip(LABELS, words.labels, strict=True):
        size = int(label.split(",")[1].rstrip(")")) if functor(label) == "bomb" else 1
        assert label_of([kind, rank, ["S2"] * size]) == label


@pytest.mark.parametrize("level", LEVEL_OF_TEXT)
def test_hand_order_equals_brute_force(level: str) -> None:
    """Level-adjusted rank, then S, H, C, D; the jokers last."""
    expected = in_hand_order(CARD_NAMES, level)
    assert [CARD_NAMES[card] for card in hand_sort_order(LEVEL_OF_TEXT[level])] == expected
    assert [card[1] for card in expected[::4]][:13] == list(ranks_ascending(level)[:13])


def read(parse: Callable[[Any], Any], value: Any) -> Any:
    """Return the parsed value or the message of the GameError; any other exception is a failure."""
    try:
        return parse(value)
    except GameError as problem:
        return str(problem)


@settings(max_examples=EXAMPLES)
@given(JSON)
def test_any_json_as_action(value: Any) -> None:
    """An invalid action is a GameError."""
    result = read(ContestAction.from_json, value)
    assert "\n" not in result if isinstance(result, str) else result.to_json() == value


@settings(max_examples=EXAMPLES)
@given(JSON)
def test_any_json_as_state(value: Any) -> None:
    """An invalid state is a GameError, also from legal_moves."""
    (answer,) = engine().legal_moves([value])
    result = read(ContestState.from_json, value)
    if isinstance(result, str):
        assert "\n" not in result
        assert isinstance(answer, GameError)


FIELDS = ["level", "hand", "to_beat", "stage", "profile"]


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(FIELDS), JSON)
def test_any_json_in_a_field(field: str, value: Any) -> None:
    """A good state with one field replaced by anything is answered by a list or a GameError."""
    good = {"level": "8", "hand": ["H5", "D3", "H8"], "to_beat": ["Pair", "4", ["H4", "C4"]]}
    (answer,) = engine().legal_moves([good | {field: value}])
    assert isinstance(answer, list | GameError)


@settings(max_examples=EXAMPLES)
@given(st.text())
def test_any_text(text: str) -> None:
    """An invalid text form is a GameError."""
    for parse in (ContestAction.parse, ContestState.parse):
        assert read(parse, text)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from(["play", "by", "level", "8", "hand", "H5", "to", "beat", "PASS", "Pair", "x", ""])))
def test_nearly_texts(words: list[str]) -> None:
    """Words of the text form in any order are a state or a GameError."""
    for parse in (ContestAction.parse, ContestState.parse):
        parsed = read(parse, " ".join(words))
        if not isinstance(parsed, str):
            assert parse(str(parsed)) == parsed


GOOD = {"level": "8", "hand": ["H5", "D3"], "to_beat": ["Pair", "4", ["H4", "C4"]]}
BAD = [
    ({"level": "1"}, "level"),
    ({"level": None}, "level"),
    ({"level": "10"}, "level"),
    ({"level": ["8"]}, "level"),
    ({"hand": []}, "hand"),
    ({"hand": ["H5"] * 3}, "hand"),
    ({"hand": ["H4", "H4"]}, "hand, to_beat, gone, face, aside"),
    ({"hand": [CARD_NAMES[card // 2] for card in range(29)]}, "hand"),
    ({"to_beat": ["PASS", "PASS", "PASS"]}, "to_beat"),
    ({"to_beat": ["Pair", "4", ["H4", "C5"]]}, "to_beat"),
    ({"to_beat": ["Pair", "5", ["H4", "C4"]]}, "to_beat"),
    ({"to_beat": ["Trips", "4", ["H4", "C4"]]}, "to_beat"),
    ({"to_beat": ["Single", "B", ["HR"]]}, "to_beat"),
    ({"to_beat": ["Pair", "B", ["SB", "HR"]]}, "to_beat"),
    ({"to_beat": ["Bomb", "4", ["H4", "C4", "D4", "S4", *(["S7", "S9"] * 4)]]}, "hand|to_beat"),
    ({"to_beat": ["Straight", "T", ["ST", "SJ", "SQ", "SK", "SA"]]}, "to_beat"),
    ({"to_beat": ["tribute", "tribute", ["S7"]]}, "to_beat"),
    ({"stage": "deal"}, "stage"),
    ({"stage": ["play"]}, "stage"),
    ({"stage": "tribute"}, "to_beat"),
    ({"profile": 3}, "profile"),
    ({"profile": "platform"}, "profile"),
    ({"hands": []}, "hands"),
]


@pytest.mark.parametrize(("change", "field"), BAD)
def test_errors_name_the_field(change: dict[str, Any], field: str) -> None:
    """The error of a state is one line that begins with the field."""
    (answer,) = engine().legal_moves([GOOD | change])
    assert isinstance(answer, GameError)
    assert "\n" not in str(answer)
    names = "|".join(f"^{name}:|^unknown field '{name}'" for name in field.split("|"))
    with pytest.raises(GameError, match=names):
        raise answer


UNNAMED = [
    ({"hand": None}, "hand"),
    ({"hand": ["H5", "X3"]}, "hand"),
    ({"hand": ["H5", 3]}, "hand"),
    ({"to_beat": []}, "to_beat"),
    ({"to_beat": "PASS"}, "to_beat"),
    ({"to_beat": ["Pair", "4", "H4 C4"]}, "to_beat"),
    ({"to_beat": ["Pair", "4", ["H4", "C44"]]}, "to_beat"),
]


@pytest.mark.parametrize(("change", "field"), UNNAMED)
def test_errors_of_unreadable_fields_name_the_field(change: dict[str, Any], field: str) -> None:
    """A field that cannot be read is named too."""
    (answer,) = engine().legal_moves([GOOD | change])
    assert isinstance(answer, GameError)
    assert str(answer).startswith(f"{field}: ")


def test_defaults_and_errors_of_missing_fields() -> None:
    """A state without a hand is an error; level begins at 2, and to_beat may be left out when leading."""
    (answer,) = engine().legal_moves([{name: value for name, value in GOOD.items() if name != "hand"}])
    assert isinstance(answer, GameError)
    without = {name: value for name, value in GOOD.items() if name != "level"}
    assert engine().legal_moves([without]) == engine().legal_moves([{**without, "level": "2"}])
    assert engine().legal_moves([{"level": "8", "hand": ["H5"]}]) == [[["Single", "5", ["H5"]]]]


def test_listed_moves_are_accepted_as_the_play_to_beat() -> None:
    """The moves of a list can be given as the play to beat of another seat."""
    rules = engine().rules
    lists = decided(rules, random_states(rules, 60, seed=20, largest=9)).moves()
    levels = random_states(rules, 60, seed=20, largest=9).levels
    for row, level in enumerate(levels):
        for move in range(lists.start[row], lists.start[row + 1]):
            action = to_action(rules, int(lists.form[move]), lists.cards[move])
            if action != PASS_ACTION:
                form = find_form(rules, int(level), action)
                assert rules.forms.label_of[form] == rules.forms.label_of[lists.form[move]]
