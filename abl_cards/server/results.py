"""Results of served games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from abl_cards.core import format_seed

FAULTS = {
    "garbage": "not a JSON object with a number actIndex",
    "null": "null, or null as actIndex",
    "range": "an index that is not offered",
    "turn": "an answer without a request",
    "late": "no answer within the think time",
    "lost": "the connection ended",
}
"""Descriptions of the faults of clients by kind."""


@dataclass
class SeatResult:
    """Player and faults of one seat."""

    seat: int
    player: str  # specification of the agent, or name of the client
    is_client: bool
    team: int = 0
    decisions: int = 0
    defaults: int = 0  # decisions made by default
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values; defaults and faults for clients only."""
        fields: dict[str, Any] = {
            "seat": self.seat, "team": self.team, "player": self.player, "client": self.is_client,
            "decisions": self.decisions,
        }  # fmt: skip
        return fields | ({"defaults": self.defaults, "faults": dict(self.faults)} if self.is_client else {})


@dataclass
class TableResult:
    """Result of the games of one table."""

    table: int
    first_game: int  # number of its first game in a match of the same seed
    games: int
    wins: list[int]  # by team
    draws: int
    episodes: int
    seats: list[SeatResult]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values in a fixed order."""
        return {
            "table": self.table, "first": self.first_game, "games": self.games, "wins": self.wins, "draws": self.draws,
            "episodes": self.episodes, "seats": [seat.to_json() for seat in self.seats],
        }  # fmt: skip


@dataclass(frozen=True)
class ServedResult:
    """Result of the games of all tables."""

    game: str
    dialect: str
    seed: int
    tables: tuple[TableResult, ...]

    @property
    def games(self) -> int:
        """Number of games of all tables."""
        return sum(table.games for table in self.tables)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values in a fixed order: sums over the tables, then each table."""
        wins = [sum(wins) for wins in zip(*(table.wins for table in self.tables), strict=True)]
        draws, episodes = (sum(getattr(table, name) for table in self.tables) for name in ("draws", "episodes"))
        return {
            "game": self.game, "dialect": self.dialect, "games": self.games, "seed": format_seed(self.seed),
            "wins": wins, "draws": draws, "episodes": episodes,
            "tables": [table.to_json() for table in self.tables],
        }  # fmt: skip
