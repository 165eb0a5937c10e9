"""Rules are grounded one after the other, and the costliest is found even if it does not end."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl_cards.asp.errors import Location
from abl_cards.asp.ground_program import TooManyRules
from abl_cards.asp.profiler import (
    GroundingCost,
    encode_cost,
    find_costliest_rule,
    find_failing_rule,
    group_rules,
    profile_grounding,
)
from abl_cards.asp.program import parse_sources
from abl_cards.asp.sources import read_sources

RULES = """c(X) :- b(X).
a(1..3).
b(X) :- a(X), not d.
even(0). even(X+2) :- odd(X+1), X < 9.
odd(X+1) :- even(X).
:- c(4), a(1).
#external d.
"""


def place(line: int) -> Location:
    return Location("rules.lp", line, 1, line, 9)


def line(number: int, seconds: float, rules: int = 0) -> str:
    return encode_cost(GroundingCost(place(number), seconds, rules))


def test_rule_groups_follow_their_dependencies(tmp_path: Path) -> None:
    (tmp_path / "rules.lp").write_text(RULES)
    sources, _ = read_sources([tmp_path / "rules.lp"], 1 << 20)
    parts = [[str(rule).partition(" ")[0] for rule in part] for part in group_rules(parse_sources(sources)[0], sources)]
    assert parts[-1] == ["#false"]
    order = [part[0].partition("(")[0] for part in parts]
    assert order.index("a") < order.index("b") < order.index("c")
    (together,) = (part for part in parts if any(rule.startswith("odd") for rule in part))
    assert len(together) == 3
    assert together[-1] == "even(0)."  # what is not recursive comes last


@pytest.mark.parametrize(
    ("lines", "by_rules", "worst"),
    [
        ([line(1, 0), line(1, 2.0, 5), line(2, 0), line(2, 0.5, 9)], False, 1),
        ([line(1, 0), line(1, 2.0, 5), line(2, 0), line(2, 0.5, 9)], True, 2),
        ([line(1, 0), line(1, 2.0, 5), line(2, 0)], False, 2),  # killed with eight seconds in the second
        ([line(1, 0), line(1, 9.0, 5), line(2, 0)], False, 1),
        ([], False, None),
    ],
)
def test_find_costliest_rule_returns_the_maximum(lines: list[str], by_rules: bool, worst: int | None) -> None:
    assert find_costliest_rule(lines, 10.0, by_rules) == (None if worst is None else place(worst))


def test_profiling_stops_at_limits_and_clingo_errors(tmp_path: Path) -> None:
    file = tmp_path / "rules.lp"
    file.write_text("a(1..3).\nb(X,Y,Z) :- a(X), a(Y), a(Z).\n")
    sources, _ = read_sources([file], 1 << 20)
    costs: list[GroundingCost] = []
    with pytest.raises(TooManyRules):
        profile_grounding(parse_sources(sources)[0], sources, [], (10, 1000), costs.append)
    assert (costs[-1].location.line, costs[-1].rules) == (2, 7)
    file.write_text("#external d(1..2).\na.\nb :- #sum { 2000000000,X : d(X) } > 1.\n")
    sources, _ = read_sources([file], 1 << 20)
    result = find_failing_rule(parse_sources(sources)[0], sources, [])
    assert result is not None
    place, failure = result
    assert place is not None
    assert place.line == 3
    assert "overflow" in str(failure)
