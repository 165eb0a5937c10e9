"""The commands ``serve`` and ``join``: serve tables to other programs, and join tables elsewhere."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RecordFile,
    RuleFolder,
    SecretSeed,
    check_finite,
    check_host,
    fail_usage,
    find_game,
    folder_option,
    list_game_names,
    open_record_writer,
    print_json,
    print_table,
    shorten,
    usage_errors,
)
from abl_cards.core import format_count

if TYPE_CHECKING:
    from abl_cards.server import GameServer, JoinResult, ServeConfig, ServedResult
    from abl_cards.web import SpectatorFeed

MAX_GAMES, MAX_TABLES = 1_000_000, 1_000
DEFAULT_THINK_TIME = 120.0
"""Seconds; known clients need up to 2.5."""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (serve, join):
        app.command()(command)


def serve(
    game_name: GameName,
    port: Annotated[
        int | None, typer.Option("--port", metavar="P", min=0, max=65535, help="Port; 0: any; Guandan: 23456.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; default: this machine only.")
    ] = "127.0.0.1",
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=MAX_GAMES, help="Whole matches per table.")
    ] = 1,
    seed: SecretSeed = None,
    seats: Annotated[
        list[str] | None, typer.Option("--seat", metavar="SEAT=AGENT", help="Seat an agent; may be repeated.")
    ] = None,
    tables: Annotated[
        int, typer.Option("--tables", metavar="T", min=1, max=MAX_TABLES, help="Number of tables on the port.")
    ] = 1,
    dialect: Annotated[
        str, typer.Option("--protocol", metavar="P", help="Guandan: A, or C for clients made for DanZero's server.")
    ] = "",
    think_time: Annotated[
        float,
        typer.Option(
            "--think-time",
            metavar="S",
            min=0,
            callback=check_finite,
            help="Time limit of an answer in seconds; 0: none.",
        ),
    ] = DEFAULT_THINK_TIME,
    start_delay: Annotated[
        float,
        typer.Option(
            "--start-delay",
            metavar="S",
            min=0,
            callback=check_finite,
            help="Seconds from the last client to the first deal.",
        ),
    ] = 1.0,
    origins: Annotated[
        list[str] | None,
        typer.Option(
            "--origin", metavar="URL", help="Web origin that may connect, such as http://localhost:3000; * for any."
        ),
    ] = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    record: RecordFile = None,
    show: Annotated[
        Path | None,
        folder_option("--spectator-dir", metavar="DIR", help="Folder of table snapshots for web --watch DIR."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve tables over a network protocol to other programs; see docs/how-to/connect-a-bot.md.

    Clients get the seats without an agent in the order in which they connect. All games are played to the end: a legal
    default replaces every missing or invalid answer.

        abl-cards serve guandan --games 10 --seat 1=greedy --seat 3=greedy

    The games are those of "match" with the same seed; with more than two sides, two games of each deal. Table T plays
    the games from number N * T on. Without --seed a secret seed is drawn. It is printed and added to the records after
    the last game. --record writes records for "replay" and "explain"; --spectator-dir lets others watch. --json prints
    {"game","dialect","games","seed","wins","draws","episodes","tables"}, each table with its seats, each client's seat
    with {"decisions","defaults","faults"}.
    """
    from abl_cards import server as serving
    from abl_cards.core import format_seed, secret_seed

    check_host(host)
    agents, allowed = _read_seats(seats or []), _read_origins(origins or [])
    engine, chosen = find_game(game_name).engine(directory, profile), secret_seed() if seed is None else seed
    config = serving.ServeConfig(
        game_name, engine, agents, games, chosen, tables, dialect, think_time or None, start_delay, host, port, allowed
    )
    with open_record_writer(record, {"seed": format_seed(chosen)}) as write, _open_spectator_feed(show, config) as feed:
        with usage_errors():
            server = serving.GameServer(config, _log, write, feed.create_listener if feed else None)
        try:
            with _cancelled_as_interrupted():
                result = asyncio.run(_run_server(server, feed))
        except BaseException:  # an interrupted series can be dealt again from its seed
            if seed is None and any(table.players for table in server.tables):
                _log(f"the games were interrupted; their seed was {chosen}")
            raise
    if as_json:
        print_json(result.to_json())
    else:
        _print_served(result)


