"""The command ``review``: a whole record looked over, mistakes first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    find_game,
    finite,
    misuse,
    print_json,
    print_table,
    progress,
)
from abl_cards.cli.explanation import at_line, load_for, read_object

if TYPE_CHECKING:
    from abl_cards.games import Engine
    from abl_cards.reviewing import Reviewed, Summary, Tried

MOST_REASONS = 4
"""Preferences shown of a mistake; --json has all."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(review)


def review(
    game_name: GameName,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Records, one JSON object a line; default: stdin.")
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="The line of the file.")] = 1,
    seats: Annotated[
        list[int] | None, typer.Option("--seat", metavar="S", help="Only this seat's plays; may be repeated.")
    ] = None,
    agent_name: Annotated[str, typer.Option("--agent", metavar="A", help="Whose choice is compared.")] = "kb",
    onward: Annotated[
        str, typer.Option("--onward", metavar="A", help="Who plays imagined deals to their end: kb, or greedy, sooner.")
    ] = "kb",
    deals: Annotated[int, typer.Option("--deals", metavar="N", min=4, help="Imagined deals a move is tried on.")] = 100,
    moves: Annotated[int, typer.Option("--moves", metavar="N", min=2, help="Moves of a decision that are tried.")] = 6,
    least: Annotated[
        float,
        typer.Option("--least", metavar="POINTS", min=0, callback=finite, help="What a mistake costs at least."),
    ] = 0.0,
    most: Annotated[int, typer.Option("--most", metavar="N", min=0, help="Mistakes that are printed.")] = 5,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="The language of reasons.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Look over a whole record: per play the best move, and what the made one gave away; mistakes first.

    Of every decision some moves are tried: the one that was made, the agent's, and the cheapest of other labels by the
    preferences. Each is made on the same deals, drawn by what the seat could know, and played to the end of the
    episode. Half of the deals choose the best move, the other half say what it is worth more. That is a mistake where
    it is more than twice its standard error, and --least points. A log of Botzone's is a record too (docs/tractor.md).

        abl-cards review guandan games.jsonl --line 3 --seat 0
    """
    from abl_cards.agents import agent
    from abl_cards.errors import GameError
    from abl_cards.reviewing import Plan, summaries
    from abl_cards.reviewing import review as looked_over
    from abl_cards.seeds import seed_text
    from reasoners.phrases import LANGUAGES

    if language not in LANGUAGES:
        misuse(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    record = read_object(file, line, directory or game.home)
    engine, record = load_for(record, line, game, directory, profile)
    wrong = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if wrong:
        misuse(f"--seat {wrong[0]}: the seats are 0 to {len(engine.teams) - 1}")
    try:
        players = agent(agent_name, engine), agent(onward, engine)
    except GameError as problem:
        misuse(problem)
    plan = Plan(engine, *players, deals, moves, least, seed, language)
    with at_line(line):
        with progress("trying moves", None) as tell:
            found = looked_over(plan, record, frozenset(seats) if seats else None, lambda done, _: tell(done, "moves"))
        sums = summaries(engine, record, found)
    if as_json:
        about = {"game": game.name, "line": line, "agent": agent_name, "onward": onward, "deals": deals,
                 "seed": seed_text(seed)}  # fmt: skip
        told = {"seats": [each.to_json() for each in sums], "decisions": [each.to_json() for each in found]}
        print_json(about | told)
    else:
        _print_mistakes(engine, found, most, language)
        _print_plays(found)
        _print_seats(sums, agent_name)


def _print_mistakes(engine: Engine, found: Sequence[Reviewed], most: int, language: str) -> None:
    mistakes = sorted((each for each in found if each.mistake), key=lambda each: -each.loss)
    for each in mistakes[:most]:
        typer.echo(f"act {each.act}: seat {each.seat} gave away {each.loss:.2f} ± {2 * each.error:.2f} points")
        typer.echo(_indented(engine.show(each.moment, language)))
        typer.echo(f"  made: {_move(each, each.made)}")
        typer.echo(f"  best: {_move(each, each.best)}")
        for reason in each.why[:MOST_REASONS]:
            typer.echo(f"    {reason.more:+4d} {reason.words}")
        typer.echo()
    if len(mistakes) > most:
        typer.echo(f"… and {len(mistakes) - most} more (--most, or --json)\n")


def _print_plays(found: Sequence[Reviewed]) -> None:
    if not found:
        typer.echo("nobody had anything to choose")
        return
    rows = [
        (
            f"{each.act}{' ?' if each.mistake else ''}", str(each.seat), _move(each, each.made),
            "" if each.best.row == each.made.row else _move(each, each.best), f"{each.loss:+.2f}",
            f"± {2 * each.error:.2f}",
        )
        for each in found
    ]  # fmt: skip
    print_table(("act", "seat", "made", "better", "points more", ""), rows, right=(4, 5))


def _print_seats(sums: Sequence[Summary], agent: str) -> None:
    typer.echo()
    rows = [
        (str(each.seat), str(each.plays), str(each.choices), str(each.agreed), str(each.mistakes), f"{each.loss:.2f}")
        for each in sums
    ]
    print_table(("seat", "plays", "with a choice", f"as {agent}", "mistakes", "points given away"), rows, range(1, 6))


def _move(each: Reviewed, tried: Tried) -> str:
    return str(each.moment.actions[tried.row])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
