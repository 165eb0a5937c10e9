"""Sweep the weight of a preference: the agent with scaled weights plays against the agent as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from abl_cards.ablation.results import AblationVerdict, save_plot
from abl_cards.ablation.runner import AblationProgress, ablate
from abl_cards.agents import agent_variant, check_agent_name
from abl_cards.core import Axis, ErrorCode, GameError, LinePlot, check_list, format_seed, share_axis
from abl_cards.games import Engine, Game
from abl_cards.matches import format_interval

DEFAULT_FACTORS = (0.0, 0.5, 2.0, 4.0)
"""Factors of a sweep that names none."""


@dataclass(frozen=True)
class SweepPoint:
    """Matches of an agent with scaled weights against the agent as it is.

    Attributes:
        factor: Factor of the weights.
        games: Games played; less than the limit where the result was decided sooner.
        rate: Share of the games won by the scaled agent, a draw as half a win.
        interval: Interval of the rate over deals, valid over all looks together.
        verdict: ``helps`` where the scaled agent is better, ``harms`` where it is worse.
    """

    factor: float
    games: int
    rate: float
    interval: tuple[float, float]
    verdict: AblationVerdict

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return {**vars(self), "interval": list(self.interval), "verdict": str(self.verdict)}


@dataclass(frozen=True)
class WeightSweep:
    """Win rates of an agent by the factor of the weights of a preference, or of a group.

    Attributes:
        game: Name of the game.
        agent: Name of the agent.
        preference: Name of the preference or of the group.
        points: One point a factor, ascending; factor 1 is the agent itself.
        seed: Seed of the deals.
        level: Level of the intervals.
    """

    game: str
    agent: str
    preference: str
    points: tuple[SweepPoint, ...]
    seed: int
    level: float

    @property
    def title(self) -> str:
        """Game, agent and what was scaled."""
        return f"{self.agent} with scaled weights of {self.preference} against itself, {self.game}"

    @property
    def notes(self) -> list[str]:
        """Lines about the intervals."""
        return ["Intervals cover deals, over all looks together; factor 1 is the agent itself."]

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the header and the cells of the table as text."""
        header = ("factor", "games", "won by the scaled agent", f"{self.level:.0%} interval", "scaling")
        rows: list[tuple[str, ...]] = [
            (f"{point.factor:g}", f"{point.games:,}", f"{point.rate:.1%}",
             format_interval(point.interval), str(point.verdict))
            for point in self.points
        ]  # fmt: skip
        return header, rows

    def to_json(self) -> dict[str, Any]:
        """Return plain values in a stable order."""
        return {
            "game": self.game, "agent": self.agent, "preference": self.preference, "seed": format_seed(self.seed),
            "level": self.level, "points": [point.to_json() for point in self.points], "notes": self.notes,
        }  # fmt: skip

    def plot(self, path: Path | str) -> None:
        """Draw the win rates with their intervals by factor, and write them as an SVG, PDF or PNG file.

        Args:
            path: File to write; one that exists is replaced.

        Raises:
            GameError: matplotlib is not installed.
            OSError: The file cannot be written.
        """
        itself = SweepPoint(1.0, 0, 0.5, (0.5, 0.5), AblationVerdict.NO_DIFFERENCE)
        points = sorted((*self.points, itself), key=lambda point: point.factor)
        lines = {self.preference: [(point.factor, point.rate) for point in points]}
        bands = {self.preference: [(point.factor, *point.interval) for point in points]}
        across, up = Axis("factor of the weights", "×"), share_axis("share of the games won by the scaled agent")
        interval = f"{self.level:.0%} intervals"
        save_plot(LinePlot("sweep", self.title, across, up, lines, bands=bands, interval=interval, reference=0.5), path)


def sweep_weight(
    game: Game | Engine | str,
    preference: str,
    factors: Sequence[float] = DEFAULT_FACTORS,
    agent: str = "kb",
    games: int = 400,
    seed: int = 1,
    *,
    level: float = 0.95,
    folder: Path | str | None = None,
    on_progress: AblationProgress | None = None,
) -> WeightSweep:
    """Play an agent with scaled weights of a preference against the agent as it is, for each factor.

    Play of a factor stops when the interval excludes one half, as in `ablate`.

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        preference: Name of a preference or of a group.
        factors: Factors of its weights; 1 is left out.
        agent: ``kb`` or ``abl``, with options.
        games: Most games a factor; rounded down to whole deals.
        seed: Seed of deals and decisions.
        level: Level of the intervals.
        folder: Folder where finished shards are stored. None to store nothing.
        on_progress: Called after each shard.

    Returns:
        One point a factor.

    Raises:
        GameError: The agent or the preference is unknown, or a number is out of range.
        KBError: The rules do not compile.
        OSError: The folder cannot be written.
    """
    numbers = check_list("factors", factors, is_ordered=False)
    if wrong := [factor for factor in numbers if isinstance(factor, bool) or not isinstance(factor, Real)]:
        raise GameError(f"a factor is a number, not {wrong[0]!r:.60}", ErrorCode.INVALID_VALUE)
    chosen = sorted({float(factor) for factor in numbers if factor != 1})
    if not chosen:
        raise GameError("a sweep needs a factor other than 1", ErrorCode.INVALID_VALUE)
    name = str(check_agent_name(agent))
    variants = [agent_variant(name, f"scale={preference}*{factor:.12g}") for factor in chosen]
    result = ablate(
        game, name, None, games, seed, variants=variants, level=level, folder=folder, on_progress=on_progress
    )
    turned = {AblationVerdict.HELPS: AblationVerdict.HARMS, AblationVerdict.HARMS: AblationVerdict.HELPS}
    points = [
        SweepPoint(
            factor, row.games, round(1 - row.rate, 6),
            (round(1 - row.interval[1], 6), round(1 - row.interval[0], 6)), turned.get(row.verdict, row.verdict),
        )
        for factor, row in zip(chosen, result.rows, strict=True)
    ]  # fmt: skip
    return WeightSweep(result.game, name, preference, tuple(points), seed, level)
