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
    check_finite,
    fail_usage,
    find_game,
    print_json,
    print_table,
    show_progress,
)
from abl_cards.cli.explain import load_engine_for, read_json_object, report_line

if TYPE_CHECKING:
    from abl_cards.games import Engine
    from abl_cards.matches import EvaluatedMove, ReviewedDecision, SeatSummary

MAX_REASONS = 4
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
        typer.Option("--least", metavar="POINTS", min=0, callback=check_finite, help="What a mistake costs at least."),
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
    it is more than twice its standard error, and --least points. A log of Botzone's is a record too (docs/how-to).

        abl-cards review guandan games.jsonl --line 3 --seat 0
    """
    from abl_cards.agents import make_agent
    from abl_cards.core import GameError, format_seed
    from abl_cards.matches import ReviewConfig, summarise_seats
    from abl_cards.matches import review_record as looked_over
    from abl_cards.reasoners.explain import LANGUAGES

    if language not in LANGUAGES:
        fail_usage(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    record = read_json_object(file, line, directory or game.directory)
    engine, record = load_engine_for(record, line, game, directory, profile)
    wrong = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if wrong:
        fail_usage(f"--seat {wrong[0]}: the seats are 0 to {len(engine.teams) - 1}")
    try:
        players = make_agent(agent_name, engine), make_agent(onward, engine)
    except GameError as problem:
        fail_usage(problem)
    plan = ReviewConfig(engine, *players, deals, moves, least, seed, language)
    with report_line(line):
        with show_progress("trying moves", None) as tell:
            found = looked_over(plan, record, frozenset(seats) if seats else None, lambda done, _: tell(done, "moves"))
        sums = summarise_seats(engine, record, found)
    if as_json:
        about = {"game": game.name, "line": line, "agent": agent_name, "onward": onward, "deals": deals,
                 "seed": format_seed(seed)}  # fmt: skip
        told = {"seats": [each.to_json() for each in sums], "decisions": [each.to_json() for each in found]}
        print_json(about | told)
    else:
        _print_mistakes(engine, found, most, language)
        _print_plays(found)
        _print_seats(sums, agent_name)


def _print_mistakes(engine: Engine, found: Sequence[ReviewedDecision], most: int, language: str) -> None:
    mistakes = sorted((each for each in found if each.is_mistake), key=lambda each: -each.loss)
    for each in mistakes[:most]:
        typer.echo(f"act {each.act}: seat {each.seat} gave away {each.loss:.2f} ± {2 * each.error:.2f} points")
        typer.echo(_indent(engine.render_view(each.decision_point, language)))
        typer.echo(f"  made: {_move_text(each, each.played_move)}")
        typer.echo(f"  best: {_move_text(each, each.best_move)}")
        for reason in each.reasons[:MAX_REASONS]:
            typer.echo(f"    {reason.cost_difference:+4d} {reason.text}")
        typer.echo()
    if len(mistakes) > most:
        typer.echo(f"… and {len(mistakes) - most} more (--most, or --json)\n")


def _print_plays(found: Sequence[ReviewedDecision]) -> None:
    if not found:
        typer.echo("nobody had anything to choose")
        return
    rows = [
        (
            f"{each.act}{' ?' if each.is_mistake else ''}", str(each.seat), _move_text(each, each.played_move),
            "" if each.best_move.row == each.played_move.row else _move_text(each, each.best_move), f"{each.loss:+.2f}",
            f"± {2 * each.error:.2f}",
        )
        for each in found
    ]  # fmt: skip
    print_table(("act", "seat", "made", "better", "points more", ""), rows, right_aligned=(4, 5))


def _print_seats(sums: Sequence[SeatSummary], agent: str) -> None:
    typer.echo()
    rows = [
        (str(each.seat), str(each.plays), str(each.choices), str(each.agreed), str(each.mistakes), f"{each.loss:.2f}")
        for each in sums
    ]
    print_table(("seat", "plays", "with a choice", f"as {agent}", "mistakes", "points given away"), rows, range(1, 6))


def _move_text(each: ReviewedDecision, tried: EvaluatedMove) -> str:
    return str(each.decision_point.actions[tried.row])


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
