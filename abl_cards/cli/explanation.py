"""The command ``explain``: why a move, from a state or out of a record."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import AsJson, GameName, Profile, RuleFolder, fail, find_game, misuse, print_json

if TYPE_CHECKING:
    from reasoners.explanation import Explanation


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
        str,
        typer.Option("--agent", metavar="A", help="Whose choice: kb or abl, or a variant such as kb:without=GROUP."),
    ] = "kb",
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="The language of the explanation.")] = "en",
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Draw what abl thinks: labels, card sets, other hands.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a decision: the chosen move, its cost by named preference, the runner-up, why not that, the candidates.

    Reads a state, as "legal" does; of the others it may say how many cards they hold and whose play is to beat:

        {"level":"8","hand":["H4","H4","C4"],"to_beat":["Pair","3",["S3","D3"]],"cards":[9,2,14],"top":"next"}

    Or a record, as "replay" does: --move says which play, and what was played there is judged too. In a record that has
    only come so far, "seat" is to move, and the hands of the other seats may be null; they are never looked at.

    Agent abl goes by what was played, so it needs a record. It shows its labels with their probabilities, the card sets
    of the chosen one with their costs, and a heat-map of the hands it expects the others to hold.

        abl-cards explain guandan state.json --lang zh

        abl-cards explain guandan games.jsonl --line 3 --move 17

        abl-cards explain guandan games.jsonl --line 3 --move 17 --agent abl --png why.png
    """
    from abl_cards.agents import reasoned
    from abl_cards.games import GameError
    from reasoners.explanation import explain as explained
    from reasoners.phrases import LANGUAGES

    if language not in LANGUAGES:
        misuse(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    value = read_object(file, line)
    engine = game.engine(directory, profile or profile_of(value))
    try:
        player = reasoned(agent, engine)
    except GameError as problem:
        misuse(problem)
    moment = engine.moment(value, move)
    found = explained(engine, player.judge, moment, language, player.opinion(moment))
    if png is not None:
        _draw(found, png)
    if as_json:
        print_json({"game": game.name, **found.to_json()})
    else:
        typer.echo(engine.show(moment, language))
        _print(found, language)


def _print(found: Explanation, language: str) -> None:
    from abl_cards.cli.pictures import print_heat_map
    from reasoners.account import account

    typer.echo(f"\n{account(found)}")
    if found.opinion is not None and found.opinion.estimate is not None:
        typer.echo()
        print_heat_map(found.opinion.estimate, language)


def _draw(found: Explanation, file: Path) -> None:
    from abl_cards.cli.pictures import draw_opinion

    if found.opinion is None:
        fail("--png draws what agent abl thinks of a play: here the preferences decide alone")
    draw_opinion(found, file)


def read_object(file: Path | None, line: int) -> Mapping[str, Any]:
    """The JSON object of a line of a file, or of stdin."""
    from abl_cards.cli.legality import source
    from abl_cards.lines import batches, parse_line

    with source(None if str(file) == "-" else file) as stream:
        found = next((text for number, text in chain.from_iterable(batches(stream)) if number == line), b"")
    if not found.strip():
        fail(f"line {line} is empty, or there are fewer lines: nothing to explain")
    value = parse_line(found)
    if not isinstance(value, dict):
        fail(f"line {line} is no JSON object")
    return value


def profile_of(value: Mapping[str, Any]) -> str | None:
    """A state or a record may name its profile."""
    named = value.get("profile")
    return named if isinstance(named, str) else None
