"""Somebody else's program at the table: asked on stdin, heard on stdout, and held to the rules and to its time."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, ForfeitError, RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Decisions, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.protocols.botzone import BotProcess, BotzoneGame, Fault
from abl_cards.protocols.common import ProgramSession, WriteLog

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

T = TypeVar("T")

DEFAULT_TIMEOUT = 6.0
"""For a decision: Botzone gives about one, to a program that is started faster than Python."""
KEEP_RUNNING = "keep-running"


class SubprocessAgent(NullListener):
    """Asks a program; it follows one table, so a match gives it one game at a time. Each of its seats has a process."""

    def __init__(self, start_process: Callable[[], BotProcess]) -> None:
        """Ask this program; it plays where it is told what happens, see ``attach_shared_script``."""
        self._start_process = start_process
        self._processes: dict[int, BotProcess] = {}
        self._script: ProgramSession | None = None

    def attach_script(self, script: ProgramSession) -> None:
        """Ask in the words of a script, which hears what happens at the table."""
        self._script = script

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """The program's move, a whole one; raises ForfeitError."""
        script = self._require_script()
        return self._request(lambda answer: script.read_play(decisions, answer))

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """The program's choice; raises ForfeitError."""
        script = self._require_script()
        option = self._convert_faults(lambda: script.next_option(choices))
        if option is None:
            option = self._request(lambda answer: script.read_choice(choices, answer))
        return np.array([option], np.uint8)

    def _require_script(self) -> ProgramSession:
        if self._script is None:
            raise GameError(f"program '{self._start_process().name}' plays in matches only")
        return self._script

    def _request(self, read: Callable[[Any], T]) -> T:
        """What is read in the program's answer; raises ForfeitError."""
        script = self._require_script()
        process = self._processes.setdefault(script.seat, self._start_process())
        while (message := script.auto_answered_message()) is not None:
            self._exchange(process, message, script.check_empty_answer)
        return self._exchange(process, script.message(), read)

    def _exchange(self, process: BotProcess, message: dict[str, Any], read: Callable[[Any], T]) -> T:
        heard: list[Any] = []

        def answered() -> T:
            heard.append(process.request(message))
            return read(heard[0])

        return self._convert_faults(answered, heard)

    def _convert_faults(self, act: Callable[[], T], heard: Sequence[Any] = ()) -> T:
        """What comes of it; raises ForfeitError where that is a fault."""
        script = self._require_script()
        try:
            return act()
        except Fault as fault:
            response = heard[0].get("response") if heard and isinstance(heard[0], dict) else None
            points = script.forfeit(fault, response)
            raise ForfeitError(script.seat, fault.kind, str(fault), points) from None

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """A program that was kept running is ended."""
        for process in self._processes.values():
            process.close()


def make_subprocess_agent(name: AgentName, engine: Engine) -> SubprocessAgent:
    """``program:run=COMMAND``; raises GameError."""
    command = name.value("run")
    if not command:
        raise GameError(f"agent '{name}': write program:run=COMMAND, such as program:run=python3 bot.py")
    if BotzoneGame.from_engine(engine) is None:
        raise GameError("there is no protocol for programs of this game")
    words, seconds, kept = shlex.split(command), _read_timeout(name), name.has_flag(KEEP_RUNNING)
    return SubprocessAgent(lambda: BotProcess(words, seconds, kept))


def _read_timeout(name: AgentName) -> float:
    text = name.value("seconds")
    try:
        found = DEFAULT_TIMEOUT if text is None else float(text)
    except ValueError:
        found = -1.0
    if not 0 < found <= 1e6:
        raise GameError(f"agent '{name}': seconds={text} is no time for a decision")
    return found


def attach_shared_script(
    engine: Engine, agents: Sequence[Agent], write_log: WriteLog | None = None
) -> ProgramSession | None:
    """What the programs among some agents are asked by, all at one table; None where there is none and nobody writes.

    ``write_log`` is given the log of every round. Raises GameError where the platform does not know the game.
    """
    programs = [agent for agent in agents if isinstance(agent, SubprocessAgent)]
    if not programs and write_log is None:
        return None
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        raise GameError("there is no protocol for programs of this game, and no log of it")
    script: ProgramSession = platform.start_session(write_log)
    for program in programs:
        program.attach_script(script)
    return script
