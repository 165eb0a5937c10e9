"""Property of the layout of a table, by node: everything is inside, nothing overlaps, and cards change no rectangle."""

import itertools
from typing import Any

import pytest

from tests.web.test_scripts import run_script

PHONES = {"landscape": [(860, 368), (740, 328), (932, 398)], "portrait": [(400, 820), (360, 640), (414, 856)]}
DESKTOPS = [(1082, 828), (920, 800), (768, 976), (1560, 1000)]
SCRIPT = """import { countSides, layOutTable } from './table/layout.js';
---
print(input.cases.map(([width, height, others, options]) =>
  layOutTable({width, height}, countSides(others), options)));"""
FANS = """import { fanOut } from './table/layout.js';
---
print(input.cases.map(([n, w, h, options]) => fanOut(n, {w, h}, options)));"""


def rectangles(layout: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return all rectangles that must not overlap, by name."""
    parts = {name: layout[name] for name in ("hud", "tools", "hand", "message", "own", "actions")}
    for kind, side in itertools.product(("seats", "piles"), ("left", "top", "right", "mine")):
        parts |= {f"{kind} {side} {row}": one for row, one in enumerate(layout[kind].get(side, []))}
    return {name: one for name, one in parts.items() if one["w"] and one["h"]}


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return (
        one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"]
    )  # fmt: skip


@pytest.mark.parametrize("others", [1, 2, 3, 4, 5])
def test_areas_are_inside_the_window_and_do_not_overlap(others: int) -> None:
    sizes = [*itertools.chain(*PHONES.values()), *DESKTOPS]
    options = [{"hasControls": True}, {"hasControls": False, "isOpen": True}]
    tables = [(size, one) for size in sizes for one in options]
    cases = [[*size, others, one] for size, one in tables]
    for ((width, height), _), layout in zip(tables, run_script(SCRIPT, cases=cases), strict=True):
        parts = rectangles(layout)
        for name, one in parts.items():
            assert one["x"] >= 0, (width, height, name)
            assert one["y"] >= 0, (width, height, name)
            assert one["x"] + one["w"] <= width, (width, height, name)
            assert one["y"] + one["h"] <= height, (width, height, name)
            if name.startswith("piles"):
                assert one["h"] >= 30, (width, height, name)  # a card and its name can be read
        for (name, one), (other_name, other) in itertools.combinations(parts.items(), 2):
            assert not overlap(one, other), (width, height, name, other_name)


@pytest.mark.parametrize(("form", "sizes"), PHONES.items())
def test_phone_layout_has_hand_actions_and_score(form: str, sizes: list[tuple[int, int]]) -> None:
    for layout in run_script(SCRIPT, cases=[[*size, 3, {}] for size in sizes]):
        assert layout["form"] == form
        assert {"hand", "actions", "hud", "message"} <= set(rectangles(layout))
        assert layout["actions"]["h"] >= 80
        assert layout["hand"]["h"] >= 60


def test_hands_of_any_size_fit_their_area() -> None:
    cases = [
        [n, w, h, {"card": card, "numRows": rows, "gaps": list(gaps)}]
        for n in range(1, 55)
        for w, h, card, rows in ((664, 92, 54, 1), (388, 150, 47, 2), (1070, 123, 72, 1))
        for gaps in ((), tuple(range(3, n, 3)))
    ]
    for (n, w, h, _), fan in zip(cases, run_script(FANS, cases=cases), strict=True):
        assert len(fan["spots"]) == n
        for spot in fan["spots"]:
            assert 0 <= spot["x"] <= w - fan["width"] + 0.5
            assert 0 <= spot["y"] <= h - 1.4 * fan["width"] + 0.5
        if n <= 27:
            assert fan["step"] >= 15  # the rank in the corner of each card is visible
