"""Texts of diagnostics: many diagnostics at one location are abbreviated."""

from __future__ import annotations

import pytest

from abl_cards.asp.errors import MOST_AT_A_PLACE, KBError, Location, did_you_mean, make_error, make_warning

PLACE, OTHER = Location("a.lp", 1, 1, 1, 9), Location("a.lp", 2, 1, 2, 9)


def test_diagnostics_at_one_location_are_abbreviated() -> None:
    problem = KBError([make_error(PLACE, f"wrong({i})") for i in range(40)])
    lines = str(problem).splitlines()
    assert len(lines) == MOST_AT_A_PLACE + 1
    assert str(40 - MOST_AT_A_PLACE) in lines[-1]
    assert all(line.startswith(str(PLACE)) for line in lines)
    assert len(problem.diagnostics) == 40


def test_diagnostics_at_other_locations_are_all_listed() -> None:
    few = [make_error(PLACE, f"wrong({i})") for i in range(MOST_AT_A_PLACE)]
    more = [
        make_error(OTHER, "wrong"),
        make_warning(PLACE, "unusual"),
        *(make_error(None, f"no {i}") for i in range(9)),
    ]
    assert len(str(KBError([*few, *more])).splitlines()) == len(few) + len(more)


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("hold/2", ["held/2", "held/3"], "held/2"),
        ("hold/3", ["held/2", "held/3"], "held/3"),
        ("hold/4", ["held/2"], "held/2"),
        ("singel", ["single", "pair"], "single"),
        ("moon/1", ["option/1"], None),  # the arity is no part of a name
        ("trump/1", ["top/1"], None),
        ("x", [], None),
    ],
)
def test_similar_names_are_suggested(word: str, known: list[str], expected: str | None) -> None:
    assert did_you_mean(word, known) == (f"did you mean '{expected}'?" if expected else "")
