"""Results of served games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from abl_cards.core import format_seed

FAULTS = {
    "garbage": "no JSON object with a number actIndex",
    "null": "null, or null as actIndex",
    "range": "a number that is not offered",
    "turn": "an answer when nothing was asked",
    "late": "no answer within the think time",
    "lost": "the connection ended",
}
"""Faults of clients."""


@dataclass
class SeatResult:
    """Player and faults of one seat."""

    seat: int
    player: str  # an agent, or the name a client came by
    is_client: bool
    team: int = 0
    decisions: int = 0
    defaults: int = 0  # decisions that were made for it
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))

    def to_json(self) -> dict[str, Any]:
        """Plain values; clients have faults, agents have none."""
        told: dict[str, Any] = {
            "seat": self.seat, "team": self.team, "player": self.player, "client": self.is_client,
            "decisions": self.decisions,
        }  # fmt: skip
        return told | ({"defaults": self.defaults, "faults": dict(self.faults)} if self.is_client else {})


@dataclass
class TableResult:
    """The games of one table."""

    table: int
    first_game: int  # the number of its first game in a match of the same seed
    games: int
    wins: list[int]  # by team
    draws: int
    episodes: int
    seats: list[SeatResult]

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order."""
        return {
            "table": self.table, "first": self.first_game, "games": self.games, "wins": self.wins, "draws": self.draws,
            "episodes": self.episodes, "seats": [seat.to_json() for seat in self.seats],
        }  # fmt: skip


@dataclass(frozen=True)
class ServedResult:
    """The games of all tables."""

    game: str
    dialect: str
    seed: int
    tables: tuple[TableResult, ...]

    @property
    def games(self) -> int:
        """Whole matches."""
        return sum(table.games for table in self.tables)

    def to_json(self) -> dict[str, Any]:
        """Plain values in a stable order; sums over the tables, then the tables."""
        wins = [sum(wins) for wins in zip(*(table.wins for table in self.tables), strict=True)]
        draws, episodes = (sum(getattr(table, name) for table in self.tables) for name in ("draws", "episodes"))
        return {
            "game": self.game, "dialect": self.dialect, "games": self.games, "seed": format_seed(self.seed),
            "wins": wins, "draws": draws, "episodes": episodes,
            "tables": [table.to_json() for table in self.tables],
        }  # fmt: skip
