"""The process that tries edits: ``python -m abl_cards.selftest.worker FOLDER``, where the folder is its own."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from abl_cards import garbage
from abl_cards.errors import GameError
from abl_cards.games import Engine, Game
from abl_cards.games.reading.folder import Folder
from abl_cards.logic import KBError
from abl_cards.logic.child import work_in_process
from abl_cards.output import write_in_full
from abl_cards.selftest.cases import Case, failures, read_cases
from abl_cards.selftest.differences import difference
from abl_cards.selftest.edits import Edit, copy_with_parents
from abl_cards.selftest.mutants import MISSED, NOTICED, REFUSED, SAME, UNCLEAR

Answer = tuple[str, str, dict[str, Any] | None]
"""An outcome, what is said about it, a case that would notice the edit."""


def outcome(home: Path, asked: Mapping[str, Any]) -> Answer:
    """What becomes of an edit; a copy of the folder in a new home is edited."""
    home.mkdir()
    folder = Path(asked["folder"])
    try:
        copy = copy_with_parents(folder, home)
        Edit(*asked["edit"]).apply(copy)
        return _outcome(folder, copy, asked)
    finally:
        shutil.rmtree(home)


def _outcome(folder: Path, copy: Path, asked: Mapping[str, Any]) -> Answer:
    cases, own = read_cases(folder), _own_profile(Edit(*asked["edit"]).file)
    usual = [asked["profile"]]
    for each in dict.fromkeys([*usual, *(case.profile for case in cases), *own]):
        try:
            engine = _engine(copy, each)
        except (KBError, GameError) as problem:
            return REFUSED, str(problem), None
        if failed := _first_failure(_standing(folder, each), engine):
            return NOTICED, failed, None
    found = [Case(0, value) for value in asked["found"]]
    for each in dict.fromkeys(case.profile for case in found):
        mine = [case for case in found if case.profile == each]
        if failed := _first_failure(mine, _engine(copy, each or asked["profile"])):
            return MISSED, f"by a case found for another edit: {failed}", None
    return _unnoticed(folder, copy, own or _profiles(folder, asked["profile"]), asked["seconds"])


@cache
def _standing(folder: Path, profile: str | None) -> list[Case]:
    """The cases of a profile that hold before any edit: others would notice every one."""
    mine = [case for case in read_cases(folder) if case.profile == profile]
    failed = {failure.case.line for failure in failures(mine, lambda each: _engine(folder, each))}
    return [case for case in mine if case.line not in failed]


def _own_profile(file: str) -> list[str]:
    """The profile that a file is, in a list; else nothing."""
    return [Path(file).stem] if Path(file).parent.name == "profiles" else []


def _profiles(folder: Path, asked: str | None) -> list[str | None]:
    """The rules by which an edit may make a difference: those asked for, else all, the usual ones first."""
    rules = Folder(folder)
    usual = rules.default_profile
    return [asked] if asked else [None, *(each for each in rules.profiles if each != usual)]


def _first_failure(cases: list[Case], engine: Engine) -> str:
    """What the first case says that does not hold, or what comes of it."""
    try:
        return next((str(failure) for failure in failures(cases, lambda _: engine)), "")
    except (KBError, GameError) as problem:
        return str(problem)


def _unnoticed(folder: Path, copy: Path, profiles: Sequence[str | None], seconds: float) -> Answer:
    for profile in profiles:
        try:
            found = difference(_engine(folder, profile), _engine(copy, profile), seconds)
        except (KBError, GameError) as problem:
            return MISSED, f"play stops: {problem}", None
        if found is not None:
            case = found.case and {**found.case, **({"profile": profile} if profile else {})}
            return (MISSED if found.certain else UNCLEAR), found.said, case
    return SAME, "proved: no state differs", None


def _engine(folder: Path, profile: str | None) -> Engine:
    return Game(Folder(folder)).engine(None, profile)


def main() -> None:
    """Answer until there are no more questions; this process may crash, so it grounds what it is given itself."""
    write_in_full()
    garbage.seldom()
    home = Path(sys.argv[1])
    work_in_process()
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        print(json.dumps(outcome(home / str(number), asked)), flush=True)


if __name__ == "__main__":
    main()
