"""Configuration of the web server; imports nothing of the engine, so that the port answers at once."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class WebConfig:
    """Configuration of the web server."""

    game: str = ""  # the first table's; the first game that comes with an agent that has learned it
    extra_games: tuple[str, ...] = ()  # folders beside the games that come with the package
    extra_agents: tuple[str, ...] = ()  # that may be seated besides the usual ones
    host: str = "127.0.0.1"
    port: int = 8765
    host_names: tuple[str, ...] = ()  # more names by which browsers may ask for this host
    save_folder: Path | None = None  # where folders of the rules lab may be saved
    watch_folders: tuple[Path, ...] = ()  # folders of runs, results and pictures of served tables
    state_folder: Path | None = (
        None  # where open tables are written down; they are there again when the page is started anew
    )
    preload_agent: bool = False  # have ready who gives the hints, before the first is asked for
    prewarm_table: bool = False  # lay a table before somebody comes
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can connect."""
        return self.host in ("127.0.0.1", "localhost", "::1")


def default_state_folder() -> Path:
    """Return the default folder of open tables: ``$ABL_CARDS_STATE``, or the platform's folder for program state."""
    chosen = os.environ.get("ABL_CARDS_STATE")
    if chosen:
        return Path(chosen) / "page"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "abl-cards" / "page"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/abl-cards/page"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "abl-cards" / "page"
