"""Experiments: one module for each table or question, run by ``abl-cards run``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.experiments.experiment import (
        Experiment,
        absolute_name,
        find_experiments,
        get_experiment,
        remove_results,
        run_experiment,
        short_name,
    )
    from abl_cards.experiments.frames import match_rows, read_frame, read_rows
    from abl_cards.experiments.joint_loop import FROM_NOTHING, FROM_PREFERENCES
    from abl_cards.experiments.remote_cells import RemoteCells
    from abl_cards.experiments.report import ExperimentReport, ReportTable
    from abl_cards.experiments.rules import GameConfig, RulesConfig
    from abl_cards.experiments.workspace import ExperimentWorkspace, RemoteRunner

__all__ = [
    "FROM_NOTHING",
    "FROM_PREFERENCES",
    "Experiment",
    "ExperimentReport",
    "ExperimentWorkspace",
    "GameConfig",
    "RemoteCells",
    "RemoteRunner",
    "ReportTable",
    "RulesConfig",
    "absolute_name",
    "find_experiments",
    "get_experiment",
    "match_rows",
    "read_frame",
    "read_rows",
    "remove_results",
    "run_experiment",
    "short_name",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
