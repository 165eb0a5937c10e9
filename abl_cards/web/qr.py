"""QR codes of links as paths of SVG, so that a phone reads the link from the screen."""

from __future__ import annotations

from typing import Any

from abl_cards.core import require_extra

MAX_TEXT_LENGTH = 600
QUIET_ZONE = 4
"""Modules of white around the code (ISO/IEC 18004)."""


def make_qr(text: str) -> dict[str, Any]:
    """Return a QR code.

    Args:
        text: Text of the code, of at most `MAX_TEXT_LENGTH` characters.

    Returns:
        ``size``, the width in modules with the quiet zone, and ``path``, the dark modules as the data of an SVG path.

    Raises:
        ModuleNotFoundError: The library segno is missing.
    """
    require_extra("web")
    import segno

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    return {"size": len(rows) + 2 * QUIET_ZONE, "path": "".join(_row_path(row, y) for y, row in enumerate(rows))}


def _row_path(row: list[int], y: int) -> str:
    """Return the runs of dark modules of a row as rectangles of height 1."""
    path, x = "", 0
    while x < len(row):
        end = x
        while end < len(row) and row[end]:
            end += 1
        if end > x:
            path += f"M{x + QUIET_ZONE} {y + QUIET_ZONE}h{end - x}v1h-{end - x}z"
        x = max(end, x + 1)
    return path
