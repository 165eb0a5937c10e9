"""Grounding and mutation tests in this process, where their child processes are not what is tested.

Starting a child that imports clingo, or numba and an engine, takes longer than small rule folders. Real children are
covered by ``tests/asp``, and by the tests that use ``sandboxed``.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import pytest

from abl_cards.asp import Limits, sandbox
from abl_cards.matches import sampled_positions
from abl_cards.rulelab.testing import differences, mutants, worker
from tests.effort import amount


@pytest.fixture(autouse=True, scope="module")
def grounding() -> Iterator[None]:
    """Ground in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "_in_process", True)
        yield


@pytest.fixture
def sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ground in child processes, for rules that exceed a limit or crash clingo."""
    monkeypatch.setattr(sandbox, "_in_process", False)


@pytest.fixture(autouse=True, scope="module")
def short_matches() -> Iterator[None]:
    """Sample positions from fewer and shorter matches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampled_positions, "_NUM_MATCHES", amount(32, sampled_positions._NUM_MATCHES))
        patch.setattr(sampled_positions, "_DECISIONS_PER_MATCH", amount(120, sampled_positions._DECISIONS_PER_MATCH))
        yield


LOW_LIMITS = (20.0, 2 << 30, 20_000, 100_000, 4 << 20)
"""Defaults of `Limits` that rules without bounds exceed soon: seconds, memory, ground rules, literals, file size."""


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop rules without bounds early; children receive their limits with the request."""
    monkeypatch.setattr(Limits.__init__, "__defaults__", LOW_LIMITS)


class InProcessWorker(ABC):
    """Replacement of a worker process, which would import everything again and load all kernels."""

    def __init__(self, module: str, *_: Any) -> None:  # noqa: B027
        pass

    def request(self, payload: Any) -> Any:
        """Return the answer; it and the payload pass through JSON."""
        return json.loads(json.dumps(self.answer(json.loads(json.dumps(payload)))))

    @abstractmethod
    def answer(self, payload: Any) -> Any:
        """Do what the module of the worker does."""

    def close(self) -> None:  # noqa: B027
        """End the worker."""


class EditWorker(InProcessWorker):
    """Replacement of a worker process that tests edits."""

    _turn = Lock()  # the engine belongs to one thread at a time

    def __init__(self, module: str, *_: Any) -> None:
        assert module == worker.__name__
        worker._holding_cases.cache_clear()  # folders of other tests may have the same relative path
        self._folder = TemporaryDirectory(prefix="abl-cards-")
        self._numbers = count()

    def answer(self, payload: Any) -> Any:
        """Test an edit."""
        with self._turn:
            return worker.try_edit(Path(self._folder.name) / str(next(self._numbers)), payload)

    def close(self) -> None:
        """Delete the temporary folder."""
        self._folder.cleanup()


@pytest.fixture
def edits_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test edits of rules in this process, and search for differences in fewer matches."""
    monkeypatch.setattr(mutants, "SubprocessWorker", EditWorker)
    monkeypatch.setattr(differences, "NUM_MATCHES", amount(4, differences.NUM_MATCHES))
    monkeypatch.setattr(differences, "MAX_CASES_PER_STEP", amount(1, differences.MAX_CASES_PER_STEP))
