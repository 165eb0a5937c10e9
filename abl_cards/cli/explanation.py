"""The command ``explain``: why a move, from a state or out of a record."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from abl_cards.cli.console import AsJson, GameName, Profile, RuleFolder, fail, find_game, misuse, print_json


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(explain)


def explain(
    game_name: GameName,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="States or records, one JSON object a line; default: stdin."),
    ] = None,
    move: Annotated[
        int | None, typer.Option("--move", metavar="N", min=1, help="The play of the record that is to be explained.")
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="The line of the file.")] = 1,
    directory: RuleFolder = None,
    profile: Profile = None,
    agent: Annotated[
        str, typer.Option("--agent", metavar="A", help="Whose choice: kb, kb:without=GROUP or kb:kb=DIR.")
    ] = "kb",
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="The language of the explanation.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Explain a decision: the chosen move, its cost by named preference, the runner-up, why not that, the candidates.

    Reads a state, as "legal" does; of the others it may say how many cards they hold and whose play is to beat:

        {"level":"8","hand":["H4","H4","C4"],"to_beat":["Pair","3",["S3","D3"]],"cards":[9,2,14],"top":"next"}

    Or a record, as "replay" does: --move says which play, and what was played there is judged too. In a record that has
    only come so far, "seat" is to move, and the hands of the other seats may be null; they are never looked at.

        abl-cards explain guandan state.json --lang zh

        abl-cards explain guandan games.jsonl --line 3 --move 17
    """
    from abl_cards.agents import judge
    from abl_cards.games import GameError
    from reasoners.account import account
    from reasoners.explanation import explain as explained
    from reasoners.phrases import LANGUAGES

    if language not in LANGUAGES:
        misuse(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    value = _read(file, line)
    engine = game.engine(directory, profile or _profile_of(value))
    try:
        chooser = judge(agent, engine)
    except GameError as problem:
        misuse(problem)
    moment = engine.moment(value, move)
    found = explained(engine, chooser, moment, language)
    if as_json:
        print_json({"game": game.name, **found.to_json()})
    else:
        typer.echo(f"{engine.show(moment, language)}\n\n{account(found)}")


def _read(file: Path | None, line: int) -> Mapping[str, Any]:
    """The JSON object of a line of a file, or of stdin."""
    from abl_cards.records import LONGEST_LINE, parse_line, reading

    if file is None or str(file) == "-":
        stream = sys.stdin.buffer
        lines = [stream.readline(LONGEST_LINE) for _ in range(line)]
    else:
        with reading(file) as opened:
            lines = [opened.readline(LONGEST_LINE) for _ in range(line)]
    if not lines[-1].strip():
        fail(f"line {line} is empty, or there are fewer lines: nothing to explain")
    value = parse_line(lines[-1])
    if not isinstance(value, dict):
        fail(f"line {line} is no JSON object")
    return value


def _profile_of(value: Mapping[str, Any]) -> str | None:
    """A state or a record may name its profile."""
    named = value.get("profile")
    return named if isinstance(named, str) else None
