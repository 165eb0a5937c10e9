"""Agents by name, with variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.agents.abl_agent import AblAgent
from abl_cards.agents.baselines import GreedyAgent, RandomAgent
from abl_cards.agents.names import AgentName
from abl_cards.agents.preference_agent import PreferenceAgent
from abl_cards.agents.registry import (
    AGENT_FACTORIES,
    check_agent_name,
    make_agent,
    make_explainable_agent,
    make_preference_model,
)
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from abl_cards.reasoners.hidden_hands.hands import project_estimate
from tests.edited import STRICT, edited
from tests.effort import amount, long
from tests.positions import shared_positions

WORD = st.text("abcdefgh_/.-", min_size=1, max_size=5)
NAMES = st.builds(
    lambda kind, options, numbers: AgentName(kind, tuple(sorted(set(options))), tuple(numbers)),
    WORD,
    st.lists(st.tuples(WORD, st.one_of(st.just(""), WORD)), max_size=3),
    st.lists(st.integers(0, 99), max_size=3),
)


@given(NAMES)
def test_agent_names_round_trip(name: AgentName) -> None:
    assert AgentName.parse(str(name)) == name


@given(st.text(max_size=12))
def test_any_text_parses_or_raises_game_error(text: str) -> None:
    try:
        name = AgentName.parse(text)
    except GameError:
        return
    assert AgentName.parse(str(name)) == name


def test_equal_agents_have_equal_names() -> None:
    one, two = (AgentName.parse(text) for text in ("kb:without=b,kb=x,without=a", " kb:kb=x, without=a,without=b"))
    assert one == two
    assert str(one) == "kb:kb=x,without=a,without=b"


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("", ErrorCode.INVALID_AGENT_NAME, "''"),
        (":x", ErrorCode.INVALID_AGENT_NAME, "':x'"),
        ("kb:", ErrorCode.INVALID_AGENT_NAME, "'kb:'"),
        ("kb:without=", ErrorCode.INVALID_AGENT_NAME, "'kb:without='"),
        ("kbb", ErrorCode.UNKNOWN_AGENT, r"'kbb' .*'kb'.* abl, greedy, human, kb, program, random, shen"),
        ("zebra", ErrorCode.UNKNOWN_AGENT, "'zebra' .* abl, greedy, human, kb, program, random, shensuanzi, zhi"),
        ("random:fast", ErrorCode.UNKNOWN_AGENT_OPTION, "'fast' .*'random'"),
        ("kb:withot=bombs", ErrorCode.UNKNOWN_AGENT_OPTION, "'without=…'"),
        ("kb:without", ErrorCode.UNKNOWN_AGENT_OPTION, "'without' .*'kb'"),
        ("kb:without=bomps", None, "bomps.*'bombs'"),
        ("kb:without=bomps.lp", ErrorCode.UNKNOWN_PART, r"bomps\.lp .*beliefs\.lp"),
        ("kb:kb=a,kb=b", ErrorCode.INVALID_AGENT_OPTION, "'kb'"),
        ("abl:noabln", ErrorCode.UNKNOWN_AGENT_OPTION, "'noabln' .*'abl' .*'no-abln'"),
        ("abl:preset=huge", None, "'guandan-huge'"),
        ("abl:supervised,no-abln,preset=huge", None, "'guandan-huge-no-abln-supervised'"),
        ("abl:weights=nowhere.safetensors", None, r"nowhere\.safetensors"),
        ("abl:weights=x,no-abln,preset=small", ErrorCode.INVALID_AGENT_OPTION, "no-abln, preset"),
        ("human:lang=fr", None, "'fr'"),
        ("human:lang", ErrorCode.UNKNOWN_AGENT_OPTION, "'lang'"),
    ],
)
def test_errors_of_invalid_agent_names(text: str, code: ErrorCode | None, value: str) -> None:
    """Name the wrong value and the known ones; None stands for error codes of other packages."""
    with pytest.raises(GameError, match=value) as error:
        make_agent(text, load("guandan").engine())
    assert code in (None, error.value.code)


def test_missing_preference_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="nowhere") as error:
        make_agent(f"kb:kb={tmp_path / 'nowhere'}", load("guandan").engine())
    assert error.value.code == ErrorCode.FILE_NOT_READABLE


def test_agent_types_by_name() -> None:
    engine = load("guandan").engine()
    assert isinstance(make_agent("random", engine), RandomAgent)
    assert isinstance(make_agent("greedy", engine), GreedyAgent)
    assert isinstance(make_agent("kb", engine), PreferenceAgent)
    assert set(AGENT_FACTORIES) == {"random", "greedy", "kb", "abl", "program", "human", "shensuanzi", "zhiduoxing"}
    with pytest.raises(GameError) as error:
        make_preference_model("greedy", engine)
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE


def test_excluding_a_group_changes_decisions() -> None:
    engine = load("guandan").engine()
    states = amount(120, 300)
    decisions = shared_positions(engine, states)
    keys = np.zeros(states, np.uint64)
    with_all, without = (make_agent(name, engine).play(decisions, keys) for name in ("kb", "kb:without=bombs"))
    changed = (with_all.cards != without.cards).any(axis=1)
    assert 0 < changed.sum() < states


@pytest.mark.parametrize("option", ["", ",without=words.lp"])
@pytest.mark.parametrize(("game", "other"), [("president", "gandengyan"), ("sixteen", "fifteen")])
def test_preferences_of_another_game_are_refused(game: str, other: str, option: str) -> None:
    """Refuse preferences of other labels or other cards, whose inputs would be false in silence."""
    with pytest.raises(GameError) as error:
        make_agent(f"kb:kb={load(other).directory}{option}", load(game).engine())
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE


def test_preferences_of_another_folder_change_decisions_not_rules(tmp_path: Path) -> None:
    """Use the preferences of another folder, but not its changed rules."""
    more = """preference(never_pass, passing).
