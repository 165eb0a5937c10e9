"""The preferences of Dou dizhu: costs against clingo, texts, and preferred moves of example states."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.terms import Atom
from abl_cards.circuit.oracle import Oracle
from abl_cards.games.engine import Engine
from abl_cards.games.tables.decision_point import DecisionPoint
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.reasoners.abduction.minimiser import Minimiser
from tests.effort import amount
from tests.games.doudizhu.decided import LETTERS, engine_of, hand, row_text


def held(name: str, cards: str) -> set[Atom]:
    """``held(R,N)`` and the like."""
    counts = Counter(cards)
    return {Atom(name, (LETTERS.index(card) + 3, n)) for card in counts for n in range(1, counts[card] + 1)}


def text(counts: Any) -> str:
    """A hand [15] in letters."""
    return "".join(letter * int(count) for letter, count in zip(LETTERS, counts, strict=True))


def facts_of(engine: Engine, moment: DecisionPoint, row: int) -> set[Atom]:
    """Return the facts of a decision and a move, from the arrays of the decision alone."""
    decision: Any = moment.decision
    view, fluents = decision.view, engine.rules.fluents
    own, unseen, seat = text(view.hand[0]), text(view.unseen[0]), int(view.seats[0])
    facts = held("held", own) | held("unseen", unseen) | {Atom("asked", (seat,))}
    for who, count in zip(("next", "previous"), view.hidden_hand_sizes[0].tolist(), strict=True):
        facts |= {Atom("cards", (who, n)) for n in range(1, count + 1)}
    for name in ("landlord", "bid"):
        fluent = fluents.find(name)
        assert fluent is not None
        numbers = view.state.fluents[int(view.rows[0]), fluent.first_slot : fluent.slots.stop].tolist()
        facts |= {Atom(name, (*key, number)) for key, number in zip(fluent.keys, numbers, strict=True) if number >= 0}
    left = own
    if moment.labels[row] == "bid":
        facts |= {Atom("chooses", (engine.rules.schema.options[int(moment.move_lists.cards[row, 0])],))}
    else:
        left = "".join((Counter(own) - Counter(row_text(moment.move_lists.cards[row]))).elements())
        facts |= {Atom("play", (moment.labels[row],))}
        label = int(decision.label_to_beat[0])
        facts |= {Atom("leading", ())} if label < 0 else {Atom("to_beat", (engine.labels[label],))}
        if label >= 0:
            facts |= {Atom("top", (("next", "previous")[int(view.top_other[0])],))}
    facts |= held("left", left)
    plays = int(engine.min_plays(np.zeros(1, np.int16), hand(left)[None])[0])
    return facts | {Atom("plays_left", (n,)) for n in range(1, plays + 1)}


@pytest.mark.parametrize("profile", ["rlcard", "contest"])
def test_costs_equal_clingo(profile: str) -> None:
    engine = engine_of(None, profile)
    judge, oracle = engine.preference_model(), Oracle(engine.rules.kb)
    count = amount(3, 25)
    decisions: Any = sample_from_play(engine, count, seed=3)
    moments = [engine.decision_point_at(decisions, row) for row in range(count)]
    if profile == "contest":
        moments.append(
            engine.read_decision_point({"stage": "bid", "seat": 2, "hand": "345678TTJJQK222XD", "bid": [0, 1, None]})
        )
    for moment in moments:
        costs, _ = judge.costs(moment.decision, moment.move_lists)
        for row in {0, len(costs) // 2, len(costs) - 1}:
            answer = oracle.solve(facts_of(engine, moment, row), judge.outputs)
            assert answer.cost == costs[row]


def test_preferences_have_texts_in_both_languages() -> None:
    kb = engine_of().rules.kb
    assert len(kb.preference_groups) >= 20
    assert {
        (name, language) for name in kb.preference_groups for language in ("en", "zh")
    } <= kb.preference_texts.keys()


@pytest.mark.parametrize(
    ("state", "move"),
    [
        ({"hand": "34567", "to_beat": None}, "34567"),  # out at once
        ({"hand": "33", "to_beat": "4", "landlord": 0, "seat": 1, "top": "next"}, "pass"),
        (
            {"hand": "5A2", "to_beat": "K", "landlord": 0, "seat": 2, "top": "previous", "cards": [20, 1]},
            "pass",
        ),  # let him
        ({"hand": "4444579", "to_beat": "3", "landlord": 0, "seat": 0}, "5"),  # no bomb for a three
        (
            {"hand": "79", "to_beat": None, "landlord": 0, "seat": 0, "cards": [1, 17]},
            "9",
        ),  # one card is left next door
        ({"hand": "3XD", "to_beat": "2", "landlord": 0, "seat": 0, "cards": [1, 1]}, "XD"),
        ({"hand": "59", "to_beat": None, "landlord": 0, "seat": 2, "cards": [9, 1], "unseen": "4TTTJJJQQK"}, "5"),
    ],
)
def test_preferred_moves_of_example_states(state: dict[str, Any], move: str) -> None:
    engine = engine_of()
    moment = engine.read_decision_point(state)
    chosen = Minimiser(engine).order(moment.decision, moment.move_lists)[0]
    assert moment.actions[int(chosen)].to_json() == move
