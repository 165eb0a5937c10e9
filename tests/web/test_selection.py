"""Properties of selected cards: plays within them, and the nearest legal play of cards that form none."""

from collections import Counter

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web import play_kinds
from abl_cards.web.selection import CardSelection
from abl_cards.web.texts import deck_json
from tests.effort import amount


@pytest.mark.parametrize("name", ["president", "fifteen"])
def test_narrowed_and_nearest_plays_are_legal(name: str) -> None:
    engine = load(name).engine()
    random, agent, deck = np.random.default_rng(5), make_agent("kb", engine), deck_json(engine.rules)
    tables = engine.start_matches(np.array([3], np.uint64))
    num_narrowed, codes = 0, Counter[str]()
    for number in range(amount(30, 200, 1000)):
        if tables.winner[0] != -1:
            break
        decisions = tables.decisions(ONLY_TABLE)
        selection, texts = CardSelection(engine, decisions), engine.rules.card_codes.kind_texts
        hand = [texts[kind] for kind in np.repeat(np.arange(len(texts)), decisions.view.hand[0])]
        for size in (2, 3, 5):
            if size > len(hand):
                continue
            picked = [hand[place] for place in random.choice(len(hand), size, replace=False)]
            answer = selection.interpret(picked)
            within, problem = answer["within"], answer["problem"]
            if within is not None:
                assert not Counter(within) - Counter(picked)
                assert {deck[card]["rank"] for card in within} == {deck[card]["rank"] for card in picked}
                assert selection.interpret(within)["readings"]
                num_narrowed += 1
            if problem is not None:
                assert not answer["readings"]
                codes[problem["code"]] += 1
                if "nearest" in problem:
                    cards = problem["nearest"]["cards"]
                    assert selection.interpret(cards)["readings"] or not cards
        tables.play(ONLY_TABLE, agent.play(decisions, np.array([number], np.uint64)))
    assert codes["none"]
    assert codes["low"]
    assert num_narrowed or name == "fifteen"


def test_cards_are_named_where_random_deals_get_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of cards that are no legal play needs no deal; it was looked up at a table with random cards."""
    engine = load("president").engine()
    point = engine.read_decision_point({"hand": ["S4", "H5"], "to_beat": ["S9"]})
    assert isinstance(point.decision, Decisions)

    def get_stuck(*arguments: object) -> None:
        raise GameError("the rules name no move", ErrorCode.RULES_STUCK)

    monkeypatch.setattr(play_kinds, "tables_with_hands", get_stuck)
    monkeypatch.setattr(Tables, "begin_match", get_stuck)
    problem = CardSelection(engine, point.decision).interpret(["S4"])["problem"]
    assert problem["code"] == "low"
    assert problem["values"][0][0] == "single 4"
