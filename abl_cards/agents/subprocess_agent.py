"""Agent ``program``: a program in another process, by JSON on stdin and stdout, with a time limit."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import Agent, ForfeitError, RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Decisions, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.protocols.botzone import BotProcess, BotzoneGame, Fault
from abl_cards.protocols.common import ProgramSession, WriteLog

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

T = TypeVar("T")

DEFAULT_TIMEOUT = 6.0
"""Seconds for a decision; Botzone allows about one, for programs that start faster than Python."""
KEEP_RUNNING = "keep-running"


class SubprocessAgent(NullListener):
    """Agent ``program``: follows one table at a time, with one process for each of its seats."""

    def __init__(self, start_process: Callable[[], BotProcess]) -> None:
        """Make an agent; call ``attach_shared_script`` before it plays."""
        self._start_process = start_process
        self._processes: dict[int, BotProcess] = {}
        self._script: ProgramSession | None = None

    def attach_script(self, script: ProgramSession) -> None:
        """Use a session, which follows the table and writes the messages."""
        self._script = script

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the move of the program; raises ForfeitError."""
        script = self._require_script()
        return self._request(lambda answer: script.read_play(decisions, answer))

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the option that the program chooses; raises ForfeitError."""
        script = self._require_script()
        option = self._convert_faults(lambda: script.next_option(choices))
        if option is None:
            option = self._request(lambda answer: script.read_choice(choices, answer))
        return np.array([option], np.uint8)

    def _require_script(self) -> ProgramSession:
        if self._script is None:
            problem = f"program '{self._start_process().name}' plays in matches only"
            raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
        return self._script

    def _request(self, read: Callable[[Any], T]) -> T:
        """Request an answer and read it; raises ForfeitError."""
        script = self._require_script()
        while (message := script.auto_answered_message()) is not None:
            self._exchange(message, script.check_empty_answer)
        return self._exchange(script.message(), read)

    def _exchange(self, message: dict[str, Any], read: Callable[[Any], T]) -> T:
        seat, answers = self._require_script().seat, list[Any]()  # the seat of the message, which was made before
        process = self._processes.setdefault(seat, self._start_process())

        def request() -> T:
            answers.append(process.request(message))
            return read(answers[0])

        return self._convert_faults(request, answers)

    def _convert_faults(self, call: Callable[[], T], answers: Sequence[Any] = ()) -> T:
        """Call a function, and convert a fault to ForfeitError."""
        script = self._require_script()
        try:
            return call()
        except Fault as fault:
            response = answers[0].get("response") if answers and isinstance(answers[0], dict) else None
            points = script.forfeit(fault, response)
            raise ForfeitError(script.seat, fault.kind, str(fault), points) from None

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """End programs that were kept running."""
        for process in self._processes.values():
            process.close()


def make_subprocess_agent(name: AgentName, engine: Engine) -> SubprocessAgent:
    """Make ``program:run=COMMAND``; raises GameError."""
    try:
        words = shlex.split(name.value("run") or "")
    except ValueError as error:  # a quote without its end
        raise GameError(f"agent '{name}': run: {error}", ErrorCode.INVALID_AGENT_OPTION) from None
    if not words:
        problem = f"agent '{name}': write program:run=COMMAND, such as program:run=python3 bot.py"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    if BotzoneGame.from_engine(engine) is None:
        raise GameError("there is no protocol for programs of this game", ErrorCode.AGENT_NOT_APPLICABLE)
    seconds, keeps_running = _read_timeout(name), name.has_flag(KEEP_RUNNING)
    return SubprocessAgent(lambda: BotProcess(words, seconds, keeps_running))


def _read_timeout(name: AgentName) -> float:
    text = name.value("seconds")
    try:
        seconds = DEFAULT_TIMEOUT if text is None else float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= 1e6:
        raise GameError(f"agent '{name}': seconds={text} is no time for a decision", ErrorCode.INVALID_AGENT_OPTION)
    return seconds


def attach_shared_script(
    engine: Engine, agents: Sequence[Agent], write_log: WriteLog | None = None
) -> ProgramSession | None:
    """Attach one session to all agents that are programs, so that they follow the same table.

    Args:
        engine: Compiled game.
        agents: Agents of a match.
        write_log: Called with the log of every round; None for no log.

    Returns:
        The session, to be used as a listener; None where there is no program and no log.

    Raises:
        GameError: The platform of the protocol does not have this game.
    """
    programs = [agent for agent in agents if isinstance(agent, SubprocessAgent)]
    if not programs and write_log is None:
        return None
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        problem = "there is no protocol for programs of this game, and no log of it"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
    script: ProgramSession = platform.start_session(write_log)
    for program in programs:
        program.attach_script(script)
    return script
