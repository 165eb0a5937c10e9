"""Wheels and source distributions of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_outside(*command: str | Path, cwd: Path) -> str:
    """Return the output of a command without our paths; fail with its full output when it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder: Path, target: str, source: Path = ROOT) -> Path:
    """Build the wheel or the source distribution, and return the file."""
    run_outside(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=source)
    (file,) = (path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    return file
