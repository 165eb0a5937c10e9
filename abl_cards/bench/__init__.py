"""What is fast and how fast: measured here and now, side by side, in whatever game is asked."""

from abl_cards.bench.figures import Figure
from abl_cards.bench.suite import machine, measure

__all__ = ["Figure", "machine", "measure"]
