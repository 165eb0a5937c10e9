"""What an experiment is: settings that all have defaults, a smaller budget to try it, and a report at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from abl_cards.files import write_text
from abl_cards.games import GameError
from abl_cards.logic.errors import suggestion
from abl_cards.loop.lock import only_here
from abl_cards.settings import plain
from experiments.desk import Bar, Desk, no_bar
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


def conduct(name: str, settings: Any, folder: Path, bar: Bar = no_bar) -> dict[str, Any]:
    """Run an experiment and write its results into a folder; returns them as plain values.

    What was measured before with the same rules, weights and settings is taken from the folder.
    """
    found = experiment(name)
    with only_here(folder):
        return _conduct(name, found, settings, Desk(folder, bar))


def _conduct(name: str, found: Experiment, settings: Any, desk: Desk) -> dict[str, Any]:
    folder = desk.folder
    desk.log(f"{name} begins")
    write_text(folder / "settings.json", _json(plain(settings)))
    report = found.run(settings, desk)
    write_text(folder / "report.md", report.to_markdown(name, found.summary, plain(settings)))
    results = {"experiment": name, "directory": str(folder), "settings": plain(settings), **report.to_json()}
    write_text(folder / "results.json", _json(results))
    report.draw(folder, desk.log)
    desk.log(f"{name} ends")
    return results


def _json(values: Any) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"
