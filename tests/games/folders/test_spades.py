"""Spades as a rule folder: whole matches beside an independent referee, vectors, and clingo."""

from __future__ import annotations

import numpy as np
import pytest

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.brute_force import spades as brute
from tests.effort import amount
from tests.games.folders.states import rules_of
from tests.games.folders.tricks import cards_of, compare_with_clingo, legal_cards
from tests.games.random_play import match_keys, pick, random_moves

MATCHES, DEALS, STATES = amount(3, 60, 1_000), amount(6, 120, 1_000), amount(16, 300, 20_000)


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("spades")


def legal(hand: list[str], *trick: str, broken: bool = False) -> list[str]:
    (moves,) = load("spades").engine().legal_moves([{"hand": hand, "trick": [[c] for c in trick], "broken": broken}])
    assert not isinstance(moves, Exception), moves
    return [card for (card,) in moves]


def test_legal_cards_of_example_states() -> None:
    assert legal(["C2", "S3", "HA"]) == ["C2", "HA"]
    assert legal(["C2", "S3"], broken=True) == ["C2", "S3"]
    assert legal(["S2", "S3"]) == ["S2", "S3"]
    assert legal(["C2", "S3", "HA"], "C5") == ["C2"]
    assert sorted(legal(["C2", "S3", "HA"], "D5")) == ["C2", "HA", "S3"]
    assert legal(["C2", "S3", "HA"], "S5") == ["S3"]


def _sensible(numbers: np.ndarray) -> np.ndarray:
    """Bids from 0 to 5, so that contracts are made as often as not, and a few of any number."""
    return np.where(numbers % 11 == 0, numbers % 14, numbers % 6)


def test_matches_match_the_referee(rules: CompiledGame) -> None:
    """Turns, legal cards, tricks, bags, points of every deal, and the end of the match."""
    tables, deals = Tables.begin(rules, match_keys(MATCHES, 5)), 0
    rounds = [_begin(tables, table, 3) for table in range(MATCHES)]
    totals, bags = [[0, 0] for _ in range(MATCHES)], [[0, 0] for _ in range(MATCHES)]
    for _ in range(10_000):
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if (not playing.size and not choosing.size) or deals >= DEALS:
            break
        keys = splitmix64_array(tables.keys, tables.num_decisions)
        if choosing.size:
            bids = _sensible((keys[choosing] >> np.uint64(7)).astype(np.int64) % 1001)
            assert tables.choices(choosing).options[:, :14].all()
            for table, bid in zip(choosing.tolist(), bids.tolist(), strict=True):
                assert rounds[table].turn == tables.seat[table]
                rounds[table].bid(bid)
            options = np.array([rules.schema.options.index(f"bid({bid})") for bid in bids.tolist()], np.uint8)
            tables.choose(choosing, options)
        if not playing.size:
            continue
        decisions = tables.decisions(playing)
        moves = random_moves(decisions, keys[playing])
        for table, cards in zip(playing.tolist(), legal_cards(rules, decisions), strict=True):
            assert rounds[table].turn == tables.seat[table]
            assert set(rounds[table].choices()) == cards
        before = tables.num_episodes.copy()
        tables.play(playing, moves)
        for row, table in enumerate(playing.tolist()):
            rounds[table].play(rules.card_codes.kind_texts[moves.cards[row, 0]])
            assert rounds[table].is_over == (tables.num_episodes[table] > before[table])
            if rounds[table].is_over:
                won, bags[table] = rounds[table].score(bags[table])
                assert tables.points[table].tolist() == [*won, *won]
                totals[table] = [total + more for total, more in zip(totals[table], won, strict=True)]
                assert (tables.winner[table] != -1) == brute.is_decided(totals[table])
                assert tables.total_points[table].tolist() == [*totals[table], *totals[table]]
                deals += 1
                if tables.winner[table] == -1:
                    rounds[table] = _begin(tables, table, (rounds[table].dealer + 1) % 4)
    assert deals >= min(DEALS, MATCHES)


def _begin(tables: Tables, table: int, dealer: int) -> brute.Round:
    return brute.Round([cards_of(tables.rules, hand) for hand in tables.state.hands[table]], dealer)


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, STATES, seed=2) == []


def test_all_bids_are_legal(rules: CompiledGame) -> None:
    tables = Tables.begin(rules, match_keys(3, 1))
    choices = tables.choices(tables.rows_to_choose())
    assert (pick(choices.options.T, tables.keys) < 14).all()
    assert choices.options.sum() == 3 * 14
