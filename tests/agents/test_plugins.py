"""Custom agents of users."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents import agent_fingerprint
from abl_cards.agents.names import AgentName
from abl_cards.agents.registry import check_agent_name, make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from tests.cli_runs import run

FIRST = """class First:
    def __init__(self, engine, option="0"):
        self.option = int(option)
    def play(self, decisions, keys):
        lists = decisions.moves()
        return lists.select(lists.start[:-1])
    def choose(self, choices, keys):
        return choices.options.argmax(axis=1)
"""
BAD = """import numpy as np
from {module} import First

class OnePlay(First):
    def play(self, decisions, keys):
        form, cards = First.play(self, decisions, keys)
        return form[:1], cards[:1]
class Cards(First):
    def play(self, decisions, keys):
        form, cards = First.play(self, decisions, keys)
        return form, (cards + 1) % 50
class Text(First):
    def play(self, decisions, keys):
        return "pass"
class Unheard(First):
    def play(self, decisions, keys):
        form, cards = First.play(self, decisions, keys)
        return form * 0 + 30000, cards
class Fails(First):
    def play(self, decisions, keys):
        return np.zeros(3)[7]
class Chooses(First):
    def choose(self, choices, keys):
        return choices.options.argmax(axis=1) * 0 + 1
class Marks(First):
    def play(self, decisions, keys):
        decisions.legal_mask[:] = 1
        lists = decisions.moves()
        return lists.select(lists.start[1:] - 1)
class Hand(First):
    def play(self, decisions, keys):
        decisions.view.hand[:] = 1
        decisions.legal_mask[:] = 1
        lists = decisions.moves()
        return lists.select(lists.start[1:] - 1)
class Table(First):
    def play(self, decisions, keys):
        decisions.view.state.hands[decisions.rows] = 1
        return First.play(self, decisions, keys)
class Options(First):
    def choose(self, choices, keys):
        choices.options[:] = 1
        return choices.options.argmax(axis=1) * 0 + 1
class Label(First):
    def play(self, decisions, keys):
        return decisions.first_moves(decisions.legal_mask.argmin(axis=0))
class Number(First):
    def play(self, decisions, keys):
        return decisions.first_moves(np.full(len(keys), 10**9))
class Float(First):
    def play(self, decisions, keys):
        return decisions.first_moves(np.full(len(keys), np.nan))
class Leaves(First):
    def play(self, decisions, keys):
        raise SystemExit(0)
class Lines(First):
    def play(self, decisions, keys):
        raise ValueError("one\\ntwo")
class Clears(First):
    def play(self, decisions, keys):
        decisions.view.hand[:] = 0
        return First.play(self, decisions, keys)
class UnknownCard(First):
    def play(self, decisions, keys):
        form, cards = First.play(self, decisions, keys)
        return form, np.where(cards == 255, 300, cards.astype(int))
class NegativeCard(First):
    def play(self, decisions, keys):
        form, cards = First.play(self, decisions, keys)
        return form, np.where(cards == 0, -1, cards.astype(int))
class Lacks:
    def __init__(self, engine): pass
class Silent:
    pass
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("doudizhu").engine(None, "botzone_bidding")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """Return the name of a module in the current folder, one for each test."""
    name = f"own_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(FIRST)
    (tmp_path / f"{name}_bad.py").write_text(BAD.format(module=name))
    monkeypatch.chdir(tmp_path)
    return name


@pytest.mark.parametrize("form", ["{}:First", "{}.py:First", "{}:First,option=3"])
def test_custom_agents_play(engine: Engine, module: str, form: str) -> None:
    name = form.format(module)
    result = play_match(engine, [make_agent(name, engine), make_agent("greedy", engine)], 2, 1, names=[name, "greedy"])
    assert result.games == 2


