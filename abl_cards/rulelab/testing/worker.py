"""The process that tries edits: ``python -m abl_cards.rulelab.testing.worker FOLDER``, where the folder is its own."""

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
from abl_cards.rulelab.testing.cases import RuleCase, find_failures, read_cases
from abl_cards.rulelab.testing.differences import find_rule_difference
from abl_cards.rulelab.testing.edits import Edit, copy_with_parents
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


def _classify_edit(folder: Path, copy: Path, asked: Mapping[str, Any]) -> EditResult:
    cases, own = read_cases(folder), _profile_of_file(Edit(*asked["edit"]).file)
    usual = [asked["profile"]]
    for each in dict.fromkeys([*usual, *(case.profile for case in cases), *own]):
        try:
            engine = _load_engine(copy, each)
        except (KBError, GameError) as problem:
            return REFUSED, str(problem), None
        if failed := _first_failure(_holding_cases(folder, each), engine):
            return NOTICED, failed, None
    found = [RuleCase(0, value) for value in asked["found"]]
    for each in dict.fromkeys(case.profile for case in found):
        mine = [case for case in found if case.profile == each]
        if failed := _first_failure(mine, _load_engine(copy, each or asked["profile"])):
            return MISSED, f"by a case found for another edit: {failed}", None
    return _find_missed_difference(folder, copy, own or _affected_profiles(folder, asked["profile"]), asked["seconds"])


@cache
def _holding_cases(folder: Path, profile: str | None) -> list[RuleCase]:
    """The cases of a profile that hold before any edit: others would notice every one."""
    mine = [case for case in read_cases(folder) if case.profile == profile]
    failed = {failure.case.line for failure in find_failures(mine, lambda each: _load_engine(folder, each))}
    return [case for case in mine if case.line not in failed]


def _profile_of_file(file: str) -> list[str]:
    """The profile that a file is, in a list; else nothing."""
    return [Path(file).stem] if Path(file).parent.name == "profiles" else []


def _affected_profiles(folder: Path, asked: str | None) -> list[str | None]:
    """Return the profiles to test: the requested one, or all, the default first."""
    rules = Folder(folder)
    usual = rules.default_profile
    return [asked] if asked else [None, *(each for each in rules.profiles if each != usual)]


def _first_failure(cases: list[RuleCase], engine: Engine) -> str:
    """Return the failure of the first case that does not hold, or the error that it raises."""
    try:
        return next((str(failure) for failure in find_failures(cases, lambda _: engine)), "")
    except (KBError, GameError) as problem:
        return str(problem)


def _find_missed_difference(folder: Path, copy: Path, profiles: Sequence[str | None], seconds: float) -> EditResult:
    for profile in profiles:
        try:
            found = find_rule_difference(_load_engine(folder, profile), _load_engine(copy, profile), seconds)
        except (KBError, GameError) as problem:
            return MISSED, f"play stops: {problem}", None
        if found is not None:
            case = found.case and {**found.case, **({"profile": profile} if profile else {})}
            return (MISSED if found.is_certain else UNCLEAR), found.description, case
    return SAME, "proved: no state differs", None


def _load_engine(folder: Path, profile: str | None) -> Engine:
    return Game(Folder(folder)).engine(None, profile)


def main() -> None:
    """Answer until there are no more questions; this process may crash, so it grounds what it is given itself."""
    ensure_complete_writes()
    reduce_gc()
    home = Path(sys.argv[1])
    work_in_process()
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        print(json.dumps(try_edit(home / str(number), asked)), flush=True)


if __name__ == "__main__":
    main()
