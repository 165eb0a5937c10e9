"""Matches that the rules never end are stopped, and the errors name the predicates and files."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import GreedyAgent, RandomAgent
from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.compiled import stall_detection as bounds
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.compiled.stall_detection import MAX_EPISODES
from abl_cards.games.description.folder import Folder
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables import dealing, turns
from abl_cards.games.tables.tables import Tables
from abl_cards.games.validation import compile_rules
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.server.server import ServeConfig, serve
from abl_cards.training.joint_loop import SelfPlay
from tests.edited import edited
from tests.effort import long
from tests.games.random_play import match_keys, step
from tests.learners.tiny import TINY

SMALL = Path(__file__).parents[1] / "vocabulary"


def edited_folder(folder: Path, name: str, old: str, new: str) -> Path:
    """Copy a small folder with another text in its rules."""
    copytree(SMALL / name, folder)
    text = (folder / "game.lp").read_text("utf-8")
    assert text.count(old) == 1
    (folder / "game.lp").write_text(text.replace(old, new), "utf-8")
    return folder


@pytest.fixture(scope="module")
def open_tricks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Let seats that have passed decide again, so no trick is ever over."""
    able = "able(S) :- seat(S), not out(S), not has_passed(S), not owner(S)."
    return edited_folder(tmp_path_factory.mktemp("open") / "kb", "course", able, "able(S) :- seat(S), not out(S).")


