"""Inputs of preferences, compared with the rules of small games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.preferences.compilation import compile_preferences
from abl_cards.games.preferences.preference_inputs import GamePreferenceInputs
from abl_cards.games.preferences.preferences import CompiledPreferences
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import MoveLists
from tests.edited import edited


def judge_of(rules: CompiledGame, other: CompiledGame | None = None) -> CompiledPreferences:
    return compile_preferences((other or rules).kb, GamePreferenceInputs(rules))


def leading(rules: CompiledGame, hand: list[int]) -> Decisions:
    state = rules.create_state(1)
    state.hands[0, 0] = hand
    state.hands[0, 1, 4], state.hands[0, 2, 0] = 1, 1
    return Decisions(PlayerView(rules, state, np.arange(1), state.seat.copy()))


def costs(
    judge: CompiledPreferences, decisions: Decisions | Choices, lists: MoveLists, estimate: object = None
) -> list[int]:
    total, consistent = judge.costs(decisions, lists, estimate)  # type: ignore[arg-type]
    assert consistent.all()
    return total.tolist()


def test_inputs_hold_remaining_cards_and_number_of_plays(gifts: CompiledGame) -> None:
    decisions = leading(gifts, [2, 0, 1, 0, 0])
    lists = decisions.moves()
    names = [str(gifts.forms.forms[form].name) for form in lists.form]
    cost_of = dict(zip(names, costs(judge_of(gifts), decisions, lists), strict=True))
    # After a 1 another 1 and a 3 are left, after both 1 the 3, and after the 3 the pair.
    assert cost_of == {"set(1,1)": 20, "set(3,1)": 10 + 1, "set(1,2)": 10}


def test_estimates_are_rounded_half_up(gifts: CompiledGame) -> None:
    decisions = leading(gifts, [1, 0, 0, 0, 0])
    estimate = np.zeros((1, 2, 5), np.float32)
    estimate[0, :, 0] = 0.5, 0.49
    assert costs(judge_of(gifts), decisions, decisions.moves(), estimate) == [5]
    assert costs(judge_of(gifts), decisions, decisions.moves()) == [0]
    with pytest.raises(ValueError, match=r"estimate must be \[1, 2, 5\]"):
        judge_of(gifts).costs(decisions, decisions.moves(), np.zeros((1, 3, 5), np.float32))


def test_inputs_of_choices_hold_stage_and_option(gifts: CompiledGame) -> None:
    state = gifts.create_state(1)
    state.hands[0, 0], state.choice[:] = [0, 0, 1, 0, 0], gifts.schema.stages.index("claim")
    choices = Choices(PlayerView(gifts, state, np.arange(1), state.seat.copy()))
    lists = choices.moves()
    assert [gifts.schema.options[option] for option in lists.cards[:, 0]] == [3, "none"]
    assert costs(judge_of(gifts), choices, lists) == [3 + 7, 10]  # the three would be gone: no play is left


def test_preferences_of_another_folder(gifts: CompiledGame, president: CompiledGame) -> None:
    """Inputs unknown to the rules of the tables are false."""
    state = president.create_state(1)
    state.hands[0, 0, :3] = 1
    decisions = Decisions(PlayerView(president, state, np.arange(1), state.seat.copy()))
    assert len(costs(judge_of(president, gifts), decisions, decisions.moves())) == len(decisions.moves().form)


def test_preferences_that_read_inputs_of_another_game_are_refused(tmp_path: Path) -> None:
    """Refuse a fluent that the game does not have, though cards and labels are the same."""
    more = """#external wet.
any(wet,0).
#external event(E) : E = (deal;choice;play;trick;end).
next(wet) :- event(play).
preference(dry, passing).
says(dry, en, "Stay dry.").
says(dry, zh, "别淋雨。").
cost(dry, 3) :- play(pass), wet.
"""
    with pytest.raises(GameError) as error:
        load("president").engine().preference_model((), edited(tmp_path / "wet", {}, more, "president"))
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE
