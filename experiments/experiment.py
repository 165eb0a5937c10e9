"""What an experiment is: settings that all have defaults, a smaller budget to try it, and a report at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from abl_cards.errors import GameError
from abl_cards.files import write_text
from abl_cards.logic.errors import suggestion
from abl_cards.loop.lock import only_here
from abl_cards.settings import plain
from experiments.desk import Bar, Desk, Elsewhere, no_bar
from experiments.provenance import command_of
from experiments.report import Report


@dataclass(frozen=True)
class Experiment:
    """One question, answered in tables and plots."""

    summary: str  # a line: what is asked
    settings: Any  # the full budget: a frozen dataclass, see abl_cards/settings.py
    run: Callable[[Any, Desk], Report]
    smoke: Mapping[str, Any] = field(default_factory=dict)  # the settings of the small budget that differ

    def budget(self, smoke: bool) -> Any:
        """The settings to begin from."""
        return replace(self.settings, **self.smoke) if smoke else self.settings


def experiments() -> dict[str, Experiment]:
    """All experiments by name: the modules of this package that define one."""
    package = import_module(__package__ or "experiments")
    modules = {each.name: import_module(f"{package.__name__}.{each.name}") for each in iter_modules(package.__path__)}
    return {name: module.EXPERIMENT for name, module in sorted(modules.items()) if hasattr(module, "EXPERIMENT")}


def experiment(name: str) -> Experiment:
    """An experiment by name; raises GameError for a name that is none."""
    known = experiments()
    if name not in known:
        advice = suggestion(name, tuple(known)) or f"there are: {', '.join(known)}"
        raise GameError(f"unknown experiment '{name}' ({advice})")
    return known[name]


def conduct(
    name: str, settings: Any, folder: Path, bar: Bar = no_bar, elsewhere: Elsewhere | None = None
) -> dict[str, Any]:
    """Run an experiment and write its results into a folder; returns them as plain values.

    What was measured before with the same rules, weights and settings is taken from the folder. What is finished is
    written as soon as more is measured, and says what is missing; so a run that is stopped leaves a report.
    """
    found = experiment(name)
    with only_here(folder):
        results = _Results(name, found, settings, folder)
        desk = Desk(folder, bar, results.write, elsewhere)
        results.marks = desk.marks
        return _conduct(found, settings, results, desk)


def _conduct(found: Experiment, settings: Any, results: _Results, desk: Desk) -> dict[str, Any]:
    name = results.name
    desk.log(f"{name} begins")
    try:
        report = found.run(settings, desk)
    except BaseException as stopped:
        desk.tell()
        results.draw(desk.log)
        desk.log(f"{name} stops: {type(stopped).__name__}")
        raise
    written = results.write(report)
    results.draw(desk.log)
    desk.log(f"{name} ends")
    return written


@dataclass
class _Results:
    """The files that an experiment writes, on the way and at the end; each is there whole or as it was before."""

    name: str
    experiment: Experiment
    settings: Any
    folder: Path
    marks: Mapping[str, str] = field(default_factory=dict)  # of what was measured: rules, records, weights
    report: Report | None = None  # that was written last

    def write(self, report: Report, missing: str = "") -> dict[str, Any]:
        """Settings, report and plain values; returns these. What is missing makes it a part."""
        self.report, chosen = report, plain(self.settings)
        command = command_of(self.name, self.settings, self.experiment.settings)
        results = {"experiment": self.name, "directory": str(self.folder), "command": command, "settings": chosen}
        results |= {"marks": dict(self.marks), **report.to_json()}
        results |= {"missing": missing} if missing else {}
        write_text(self.folder / "settings.json", _json(chosen))
        words = report.to_markdown(self.name, self.experiment.summary, chosen, missing)
        write_text(self.folder / "report.md", words + _provenance(command, self.marks))
        write_text(self.folder / "results.json", _json(results))
        return results

    def draw(self, log: Callable[[str], None]) -> None:
        """The plots of what was written last, if anything was."""
        if self.report:
            self.report.draw(self.folder, log)


def _provenance(command: str, marks: Mapping[str, str]) -> str:
    """How to measure it again, and by what to know whether it is the same that is measured."""
    lines = ["", "## Where it comes from", "", f"Command: `{command}`", ""]
    lines += ["| what | mark |", "|---|---|", *(f"| {name} | `{mark}` |" for name, mark in marks.items())]
    return "\n".join(lines[: None if marks else 4]) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
