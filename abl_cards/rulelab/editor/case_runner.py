"""The cases of a folder that is being edited, and the edits of its rules that no case notices."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from abl_cards.core import ErrorCode, GameError, seed64, write_text
from abl_cards.games.description import VARIANT_FILE
from abl_cards.rulelab.editor.draft import RuleDraft
from abl_cards.rulelab.testing import (
    CASES_FILE,
    CAUGHT,
    SAME,
    Mutant,
    MutationRun,
    RuleCase,
    check_case,
    compute_caught_share,
    copy_with_parents,
    list_edits,
    read_cases,
    try_edits,
)

PROOF_SECONDS = 5.0
"""Time limit of a proof that an edit changes nothing."""
MAX_JOBS = 2
"""Processes that try edits."""
CaseProgress = Callable[[int, int], None]
"""Told how many are done, of how many; what it raises ends the work."""


def find_invalid_lines(text: str) -> Iterator[tuple[int, str]]:
    """The first line that is no case, and what is wrong with it."""
    try:
        _parse_cases(text)
    except GameError as problem:
        place, _, said = str(problem).removeprefix(f"{CASES_FILE}:").partition(": ")
        yield (int(place) if place.isdigit() else 1), said or str(problem)


def read_draft_cases(draft: RuleDraft) -> list[RuleCase]:
    """The folder's cases, else those of its parent; raises GameError with the line of what is none."""
    try:
        text = draft.read(CASES_FILE)
    except GameError:
        return []  # nobody has written any
    return [_drop_game_name(case) for case in _parse_cases(text)]


def _drop_game_name(case: RuleCase) -> RuleCase:
    """Remove the name of the game from a case with a record: the folder has a new name."""
    record = case.value.get("record")
    if not isinstance(record, dict):
        return case
    kept = {name: value for name, value in record.items() if name != "game"}
    return RuleCase(case.line, {**case.value, "record": kept})


def _parse_cases(text: str) -> list[RuleCase]:
    with tempfile.TemporaryDirectory(prefix="abl-cards-cases-") as place:
        write_text(Path(place) / CASES_FILE, text)
        try:
            return read_cases(Path(place))
        except GameError as problem:
            raise GameError(str(problem).replace(f"{place}/", ""), ErrorCode.INVALID_CASE) from None


@dataclass(frozen=True)
class FailedCase:
    """A case that does not hold."""

    line: int
    message: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"line": self.line, "said": self.message, "why": self.why}


def find_failing_cases(draft: RuleDraft, on_progress: CaseProgress) -> Iterator[FailedCase]:
    """The cases that do not hold by the rules as they are written now; raises KBError where these do not compile."""
    cases = read_draft_cases(draft)
    for number, case in enumerate(cases):
        on_progress(number, len(cases))
        said = check_case(case, draft.engine_for_profile(case.profile or draft.profile))
        if said:
            yield FailedCase(case.line, said[:1000], str(case.value.get("why", ""))[:1000])
    on_progress(len(cases), len(cases))


def find_surviving_edits(draft: RuleDraft, n_edits: int, on_progress: CaseProgress, seed: int = 0) -> dict[str, Any]:
    """Try so many edits of the files that were written here, in bounded processes; those that no case notices.

    Raises GameError where nothing is written, KBError where the rules do not compile.
    """
    cases = read_draft_cases(draft)
    assert draft.current_engine  # what is wrong with the rules themselves is said first
    with tempfile.TemporaryDirectory(prefix="abl-cards-edits-") as place:
        folder = copy_with_parents(draft.folder, Path(place))
        if cases:
            lines = (json.dumps(case.value, ensure_ascii=False) + "\n" for case in cases)
            write_text(folder / CASES_FILE, "".join(lines))
        every = [each for each in list_edits(folder) if each.file != VARIANT_FILE]
        if not every:
            raise GameError("there is no rule to edit: write a rule file first", ErrorCode.NOT_FOUND)
        chosen = every if n_edits >= len(every) else Random(seed64(seed)).sample(every, n_edits)
        done = list[Mutant]()

        def count(mutant: Mutant) -> None:
            done.append(mutant)
            on_progress(len(done), len(chosen))

        found = try_edits(MutationRun(folder, draft.profile, PROOF_SECONDS), chosen, count, MAX_JOBS)
    left = [each.to_json() for each in found if each.outcome not in (*CAUGHT, SAME)]
    noticed = sum(each.outcome in CAUGHT for each in found)
    return {
        "edits": len(found), "of": len(every), "noticed": noticed, "same": sum(each.outcome == SAME for each in found),
        "share": round(compute_caught_share(found), 4), "left": left, "cases": len(cases),
    }  # fmt: skip
