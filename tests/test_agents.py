"""Agents by name, with variants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.agents import AGENTS, AgentName, Greedy, Kb, Random, agent, checked_name, judge
from abl_cards.arena import play_match
from abl_cards.games import GameError, game
from abl_cards.logic import KBError
from abl_cards.positions import met_in_play
from tests.edited import edited

WORD = st.text("abcdefgh_/.-", min_size=1, max_size=5)
NAMES = st.builds(
    lambda kind, options: AgentName(kind, tuple(sorted(set(options)))),
    WORD,
    st.lists(st.tuples(WORD, st.one_of(st.just(""), WORD)), max_size=3),
)


@given(NAMES)
def test_names_parse_back(name: AgentName) -> None:
    assert AgentName.parse(str(name)) == name


@given(st.text(max_size=12))
def test_any_text_is_a_name_or_a_game_error(text: str) -> None:
    try:
        name = AgentName.parse(text)
    except GameError:
        return
    assert AgentName.parse(str(name)) == name


def test_equal_agents_have_one_name() -> None:
    one, two = (AgentName.parse(text) for text in ("kb:without=b,kb=x,without=a", " kb:kb=x, without=a,without=b"))
    assert one == two
    assert str(one) == "kb:kb=x,without=a,without=b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no agent"),
        (":x", "names no agent"),
        ("kb:", "names no agent"),
        ("kb:without=", "names no agent"),
        ("kbb", r"unknown agent 'kbb' \(did you mean 'kb'\? there are: greedy, human, kb, program, random\)"),
        ("zebra", r"unknown agent 'zebra' \(there are: greedy, human, kb, program, random\)"),
        ("random:fast", "unknown option 'fast' of agent 'random' .it has none"),
        ("kb:withot=bombs", "did you mean 'without=…'"),
        ("kb:without", "unknown option 'without' of agent 'kb'"),
        ("kb:without=bomb", "unknown group of preferences 'bomb' .did you mean 'bombs'"),
        ("kb:kb=a,kb=b", "'kb' twice"),
        ("human:lang=fr", "unknown language 'fr'"),
        ("human:lang", "unknown option 'lang'"),
    ],
)
def test_what_is_wrong_with_a_name(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        agent(text, game("guandan").engine())


def test_the_folder_of_preferences_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(KBError, match="is no directory"):
        agent(f"kb:kb={tmp_path / 'nowhere'}", game("guandan").engine())


def test_kinds() -> None:
    engine = game("guandan").engine()
    assert isinstance(agent("random", engine), Random)
    assert isinstance(agent("greedy", engine), Greedy)
    assert isinstance(agent("kb", engine), Kb)
    assert set(AGENTS) == {"random", "greedy", "kb", "program", "human"}
    with pytest.raises(GameError, match="agent 'greedy' decides by no preferences"):
        judge("greedy", engine)


def test_without_a_group_decisions_change() -> None:
    engine = game("guandan").engine()
    decisions = met_in_play(engine, 300, seed=1)
    keys = np.zeros(300, np.uint64)
    with_all, without = (agent(name, engine).play(decisions, keys) for name in ("kb", "kb:without=bombs"))
    changed = (with_all.cards != without.cards).any(axis=1)
    assert 0 < changed.sum() < 300


def test_preferences_of_another_folder_change_decisions_and_no_rules(tmp_path: Path) -> None:
    """Dear passes there mean no pass here; a rule that is different there is not."""
    more = """preference(never_pass, passing).
says(never_pass, en, "Never pass.").
says(never_pass, zh, "不要过牌。").
cost(never_pass, 1000) :- play(pass).
"""
    folder = edited(tmp_path / "keen", {"labels.lp": ("wilds(F,2) :- kind(F,straight).", "")}, more)
    engine = game("guandan").engine()
    decisions = met_in_play(engine, 300, seed=1)
    moves = agent(f"kb:kb={folder}", engine).play(decisions, np.zeros(300, np.uint64))
    passed = moves.form == engine.rules.pass_form
    assert (decisions.legal[:, passed].sum(axis=0) == 1).all()
    match = play_match(
        engine, (f"kb:kb={folder}", "greedy"), (agent(f"kb:kb={folder}", engine), agent("greedy", engine)), 2
    )
    assert match.games == 2


def test_a_match_names_its_agents_in_full() -> None:
    assert str(checked_name("kb:without=wild,without=bombs")) == "kb:without=bombs,without=wild"
