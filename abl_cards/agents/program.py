"""Somebody else's program at the table: asked on stdin, heard on stdout, and held to the rules and to its time."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Agent, GivenUp, Keys
from abl_cards.agents.names import AgentName
from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Engine, Indices, Moves
from abl_cards.games.audience import Quiet
from abl_cards.platforms.botzone.entry import Botzone
from abl_cards.platforms.botzone.faults import Fault
from abl_cards.platforms.botzone.process import BotProcess
from abl_cards.platforms.programs import Script, Write

T = TypeVar("T")

SECONDS = 6.0
"""For a decision: Botzone gives about one, to a program that is started faster than Python."""
KEPT = "keep-running"


class Program(Quiet):
    """Asks a program; it follows one table, so a match gives it one game at a time. Each of its seats has a process."""

    def __init__(self, start: Callable[[], BotProcess]) -> None:
        """Ask this program; it plays where it is told what happens, see ``one_script``."""
        self._start = start
        self._processes: dict[int, BotProcess] = {}
        self._script: Script | None = None

    def follow(self, script: Script) -> None:
        """Ask in the words of a script, which hears what happens at the table."""
        self._script = script

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The program's move, a whole one; raises GivenUp."""
        script = self._followed()
        return self._asked(lambda answer: script.play(decisions, answer))

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The program's choice; raises GivenUp."""
        script = self._followed()
        option = self._held(lambda: script.ahead(choices))
        if option is None:
            option = self._asked(lambda answer: script.choose(choices, answer))
        return np.array([option], np.uint8)

    def _followed(self) -> Script:
        if self._script is None:
            raise GameError(f"program '{self._start().name}' plays in matches only")
        return self._script

    def _asked(self, read: Callable[[Any], T]) -> T:
        """What is read in the program's answer; raises GivenUp."""
        script = self._followed()
        process = self._processes.setdefault(script.seat, self._start())
        while (message := script.unheard()) is not None:
            self._exchange(process, message, script.silence)
        return self._exchange(process, script.message(), read)

    def _exchange(self, process: BotProcess, message: dict[str, Any], read: Callable[[Any], T]) -> T:
        heard: list[Any] = []

        def answered() -> T:
            heard.append(process.ask(message))
            return read(heard[0])

        return self._held(answered, heard)

    def _held(self, act: Callable[[], T], heard: Sequence[Any] = ()) -> T:
        """What comes of it; raises GivenUp where that is a fault."""
        script = self._followed()
        try:
            return act()
        except Fault as fault:
            response = heard[0].get("response") if heard and isinstance(heard[0], dict) else None
            points = script.give_up(fault, response)
            raise GivenUp(script.seat, fault.kind, str(fault), points) from None

    def match_ended(self, tables: Any, which: Indices) -> None:
        """A program that was kept running is ended."""
        for process in self._processes.values():
            process.close()


def program_agent(name: AgentName, engine: Engine) -> Program:
    """``program:run=COMMAND``; raises GameError."""
    command = name.value("run")
    if not command:
        raise GameError(f"agent '{name}': write program:run=COMMAND, such as program:run=python3 bot.py")
    if Botzone.of(engine) is None:
        raise GameError("there is no protocol for programs of this game")
    words, seconds, kept = shlex.split(command), _seconds(name), name.has(KEPT)
    return Program(lambda: BotProcess(words, seconds, kept))


def _seconds(name: AgentName) -> float:
    text = name.value("seconds")
    try:
        found = SECONDS if text is None else float(text)
    except ValueError:
        found = -1.0
    if not 0 < found <= 1e6:
        raise GameError(f"agent '{name}': seconds={text} is no time for a decision")
    return found


def one_script(engine: Engine, agents: Sequence[Agent], write: Write | None = None) -> Script | None:
    """What the programs among some agents are asked by, all at one table; None where there is none and nobody writes.

    ``write`` is given the log of every round. Raises GameError where the platform does not know the game.
    """
    programs = [agent for agent in agents if isinstance(agent, Program)]
    if not programs and write is None:
        return None
    platform = Botzone.of(engine)
    if platform is None:
        raise GameError("there is no protocol for programs of this game, and no log of it")
    script: Script = platform.script(write)
    for program in programs:
        program.follow(script)
    return script
