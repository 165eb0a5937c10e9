"""Custom agents: objects, or classes in a module of the user, ``match guandan mymodule:Player kb``.

Each decision is checked: an illegal move raises an error that names the state.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, RandomKeys, find_compiled_game, needs_history
from abl_cards.agents.names import AgentName
from abl_cards.core import PYTHON_SUFFIX, ErrorCode, GameError, add_cwd_to_path, call_user_code, import_file
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, TableError
from abl_cards.games.tables import Choices, Decisions, PlayerView
from abl_cards.games.types import NO_CARD, Moves

T = TypeVar("T")
Given = TypeVar("Given", Decisions, Choices)


def is_plugin(name: AgentName) -> bool:
    """Return whether a name has the form of a custom class: ``module:Class``, ``file.py:Class,key=value``."""
    parts = name.kind.removesuffix(PYTHON_SUFFIX).replace("\\", "/").split("/")
    return _class_name(name) is not None and all(part.isidentifier() for part in parts[-1].split("."))


def check_plugin_options(name: AgentName) -> None:
    """Check the options of a custom class.

    Args:
        name: Name of any agent; a name whose module or file does not exist is accepted.

    Raises:
        GameError: An option has no value, or two.
    """
    words = [*map(str, name.numbers), *(key for key, value in name.options if not value)]
    if len(words) < 2:
        for key, _ in name.options:
            name.value(key)
        return
    try:
        find_plugin_source(name)
    except (GameError, ValueError, ImportError):  # the last two: no name of a module, or its package fails
        return
    problem = f"agent '{name}': an option of a class of yours has no value; write {name.kind}:Class,key=value"
    raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)


def find_plugin_source(name: AgentName) -> Path:
    """Find the Python file that defines an agent.

    Args:
        name: ``module:Class`` or ``file.py:Class``, with options.

    Returns:
        Path of the module or file.

    Raises:
        GameError: There is no such file, or no such module on Python's path.
    """
    if name.kind.endswith(PYTHON_SUFFIX):
        path = Path(name.kind)
        if not path.is_file():
            raise GameError(f"agent '{name}': there is no file {path}", ErrorCode.UNKNOWN_AGENT)
        return path.resolve()
    add_cwd_to_path()
    try:
        spec = importlib.util.find_spec(name.kind)
    except ModuleNotFoundError:  # the package of a dotted name
        spec = None
    if spec is None or spec.origin is None:
        problem = f"unknown agent '{name.kind}': no agent of ours, and no module here or on Python's path"
        raise GameError(problem, ErrorCode.UNKNOWN_AGENT)
    return Path(spec.origin)


def make_plugin_agent(name: AgentName, engine: Engine) -> Agent:
    """Import a class and make an agent of it, with the engine and the options as strings; raises GameError."""
    check_plugin_options(name)
    path, class_name = find_plugin_source(name), _class_name(name)
    assert class_name
    options = {key: value for key, value in name.options if value}
    module = _call_plugin(str(name), path, lambda: _load_module(name, path))
    plugin_class = getattr(module, class_name, None)
    if not callable(plugin_class):
        raise GameError(f"agent '{name}': {path} has no class {class_name}", ErrorCode.UNKNOWN_AGENT)
    agent = _call_plugin(str(name), path, lambda: plugin_class(engine, **options))
    _check_methods(str(name), agent)
    return PluginAgent(str(name), path, agent)


def make_plugin_object(text: str, argument: object) -> Any:
    """Import a custom class, or a function, and call it.

    Args:
        text: ``FILE.py:CLASS`` or ``module:CLASS``.
        argument: Argument of the call; omitted if the class takes none.

    Returns:
        Result of the call.

    Raises:
        GameError: The text has another form, there is no such file or class, or the call fails.
    """
    name = AgentName.parse(text)
    class_name = _class_name(name)
    if class_name is None or not is_plugin(name):
        raise GameError(f"'{text}' names no class: write FILE.py:CLASS", ErrorCode.INVALID_AGENT_OPTION)
    path = find_plugin_source(name)
    module = _call_plugin(text, path, lambda: _load_module(name, path))
    plugin_class = getattr(module, class_name, None)
    if not callable(plugin_class):
        raise GameError(f"'{text}': {path} has no class {class_name}", ErrorCode.INVALID_AGENT_OPTION)
    arguments = (argument,) if _takes_argument(plugin_class) else ()
    return _call_plugin(text, path, lambda: plugin_class(*arguments))


def _takes_argument(function: Callable[..., Any]) -> bool:
    """Return whether a function takes a positional argument."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(parameter.kind in kinds for parameter in inspect.signature(function).parameters.values())


