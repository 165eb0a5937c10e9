"""A run in a fork of the test process, to be killed: unlike a new process it does not import anything again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable


class Forked:
    """A fork that runs a function until it is killed; its children write to its standard error while they live."""

    def __init__(self, run: Callable[[], object]) -> None:
        """Fork, and run the function in the child."""
        self._errors, child_errors = os.pipe()
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._errors)
                os.dup2(child_errors, 2)
                os.close(child_errors)
                run()
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 1)
            finally:
                os._exit(1)
        os.close(child_errors)

    def is_running(self) -> bool:
        """Return whether the function is still running."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    @property
    def exit_code(self) -> int:
        """Exit code of the function, once it has ended: that of `SystemExit`, and 1 without it."""
        assert self._status is not None
        return os.waitstatus_to_exitcode(self._status)

    def kill(self) -> None:
        """Kill the fork, and wait until its children have ended too."""
        if self.is_running():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        with os.fdopen(self._errors, "rb") as errors:
            errors.read()  # every child can say something until it ends: this waits for the last
