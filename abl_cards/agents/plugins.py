"""Agents of one's own: a class in a module of the user's, ``match guandan mymodule:Player kb``.

What it decides is checked: a move that is none of the legal ones ends the command with the state in which it was made.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Decisions, PlayerView
from abl_cards.games.types import NO_CARD, Moves

T = TypeVar("T")

_PYTHON_SUFFIX = ".py"


def is_plugin(name: AgentName) -> bool:
    """Whether a name may be that of a class in a module: ``module:Class``, ``folder/file.py:Class,key=value``."""
    parts = name.kind.removesuffix(_PYTHON_SUFFIX).replace("\\", "/").split("/")
    return _class_name(name) is not None and all(part.isidentifier() for part in parts[-1].split("."))


def find_plugin_source(name: AgentName) -> Path:
    """The file of its module; raises GameError."""
    if name.kind.endswith(_PYTHON_SUFFIX):
        path = Path(name.kind)
        if not path.is_file():
            raise GameError(f"agent '{name}': there is no file {path}")
        return path.resolve()
    _add_cwd_to_path()
    try:
        found = importlib.util.find_spec(name.kind)
    except ModuleNotFoundError:  # the package of a dotted name
        found = None
    if found is None or found.origin is None:
        raise GameError(f"unknown agent '{name.kind}': no agent of ours, and no module here or on Python's path")
    return Path(found.origin)


def make_plugin_agent(name: AgentName, engine: Engine) -> Agent:
    """An object of the class, made with the engine and the options as words; raises GameError."""
    path, word = find_plugin_source(name), _class_name(name)
    assert word
    options = {key: value for key, value in name.options if value}
    module = _call_plugin(name, path, lambda: _load_module(name, path))
    made = getattr(module, word, None)
    if not callable(made):
        raise GameError(f"agent '{name}': {path} has no class {word}")
    player = _call_plugin(name, path, lambda: made(engine, **options))
    for method in ("play", "choose"):
        if not callable(getattr(player, method, None)):
            raise GameError(f"agent '{name}': {word} has no method {method}; see docs/how-to/write-an-agent.md")
    return PluginAgent(name, path, player)


class PluginAgent:
    """Somebody else's agent, whose answers are looked at."""

    def __init__(self, name: AgentName, path: Path, agent: Any) -> None:
        """Ask this player, whose class stands in that file."""
        self._name, self._path, self._agent = name, path, agent

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """What it plays; raises GameError where that is no legal move, and where it writes on the table."""
        with self._check_unmodified(decisions.view):
            told = decisions.select(np.arange(len(decisions.rows)))  # arrays of its own: ours are what it is judged by
            said = _call_plugin(self._name, self._path, lambda: self._agent.play(told, keys.copy()))
        moves = self._check_moves(said, decisions)
        lists = decisions.moves(decisions.labels_of(moves.form))
        rows = lists.find(moves)
        for row in np.flatnonzero(rows < 0)[:1]:
            form = decisions.rules.forms.forms[moves.form[row]].name
            held = decisions.rules.card_codes.to_text(
                [card for card in moves.cards[row] if card < len(decisions.rules.pack)]
            )
            raise self._make_error(f"{decisions.state_text(row)}: {form} with {held or 'no cards'} is no legal move")
        return lists.select(rows)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """What it chooses; raises GameError where that is no option, and where it writes on the table."""
        with self._check_unmodified(choices.view):
            told = choices.select(np.arange(len(choices.rows)))
            said = _call_plugin(self._name, self._path, lambda: self._agent.choose(told, keys.copy()))
        options = self._check_numbers(said, len(choices.options), choices.options.shape[1], "choose")
        for row in np.flatnonzero(choices.options[np.arange(len(options)), options] == 0)[:1]:
            raise self._make_error(f"option {options[row]} is none of {np.flatnonzero(choices.options[row]).tolist()}")
        return options.astype(np.uint8)

    @contextmanager
    def _check_unmodified(self, view: PlayerView) -> Iterator[None]:
        """Raise GameError where the state of these tables is another one afterwards."""
        which = view.rows.copy()
        before = [np.asarray(field)[which] for field in view.state]
        yield
        for name, field, kept in zip(view.state._fields, view.state, before, strict=True):
            if not np.array_equal(np.asarray(field)[which], kept):
                raise self._make_error(f"the table's `{name}` has changed: it is to be looked at, not written to")

    def _check_moves(self, said: Any, decisions: Decisions) -> Moves:
        """Forms [n] and cards [n, most] as there are some."""
        n, forms = len(decisions.rows), decisions.rules.forms
        if not (isinstance(said, tuple) and len(said) == 2):
            raise self._make_error(
                f"play must give Moves, as decisions.moves().rows(…) does, not {type(said).__name__}"
            )
        form = self._check_numbers(said[0], n, len(forms), "play")
        cards = np.asarray(said[1])
        if cards.ndim != 2 or len(cards) != n or cards.shape[1] > forms.max_cards or cards.dtype.kind not in "iu":
            wanted = f"whole numbers [{n}, up to {forms.max_cards}]"
            raise self._make_error(f"play must give cards as {wanted}, not {cards.dtype} {list(cards.shape)}")
        return Moves(form.astype(np.int16), np.clip(cards, 0, NO_CARD).astype(np.uint8))

    def _check_numbers(self, said: Any, n: int, end: int, method: str) -> NDArray[np.int64]:
        numbers = np.asarray(said)
        if numbers.shape != (n,) or numbers.dtype.kind not in "iu":
            wanted = f"whole numbers [{n}]"
            raise self._make_error(f"{method} must give {wanted}, not {numbers.dtype} {list(numbers.shape)}")
        if n and not 0 <= numbers.min() <= numbers.max() < end:
            raise self._make_error(f"{method} must give numbers from 0 to {end - 1}")
        return numbers.astype(np.int64)

    def _make_error(self, text: str) -> GameError:
        return GameError(f"agent '{self._name}': {text}")


def _class_name(name: AgentName) -> str | None:
    """The one word among the options."""
    words = [key for key, value in name.options if not value]
    return words[0] if len(words) == 1 and words[0].isidentifier() and not name.numbers else None


def _add_cwd_to_path() -> None:
    """Modules beside the user are found, after all others: theirs replace none of ours."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def _load_module(name: AgentName, path: Path) -> ModuleType:
    if not name.kind.endswith(_PYTHON_SUFFIX):
        return importlib.import_module(name.kind)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call_plugin(name: AgentName, path: Path, call: Callable[[], T]) -> T:
    """What a call gives; raises GameError with the place in the user's file where it fails."""
    try:
        return call()
    except GameError:
        raise
    except (Exception, SystemExit) as problem:  # who leaves in the middle of a match has not ended it
        frames = traceback.extract_tb(problem.__traceback__)
        mine = [frame for frame in frames if Path(frame.filename).resolve() == path]
        place = f"{path}:{mine[-1].lineno}" if mine else str(path)
        if isinstance(problem, SyntaxError) and problem.lineno:
            place = f"{problem.filename}:{problem.lineno}"
        text = " ".join(str(problem).split())
        raise GameError(f"agent '{name}': {place}: {type(problem).__name__}: {text}") from problem
