"""Tests of random rule folders: their constructs, and agreement with the naive reading."""

from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp import sandbox
from abl_cards.asp.terms import Atom, Term
from tests.effort import amount, long
from tests.fuzz import runner
from tests.fuzz.child import REFUSED, STOPPED, outcome
from tests.fuzz.counts import count
from tests.fuzz.draft import CONSTRUCTS
from tests.fuzz.generator import drawn
from tests.fuzz.naive import Acting, Naive
from tests.fuzz.runner import bounds_checked, report, run, wrong
from tests.in_process import InProcessWorker

FEW, MANY, ALL = amount(3, 20), 500, 2000
NARROW = 4
"""Most kinds of cards that act as one cell, with kernels that other tests compile."""


def test_all_constructs_and_pairs_occur() -> None:
    pairs = count(drawn(seed).constructs for seed in range(1, ALL + 1))
    for place, first in enumerate(CONSTRUCTS):
        assert pairs[first, first] >= 100
        assert all(pairs[first, second] >= 10 for second in CONSTRUCTS[place + 1 :])


def test_folders_are_deterministic_by_seed() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7).files != drawn(8).files


class FolderWorker(InProcessWorker):
    """Replacement of the child process that checks folders."""

    def answer(self, payload: Any) -> Any:
        """Check a folder."""
        return outcome(payload["seed"], Path(payload["folder"]), payload["states"], payload["tables"], payload["steps"])


def test_few_folders_agree_with_the_naive_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if amount(1, 0):
        monkeypatch.setattr(runner, "SubprocessWorker", FolderWorker)
        monkeypatch.setattr(sandbox, "_in_process", True)
    narrow = [seed for seed in range(1, MANY) if drawn(seed).widest <= NARROW][:FEW]
    results = run(narrow, tmp_path, lambda _: None, states=15, tables=12, steps=45)
    assert not wrong(results), report(results)
    assert sum(result["outcome"] not in (REFUSED, STOPPED) for result in results) >= 0.5 * FEW


@long
def test_many_folders_agree_under_bounds_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, "")
    bounds_checked(tmp_path / "numba")
    results = run(range(1, MANY + 1), tmp_path, lambda _: None)
    assert not wrong(results), report(results)
    assert sum(result["outcome"] != REFUSED for result in results) >= 0.7 * MANY


def test_naive_reading_finds_known_card_sets() -> None:
    """Find a pair of threes, a run with a wild card, and a trio with a kicker; the fours are wild."""
    facts = [("form", ("pair", "pair")), ("needs", ("pair", 1, 3, 2)), ("wilds", ("pair", 1))]
    facts += [("form", ("run", "run")), ("needs", ("run", 1, 3, 1)), ("needs", ("run", 2, 4, 1))]
    facts += [
        ("form", ("trio", "trio")),
        ("needs", ("trio", 1, 3, 3)),
        ("kickers", ("trio", 1, 1)),
        ("kicker", ("trio", 5, 1)),
    ]
    naive = Naive(Atom(*fact) for fact in facts)
    acting = Acting({3: {3}, 4: {"wild"}, 5: {5}}, {3: {3}, 4: {4, "wild"}, 5: {5}})
    hand: dict[Term, int] = {3: 3, 4: 2, 5: 2}
    assert naive.sets("pair", hand, acting, True) == {(3, 3), (3, 4)}
    assert naive.sets("run", hand, acting, True) == {(3, 4)}  # the wild four as itself
    assert naive.sets("trio", hand, acting, True) == {(3, 3, 3, 5)}
