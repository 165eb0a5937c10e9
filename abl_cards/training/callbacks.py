"""Callbacks of a training run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Metrics = Mapping[str, Any]
"""Measurements of an update by name, as a line of ``metrics.jsonl`` has them: numbers, and None where nothing was."""


class TrainerCallback:
    """Base class of callbacks, whose methods do nothing; an object with some of these methods will do as well.

    Methods are called in the process that called `Trainer.fit`. An error that one raises ends the run, which can go on
    from its last checkpoint. To end it in an orderly way call `Trainer.stop`.
    """

    def on_update(self, metrics: Metrics) -> None:
        """Handle an update.

        Args:
            metrics: Its measurements, such as ``update``, ``decisions``, ``policy_loss`` and ``wins against kb``.
        """

    def on_checkpoint(self, file: Path) -> None:
        """Handle a checkpoint that has just been written.

        Args:
            file: The checkpoint; the run goes on from it.
        """

    def on_fit_end(self, metrics: Metrics) -> None:
        """Handle the end of `Trainer.fit`, when the weights have been saved.

        Args:
            metrics: The measurements of the last update; empty where there was none.
        """


CallbackLike = TrainerCallback | Callable[[Metrics], Any]
"""A callback, or a function that is called as ``on_update``."""


def call_all(callbacks: list[Any], name: str, argument: Any) -> None:
    """Call a method of all callbacks that have it."""
    for callback in callbacks:
        method = getattr(callback, name, None)
        if method is None and name == "on_update" and callable(callback):
            method = callback
        if method is not None:
            method(argument)
