"""A process that plays by edited rules, started again where it crashes or hangs."""

from __future__ import annotations

from abl_cards.rulelab.testing.workers import SubprocessWorker, WorkerProcessError
from tests.games.edited_play import PLAYED, REFUSED, STOPPED
from tests.games.rule_edits import RuleEdit

PATIENCE = 300.0
"""Seconds for an edit on the busiest of machines; it takes one or two."""
AT_ONCE = 50
"""Edits a process: engines are kept as long as it lives."""
FINE = {REFUSED, STOPPED, PLAYED}


class Player:
    """Plays by edits, one after the other."""

    def __init__(self) -> None:
        """The process starts at the first edit."""
        self._worker = SubprocessWorker("tests.games.edited_play", PATIENCE, AT_ONCE)

    def attempt(self, edit: RuleEdit) -> tuple[str, str]:
        """Return the outcome and the message of an edit."""
        try:
            outcome, text = self._worker.request(edit)
        except WorkerProcessError as problem:
            return "lost", str(problem)
        return outcome, text

    def close(self) -> None:
        """End the process."""
        self._worker.close()
