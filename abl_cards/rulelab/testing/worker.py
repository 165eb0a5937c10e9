"""Worker process that tests edits: ``python -m abl_cards.rulelab.testing.worker FOLDER``, with its own folder."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from abl_cards.asp import KBError, work_in_process
from abl_cards.core import GameError, ensure_complete_writes, reduce_gc
from abl_cards.games import Engine, Game
from abl_cards.games.description import Folder
from abl_cards.rulelab.testing.cases import RuleCase, find_failures
from abl_cards.rulelab.testing.differences import find_rule_difference
from abl_cards.rulelab.testing.edits import Edit, copy_with_parents
from abl_cards.rulelab.testing.inherited_cases import read_all_cases
from abl_cards.rulelab.testing.mutants import MISSED, NOTICED, REFUSED, SAME, UNCLEAR

EditResult = tuple[str, str, dict[str, Any] | None]
"""Outcome, message, and a case that detects the edit."""


def try_edit(scratch_folder: Path, request: Mapping[str, Any]) -> EditResult:
    """Apply an edit to a copy of the folder and test it."""
    scratch_folder.mkdir()
    folder = Path(request["folder"])
    try:
        copy = copy_with_parents(folder, scratch_folder)
        Edit(*request["edit"]).apply(copy)
        return _classify_edit(folder, copy, request)
    finally:
        shutil.rmtree(scratch_folder)


def _classify_edit(folder: Path, copy: Path, request: Mapping[str, Any]) -> EditResult:
    cases, edited_profiles = read_all_cases(Folder(folder)), _profile_of_file(Edit(*request["edit"]).file)
    requested = [request["profile"]]
    for profile in dict.fromkeys([*requested, *(case.profile for case in cases), *edited_profiles]):
        try:
            engine = _load_engine(copy, profile)
        except (KBError, GameError) as error:
            return REFUSED, str(error), None
        if failed := _first_failure(_holding_cases(folder, profile), engine):
            return NOTICED, failed, None
    found_cases = [RuleCase(0, value) for value in request["found"]]
    for profile in dict.fromkeys(case.profile for case in found_cases):
        cases_of_profile = [case for case in found_cases if case.profile == profile]
        if failed := _first_failure(cases_of_profile, _load_engine(copy, profile or request["profile"])):
            return MISSED, f"by a case found for another edit: {failed}", None
    return _find_missed_difference(
        folder, copy, edited_profiles or _affected_profiles(folder, request["profile"]), request["seconds"]
    )


@cache
def _holding_cases(folder: Path, profile: str | None) -> list[RuleCase]:
    """Return the cases of a profile that hold before any edit; others would detect every edit."""
    cases = [case for case in read_all_cases(Folder(folder)) if case.profile == profile]
    failures = find_failures(cases, lambda case_profile: _load_engine(folder, case_profile))
    failed = {failure.case.location for failure in failures}
    return [case for case in cases if case.location not in failed]


def _profile_of_file(file: str) -> list[str]:
    """Return the profile that a file defines, in a list; empty for other files."""
    return [Path(file).stem] if Path(file).parent.name == "profiles" else []


def _affected_profiles(folder: Path, requested: str | None) -> list[str | None]:
    """Return the profiles to test: the requested one, or all, the default first."""
    rules = Folder(folder)
    default = rules.default_profile
    return [requested] if requested else [None, *(profile for profile in rules.profiles if profile != default)]


def _first_failure(cases: list[RuleCase], engine: Engine) -> str:
    """Return the failure of the first case that does not hold, or the error that it raises."""
    try:
        return next((str(failure) for failure in find_failures(cases, lambda _: engine)), "")
    except (KBError, GameError) as error:
        return str(error)


def _find_missed_difference(folder: Path, copy: Path, profiles: Sequence[str | None], seconds: float) -> EditResult:
    for profile in profiles:
        try:
            difference = find_rule_difference(_load_engine(folder, profile), _load_engine(copy, profile), seconds)
        except (KBError, GameError) as error:
            return MISSED, f"play stops: {error}", None
        if difference is not None:
            case = difference.case and {**difference.case, **({"profile": profile} if profile else {})}
            return (MISSED if difference.is_certain else UNCLEAR), difference.description, case
    return SAME, "proved: no state differs", None


def _load_engine(folder: Path, profile: str | None) -> Engine:
    return Game(Folder(folder)).engine(None, profile)


def main() -> None:
    """Process requests from stdin until it ends; rules are ground in this process, which may crash."""
    ensure_complete_writes()
    reduce_gc()
    folder = Path(sys.argv[1])
    work_in_process()
    for index, line in enumerate(sys.stdin):
        request = json.loads(line)
        print(json.dumps(try_edit(folder / str(index), request)), flush=True)


if __name__ == "__main__":
    main()
