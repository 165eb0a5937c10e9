"""Gong Zhu as a rule folder: vectors, an independent referee both ways, clingo, shown cards, whole matches."""

from __future__ import annotations

from random import Random as Draw
from typing import Any

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.brute_force import gongzhu as brute
from tests.effort import amount
from tests.games.folders.states import rules_of
from tests.games.folders.tricks import cards_of, compare_with_clingo, follow_rounds
from tests.games.random_play import match_keys, step

ROUNDS = amount(4, 30, 1_000)
STATES = amount(20, 300, 20_000)
MATCHES = amount(2, 20, 200)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("gongzhu")


def legal(hand: list[str], *trick: str, opened: str = "", shown: list[Any] | None = None) -> list[str]:
    state = {"hand": hand, "trick": [[card] for card in trick], "opened": [*opened], "shown": shown or [], "seat": 0}
    (moves,) = load("gongzhu").engine().legal_moves([state])
    assert not isinstance(moves, Exception), moves
    return [card for (card,) in moves]


def test_legal_cards_of_example_states() -> None:
    shown = [[0, "SQ"], [1, "DJ"]]
    assert legal(["S2", "SQ", "HA"]) == ["S2", "SQ", "HA"]
    assert legal(["S2", "SQ", "HA"], shown=shown) == ["S2", "HA"]
    assert legal(["S2", "SQ", "HA"], shown=shown, opened="S") == ["S2", "SQ", "HA"]
    assert legal(["SQ", "HA"], shown=shown) == ["SQ", "HA"]
    assert legal(["S2", "SQ"], "SA", shown=shown) == ["S2"]
    assert legal(["SQ", "H3"], "SA", shown=shown) == ["SQ"]
    assert legal(["S2", "SQ"], "C3", shown=shown) == ["S2", "SQ"]


def _begin(tables: Tables, table: int) -> brute.Round:
    return brute.Round([cards_of(tables.rules, hand) for hand in tables.state.hands[table]])


def _end(tables: Tables, table: int, referee: Any) -> None:
    assert tables.points[table].tolist() == referee.result


def test_rounds_match_the_referee(rules: CompiledGame) -> None:
    assert follow_rounds(rules, ROUNDS, 3, _begin, _end, brute.Round.show) == 52 * ROUNDS


def _record(seed: int) -> dict[str, Any]:
    """Return a record of a brute-force round, in which the pig of the deal before was taken by some seat."""
    draw = Draw(seed)
    pack = draw.sample(brute.PACK, 52)
    hands, holder, acts = [pack[seat::4] for seat in range(4)], draw.choice([None, 0, 1, 2, 3]), list[list[Any]]()
    one = brute.Round([list(hand) for hand in hands], holder)
    while one.showing:
        acts.append([one.turn, draw.choice(one.options())])
        one.show(acts[-1][1])
    while one.result is None:
        acts.append([one.turn, [draw.choice(one.choices())]])
        one.play(acts[-1][1][0])
    before = {"score": [100] * 4} | ({} if holder is None else {"led_by": holder})
    return {"hands": hands, "before": before, "acts": acts, "points": one.result}


def test_records_of_the_referee_replay() -> None:
    replayed = load("gongzhu").engine().replay([_record(seed) for seed in range(ROUNDS)])
    assert (replayed.plays, replayed.mismatches) == (52 * ROUNDS, ())


@pytest.mark.parametrize(
    ("taken", "shown"),
    [
        ("H2 H3 H4", ""), ("H5 HA", "HA"), ("CT", ""), ("CT", "CT"), ("CT H2", "CT"), ("CT H9", ""), ("SQ CT", "SQ CT"),
        ("DJ", "DJ"), ("SQ DJ", ""), ("H DJ", "HA"), ("H SQ", ""), ("H SQ DJ", "SQ"), ("H SQ DJ CT", "SQ DJ CT HA"),
    ],
)  # fmt: skip
def test_points_of_taken_cards(rules: CompiledGame, taken: str, shown: str) -> None:
    """Seat 2 takes these cards, `H` being all hearts; some were shown."""
    cards = {card for text in taken.split() for card in (brute.ALL_HEARTS if text == "H" else {text})}
    tables, fluents = Tables.begin(rules, match_keys(1, 1)), rules.fluents
    for name, seat, texts in (("taken", 2, cards), ("shown", 1, set(shown.split()))):
        fluent = fluents.find(name)
        assert fluent
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            text = rules.card_codes.kind_texts[rules.pack.index[key[1]]]
            tables.state.fluents[0, slot] = key[0] == seat and text in texts
    scores = tables.event_rules.score_episodes(tables.state, np.zeros(1, np.int64))[0][0].tolist()
    assert scores == [0, 0, brute.score(cards, set(shown.split())), 0]


def test_match_ends_at_a_thousand_points(rules: CompiledGame) -> None:
    """Scores are a hundred and tens; who took the pig leads."""
    tables = Tables.begin(rules, match_keys(MATCHES, 7))
    matches = [brute.Match() for _ in range(MATCHES)]
    episodes = np.zeros(MATCHES, np.int64)
    while step(tables):
        ended = np.flatnonzero(tables.num_episodes > episodes)
        episodes = tables.num_episodes.astype(np.int64)
        for table in ended.tolist():
            matches[table].end_round(tables.points[table].tolist())
            assert matches[table].totals == tables.total_points[table].tolist()
            assert matches[table].over == (tables.winner[table] != -1)
    best = tables.total_points.argmax(axis=1)
    alone = (tables.total_points == tables.total_points.max(axis=1, keepdims=True)).sum(axis=1) == 1
    assert (tables.winner[alone] == best[alone]).all()
    assert alone.any()


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, STATES, seed=2) == []
