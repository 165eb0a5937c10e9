"""``solve``: the exact value of a position with open hands of two parties, and best play from there on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
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
    print_json,
    print_table,
    show_status,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from abl_cards.games import Engine
    from abl_cards.games.endgame import OpenHandRace
    from abl_cards.reasoners.search import EndgameSolution

MAX_SECONDS, DEFAULT_SECONDS = 86_400, 60
"""Seconds that somebody may wait, and that it takes by default where two parties may have too many cards."""
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
            help="The hands in the order of play, that of the seat to move first; or a file of states or records.",
        ),
    ],
    to_beat: Annotated[
        str | None, typer.Option("--to-beat", metavar="CARDS", help="What lies on the table; else HAND1 leads.")
    ] = None,
    more: Annotated[
        str | None,
        typer.Option("--state", metavar="JSON", help="More fields of the state, as the rules want them: level, top …"),
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="The line of the file.")] = 1,
    move: Annotated[
        int | None, typer.Option("--move", metavar="N", min=1, help="Of a record, the act before which it is solved.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0,
            max=MAX_SECONDS,
            callback=check_finite,
            help="Give up after so long; by default a minute, or a day.",
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Give up after so many positions.")
    ] = None,
    megabytes: Annotated[
        int, typer.Option("--memory", metavar="MB", min=1, max=1 << 14, help="The table of positions takes no more.")
    ] = 256,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Solve a position with open hands of two parties: its value, the value of each move, and a line of best play.

    The value is what the seat to move wins when everybody plays as well as can be: points by the rules of the game, of
    the seat and of each of its side. Hands are given in the order of play, or a FILE has them: a state with "face" (the
    hands of the others, next first), or a record, before act --move.

        abl-cards solve guandan "H9 S9 SK" "HT C3" "D5 C5" "CA S4 S4" --state '{"level":"2"}'

        abl-cards solve doudizhu 33456788KK2 4445JJ 99TAA2 --state '{"landlord":0}'

        abl-cards solve guandan games.jsonl --line 3 --move 61

    Two parties are solved within a minute up to some 20 cards in all hands together, else it says that it has given up
    (--seconds). Two hands that race to be empty (Big2) may have all the cards of the deal:

        abl-cards solve big2 3344566789 45577TJQKA --to-beat 33

    --json prints {"value","line","nodes","seconds"}; "moves" has the value of each move. It ends with an error where
    the position is not solved within --seconds or --nodes.
    """
    from abl_cards.cli.explain import load_engine_for, read_json_object, report_line
    from abl_cards.core import GameError

    game = find_game(game_name)
    value: Mapping[str, Any] | None = None
    if len(hands) == 1:
        if to_beat is not None or more is not None:
            fail_usage("--to-beat and --state go with hands: a file tells everything")
        value = read_json_object(Path(hands[0]), line, directory or game.directory)
    elif move is not None or line != 1:
        fail_usage("--line and --move go with a file")
    if value is None:
        engine = load_engine(game, directory, profile)
    else:
        engine, value = load_engine_for(value, line, game, directory, profile)
    try:
        race = engine.as_open_hand_race() if value is None and more is None else None
    except GameError:
        race = None
    if race is not None and len(hands) == 2:
        _solve_race(race, hands, to_beat, MAX_SECONDS if seconds is None else seconds, megabytes, as_json)
    else:
        state = value if value is not None else _state_from_hands(engine, hands, to_beat, more)
        with nullcontext() if value is None else report_line(line):
            _solve_endgame(
                engine, state, move, DEFAULT_SECONDS if seconds is None else seconds, nodes, megabytes, as_json
            )


@contextmanager
def _report_search(seconds: float) -> Iterator[SearchCallback]:
    """Say now and then how far it is; for so long."""
    from time import perf_counter

    begun, asked = perf_counter(), 0
    with show_status("thinking") as say:

        def watch(nodes: int) -> bool:
            nonlocal asked
            asked += 1
            if asked % 64 == 0:
                say(f"thinking: {nodes:,} positions")
            return perf_counter() - begun < seconds

        yield watch


# --- two hands that race to be empty ----------------------------------------------------------------------------------


