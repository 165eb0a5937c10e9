"""The command ``solve``: exact value of an open-hand position of two parties, and best play."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    check_finite,
    fail,
    fail_usage,
    find_game,
    load_engine,
    parse_path,
    print_json,
    print_table,
)
from abl_cards.cli.progress import show_status
from abl_cards.core import format_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from abl_cards.games import Engine
    from abl_cards.games.endgame import OpenHandRace
    from abl_cards.reasoners.search import EndgameSolution

MAX_SECONDS, DEFAULT_SECONDS = 86_400, 60
"""Time limits in seconds: the largest, and the default of endgames."""
MAX_SHOWN = 10
"""Moves whose values are printed; --json has all."""

SearchCallback = Callable[[int], bool]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(solve)


def solve(
    game_name: GameName,
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND1 HAND2 ...|FILE",
            help="Hands in the order of play, first to move; or a file.",
        ),
    ],
    to_beat: Annotated[
        str | None, typer.Option("--to-beat", metavar="CARDS", help="Cards to beat; default: HAND1 leads.")
    ] = None,
    more: Annotated[
        str | None,
        typer.Option("--state", metavar="JSON", help="Further fields of the state, such as level or top."),
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="Line of the file.")] = 1,
    move: Annotated[
        int | None, typer.Option("--move", metavar="N", min=1, help="Act of the record to solve before.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0,
            max=MAX_SECONDS,
            callback=check_finite,
            help="Time limit; default: 60 for endgames, a day for two hands.",
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--max-nodes", metavar="N", min=1, max=2**63 - 1, help="Limit of searched positions.")
    ] = None,
    megabytes: Annotated[
        int, typer.Option("--memory", metavar="MB", min=1, max=1 << 14, help="Size of the transposition table.")
    ] = 256,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Solve an open-hand position of two parties: its value, the value of each move, and a line of best play.

    The value is in points: what the seat to move, and each seat of its side, wins by best play. Hands are given
    in the order of play, or by a FILE: a state with "face" (the hands of the others, next seat first), or a record,
    before act --move.

        abl-cards solve guandan "H9 S9 SK" "HT C3" "D5 C5" "CA S4 S4" --state '{"level":"2"}'
        abl-cards solve doudizhu 33456788KK2 4445JJ 99TAA2 --state '{"landlord":0}'
        abl-cards solve guandan games.jsonl --line 3 --move 61

    Endgames of two parties with up to about 24 cards in all hands are solved within a minute. Races of two hands (Big2)
    may have all cards of the deal:

        abl-cards solve big2 3344566789 45577TJQKA --to-beat 33

    --json prints {"value","line","nodes","seconds"}; "moves" has the value of each move. A position that is not solved
    within --seconds or --max-nodes is an error.
    """
    from abl_cards.cli.explain import read_state_or_record, report_line
    from abl_cards.core import GameError
    from abl_cards.games.endgame import build_race

    game = find_game(game_name)
    limit = DEFAULT_SECONDS if seconds is None else seconds
    if len(hands) == 1:
        if to_beat is not None or more is not None:
            fail_usage("--to-beat and --state need hands: a file has these fields itself")
        file = parse_path(hands[0])
        engine, state = read_state_or_record(game, file, line, directory, profile, "solve")
        with report_line(line, file):
            _solve_endgame(engine, state, move, limit, nodes, megabytes, as_json)
        return
    if move is not None or line != 1:
        fail_usage("--line and --move need a file")
    engine = load_engine(game, directory, profile)
    try:
        race = build_race(engine.rules) if more is None and len(hands) == 2 else None
    except GameError:
        race = None
    if race is not None:
        _solve_race(race, hands, to_beat, MAX_SECONDS if seconds is None else seconds, megabytes, as_json)
    else:
        _solve_endgame(engine, _state_from_hands(engine, hands, to_beat, more), None, limit, nodes, megabytes, as_json)


@contextmanager
def _report_search(seconds: float) -> Iterator[SearchCallback]:
    """Show the progress of a search; yields a callback that returns False after the time limit.

    The time counts from the first call, before which the kernels may have to be compiled.
    """
    from time import perf_counter

    start, num_calls = 0.0, 0
    with show_status("searching") as show:

        def on_progress(nodes: int) -> bool:
            nonlocal start, num_calls
            start, num_calls = start or perf_counter(), num_calls + 1
            if num_calls % 64 == 0:
                show(f"searching: {nodes:,} positions")
            return perf_counter() - start < seconds

        yield on_progress


# --- two hands that race to be empty ----------------------------------------------------------------------------------


