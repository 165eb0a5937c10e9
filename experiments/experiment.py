"""Run experiments: settings with defaults, a small budget for trials, and a report at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from shutil import rmtree
from typing import Any

from abl_cards.agents import files_fingerprint
from abl_cards.asp import KBError, did_you_mean
from abl_cards.core import (
    PYTHON_SUFFIX,
    ErrorCode,
    GameError,
    call_user_code,
    check_path,
    check_settings,
    import_file,
    settings_to_json,
    write_text,
)
from abl_cards.experiments.provenance import rerun_command
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressBarFactory, RemoteRunner, no_progress_bar
from abl_cards.training import lock_run_folder


@dataclass(frozen=True)
class Experiment:
    """Experiment on one question, reported as tables and plots.

    Attributes:
        summary: The question in one line.
        settings: Full budget: a frozen dataclass whose fields are made by ``setting``.
        run: Measures and returns the report.
        smoke: Settings of the small budget that differ.
    """

    summary: str
    settings: Any
    run: Callable[[Any, ExperimentWorkspace], ExperimentReport]
    smoke: Mapping[str, Any] = field(default_factory=dict)

    def make_settings(self, smoke: bool) -> Any:
        """Return the settings of the full or the small budget."""
        return replace(self.settings, **self.smoke) if smoke else self.settings


def find_experiments() -> dict[str, Experiment]:
    """Find all experiments: the modules of this package that define ``EXPERIMENT``.

    Returns:
        Experiments by name, sorted.
    """
    package = import_module(__package__ or "experiments")
    names = [module.name for module in iter_modules(package.__path__)]
    modules = {name: import_module(f"{package.__name__}.{name}") for name in names}
    return {name: module.EXPERIMENT for name, module in sorted(modules.items()) if hasattr(module, "EXPERIMENT")}


def get_experiment(name: str) -> Experiment:
    """Return an experiment of this package or of a user's file.

    Args:
        name: Name of a module of this package; or ``FILE.py`` for ``EXPERIMENT`` in a user's file, ``FILE.py:NAME``
            for another name.

    Raises:
        GameError: The experiment does not exist, or its file cannot be imported.
    """
    if not isinstance(name, str):
        raise GameError(f"{name!r:.60} names no experiment", ErrorCode.UNKNOWN_EXPERIMENT)
    if is_experiment_file(name):
        return _load_experiment(name)
    known = find_experiments()
    if name not in known:
        advice = did_you_mean(name, tuple(known)) or f"there are: {', '.join(known)}"
        raise GameError(f"unknown experiment '{name}' ({advice})", ErrorCode.UNKNOWN_EXPERIMENT)
    return known[name]


def is_experiment_file(name: str) -> bool:
    """Return whether a name is that of a file of the user: ``FILE.py`` or ``FILE.py:NAME``.

    Args:
        name: Name of an experiment.
    """
    return name.rpartition(f"{PYTHON_SUFFIX}:")[0] != "" or name.endswith(PYTHON_SUFFIX)


def short_name(name: str) -> str:
    """Return the name of an experiment for its folder of results: that of the file, where it is one of the user.

    Args:
        name: Name of the experiment.

    >>> short_name("studies/mine.py:SECOND"), short_name("big2_exact")
    ('mine', 'big2_exact')
    """
    return _split_name(name)[0].stem if is_experiment_file(name) else name


def absolute_name(name: str) -> str:
    """Return the name of an experiment for a process in another folder.

    Args:
        name: Name of the experiment.
    """
    if not is_experiment_file(name):
        return name
    path, variable = _split_name(name)
    return f"{path.absolute()}:{variable}"


def _split_name(name: str) -> tuple[Path, str]:
    """Return the file of an experiment of the user, and the name of the value that defines it."""
    file, colon, variable = name.rpartition(":")
    return (Path(file), variable) if colon and file.endswith(PYTHON_SUFFIX) else (Path(name), "EXPERIMENT")


def _load_experiment(name: str) -> Experiment:
    """Import an experiment of the user, whose errors name it; raises GameError."""
    path, variable = _split_name(name)
    if not path.is_file():
        raise GameError(f"experiment '{name}': there is no file {path}", ErrorCode.UNKNOWN_EXPERIMENT)
    path = path.resolve()
    registered_name = f"abl_cards_experiment_{path.stem}"
    module = call_user_code(
        f"experiment '{name}'", path, lambda: import_file(path, registered_name), ErrorCode.EXPERIMENT_FAILED
    )
    experiment = getattr(module, variable, None)
    if not isinstance(experiment, Experiment):
        message = f"experiment '{name}': {path} has no {variable} = Experiment(…)"
        raise GameError(message, ErrorCode.UNKNOWN_EXPERIMENT)

    def run(settings: Any, workspace: ExperimentWorkspace) -> ExperimentReport:
        report: object = call_user_code(
            f"experiment '{name}'", path, lambda: experiment.run(settings, workspace), ErrorCode.EXPERIMENT_FAILED,
            passed=(GameError, KBError),
        )  # fmt: skip
        if not isinstance(report, ExperimentReport):
            message = f"experiment '{name}': run returned {type(report).__name__}, expected an ExperimentReport"
            raise GameError(message, ErrorCode.EXPERIMENT_FAILED)
        return report

    return replace(experiment, run=run)


def remove_results(name: str, folder: str | Path) -> None:
    """Delete a folder of results.

    Args:
        name: Name of the experiment, or ``FILE.py`` of one of the user.
        folder: The folder, with everything in it.

    Raises:
        GameError: Another run uses the folder, or the file of the experiment or the working directory lies in it.
        OSError: The folder cannot be deleted.
    """
    folder = check_path("folder", folder)
    for kept in (Path.cwd(), *([_split_name(name)[0]] if is_experiment_file(name) else [])):
        if kept.resolve().is_relative_to(folder.resolve()):
            message = f"{folder} holds {kept}, which would be deleted too; delete {folder / 'cells.jsonl'} instead"
            raise GameError(message, ErrorCode.NOT_ALLOWED)
    with lock_run_folder(folder):
        rmtree(folder)


def run_experiment(
    name: str,
    settings: Any,
    folder: str | Path,
    progress_bar: ProgressBarFactory = no_progress_bar,
    remote_runner: RemoteRunner | None = None,
) -> dict[str, Any]:
    """Run an experiment and write its results into a folder.

    Measurements with the same rules, weights and settings are read from the folder. Partial results are written on the
    way and name what is missing, so that a run that is stopped leaves a report.

    Args:
        name: Name of the experiment, or ``FILE.py`` of one of the user.
        settings: Its settings.
        folder: Folder of results, created if missing.
        progress_bar: Opens a progress bar.
        remote_runner: Measures cells elsewhere; None to measure here.

    Returns:
        The results as plain values, as in ``results.json``.

    Raises:
        GameError: The experiment does not exist, a setting is wrong, a stored result has another form, or another run
            uses the folder.
        OSError: The folder cannot be written.
    """
    folder = check_path("folder", folder)
    experiment = get_experiment(name)
    expected, given = type(experiment.settings).__qualname__, type(settings).__qualname__
    if given != expected:  # a file of the user is imported anew, and its class with it
        raise GameError(f"settings of {name} are {expected}, not {given}", ErrorCode.INVALID_SETTING)
    check_settings(settings)
    with lock_run_folder(folder):
        results = _ResultWriter(name, experiment, settings, folder)
        workspace = ExperimentWorkspace(folder, progress_bar, results.write, remote_runner)
        results.fingerprints = workspace.fingerprints
        if is_experiment_file(name):
            file = _split_name(name)[0]
            workspace.fingerprints[file.name] = files_fingerprint([file])
        return _run(experiment, settings, results, workspace)


def _run(
    experiment: Experiment, settings: Any, results: _ResultWriter, workspace: ExperimentWorkspace
) -> dict[str, Any]:
    name = results.name
    workspace.log(f"{name} begins")
    try:
        report = _make_report(experiment, settings, workspace)
    except BaseException as stopped:
        try:
            workspace.publish_partial()
        except Exception as problem:  # in the report of an experiment of the user; the cells are kept
            workspace.log(f"no partial report: {type(problem).__name__}: {problem}")
        results.draw_plots(workspace.log)
        workspace.log(f"{name} stops: {type(stopped).__name__}")
        raise
    written = results.write(report)
    results.draw_plots(workspace.log)
    workspace.log(f"{name} ends")
    return written


def _make_report(experiment: Experiment, settings: Any, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Run an experiment; raises GameError where it cannot read the form of a stored result."""
    try:
        return experiment.run(settings, workspace)
    except (GameError, KBError):
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as problem:
        if workspace.last_stored is None:
            raise
        message = f"{workspace.cells_path}: the stored result of '{workspace.last_stored}' may have another form"
        remedy = "remove its line, or the file"
        text = f"{message} ({type(problem).__name__}: {problem}); {remedy}"
        raise GameError(text, ErrorCode.INVALID_RESULT) from problem


