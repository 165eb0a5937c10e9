"""Folders of the package and of the project."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
DATA = PACKAGE / "data"
PROJECT = PACKAGE.parent