@contextmanager
def _cancelled_as_interrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt where SIGTERM has cancelled the games."""
    try:
        yield
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _cancel_at_sigterm() -> None:
    """Let SIGTERM, by which services are stopped, cancel this task: records are closed, and a secret seed is shown.

    It works where SIGINT is ignored, too, as in the background of a script.
    """
    task = asyncio.current_task()
    assert task is not None
    with suppress(NotImplementedError, RuntimeError, ValueError):  # on Windows; in another thread than the main one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


async def _run_server(server: GameServer, feed: SpectatorFeed | None) -> ServedResult:
    """Play all games, and write snapshots for spectators meanwhile and at the end."""
    _cancel_at_sigterm()
    if feed is None:
        return await server.serve()
    feed_task = asyncio.create_task(_write_spectator_feed(feed, server))
    try:
        return await server.serve()
    finally:
        feed_task.cancel()
        await asyncio.wait([feed_task])


async def _write_spectator_feed(feed: SpectatorFeed, server: GameServer) -> None:
    """Write snapshots; the games continue if they cannot be written."""
    try:
        await feed.run(server.tables)
    except OSError as problem:
        _log(f"{problem.filename}: {problem.strerror or problem}; spectators see no more snapshots")


@contextmanager
def _open_spectator_feed(folder: Path | None, config: ServeConfig) -> Iterator[SpectatorFeed | None]:
    """Lock a folder and write snapshots of the tables to it; None without a folder."""
    if folder is None:
        yield None
        return
    from abl_cards.core import lock_folder
    from abl_cards.web import SpectatorFeed, bilingual_title

    with lock_folder(folder):
        yield SpectatorFeed(folder, bilingual_title(find_game(config.game)), config.engine, config.seed)


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="ws://HOST:PORT, with a path if the server needs one.")],
    agent_name: Annotated[str, typer.Option("--agent", metavar="A", help="Agent that plays, such as greedy.")],
    dialect: Annotated[
        str | None, typer.Option("--protocol", metavar="P", help="Protocol: guandan, openguandan or plain.")
    ] = None,
    game_name: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="GAME",
            help=f"Game, if the protocol has several ({list_game_names()}); default: guandan.",
        ),
    ] = None,
    room: Annotated[
        str | None, typer.Option("--room", metavar="ID", help="OpenGuanDan: room to join; default: a new one.")
    ] = None,
    seat: Annotated[
        int | None, typer.Option("--seat", metavar="N", min=0, help="OpenGuanDan: seat; default: any.")
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", metavar="N", min=1, help="OpenGuanDan: matches in a new room; default: 1."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the player (OpenGuanDan: userId); default: the agent."),
    ] = None,
    seed: SecretSeed = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    record: RecordFile = None,
    as_json: AsJson = False,
) -> None:
    """Join a table of another server and play until it sends the result.

        abl-cards join ws://127.0.0.1:23456 --agent greedy
        abl-cards join 127.0.0.1 --agent kb --protocol openguandan --room 2 --profile openguandan

    The agent chooses by the rules of this project. A choice that the server does not offer is reported and replaced by
    a pass or the first offer.
    --json prints {"url","agent","seat","games","wins","draws","over","decisions","problems","typical","slowest"}, the
    last two in seconds. The exit code is 1 if the server rejects the player or closes before it sends the result.
    """
    from abl_cards import server as serving
    from abl_cards.agents import check_agent_name, make_agent
    from abl_cards.core import secret_seed
    from abl_cards.protocols import find_protocol
    from abl_cards.protocols.common import JoinRequest

    with usage_errors():
        played, spoken = _resolve_game(game_name, dialect)
        kind = check_agent_name(agent_name).kind  # without options: they may hold paths, and the name goes into the URL
        address = find_protocol(played).complete_url(url, spoken, name or kind)
        engine = find_game(played).engine(directory, profile)
        player = make_agent(agent_name, engine)
        client = find_protocol(played).create_client(
            engine, spoken, JoinRequest(kind, name, room, seat, rounds, record is not None)
        )
    with open_record_writer(record) as write:
        chosen = secret_seed() if seed is None else seed
        result = asyncio.run(serving.join(address, client, agent_name, player, chosen, _log, write))
    if seed is None:
        _log(f"seed {chosen}")
    if as_json:
        print_json(result.to_json())
    else:
        _print_joined(result)
    if not result.outcome.is_over:
        if game_name is None:
            _log(f"played as a table of {played}; if it is one of another game, name that: --game")
        raise typer.Exit(1)


def _resolve_game(game_name: str | None, dialect: str | None) -> tuple[str, str]:
    """Return game and protocol, either of which may determine the other; raises GameError."""
    from abl_cards.core import ErrorCode, GameError
    from abl_cards.protocols import find_protocol, game_of_dialect

    known = game_of_dialect(dialect) if dialect else None
    played = game_name or known or ("guandan" if dialect is None else None)
    if played is None:
        raise GameError(f"protocol {dialect} serves every game: name one with --game", ErrorCode.INVALID_VALUE)
    supported = find_protocol(played).client_dialects
    if dialect is not None and dialect not in supported:
        raise GameError(
            f"clients of {played} have no protocol {dialect} (there are: {', '.join(supported)})",
            ErrorCode.UNKNOWN_PROTOCOL,
        )
    return played, dialect or supported[0]


def _read_seats(options: list[str]) -> dict[int, str]:
    agents: dict[int, str] = {}
    for option in options:
        seat, equals, name = option.partition("=")
        if not (equals and name and seat.isascii() and seat.isdigit()):
            fail_usage(f"--seat {option}: write SEAT=AGENT, like 0=greedy")
        if int(seat) in agents:
            fail_usage(f"--seat {option}: seat {seat} is taken by {agents[int(seat)]}")
        agents[int(seat)] = name
    return agents


def _read_origins(options: list[str]) -> tuple[str, ...]:
    for option in options:
        if option not in ("*", "null") and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#\s]+", option):
            fail_usage(f"--origin {option}: write SCHEME://HOST or SCHEME://HOST:PORT, or *")
    return tuple(options)


def _log(line: str) -> None:
    typer.echo(shorten(line), err=True)


def _print_served(result: ServedResult) -> None:
    rows = [
        (
            f"{table.table}/{seat.seat}", seat.player, str(table.wins[seat.team]), str(seat.decisions),
            str(seat.defaults) if seat.is_client else "–",
            ", ".join(f"{count} {kind}" for kind, count in seat.faults.items() if count) or "–",
        )
        for table in result.tables
        for seat in table.seats
    ]  # fmt: skip
    print_table(("table/seat", "player", "won", "decisions", "defaults", "faults"), rows)
    totals = result.to_json()
    games, episodes = format_count(result.games, "game"), format_count(totals["episodes"], "episode")
    typer.echo(f"{games}, {totals['draws']} drawn, {episodes}, seed {result.seed}")


def _print_joined(result: JoinResult) -> None:
    outcome = result.outcome
    typer.echo(
        f"seat {outcome.seat}: {outcome.wins} of {format_count(outcome.games, 'game')} won, {outcome.draws} drawn; "
        f"{format_count(result.decisions, 'decision')}, {format_count(result.problems, 'problem')}, "
        f"typical {result.median_time * 1000:.1f} ms, slowest {result.max_time * 1000:.1f} ms"
    )
