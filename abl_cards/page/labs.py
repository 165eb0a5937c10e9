"""The rules lab: folders that are being edited in the browser, each in a folder of its own that goes with the page."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from abl_cards import budget
from abl_cards.errors import GameError
from abl_cards.games import Game
from abl_cards.games.reading.folder import Folder
from abl_cards.lab import comparing, packing
from abl_cards.lab.checking import anywhere, is_error, quickly
from abl_cards.lab.worded import rules_in_words
from abl_cards.lab.workbench import MOST_FILES, Workbench
from abl_cards.logic import Diagnostic
from abl_cards.page import frames, lab_jobs, lab_words
from abl_cards.page.bounds import IDLE, LONGEST_BODY
from abl_cards.page.desk import Sound
from abl_cards.page.fairness import LOCAL, Holding, yielding
from abl_cards.page.lab_jobs import Job

MOST_LABS = 12
NO_LAB = "there is no such folder: it was closed, or the page was started anew"
MOST_GAMES = 2000
MOST_RECORDS = 2000
FIRST_PINNED = 4
LANGUAGES = ("en", "zh")
_Do = Callable[[Workbench, dict[str, Any]], dict[str, Any]]


@dataclass
class Lab:
    """A folder that somebody edits; one thing is done there at a time."""

    bench: Workbench
    person: str = LOCAL  # who has opened it
    used: float = field(default_factory=time.monotonic)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    job: Job | None = None  # what takes longer

    def stop(self) -> None:
        """Nobody wants what takes longer any more."""
        if self.job is not None:
            self.job.stop()


class Labs:
    """All of them, by names that nobody guesses."""

    def __init__(self, home: Path | None = None) -> None:
        """Folders may be saved beneath a home, if there is one."""
        self._home, self._labs = home, dict[str, Lab]()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._pool, self._long = ThreadPoolExecutor(1, "lab"), ThreadPoolExecutor(1, "lab-job")

    def close(self) -> None:
        """Forget all."""
        for lab in self._labs.values():
            lab.stop()
        for pool in (self._pool, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
        if self._scratch is not None:
            self._scratch.cleanup()

    async def _work(self, call: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def open(
        self, game: Game, profile: str | None, files: Mapping[str, str] | None = None, person: str = LOCAL
    ) -> dict[str, Any]:  # fmt: skip
        """A new folder, made from a game, with files that somebody brings along; raises GameError, KBError."""
        holdings = [Holding(name, lab.person, False, lab.used) for name, lab in self._labs.items()]
        other = yielding(person, holdings, MOST_LABS, MOST_LABS, time.monotonic(), IDLE)
        if other is not None:
            self._labs.pop(other).stop()
        self._scratch = self._scratch or tempfile.TemporaryDirectory(prefix="abl-cards-lab-")
        name = secrets.token_urlsafe(9)
        folder = Path(self._scratch.name) / name.strip("-_").lower() / "edited"

        def begin() -> tuple[Workbench, list[Any]]:
            bench = Workbench.begin(game, folder, profile)
            for file, text in (files or {}).items():
                bench.write(file, text)
            return bench, list(islice(comparing.shown(bench.before, FIRST_PINNED, 1), FIRST_PINNED))

        bench, states = await self._work(begin)
        self._labs[name] = Lab(bench, person)
        saves = self._home is not None
        return {"lab": name, "game": game.name, "files": _files(bench), "states": states, "saves": saves}

    async def answer(self, name: str, message: Mapping[str, Any]) -> dict[str, Any]:
        """What somebody asks of a folder; raises GameError, KBError."""
        lab = self._labs.get(name)
        if lab is None:
            raise GameError(NO_LAB)
        lab.used = time.monotonic()
        asked = dict(message)
        if frames.word(asked, "do") in _OF_JOBS:
            return self._job(lab, asked)
        do = _DOES.get(frames.word(asked, "do"))
        if do is None:
            raise GameError(f"do: one of {', '.join((*_DOES, *_OF_JOBS))}")
        async with lab.lock:
            return await self._work(lambda: _noted(lab.bench, lambda: _done(do, lab.bench, asked)))

    async def sound(self, name: str, profile: str | None) -> Sound:
        """The last sound version of a folder, to be played; raises GameError, KBError."""
        lab = self._labs.get(name)
        if lab is None:
            raise GameError(NO_LAB)

        def find() -> Sound:
            engine = lab.bench.sound_by(profile)
            return Sound(engine, "" if lab.bench.refused is None else str(lab.bench.refused).splitlines()[0])

        async with lab.lock:
            found: Sound = await self._work(find)
            return found

    def _job(self, lab: Lab, asked: dict[str, Any]) -> dict[str, Any]:
        """Begin what takes longer, in place of what was begun before; stop it; or tell how far it has come."""
        if asked["do"] == "begin":
            what, work = lab_jobs.work(lab.bench, asked)
            lab.stop()
            lab.job = job = Job(what)
            self._long.submit(job.run, work)
        elif asked["do"] == "stop":
            lab.stop()
        return {"job": None if lab.job is None else lab.job.to_json()}

    def game(self, name: str) -> Game:
        """A folder as it is now, to be played; raises GameError."""
        if name not in self._labs:
            raise GameError(NO_LAB)
        return Game(Folder(self._labs[name].bench.folder))

    async def save(self, name: str, folder: str) -> dict[str, Any]:
        """Save a folder beneath the home; raises GameError."""
        home, lab = self._home, self._labs.get(name)
        if home is None or lab is None:
            raise GameError("the page saves folders where it is told: abl-cards page --save DIR; or download a zip")
        made = await self._work(lambda: packing.save(lab.bench, home, folder))
        return {"saved": made.name}

    async def packed(self, name: str, folder: str) -> bytes:
        """A folder as a zip; raises GameError."""
        lab = self._labs.get(name)
        if lab is None:
            raise GameError("there is no such folder")
        found: bytes = await self._work(lambda: packing.packed(lab.bench, folder))
        return found


# --- what may be asked ------------------------------------------------------------------------------------------------


def _noted(bench: Workbench, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """An answer, which says where it is by the last sound version, as `kb check` refuses the files as they are."""
    bench.refused = None
    found = call()
    return found | ({"refused": str(bench.refused).splitlines()[0]} if bench.refused is not None else {})


def _done(do: _Do, bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What somebody asks for; all that an answer loads is paid from one budget, and editors wait but a moment."""
    with quickly() if do in _FOR_EDITORS else budget.shared():
        return do(bench, asked)


