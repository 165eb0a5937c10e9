"""What an experiment is: settings that all have defaults, a smaller budget to try it, and a report at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from abl_cards.asp import did_you_mean
from abl_cards.core import GameError, settings_to_json, write_text
from abl_cards.experiments.provenance import rerun_command
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressBarFactory, RemoteRunner, no_progress_bar
from abl_cards.training import lock_run_folder


@dataclass(frozen=True)
class Experiment:
    """One question, answered in tables and plots."""

    summary: str  # a line: what is asked
    settings: Any  # the full budget: a frozen dataclass, see abl_cards/core/settings.py
    run: Callable[[Any, ExperimentWorkspace], ExperimentReport]
    smoke: Mapping[str, Any] = field(default_factory=dict)  # the settings of the small budget that differ

    def make_settings(self, smoke: bool) -> Any:
        """The settings to begin from."""
        return replace(self.settings, **self.smoke) if smoke else self.settings


def find_experiments() -> dict[str, Experiment]:
    """All experiments by name: the modules of this package that define one."""
    package = import_module(__package__ or "experiments")
    modules = {each.name: import_module(f"{package.__name__}.{each.name}") for each in iter_modules(package.__path__)}
    return {name: module.EXPERIMENT for name, module in sorted(modules.items()) if hasattr(module, "EXPERIMENT")}


def get_experiment(name: str) -> Experiment:
    """An experiment by name; raises GameError for a name that is none."""
    known = find_experiments()
    if name not in known:
        advice = did_you_mean(name, tuple(known)) or f"there are: {', '.join(known)}"
        raise GameError(f"unknown experiment '{name}' ({advice})")
    return known[name]


def run_experiment(
    name: str,
    settings: Any,
    folder: Path,
    progress_bar: ProgressBarFactory = no_progress_bar,
    remote_runner: RemoteRunner | None = None,
) -> dict[str, Any]:
    """Run an experiment and write its results into a folder; returns them as plain values.

    What was measured before with the same rules, weights and settings is taken from the folder. What is finished is
    written as soon as more is measured, and says what is missing; so a run that is stopped leaves a report.
    """
    found = get_experiment(name)
    with lock_run_folder(folder):
        results = _ResultWriter(name, found, settings, folder)
        desk = ExperimentWorkspace(folder, progress_bar, results.write, remote_runner)
        results.fingerprints = desk.fingerprints
        return _run(found, settings, results, desk)


def _run(chosen: Experiment, settings: Any, results: _ResultWriter, workspace: ExperimentWorkspace) -> dict[str, Any]:
    name = results.name
    workspace.log(f"{name} begins")
    try:
        report = chosen.run(settings, workspace)
    except BaseException as stopped:
        workspace.publish_partial()
        results.draw_plots(workspace.log)
        workspace.log(f"{name} stops: {type(stopped).__name__}")
        raise
    written = results.write(report)
    results.draw_plots(workspace.log)
    workspace.log(f"{name} ends")
    return written


@dataclass
class _ResultWriter:
    """The files that an experiment writes, on the way and at the end; each is there whole or as it was before."""

    name: str
    experiment: Experiment
    settings: Any
    folder: Path
    fingerprints: Mapping[str, str] = field(default_factory=dict)  # of what was measured: rules, records, weights
    report: ExperimentReport | None = None  # that was written last

    def write(self, report: ExperimentReport, missing: str = "") -> dict[str, Any]:
        """Settings, report and plain values; returns these. What is missing makes it a part."""
        self.report, chosen = report, settings_to_json(self.settings)
        command = rerun_command(self.name, self.settings, self.experiment.settings)
        results = {"experiment": self.name, "directory": str(self.folder), "command": command, "settings": chosen}
        results |= {"marks": dict(self.fingerprints), **report.to_json()}
        results |= {"missing": missing} if missing else {}
        write_text(self.folder / "settings.json", _json(chosen))
        words = report.to_markdown(self.name, self.experiment.summary, chosen, missing)
        write_text(self.folder / "report.md", words + _provenance_text(command, self.fingerprints))
        write_text(self.folder / "results.json", _json(results))
        return results

    def draw_plots(self, log: Callable[[str], None]) -> None:
        """The plots of what was written last, if anything was."""
        if self.report:
            self.report.draw_plots(self.folder, log)


def _provenance_text(command: str, marks: Mapping[str, str]) -> str:
    """How to measure it again, and by what to know whether it is the same that is measured."""
    lines = ["", "## Where it comes from", "", f"Command: `{command}`", ""]
    lines += ["| what | mark |", "|---|---|", *(f"| {name} | `{mark}` |" for name, mark in marks.items())]
    return "\n".join(lines[: None if marks else 4]) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
