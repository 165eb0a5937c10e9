"""Where an experiment works: its folder, what was measured there before, its log and its progress bar."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from abl_cards.files import naming, write_text

Tell = Callable[[int, str], None]
"""Told how much is done, and a remark."""
Bar = Callable[[str, int | None], AbstractContextManager[Tell]]
"""Opens a progress bar with a text and a total."""


@contextmanager
def no_bar(text: str, total: int | None) -> Iterator[Tell]:
    """For who watches no bar."""
    yield lambda done, remark: None


class Desk:
    """A folder of results. A cell is a result and what it depends on; a finished cell is never measured again."""

    def __init__(self, folder: Path, bar: Bar = no_bar) -> None:
        """Work in this folder, and go on from what lies there."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.bar = folder, bar
        self._kept = dict(_read(folder / "cells.jsonl"))
        self._done = self._planned = 0

    def plan(self, cells: int) -> None:
        """Say how many more cells there will be, so that the bar can say how far the experiment is."""
        self._planned += cells

    def cell(self, what: Mapping[str, Any], work: Callable[[Tell], Any], text: str, total: int | None = None) -> Any:
        """The result of some work in plain values: from before, or done now under a bar with this text and total.

        ``what`` names everything that the result depends on: settings, rules, weights.
        """
        key, self._done = _key(what), self._done + 1
        if key in self._kept:
            self.log(f"{text}: known")
            return self._kept[key]
        began = time.perf_counter()
        with self.bar(f"[{self._done}/{max(self._done, self._planned)}] {text}", total) as tell:
            result = json.loads(json.dumps(work(tell)))  # what is written is what a later run will read
        self._add("cells.jsonl", json.dumps({"cell": dict(what), "result": result}, ensure_ascii=False))
        self._kept[key] = result
        self.log(f"{text}: {time.perf_counter() - began:.1f} s")
        return result

    def log(self, line: str) -> None:
        """A line in the log of the folder."""
        self._add("log.txt", f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {line}")

    def _add(self, name: str, line: str) -> None:
        file = self.folder / name
        with naming(file), file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")


def _key(what: Mapping[str, Any]) -> str:
    return json.dumps(what, sort_keys=True)


def _read(file: Path) -> Iterator[tuple[str, Any]]:
    """What was measured before; a last line that was being written when the machine stopped is measured again."""
    lines = file.read_text("utf-8").splitlines(keepends=True) if file.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if len(whole) < len(lines):
        write_text(file, "".join(whole))
    for line in whole:
        kept = json.loads(line)
        yield _key(kept["cell"]), kept["result"]
