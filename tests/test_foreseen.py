"""Choices by looking ahead: bids over imagined deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import agent
from abl_cards.arena import play_match
from abl_cards.games import game
from reasoners.explanation import explain
from reasoners.minimiser import Minimiser

foreseen = pytest.importorskip("abl_cards.agents.foreseen")


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("doudizhu").engine(None, "contest")


@dataclass
class Fond:
    """Looks ahead to one role: who has it is worth as much, the others lose it."""

    engine: Any
    worth_of: float

    def worth(self, tables: Any, seat: np.ndarray) -> np.ndarray:
        roles = tables.roles(np.arange(len(tables)))[np.arange(len(tables)), seat]
        fond = np.where(roles == self.engine.roles.index("landlord"), self.worth_of, -self.worth_of)
        return np.where(tables.deals > 0, 0, fond).astype(np.float32)


def options(engine: Any, lookahead: Any, tables: Any) -> Any:
    ahead = foreseen.OptionsAhead(engine, lookahead, Minimiser.of(engine), deals=4)
    return ahead.choose(tables.choices(tables.choosing()))


def test_who_is_fond_of_a_part_bids_for_it_and_who_is_not_does_not(engine: Any) -> None:
    tables = engine.tables(np.arange(12, dtype=np.uint64))
    words = engine.rules.words.options
    fond = [str(words[each]) for each in options(engine, Fond(engine, 1.0), tables)]
    assert "bid(0)" not in fond
    shy = [str(words[each]) for each in options(engine, Fond(engine, -1.0), tables)]
    assert "bid(3)" not in shy  # a lower one may have somebody else bid more
    assert "bid(0)" in shy


def test_equal_options_are_left_to_the_preferences(engine: Any) -> None:
    tables = engine.tables(np.arange(12, dtype=np.uint64))
    same = Minimiser.of(engine).choose(tables.choices(tables.choosing()))
    assert (options(engine, Fond(engine, 0.0), tables) == same).all()


def test_the_others_hands_change_nothing(engine: Any) -> None:
    """What lies aside and what the others hold is drawn, not looked at."""
    tables = engine.tables(np.arange(12, dtype=np.uint64))
    ahead = foreseen.OptionsAhead(engine, Counting(), Minimiser.of(engine), deals=4)
    choices = tables.choices(tables.choosing())
    before = ahead.points(choices, np.arange(12))
    tables.state.hands[:, 1], tables.state.hands[:, 2] = (
        tables.state.hands[:, 2].copy(),
        tables.state.hands[:, 1].copy(),
    )
    choices = tables.choices(tables.choosing())
    assert (ahead.points(choices, np.arange(12)) == before).all()


class Counting:
    """A deal is worth the cards of the highest kind that the next seat holds."""

    def worth(self, tables: Any, seat: np.ndarray) -> np.ndarray:
        return tables.state.hands[np.arange(len(tables)), (seat + 1) % 3, -3].astype(np.float32)


def test_an_opinion_on_options_tells_what_each_is_worth(engine: Any) -> None:
    tables = engine.tables(np.arange(4, dtype=np.uint64))
    choices = tables.choices(tables.choosing())
    ahead = foreseen.OptionsAhead(engine, Fond(engine, 1.0), Minimiser.of(engine), deals=4)
    for row in range(4):
        moment = engine.look(choices, row)
        opinion = ahead.opinion(moment.decision)
        found = explain(engine, engine.judge(), moment, opinion=opinion)
        assert {each.label for each in found.labels} == {str(action) for action in moment.actions}
        assert sum(each.probability or 0.0 for each in found.labels) == pytest.approx(1, abs=1e-5)
        chosen = ahead.choose(moment.decision)[0]
        assert str(engine.rules.words.options[chosen]) == str(found.chosen.action)
        assert found.chosen.ahead is not None
        expected = [each.ahead.points or 0.0 for each in found.labels if each.ahead]
        assert found.chosen.ahead.points == max(expected)


def test_the_shipped_player_bids_like_that(engine: Any) -> None:
    """And plays by every profile, also one with labels that it has not met."""
    tables = engine.tables(np.arange(2, dtype=np.uint64))
    player: Any = agent("abl", engine)
    moment = engine.look(tables.choices(np.arange(1)))
    opinion = player.opinion(moment)
    assert opinion is not None
    assert opinion.points.size == len(engine.rules.words.options)
    others = game("doudizhu").engine(None, "botzone")
    names = ["abl:no-lookahead", "random"]
    result = play_match(others, names, [agent(name, others) for name in names], 40)
    assert result.wins[0] > 30
