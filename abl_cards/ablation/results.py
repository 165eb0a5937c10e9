"""Result of an ablation: one row a part, as numbers, text, JSON and plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.ablation.firing import SkippedPart
from abl_cards.ablation.parts import AblationPart
from abl_cards.ablation.sequential import sequential_interval
from abl_cards.core import (
    INSTALL_COMMAND,
    ErrorBarPlot,
    ErrorCode,
    GameError,
    Plot,
    format_seed,
    has_matplotlib,
    save_figure,
    share_axis,
)
from abl_cards.matches import (
    SEED_METHOD,
    combine_seeds,
    describe_coverage,
    format_interval,
    interval_error,
    paired_test,
    share_interval,
)


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
        seed_rates: Rate of each training seed; empty where nothing was trained.
        p_value: Of the paired t-test over seeds; None without seeds, or where it is not defined.
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
    seed_rates: tuple[float, ...] = ()
    p_value: float | None = None

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

    @classmethod
    def from_seeds(
        cls, name: str, description: str, variant: str, scores: Sequence[NDArray[np.float64]], differs: bool,
        episodes: int, level: float,
    ) -> AblationRow:  # fmt: skip
        """Compute a row over training seeds.

        Args:
            name: Name of the part.
            description: The part in a few words.
            variant: Text about the twin.
            scores: Share of the agent with the part in each game, float64 [deals, games of a deal] for each seed.
            differs: Whether any decision of the two agents differed.
            episodes: Episodes in all games.
            level: Level of the interval at this look.

        Returns:
            The row; its interval covers seeds and deals.
        """
        rates = [float(seed.mean()) for seed in scores]
        errors = [interval_error(share_interval(seed.ravel(), seed.shape[1])) for seed in scores]
        estimate = combine_seeds(rates, errors, level, (0.0, 1.0))
        assert estimate.interval
        flat, p_value = np.concatenate([seed.ravel() for seed in scores]), paired_test(np.array(rates) - 0.5)
        return cls(
            name, description, variant, flat.size, int((flat == 1).sum()), int((flat == 0.5).sum()), estimate.mean,
            estimate.interval, _verdict(estimate.interval, differs), episodes,
            tuple(round(rate, 6) for rate in rates), None if p_value is None else round(p_value, 6),
        )  # fmt: skip

    @property
    def decided(self) -> bool:
        """Return whether the interval excludes one half."""
        return self.verdict in (AblationVerdict.HELPS, AblationVerdict.HARMS)

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        plain = {**vars(self), "interval": list(self.interval), "verdict": str(self.verdict), "decided": self.decided}
        rates = plain.pop("seed_rates"), plain.pop("p_value")
        return plain | ({"seed_rates": list(rates[0]), "p_value": rates[1]} if self.seed_rates else {})


def _verdict(interval: tuple[float, float], differs: bool) -> AblationVerdict:
    if not differs:
        return AblationVerdict.NO_DIFFERENCE
    if interval[0] > 0.5:
        return AblationVerdict.HELPS
    return AblationVerdict.HARMS if interval[1] < 0.5 else AblationVerdict.NOT_DECIDED


@dataclass(frozen=True)
class TrainingSummary:
    """Budget of the trainings of an ablation.

    Attributes:
        decisions: Decisions of self-play of each training, at least.
        minutes: Mean time of a training of the agent with all parts.
        seeds: Most seeds.
        looks: Numbers of seeds at which intervals were computed.
    """

    decisions: int
    minutes: float
    seeds: int
    looks: int

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return dict(vars(self))


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
        skipped: Parts that were not measured.
        training: Budget of the trainings; None where nothing was trained.
    """

    game: str
    agent: str
    rows: tuple[AblationRow, ...]
    games: int
    seed: int
    level: float
    skipped: tuple[SkippedPart, ...] = ()
    training: TrainingSummary | None = None

    @property
    def title(self) -> str:
        """Game, agent and what was played."""
        if self.training:
            budget = f"{self.training.decisions:,} decisions, {self.training.minutes:.1f} minutes"
            return f"{self.agent} trained for {budget}, against twins without a part, {self.game}, seed {self.seed}"
        return f"{self.agent} against itself without a part, {self.game}, seed {format_seed(self.seed)}"

    @property
    def notes(self) -> list[str]:
        """Lines about the intervals and about skipped parts."""
        lines = [f"{skip.part} is skipped: {skip.reason}" for skip in self.skipped]
        if self.training is None:
            return ["Intervals cover deals, over all looks together; the weights of agents are given.", *lines]
        seeds = sorted({len(row.seed_rates) for row in self.rows})
        numbers = " or ".join(describe_coverage(number) for number in seeds)
        looks = f", {self.training.looks} looks" if self.training.looks > 1 else ""
        return [f"Intervals cover {numbers}{looks} ({SEED_METHOD}); p: paired t-test over seeds.", *lines]

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
        header: tuple[str, ...] = (
            "without",
            "what",
            "games",
            "won by the whole",
            f"{self.level:.0%} interval",
            "the part",
        )
        if self.training:
            header = (*header, "seeds", "p")
        rows: list[tuple[str, ...]] = [
            (row.part, row.description, f"{row.games:,}", f"{row.rate:.1%}",
             format_interval(row.interval), str(row.verdict),
             *((str(len(row.seed_rates)), _p_text(row.p_value)) if self.training else ()))
            for row in self.sorted_rows()
        ]  # fmt: skip
        return header, rows

    def table(self) -> str:
        """Return the table as text in aligned columns, the part that is worth most first."""
        header, rows = self.cells()
        widths = [max(len(cells[column]) for cells in (header, *rows)) for column in range(len(header))]
        right = {2, 3, 4, 6, 7}
        lines = [
            "  ".join(
                cell.rjust(width) if column in right else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
            for cells in (header, *rows)
        ]
        return "\n".join([self.title, "", *lines, "", *self.notes])

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return {
            "game": self.game, "agent": self.agent, "seed": format_seed(self.seed), "games": self.games,
            "level": self.level, "rows": [row.to_json() for row in self.sorted_rows()],
            "skipped": [vars(skip) for skip in self.skipped], "notes": self.notes,
        } | ({"training": self.training.to_json()} if self.training else {})  # fmt: skip

    def plot(self, path: Path | str) -> None:
        """Draw the win rates with their intervals, and write them as an SVG, PDF or PNG file.

        Args:
            path: File to write; one that exists is replaced.

        Raises:
            GameError: matplotlib is not installed.
            OSError: The file cannot be written.
        """
        bars = {row.part: (row.rate, *row.interval) for row in self.sorted_rows()}
        plot = ErrorBarPlot(
            "ablation", self.title, share_axis("share of the games won with the part"), bars, 0.5,
            n=f"{self.games:,} games each", interval=f"{self.level:.0%} intervals",
        )  # fmt: skip
        save_plot(plot, path)


def save_plot(plot: Plot, path: Path | str) -> None:
    """Write a plot as an SVG, PDF or PNG file; raises GameError where matplotlib is not installed.

    Args:
        plot: The plot.
        path: File to write; one that exists is replaced.
    """
    if not has_matplotlib():
        raise GameError(f"a plot needs matplotlib: {INSTALL_COMMAND}", ErrorCode.AGENT_NOT_APPLICABLE)
    save_figure(plot, Path(path))


def _p_text(p_value: float | None) -> str:
    if p_value is None:
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
