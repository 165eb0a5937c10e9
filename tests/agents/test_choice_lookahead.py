"""Look-ahead for choices: bids over sampled deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import TableError
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.reasoners.abduction.minimiser import Minimiser
from abl_cards.reasoners.explain.explanation import explain

foreseen = pytest.importorskip("abl_cards.agents.choice_lookahead")


@pytest.fixture(scope="module")
def engine() -> Any:
    return load("doudizhu").engine(None, "contest")


@dataclass
class RoleRewardRollout:
    """A rollout that rewards one role: its seat wins, the others lose."""

    engine: Any
    worth_of: float

    def evaluate(self, tables: Any, seat: np.ndarray) -> np.ndarray:
        roles = tables.roles(np.arange(len(tables)))[np.arange(len(tables)), seat]
        fond = np.where(roles == self.engine.roles.index("landlord"), self.worth_of, -self.worth_of)
        return np.where(tables.num_deals > 0, 0, fond).astype(np.float32)


def options(engine: Any, lookahead: Any, tables: Any) -> Any:
    ahead = foreseen.ChoiceLookahead(engine, lookahead, Minimiser(engine), num_deals=4)
    return ahead.choose(tables.choices(tables.rows_to_choose()))


def test_bids_follow_the_values_of_roles(engine: Any) -> None:
    tables = engine.start_matches(np.arange(12, dtype=np.uint64))
    words = engine.rules.schema.options
    fond = [str(words[option]) for option in options(engine, RoleRewardRollout(engine, 1.0), tables)]
    assert "bid(0)" not in fond
    shy = [str(words[option]) for option in options(engine, RoleRewardRollout(engine, -1.0), tables)]
    assert "bid(3)" not in shy  # a lower one may have somebody else bid more
    assert "bid(0)" in shy


def test_preferences_decide_among_equal_options(engine: Any) -> None:
    tables = engine.start_matches(np.arange(12, dtype=np.uint64))
    same = Minimiser(engine).choose(tables.choices(tables.rows_to_choose()))
    assert (options(engine, RoleRewardRollout(engine, 0.0), tables) == same).all()


def test_choices_do_not_depend_on_hidden_hands(engine: Any) -> None:
    """Sample the hidden cards instead of reading them."""
    tables = engine.start_matches(np.arange(12, dtype=np.uint64))
    ahead = foreseen.ChoiceLookahead(engine, NextHandSizeRollout(), Minimiser(engine), num_deals=4)
    choices = tables.choices(tables.rows_to_choose())
    before = ahead.compute_expected_points(choices, np.arange(12))
    tables.state.hands[:, 1], tables.state.hands[:, 2] = (
        tables.state.hands[:, 2].copy(),
        tables.state.hands[:, 1].copy(),
    )
    choices = tables.choices(tables.rows_to_choose())
    assert (ahead.compute_expected_points(choices, np.arange(12)) == before).all()


class NextHandSizeRollout:
    """A rollout that counts the cards of the highest kind in the next seat's hand."""

    def evaluate(self, tables: Any, seat: np.ndarray) -> np.ndarray:
        return tables.state.hands[np.arange(len(tables)), (seat + 1) % 3, -3].astype(np.float32)


def test_model_explanation_of_options_has_their_values(engine: Any) -> None:
    tables = engine.start_matches(np.arange(4, dtype=np.uint64))
    choices = tables.choices(tables.rows_to_choose())
    ahead = foreseen.ChoiceLookahead(engine, RoleRewardRollout(engine, 1.0), Minimiser(engine), num_deals=4)
    for row in range(4):
        moment = engine.decision_point_at(choices, row)
        opinion = ahead.compute_model_explanation(moment.decision)
        explanation = explain(engine, engine.preference_model(), moment, model_explanation=opinion)
        assert {label.label for label in explanation.labels} == {str(action) for action in moment.actions}
        assert sum(label.probability or 0.0 for label in explanation.labels) == pytest.approx(1, abs=1e-5)
        chosen = ahead.choose(moment.decision)[0]
        assert str(engine.rules.schema.options[chosen]) == str(explanation.chosen.action)
        assert explanation.chosen.lookahead is not None
        expected = [label.lookahead.expected_points or 0.0 for label in explanation.labels if label.lookahead]
        assert explanation.chosen.lookahead.expected_points == max(expected)


def test_shipped_agent_bids_by_lookahead(engine: Any) -> None:
    """The shipped agent bids by look-ahead and plays by every profile, including one with new labels."""
    tables = engine.start_matches(np.arange(2, dtype=np.uint64))
    player: Any = make_agent("abl", engine)
    moment = engine.decision_point_at(tables.choices(np.arange(1)))
    opinion = player.compute_model_explanation(moment)
    assert opinion is not None
    assert opinion.expected_points.size == len(engine.rules.schema.options)
    others = load("doudizhu").engine(None, "botzone")
    names = ["abl:no-lookahead", "random"]
    result = play_match(others, [make_agent(name, others) for name in names], 40, 0, names=names)
    assert result.wins[0] > 30


@pytest.mark.parametrize("profile", ["contest", "rlcard"])
def test_errors_of_imagined_tables_name_no_game_of_the_match(monkeypatch: pytest.MonkeyPatch, profile: str) -> None:
    """Bids are the first to look ahead by one profile, plays by the other; the match has two tables."""
    engine = load("doudizhu").engine(None, profile)

    def fail(*arguments: Any) -> Any:
        raise TableError(999, "no seat is next")

    monkeypatch.setattr("abl_cards.agents.determinized_rollouts.DeterminizedRollout.evaluate", fail)
    with pytest.raises(GameError) as caught:
        play_match(engine, [make_agent("abl", engine), make_agent("kb", engine)], games=2, seed=3)
    assert caught.value.code == ErrorCode.RULES_STUCK
    assert "game" not in str(caught.value)
