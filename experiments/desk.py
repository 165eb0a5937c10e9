"""Where an experiment works: its folder, what was measured there before, its log, its bar, and its report so far."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from abl_cards.errors import GameError
from abl_cards.files import naming, write_text
from abl_cards.lines import parse_line
from experiments.provenance import marks_of
from experiments.report import Report, Table

Tell = Callable[[int, str], None]
"""Told how much is done, and a remark."""
Bar = Callable[[str, int | None], AbstractContextManager[Tell]]
"""Opens a progress bar with a text and a total."""
Publish = Callable[[Report, str], Any]
"""Given the report of what is finished, and what is missing in words."""
Elsewhere = Callable[[Sequence[str], Mapping[str, Any]], Iterator[tuple[str, Any]]]
"""From keys of cells, and the results that are known by their keys, to their results as they are measured."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST_NAMES = 12
"""Of what is missing; more are only counted."""
_LONGEST = 200
"""Characters of a result in the report of an experiment that says nothing of its own on the way."""


@contextmanager
def no_bar(text: str, total: int | None) -> Iterator[Tell]:
    """For who watches no bar."""
    yield lambda done, remark: None


def unpublished(report: Report, missing: str) -> None:
    """For who reads no report before the end."""


class Unknown(Exception):
    """A cell that was not measured yet, met by who only looks."""

    def __init__(self, what: Mapping[str, Any], text: str) -> None:
        super().__init__(text)
        self.what, self.text = what, text


