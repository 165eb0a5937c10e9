"""Find the platforms whose protocols a folder may name by ``platform(Name)``.

A platform is an entry point of the group ``abl_cards.protocols``: its name, and the package with its protocol. So the
games know no protocol, and an installed distribution may bring another one.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from abl_cards.asp import make_kb_error
from abl_cards.games.description.folder import Folder

GROUP = "abl_cards.protocols"


@cache
def platforms() -> dict[str, EntryPoint]:
    """Return the installed platforms by name."""
    return {each.name: each for each in sorted(entry_points(group=GROUP))}


def platform_attribute(folder: Folder, name: str) -> Any:
    """Return an attribute of the package of the platform that a folder names; None where there is none.

    Raises:
        KBError: the folder names a platform that is not installed.
    """
    for platform in folder.platforms:
        if platform not in platforms():
            known = f"there are: {', '.join(platforms())}; without the fact ours serves it"
            raise make_kb_error(f"platform({platform}): there is no such platform", known)
        found = getattr(platforms()[platform].load(), name, None)
        if found is not None:
            return found
    return None
