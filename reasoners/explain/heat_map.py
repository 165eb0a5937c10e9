"""An estimate of the hidden hands as a heat-map of text, a block a seat (Chen et al. 2025, figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.games.notation import NO_KIND
from abl_cards.reasoners.explain.model_explanation import SEAT_TEXTS, HandEstimateReport

_CELL_WIDTH = 5
IMPOSSIBLE_MARK = "·"
"""A card that the seat cannot hold."""
MIN_SHOWN_COPIES = 0.005
"""Copies that do not round to nothing."""

_TEXTS = {
    "en": {
        "title": "estimated hands: expected copies of each card, {how}; {nowhere} where there can be none",
        "projected": "made consistent with what is known",
        "raw": "as the network says",
        "seat": "{name}, {left} cards",
    },
    "zh": {
        "title": "手牌估计：每张牌的期望张数，{how}；{nowhere} 表示不可能有",
        "projected": "已与已知信息一致",
        "raw": "网络的原始输出",
        "seat": "{name}，{left} 张",
    },
}  # fmt: skip


@dataclass(frozen=True)
class HeatMapCell:
    """Some text of a line, and how hot it is: expected copies, or None for what is no cell."""

    text: str
    heat: float | None = None


HeatMapLine = tuple[HeatMapCell, ...]


def render_heat_map(estimate: HandEstimateReport, language: str) -> Iterator[HeatMapLine]:
    """The lines of a heat-map, at most 80 columns wide."""
    say = _TEXTS[language]
    how = say["projected" if estimate.is_projected else "raw"]
    yield (HeatMapCell(say["title"].format(how=how, nowhere=IMPOSSIBLE_MARK)),)
    for place, (name, left) in enumerate(zip(estimate.names, estimate.left, strict=True)):
        yield (HeatMapCell(""),)
        yield (HeatMapCell(say["seat"].format(name=SEAT_TEXTS[language][name], left=left)),)
        yield from _seat_lines(estimate, place)


def _seat_lines(estimate: HandEstimateReport, place: int) -> Iterator[HeatMapLine]:
    """Ranks by suits; what has no suit stands behind the first one."""
    grid = estimate.grid
    yield (HeatMapCell("   " + "".join(head.rjust(_CELL_WIDTH) for head in grid.column_headers)),)
    for row, kinds in zip(grid.row_headers, grid.kinds.tolist(), strict=True):
        last = max(column for column, kind in enumerate(kinds) if kind != NO_KIND)
        yield (HeatMapCell(f"{row:>3}"), *(_cell(estimate, place, kind) for kind in kinds[: last + 1]))


def _cell(estimate: HandEstimateReport, place: int, card: int) -> HeatMapCell:
    if card == NO_KIND:
        return HeatMapCell(" " * _CELL_WIDTH)
    copies = float(estimate.copies[place, card])
    if not estimate.is_possible[place, card] and copies < MIN_SHOWN_COPIES:
        return HeatMapCell(IMPOSSIBLE_MARK.rjust(_CELL_WIDTH), 0.0)
    text = f"{copies:.2f}"
    return HeatMapCell(text.removeprefix("0").rjust(_CELL_WIDTH), copies)
