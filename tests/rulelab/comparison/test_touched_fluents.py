"""Tests of the fluents that an edit touches."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from abl_cards.asp import Signature
from abl_cards.games.description.folder import Folder
from abl_cards.rulelab.comparison.touched_fluents import find_touched_fluents

RULES = """% Rules about three fluents.
#const strict = 0.
any(broken,0). one(level,1). count(lost,2).
lead :- broken, level(3).
barred(pair(3)) :- lead.
cost(careful,3) :- lost(0,1).
"""


def stub(folder: Path, text: str) -> Any:
    """Return a folder of rules in place of an engine; only its text and the names of its fluents are read."""
    folder.mkdir()
    (folder / "rules.lp").write_text(text, "utf-8")
    fluents = [SimpleNamespace(signature=Signature(name, 1)) for name in ("broken", "level", "lost")]
    return SimpleNamespace(
        rules=SimpleNamespace(folder=Folder(folder), profile=None, fluents=SimpleNamespace(fluents=fluents))
    )


@pytest.mark.parametrize(
    ("edit", "touched"),
    [
        (("% Rules about three", "% Other rules about"), set()),
        (("pair(3)) :- lead", "pair(4)) :- lead"), {"broken", "level"}),
        (("cost(careful,3)", "cost(careful,4)"), {"lost"}),
        (("any(broken,0).", "any(broken,0). more(1)."), set()),
        (("count(lost,2).", "count(lost,2). broken(0)."), {"broken", "level"}),
    ],
)
def test_find_touched_fluents_returns_fluents_read_by_changed_rules(
    tmp_path: Path, edit: tuple[str, str], touched: set[str]
) -> None:
    before, after = stub(tmp_path / "before", RULES), stub(tmp_path / "after", RULES.replace(*edit))
    assert find_touched_fluents(before, after) == touched
