"""Result of an ablation: one row a part, as numbers, text, JSON and plot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.ablation.parts import AblationPart
from abl_cards.ablation.sequential import sequential_interval
from abl_cards.core import INSTALL_COMMAND, ErrorBarPlot, ErrorCode, GameError, format_seed, has_matplotlib, save_png


class AblationVerdict(StrEnum):
    """Outcome for one part."""

    HELPS = "helps"  # the agent with the part wins more: the interval lies above one half
    HARMS = "harms"  # the agent without the part wins more
    NOT_DECIDED = "not decided"  # the interval holds one half
    NO_DIFFERENCE = "no decision differs"  # both made every decision alike, so all games are equal


@dataclass(frozen=True)
class AblationRow:
    """Matches of an agent against itself without one part.

    Attributes:
        part: Name of the part.
        description: The part in a few words.
        variant: Name of the agent without the part.
        games: Games played; less than the limit where the result was decided sooner.
        wins: Games won by the agent with the part.
        draws: Drawn games.
        rate: Share of the games won by the agent with the part, a draw as half a win.
        interval: Interval of the rate, valid over all looks together.
        verdict: Outcome.
        episodes: Episodes in all games.
    """

    part: str
    description: str
    variant: str
    games: int
    wins: int
    draws: int
    rate: float
    interval: tuple[float, float]
    verdict: AblationVerdict
    episodes: int

    @classmethod
    def from_scores(
        cls, part: AblationPart, agent: str, scores: NDArray[np.float64], differs: bool, episodes: int, level: float
    ) -> AblationRow:
        """Compute a row.

        Args:
            part: The part.
            agent: Name of the agent with the part.
            scores: Share of the agent with the part in each game, float64 [deals, games of a deal].
            differs: Whether any decision of the two agents differed.
            episodes: Episodes in all games.
            level: Level of the interval.

        Returns:
            The row.
        """
        interval = sequential_interval(scores.mean(axis=1), level)
        return cls(
            part.name, part.description, part.variant_of(agent), scores.size, int((scores == 1).sum()),
            int((scores == 0.5).sum()), round(float(scores.mean()), 6), interval, _verdict(interval, differs), episodes,
        )  # fmt: skip

    @property
    def decided(self) -> bool:
        """Return whether the interval excludes one half."""
        return self.verdict in (AblationVerdict.HELPS, AblationVerdict.HARMS)

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return {**vars(self), "interval": list(self.interval), "verdict": str(self.verdict), "decided": self.decided}


def _verdict(interval: tuple[float, float], differs: bool) -> AblationVerdict:
    if not differs:
        return AblationVerdict.NO_DIFFERENCE
    if interval[0] > 0.5:
        return AblationVerdict.HELPS
    return AblationVerdict.HARMS if interval[1] < 0.5 else AblationVerdict.NOT_DECIDED


@dataclass(frozen=True)
class Ablation:
    """Parts of an agent by their worth.

    Attributes:
        game: Name of the game.
        agent: Name of the agent with all its parts.
        rows: One row a part, in the order in which the parts were measured.
        games: Most games a part.
        seed: Seed of the deals.
        level: Level of the intervals, each for one part and all looks at it.
    """

    game: str
    agent: str
    rows: tuple[AblationRow, ...]
    games: int
    seed: int
    level: float

    @property
    def title(self) -> str:
        """Game, agent and what was played."""
        return f"{self.agent} against itself without a part, {self.game}, seed {format_seed(self.seed)}"

    def sorted_rows(self) -> list[AblationRow]:
        """Return the rows, the part that is worth most first."""
        return sorted(self.rows, key=lambda row: (-row.rate, row.part))

    def row(self, part: str) -> AblationRow:
        """Return the row of a part.

        Args:
            part: Name of the part.

        Raises:
            GameError: The part was not measured.
        """
        for row in self.rows:
            if row.part == part:
                return row
        measured = ", ".join(row.part for row in self.rows)
        raise GameError(f"part '{part}' was not measured (there are: {measured})", ErrorCode.UNKNOWN_PART)

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the header and the cells of the table as text, the part that is worth most first."""
        header = ("without", "what", "games", "won by the whole", f"{self.level:.0%} interval", "the part")
        rows: list[tuple[str, ...]] = [
            (row.part, row.description, f"{row.games:,}", f"{row.rate:.1%}",
             f"{row.interval[0]:.1%} – {row.interval[1]:.1%}", str(row.verdict))
            for row in self.sorted_rows()
        ]  # fmt: skip
        return header, rows

    def table(self) -> str:
        """Return the table as text in aligned columns, the part that is worth most first."""
        header, rows = self.cells()
        widths = [max(len(cells[column]) for cells in (header, *rows)) for column in range(len(header))]
        right = {2, 3, 4}
        lines = [
            "  ".join(
                cell.rjust(width) if column in right else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
            for cells in (header, *rows)
        ]
        return "\n".join([self.title, "", *lines])

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return {
            "game": self.game, "agent": self.agent, "seed": format_seed(self.seed), "games": self.games,
            "level": self.level, "rows": [row.to_json() for row in self.sorted_rows()],
        }  # fmt: skip

    def plot(self, path: Path | str) -> None:
        """Draw the win rates with their intervals, and write them as a PNG file.

        Args:
            path: File to write; one that exists is replaced.

        Raises:
            GameError: matplotlib is not installed.
            OSError: The file cannot be written.
        """
        if not has_matplotlib():
            raise GameError(f"a plot needs matplotlib: {INSTALL_COMMAND}", ErrorCode.AGENT_NOT_APPLICABLE)
        bars = {row.part: (row.rate, *row.interval) for row in self.sorted_rows()}
        save_png(ErrorBarPlot("ablation", self.title, "share of the games won with the part", bars, 0.5), Path(path))
