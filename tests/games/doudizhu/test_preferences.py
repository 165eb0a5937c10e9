"""The preferences of Dou dizhu: facts written down a second time against clingo, words, and what a player expects."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from abl_cards.games import Moment
from abl_cards.games.doudizhu.decisions import CHOICES
from abl_cards.games.doudizhu.engine import DoudizhuEngine, engine_of
from abl_cards.games.doudizhu.plays import counter_of
from abl_cards.games.doudizhu.records import row_text
from abl_cards.games.doudizhu.rulebook import LETTERS
from abl_cards.games.doudizhu.wire import hand_text, read_hand
from abl_cards.logic import Atom, Oracle
from abl_cards.positions import met_in_play
from reasoners.minimiser import Minimiser


def held(name: str, cards: str) -> set[Atom]:
    """``held(R,N)`` and the like."""
    counts = Counter(cards)
    return {Atom(name, (LETTERS.index(card) + 3, n)) for card in counts for n in range(1, counts[card] + 1)}


def facts_of(engine: DoudizhuEngine, moment: Moment, row: int) -> set[Atom]:
    """Everything vocabulary.lp says of a decision and a move, from the arrays of the decision alone."""
    decision: Any = moment.decision
    situation = decision.situation
    hand, unseen = (hand_text(int(key[0])) for key in (situation.hand, situation.unseen))
    found = held("held", hand) | held("unseen", unseen)
    for who, count in zip(("next", "previous"), situation.cards[0].tolist(), strict=True):
        found |= {Atom("cards", (who, n)) for n in range(1, count + 1)}
    if moment.labels[row] == "bid":
        left = hand
        found |= {Atom("calls", (CHOICES[int(moment.lists.cards[row, 0])],))}
        found |= {Atom("bid", (turn, int(bid))) for turn, bid in enumerate(decision.bids[0], 1) if bid != 4}
    else:
        left = "".join((Counter(hand) - Counter(row_text(moment.lists.cards[row]))).elements())
        found |= {Atom("play", (moment.labels[row],)), Atom("role", (("landlord", "down", "up")[situation.part[0]],))}
        label = int(decision.to_beat[0])
        found |= {Atom("leading", ())} if label < 0 else {Atom("to_beat", (engine.labels[label],))}
        if label >= 0:
            found |= {Atom("top", (("next", "previous")[situation.top[0]],))}
    found |= held("left", left)
    plays = int(counter_of(engine.rules).plays_left(np.array([read_hand(left)], np.uint64))[0])
    return found | {Atom("plays_left", (n,)) for n in range(1, plays + 1)}


@pytest.mark.parametrize("profile", ["rlcard", "contest"])
def test_costs_are_those_of_clingo(profile: str) -> None:
    engine = engine_of(None, profile)
    judge, oracle = engine.judge(), Oracle(engine.rules.kb)
    decisions: Any = met_in_play(engine, 25, seed=3)
    moments = [engine.look(decisions, row) for row in range(25)]
    if profile == "contest":
        moments.append(engine.moment({"stage": "bid", "hand": "345678TTJJQK222XD", "bids": [0, 1]}))
    for moment in moments:
        costs, _ = judge.costs(moment.decision, moment.lists)
        for row in {0, len(costs) // 2, len(costs) - 1}:
            answer = oracle.solve(facts_of(engine, moment, row), judge.outputs)
            assert answer.cost == costs[row]


def test_every_preference_has_words_in_both_languages() -> None:
    kb = engine_of().rules.kb
    assert len(kb.groups) >= 20
    assert {(name, language) for name in kb.groups for language in ("en", "zh")} <= kb.words.keys()


@pytest.mark.parametrize(
    ("state", "move"),
    [
        ({"hand": "34567", "to_beat": None}, "34567"),  # out at once
        ({"hand": "33", "to_beat": "4", "role": "landlord_down", "top": "next"}, ""),
        ({"hand": "5A2", "to_beat": "K", "role": "landlord_up", "top": "previous", "cards": [20, 1]}, ""),  # let him
        ({"hand": "4444579", "to_beat": "3", "role": "landlord"}, "5"),  # no bomb for a three
        ({"hand": "79", "to_beat": None, "role": "landlord", "cards": [1, 17]}, "9"),  # one card is left next door
        ({"hand": "3XD", "to_beat": "2", "role": "landlord", "cards": [1, 1]}, "XD"),
        ({"hand": "59", "to_beat": None, "role": "landlord_up", "cards": [9, 1], "unseen": "4TTTJJJQQK"}, "5"),
    ],
)
def test_what_a_player_expects(state: dict[str, Any], move: str) -> None:
    engine = engine_of()
    moment = engine.moment(state)
    chosen = Minimiser.of(engine).order(moment.decision, moment.lists)[0]
    assert moment.actions[int(chosen)].to_json() == move
