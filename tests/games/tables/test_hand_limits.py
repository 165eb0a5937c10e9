"""The largest hand follows from deal, stock and exchanges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.notation.state_moves import legal_moves
from abl_cards.games.notation.state_writer import write_state
from abl_cards.games.tables.hand_limits import largest_hand
from abl_cards.games.tables.observations import build_feature_table
from abl_cards.games.tables.tables import Tables
from tests.games.notation.folders import SETS, rules_of
from tests.games.random_play import match_keys, step

EXCHANGE = (
    """
% Seat 3 pays its highest cards to seat 0, which gives as many back, one by one.
#include <seats>.
#include <climbing>.
seat(0..3).
rank(1..6).
pack(R,4) :- rank(R).
deals(S,6) :- seat(S).
leads(0).
#external event(E) : E = (deal;choice).
#external stage(give).
#external by(S) : seat(S).
#external chosen(C) : pack(C,_).
#external given(N) : N = 1..paid.
count(given,1).
#external holds(S,R,N) : seat(S), rank(R), N = 1..4.
#external held(R,N) : rank(R), N = 1..4.
pays(R) :- holds(3,R,1), #count { Q : holds(3,Q,1), Q > R } < paid.
passes(3,0,R) :- event(deal), pays(R).
asks(give,0) :- not given(paid).
option(R) :- stage(give), held(R,1).
passes(0,3,R) :- event(choice), stage(give), chosen(R).
adds(given,1,now) :- event(choice), stage(give).
over :- #count { S : out(S) } >= 3.
match_over.
"""
    + SETS
)


def _exchange(path: Path, paid: int) -> CompiledGame:
    return rules_of(
        path, f"#const paid = {paid}.\n" + EXCHANGE.replace("#external held(R,N) : rank(R), N = 1..4.\n", "")
    )


@pytest.mark.parametrize("paid", [1, 2, 4])
def test_largest_hand_includes_exchanged_cards(paid: int, tmp_path: Path) -> None:
    rules = _exchange(tmp_path / "exchange", paid)
    assert largest_hand(rules) == 6 + paid
    width = next(feature for feature in build_feature_table(rules).features if feature.name == "sizes").shape[1]
    assert width == 6 + paid + 1
    tables = Tables.begin(rules, match_keys(6, 2))
    for _ in range(paid + 2):
        for rows, decide in ((tables.rows_to_play(), tables.decisions), (tables.rows_to_choose(), tables.choices)):
            states = [write_state(rules, decide(rows), row) for row in range(len(rows))]
            assert not [answer for answer in legal_moves(rules, states) if isinstance(answer, GameError)]
        step(tables)
    (answer,) = legal_moves(rules, [{"stage": "give", "hand": "111222333444"[: 7 + paid], "seat": 0, "given": 0}])
    assert str(answer) == f"hand: {7 + paid} cards, but a hand has at most {6 + paid}"


def test_largest_hand_with_cards_won_in_play(tmp_path: Path) -> None:
    """A seat that has passed takes a card of seat 0, so that hands have no bound below the whole pack."""
    text = EXCHANGE.replace("#external held(R,N) : rank(R), N = 1..4.\n", "").replace(
        "(deal;choice)", "(deal;choice;pass)"
    )
    rule = "passes(0,1,R) :- event(pass), acted(1), holds(0,R,1), not holds(0,Q,1) : rank(Q), Q > R."
    additions = f"#external acted(S) : seat(S).\n{rule}\n"
    assert largest_hand(rules_of(tmp_path / "won", "#const paid = 1.\n" + text + additions)) == 24


@pytest.mark.parametrize(("name", "cards"), [("guandan", 28), ("doudizhu", 20), ("president", 13), ("whist", 14)])
def test_largest_hands_of_shipped_games(name: str, cards: int) -> None:
    """Trained networks have inputs for this number of cards."""
    rules = load(name).engine().rules
    assert largest_hand(rules) == rules.usual_hand_size == cards
    assert np.array(rules.seating.num_dealt).max() <= cards


@pytest.mark.long
@pytest.mark.parametrize(("name", "cards"), [("hearts", 14), ("tractor", 33)])
def test_largest_hands_of_more_games(name: str, cards: int) -> None:
    assert largest_hand(load(name).engine().rules) == cards