@pytest.fixture
def low_idle_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop play without progress after a hundred decisions."""
    for module in (bounds, dealing, turns):
        monkeypatch.setattr(module, "MAX_IDLE_DECISIONS", 100)


@pytest.mark.usefixtures("low_idle_bound")
def test_endless_trick_raises(open_tricks: Path) -> None:
    """The message names the seed, the game, the predicates and the file."""
    engine, player = load(str(open_tricks)).engine(), RandomAgent()
    with pytest.raises(GameError) as stopped:
        play_match(engine, (player, player), 2, 5, names=("a", "b"))
    assert stopped.value.code == ErrorCode.RULES_STUCK
    text = str(stopped.value)
    assert text.startswith("seed 5, game ")
    assert "100 decisions" in text
    assert "`turn/1`" in text
    assert text.endswith("game.lp")


@pytest.mark.usefixtures("low_idle_bound")
def test_endless_stage_is_named_in_the_error(tmp_path: Path) -> None:
    folder = tmp_path / "bids"
    copytree(NEW_GAME, folder)
    (folder / "bids.lp").write_text(
        "#external event(E) : E = choice. #external chosen(O) : option(O). #external done. any(done,0).\n"
        "asks(bid,0) :- not done. option(bid(1..3)). next(done) :- event(choice), chosen(bid(3)).\n"
    )
    engine = load(str(folder)).engine()
    with pytest.raises(GameError, match=r" 100 choices .* stage bid .*`asks/2`.*bids\.lp") as stopped:
        play_match(engine, (GreedyAgent(engine.label_traits), RandomAgent()), 2, 0, names=("a", "b"))
    assert stopped.value.code == ErrorCode.RULES_STUCK


@pytest.mark.usefixtures("low_idle_bound")
def test_endless_trick_raises_in_the_environment(open_tricks: Path) -> None:
    from abl_cards.env.aec import aec_env

    table = aec_env(str(open_tricks), seed=6)
    table.reset()

    def play_on() -> None:
        for seat in table.agent_iter():
            table.step(table.action_space(seat).sample(table.last()[0]["action_mask"]))

    with pytest.raises(GameError, match=r"^seed 6, match 0: ") as stopped:
        play_on()
    assert stopped.value.code == ErrorCode.RULES_STUCK


@pytest.mark.usefixtures("low_idle_bound")
def test_endless_trick_raises_at_served_tables(open_tricks: Path) -> None:
    engine = load(str(open_tricks)).engine()
    agents = dict.fromkeys(range(3), "random")
    with pytest.raises(GameError, match="seed 8, game 0, table 0: ") as stopped:
        asyncio.run(serve(ServeConfig(str(open_tricks), engine, agents, seed=8, port=0, start_delay=0.0)))
    assert stopped.value.code == ErrorCode.RULES_STUCK


@long
def test_endless_trick_raises_in_self_play(tmp_path: Path) -> None:
    """No seat can follow by these rules."""
    kb = edited(tmp_path / "kb", {"rules.lp": ("beats(pass) :- not leading.", "")})
    engine = load("guandan").engine(kb)
    policy = NeuroSymbolicPolicy(engine, engine.preference_model(), Networks(TINY, GameShape.of(engine)))
    play = SelfPlay(engine, policy, [], np.zeros((4, 2), np.int8), TINY.ppo, seed=9, first_table=20)

    def play_on() -> None:
        while True:
            play.step()

    with pytest.raises(GameError, match=r"self-play, seed 9, table 2\d: ") as stopped:
        play_on()
    assert stopped.value.code == ErrorCode.RULES_STUCK


def test_match_without_a_winner_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_EPISODES", 3)
    folder = edited_folder(
        tmp_path / "kb", "fluents", "match_over :- level(_,4).", "match_over :- level(0,4), level(0,1)."
    )
    engine, player = load(str(folder)).engine(), RandomAgent()
    with pytest.raises(GameError, match=r"seed 7, game \d .*: 3 episodes .*; game.lp") as stopped:
        play_match(engine, (player, player), 2, 7, names=("a", "b"))
    assert stopped.value.code == ErrorCode.RULES_STUCK


@pytest.mark.usefixtures("low_idle_bound")
def test_endless_auction_is_rejected(tmp_path: Path) -> None:
    """No seat may take the cards, and the rules redeal for ever."""
    options = "option(take) :- stage(bid). option(no) :- stage(bid)."
    kb = edited_folder(
        tmp_path / "kb", "kitty", options, "option(take) :- stage(bid), refused(3). option(no) :- stage(bid)."
    )
    with pytest.raises(KBError, match=r" 100 .* `deal_again/0`; game.lp"):
        load(str(kb)).engine()
    tables = Tables.begin(compile_rules(Folder(kb)), match_keys(2, 1))

    def bid_on() -> None:
        while step(tables):
            pass

    with pytest.raises(GameError, match=r" 100 .* `deal_again/0`; game.lp") as stopped:
        bid_on()
    assert stopped.value.code == ErrorCode.RULES_STUCK


def test_endless_redeals_are_rejected(tmp_path: Path) -> None:
    """No seat decides in between, so no decisions are counted."""
    kb = edited_folder(tmp_path / "kb", "kitty", "deal_again :- refused(3).", "deal_again :- not refused(3).")
    with pytest.raises(KBError, match=r"1,000 .* `deal_again/0`; game.lp"):
        load(str(kb)).engine()


@long
def test_longest_matches_are_far_from_the_bounds() -> None:
    """Matches of random agents, with the profile where a first place that does not win leads back to level 2."""
    tables = load("guandan").engine(profile="platform").start_matches(match_keys(24, 9))
    idle, longest = tables.arrays()["state.idle_decisions"], 0
    while step(tables):
        longest = max(longest, int(idle.max()))
    assert tables.num_episodes.max() < MAX_EPISODES / 10
    assert longest == 4  # two cards are paid, and two returned


def test_plays_reset_the_idle_count() -> None:
    """The count restarts with every play, and with every episode."""
    for name in ("guandan", "doudizhu", "big2"):
        engine: Engine = load(name).engine()
        tables = engine.start_matches(match_keys(3, 2))
        (idle,) = (array for name, array in tables.arrays().items() if name.rpartition(".")[2] == "idle_decisions")
        for _ in range(60):
            held = tables.open_hands(tables.rows_to_play()).sum()
            playing, before = tables.rows_to_play(), idle.copy()
            step(tables)
            laid = tables.open_hands(playing).sum() < held
            assert laid == bool((idle[playing] == 0).any())
            assert ((idle[playing] == 0) | (idle[playing] == before[playing] + 1)).all()
        assert np.max(idle) <= 3


@pytest.mark.parametrize("name", ["guandan", "doudizhu", "president"])
def test_own_play_to_beat_is_not_attributed_to_another_seat(name: str) -> None:
    """Rules that never end a trick lead there; the relative index of the own seat is outside of the table."""
    engine = load(name).engine()
    decisions = sample_from_play(engine, 40, 1)
    tables: Any = Tables.determinize(decisions, np.arange(40), decisions.information_set().max_copies)
    state = tables.state
    following = np.flatnonzero(state.to_beat >= 0)
    state.owner[following] = state.seat[following]
    seen = tables.view(following) if hasattr(tables, "view") else tables.situation(following)
    assert following.size
    assert (seen.top_other == -1).all()


def test_copied_table_errors_keep_their_code() -> None:
    """Workers send such errors to other processes."""
    error = copy.copy(TableError(3, "too long", ErrorCode.TOO_MANY_MOVES))
    assert (error.table, str(error), error.code) == (3, "too long", ErrorCode.TOO_MANY_MOVES)
    assert TableError(0, "").code == ErrorCode.RULES_STUCK


def test_rules_are_not_read_again_while_hands_are_small_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hands are checked at every draw, and the files that a message names would be parsed each time."""
    kb, rows = load("president").engine().rules.kb, np.arange(3)
    asked: list[tuple[str, ...]] = []

    def record_hint(kb: Any, *names: str) -> str:
        asked.append(names)
        return "; some.lp"

    monkeypatch.setattr(bounds, "source_hint", record_hint)
    bounds.check_hand_limit(kb, 20, rows, np.array([3, 20, 0]))
    assert not asked
    with pytest.raises(TableError, match="21 cards") as caught:
        bounds.check_hand_limit(kb, 20, rows, np.array([3, 20, 21]))
    assert caught.value.table == 2
    assert len(asked) == 1
