"""Find the platforms whose protocols a folder may name by ``platform(Name)``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from abl_cards import PLATFORM_PACKAGES
from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.folder import Folder


def platform_attribute(folder: Folder, name: str) -> Any:
    """Return an attribute of the package of a platform that a folder names.

    Args:
        folder: Folder of the game.
        name: Name of the attribute.

    Returns:
        Attribute of the first platform that has one, else None.

    Raises:
        KBError: The folder names an unknown platform.
    """
    for platform in folder.platforms:
        if platform not in PLATFORM_PACKAGES:
            known = f"there are: {', '.join(PLATFORM_PACKAGES)}; without the fact our own protocol serves the game"
            raise make_kb_error(f"platform({platform}): there is no such platform", known, ErrorCode.UNKNOWN_NAME)
        attribute = getattr(import_module(PLATFORM_PACKAGES[platform]), name, None)
        if attribute is not None:
            return attribute
    return None
