"""Test cases of a rule folder that is being edited, and edits of its rules that no case detects."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
    Edit,
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
"""Largest number of processes that test edits."""
CaseProgress = Callable[[int, int], None]
"""Called with the number of finished items and their total; an exception ends the work."""


def find_invalid_lines(text: str) -> Iterator[tuple[int, str]]:
    """Find the lines of a text that are not test cases.

    Args:
        text: Text of ``cases.jsonl``.

    Yields:
        Line, from 1, and error message; nothing for a valid text. If there are very many, only the first ones.
    """
    try:
        _parse_cases(text)
    except GameError as error:
        for problem in str(error).splitlines():
            line, _, message = problem.removeprefix(f"{CASES_FILE}:").partition(": ")
            yield (int(line) if line.isdigit() else 1), message or problem


def read_draft_cases(draft: RuleDraft) -> list[RuleCase]:
    """Read the cases of the folder, or else those of its parent; raises GameError with the line of an invalid one."""
    try:
        text = draft.read(CASES_FILE)
    except GameError:
        return []  # no file of cases
    return [_drop_game_name(case) for case in _parse_cases(text)]


def _drop_game_name(case: RuleCase) -> RuleCase:
    """Remove the name of the game from a case with a record, because the folder has a new name."""
    record = case.value.get("record")
    if not isinstance(record, dict):
        return case
    fields = {name: value for name, value in record.items() if name != "game"}
    return RuleCase(case.line, {**case.value, "record": fields})


def _parse_cases(text: str) -> list[RuleCase]:
    with tempfile.TemporaryDirectory(prefix="abl-cards-cases-") as folder:
        write_text(Path(folder) / CASES_FILE, text)
        try:
            return read_cases(Path(folder))
        except GameError as error:
            raise GameError(str(error).replace(f"{folder}/", ""), ErrorCode.INVALID_CASE) from None


@dataclass(frozen=True)
class FailedCase:
    """Case of a draft that does not hold."""

    line: int
    message: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Return the failure as JSON."""
        return {"line": self.line, "said": self.message, "why": self.why}


def find_failing_cases(draft: RuleDraft, on_progress: CaseProgress) -> Iterator[FailedCase]:
    """Check the cases of a draft by its current rules.

    Args:
        draft: Rules that are being edited.
        on_progress: Called with the number of finished cases and their total.

    Yields:
        Cases that do not hold.

    Raises:
        KBError: The rules do not compile.
        GameError: A line of the file is not a case.
    """
    cases = read_draft_cases(draft)
    for index, case in enumerate(cases):
        on_progress(index, len(cases))
        failure = check_case(case, draft.engine_for_profile(case.profile or draft.profile))
        if failure:
            yield FailedCase(case.line, failure[:1000], str(case.value.get("why", ""))[:1000])
    on_progress(len(cases), len(cases))


def find_surviving_edits(
    draft: RuleDraft, n_edits: int, on_progress: CaseProgress, seed: int = 0, with_parents: bool = False
) -> dict[str, Any]:
    """Test random edits of the files of a draft, and return those that no case detects.

    A draft without a rule of its own is tested by edits of its parents' rules.

    Args:
        draft: Rules that are being edited.
        n_edits: Number of edits; all if there are fewer.
        on_progress: Called with the number of finished edits and their total.
        seed: Seed of the selection.
        with_parents: Edit the files of the parents too.

    Returns:
        Counts of edits, share of detected ones and surviving edits, as JSON.

    Raises:
        GameError: The draft has no rule to edit.
        KBError: The rules do not compile.
    """
    cases = read_draft_cases(draft)
    assert draft.current_engine  # raises the errors of the rules first
    with tempfile.TemporaryDirectory(prefix="abl-cards-edits-") as scratch:
        folder = copy_with_parents(draft.folder, Path(scratch))
        if cases:
            lines = (json.dumps(case.value, ensure_ascii=False) + "\n" for case in cases)
            write_text(folder / CASES_FILE, "".join(lines))
        all_edits = _list_rule_edits(folder)
        with_parents = with_parents or not all_edits
        if with_parents:
            _copy_parent_files(draft, folder)
            all_edits = _list_rule_edits(folder)
        if not all_edits:
            raise GameError("there is no rule to edit: write a rule file first", ErrorCode.NOT_FOUND)
        selected = all_edits if n_edits >= len(all_edits) else Random(seed64(seed)).sample(all_edits, n_edits)
        finished = list[Mutant]()

        def count_mutant(mutant: Mutant) -> None:
            finished.append(mutant)
            on_progress(len(finished), len(selected))

        mutants = try_edits(MutationRun(folder, draft.profile, PROOF_SECONDS), selected, count_mutant, MAX_JOBS)
    surviving = [item.to_json() for item in mutants if item.outcome not in (*CAUGHT, SAME)]
    num_caught = sum(item.outcome in CAUGHT for item in mutants)
    return {
        "edits": len(mutants), "of": len(all_edits), "noticed": num_caught,
        "same": sum(item.outcome == SAME for item in mutants), "share": round(compute_caught_share(mutants), 4),
        "left": surviving, "cases": len(cases), "parents": with_parents,
    }  # fmt: skip


def _list_rule_edits(folder: Path) -> list[Edit]:
    return [edit for edit in list_edits(folder) if edit.file != VARIANT_FILE]


def _copy_parent_files(draft: RuleDraft, folder: Path) -> None:
    """Copy the rule files of the parents that the draft does not replace, so that they can be edited."""
    copy = replace(draft, folder=folder)
    for file in draft.files:
        if not file.is_own and file.name != CASES_FILE:
            copy.write(file.name, draft.read(file.name))
