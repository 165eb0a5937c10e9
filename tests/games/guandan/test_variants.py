"""Regional rules are a few changed lines: legality, move lists, play and replay follow with no code touched."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.fact_arguments import functor
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from tests.brute_force import guandan
from tests.brute_force.guandan import LABELS, PASS, Action, label_of, moves, run
from tests.brute_force.states import State, mixed_states
from tests.effort import amount, long
from tests.games.guandan.scripted import choose, options, table_with_hands
from tests.games.guandan.states import decisions_of, listed
from tests.games.guandan.variants import (
    FIVES_BEAT_FLUSHES,
    NO_WILD_CARDS,
    NO_WILD_STRAIGHTS,
    TRIBUTE_BY_SEAT,
    Change,
    changed_lines,
    write_variant,
)
from tests.games.random_play import match_keys, step

CHANGES = {
    "no_wild_straights": NO_WILD_STRAIGHTS,
    "fives_beat_flushes": FIVES_BEAT_FLUSHES,
    "no_wild_cards": NO_WILD_CARDS,
    "tribute_by_seat": TRIBUTE_BY_SEAT,
}
REGION = "region"
VARIANTS = CHANGES | {REGION: NO_WILD_STRAIGHTS + FIVES_BEAT_FLUSHES + TRIBUTE_BY_SEAT}
"""The changes, and a region that has three of them at once, so that two folders are compiled for all."""
COMPILED = REGION, "no_wild_cards"
EngineOf = Callable[[str], Engine]
TABLES, STEPS, STATES = amount(6, 12), amount(200, 500), amount(15, 50)


@pytest.fixture(scope="module")
def engine_of(tmp_path_factory: pytest.TempPathFactory) -> EngineOf:
    """The engine of a variant by name."""
    root = tmp_path_factory.mktemp("variants")

    def load_variant(name: str) -> Engine:
        if not (root / name).exists():
            write_variant(root / name, VARIANTS[name])
        engine: Engine = load("guandan").engine(directory=root / name)
        assert isinstance(engine, Engine)
        return engine

    return load_variant


def check(rules: CompiledGame, states: Sequence[State], expected: Callable[[State], list[Action]]) -> None:
    """Lists and labels agree with an adapted brute force."""
    decisions = decisions_of(rules, list(states))
    lists, legal = decisions.moves(), decisions.legal_mask
    for row, state in enumerate(states):
        actions = expected(state)
        assert listed(rules, lists, row) == actions, state
        labels = {LABELS[label] for label in np.flatnonzero(legal[:, row])}
        assert labels == {label_of(action) for action in actions}, state


def stands_in(action: Action, level: str) -> bool:
    """Return True if a wild card of a straight replaces another card."""
    kind, rank, cards = action
    return kind == "Straight" and any(
        card == f"H{level}" and place != level for card, place in zip(cards, run(rank, 5), strict=True)
    )


def without_wild_straights(state: State) -> list[Action]:
    """The brute force's list with the forbidden straights struck out."""
    return [action for action in moves(*state) if not stands_in(action, state.level)]


@pytest.mark.parametrize("name", CHANGES)
def test_variants_change_at_most_five_lines(name: str, tmp_path: Path) -> None:
    """No variant changes more than five lines."""
    assert 1 <= changed_lines(write_variant(tmp_path, CHANGES[name])) <= 5


