"""Variants with preferences that need a search over plans and have no circuit."""

import shutil
from pathlib import Path

from abl_cards.cli.kb import NEW_GAME

PLAN = """
% Each rank that is left goes in one play, or in two; three of a kind stay together.
{ halved(R) : left(R,2) }.
:- halved(R), left(R,3).
later(N) :- N = 0..20, N = #count { R : left(R,1) ; R,again : halved(R) }.
cost(plan, N) :- later(N), N > 0.
"""
INPUTS = """
#external left(R,N) : rank(R), N = 1..4.
#external play(L) : label(L).
"""


def planner(folder: Path) -> Path:
    """Make a variant of President where a three does not leave another one in the hand."""
    return _variant(folder / "planner", "president", f"{PLAN}\n:- play(set(3,1)), left(3,1).\n")


def small_planner(folder: Path) -> tuple[Path, Path]:
    """Make a game of singles and pairs, and a variant of it."""
    shutil.copytree(NEW_GAME, folder / "small")
    plan = f"{INPUTS}{PLAN}\n:- play(single(R)), left(R,1), R < 6.\n"
    return folder / "small", _variant(folder / "planner", "small", plan)


def _variant(made: Path, parent: str, plan: str) -> Path:
    made.mkdir()
    (made / "variant.lp").write_text(f"parent({parent}).\n", "utf-8")
    (made / "plan.lp").write_text(plan, "utf-8")
    return made
