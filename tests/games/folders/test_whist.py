"""Whist as a folder of rules: vectors, an independent referee both ways, clingo, known voids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.brute_force import whist as brute
from tests.effort import amount
from tests.games.folders.states import rules_of
from tests.games.folders.tricks import cards_of, compare_with_clingo, follow_rounds
from tests.games.random_play import match_keys, step

ROUNDS = amount(4, 20, 1_000)
STATES = amount(16, 300, 20_000)
DEALER = 3


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("whist")


def legal(hand: list[str], *trick: str, trump: str = "H") -> list[str]:
    state = {"hand": hand, "trick": [[card] for card in trick], "trump": trump}
    (moves,) = load("whist").engine().legal_moves([state])
    assert not isinstance(moves, Exception), moves
    return [card for (card,) in moves]


def test_number_of_labels(rules: CompiledGame) -> None:
    assert len(rules.labels) == 52 + 1


def test_legal_cards_of_example_states() -> None:
    assert legal(["S2", "H5", "DA"]) == ["S2", "H5", "DA"]
    assert legal(["S2", "H5", "DA"], "D3") == ["DA"]
    assert legal(["S2", "H5", "DA"], "C3", "D4") == ["S2", "H5", "DA"]
    assert legal(["S2", "S5"], "H3", "H4", "S3") == ["S2", "S5"]


@pytest.mark.parametrize(
    ("trick", "taken"),
    [
        (["S3"], {"S4", "HA"}),
        (["S3", "H2"], {"HA"}),
        (["S3", "D2"], {"S4", "HA"}),
        (["HK"], {"HA"}),
        (["D3"], {"HA"}),
    ],
)
def test_highest_card_or_trump_takes_the_trick(trick: list[str], taken: set[str]) -> None:
    """The highest card of the suit led takes the trick unless there is a trump."""
    engine = load("whist").engine()
    for card in ("S4", "HA", "DA"):
        state = {"hand": [card], "trick": [[trick_card] for trick_card in trick], "trump": "H"}
        moment = engine.read_decision_point(state)
        expected = card in taken or (card == "DA" and trick[0][0] == "D" and "H2" not in trick)
        assert moment.decision.takes_trick(moment.move_lists).tolist() == [int(expected)]  # type: ignore[union-attr]


def _referee(tables: Tables, table: int) -> brute.Game:
    """Return a brute-force game of the same deal, with the turned-up card dealt last."""
    rules, state = tables.rules, tables.state
    hands = [cards_of(rules, hand) for hand in state.hands[table]]
    turned = rules.fluents.find("turned")
    assert turned
    slot = turned.first_slot + int(state.fluents[table, turned.first_slot : turned.slots.stop].argmax())
    rank, suit = turned.keys[slot - turned.first_slot]
    card = rules.card_codes.kind_texts[rules.pack.index[f"card({rank},{suit})"]]
    hands[DEALER] = [*(other for other in hands[DEALER] if other != card), card]
    return brute.Game([hands[place % 4][place // 4] for place in range(52)], DEALER)


def _compare(tables: Tables, table: int, referee: Any) -> None:
    assert tables.points[table].tolist() == referee.points


def test_rounds_match_the_referee(rules: CompiledGame) -> None:
    assert follow_rounds(rules, ROUNDS, 3, _referee, _compare) == 52 * ROUNDS


def test_records_of_the_referee_replay(rules: CompiledGame) -> None:
    records = [_record(seed) for seed in range(ROUNDS)]
    replayed = load("whist").engine().replay(records)
    assert (replayed.plays, replayed.mismatches) == (52 * ROUNDS, ())


def _record(seed: int) -> dict[str, Any]:
    """A game of the brute force, the dealer at seat 3."""
    from random import Random

    draw = Random(seed)
    one = brute.Game(draw.sample(brute.PACK, 52), DEALER)
    turned, acts = one.pack[-1], list[list[Any]]()
    hands = [[card for card in hand if card != turned] for hand in one.hands]
    while one.points is None:
        acts.append([one.turn, [draw.choice(one.choices())]])
        one.play(acts[-1][1][0])
    return {"hands": hands, "aside": [turned], "acts": acts, "points": one.points}


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    assert compare_with_clingo(rules, STATES, seed=2) == []


def test_revoke_is_a_mismatch() -> None:
    record = _record(1)
    first = record["acts"][0][1][0]
    holders = [seat for seat in (1, 2, 3) if any(card[0] == first[0] for card in record["hands"][seat])]
    seat = holders[0]
    wrong = next(card for card in record["hands"][seat] if card[0] != first[0])
    record["acts"][seat] = [seat, [wrong]]
    (mismatch,) = load("whist").engine().replay([record]).mismatches
    assert mismatch.text == f"act {seat + 1}: {wrong} is not legal for seat {seat}"


def test_seats_that_do_not_follow_suit_are_void() -> None:
    engine = load("whist").engine()
    tables, bounded = engine.start_matches(match_keys(20, 4)), 0
    for _ in range(40):
        step(tables)
        rows = tables.rows_to_play()
        hidden, truth = tables.information_set(rows), tables.hidden_hands(rows)
        assert hidden.is_consistent(truth).all()
        bounded += int((hidden.max_copies < np.minimum(hidden.unseen[:, None], 1)).sum())
    assert bounded > 1000
