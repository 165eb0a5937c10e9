"""Folders of the package and of the project."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""Folder of the package ``abl_cards``."""
DATA = PACKAGE / "data"
"""Folder of data files that come with the package."""
PROJECT = PACKAGE.parent
"""Folder of the checkout; of a wheel, the folder of installed packages."""


def read_working_directory() -> str:
    """Return the working directory; an empty text where it has been deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
