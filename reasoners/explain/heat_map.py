"""Render an estimate of hidden hands as a heat map of text, one block for each seat (Chen et al. 2025, figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.core import texts_by_language
from abl_cards.games.notation import NO_KIND
from abl_cards.reasoners.explain.model_explanation import SEAT_TEXTS, HandEstimateReport

_CELL_WIDTH = 5
IMPOSSIBLE_MARK = "·"
"""Mark of a card that a seat cannot hold."""
MIN_SHOWN_COPIES = 0.005
"""Least copies that do not round to 0.00."""

_TEXTS = texts_by_language({
    "title": ("estimated hands: expected copies of each card, {how}; {nowhere} where there can be none",
              "手牌估计：每张牌的期望张数，{how}；{nowhere} 表示不可能有"),
    "projected": ("made consistent with what is known", "已与已知信息一致"),
    "raw": ("as the network says", "网络的原始输出"),
    "seat": ("{name}, {left} cards", "{name}，{left} 张"),
})  # fmt: skip


@dataclass(frozen=True)
class HeatMapCell:
    """Part of a line of a heat map.

    Attributes:
        text: Its text.
        heat: Expected copies; None for text outside of cells.
    """

    text: str
    heat: float | None = None


HeatMapLine = tuple[HeatMapCell, ...]


def render_heat_map(estimate: HandEstimateReport, language: str) -> Iterator[HeatMapLine]:
    """Render a heat map.

    Args:
        estimate: Estimate of the hidden hands.
        language: Language of the texts.

    Yields:
        Lines of at most 80 columns.
    """
    phrases = _TEXTS[language]
    how = phrases["projected" if estimate.is_projected else "raw"]
    yield (HeatMapCell(phrases["title"].format(how=how, nowhere=IMPOSSIBLE_MARK)),)
    for seat_index, (name, left) in enumerate(zip(estimate.names, estimate.left, strict=True)):
        yield (HeatMapCell(""),)
        yield (HeatMapCell(phrases["seat"].format(name=SEAT_TEXTS[language][name], left=left)),)
        yield from _seat_lines(estimate, seat_index)


def _seat_lines(estimate: HandEstimateReport, seat_index: int) -> Iterator[HeatMapLine]:
    """Yield ranks by suits; cards without suit stand in the first column."""
    grid = estimate.grid
    yield (HeatMapCell("   " + "".join(head.rjust(_CELL_WIDTH) for head in grid.column_headers)),)
    for row, kinds in zip(grid.row_headers, grid.kinds.tolist(), strict=True):
        last = max(column for column, kind in enumerate(kinds) if kind != NO_KIND)
        yield (HeatMapCell(f"{row:>3}"), *(_cell(estimate, seat_index, kind) for kind in kinds[: last + 1]))


def _cell(estimate: HandEstimateReport, seat_index: int, card: int) -> HeatMapCell:
    if card == NO_KIND:
        return HeatMapCell(" " * _CELL_WIDTH)
    copies = float(estimate.copies[seat_index, card])
    if not estimate.is_possible[seat_index, card] and copies < MIN_SHOWN_COPIES:
        return HeatMapCell(IMPOSSIBLE_MARK.rjust(_CELL_WIDTH), 0.0)
    text = f"{copies:.2f}"
    return HeatMapCell(text.removeprefix("0").rjust(_CELL_WIDTH), copies)