class Desk:
    """A folder of results. A cell is a result and what it depends on; a finished cell is never measured again.

    What is finished is published before more is measured, so that a run that is killed leaves a report of it.
    """

    def __init__(
        self,
        folder: Path,
        bar: Bar = no_bar,
        publish: Publish = unpublished,
        elsewhere: Elsewhere | None = None,
        remember: bool = True,
    ) -> None:
        """Work in this folder, and go on from what lies there, unless nothing is to be remembered.

        What is measured of each of several items may be measured elsewhere.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.bar, self._publish = folder, bar, publish
        self._elsewhere, self._looking = elsewhere, False
        self._kept = dict(_read(folder / "cells.jsonl")) if remember else {}
        self._done = self._planned = 0
        self._finished: list[tuple[str, Any]] = []  # texts and results
        self.marks: dict[str, str] = {}  # of what the finished cells depend on, by name
        self._report: Callable[[], Report] | None = None  # of what is finished
        self._missing: Callable[[], str] = self._uncounted
        self._told = True  # whether all that is finished is published

    def plan(self, cells: int) -> None:
        """Say how many more cells there will be, so that the bar can say how far the experiment is."""
        self._planned += cells

    def cell(self, what: Mapping[str, Any], work: Callable[[Tell], Any], text: str, total: int | None = None) -> Any:
        """The result of some work in plain values: from before, or done now under a bar with this text and total.

        ``what`` names everything that the result depends on: settings, rules, weights.
        """
        key = key_of(what)
        if self._looking:
            if key not in self._kept:
                raise Unknown(what, text)
            return self._kept[key]
        if key in self._kept:
            self.log(f"{text}: known")
            self._done += 1
        else:
            self.tell()
            self._measure(what, work, text, total)
        self._finished.append((text, self._kept[key]))
        self.marks |= marks_of(what)
        if self._report is None:
            self._told = False
        return self._kept[key]

    def _measure(self, what: Mapping[str, Any], work: Callable[[Tell], Any], text: str, total: int | None) -> None:
        self._done += 1
        began = time.perf_counter()
        with self.bar(f"[{self._done}/{max(self._done, self._planned)}] {text}", total) as tell:
            self._keep(what, work(tell))
        self.log(f"{text}: {time.perf_counter() - began:.1f} s")

    def _keep(self, what: Mapping[str, Any], found: Any) -> None:
        result = json.loads(json.dumps(found))  # what is written is what a later run will read
        self._add("cells.jsonl", json.dumps({"cell": dict(what), "result": result}, ensure_ascii=False))
        self._kept[key_of(what)] = result

    # --- what is measured elsewhere -----------------------------------------------------------------------------------

    def _gather(self, items: Sequence[K], measure: Callable[[K], V], show: Callable[[Mapping[K, V]], None]) -> None:
        """Have the cells of items measured elsewhere that are not known here, until none is left; show what is known.

        What an item asks for first has to be known before it asks for more, so there may be several rounds.
        """
        found, unknown = self._look(items, measure)
        while unknown and self._elsewhere:
            missing = {key_of(each.what): each for each in unknown}
            with self.bar(f"{len(missing)} measurements elsewhere", len(missing)) as tell:
                for number, (key, result) in enumerate(self._elsewhere(list(missing), self._kept), 1):
                    self._keep(missing[key].what, result)
                    self.log(f"{missing[key].text}: measured elsewhere")
                    tell(number, missing[key].text)
                    found, unknown = self._look(items, measure)
                    show(found)

    def _look(self, items: Sequence[K], measure: Callable[[K], V]) -> tuple[dict[K, V], list[Unknown]]:
        """What is known of items, and what is not."""
        found, unknown = dict[K, V](), list[Unknown]()
        self._looking = True
        try:
            for item in items:
                try:
                    found[item] = measure(item)
                except Unknown as missing:
                    unknown.append(missing)
        finally:
            self._looking = False
        return found, unknown

    # --- what is reported on the way ----------------------------------------------------------------------------------

    def each(
        self,
        items: Iterable[K],
        measure: Callable[[K], V],
        report: Callable[[Mapping[K, V]], Report],
        name: Callable[[K], str] = str,
    ) -> dict[K, V]:
        """What is measured of each item; ``report`` says what is known when only some are finished, one at least."""
        every, found = list(items), dict[K, V]()

        def show(known: Mapping[K, V]) -> None:
            missing = [name(each) for each in every if each not in known]
            if known and missing:
                self._publish(report(known), _listed(missing))

        if self._elsewhere:
            self._gather(every, measure, show)
        for number, item in enumerate(every):
            found[item] = measure(item)
            missing = [name(each) for each in every[number + 1 :]]
            self.so_far(lambda: report(found), lambda missing=missing: _listed(missing))  # type: ignore[misc]
        return found

    def so_far(self, report: Callable[[], Report], missing: Callable[[], str] | None = None) -> None:
        """From now on this is the report of what is finished."""
        self._report, self._missing, self._told = report, missing or self._uncounted, False

    def tell(self) -> None:
        """Publish what is finished, if anything was finished since it was published last."""
        if not self._told:
            self._told = True
            self._publish((self._report or self._plain)(), self._missing())

    def _uncounted(self) -> str:
        left = self._planned - self._done
        return f"{left} of {self._planned} measurements" if left > 0 else "the rest"

    def _plain(self) -> Report:
        """The results as they are, of an experiment that has no report of its own yet."""
        rows = [[text, _shortened(json.dumps(result, ensure_ascii=False))] for text, result in self._finished]
        return Report([Table("finished", "Finished so far", ("what", "result"), rows)])

    def log(self, line: str) -> None:
        """A line in the log of the folder."""
        self._add("log.txt", f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {line}")

    def _add(self, name: str, line: str) -> None:
        file = self.folder / name
        with naming(file), file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def key_of(what: Mapping[str, Any]) -> str:
    """What a cell is known by."""
    return json.dumps(what, sort_keys=True)


def _read(file: Path) -> Iterator[tuple[str, Any]]:
    """What was measured before; a last line that was being written when the machine stopped is measured again."""
    lines = file.read_text("utf-8").splitlines(keepends=True) if file.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if len(whole) < len(lines):
        write_text(file, "".join(whole))
    for number, line in enumerate(whole, 1):
        try:
            kept = parse_line(line.encode())
            found = key_of(kept["cell"]), kept["result"]
        except (GameError, LookupError, TypeError) as problem:
            raise GameError(
                f"{file}, line {number}: no measured cell ({problem}); remove the line or the file"
            ) from None
        yield found
