"""Find the platforms whose protocols a folder may name by ``platform(Name)``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from abl_cards import PLATFORM_PACKAGES
from abl_cards.asp import make_kb_error
from abl_cards.games.description.folder import Folder


def platform_attribute(folder: Folder, name: str) -> Any:
    """Return an attribute of the package of the platform that a folder names; None where there is none.

    Raises:
        KBError: the folder names an unknown platform.
    """
    for platform in folder.platforms:
        if platform not in PLATFORM_PACKAGES:
            known = f"there are: {', '.join(PLATFORM_PACKAGES)}; without the fact ours serves it"
            raise make_kb_error(f"platform({platform}): there is no such platform", known)
        found = getattr(import_module(PLATFORM_PACKAGES[platform]), name, None)
        if found is not None:
            return found
    return None