says(never_pass, en, "Never pass.").
says(never_pass, zh, "不要过牌。").
cost(never_pass, 1000) :- play(pass).
"""
    folder = edited(tmp_path / "keen", {"labels.lp": ("wilds(F,2) :- kind(F,straight).", "")}, more)
    engine = load("guandan").engine()
    decisions = shared_positions(engine, 300)
    moves = make_agent(f"kb:kb={folder}", engine).play(decisions, np.zeros(300, np.uint64))
    passed = decisions.labels_of(moves.form) == engine.label_traits.pass_label
    assert (decisions.legal_mask[:, passed].sum(axis=0) == 1).all()
    match = play_match(
        engine,
        (make_agent(f"kb:kb={folder}", engine), make_agent("greedy", engine)),
        2,
        0,
        names=(f"kb:kb={folder}", "greedy"),
    )
    assert match.games == 2


def test_check_agent_name_normalises_the_name() -> None:
    assert str(check_agent_name("kb:without=wild,without=bombs")) == "kb:without=bombs,without=wild"


# --- abl --------------------------------------------------------------------------------------------------------------


def play_positions(name: str, positions: int = amount(30, 80), seed: int = 4) -> tuple[Any, Any, Any]:
    """Return some positions with the agent's moves and labels."""
    engine = load("guandan").engine()
    decisions = shared_positions(engine, positions)
    moves = make_agent(name, engine).play(decisions, splitmix64_array(np.arange(positions).astype(np.uint64), seed))
    return decisions, moves, decisions.labels_of(moves.form)


@pytest.mark.parametrize("variant", ["", ",no-projection", ",no-preferences", ",no-lookahead", ",without=bombs"])
def test_every_variant_of_abl_plays_legal_moves_of_legal_labels(untrained: str, variant: str) -> None:
    decisions, moves, labels = play_positions(untrained + variant)
    assert decisions.legal_mask[labels, np.arange(len(labels))].all()
    lists = decisions.moves(labels)
    for row in range(len(labels)):
        span = slice(lists.start[row], lists.start[row + 1])
        assert (lists.cards[span] == moves.cards[row]).all(axis=1).any()


def test_abl_accepts_a_thinking_time(untrained: str) -> None:
    decisions, _, labels = play_positions(f"{untrained},think=5", 20)
    assert decisions.legal_mask[labels, np.arange(len(labels))].all()
    engine = load("guandan").engine()
    for bad in ("soon", "0", "-3", "nan", "60001"):
        with pytest.raises(GameError, match="60,000") as error:
            make_agent(f"{untrained},think={bad}", engine)
        assert error.value.code == ErrorCode.INVALID_AGENT_OPTION
    with pytest.raises(GameError) as error:
        make_agent(f"{untrained},think=5,no-lookahead", engine)
    assert error.value.code == ErrorCode.INVALID_AGENT_OPTION


def test_time_limit_equals_the_think_option(untrained: str) -> None:
    engine = load("guandan").engine()
    agent, named = make_agent(untrained, engine), make_agent(f"{untrained},think=5", engine)
    assert isinstance(agent, AblAgent)
    assert isinstance(named, AblAgent)
    limited = agent.with_time_limit(0.005)
    assert (agent.think_seconds, limited.think_seconds, named.think_seconds) == (None, 0.005, 0.005)
    assert limited.policy is agent.policy
    assert named.with_time_limit(1.0) is named
    blunt = make_agent(f"{untrained},no-lookahead", engine)
    assert isinstance(blunt, AblAgent)
    assert not blunt.looks_ahead
    assert blunt.with_time_limit(1.0) is blunt


