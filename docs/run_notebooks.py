"""Run the notebooks of ``docs/tutorials/``: each source ``NAME.py`` becomes ``NAME.ipynb`` with its outputs.

``python docs/run_notebooks.py [NAME …]`` needs the extras ``learning``, ``plots`` and ``notebooks``. A notebook runs in
an empty folder, by this checkout. Times, identifiers and paths of the machine are not stored.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
NOTEBOOKS = ("edit_a_rule", "train_and_ablate", "own_learner", "any_program", "ablate_abln")
MAX_BYTES = 300_000


def run(source: Path) -> Path:
    """Run a source in an empty folder, and write the notebook beside it."""
    notebook = jupytext.read(source)
    for index, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{index}"
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=1800, resources={"metadata": {"path": folder}}, record_timing=False)
        client.execute()
        text = nbformat.writes(_cleaned(notebook)).replace(folder, ".").replace(f"{ROOT}{os.sep}", "")
    if len(text.encode()) > MAX_BYTES:
        raise ValueError(f"{source.name}: the notebook has {len(text.encode()):,} bytes, more than {MAX_BYTES:,}")
    target = source.with_suffix(".ipynb")
    target.write_text(text + "\n", "utf-8")
    return target


def _cleaned(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep what a reader sees: no versions of tools, no messages on stderr."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def main() -> None:
    """Run the named sources, or all."""
    os.environ["PYTHONPATH"] = str(ROOT)
    for name in sys.argv[1:] or NOTEBOOKS:
        print(run(TUTORIALS / f"{name}.py").relative_to(ROOT))


if __name__ == "__main__":
    main()
