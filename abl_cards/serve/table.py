"""One table: its seats are taken, its games are played, whatever the clients do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.agents import Agent, looks_back
from abl_cards.arena import decision_keys, match_keys
from abl_cards.games import Tables
from abl_cards.games.faults import naming
from abl_cards.games.service import Dealer, News
from abl_cards.games.tables import DRAW
from abl_cards.serve.client import Client
from abl_cards.serve.results import SeatResult, TableResult

_HERE = np.array([0])


class Table:
    """A table for a number of games, which are those of a match of the same seed from ``first`` on."""

    def __init__(
        self,
        number: int,
        dealer: Dealer,
        agents: Mapping[int, tuple[str, Agent]],
        teams: Sequence[int],
        log: Callable[[str], None],
        heading: dict[str, Any] | None = None,
    ) -> None:
        """A table with agents on some seats; the others are for clients. Teams are given by seat.

        The heading of its records is kept up to date here.
        """
        self.number = number
        self._dealer, self._agents, self._teams, self._log = dealer, agents, teams, log
        self._heading = {} if heading is None else heading
        self._clients: dict[int, Client] = {}
        if any(looks_back(agent) for _, agent in agents.values()):
            dealer.tables.remember()
        self._full = asyncio.Event()
        self._check_full()

    @property
    def tables(self) -> Tables:
        """The one table, as the engine has it."""
        return self._dealer.tables

    @property
    def players(self) -> list[str]:
        """Who sits on its seats in this game, by name; nobody before the first one."""
        found: list[str] = self._heading.get("players", [])
        return found

    # --- before the games --------------------------------------------------------------------------------------------

    def sit_down(self, client: Client) -> bool:
        """Give a client the first free seat; False where there is none."""
        free = self._free()
        if not free or self._full.is_set():
            return False
        self._clients[free[0]] = client
        client.result.seat = free[0]
        self._log(f"table {self.number}, seat {free[0]}: {client.name}")
        self._check_full()
        return True

    def stand_up(self, client: Client) -> None:
        """Free the seat of a client that leaves before all have come; later it is played by default."""
        seat = client.result.seat
        if not self._full.is_set() and self._clients.get(seat) is client:
            del self._clients[seat]
            self._log(f"table {self.number}, seat {seat}: free again")

    async def full(self) -> None:
        """Wait until the seats are taken."""
        await self._full.wait()

    def _free(self) -> list[int]:
        return [seat for seat in range(len(self._teams)) if seat not in self._agents and seat not in self._clients]

    def _check_full(self) -> None:
        if not self._free():
            self._full.set()

    # --- the games ---------------------------------------------------------------------------------------------------

    async def play(self, seed: int, first: int, games: int, patience: float | None, delay: float) -> TableResult:
        """Wait for the seats to be taken, then play; clients hear nothing until the delay is over."""
        await self.full()
        if self._clients:
            await asyncio.sleep(delay)
        result = TableResult(self.number, first, games, [0] * (max(self._teams) + 1), 0, 0, self._seat_results())
        for game in range(first, first + games):
            await self._play_game(seed, game, patience)
            self._count(result)
        self._tell(self._dealer.farewell(result.wins, result.draws))
        await asyncio.gather(*(client.leave() for client in self._clients.values()))
        return result

    async def _play_game(self, seed: int, game: int, patience: float | None) -> None:
        """The game of that number, dealt as the arena deals it; the odd ones are the even ones, turned by a seat.

        Raises GameError that names it where the rules lead nowhere.
        """
        number = np.array([game])
        self._dealer.begin(match_keys(seed, number)[0], game % 2 == 1)
        players = [self._results[self._dealer.player(place)].player for place in range(len(self._teams))]
        self._heading |= {"match": game, "table": self.number, "players": players}
        with naming(lambda _: f"seed {seed}, game {game}, table {self.number}"):
            while self._dealer.winner == -1:
                self._tell(self._dealer.news())
                client = self._clients.get(self._dealer.seat)
                if client:
                    request = self._dealer.request()
                    request.choose(await client.ask(request, patience))
                else:
                    self._let_agent_decide(self._dealer.tables, number)
                await asyncio.sleep(0)  # others want to be served, even when nobody is waited for here
        self._tell(self._dealer.news())

    def _let_agent_decide(self, tables: Tables, number: np.ndarray) -> None:
        _, agent = self._agents[self._dealer.seat]
        self._results[self._dealer.seat].decisions += 1
        keys = decision_keys(tables, _HERE, number)
        if tables.playing().size:
            tables.play(_HERE, agent.play(tables.decisions(_HERE), keys))
        else:
            tables.choose(_HERE, agent.choose(tables.choices(_HERE), keys))

    def _tell(self, news: list[News]) -> None:
        for seat, message in news:
            if seat in self._clients:
                self._clients[seat].tell(message)

    # --- the result --------------------------------------------------------------------------------------------------

    def _seat_results(self) -> list[SeatResult]:
        agents = {seat: SeatResult(seat, name, client=False) for seat, (name, _) in self._agents.items()}
        self._results = agents | {seat: client.result for seat, client in self._clients.items()}
        for seat, result in self._results.items():
            result.team = self._teams[seat]
        return [self._results[seat] for seat in range(len(self._teams))]

    def _count(self, result: TableResult) -> None:
        winner = self._dealer.winner
        result.episodes += int(self._dealer.tables.episode[0])
        if winner == DRAW:
            result.draws += 1
        else:
            result.wins[winner] += 1
        played = sum(result.wins) + result.draws
        outcome = "draw" if winner == DRAW else f"won by team {winner}"
        self._log(f"table {self.number}: game {played} of {result.games} {outcome}")
