"""Show explanations of neural agents in colour on the terminal and as plots (Chen et al. 2025, figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.cli.console import make_console

if TYPE_CHECKING:
    from rich.text import Text

    from abl_cards.reasoners.explain import Explanation, HandEstimateReport, HeatMapLine, MoveAssessment

_COLD, _HOT = (40, 48, 64), (214, 72, 32)
"""Backgrounds of no copy and of one copy or more: red, green and blue."""
_MIN_HEAT = 0.05  # copies; smaller expectations have no background
_MAX_BARS = 8
_WIDTH, _BARS_HEIGHT, _SEAT_HEIGHT = 11.0, 3.0, 2.2  # inches
_WHITE_TEXT_FROM = 0.6  # copies; numbers are white from here on, for contrast


def print_heat_map(estimate: HandEstimateReport, language: str) -> None:
    """Print an estimate of hidden hands, in colour if the terminal supports it."""
    from abl_cards.reasoners.explain import render_heat_map

    console = make_console()
    for line in render_heat_map(estimate, language):
        console.print(_line_to_text(line), soft_wrap=True)


def _line_to_text(line: HeatMapLine) -> Text:
    from rich.text import Text

    text = Text()
    for piece in line:
        text.append(piece.text, "" if piece.heat is None or piece.heat < _MIN_HEAT else _heat_style(piece.heat))
    return text


def _heat_style(heat: float) -> str:
    share = min(heat, 1.0)
    red, green, blue = (round(cold + share * (hot - cold)) for cold, hot in zip(_COLD, _HOT, strict=True))
    return f"white on rgb({red},{green},{blue})"


def draw_explanation(explanation: Explanation, file: Path) -> None:
    """Draw labels, candidates and the estimate of hidden hands into a PNG file; its texts are English."""
    from matplotlib.figure import Figure

    estimate = explanation.model_explanation.estimate if explanation.model_explanation else None
    names = estimate.names if estimate else ()
    figure = Figure(figsize=(_WIDTH, _BARS_HEIGHT + _SEAT_HEIGHT * len(names)), layout="constrained")
    grid = figure.add_gridspec(1 + len(names), 2, height_ratios=[_BARS_HEIGHT, *[_SEAT_HEIGHT] * len(names)])
    _draw_labels(figure.add_subplot(grid[0, 0]), explanation)
    _draw_candidates(figure.add_subplot(grid[0, 1]), explanation)
    for index in range(len(names)):
        if estimate:
            _draw_seat(figure.add_subplot(grid[1 + index, :]), estimate, index)
    figure.savefig(file, format="png")


def _draw_labels(axes: Any, explanation: Explanation) -> None:
    shown = explanation.labels[:_MAX_BARS]
    chances = [option.probability or 0.0 for option in shown]
    texts = [f"{chance:.1%}{_points_text(option)}" for chance, option in zip(chances, shown, strict=True)]
    _draw_bars(axes, [option.label for option in shown], chances, texts)
    axes.set_title(f"labels by probability, {len(shown)} of {len(explanation.labels)}")


def _points_text(verdict: MoveAssessment) -> str:
    """Format the points that the look-ahead expects of a label."""
    points = verdict.lookahead.expected_points if verdict.lookahead else None
    return "" if points is None else f" ({points:+.2f} points)"


def _draw_candidates(axes: Any, explanation: Explanation) -> None:
    candidates, chosen = explanation.candidates, explanation.chosen
    shown = candidates[:_MAX_BARS]
    names = [f"{'> ' if candidate.rank == chosen.rank else ''}{candidate.action}" for candidate in shown]
    texts = ["inconsistent" if candidate.violations else str(candidate.cost) for candidate in shown]
    _draw_bars(axes, names, [candidate.cost for candidate in shown], texts)
    axes.set_title(f"card sets of {chosen.label} by cost, {len(shown)} of {len(candidates)}")


def _draw_bars(axes: Any, names: Sequence[str], lengths: Sequence[float], texts: Sequence[str]) -> None:
    bars = axes.barh(range(len(names)), lengths, color="tab:blue")
    axes.bar_label(bars, texts, padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.2)


def _draw_seat(axes: Any, estimate: HandEstimateReport, index: int) -> None:
    """Draw ranks by suits, then cards without a suit; impossible cards are grey."""
    from abl_cards.reasoners.explain import MIN_SHOWN_COPIES

    grid = estimate.grid.kinds
    copies = np.where(grid >= 0, estimate.copies[index][grid], np.nan)
    shown = (grid >= 0) & (estimate.is_possible[index][grid] | (copies >= MIN_SHOWN_COPIES))
    axes.set_facecolor("0.92")
    axes.imshow(np.where(shown, copies, np.nan), vmin=0, vmax=1, cmap="Reds", aspect="auto")
    for (row, column), value in np.ndenumerate(copies):
        if shown[row, column]:
            axes.text(
                column,
                row,
                f"{value:.2f}",
                ha="center",
                va="center",
                color="white" if value > _WHITE_TEXT_FROM else "black",
            )
    axes.set_xticks(range(grid.shape[1]), estimate.grid.column_headers)
    axes.set_yticks(range(len(grid)), estimate.grid.row_headers)
    axes.set_title(f"{estimate.names[index]}, {estimate.left[index]} cards: expected copies")
