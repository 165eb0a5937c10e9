"""Shared fixtures of the tests of hand analysis: recorded games."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from abl_cards.core.errors import GameError
from abl_cards.matches.records import read_records


@pytest.fixture(scope="session")
def douzero_records(shared_data: Path) -> list[Mapping[str, Any]]:
    """Return the first games of the file, which is not read to its end."""
    records = read_records(shared_data / "doudizhu_douzero_selfplay.jsonl.gz", limit=60)
    return [record for record in records if not isinstance(record, GameError)]
