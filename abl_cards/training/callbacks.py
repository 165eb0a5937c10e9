"""Callbacks of a training run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, check_list

Metrics = Mapping[str, Any]
"""Measurements of an update by name, as a line of ``metrics.jsonl`` has them: numbers, and None where nothing was."""


class TrainerCallback:
    """Base class of callbacks, whose methods do nothing.

    Any object with some of these methods can be a callback. A function is called as ``on_update``.

    Methods are called in the process that called `Trainer.fit`. An exception in a callback ends the run, which can be
    resumed from its last checkpoint. To end a run without an error call `Trainer.stop`.
    """

    def on_update(self, metrics: Metrics) -> None:
        """Handle an update.

        Args:
            metrics: Measurements, such as ``update``, ``decisions``, ``policy_loss`` and ``wins against kb``.
        """

    def on_checkpoint(self, file: Path) -> None:
        """Handle a checkpoint that has just been written.

        Args:
            file: The checkpoint, from which the run can be resumed.
        """

    def on_fit_end(self, metrics: Metrics) -> None:
        """Handle the end of `Trainer.fit`, when the weights have been saved.

        Args:
            metrics: The measurements of the last update; empty where there was none.
        """


class WandbCallback(TrainerCallback):
    """Callback that logs the measurements of each update to Weights & Biases.

    >>> Trainer("guandan", callbacks=[WandbCallback(project="cards")])  # doctest: +SKIP
    """

    def __init__(self, run: Any = None, **init: Any) -> None:
        """Log to a run of wandb.

        Args:
            run: A running run, which the caller finishes. None to start a run that ends with `Trainer.fit`.
            init: Arguments of ``wandb.init`` for a run that is started here.

        Raises:
            GameError: wandb is not installed (code ``missing-library``).
        """
        self._module: Any = _import_tracker("wandb") if run is None else None
        self._init = init
        self._run = run

    def on_update(self, metrics: Metrics) -> None:
        """Log the numbers of an update."""
        if self._run is None:
            self._run = self._module.init(**self._init)
        self._run.log(_numbers(metrics), step=int(metrics["update"]))

    def on_fit_end(self, metrics: Metrics) -> None:
        """Finish a run that this callback started."""
        if self._module is not None and self._run is not None:
            self._run.finish()
            self._run = None


class MlflowCallback(TrainerCallback):
    """Callback that logs the measurements of each update to MLflow.

    >>> Trainer("guandan", callbacks=[MlflowCallback(experiment_id="1")])  # doctest: +SKIP
    """

    def __init__(self, **start_run: Any) -> None:
        """Log to the active run of MLflow, or start one.

        Args:
            start_run: Arguments of ``mlflow.start_run`` where no run is active; it ends at the end of `Trainer.fit`.

        Raises:
            GameError: mlflow is not installed (code ``missing-library``).
        """
        self._module, self._start_run, self._is_own = _import_tracker("mlflow"), start_run, False

    def on_update(self, metrics: Metrics) -> None:
        """Log the numbers of an update; characters that MLflow refuses in names become underscores."""
        if self._module.active_run() is None:
            self._module.start_run(**self._start_run)
            self._is_own = True
        values = {re.sub(r"[^\w./ -]", "_", name): value for name, value in _numbers(metrics).items()}
        self._module.log_metrics(values, step=int(metrics["update"]))

    def on_fit_end(self, metrics: Metrics) -> None:
        """End a run that this callback started."""
        if self._is_own:
            self._module.end_run()
            self._is_own = False


def _import_tracker(name: str) -> Any:
    """Import a library that tracks experiments; raises GameError where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        message = f"this callback needs the library {name}: pip install {name}"
        raise GameError(message, ErrorCode.MISSING_LIBRARY) from None


def _numbers(metrics: Metrics) -> dict[str, float]:
    """Return the measurements that are numbers."""
    return {name: float(value) for name, value in metrics.items() if isinstance(value, int | float)}


CallbackLike = TrainerCallback | Callable[[Metrics], Any]
"""A callback, or a function that is called as ``on_update``."""


_METHODS = "on_update", "on_checkpoint", "on_fit_end"


def check_callbacks(callbacks: object) -> list[CallbackLike]:
    """Return callbacks as a list.

    Args:
        callbacks: A list or tuple of callbacks.

    Raises:
        GameError: The argument is not a list, or holds an object that is not a callback.
    """
    given = check_list("callbacks", callbacks)
    for callback in given:
        is_usable = callable(callback) or any(callable(getattr(callback, name, None)) for name in _METHODS)
        if isinstance(callback, type) or not is_usable:
            problem = (
                f"callbacks: {callback!r:.60} is no callback: give an object with {', '.join(_METHODS)}, or a function"
            )
            raise GameError(problem, ErrorCode.INVALID_VALUE)
    return given


def call_all(callbacks: list[Any], name: str, argument: Any) -> None:
    """Call a method of all callbacks that have it."""
    for callback in callbacks:
        method = getattr(callback, name, None)
        if method is None and name == "on_update" and callable(callback):
            method = callback
        if method is not None:
            method(argument)
