"""Events between plays: the end of a trick, and errors of rules that move cards or set fluents."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from abl_cards.rulelab.testing.games import step_tables

TRICKS = """
count(tricks,1).
#external tricks(N) : N = 1..60.
adds(tricks,1,won) :- event(trick).
#external event(E) : E = (trick;deal).
"""


def engine_with(folder: Path, text: str) -> Engine:
    shutil.copytree(NEW_GAME, folder)
    (folder / "more.lp").write_text(text, "utf-8")
    engine = load(str(folder)).engine()
    assert isinstance(engine, Engine)
    return engine


def begin(engine: Engine) -> Tables:
    return engine.start_matches(splitmix64_array(np.arange(8).astype(np.uint64), 3))


def test_trick_event_occurs_once_at_the_end_of_a_trick(tmp_path: Path) -> None:
    """It occurs once, after the act that ends the trick: two passes in a row at a table of three."""
    tables = begin(engine_with(tmp_path / "mine", TRICKS))
    passes, tricks = np.zeros(8, np.int64), np.zeros(8, np.int64)
    for _ in range(60):
        playing = tables.rows_to_play()
        before = tables.state.fluents[:, 0].copy()
        acts = tables.state.num_acts.copy()
        step_tables(tables, RandomAgent())
        same = playing[tables.state.num_acts[playing] == acts[playing] + 1]  # no episode ended there
        passed = tables.state.last_form[same] == tables.rules.forms.pass_form
        passes[same] = np.where(passed, passes[same] + 1, 0)
        ended = passes[same] == 2
        assert (tables.state.fluents[same, 0] - before[same] == ended).all()
        passes[same[ended]] = 0
        tricks[same] += ended
        passes[np.setdiff1d(playing, same)] = 0
    assert tricks.sum() > 10


@pytest.mark.parametrize(
    ("output", "event"),
    [("passes(0,1,card(3,c))", "deal"), ("lays_aside(2,card(3,c))", "deal"), ("passes(0,1,card(3,c))", "play")],
)
def test_moving_an_absent_card_is_an_error(tmp_path: Path, output: str, event: str) -> None:
    """Subtracting it would leave 255 cards; the message names the output, and ``kb check`` also finds it at a deal."""
    rules = f"#external event(E) : E = (deal;play).\n{output} :- event({event})."
    with pytest.raises((GameError, KBError)) as raised:
        play_on(tmp_path / "mine", rules)
    assert isinstance(raised.value, GameError | KBError)
    assert raised.value.code == ErrorCode.RULES_STUCK
    assert output in str(raised.value)


@pytest.mark.parametrize("event", ["play", "pass", "trick"])
def test_two_values_of_a_fluent_are_an_error(tmp_path: Path, event: str) -> None:
    """Updates that follow from the form of a play alone are tabulated, and need the check as well."""
    values = "one(mood,1). init(mood(0)). #external mood(V) : V = 0..2. #external event(E) : E = (play;pass;trick).\n"
    rules = f"next(mood(1)) :- event({event}). next(mood(2)) :- event({event})."
    with pytest.raises((GameError, KBError), match=r"mood\(1\) and mood\(2\)") as raised:
        play_on(tmp_path / "mine", values + rules)
    assert isinstance(raised.value, GameError | KBError)
    assert raised.value.code == ErrorCode.RULES_STUCK


@pytest.mark.parametrize(("fluent", "declaration"), [("mood", "any(mood,0)."), ("mood(1)", "one(mood,1).")])
def test_advised_declaration_is_accepted(tmp_path: Path, fluent: str, declaration: str) -> None:
    """A fluent without arguments has no value, and so none of several."""
    events = "#external event(E) : E = (deal;play).\n"
    with pytest.raises(KBError) as raised:
        play_on(tmp_path / "mine", f"{events}next({fluent}) :- event(play).")
    assert raised.value.code == ErrorCode.UNKNOWN_NAME
    assert declaration in raised.value.diagnostics[0].remedy


def test_next_overrides_drop_and_adds_applies_after(tmp_path: Path) -> None:
    """``next`` overrides ``drop`` of the same fluent, and ``adds`` applies after it."""
    fluents = "one(mood,1). init(mood(0)). #external mood(V) : V = 0..2. lasts(mood,match).\n"
    counts = (
        "count(tries,1). #external tries(N) : N = 1..9. lasts(tries,match). #external event(E) : E = (match;deal).\n"
    )
    rules = "drop(mood(0)) :- event(deal). next(mood(2)) :- event(deal). drop(tries(1)) :- event(deal)."
    additions = "next(tries(3)) :- event(deal). adds(tries,2,here) :- event(deal). adds(tries,1,there) :- event(deal)."
    tables = begin(engine_with(tmp_path / "mine", fluents + counts + rules + additions))
    for name, value in (("mood", 2), ("tries", 6)):
        fluent = tables.rules.fluents.find(name)
        assert fluent is not None
        assert (tables.state.fluents[:, [*fluent.slots]] == value).all()


def play_on(folder: Path, text: str) -> None:
    tables = begin(engine_with(folder, text))
    for _ in range(20):
        step_tables(tables, RandomAgent())