def _solve_race(
    game: OpenHandRace, hands: list[str], to_beat: str | None, seconds: float, megabytes: int, as_json: bool
) -> None:
    from abl_cards.reasoners.search import SearchStopped, SearchTables
    from abl_cards.reasoners.search import solve_race as search

    race = game.read_position(hands[0], hands[1], to_beat)
    try:
        with _report_search(seconds) as watch:
            found = search(SearchTables(game.combinations), race, watch, megabytes)
    except SearchStopped:
        fail(f"not solved in {seconds:g} s: allow more (--seconds), or more memory (--memory)")
    line = [game.cards_text(laid.cards) for laid in found.best_line]
    if as_json:
        print_json({"value": found.value, "line": line, "nodes": found.nodes, "seconds": round(found.seconds, 6)})
        return
    typer.echo(f"value {found.value:+d}: HAND{1 if found.value > 0 else 2} wins {abs(found.value)} cards")
    seats = ("HAND1", "HAND2")
    for number, cards in enumerate(line):
        typer.echo(f"  {seats[number % 2]}  {cards or 'pass'}")
    typer.echo(f"{found.nodes:,} positions in {1e3 * found.seconds:.1f} ms")


# --- two parties ------------------------------------------------------------------------------------------------------


def _state_from_hands(engine: Engine, hands: list[str], to_beat: str | None, more: str | None) -> dict[str, Any]:
    """A state of hands in words; raises GameError."""
    from abl_cards.core import GameError, parse_json_line

    try:
        told = parse_json_line(more.encode()) if more is not None else {}
    except (GameError, UnicodeEncodeError):
        told = None
    if not isinstance(told, dict):
        fail_usage(f"--state {more!r} is no JSON object")
    if len(hands) != len(engine.teams):
        fail_usage(f"{len(hands)} hands, where {len(engine.teams)} seats play")
    return {"hand": hands[0], "face": hands[1:], "to_beat": to_beat, **told}


def _solve_endgame(
    engine: Engine, state: Mapping[str, Any], move: int | None, seconds: float, nodes: int | None, megabytes: int,
    as_json: bool,
) -> None:  # fmt: skip
    from abl_cards.games.tables import is_play_decision
    from abl_cards.reasoners.search import EndgameUnsolved, open_hand_tables
    from abl_cards.reasoners.search import solve_endgame as solved

    moment = engine.read_decision_point(state, move)
    if not is_play_decision(moment.decision):
        fail("something is chosen here: solve what is played")
    try:
        with _report_search(seconds) as watch:
            found = solved(open_hand_tables(engine, moment.decision), nodes, watch, (megabytes << 15).bit_length() - 1)
    except EndgameUnsolved as problem:
        _fail_unsolved(problem, seconds)
    moves = sorted(zip(found.move_points.tolist(), moment.actions, strict=True), key=lambda each: -each[0])
    if as_json:
        print_json({
            "value": found.value,
            "line": [[laid.seat, engine.notate_move(int(laid.move.form[0]), laid.move.cards[0]).to_json()]
                     for laid in found.best_line],
            "moves": [{"move": action.to_json(), "value": points} for points, action in moves],
            "nodes": found.nodes, "seconds": round(found.seconds, 6),
        })  # fmt: skip
        return
    _print_endgame(engine, found, [(points, str(action)) for points, action in moves])


def _fail_unsolved(problem: Exception, seconds: float) -> NoReturn:
    fail(f"not solved: {problem}; allow more (--seconds {seconds:g}, --nodes), or solve fewer cards")


def _print_endgame(engine: Engine, found: EndgameSolution, moves: list[tuple[float, str]]) -> None:
    won = "wins" if found.value > 0 else "loses" if found.value < 0 else "wins"
    typer.echo(f"value {found.value:+g}: seat {found.best_line[0].seat} {won} {abs(found.value):g} points")
    for laid in found.best_line:
        typer.echo(f"  seat {laid.seat}  {engine.notate_move(int(laid.move.form[0]), laid.move.cards[0])}")
    typer.echo()
    print_table(("value", "move"), [(f"{points:+g}", text) for points, text in moves[:MAX_SHOWN]], right_aligned=(0,))
    if len(moves) > MAX_SHOWN:
        typer.echo(f"… and {len(moves) - MAX_SHOWN} more (--json)")
    typer.echo(f"{found.nodes:,} positions in {1e3 * found.seconds:.1f} ms")
