"""The command ``web``: tables, reviews and the rules notebook in the browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from abl_cards.cli.console import (
    check_host,
    fail,
    fail_usage,
    find_game,
    folder_option,
    list_game_names,
    load_knowledge,
    path_option,
    usage_errors,
)
from abl_cards.core import PROJECT, require_extra

DEFAULT_PORT = 8765


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(web)


def web(
    game_name: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]", help=f"Game of the first table: {list_game_names()}; or a folder of rule files."
        ),
    ] = "",
    port: Annotated[int, typer.Option("--port", metavar="P", min=0, max=65535, help="Port; 0: any.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; default: this machine only.")
    ] = "127.0.0.1",
    names: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", metavar="NAME", help="Host name that browsers may use; may be repeated."),
    ] = None,
    games: Annotated[
        list[str] | None, typer.Option("--game", metavar="DIR", help="Rule folder to offer; may be repeated.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="A", help="Agent to offer, such as mymodule:Player; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None,
        path_option("--save-dir", metavar="DIR", help="Folder under which the rules notebook may save."),
    ] = None,
    state_dir: Annotated[
        Path | None,
        folder_option("--state-dir", metavar="DIR", help="Folder of open tables, kept across restarts."),
    ] = None,
    watch: Annotated[
        list[Path] | None,
        path_option(
            "--watch",
            metavar="DIR",
            help="Folder of runs and results to show; default: runs, docs/results.",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Play, review records and watch in the browser: a local web server without accounts.

    The first screen has a tile for each game, your tables, and invitations for friends and classes.
    See docs/how-to/play-in-the-browser.md.

        abl-cards web --open
        abl-cards web ./mygame --agent mymodule:Player
        abl-cards web --watch runs
    """
    require_extra("web")
    check_host(host)
    for option, folder in [("--save-dir", save), *(("--watch", one) for one in watch or ())]:
        if folder is not None and folder.exists() and not folder.is_dir():
            fail_usage(f"{option} {folder}: this is a file; name a folder")
    from abl_cards.agents import check_agent_name
    from abl_cards.web import WebConfig, default_state_folder, serve

    with usage_errors():
        for agent in agents or ():
            check_agent_name(agent)

    config = WebConfig(
        game_name,
        tuple(games or ()),
        tuple(agents or ()),
        host,
        port,
        tuple(names or ()),
        save,
        watch_folders=tuple(watch or _default_watch_folders()),
        state_folder=state_dir or default_state_folder(),
        preload_agent=True,
        prewarm_table=True,
    )
    if game_name not in ("", *list_game_names().split(", ")) or games:
        _check_games(game_name, *games or ())

    def ready(address: str) -> None:
        typer.echo(address)
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        asyncio.run(serve(config, ready, lambda line: typer.echo(line, err=True)))
    except OSError as problem:
        fail(f"{host}:{port}: {problem.strerror or problem}")


def _check_games(*names: str) -> None:
    """Exit for unknown games and rules with errors, which would fail at the first table."""
    shipped = list_game_names().split(", ")
    for name in names:
        if name and name not in shipped:
            load_knowledge(find_game(name), None, None)


def _default_watch_folders() -> list[Path]:
    """Return the folder of runs, and the results of a checkout, where they exist."""
    return [folder for folder in (Path("runs"), PROJECT / "docs" / "results") if folder.is_dir()]
