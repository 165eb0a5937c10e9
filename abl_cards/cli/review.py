"""The command ``review``: assess all decisions of a record, mistakes first."""

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
    usage_errors,
)
from abl_cards.cli.explain import read_state_or_record, report_line
from abl_cards.cli.progress import show_progress

if TYPE_CHECKING:
    from abl_cards.games import Engine
    from abl_cards.matches import EvaluatedMove, ReviewedDecision, SeatSummary

MAX_REASONS = 4
"""Preferences printed for a mistake; --json has all."""
SHOWN_LOSS = 0.005
"""Points below which a decision has no row, since it would show 0.00."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(review)


def review(
    game_name: GameName,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Records, one JSON object per line; default: stdin.")
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="Line of the file.")] = 1,
    seats: Annotated[
        list[int] | None, typer.Option("--seat", metavar="S", help="Review only this seat; may be repeated.")
    ] = None,
    agent_name: Annotated[str, typer.Option("--agent", metavar="A", help="Agent whose choice is compared.")] = "kb",
    rollout_agent: Annotated[
        str, typer.Option("--rollout-agent", metavar="A", help="Agent that plays sampled deals out; greedy is faster.")
    ] = "kb",
    deals: Annotated[int, typer.Option("--deals", metavar="N", min=4, help="Sampled deals per move.")] = 100,
    moves: Annotated[int, typer.Option("--moves", metavar="N", min=2, help="Moves evaluated per decision.")] = 6,
    min_loss: Annotated[
        float,
        typer.Option("--min-loss", metavar="POINTS", min=0, callback=check_finite, help="Least loss of a mistake."),
    ] = 0.0,
    max_shown: Annotated[int, typer.Option("--max-shown", metavar="N", min=0, help="Mistakes printed.")] = 5,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the reasons.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Review a record: the best move of each decision and the points lost by the played one; mistakes first.

    Several moves of each decision are evaluated: the played one, the agent's, and the cheapest of other labels by the
    preferences. Each is played out on the same deals, sampled from what the seat could know. Half of the deals select
    the best move, the other half estimate its advantage. A mistake is an advantage of more than twice its standard
    error and at least --min-loss points. Botzone logs are records too (docs/how-to/botzone.md).

        abl-cards review guandan games.jsonl --line 3 --seat 0
    """
    from abl_cards.agents import make_agent
    from abl_cards.core import check_language, format_seed
    from abl_cards.matches import ReviewConfig, review_record, summarise_seats

    with usage_errors():
        check_language(language)
    game = find_game(game_name)
    engine, record = read_state_or_record(game, file, line, directory, profile)
    wrong = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if wrong:
        fail_usage(f"--seat {wrong[0]}: the seats are 0 to {len(engine.teams) - 1}")
    with usage_errors():
        agents = make_agent(agent_name, engine), make_agent(rollout_agent, engine)
    config = ReviewConfig(engine, *agents, deals, moves, min_loss, seed, language)
    with report_line(line):
        with show_progress("evaluating moves", None) as show:
            decisions = review_record(
                config, record, frozenset(seats) if seats else None, lambda done, _: show(done, "moves")
            )
        summaries = summarise_seats(engine, record, decisions)
    if as_json:
        settings = {"game": game.name, "line": line, "agent": agent_name, "rollout_agent": rollout_agent,
                    "deals": deals, "seed": format_seed(seed)}  # fmt: skip
        seat_rows, rows = [one.to_json() for one in summaries], [one.to_json() for one in decisions]
        print_json({**settings, "seats": seat_rows, "decisions": rows})
    else:
        _print_mistakes(engine, decisions, max_shown, language)
        _print_plays(decisions)
        _print_seats(summaries, agent_name)


def _print_mistakes(engine: Engine, decisions: Sequence[ReviewedDecision], max_shown: int, language: str) -> None:
    from abl_cards.games.notation import render_view

    mistakes = sorted((decision for decision in decisions if decision.is_mistake), key=lambda decision: -decision.loss)
    for mistake in mistakes[:max_shown]:
        loss = f"{mistake.loss:.2f} ± {2 * mistake.error:.2f}"
        typer.echo(f"act {mistake.act}: seat {mistake.seat} lost {loss} points")
        typer.echo(_indent(render_view(engine.rules, mistake.decision_point, language)))
        typer.echo(f"  played: {_move_text(mistake, mistake.played_move)}")
        typer.echo(f"  best:   {_move_text(mistake, mistake.best_move)}")
        for reason in mistake.reason_lines[:MAX_REASONS]:
            typer.echo(f"    {reason.weight:+4d} {reason.text}")
        typer.echo()
    if len(mistakes) > max_shown:
        typer.echo(f"… and {len(mistakes) - max_shown} more (--max-shown, or --json)\n")


def _print_plays(decisions: Sequence[ReviewedDecision]) -> None:
    """Print the decisions that lost or won points against the other moves; --json lists all."""
    if not decisions:
        typer.echo("no decision had more than one move")
        return
    shown = [decision for decision in decisions if abs(decision.loss) >= SHOWN_LOSS]
    rows = [
        (
            f"{one.act}{' ?' if one.is_mistake else ''}", str(one.seat), _move_text(one, one.played_move),
            _move_text(one, one.best_move), f"{one.loss:+.2f}", f"± {2 * one.error:.2f}",
        )
        for one in shown
    ]  # fmt: skip
    if rows:
        print_table(("act", "seat", "played", "better", "points lost", ""), rows, right_aligned=(4, 5))
    if len(shown) < len(decisions):
        typer.echo(f"{len(decisions) - len(shown)} of {len(decisions)} decisions lost nothing")


def _print_seats(summaries: Sequence[SeatSummary], agent: str) -> None:
    typer.echo()
    rows = [
        (str(seat.seat), str(seat.plays), str(seat.choices), str(seat.agreed), str(seat.mistakes), f"{seat.loss:.2f}")
        for seat in summaries
    ]
    print_table(("seat", "plays", "with a choice", f"as {agent}", "mistakes", "points lost"), rows, range(1, 6))


def _move_text(decision: ReviewedDecision, move: EvaluatedMove) -> str:
    return str(decision.decision_point.actions[move.row])


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
