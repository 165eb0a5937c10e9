"""The command ``page``: tables, reviews and more in the browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from abl_cards.cli.console import check_host, fail, find_game, list_game_names, load_knowledge
from abl_cards.core import require_extra

DEFAULT_PORT = 8765


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(page)


def page(
    game_name: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]", help=f"The first table's game: {list_game_names()}; or a folder of rule files."
        ),
    ] = "",
    port: Annotated[int, typer.Option("--port", metavar="P", min=0, max=65535, help="0 for any.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Who may connect: by default this machine.")
    ] = "127.0.0.1",
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A name by which others ask for this machine; may be repeated."),
    ] = None,
    games: Annotated[
        list[str] | None, typer.Option("--game", metavar="DIR", help="A folder of rules to offer; may be repeated.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="A", help="An agent to offer, such as mymodule:Player; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="DIR", help="Folders of the rules lab may be saved beneath this one."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Where open tables are kept, for when the page is started anew."),
    ] = None,
    watch: Annotated[
        list[Path] | None,
        typer.Option(
            "--watch", metavar="DIR", help="A folder of runs, results and served tables to show; may be repeated."
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Play in the browser, look over records, watch: one port of this machine, no account, no network.

    The first screen is a table. Seats are people's, by link, or agents'. docs/page.md shows it all.

        abl-cards page --open

        abl-cards page ./mygame --agent mymodule:Player

        abl-cards page --watch runs
    """
    require_extra("web")
    check_host(host)
    from abl_cards.web import WebConfig, default_state_folder, serve

    plan = WebConfig(
        game_name,
        tuple(games or ()),
        tuple(agents or ()),
        host,
        port,
        tuple(names or ()),
        save,
        watch_folders=tuple(watch or ()),
        state_folder=keep or default_state_folder(),
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
        asyncio.run(serve(plan, ready, lambda line: typer.echo(line, err=True)))
    except OSError as problem:
        fail(f"{host}:{port}: {problem.strerror or problem}")


def _check_games(*names: str) -> None:
    """Stop at once for what is no game, or what `kb check` refuses: the page would fail at its first table."""
    shipped = list_game_names().split(", ")
    for name in names:
        if name and name not in shipped:
            load_knowledge(find_game(name), None, None)
