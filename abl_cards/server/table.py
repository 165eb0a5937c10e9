"""Hosted table: assigns seats to clients and plays the games; faults of clients do not stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.agents import Agent, needs_history
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Tables
from abl_cards.games.types import DRAW, ONLY_TABLE
from abl_cards.matches import derive_decision_keys, derive_match_keys
from abl_cards.protocols.common import HostSession, Notification
from abl_cards.server.agent_threads import run_in_thread
from abl_cards.server.client import Client
from abl_cards.server.results import SeatResult, TableResult


class ServedTable:
    """Hosted table with agents and clients; its games are those of a match with the same seed."""

    def __init__(
        self,
        number: int,
        dealer: HostSession,
        agents: Mapping[int, tuple[str, Agent]],
        teams: Sequence[int],
        log: Callable[[str], None],
        heading: dict[str, Any] | None = None,
    ) -> None:
        """Make a table.

        Args:
            number: Number of the table.
            dealer: Hosted table in terms of its protocol.
            agents: Specification and agent of seats that are not for clients.
            teams: Team of each seat.
            log: Function that receives lines for the user.
            heading: First fields of records, updated here before each game; None for no records.
        """
        self.number = number
        self._dealer, self._agents, self._teams, self._log = dealer, agents, teams, log
        self._heading = {} if heading is None else heading
        self._clients: dict[int, Client] = {}
        if acts := max((needs_history(agent) for _, agent in agents.values()), default=0):
            dealer.tables.record_history(acts)
        self._all_seated, self._has_begun = asyncio.Event(), False
        self._check_all_seated()

    @property
    def tables(self) -> Tables:
        """Table of the engine, one row."""
        return self._dealer.tables

    @property
    def players(self) -> list[str]:
        """Names of the players by table seat in the current game; empty before the first game."""
        players: list[str] = self._heading.get("players", [])
        return players

    # --- before the games --------------------------------------------------------------------------------------------

    def add_client(self, client: Client) -> bool:
        """Assign the first free seat to a client.

        Args:
            client: Connected client; its result receives the seat.

        Returns:
            True if a seat was free.
        """
        free_seats = self._free_seats()
        if not free_seats:
            return False
        self._clients[free_seats[0]] = client
        client.result.seat = free_seats[0]
        self._log(f"table {self.number}, seat {free_seats[0]}: {client.name}")
        self._check_all_seated()
        return True

    def remove_client(self, client: Client) -> None:
        """Free the seat of a client that leaves before the first game; later, defaults are played for it."""
        seat = client.result.seat
        if not self._has_begun and self._clients.get(seat) is client:
            del self._clients[seat]
            self._all_seated.clear()
            self._log(f"table {self.number}, seat {seat}: free again")

    async def wait_until_full(self) -> None:
        """Wait until all seats are taken."""
        await self._all_seated.wait()

    def _free_seats(self) -> list[int]:
        return [seat for seat in range(len(self._teams)) if seat not in self._agents and seat not in self._clients]

    def _check_all_seated(self) -> None:
        if not self._free_seats():
            self._all_seated.set()

    # --- the games ---------------------------------------------------------------------------------------------------

    async def play_games(
        self, seed: int, first_game: int, games: int, timeout: float | None, start_delay: float
    ) -> TableResult:
        """Wait until all seats are taken, then play.

        Args:
            seed: Seed of the match.
            first_game: Number of the first game in the match.
            games: Number of games.
            timeout: Seconds for an answer of a client; None for no limit.
            start_delay: Seconds before the first message, if there are clients.

        Returns:
            Result of the table.

        Raises:
            GameError: The rules leave the table without a next decision.
        """
        clients: dict[int, Client] | None = None
        while clients != self._clients:  # until nobody has left or come during the delay
            await self.wait_until_full()
            clients = dict(self._clients)
            await asyncio.sleep(start_delay if clients else 0)
        self._has_begun = True
        result = TableResult(self.number, first_game, games, [0] * (max(self._teams) + 1), 0, 0, self._seat_results())
        for game in range(first_game, first_game + games):
            await self._play_game(seed, game, timeout)
            self._add_result(result)
        self._send_notifications(self._dealer.final_notifications(result.wins, result.draws))
        await asyncio.gather(*(client.close() for client in self._clients.values()))
        return result

    async def _play_game(self, seed: int, game: int, timeout: float | None) -> None:
        """Play a game of the match, dealt as ``play_match`` deals it; raises GameError if the rules get stuck.

        Odd games have the cards of the preceding even ones, rotated by one seat.
        """
        games = np.array([game])
        self._dealer.start_game(derive_match_keys(seed, games)[0], game % 2 == 1)
        players = [self._results[self._dealer.player_at(table_seat)].player for table_seat in range(len(self._teams))]
        self._heading |= {"match": game, "table": self.number, "players": players}
        with attribute_table_errors(lambda _: f"seed {seed}, game {game}, table {self.number}"):
            while self._dealer.winner == -1:
                self._send_notifications(self._dealer.pop_notifications())
                client = self._clients.get(self._dealer.seat)
                if client:
                    request = self._dealer.next_request()
                    request.choose(await client.request_choice(request, timeout))
                else:
                    await self._play_agent(self._dealer.tables, games)
                await asyncio.sleep(0)  # let other tables and connections run
        self._send_notifications(self._dealer.pop_notifications())

    async def _play_agent(self, tables: Tables, games: np.ndarray) -> None:
        """Let the agent of the seat decide in a thread; spectators read the table here meanwhile, as it was."""
        _, agent = self._agents[self._dealer.seat]
        self._results[self._dealer.seat].decisions += 1
        keys = derive_decision_keys(tables, ONLY_TABLE, games)
        if tables.rows_to_play().size:
            decisions = tables.decisions(ONLY_TABLE)
            tables.play(ONLY_TABLE, await run_in_thread(lambda: agent.play(decisions, keys)))
        else:
            choices = tables.choices(ONLY_TABLE)
            tables.choose(ONLY_TABLE, await run_in_thread(lambda: agent.choose(choices, keys)))

    def _send_notifications(self, notifications: list[Notification]) -> None:
        for seat, message in notifications:
            if seat in self._clients:
                self._clients[seat].send(message)

    # --- the result --------------------------------------------------------------------------------------------------

    def _seat_results(self) -> list[SeatResult]:
        agents = {seat: SeatResult(seat, name, is_client=False) for seat, (name, _) in self._agents.items()}
        self._results = agents | {seat: client.result for seat, client in self._clients.items()}
        for seat, result in self._results.items():
            result.team = self._teams[seat]
        return [self._results[seat] for seat in range(len(self._teams))]

    def _add_result(self, result: TableResult) -> None:
        winner = self._dealer.winner
        result.episodes += int(self._dealer.tables.num_episodes[0])
        if winner == DRAW:
            result.draws += 1
        else:
            result.wins[winner] += 1
        played = sum(result.wins) + result.draws
        outcome = "draw" if winner == DRAW else f"won by team {winner}"
        self._log(f"table {self.number}: game {played} of {result.games} {outcome}")
