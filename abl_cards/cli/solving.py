"""``solve``: the exact value of a position with two open hands, and best play from there on."""

from __future__ import annotations

from typing import Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    fail,
    find_game,
    load_engine,
    print_json,
    waiting,
)

SLOWEST = 86_400


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(solve)


def solve(
    game_name: GameName,
    own: Annotated[str, typer.Argument(metavar="HAND1", help="The hand of the seat to move, such as 3344566789.")],
    other: Annotated[str, typer.Argument(metavar="HAND2", help="The other hand.")],
    to_beat: Annotated[
        str | None, typer.Option("--to-beat", metavar="CARDS", help="What lies on the table; else HAND1 leads.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0, max=SLOWEST, help="Give up after so long.")
    ] = SLOWEST,
    megabytes: Annotated[
        int, typer.Option("--memory", metavar="MB", min=1, max=1 << 14, help="The table of positions takes no more.")
    ] = 256,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Solve a position of a game with two open hands: its value, and a line of best play.

    The value is what the seat to move wins when both play as well as can be: the cards that the other is left with, or
    less than nothing. The line goes on from HAND1's move, seat by seat; a pass is empty.

        abl-cards solve big2 3344566789 45577TJQKA

        abl-cards solve big2 3344566789 45577TJQKA --to-beat 33

    --json prints {"value","line","nodes","seconds"}.
    """
    from time import perf_counter

    from abl_cards.games import GameError
    from reasoners.search import Stopped
    from reasoners.search import solve as search
    from reasoners.search_tables import SearchTables

    engine = load_engine(find_game(game_name), directory, profile)
    try:
        game = engine.as_race()
    except GameError as problem:
        fail(f"{problem}; big2 is one")
    race = game.race(own, other, to_beat)
    begun, asked = perf_counter(), 0
    with waiting("thinking") as say:

        def watch(nodes: int) -> bool:
            nonlocal asked
            asked += 1
            if asked % 64 == 0:
                say(f"thinking: {nodes:,} positions")
            return perf_counter() - begun < seconds

        try:
            found = search(SearchTables(game.combinations), race, watch, megabytes)
        except Stopped:
            fail(f"not solved in {seconds:g} s: allow more (--seconds), or more memory (--memory)")
    line = [game.cards_text(laid.cards) for laid in found.line]
    if as_json:
        print_json({"value": found.value, "line": line, "nodes": found.nodes, "seconds": round(found.seconds, 6)})
        return
    typer.echo(f"value {found.value:+d}: HAND{1 if found.value > 0 else 2} wins {abs(found.value)} cards")
    seats = ("HAND1", "HAND2")
    for number, cards in enumerate(line):
        typer.echo(f"  {seats[number % 2]}  {cards or 'pass'}")
    typer.echo(f"{found.nodes:,} positions in {1e3 * found.seconds:.1f} ms")
