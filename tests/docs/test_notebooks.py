"""Notebooks equal their sources, ran without errors, are small, and contain no paths of a machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))
MAX_BYTES = 300_000


def code_cells(source: str) -> list[str]:
    """Code cells of a percent source, without its header."""
    cells = re.split(r"^# %%", source, flags=re.MULTILINE)[1:]
    return [cell.partition("\n")[2].strip() for cell in cells if not cell.startswith(" [markdown]")]


def notebook_cells(notebook: Path) -> list[dict[str, Any]]:
    """Code cells of a notebook with their outputs."""
    cells: list[dict[str, Any]] = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_cells_equal_its_source(notebook: Path) -> None:
    """After an edit of the source: python docs/run_notebooks.py NAME."""
    cells = ["".join(cell["source"]).strip() for cell in notebook_cells(notebook)]
    assert cells == code_cells(notebook.with_suffix(".py").read_text("utf-8"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_ran_without_errors_and_shows_a_plot(notebook: Path) -> None:
    cells = notebook_cells(notebook)
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_is_small_and_contains_no_machine_paths(notebook: Path) -> None:
    text = notebook.read_text("utf-8")
    assert len(text.encode()) <= MAX_BYTES
    assert re.findall(r"/(?:home|root|tmp|work|Users)/[\w./-]*", text) == []
