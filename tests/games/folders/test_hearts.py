"""Hearts as a rule folder: vectors, an independent referee both ways, clingo, and private passes."""

from __future__ import annotations

from random import Random as Draw
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.brute_force import hearts as brute
from tests.effort import amount
from tests.games.folders.states import rules_of
from tests.games.folders.tricks import cards_of, compare_with_clingo, follow_rounds
from tests.games.random_play import match_keys, play_out

ROUNDS = amount(4, 20, 1_000)
STATES = amount(16, 300, 20_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("hearts")


def legal(hand: list[str], *trick: str, broken: bool = False, acts: int = 20) -> list[str]:
    state = {"hand": hand, "trick": [[card] for card in trick], "broken": broken, "acts": acts}
    (moves,) = load("hearts").engine().legal_moves([state])
    assert not isinstance(moves, Exception), moves
    return [card for (card,) in moves]


def test_legal_cards_of_example_states() -> None:
    assert legal(["C2", "S3", "HA"], acts=0) == ["C2"]
    assert legal(["C3", "S3", "HA"], "C2", acts=1) == ["C3"]
    assert legal(["S3", "SQ", "HA"], "C2", acts=1) == ["S3"]
    assert legal(["SQ", "HA"], "C2", acts=1) == ["SQ", "HA"]
    assert legal(["S3", "SQ", "HA"], "C5") == ["S3", "SQ", "HA"]
    assert legal(["S3", "HA"]) == ["S3"]
    assert legal(["S3", "HA"], broken=True) == ["S3", "HA"]
    assert legal(["H3", "HA"]) == ["H3", "HA"]


class _Round:
    """A round of the brute force that receives one card at a time, passed or played."""

    def __init__(self, one: brute.Round) -> None:
        self.one, self._given = one, list[str]()

    @property
    def turn(self) -> int:
        return self.one.turn

    def give(self, card: str) -> None:
        self._given.append(card)
        if len(self._given) == 3:
            self.one.give(self._given)
            self._given = []

    def choices(self) -> list[str]:
        return self.one.choices()

    def play(self, card: str) -> None:
        self.one.play(card)


def _referee(tables: Tables, table: int) -> _Round:
    return _Round(brute.Round([cards_of(tables.rules, hand) for hand in tables.state.hands[table]]))


def _compare(tables: Tables, table: int, referee: Any) -> None:
    assert tables.points[table].tolist() == [-points for points in referee.one.result]


def test_rounds_match_the_referee(rules: CompiledGame) -> None:
    assert follow_rounds(rules, ROUNDS, 3, _referee, _compare, _Round.give) == 52 * ROUNDS


def test_records_of_the_referee_replay() -> None:
    replayed = load("hearts").engine().replay([_record(seed, seed) for seed in range(ROUNDS)])
    assert (replayed.plays, replayed.mismatches) == (52 * ROUNDS, ())


def _record(seed: int, number: int) -> dict[str, Any]:
    """Return a record of a brute-force round: hands, passed cards and played cards."""
    draw = Draw(seed)
    pack = draw.sample(brute.PACK, 52)
    hands = [pack[seat::4] for seat in range(4)]
    one, acts = brute.Round([list(hand) for hand in hands], number), list[list[Any]]()
    while one.passing:
        cards = draw.sample(one.hands[one.turn], 3)
        acts += [[one.turn, card] for card in cards]
        one.give(cards)
    while one.result is None:
        acts.append([one.turn, [draw.choice(one.choices())]])
        one.play(acts[-1][1][0])
    way = brute.PASSES[number % 4]
    return {"hands": hands, "before": {"way": way}, "acts": acts, "points": [-score for score in one.result]}


@pytest.mark.parametrize(
    ("taken", "points"), [([26, 0, 0, 0], [0, -26, -26, -26]), ([1, 25, 0, 0], [-1, -25, 0, 0]), ([0, 13, 13, 0], None)]
)
def test_shooting_the_moon(rules: CompiledGame, taken: list[int], points: list[int] | None) -> None:
    tables, fluent = Tables.begin(rules, match_keys(1, 1)), rules.fluents.find("taken")
    assert fluent
    tables.state.fluents[0, fluent.first_slot : fluent.slots.stop] = taken
    scores = tables.event_rules.score_episodes(tables.state, np.zeros(1, np.int64))[0][0].tolist()
    assert scores == [-score for score in brute.score(taken)]
    assert points is None or scores == points


def test_match_ends_at_a_hundred_and_fewest_points_win(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(amount(4, 12), 7))
    play_out(tables)
    assert (tables.total_points.min(axis=1) <= -100).all()
    assert ((tables.total_points - tables.points).min(axis=1) > -100).all()
    best = tables.total_points.argmax(axis=1)
    alone = (tables.total_points == tables.total_points.max(axis=1, keepdims=True)).sum(axis=1) == 1
    assert (tables.winner[alone] == best[alone]).all()
    assert (tables.winner[~alone] < 0).all()


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, STATES, seed=2) == []


def test_passed_cards_are_hidden_from_other_seats(rules: CompiledGame) -> None:
    """A passed card is hidden until it moves; afterwards only the giver knows its holder."""
    tables, other = (Tables.begin(rules, match_keys(8, 5)) for _ in range(2))
    for room, salt in ((tables, 1), (other, 2)):
        for _ in range(3):
            rows = room.rows_to_choose()
            room.choose(rows, RandomAgent().choose(room.choices(rows), splitmix64_array(room.keys[rows], salt)))
            keys = splitmix64_array(room.keys, room.num_decisions)
    rows, everybody = tables.rows_to_choose(), np.arange(8)
    assert (tables.seat == 1).all()
    fluents = rules.fluents.find("giving")
    assert fluents
    given = [room.state.fluents[:, fluents.first_slot : fluents.slots.stop] for room in (tables, other)]
    assert (given[0] != given[1]).any()
    for seat in (1, 2, 3):
        seats = np.full(8, seat, np.int8)
        assert (tables.observe(everybody, seats) == other.observe(everybody, seats)).all()
    assert (tables.choices(rows).options == other.choices(rows).options).all()
    keys = splitmix64_array(tables.keys, tables.num_decisions)
    while (rows := tables.rows_to_choose()).size:
        tables.choose(rows, RandomAgent().choose(tables.choices(rows), keys))
    for giver in range(4):
        seats = np.full(8, giver, np.int8)
        hidden = tables.information_set(everybody, seats)
        assert hidden.is_consistent(tables.hidden_hands(everybody, seats)).all()
        assert (hidden.min_copies[:, 0].sum(axis=1) == 3).all()
        assert not hidden.min_copies[:, 1:].any()
