"""Private cache for every test, a loader of knowledge bases from text, and the format of places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp.errors import Diagnostic
from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase

Load = Callable[..., KnowledgeBase]


def format_place(diagnostic: Diagnostic) -> str:
    """Format lines and columns of a diagnostic, such as "3:13-20"; "-" without a location."""
    location = diagnostic.location
    return str(location).removeprefix(f"{location.file}:") if location else "-"


@pytest.fixture(autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ABL_CARDS_CACHE", str(folder))
    return folder


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load the text of one file `rules.lp`; by default the inputs are held(1..3, 1..2)."""

    def from_text(text: str, **settings: Any) -> KnowledgeBase:
        file = tmp_path / "rules.lp"
        file.write_text(text)
        settings = {"inputs": [Input("held", ((1, 2, 3), (1, 2)))], "outputs": [], "cache": False, **settings}
        return KnowledgeBase.load([file], **settings)

    return from_text
