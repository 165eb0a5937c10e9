"""The table in docs/notes/preferences.md of the value of each group of preferences."""

from __future__ import annotations

import re
from pathlib import Path

from abl_cards.games.game import load

NEEDS_AN_ESTIMATE = "beliefs"
"""This group never fires for an agent without an estimate of the other hands, as kb; see tests of the minimiser."""


def test_documents_list_every_group_with_a_positive_effect() -> None:
    """Both tables list every group, with lower bounds above one half."""
    docs = Path(__file__).parents[2] / "docs"
    table, groups = ((docs / name).read_text("utf-8") for name in ("notes/preferences.md", "reference/guandan.md"))
    judge = load("guandan").engine().preference_model()
    measured = re.findall(r"^\| `(\w+)` \| \d+ \| 2,000 \| \S+% \| (\S+)% – ", table, re.MULTILINE)
    explained = re.findall(r"^\| `(\w+)` \| [a-z]", groups.partition("## Groups of preferences")[2], re.MULTILINE)
    estimated, blind = {*judge.preferences(with_estimate=True).values()}, {*judge.preferences().values()}
    assert sorted(explained) == sorted(estimated) == sorted(set(judge.kb.preference_groups.values()))
    assert sorted(group for group, _ in measured) == sorted(blind) == sorted({*explained} - {NEEDS_AN_ESTIMATE})
    assert all(float(low) > 50 for _, low in measured)
