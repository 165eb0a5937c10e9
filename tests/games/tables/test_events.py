"""What happens between plays: at the end of a trick, and where rules move cards that are not there."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.asp.errors import KBError
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core.errors import GameError
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


def test_the_end_of_a_trick_is_an_event(tmp_path: Path) -> None:
    """It comes after the act that ends the trick, once; two passes in a row do, at a table of three."""
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
    "rule",
    [
        "passes(0,1,card(3,c)) :- event(deal).",
        "lays_aside(2,card(3,c)) :- event(deal).",
        "passes(0,1,card(3,c)) :- event(play).",
    ],
)
def test_a_card_that_is_not_there_does_not_move(tmp_path: Path, rule: str) -> None:
    """It would be 255 cards; the message names the rule's output, and kb check finds it where it deals."""
    events = "#external event(E) : E = (deal;play).\n"
    with pytest.raises((GameError, KBError), match=r"(passes\(0,1|lays_aside\(2),card\(3,c\)\), and the card is not"):
        play_on(tmp_path / "mine", events + rule)


@pytest.mark.parametrize("event", ["play", "pass", "trick"])
def test_a_fluent_has_one_value(tmp_path: Path, event: str) -> None:
    """What comes of a play may be known by its form alone, and never was checked then: the later one counted."""
    values = "one(mood,1). init(mood(0)). #external mood(V) : V = 0..2. #external event(E) : E = (play;pass;trick).\n"
    rules = f"next(mood(1)) :- event({event}). next(mood(2)) :- event({event})."
    with pytest.raises((GameError, KBError), match=r"`next/1` gives two values at once: mood\(1\) and mood\(2\)"):
        play_on(tmp_path / "mine", values + rules)


@pytest.mark.parametrize(("fluent", "said"), [("mood", r"any\(mood,0\)"), ("mood(1)", r"one\(mood,1\)")])
def test_what_is_advised_can_be_written(tmp_path: Path, fluent: str, said: str) -> None:
    """A fluent without arguments has no value, and so none of several."""
    events = "#external event(E) : E = (deal;play).\n"
    with pytest.raises((GameError, KBError), match=rf"no such fluent \(declare it: #external .*\. and {said}\.\)"):
        play_on(tmp_path / "mine", f"{events}next({fluent}) :- event(play).")


def test_what_is_set_counts_and_more_comes_on_top(tmp_path: Path) -> None:
    """Whatever is forgotten at the same time."""
    fluents = "one(mood,1). init(mood(0)). #external mood(V) : V = 0..2. lasts(mood,match).\n"
    counts = (
        "count(tries,1). #external tries(N) : N = 1..9. lasts(tries,match). #external event(E) : E = (match;deal).\n"
    )
    rules = "drop(mood(0)) :- event(deal). next(mood(2)) :- event(deal). drop(tries(1)) :- event(deal)."
    more = "next(tries(3)) :- event(deal). adds(tries,2,here) :- event(deal). adds(tries,1,there) :- event(deal)."
    tables = begin(engine_with(tmp_path / "mine", fluents + counts + rules + more))
    for name, value in (("mood", 2), ("tries", 6)):
        fluent = tables.rules.fluents.find(name)
        assert fluent is not None
        assert (tables.state.fluents[:, [*fluent.slots]] == value).all()


def play_on(folder: Path, text: str) -> None:
    tables = begin(engine_with(folder, text))
    for _ in range(20):
        step_tables(tables, RandomAgent())