def find_plugin_file(text: str) -> Path:
    """Find the file of a custom class.

    Args:
        text: ``FILE.py:CLASS`` or ``module:CLASS``.

    Raises:
        GameError: There is no such file or module.
    """
    return find_plugin_source(AgentName.parse(text))


def check_own_agent(agent: Agent, name: str, engine: Engine) -> Agent:
    """Check that an agent can play a game, and wrap an agent from outside this package to check its decisions.

    Args:
        agent: Any object with the methods ``play`` and ``choose``.
        name: Name of the agent in error messages.
        engine: Compiled game to play.

    Returns:
        The agent itself where its class belongs to this package. Any other is wrapped: an exception, an illegal
        move or a change of the table raises GameError.

    Raises:
        GameError: The object has no method ``play`` or ``choose``, is a class instead of an object, or was made for
            other rules.
    """
    _check_methods(name, agent)
    _check_rules(name, agent, engine)
    if type(agent).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return agent
    return PluginAgent(name, _source_file(type(agent)), agent)


class PluginAgent:
    """Wrapper of a custom agent: checks each decision before it reaches the table."""

    def __init__(self, name: str, path: Path | None, agent: Any) -> None:
        """Wrap an agent.

        Args:
            name: Name of the agent in error messages.
            path: File of its class, to name the line that fails; None where there is none.
            agent: Object with the methods ``play`` and ``choose``.
        """
        self._name, self._path, self._agent = name, path, agent

    @property
    def needs_history(self) -> int:
        """Return how many acts tables must keep for this agent, with the decisions before them."""
        return needs_history(self._agent)

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the moves of the agent; raises GameError if one is not legal or the table was changed."""
        copied, answer = self._call(self._agent.play, decisions, keys)
        moves = self._check_moves(answer, decisions)
        lists = decisions.moves(decisions.labels_of(moves.form))
        rows = lists.find(moves)
        for row in np.flatnonzero(rows < 0)[:1]:
            form = decisions.rules.forms.forms[moves.form[row]].name
            cards = decisions.rules.card_codes.to_text([card for card in moves.cards[row] if card != NO_CARD])
            cause = _describe_writes(decisions, copied)
            text = f"{decisions.state_text(row)}: {form} with {cards or 'no cards'} is no legal move{cause}"
            raise self._make_error(text)
        return lists.select(rows)

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the options of the agent; raises GameError if one is not legal or the table was changed."""
        copied, answer = self._call(self._agent.choose, choices, keys)
        options = self._check_numbers(answer, len(choices.options), choices.options.shape[1], "choose")
        for row in np.flatnonzero(choices.options[np.arange(len(options)), options] == 0)[:1]:
            cause = _describe_writes(choices, copied)
            is_open = np.flatnonzero(choices.options[row]).tolist()
            raise self._make_error(f"option {options[row]} is none of {is_open}{cause}")
        return options.astype(np.uint8)

    def _call(self, method: Callable[[Given, RandomKeys], Any], given: Given, keys: RandomKeys) -> tuple[Given, Any]:
        """Call a method with a copy, so that it cannot change the checked data; return the copy and the answer."""
        with self._check_unmodified(given.view):
            copied = given.select(np.arange(len(given.rows)))
            try:
                return copied, _call_plugin(self._name, self._path, lambda: method(copied, keys.copy()))
            except TableError as error:
                if cause := _describe_writes(given, copied):
                    raise self._make_error(f"{error}{cause}") from None
                raise

    @contextmanager
    def _check_unmodified(self, view: PlayerView) -> Iterator[None]:
        """Raise GameError where the state of these tables has changed at the end of the block."""
        rows = view.rows.copy()
        before = [np.asarray(field)[rows] for field in view.state]
        yield
        for name, field, values in zip(view.state._fields, view.state, before, strict=True):
            if not np.array_equal(np.asarray(field)[rows], values):
                raise self._make_error(f"the table's `{name}` has changed: agents may read it, not write to it")

    def _check_moves(self, answer: Any, decisions: Decisions) -> Moves:
        """Convert an answer to forms int16 [n] and cards uint8 [n, most]; raises GameError."""
        n, forms = len(decisions.rows), decisions.rules.forms
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise self._make_error(
                f"play must give Moves, as decisions.moves().select(…) does, not {type(answer).__name__}"
            )
        form = self._check_numbers(answer[0], n, len(forms), "play")
        cards = np.asarray(answer[1])
        if cards.ndim != 2 or len(cards) != n or cards.shape[1] > forms.max_cards or cards.dtype.kind not in "iu":
            expected = f"whole numbers [{n}, up to {forms.max_cards}]"
            raise self._make_error(f"play must give cards as {expected}, not {cards.dtype} {list(cards.shape)}")
        kinds = len(decisions.rules.pack)
        if wrong := sorted(set(cards[(cards != NO_CARD) & ((cards < 0) | (cards >= kinds))].tolist())):
            numbers = f"give numbers from 0 to {kinds - 1}, and NO_CARD ({NO_CARD}) after the last"
            text = f"a play with the card {wrong[0]} is no legal move: there is no such card; {numbers}"
            raise self._make_error(text)
        return Moves(form.astype(np.int16), cards.astype(np.uint8))

    def _check_numbers(self, answer: Any, n: int, end: int, method: str) -> NDArray[np.int64]:
        """Convert an answer to int64 [n] from 0 to end - 1; raises GameError."""
        numbers = np.asarray(answer)
        if numbers.shape != (n,) or numbers.dtype.kind not in "iu":
            expected = f"whole numbers [{n}]"
            raise self._make_error(f"{method} must give {expected}, not {numbers.dtype} {list(numbers.shape)}")
        if n and not 0 <= numbers.min() <= numbers.max() < end:
            raise self._make_error(f"{method} must give numbers from 0 to {end - 1}")
        return numbers.astype(np.int64)

    def _make_error(self, text: str) -> GameError:
        return GameError(f"agent '{self._name}': {text}", ErrorCode.AGENT_FAILED)


