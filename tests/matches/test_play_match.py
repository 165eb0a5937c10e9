"""The public function play_match: games and agents by name or object, custom agents, errors, the summary."""

from __future__ import annotations

import doctest
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import registry
from abl_cards.agents.registry import agent, make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compilation import compile_engine
from abl_cards.games.game import load
from abl_cards.matches import match_runner
from abl_cards.matches.match_runner import play_match
from tests.training.test_joint_loop import SHORT


class FirstMove:
    """A custom agent that takes the first legal move and option."""

    def play(self, decisions: Any, keys: Any) -> Any:
        lists = decisions.moves()
        return lists.select(lists.start[:-1])

    def choose(self, choices: Any, keys: Any) -> Any:
        return choices.options.argmax(axis=1)


class IllegalMove(FirstMove):
    def play(self, decisions: Any, keys: Any) -> Any:
        form, cards = super().play(decisions, keys)
        return form, (cards + 1) % 40


class Failing(FirstMove):
    def play(self, decisions: Any, keys: Any) -> Any:
        return np.zeros(3)[7]


class Cheating(FirstMove):
    def play(self, decisions: Any, keys: Any) -> Any:
        decisions.view.state.hands[decisions.rows] = 1
        return super().play(decisions, keys)


class NoChoices:
    def play(self, decisions: Any, keys: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize("module", [match_runner, registry])
def test_doctests_pass(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_all_forms_of_games_and_agents_are_equal() -> None:
    engine = load(SHORT).engine()
    expected = play_match(
        engine, [make_agent("kb", engine), make_agent("greedy", engine)], 4, 3, names=("kb", "greedy")
    )
    for game in (SHORT, load(SHORT), engine):
        assert play_match(game, ["kb", "greedy"], 4, 3) == expected
        assert play_match(game, [agent(game, "kb"), "greedy"], 4, 3, names=["kb", "greedy"]) == expected
        assert compile_engine(game) == engine


def test_custom_agents_play() -> None:
    own = FirstMove()
    result = play_match(SHORT, [own, "greedy"], 4, 3)
    assert result.agents == ("FirstMove", "greedy")
    assert play_match(SHORT, [own, FirstMove()], 4, 3).agents == ("FirstMove", "FirstMove 2")
    four = play_match(SHORT, [own, FirstMove(), own, "greedy"], 4, 3)
    assert four.agents == ("FirstMove", "FirstMove 2", "greedy")


@pytest.mark.parametrize(
    ("own", "code"),
    [
        (IllegalMove(), ErrorCode.AGENT_FAILED),
        (Failing(), ErrorCode.AGENT_FAILED),
        (Cheating(), ErrorCode.AGENT_FAILED),
        (NoChoices(), ErrorCode.INVALID_AGENT_CLASS),
        (FirstMove, ErrorCode.INVALID_AGENT_CLASS),
        ("nobody", ErrorCode.UNKNOWN_AGENT),
    ],
)
def test_failing_agents_are_reported(own: Any, code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        play_match("president", [own, "greedy"], 4)
    assert error.value.code == code
    if isinstance(own, Failing):
        assert f"{__file__}:" in str(error.value)
        assert "IndexError" in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"games": 0}, ErrorCode.INVALID_VALUE),
        ({"agents": ["kb"]}, ErrorCode.WRONG_AGENT_COUNT),
        ({"agents": ["kb"] * 3}, ErrorCode.WRONG_AGENT_COUNT),
        ({"names": ["kb"]}, ErrorCode.INVALID_VALUE),
        ({"names": [1, 2]}, ErrorCode.INVALID_VALUE),
        ({"names": ["a", ""]}, ErrorCode.INVALID_VALUE),
        ({"names": "ab"}, ErrorCode.INVALID_VALUE),
        ({"seed": "x"}, ErrorCode.INVALID_VALUE),
        ({"use_fixed_deals": True}, ErrorCode.INVALID_VALUE),
        ({"use_fixed_deals": np.array([0, 1])}, ErrorCode.INVALID_VALUE),
        ({"use_fixed_deals": None}, ErrorCode.INVALID_VALUE),
        ({"games": 10**30}, ErrorCode.INVALID_VALUE),
        ({"write_record": "games.jsonl"}, ErrorCode.INVALID_VALUE),
        ({"on_progress": 3}, ErrorCode.INVALID_VALUE),
        ({"names": ["a", "a"]}, ErrorCode.DUPLICATE_AGENT),
        ({"agents": [FirstMove(), FirstMove()], "names": ["a", "a"]}, ErrorCode.DUPLICATE_AGENT),
        ({"agents": ["kb", "greedy", "kb", "kb"], "names": ["a", "a", "b", "b"]}, ErrorCode.DUPLICATE_AGENT),
    ],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(GameError) as error:
        play_match("president", **{"agents": ["kb", "greedy"], **arguments})
    assert error.value.code == code


def test_summary_and_json_have_the_results() -> None:
    result = play_match("doudizhu", ["kb", "greedy"], 8)
    text = result.summary()
    assert text.splitlines()[0].startswith("doudizhu: 8 games")
    assert f"kb: {result.wins[0]} games won, {result.rate:.1%}" in text
    assert f"{result.interval[0]:.1%} – {result.interval[1]:.1%}" in text
    assert "kb as landlord" in text
    plain = result.to_json()
    assert json.loads(json.dumps(plain)) == plain
    assert "game" not in plain  # the output of the command names it nowhere
    standings = play_match("president", ["kb", "greedy"], 12).summary()
    assert "kb: place " in standings


@pytest.mark.parametrize("name", ["kb", "greedy", "zhiduoxing"])
@pytest.mark.parametrize(("game", "profile"), [("guandan", None), ("doudizhu", "openspiel")])
def test_agent_of_other_rules_is_rejected(name: str, game: str, profile: str | None) -> None:
    """Compare rules, since labels and inputs of other rules are other numbers of the same range."""
    played = "doudizhu" if profile else "president"
    with pytest.raises(GameError) as error:
        play_match(played, [agent(load(game, profile), name), "random"], 4)
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE


def test_agent_of_a_copy_of_the_rules_is_accepted(tmp_path: Path) -> None:
    again = load(shutil.copytree(load("president").directory, tmp_path / "president")).engine()
    assert again.rules is not load("president").engine().rules
    assert play_match("president", [agent(again, "kb"), "greedy"], 12, 3).rate == (
        play_match("president", ["kb", "greedy"], 12, 3).rate
    )


def test_agent_of_a_profile_with_equal_plays_is_accepted() -> None:
    """The profile has the plays and inputs of the default one."""
    result = play_match("paodekuai", [agent(load("paodekuai", "lowest_seat"), "greedy"), "random"], 8)
    assert result.wins == play_match("paodekuai", ["greedy", "random"], 8).wins


def test_unordered_agents_are_rejected() -> None:
    for agents in ({"kb", "greedy"}, {"kb": 1, "greedy": 2}, None):
        with pytest.raises(GameError) as error:
            play_match("president", agents, 4)  # type: ignore[arg-type]
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_agents_of_one_specification_may_share_a_name() -> None:
    engine, own = compile_engine(SHORT), FirstMove()
    for agents in (["kb", "kb"], [own, own], [agent(engine, "random"), agent(engine, "random")]):
        assert play_match(engine, agents, 4, names=["a", "a"]).agents == ("a", "a")
    assert play_match(engine, ["kb", "greedy", "kb", "kb"], 4, names=["a", "b", "a", "a"]).agents == ("a", "b")