@dataclass
class _ResultWriter:
    """Writer of the files of an experiment, on the way and at the end; each file is replaced as a whole."""

    name: str
    experiment: Experiment
    settings: Any
    folder: Path
    fingerprints: Mapping[str, str] = field(default_factory=dict)  # of rules, records and weights
    report: ExperimentReport | None = None  # written last

    def write(self, report: ExperimentReport, missing: str = "") -> dict[str, Any]:
        """Write settings, report and results; returns the results. Text about what is missing marks it as partial."""
        given: object = report
        if not isinstance(given, ExperimentReport):  # of a function of the user, on the way
            message = f"experiment '{self.name}': report returned {type(given).__name__}, expected an ExperimentReport"
            raise GameError(message, ErrorCode.EXPERIMENT_FAILED)
        chosen = settings_to_json(self.settings)
        command = rerun_command(self.name, self.settings, self.experiment.settings)
        results: dict[str, Any] = {"experiment": self.name, "summary": self.experiment.summary}
        results |= {"directory": str(self.folder), "command": command, "settings": chosen}
        results |= {"marks": dict(self.fingerprints), **report.to_json()}
        results |= {"missing": missing} if missing else {}
        plain = _json(results)
        write_text(self.folder / "settings.json", _json(chosen))
        words = report.to_markdown(self.name, self.experiment.summary, chosen, missing)
        write_text(self.folder / "report.md", words + _provenance_text(command, self.fingerprints))
        write_text(self.folder / "results.json", plain)
        self.report = report
        return results

    def draw_plots(self, log: Callable[[str], None]) -> None:
        """Draw the plots of the report that was written last."""
        if self.report:
            self.report.draw_plots(self.folder, log)


def _provenance_text(command: str, marks: Mapping[str, str]) -> str:
    """Return the command that repeats the run, and the fingerprints of its inputs."""
    lines = ["", "## Where it comes from", "", f"Command: `{command}`", ""]
    lines += ["| what | mark |", "|---|---|", *(f"| {name} | `{mark}` |" for name, mark in marks.items())]
    return "\n".join(lines[: None if marks else 4]) + "\n"


def _json(value: Any) -> str:
    """Return a value as text; raises GameError where a report of the user holds what is no plain value."""
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as problem:
        raise GameError(f"a report holds what JSON cannot: {problem}", ErrorCode.INVALID_RESULT) from None
