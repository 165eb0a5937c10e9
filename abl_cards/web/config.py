"""Configuration of the web server; does not import the engine, so that the server starts at once."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_state_path


@dataclass(frozen=True)
class WebConfig:
    """Configuration of the web server.

    Attributes:
        game: Game of the first table; empty for the first game with shipped weights.
        extra_games: Rule folders offered besides the shipped games.
        extra_agents: Agents offered besides the default ones.
        host: Address to listen on.
        port: Port to listen on; 0 for any free one.
        host_names: Further names of this host that browsers may use.
        save_folder: Folder for saved rule folders of the laboratory; None to disable saving.
        watch_folders: Folders of runs, results and snapshots of served tables.
        state_folder: Folder in which open tables are stored and restored at the next start; None to store nothing.
        preload_agent: Load the agent of hints before the first request.
        prewarm_table: Prepare a table before the first visitor.
        token: Access key of the page.
    """

    game: str = ""
    extra_games: tuple[str, ...] = ()
    extra_agents: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8765
    host_names: tuple[str, ...] = ()
    save_folder: Path | None = None
    watch_folders: tuple[Path, ...] = ()
    state_folder: Path | None = None
    preload_agent: bool = False
    prewarm_table: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))

    @property
    def requested_games(self) -> tuple[str, ...]:
        """Games and rule folders that the command names, the game of the first table first."""
        return (*((self.game,) if self.game else ()), *self.extra_games)

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can connect."""
        return self.host in ("127.0.0.1", "localhost", "::1")


def default_state_folder() -> Path:
    """Return the default folder of open tables.

    Returns:
        A folder in ``$ABL_CARDS_STATE``, or in the platform's folder for program state.
    """
    configured = os.environ.get("ABL_CARDS_STATE")
    return (Path(configured) if configured else user_state_path("abl-cards", appauthor=False)) / "page"
