"""A program of others at our table: two clients of it against two of our agents, over the wire."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from abl_cards.arena import wilson
from abl_cards.errors import GameError
from abl_cards.games import Engine
from experiments.desk import Desk, Tell
from experiments.matches import Outcome
from experiments.players import Player, rules_mark

if TYPE_CHECKING:
    from abl_cards.serve import House, ServedResult


@dataclass(frozen=True)
class Visitor:
    """A program that speaks the protocol of our tables."""

    name: str
    command: str  # starts {name} on one seat at {url}. Empty for a program that somebody starts by hand
    port: int
    think_time: float  # seconds for an answer
    arrival: float = 120.0  # seconds until what the command starts has sat down

    def words(self, url: str) -> list[str]:
        """The command for a seat; raises GameError where it is none."""
        try:
            words = shlex.split(self.command)
        except ValueError as problem:
            raise GameError(f"command: {self.command}: {str(problem).lower()}") from None
        return [word.replace("{name}", self.name).replace("{url}", url) for word in words]


def received(desk: Desk, engine: Engine, player: Player, visitor: Visitor, games: int, seed: int) -> Outcome:
    """Matches of a player against a visitor, on duplicate deals; raises GameError where the visitor does not come."""
    what = {
        "visit": [player.name, visitor.name, visitor.command], "marks": [player.mark, rules_mark(engine)],
        "games": games, "seed": seed, "think_time": visitor.think_time,
    }  # fmt: skip

    def work(tell: Tell) -> dict[str, Any]:
        return asyncio.run(_serve(desk, engine, player, visitor, games, seed, tell))

    return Outcome.of(desk.cell(what, work, f"{player.name} : {visitor.name}", games))


async def _serve(
    desk: Desk, engine: Engine, player: Player, visitor: Visitor, games: int, seed: int, tell: Tell
) -> dict[str, Any]:
    from abl_cards.serve import House, Plan

    seats = {seat: player.name for seat, team in enumerate(engine.teams) if team == 0}
    plan = Plan(engine.game, engine, seats, games, seed, think_time=visitor.think_time or None, port=visitor.port or 0)

    def heard(line: str) -> None:
        desk.log(line)
        if ": game " in line:
            tell(int(line.partition(": game ")[2].split()[0]), "")

    async with House(plan, heard) as house:
        tell(0, f"clients sit down at {house.url}")
        result = await _with_clients(house, visitor, len(engine.teams) - len(seats))
    (table,) = result.tables
    rate = (table.wins[0] + table.draws / 2) / games
    defaults = sum(seat.defaults for seat in table.seats if seat.client)
    if defaults:
        desk.log(f"{visitor.name} left {defaults} decisions to the table")
    # Of each game only who won is known at the end, so the pairs are not made use of.
    return {
        "agents": [player.name, visitor.name], "games": games, "rate": rate, "interval": wilson(rate, games),
        "episodes": table.episodes, "defaults": defaults, "scores": [],
    }  # fmt: skip


async def _with_clients(house: House, visitor: Visitor, clients: int) -> ServedResult:
    """The result of the games; where clients are to be started, all must come, and stay until it is there."""
    games = asyncio.ensure_future(house.play())
    if not visitor.command.strip():
        return await games
    words = visitor.words(house.url.removesuffix("NAME") + quote(visitor.name))
    started = [await _start(words) for _ in range(clients)]
    leaving = [asyncio.ensure_future(process.wait()) for process in started]
    full = asyncio.ensure_future(house.full())
    try:
        await asyncio.wait({full, *leaving}, timeout=visitor.arrival, return_when=asyncio.FIRST_COMPLETED)
        if not any(each.done() for each in (full, *leaving)):
            late = f"{clients} were started, and not all of them sat down within {visitor.arrival:g} seconds"
            raise GameError(f"{visitor.command}: {late} (arrival= gives them longer)")
        await asyncio.wait({games, *leaving}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({games}, timeout=_FAREWELL)
        if not games.done():
            codes = sorted({process.returncode for process in started if process.returncode is not None})
            raise GameError(f"{visitor.command}: ended before the games did (exit code {', '.join(map(str, codes))})")
        return games.result()
    finally:
        full.cancel()
        games.cancel()
        for process in started:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*leaving, return_exceptions=True)


_FAREWELL = 5.0  # seconds between the clients' last word and the table's


async def _start(words: list[str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
        )
    except OSError as problem:
        raise GameError(f"{words[0]}: {problem.strerror}") from None
