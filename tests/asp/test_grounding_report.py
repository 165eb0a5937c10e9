"""Tests of the cost of grounding."""

from pathlib import Path

import pytest

from abl_cards.asp import Limits, report_grounding
from abl_cards.asp.build import BuildRequest
from abl_cards.asp.terms import Input, Signature

RULES = """#external held(R) : R = 1..9.
few(R) :- held(R).
many(X,Y,Z) :- held(X), held(Y), held(Z).
legal(L) :- many(L,_,_), few(L).
"""


def request(folder: Path) -> BuildRequest:
    """Return a small program with a costly rule in its third line."""
    (folder / "rules.lp").write_text(RULES, "utf-8")
    return BuildRequest((folder / "rules.lp",), (Input("held", (range(1, 10),)),), (Signature("legal", 1),), {}, ())


def test_report_names_the_costliest_rule(tmp_path: Path) -> None:
    report = report_grounding(request(tmp_path), "a name")
    assert report is not None
    first = report.costliest[0]
    assert first.location.line == 3
    assert first.rules >= 729
    assert report.rules > 800
    assert report.seconds > 0
    assert 0 <= report.memory < Limits().memory
    assert report_grounding(request(tmp_path), "a name") == report  # from the cache
    assert report.to_json()["costliest"][0]["rules"] == first.rules


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the peak of a process includes its parent's")
def test_reported_memory_excludes_the_parent_process(tmp_path: Path) -> None:
    """It was at least that of the process that asked, which grows with all that it has compiled."""
    held = b"x" * (200 << 20)
    report = report_grounding(request(tmp_path), None)
    assert report is not None
    assert 0 < report.memory < len(held)


def test_exceeding_the_limits_gives_no_report(tmp_path: Path) -> None:
    assert report_grounding(request(tmp_path), None, Limits(rules=100)) is None
