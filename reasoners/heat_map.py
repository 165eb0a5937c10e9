"""An estimate of the hidden hands as a heat-map of text, a block a seat (Chen et al. 2025, figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.games.words.card_grid import NO_KIND
from reasoners.opinion import SEATS, HandEstimate

_WIDTH = 5
NOWHERE = "·"
"""A card that the seat cannot hold."""
SHOWN = 0.005
"""Copies that do not round to nothing."""

_WORDS = {
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
class Piece:
    """Some text of a line, and how hot it is: expected copies, or None for what is no cell."""

    text: str
    heat: float | None = None


Line = tuple[Piece, ...]


def heat_map(estimate: HandEstimate, language: str) -> Iterator[Line]:
    """The lines of a heat-map, at most 80 columns wide."""
    say = _WORDS[language]
    how = say["projected" if estimate.projected else "raw"]
    yield (Piece(say["title"].format(how=how, nowhere=NOWHERE)),)
    for place, (name, left) in enumerate(zip(estimate.names, estimate.left, strict=True)):
        yield (Piece(""),)
        yield (Piece(say["seat"].format(name=SEATS[language][name], left=left)),)
        yield from _block(estimate, place)


def _block(estimate: HandEstimate, place: int) -> Iterator[Line]:
    """Ranks by suits; what has no suit stands behind the first one."""
    grid = estimate.grid
    yield (Piece("   " + "".join(head.rjust(_WIDTH) for head in grid.heads)),)
    for row, kinds in zip(grid.rows, grid.kinds.tolist(), strict=True):
        last = max(column for column, kind in enumerate(kinds) if kind != NO_KIND)
        yield (Piece(f"{row:>3}"), *(_cell(estimate, place, kind) for kind in kinds[: last + 1]))


def _cell(estimate: HandEstimate, place: int, card: int) -> Piece:
    if card == NO_KIND:
        return Piece(" " * _WIDTH)
    copies = float(estimate.copies[place, card])
    if not estimate.possible[place, card] and copies < SHOWN:
        return Piece(NOWHERE.rjust(_WIDTH), 0.0)
    text = f"{copies:.2f}"
    return Piece(text.removeprefix("0").rjust(_WIDTH), copies)
