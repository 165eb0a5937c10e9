"""The cases of a folder that is being edited, and the edits of its rules that no case notices."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from abl_cards.errors import GameError
from abl_cards.files import write_text
from abl_cards.games.reading.variants import VARIANT
from abl_cards.lab.workbench import Workbench
from abl_cards.seeds import seed64
from abl_cards.selftest.cases import FILE, Case, failure_of, read_cases
from abl_cards.selftest.edits import copy_with_parents, edits_of
from abl_cards.selftest.mutants import CAUGHT, SAME, Mutant, Trial, share_caught, try_edits

SECONDS = 5.0
"""That a proof that an edit changes nothing may take."""
MOST_JOBS = 2
"""Processes that try edits."""
Tell = Callable[[int, int], None]
"""Told how many are done, of how many; what it raises ends the work."""


def wrong_lines(text: str) -> Iterator[tuple[int, str]]:
    """The first line that is no case, and what is wrong with it."""
    try:
        _read(text)
    except GameError as problem:
        place, _, said = str(problem).removeprefix(f"{FILE}:").partition(": ")
        yield (int(place) if place.isdigit() else 1), said or str(problem)


def cases_of(bench: Workbench) -> list[Case]:
    """The folder's cases, else those of its parent; raises GameError with the line of what is none."""
    try:
        text = bench.read(FILE)
    except GameError:
        return []  # nobody has written any
    return [_adopted(case) for case in _read(text)]


def _adopted(case: Case) -> Case:
    """A case about a record, which says of what game it is: the folder's name is new."""
    record = case.value.get("record")
    if not isinstance(record, dict):
        return case
    kept = {name: value for name, value in record.items() if name != "game"}
    return Case(case.line, {**case.value, "record": kept})


def _read(text: str) -> list[Case]:
    with tempfile.TemporaryDirectory(prefix="abl-cards-cases-") as place:
        write_text(Path(place) / FILE, text)
        try:
            return read_cases(Path(place))
        except GameError as problem:
            raise GameError(str(problem).replace(f"{place}/", "")) from None


@dataclass(frozen=True)
class Failed:
    """A case that does not hold."""

    line: int
    said: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"line": self.line, "said": self.said, "why": self.why}


def wrong_cases(bench: Workbench, tell: Tell) -> Iterator[Failed]:
    """The cases that do not hold by the rules as they are written now; raises KBError where these do not compile."""
    cases = cases_of(bench)
    for number, case in enumerate(cases):
        tell(number, len(cases))
        said = failure_of(case, bench.by_profile(case.profile or bench.profile))
        if said:
            yield Failed(case.line, said[:1000], str(case.value.get("why", ""))[:1000])
    tell(len(cases), len(cases))


def unnoticed(bench: Workbench, number: int, tell: Tell, seed: int = 0) -> dict[str, Any]:
    """Try so many edits of the files that were written here, in bounded processes; those that no case notices.

    Raises GameError where nothing is written, KBError where the rules do not compile.
    """
    cases = cases_of(bench)
    assert bench.after  # what is wrong with the rules themselves is said first
    with tempfile.TemporaryDirectory(prefix="abl-cards-edits-") as place:
        folder = copy_with_parents(bench.folder, Path(place))
        if cases:
            lines = (json.dumps(case.value, ensure_ascii=False) + "\n" for case in cases)
            write_text(folder / FILE, "".join(lines))
        every = [each for each in edits_of(folder) if each.file != VARIANT]
        if not every:
            raise GameError("there is no rule to edit: write a rule file first")
        chosen = every if number >= len(every) else Random(seed64(seed)).sample(every, number)
        done = list[Mutant]()

        def count(mutant: Mutant) -> None:
            done.append(mutant)
            tell(len(done), len(chosen))

        found = try_edits(Trial(folder, bench.profile, SECONDS), chosen, count, MOST_JOBS)
    left = [each.to_json() for each in found if each.outcome not in (*CAUGHT, SAME)]
    noticed = sum(each.outcome in CAUGHT for each in found)
    return {
        "edits": len(found), "of": len(every), "noticed": noticed, "same": sum(each.outcome == SAME for each in found),
        "share": round(share_caught(found), 4), "left": left, "cases": len(cases),
    }  # fmt: skip