@pytest.fixture
def fives_beat_flushes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the brute force rank a straight flush between the bombs of four and of five."""
    power = guandan.bomb_power
    monkeypatch.setattr(guandan, "bomb_power", lambda action: 4.5 if action[0] == "StraightFlush" else power(action))


@pytest.mark.usefixtures("fives_beat_flushes")
def test_no_wild_cards_in_straights(engine_of: EngineOf) -> None:
    """A wild card counts only as itself in a straight; elsewhere it replaces other cards."""
    rules = engine_of(REGION).rules
    states = mixed_states(seed=200, count=STATES, smallest=4, largest=14)
    states += [
        State(["S6", "H8", "S7", "D9", "ST"], "8", None),
        State(["S6", "H8", "S7", "D8", "S9", "ST", "H3"], "8", None),
    ]
    states += [State(["S5", "S6", "S7", "H9", "D8"], "9", ["Straight", "3", ["S3", "S4", "S5", "S6", "D7"]])]
    struck = [len(moves(*state)) - len(without_wild_straights(state)) for state in states]
    assert sum(map(bool, struck)) > 2
    check(rules, states, without_wild_straights)


@pytest.mark.usefixtures("fives_beat_flushes")
def test_bombs_of_five_beat_straight_flushes(engine_of: EngineOf) -> None:
    """A straight flush ranks between the bombs of four and of five."""
    rules = engine_of(REGION).rules
    flush = ["StraightFlush", "9", ["S9", "ST", "SJ", "SQ", "SK"]]
    five = ["Bomb", "4", ["S4"] * 5]
    hand = ["S3", "S4", "S5", "S6", "S7", "D3", "D3", "C3", "H3", "C5", "C5", "D5", "D5", "S5", "H2"]
    states = [State(hand, "2", to_beat) for to_beat in (None, flush, five)]
    states += mixed_states(seed=201, count=STATES, smallest=5, largest=16)
    check(rules, states, without_wild_straights)
    over_flush, over_five = (engine_moves(rules, state) for state in states[1:3])
    assert {"bomb(5,5)", "bomb(3,5)"} <= over_flush
    assert not any(functor(label) == "straight_flush" for label in over_five)


def engine_moves(rules: CompiledGame, state: State) -> set[str]:
    """The legal labels of a state."""
    return {LABELS[label] for label in np.flatnonzero(decisions_of(rules, [state]).legal_mask[:, 0])}


def test_legality_without_wild_cards_equals_brute_force(engine_of: EngineOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """The level card of hearts is a level card like the others."""
    monkeypatch.setattr(guandan, "wild_cards", lambda hand, level: [])
    monkeypatch.setattr(guandan, "is_straight_flush", lambda cards, level: len({card[0] for card in cards}) == 1)
    monkeypatch.setitem(guandan.LISTS, "Straight", partial(guandan.list_fives, "Straight"))
    engine = engine_of("no_wild_cards")
    states = mixed_states(seed=202, count=STATES, smallest=1, largest=14)
    states += [
        State(["S3", "H8", "C3", "H4", "H5", "H6", "H7"], "8", None),
        State(["H8", "H8", "S8", "D8", "SB", "SB"], "8", None),
    ]
    readable = [state for state in states if legal_without_wilds(state)]
    assert len(readable) > 0.7 * STATES
    check(engine.rules, readable, lambda state: guandan.moves(*state))
    (paid,) = engine.legal_moves([{"level": "8", "hand": ["H8", "SA", "C8"], "stage": "tribute"}])
    assert paid == [["tribute", "tribute", [card]] for card in ("H8", "C8")]


def legal_without_wilds(state: State) -> bool:
    """The plays to beat were made with wild cards, but only their type, rank and size count."""
    return state.to_beat is None or len(state.to_beat[2]) < 9


@long
def test_removing_wild_suit_removes_wild_cards(tmp_path: Path) -> None:
    """Without the fact wild_suit(h) there are no wild cards, as by a rule that never holds (above)."""
    directory = write_variant(tmp_path, (Change("vocabulary.lp", "wild_suit(h).", ""),))
    engine = load("guandan").engine(directory=directory)
    assert engine.legal_moves([{"level": "8", "hand": ["H8", "S5"]}]) == [
        [["Single", "5", ["S5"]], ["Single", "8", ["H8"]]]
    ]


@pytest.mark.parametrize("previous", [(0, 2, 1, 3), (0, 2, 3, 1), (3, 1, 0, 2)])
def test_tribute_goes_by_seat(engine_of: EngineOf, previous: tuple[int, int, int, int]) -> None:
    """Two lines give the standard rules the platform's tribute."""
    last, third = previous[3], previous[2]
    hands = ["S3 SK"] * 4
    hands[third] = "S3 SA"
    tables = table_with_hands(engine_of(REGION).rules, hands, previous=previous)
    choose(tables, last, "SK")
    choose(tables, third, "SA")
    assert tables.gifts == [(last, (last + 3) % 4), (third, (third + 3) % 4)]
    tables = table_with_hands(engine_of(REGION).rules, ["S3 SK"] * 4, previous=previous)
    for _ in range(4):
        choose(tables, int(tables.seat[0]), options(tables).split()[0])
    assert tables.seat[0] == last


