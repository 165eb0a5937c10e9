"""The command ``bot``: our agent as one file for somebody else's platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from abl_cards.cli.console import GameName, Profile, RuleFolder, fail, find_game, load_engine, misuse
from abl_cards.files import write_text


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(bot)


def bot(
    game_name: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the bot is written: a .py file.")],
    directory: RuleFolder = None,
    profile: Profile = None,
    agent: Annotated[
        str, typer.Option("--agent", metavar="A", help="Whose preferences: kb, kb:without=GROUP or kb:kb=DIR.")
    ] = "kb",
) -> None:
    """Write the agent kb as a program in one file, to be uploaded to Botzone; it needs nothing but Python.

    The rules and preferences are compiled into it. Programs that read Botzone's JSON play at our tables as the agent
    program:run=COMMAND.

        abl-cards bot doudizhu bot.py --profile botzone

        abl-cards match doudizhu kb "program:run=python3 bot.py" --profile botzone --games 2
    """
    from abl_cards.agents import judge
    from abl_cards.games import GameError
    from abl_cards.platforms.botzone.script import Botzone

    engine = load_engine(find_game(game_name), directory, profile)
    platform = Botzone.of(engine)
    if platform is None:
        misuse(f"there is no protocol for programs of {game_name}")
    try:
        source = platform.bot_source(judge(agent, engine))
    except GameError as problem:
        misuse(problem)
    if file.exists() and not file.is_file():
        fail(f"{file} is there and is no file that could be replaced")
    write_text(file, source)
    typer.echo(f"{file}: {len(source) >> 10} KiB")