def test_abl_without_preferences_keeps_labels_and_changes_cards(untrained: str) -> None:
    _, best, labels = play_positions(untrained)
    _, drawn, same = play_positions(f"{untrained},no-preferences")
    assert (labels == same).all()
    assert (best.cards != drawn.cards).any()


@long
def test_abl_uses_preferences_of_another_folder(untrained: str, tmp_path: Path) -> None:
    """Apply the constraints of another folder: lead no bomb where another lead is legal."""
    folder = edited(tmp_path / "strict", more=STRICT)
    decisions, _, labels = play_positions(f"{untrained},kb={folder}", 200)
    bombs = np.array([name.startswith("bomb") for name in load("guandan").engine().labels])
    leading = decisions.label_to_beat < 0
    assert leading.sum() > 20
    assert not bombs[labels[leading]].any()
    with pytest.raises(GameError) as error:
        make_agent(f"{untrained},kb={tmp_path / 'nowhere'}", load("guandan").engine())
    assert error.value.code == ErrorCode.FILE_NOT_READABLE


def test_model_explanation_of_abl_agrees_with_its_moves(untrained: str) -> None:
    """Explain the move that is played, with the network's estimate, projected by default."""
    engine = load("guandan").engine()
    decisions = shared_positions(engine, amount(5, 30))
    estimates = {}
    for variant in ("", ",no-projection", ",no-preferences", ",no-lookahead"):
        player = make_explainable_agent(untrained + variant, engine)
        for row in range(len(decisions.rows)):
            one = decisions.select(np.array([row]))
            moment = engine.decision_point_at(decisions, row)
            opinion = player.compute_model_explanation(moment)
            assert opinion is not None
            assert (moment.move_lists.cards[opinion.row] == player.play(one, np.zeros(1, np.uint64)).cards[0]).all()
            assert opinion.probabilities.sum() == pytest.approx(1, abs=1e-5)
            label = one.labels_of(moment.move_lists.form[[opinion.row]])[0]
            assert opinion.rank[label] == 0
            assert opinion.estimate is not None
            assert opinion.estimate.names == ("next", "partner", "previous")
            estimates[variant, row] = opinion.estimate
    for row in range(len(decisions.rows)):
        raw, projected = estimates[",no-projection", row], estimates["", row]
        assert projected.constraints.is_consistent(projected.copies[None], 1e-3).all()
        assert (project_estimate(raw.copies[None], raw.constraints)[0] == projected.copies).all()


def test_twin_without_abln_has_no_estimate(untrained_twin: str) -> None:
    engine = load("guandan").engine()
    moment = engine.decision_point_at(shared_positions(engine, 1))
    opinion = make_explainable_agent(untrained_twin, engine).compute_model_explanation(moment)
    assert opinion is not None
    assert opinion.estimate is None


def test_zhiduoxing_leads_bombs_last() -> None:
    engine = load("big2").engine()
    moment = engine.read_decision_point({"hand": "333345", "to_beat": None, "face": ["6"]})
    keys = np.zeros(1, np.uint64)
    player = make_agent("zhiduoxing", engine)
    assert str(engine.notate_move(0, player.play(moment.decision, keys).cards[0])) == "3334"  # type: ignore[arg-type]
    bomb = engine.read_decision_point({"hand": "3333", "to_beat": "5", "face": ["6"]})
    assert str(engine.notate_move(0, player.play(bomb.decision, keys).cards[0])) == "3333"  # type: ignore[arg-type]


def test_shensuanzi_plays_the_best_move() -> None:
    engine = load("big2").engine()
    moment = engine.read_decision_point({"hand": "3344566789", "face": ["45577TJQKA"], "to_beat": None})
    moves = make_agent("shensuanzi:10,8", engine).play(moment.decision, np.zeros(1, np.uint64))  # type: ignore[arg-type]
    assert str(engine.notate_move(0, moves.cards[0])) == "3344"


@pytest.mark.parametrize("name", ["shensuanzi:1,2,3", "shensuanzi:10,0", "shensuanzi:10,8,seconds=x", "greedy:3"])
def test_errors_of_invalid_numbers_name_the_agent(name: str) -> None:
    with pytest.raises(GameError, match=name.partition(":")[0]) as error:
        make_agent(name, load("big2").engine())
    assert error.value.code == ErrorCode.INVALID_AGENT_OPTION


def test_shensuanzi_requires_open_hands() -> None:
    with pytest.raises(GameError) as error:
        make_agent("shensuanzi", load("guandan").engine())
    assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE
