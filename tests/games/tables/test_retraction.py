"""Retraction of cards from plays of several parts, and constraints on the present hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.errors import KBError
from abl_cards.core.errors import ErrorCode
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.game import load
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD, Moves
from abl_cards.reasoners.hidden_hands import hands
from tests.effort import amount
from tests.games.random_play import match_keys, step

THROWS = Path(__file__).parents[1] / "vocabulary" / "throws"
GAMES = 120


class _PlayListener(NullListener):
    """Listener that stores the last play at each table, and the hands before it."""

    def __init__(self) -> None:
        self.sent: dict[int, tuple[int, list[int], np.ndarray]] = {}

    def on_play(self, tables: Any, rows: np.ndarray, moves: Moves) -> None:
        for table, cards in zip(rows.tolist(), moves.cards, strict=True):
            seat = int(tables.seat[table])
            self.sent[table] = seat, cards[cards != NO_CARD].tolist(), tables.state.hands[table].copy()


def test_beaten_throws_are_reduced_to_the_lowest_card() -> None:
    """A throw of several cards of a suit is reduced to the lowest one if another hand has a higher card of the suit."""
    listener = _PlayListener()
    rules = load(str(THROWS)).engine().rules
    tables = Tables.begin(rules, match_keys(GAMES, 1), listener)
    suits = np.array([str(kind)[-2] for kind in rules.pack.kinds])
    ranks = np.array([int(str(kind)[5]) for kind in rules.pack.kinds])
    failed = stood = 0
    fines = rules.fluents.find("fines")
    assert fines is not None
    while True:
        listener.sent.clear()
        before = tables.state.fluents[:, list(fines.slots)].copy()
        leading = tables.state.to_beat == -1
        if not step(tables):
            break
        for table, (seat, sent, held) in listener.sent.items():
            if not (leading[table] or tables.state.leader[table] == seat) or len(set(sent)) < 2:
                continue
            if tables.state.seat[table] == seat or tables.state.leader[table] != seat:
                continue  # the trick is over
            suit, lowest = suits[sent[0]], ranks[sent].min()
            other_cards = np.delete(held, seat, axis=0).sum(axis=0)
            beaten = bool(other_cards[(suits == suit) & (ranks > lowest)].any())
            trick_cards = np.repeat(np.arange(len(ranks)), tables.state.trick_cards[table, seat]).tolist()
            assert trick_cards == ([sent[int(ranks[sent].argmin())]] if beaten else sorted(sent))
            cost = tables.state.fluents[table, fines.first_slot + seat] - before[table, seat]
            assert cost == beaten
            form = rules.forms.forms[tables.state.to_beat[table]]
            assert str(form.name).startswith("lone") == beaten
            failed, stood = failed + beaten, stood + (not beaten)
        state = tables.state
        assert (state.hands.sum(axis=1) + state.aside + state.played.sum(axis=1) == rules.pack.copies).all()
    assert failed > 20
    assert stood > 5


def test_records_hold_the_attempted_play_and_replay() -> None:
    engine, games = load(str(THROWS)).engine(), amount(30, GAMES)
    recorder = engine.new_recorder(games)
    tables = engine.start_matches(match_keys(games, 2), recorder)
    while step(tables):
        pass
    records = [json.loads(json.dumps(record)) for table in range(games) for record in recorder.pop_records(table)]
    result = engine.replay(records)
    assert (result.episodes, result.mismatches) == (games, ())


def test_true_hands_and_sampled_deals_satisfy_the_bounds() -> None:
    """Constraints hold for the true hands, and estimates and drawn deals satisfy them."""
    engine = load(str(THROWS)).engine()
    tables = engine.start_matches(match_keys(GAMES, 3))
    num_lower = num_upper = 0
    while True:
        playing = tables.rows_to_play()
        if playing.size:
            constraints, truth = tables.information_set(playing), tables.hidden_hands(playing)
            assert constraints.is_consistent(truth).all()
            num_lower += int((constraints.min_copies > 0).sum())
            num_upper += int(((constraints.max_copies == 1) & (constraints.unseen[:, None] == 2)).sum())
            estimate = hands.prior_estimate(constraints, np.zeros(truth.shape, np.float32))
            assert constraints.is_consistent(estimate, 1e-3).all()
            dealt = hands.draw_deals(
                estimate, constraints, splitmix64_array(tables.keys[playing], tables.num_decisions[playing]), 3
            )
            for deal in dealt.transpose(1, 0, 2, 3):
                assert constraints.is_consistent(deal).all()
        if not step(tables):
            break
    assert num_lower > 50
    assert num_upper > 50


def _play(name: str) -> None:
    tables = load(name).engine().start_matches(match_keys(40, 1))
    while step(tables):
        pass


@pytest.mark.parametrize(
    ("rule", "code", "value"),
    [
        ("takes_back(S,card(R,T),N) :- event(play), acted(S), in_trick(S,R,T,N).", ErrorCode.INVALID_ARGUMENT,
         "takes_back(0,card(1,a),1)"),
        ("takes_back(S,card(R,T),N) :- event(shown), acted(S), in_trick(S,R,T,N).", ErrorCode.RULES_STUCK,
         "takes_back/3"),
        ("takes_back(S,card(R,T),2) :- event(shown), acted(S), in_trick(S,R,T,1).", ErrorCode.RULES_STUCK,
         "takes_back("),
        ("takes_back(S,card(9,T),1) :- event(shown), acted(S), suit(T).", ErrorCode.UNKNOWN_NAME, "card(9,a)"),
    ],
)  # fmt: skip
def test_errors_of_retraction_rules(tmp_path: Path, rule: str, code: ErrorCode, value: str) -> None:
    (tmp_path / "game.lp").write_text((THROWS / "game.lp").read_text() + rule + "\n")
    with pytest.raises((KBError, TableError)) as raised:
        _play(str(tmp_path))
    assert isinstance(raised.value, KBError | TableError)
    assert raised.value.code == code
    assert value in str(raised.value)