def _describe_writes(decisions: Decisions | Choices, copied: Decisions | Choices) -> str:
    """Name the array of the copy for an agent that the agent has written into, as the cause of an illegal decision."""
    mask = "options" if isinstance(decisions, Choices) else "legal_mask"
    for name in ("view.hand", "view.to_beat", "view.context", "view.seats", mask):
        before, after = (attrgetter(name)(either) for either in (decisions, copied))
        if not np.array_equal(before, after):
            return f"; the agent has written into `{name}`, which it may only read: copy it first"
    return ""


def _check_methods(name: str, agent: Any) -> None:
    """Raise GameError for an object without the methods of an agent, or for a class."""
    for method in ("play", "choose"):
        if isinstance(agent, type) or not callable(getattr(agent, method, None)):
            what = f"the class {agent.__name__}" if isinstance(agent, type) else type(agent).__name__
            remedy = "pass an object of it" if isinstance(agent, type) else "see docs/how-to/write-an-agent.md"
            lack = "is a class, not an agent" if isinstance(agent, type) else f"has no method {method}"
            raise GameError(f"agent '{name}': {what} {lack}; {remedy}", ErrorCode.INVALID_AGENT_CLASS)


def _check_rules(name: str, agent: Agent, engine: Engine) -> None:
    """Raise GameError for an agent that was made for other rules: its labels and inputs have other meanings."""
    rules = find_compiled_game(agent)
    if rules is None or rules is engine.rules or _identify_play(rules) == _identify_play(engine.rules):
        return
    made_for, game = (
        f"{played.folder.name}{f' (profile {played.profile})' if played.profile else ''}"
        for played in (rules, engine.rules)
    )
    remedy = "make it with the game or the compiled game that is played: abl.agent(game, name)"
    problem = f"agent '{name}' was made for {made_for}, and does not play {game}; {remedy}"
    raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)


def _identify_play(rules: CompiledGame) -> tuple[object, ...]:
    """Return what agents read of rules, the same for a folder that differs in preferences alone."""
    return rules.label_texts, rules.pack.kinds, rules.fluents.fluents, rules.play_query.circuit.digest


def _source_file(agent_class: type) -> Path | None:
    """Return the file that defines a class; None for a class defined at a prompt."""
    try:
        file = inspect.getsourcefile(agent_class)
    except TypeError:
        return None
    return Path(file).resolve() if file else None


def _class_name(name: AgentName) -> str | None:
    """Return the only flag among the options; None where there is not exactly one."""
    flags = [key for key, value in name.options if not value]
    return flags[0] if len(flags) == 1 and flags[0].isidentifier() and not name.numbers else None


def _load_module(name: AgentName, path: Path) -> ModuleType:
    if not name.kind.endswith(PYTHON_SUFFIX):
        return importlib.import_module(name.kind)
    return import_file(path)


def _call_plugin(name: str, path: Path | None, call: Callable[[], T]) -> T:
    """Call code of one's own; raises GameError with file and line where it fails."""
    return call_user_code(f"agent '{name}'", path, call, ErrorCode.AGENT_FAILED)
