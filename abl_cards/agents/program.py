"""Somebody else's program at the table: started for every decision, asked on stdin, heard on stdout."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.games import Choices, Decisions, Engine, GameError, Indices, Moves
from abl_cards.platforms.botzone.script import Botzone
from abl_cards.platforms.programs import Script

PATIENCE = 30
"""Seconds that a program may take for a decision; platforms give it about one."""


class Program:
    """Asks a program; it follows one table, so a match gives it one game at a time."""

    def __init__(self, command: list[str], script: Script) -> None:
        """Ask this command."""
        self._command, self._script = command, script

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The program's move."""
        row = self._script.choose(decisions, self._ask())
        return decisions.moves().rows(np.array([row]))

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The program's choice."""
        return np.array([self._script.choose(choices, self._ask())], np.uint8)

    def _ask(self) -> Any:
        line = json.dumps(self._script.message(), separators=(",", ":")) + "\n"
        name = shlex.join(self._command)
        try:
            done = subprocess.run(self._command, input=line, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise GameError(f"program '{name}' has not answered within {PATIENCE} seconds") from None
        except OSError as problem:
            raise GameError(f"program '{name}' cannot be started: {problem.strerror}") from None
        if done.returncode:
            told = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise GameError(f"program '{name}' ended with exit code {done.returncode}: {told}")
        answer = next((each for each in done.stdout.splitlines() if each.strip()), "")
        try:
            return json.loads(answer)
        except ValueError:
            raise GameError(f"program '{name}' answered {answer[:80]!r}, which is no JSON") from None

    # --- what the table tells ----------------------------------------------------------------------------------------

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Hand on."""
        self._script.episode_began(tables, which)

    def chosen(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        """Hand on."""
        self._script.chosen(tables, which, card)

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Hand on."""
        self._script.played(tables, which, moves)

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Hand on."""
        self._script.episode_ended(tables, which)

    def match_ended(self, tables: Any, which: Indices) -> None:
        """Hand on."""
        self._script.match_ended(tables, which)


def program_agent(name: AgentName, engine: Engine) -> Program:
    """``program:run=COMMAND``; raises GameError."""
    command = name.value("run")
    if not command:
        raise GameError(f"agent '{name}': write program:run=COMMAND, such as program:run=python3 bot.py")
    platform = Botzone.of(engine)
    if platform is None:
        raise GameError("there is no protocol for programs of this game")
    return Program(shlex.split(command), platform.script())
