"""Pictures of cards: rank and suit drawn in a random font, size, place and rotation, with noise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = (28, 20)
"""Height and width of a picture in pixels."""
_FONTS = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono")
_SUIT_SIGNS = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_MAX_DEGREES, _NOISE = 8.0, 0.08


def draw_cards(cards: Sequence[str], random: np.random.Generator) -> NDArray[np.float32]:
    """Draw a picture of each card.

    Args:
        cards: Two characters for each card, one of them a suit S, H, C or D; others are written as they are.
        random: Source of fonts, sizes, places, rotations and noise.

    Returns:
        float32[cards, 28, 20] from 0 (paper) to 1 (ink).
    """
    return np.stack([_draw_card(card, random) for card in cards])


def _draw_card(card: str, random: np.random.Generator) -> NDArray[np.float32]:
    from PIL import Image, ImageDraw

    suit, rank = (card[0], card[1:]) if card[0] in _SUIT_SIGNS else (card[-1], card[:-1])
    image = Image.new("L", (SIZE[1], SIZE[0]), 0)
    draw = ImageDraw.Draw(image)
    font = str(random.choice(_FONTS))
    left, top = (int(shift) for shift in random.integers(0, 4, 2))
    ink = int(random.integers(180, 256))
    draw.text((3 + left, -1 + top), rank, font=_load_font(font, int(random.integers(12, 15))), fill=ink)
    sign = _SUIT_SIGNS.get(suit, suit)
    draw.text((3 + left, 11 + top), sign, font=_load_font(_FONTS[0], int(random.integers(11, 14))), fill=ink)
    angle = float(random.uniform(-_MAX_DEGREES, _MAX_DEGREES))
    pixels = np.asarray(image.rotate(angle, Image.Resampling.BILINEAR), np.float32) / 255
    return (pixels + random.normal(0, _NOISE, pixels.shape)).clip(0, 1).astype(np.float32)


@lru_cache(maxsize=32)
def _load_font(name: str, size: int) -> Any:
    """Load a font that comes with matplotlib."""
    from matplotlib import font_manager
    from PIL import ImageFont

    return ImageFont.truetype(font_manager.findfont(name), size)