def _files(bench: Workbench) -> list[dict[str, Any]]:
    return [file.to_json() for file in bench.files]


def _problem(bench: Workbench, problem: Diagnostic) -> dict[str, Any]:
    """A diagnostic; a file of the folder goes by its name there, one of others by its own."""
    where = anywhere(problem, bench.folder)
    path = Path(where.file)
    own = path.is_relative_to(bench.folder)
    return {
        "file": path.relative_to(bench.folder).as_posix() if own else path.name, "own": own,
        "line": where.line, "column": where.column, "end_line": where.end_line, "end_column": where.end_column,
        "error": is_error(problem), "text": problem.message, "remedy": problem.remedy,
    }  # fmt: skip


def _outcome(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What is wrong with the folder as it is; and where nothing is, what has become of positions."""
    states, begun = asked.get("states", []), time.perf_counter()
    if not isinstance(states, list) or not all(isinstance(each, dict) for each in states):
        raise GameError("states: a list of positions is wanted")
    after = bench.sound
    if bench.refused is None:
        problems, pinned = list(after.rules.kb.warnings), comparing.compare(bench.before, after, states)
    else:
        problems, pinned = list(bench.refused.diagnostics), []
    return {
        "files": _files(bench), "problems": [_problem(bench, each) for each in problems[:200]],
        "pinned": [each.to_json() for each in pinned], "seconds": round(time.perf_counter() - begun, 3),
    }  # fmt: skip


def _own(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """The files that were written here, to be taken along in a link."""
    return {"game": bench.game.name, "files": {each.name: bench.read(each.name) for each in bench.files if each.own}}


def _read(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    return {"text": bench.read(frames.word(asked, "name"))}


def _write(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    bench.write(frames.word(asked, "name"), long_text(asked, "text"))
    return _outcome(bench, asked)


def _revert(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    bench.revert(frames.word(asked, "name"))
    return _outcome(bench, asked)


def _check(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    return {"problems": [_problem(bench, each) for each in bench.check()[:200]]}


def _why(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """Why a play is legal, or is not, by the rules before or after."""
    state, engine = asked.get("state"), bench.before if frames.flag(asked, "before") else bench.sound
    if not isinstance(state, dict):
        raise GameError("state: a position is wanted")
    moment = engine.moment(state)
    return {"readings": [each.to_json() for each in engine.readings(moment, frames.word(asked, "play"))]}


def _smallest(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    found = comparing.telling(bench.before, bench.sound, seed=frames.number(asked, "seed", 0, 10**6, 0))
    return {"state": found}


def _coverage(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """Rules that never fire in some games, with their lines."""
    from abl_cards.selftest.coverage import play

    found = play(bench.sound, frames.number(asked, "games", 1, MOST_GAMES, 200), 0, lambda done: None)
    silent = []
    for each in found.silent:
        path = Path(each.rule.location.file)
        if path.is_relative_to(bench.folder):
            name = path.relative_to(bench.folder).as_posix()
            silent.append({"file": name, "line": each.rule.location.line, "rule": each.rule.text})
    return {"games": found.games, "rules": found.rules, "silent": silent}


def _balance(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """How an agent plays against itself, before and after."""
    from abl_cards.selftest.balance import balance

    games, player = frames.number(asked, "games", 1, MOST_GAMES, 1000), frames.word(asked, "player", "kb")
    if player not in ("kb", "greedy", "random"):
        raise GameError("player: kb, greedy or random")
    sides = (bench.before, bench.sound)
    return {"balance": [balance(engine, games, 0, lambda done: None, player).to_json() for engine in sides]}


def _replay(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    """What becomes of records under the edited rules: how many are confirmed, and the first lines that are not."""
    from abl_cards.lines import parse_line
    from abl_cards.records import all_in_own_form

    lines = [line for line in long_text(asked, "text").splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_RECORDS:
        raise GameError(f"text: 1 to {MOST_RECORDS} records are wanted, one a line")
    records: list[dict[str, Any]] = []
    for line in lines:
        record = parse_line(line.encode())
        if not isinstance(record, dict):
            raise GameError(f"line {len(records) + 1} is no record")
        records.append({name: value for name, value in record.items() if name != "game"})  # the folder's name is new
    found = bench.sound.replay(all_in_own_form(bench.sound, records))
    told = [{"line": each.line, "text": each.text} for each in found.disagreements[:50]]
    return {"episodes": found.episodes, "plays": found.plays, "different": len(found.disagreements), "first": told}


def _words(bench: Workbench, asked: dict[str, Any]) -> dict[str, Any]:
    language = frames.word(asked, "language", "en")
    if language not in LANGUAGES:
        raise GameError("language: en or zh")
    return {"sections": [each.to_json() for each in rules_in_words(bench.sound, language)]}


def files_of(asked: dict[str, Any]) -> dict[str, str]:
    """Rule files that somebody brings along, by name; raises GameError."""
    files = asked.get("files", {})
    if not isinstance(files, dict) or len(files) > MOST_FILES:
        raise GameError(f"files: texts by name are wanted, {MOST_FILES} at most")
    return {name: long_text(files, name) for name in files}


def long_text(asked: dict[str, Any], field: str) -> str:
    """A file's text; raises GameError."""
    value = asked.get(field)
    if not isinstance(value, str) or len(value) > LONGEST_BODY or "\0" in value:
        raise GameError(f"{field}: a text is wanted")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise GameError(f"{field}: half a letter") from None
    return value


_DOES: Mapping[str, _Do] = {
    "look": _outcome, "read": _read, "own": _own, "write": _write, "revert": _revert, "check": _check, "why": _why,
    "replay": _replay, "smallest": _smallest, "coverage": _coverage, "balance": _balance, "words": _words,
    "typed": lab_words.typed_now, "complete": lab_words.complete, "hover": lab_words.hover,
    "define": lab_words.define, "rename": lab_words.rename, "weights": lab_jobs.weights, "weigh": lab_jobs.weigh,
    "reweigh": lab_jobs.keep_weights,
}  # fmt: skip
_FOR_EDITORS = (lab_words.typed_now, lab_words.complete, lab_words.hover, lab_words.define, lab_words.rename)
_OF_JOBS = ("begin", "job", "stop")