@pytest.mark.parametrize("name", COMPILED)
def test_games_by_a_variant_replay(engine_of: EngineOf, name: str) -> None:
    """Random games by a variant replay by it, and its own rules show in them."""
    engine = engine_of(name)
    recorder = engine.new_recorder(TABLES)
    tables = engine.start_matches(match_keys(TABLES, 21), recorder)
    for _ in range(STEPS):
        step(tables)
    records = [record for table in range(TABLES) for record in recorder.pop_records(table)]
    assert len(records) >= TABLES
    assert engine.replay(records).mismatches == ()
    played = [
        (record["before"]["level"], action)
        for record in records
        for _, action in record["acts"]
        if isinstance(action, list) and action != PASS
    ]
    wild = [action for level, action in played if f"H{level}" in action[2] and len(action[2]) > 1]
    if name == "no_wild_cards":
        assert all(action[0] != "Trips" or len({card[1] for card in action[2]}) == 1 for _, action in played)
        assert wild
    if name == REGION:
        assert not any(stands_in(action, level) for level, action in played)
        assert any(action[0] == "Straight" for _, action in played)
        assert any(action[0] == "StraightFlush" for action in wild)


def test_standard_games_mismatch_under_variants(engine_of: EngineOf) -> None:
    """Games by the standard rules are not all games by the variants."""
    engine = load("guandan").engine()
    recorder = engine.new_recorder(TABLES)
    tables = engine.start_matches(match_keys(TABLES, 22), recorder)
    for _ in range(STEPS):
        step(tables)
    records = [record for table in range(TABLES) for record in recorder.pop_records(table)]
    for name in COMPILED:
        assert engine_of(name).replay(records).mismatches, name


BROKEN = [
    Change("promotion.lp", "base_level(2).", "base_level(2;3)."),
    Change("labels.lp", "kind(F,plate)", "kind(F,plate) :- form(_,F), F = plate(3). %"),
    Change("labels.lp", "label(166,", "label(165,"),
    Change("labels.lp", "label(167,", "label(168,"),
    Change("rules.lp", "tier(bomb(4),1).", "tier(bomb(4),1"),
]


ELSEWHERE = {1, 2, 3}
"""Broken variants of kinds that tests/games/description/test_descriptions.py has in a small folder."""


@pytest.mark.parametrize(
    "change",
    [pytest.param(change, marks=long if number in ELSEWHERE else []) for number, change in enumerate(BROKEN)],
)
def test_broken_variants_are_errors(change: Change, tmp_path: Path) -> None:
    """A broken variant is a KBError with the reason."""
    with pytest.raises(KBError) as refused:
        load("guandan").engine(directory=write_variant(tmp_path, (change,)))
    assert str(refused.value).strip()


def test_errors_of_unknown_names_list_the_known_ones(tmp_path: Path) -> None:
    """The error of an unknown name lists the known ones."""
    with pytest.raises(KBError, match="is no directory"):
        load("guandan").engine(directory=tmp_path / "nowhere")
    with pytest.raises(KBError, match="platform"):
        load("guandan").engine(profile="plattform")
    (answer,) = load("guandan").engine().legal_moves([{"level": "8", "hand": ["H5"], "profile": "platform"}])
    assert isinstance(answer, GameError)