def test_commands_accept_custom_agents(module: str) -> None:
    answer = run("match", "president", f"{module}:First", "greedy", "--games", "8")
    assert answer.exit_code == 0, answer.stderr
    assert f"{module}:First (A)" in answer.stdout


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("OnePlay", "play must give whole numbers .7., not int16 .1."),
        ("Cards", "is no legal move"),
        ("Text", "play must give Moves"),
        ("Unheard", "play must give numbers from 0 to"),
        ("Fails", r"_bad\.py:21: IndexError"),
        ("Chooses", r"option \d+ is none of"),
        ("Marks", "agent .* is no legal move"),
        ("Hand", "agent .* is no legal move"),
        ("Clears", "agent .* has written into"),
        ("Table", "the table's `hands` has changed"),
        ("Options", r"option \d+ is none of"),
        ("Label", r"_bad\.py:46: ValueError: .* is not legal here \(leads, hand"),
        ("Number", r"_bad\.py:49: ValueError: labels \[7\] are numbers from 0 to"),
        ("Float", r"_bad\.py:52: TypeError: labels are whole numbers, not float64"),
        ("Leaves", r"_bad\.py:55: SystemExit: 0"),
        ("Lines", "ValueError: one two"),
        ("UnknownCard", "the card 300 is no legal move"),
        ("NegativeCard", "the card -1 is no legal move"),
        ("Lacks", "Lacks has no method play"),
        ("Silent", r"TypeError: Silent\(\) takes no arguments"),
        ("Nobody", "has no class Nobody"),
    ],
)
def test_errors_of_custom_agents_name_the_problem(engine: Engine, module: str, word: str, problem: str) -> None:
    """Name the line or the value that is wrong in the error message."""
    with pytest.raises(GameError, match=problem) as error:
        bid_and_play(engine, f"{module}_bad:{word}")
    codes = {"Lacks": ErrorCode.INVALID_AGENT_CLASS, "Nobody": ErrorCode.UNKNOWN_AGENT}
    assert error.value.code == codes.get(word, ErrorCode.AGENT_FAILED)


@pytest.mark.parametrize(
    ("word", "array"),
    [
        ("Marks", "legal_mask"),
        ("Hand", "view.hand"),
        ("Clears", "view.hand"),
        ("Options", "options"),
        ("Cards", None),
        ("Chooses", None),
    ],
)
def test_writing_into_a_shared_array_raises_with_its_name(
    engine: Engine, module: str, word: str, array: str | None
) -> None:
    with pytest.raises(GameError) as error:
        bid_and_play(engine, f"{module}_bad:{word}")
    named = re.findall("written into `(.*?)`", str(error.value))
    assert (error.value.code, named) == (ErrorCode.AGENT_FAILED, [array] if array else [])


@pytest.mark.parametrize("options", ["option", "3", "option=3,option=4", "a=1,option,b"])
@pytest.mark.parametrize("form", ["{}:First,{}", "{}.py:First,{}"])
def test_repeated_and_invalid_options_raise(module: str, form: str, options: str) -> None:
    with pytest.raises(GameError) as error:
        check_agent_name(form.format(module, options))
    assert error.value.code == ErrorCode.INVALID_AGENT_OPTION
    answer = run("match", "president", form.format(module, options), "greedy", "--games", "8")
    assert (answer.exit_code, answer.stdout) == (2, "")


def bid_and_play(engine: Engine, name: str) -> None:
    player, tables = make_agent(name, engine), engine.start_matches(np.arange(60).astype(np.uint64))
    for _ in range(4):
        choosing = tables.rows_to_choose()
        if choosing.size:
            tables.choose(choosing, player.choose(tables.choices(choosing), tables.keys[choosing]))
    playing = tables.rows_to_play()[:7]
    player.play(tables.decisions(playing), tables.keys[playing])


def test_missing_modules_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("nowhere_at_all:P", "a.b.c:P", "x.py:P"):
        with pytest.raises(GameError) as error:
            check_agent_name(name)
        assert error.value.code == ErrorCode.UNKNOWN_AGENT
    (tmp_path / "broken_module.py").write_text("class P:\n  def\n")
    with pytest.raises(GameError, match=r"broken_module\.py:2: SyntaxError"):
        make_agent("broken_module:P", load("president").engine())


def test_fingerprint_depends_on_the_file(engine: Engine, module: str) -> None:
    name = AgentName.parse(f"{module}.py:First")
    before = agent_fingerprint(name, engine)
    path = Path(f"{module}.py")
    path.write_text(FIRST + "\n")
    assert agent_fingerprint(name, engine) != before
