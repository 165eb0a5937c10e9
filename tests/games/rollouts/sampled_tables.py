"""Tables in the middle of games of ``kb``."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.agents import make_agent
from abl_cards.core import splitmix64_array


def sample_tables(engine: Any, count: int, num_steps: int) -> Any:
    """Return tables where a play is due, after up to so many plays each."""
    tables = engine.start_matches(splitmix64_array(np.full(count, 7, np.uint64), np.arange(count)))
    kb = make_agent("kb", engine)
    for step in range(num_steps):
        while (choosing := tables.rows_to_choose()).size:
            tables.choose(choosing, kb.choose(tables.choices(choosing), choosing.astype(np.uint64)))
        rows = tables.rows_to_play()
        rows = rows[(rows + step) % 3 > 0]
        tables.play(rows, kb.play(tables.decisions(rows), rows.astype(np.uint64)))
    return tables.copy(tables.rows_to_play())
