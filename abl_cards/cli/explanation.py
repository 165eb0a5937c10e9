"""The command ``explain``: why a move, from a state or out of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    fail,
    find_game,
    load_engine,
    misuse,
    print_json,
    print_table,
    profiles_of,
)

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.games.words.reasons import Reading
    from reasoners.explanation import Explanation, Verdict


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
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="MOVE", help="A move of yours, such as 'S5 H5' or pass: is it legal, and why?"),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every legal move, the best first.")] = False,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Draw what abl thinks: labels, card sets, other hands.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a decision: the chosen move, its cost by named preference, the runner-up, why not that, the candidates.

    Reads a state, as "legal" does; of the others it may say how many cards they hold and whose play is to beat:

        {"level":"8","hand":["H4","H4","C4"],"to_beat":["Pair","3",["S3","D3"]],"cards":[9,2,14],"top":"next"}

    Or a record, as "replay" does, a log of Botzone's among them: --move says which play, and what was played there is
    judged too. In a record that has only come so far, "seat" is to move, and the hands of the other seats may be null;
    they are never looked at.

    Agent abl goes by what was played, as far as it is told; of a state it needs "cards". It shows its labels with their
    probabilities, the card sets of the chosen one with their costs, and a heat-map of the hands that it expects the
    others to hold.

        abl-cards explain guandan state.json --lang zh

        abl-cards explain guandan games.jsonl --line 3 --move 17

        abl-cards explain guandan games.jsonl --line 3 --move 17 --agent abl --png why.png

    --why MOVE asks about a move of your own: whether it is legal, by which rules down to what the seat is told, and
    what it costs more than the chosen one. --all ranks every legal move.

        abl-cards explain president state.json --why "S5 H5" --all
    """
    from abl_cards.agents import reasoned
    from abl_cards.errors import GameError
    from reasoners.explanation import explain as explained
    from reasoners.phrases import LANGUAGES

    if language not in LANGUAGES:
        misuse(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    value = read_object(file, line, directory or game.home)
    engine, value = load_for(value, line, game, directory, profile)
    try:
        player = reasoned(agent, engine)
    except GameError as problem:
        misuse(problem)
    with at_line(line):
        moment = engine.moment(value, move, explained=True)
        found = explained(engine, player.judge, moment, language, player.opinion(moment))
    if png is not None:
        _draw(found, png)
    readings = [] if why is None else engine.readings(moment, why)
    if as_json:
        more = {"all": [each.short_json() for each in found.ranking]} if every else {}
        more |= {"why": [_reading_json(found, each) for each in readings]} if why is not None else {}
        print_json({"game": game.name, **found.to_json(), **more})
    else:
        typer.echo(engine.show(moment, language))
        _print(found, language)
        if every:
            _print_all(found)
        for each in readings:
            _print_reading(found, each)


def _reading_json(found: Explanation, reading: Reading) -> dict[str, Any]:
    if reading.row is None:
        return reading.to_json()
    verdict = found.verdict(reading.row)
    return reading.to_json() | {"verdict": verdict.to_json(), "difference": found.difference_json(verdict)}


def _print_all(found: Explanation) -> None:
    """The columns are those that the agent has: probability and points only where it looks for them."""
    ranking = found.ranking
    likely = any(each.probability is not None for each in ranking)
    ahead = any(each.ahead is not None and each.ahead.points is not None for each in ranking)
    columns = ["place", "cost", *(["probability"] if likely else []), *(["points"] if ahead else []), "label", "move"]
    rows = [
        [
            str(each.place), str(each.cost),
            *([_share(each.probability)] if likely else []),
            *([_points(each)] if ahead else []), each.label, str(each.action),
        ]
        for each in ranking
    ]  # fmt: skip
    typer.echo()
    print_table(columns, rows, right=range(len(columns) - 2))


def _share(probability: float | None) -> str:
    return "" if probability is None else f"{100 * probability:.1f}%"


def _points(verdict: Verdict) -> str:
    points = None if verdict.ahead is None else verdict.ahead.points
    return "" if points is None else f"{points:+.2f}"


def _print_reading(found: Explanation, reading: Reading) -> None:
    from abl_cards.logic.why import lines
    from reasoners.account import why_not

    typer.echo(f"\n{reading.label} is {'legal' if reading.row is not None else 'not legal'}:")
    for line in lines(reading.why):
        typer.echo(f"  {line}")
    if reading.row is not None:
        verdict = found.verdict(reading.row)
        typer.echo(f"\n{verdict.action}: place {verdict.place} of {len(found.moment.actions)}, cost {verdict.cost}")
        for line in why_not(found, verdict) if verdict.place != found.chosen.place else ():
            typer.echo(line)


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


@contextmanager
def at_line(line: int) -> Iterator[None]:
    """End the command with the line of the file where what it says is refused."""
    from abl_cards.errors import GameError

    try:
        yield
    except GameError as problem:
        fail(f"line {line}: {problem}")


def load_for(
    value: Mapping[str, Any], line: int, game: Game, directory: Path | None, profile: str | None
) -> tuple[Engine, Mapping[str, Any]]:
    """Compile the rules that a state or record of a line goes by, and return it in our form."""
    from abl_cards.errors import GameError
    from abl_cards.records import in_own_form, profile_in

    profiles = profiles_of(game, directory)
    named = profile or profile_in(value, profiles)
    with at_line(line):
        if profile is None and named is not None and profiles and named not in profiles:
            raise GameError(f"profile: {named!r} is none of {', '.join(profiles)}")
        engine = load_engine(game, directory, named)
        return engine, in_own_form(engine, value)


def read_object(file: Path | None, line: int, rules: Path) -> Mapping[str, Any]:
    """The JSON object of a line of a file, or of stdin, unless it is of another game than the folder of rules."""
    from abl_cards.cli.legality import source
    from abl_cards.errors import GameError
    from abl_cards.lines import batches, parse_line

    with source(None if str(file) == "-" else file) as stream:
        lines = chain.from_iterable(batches(stream, cut=True))
        found = next((text for number, text in lines if number == line), b"")
    if not found.strip():
        fail(f"line {line} is empty, or there are fewer lines: nothing to explain")
    try:
        value = parse_line(found)
    except GameError as problem:
        fail(f"line {line}: {problem}")
    if not isinstance(value, dict):
        fail(f"line {line} is no JSON object")
    name = rules.resolve().name
    if value.get("game", name) != name:
        fail(f"line {line}: game: it is of {value['game']!r}, the rules of {name!r}")
    return value