def _solve_race(
    game: OpenHandRace, hands: list[str], to_beat: str | None, seconds: float, megabytes: int, as_json: bool
) -> None:
    from abl_cards.reasoners.search import SearchStopped, SearchTables
    from abl_cards.reasoners.search import solve_race as search

    race = game.read_position(hands[0], hands[1], to_beat)
    try:
        with _report_search(seconds) as on_progress:
            solution = search(SearchTables(game.combinations), race, on_progress, megabytes)
    except SearchStopped:
        fail(f"not solved in {seconds:g} s: allow more (--seconds), or more memory (--memory)")
    line = [game.cards_text(play.cards) for play in solution.best_line]
    if as_json:
        print_json(
            {"value": solution.value, "line": line, "nodes": solution.nodes, "seconds": round(solution.seconds, 6)}
        )
        return
    winner, cards_won = 1 if solution.value > 0 else 2, format_count(abs(solution.value), "card")
    typer.echo(f"value {solution.value:+d}: HAND{winner} wins {cards_won}")
    seats = ("HAND1", "HAND2")
    for number, cards in enumerate(line):
        typer.echo(f"  {seats[number % 2]}  {cards or 'pass'}")
    typer.echo(f"{solution.nodes:,} positions in {1e3 * solution.seconds:.1f} ms")


# --- two parties ------------------------------------------------------------------------------------------------------


def _state_from_hands(engine: Engine, hands: list[str], to_beat: str | None, more: str | None) -> dict[str, Any]:
    """Build the JSON state of hands given as text."""
    from abl_cards.core import GameError, parse_json_line

    try:
        fields = parse_json_line(os.fsencode(more)) if more is not None else {}
    except (GameError, UnicodeEncodeError):
        fields = None
    if not isinstance(fields, dict):
        fail_usage(f"--state {more!r} is not a JSON object")
    if len(hands) != len(engine.teams):
        fail_usage(f"{len(hands)} hands for {len(engine.teams)} seats")
    given = {"hand": hands[0], "face": hands[1:], **({} if to_beat is None else {"to_beat": to_beat})}
    for name in given:
        if name in fields:
            option = "--to-beat" if name == "to_beat" else "the hands"
            fail_usage(f'--state: "{name}" is given twice, by {option} too: leave it out of the state')
    return {"to_beat": None, **given, **fields}


def _solve_endgame(
    engine: Engine, state: Mapping[str, Any], move: int | None, seconds: float, nodes: int | None, megabytes: int,
    as_json: bool,
) -> None:  # fmt: skip
    from abl_cards.games.endgame import check_applicable
    from abl_cards.games.tables import is_play_decision
    from abl_cards.reasoners.search import EndgameUnsolved, open_hand_tables
    from abl_cards.reasoners.search import solve_endgame as solved

    check_applicable(engine.rules)  # before the state is read, so that no field is asked for in vain
    point = engine.read_decision_point(state, move)
    if not is_play_decision(point.decision):
        fail("this decision is a choice, such as a bid: only plays can be solved")
    try:
        with _report_search(seconds) as on_progress:
            tables, table_bits = open_hand_tables(point.decision), (megabytes << 15).bit_length() - 1
            solution = solved(tables, nodes, on_progress, table_bits)
    except EndgameUnsolved as problem:
        _fail_unsolved(problem, seconds)
    moves = sorted(zip(solution.move_points.tolist(), point.actions, strict=True), key=lambda pair: -pair[0])
    if as_json:
        print_json({
            "value": solution.value,
            "line": [[play.seat, engine.notate_move(int(play.move.form[0]), play.move.cards[0]).to_json()]
                     for play in solution.best_line],
            "moves": [{"move": action.to_json(), "value": points} for points, action in moves],
            "nodes": solution.nodes, "seconds": round(solution.seconds, 6),
        })  # fmt: skip
        return
    _print_endgame(engine, solution, [(points, str(action)) for points, action in moves])


def _fail_unsolved(problem: Exception, seconds: float) -> NoReturn:
    fail(f"not solved: {problem}; raise the limits (--seconds {seconds:g}, --max-nodes), or solve fewer cards")


def _print_endgame(engine: Engine, solution: EndgameSolution, moves: list[tuple[float, str]]) -> None:
    won = "wins" if solution.value > 0 else "loses" if solution.value < 0 else "wins"
    points_won = format_count(abs(solution.value), "point")
    typer.echo(f"value {solution.value:+g}: seat {solution.best_line[0].seat} {won} {points_won}")
    for play in solution.best_line:
        typer.echo(f"  seat {play.seat}  {engine.notate_move(int(play.move.form[0]), play.move.cards[0])}")
    typer.echo()
    print_table(("value", "move"), [(f"{points:+g}", text) for points, text in moves[:MAX_SHOWN]], right_aligned=(0,))
    if len(moves) > MAX_SHOWN:
        typer.echo(f"… and {len(moves) - MAX_SHOWN} more (--json)")
    typer.echo(f"{solution.nodes:,} positions in {1e3 * solution.seconds:.1f} ms")
