"""Matches against an external program: two of its clients against two agents, over the network."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from abl_cards.agents import rules_fingerprint
from abl_cards.core import ErrorCode, GameError
from abl_cards.experiments.agent_specs import AgentSpec
from abl_cards.experiments.matches import MatchSummary
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.matches import wilson_interval

if TYPE_CHECKING:
    from abl_cards.server import GameServer, ServedResult


@dataclass(frozen=True)
class ExternalProgram:
    """External program that uses the protocol of the server."""

    name: str
    command: str  # starts {name} on one seat at {url}; empty for a program started by hand
    port: int
    think_time: float  # seconds for an answer
    startup_timeout: float = 120.0  # seconds until the started clients have joined

    def command_words(self, url: str) -> list[str]:
        """Return the command for one seat as words; raises GameError for an invalid command."""
        try:
            words = shlex.split(self.command)
        except ValueError as problem:
            raise GameError(f"command: {self.command}: {str(problem).lower()}", ErrorCode.INVALID_SETTING) from None
        return [word.replace("{name}", self.name).replace("{url}", url) for word in words]


def play_external(
    workspace: ExperimentWorkspace, engine: Engine, player: AgentSpec, program: ExternalProgram, games: int, seed: int
) -> MatchSummary:
    """Play an agent against an external program on duplicate deals; raises GameError if no client connects."""
    what = {
        "visit": [player.name, program.name, program.command], "marks": [player.fingerprint, rules_fingerprint(engine)],
        "games": games, "seed": seed, "think_time": program.think_time,
    }  # fmt: skip

    def work(tell: ProgressCallback) -> dict[str, Any]:
        return asyncio.run(_serve_games(workspace, engine, player, program, games, seed, tell))

    return MatchSummary.from_json(workspace.measure_cell(what, work, f"{player.name} : {program.name}", games))


async def _serve_games(
    workspace: ExperimentWorkspace,
    engine: Engine,
    player: AgentSpec,
    program: ExternalProgram,
    games: int,
    seed: int,
    on_progress: ProgressCallback,
) -> dict[str, Any]:
    from abl_cards.server import GameServer, ServeConfig

    seats = {seat: player.name for seat, team in enumerate(engine.teams) if team == 0}
    plan = ServeConfig(
        engine.game, engine, seats, games, seed, think_time=program.think_time or None, port=program.port or 0
    )

    def on_line(line: str) -> None:
        workspace.log(line)
        if ": game " in line:
            on_progress(int(line.partition(": game ")[2].split()[0]), "")

    async with GameServer(plan, on_line) as house:
        on_progress(0, f"clients sit down at {house.url}")
        result = await _with_clients(house, program, len(engine.teams) - len(seats))
    (table,) = result.tables
    rate = (table.wins[0] + table.draws / 2) / games
    defaults = sum(seat.defaults for seat in table.seats if seat.is_client)
    if defaults:
        workspace.log(f"{program.name} left {defaults} decisions to the table")
    # Only the winner of each game is known at the end, so the pairing of games is not used.
    return {
        "agents": [player.name, program.name], "games": games, "rate": rate, "interval": wilson_interval(rate, games),
        "episodes": table.episodes, "defaults": defaults, "scores": [],
    }  # fmt: skip


async def _with_clients(server: GameServer, program: ExternalProgram, clients: int) -> ServedResult:
    """Start the clients, and return the result of the games; raises GameError if a client leaves early."""
    games = asyncio.ensure_future(server.play_games())
    if not program.command.strip():
        return await games
    words = program.command_words(server.url.removesuffix("NAME") + quote(program.name))
    started = [await _start(words) for _ in range(clients)]
    leaving = [asyncio.ensure_future(process.wait()) for process in started]
    full = asyncio.ensure_future(server.wait_until_full())
    try:
        await asyncio.wait({full, *leaving}, timeout=program.startup_timeout, return_when=asyncio.FIRST_COMPLETED)
        if not any(task.done() for task in (full, *leaving)):
            late = f"{clients} were started, and not all of them sat down within {program.startup_timeout:g} seconds"
            raise GameError(f"{program.command}: {late} (startup_timeout= gives them longer)", ErrorCode.PROGRAM_FAILED)
        if full.done():
            await asyncio.wait({games, *leaving}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({games}, timeout=_SHUTDOWN_TIMEOUT)
        if not games.done():
            codes = sorted({process.returncode for process in started if process.returncode is not None})
            raise GameError(
                f"{program.command}: ended before the games did (exit code {', '.join(map(str, codes))})",
                ErrorCode.PROGRAM_FAILED,
            )
        return games.result()
    finally:
        full.cancel()
        games.cancel()
        for process in started:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*leaving, return_exceptions=True)


_SHUTDOWN_TIMEOUT = 5.0  # seconds between the clients' last word and the table's


async def _start(words: list[str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
        )
    except OSError as problem:
        raise GameError(f"{words[0]}: {problem.strerror}", ErrorCode.PROGRAM_FAILED) from None
