"""The commands ``match``, ``replay`` and ``legal``: play matches, replay records, list legal moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    CsvFile,
    GameName,
    Profile,
    RecordFile,
    RuleFolder,
    Seed,
    check_output_file,
    fail,
    fail_usage,
    find_game,
    list_profiles,
    load_engine,
    name_input,
    open_record_writer,
    path_argument,
    path_option,
    print_json,
    shorten,
    usage_errors,
    write_csv_file,
)
from abl_cards.cli.progress import ShowProgress, show_progress, show_status
from abl_cards.cli.ray_option import RayAddress, RayCommand, connect_cluster
from abl_cards.core import format_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from abl_cards.agents import Agent
    from abl_cards.games import Engine
    from abl_cards.matches import FileReplay, MatchResult

MAX_GAMES, DEFAULT_GAMES = 1_000_000, 100
INTERRUPTED_EXIT = 130


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(cls=RayCommand)(match)
    for command in (replay, legal):
        app.command()(command)


def match(
    game_name: GameName,
    agents: Annotated[
        list[str], typer.Argument(metavar="A B [C …]", help="Agents, such as greedy random: two, or one per seat.")
    ],
    games: Annotated[
        int | None,
        typer.Option("--games", metavar="N", min=1, max=MAX_GAMES, help="Whole matches to play; default: 100."),
    ] = None,
    deals: Annotated[
        Path | None,
        path_option("--deals", metavar="FILE", help="Play the deals of this file (see: deal)."),
    ] = None,
    seed: Seed = 0,
    directory: RuleFolder = None,
    profile: Profile = None,
    record: RecordFile = None,
    log: Annotated[
        Path | None,
        path_option(
            "--botzone-log",
            metavar="FILE",
            callback=check_output_file,
            help="Write each round as a Botzone log: .jsonl or .jsonl.gz.",
        ),
    ] = None,
    csv: CsvFile = None,
    ray: RayAddress = None,
    as_json: AsJson = False,
) -> None:
    """Play matches between agents on duplicate deals: each deal once for every seating.

    With two teams each deal is played twice, with the teams swapped; roles such as landlord and peasants have results
    of their own. The rate is the first agent's share of the games, with its 95 % interval. Without teams, one agent per
    seat can be named: each deal is played in all rotations, and points, places and first places are printed. Agents
    are random, greedy, kb, abl, and human at this terminal. kb:without=GROUP leaves out a group of preferences,
    kb:kb=DIR reads them from another folder; abl:think=MS looks ahead for at most so many milliseconds per decision,
    and docs/reference/agents.md lists the other variants of abl. program:run=COMMAND runs a program that uses
    Botzone's protocol.

        abl-cards match guandan greedy random --games 400
        abl-cards match guandan kb kb:without=bombs
        abl-cards match president kb greedy random random
        abl-cards match doudizhu kb greedy --deals deals.jsonl
        abl-cards match guandan human abl:think=100

    --ray distributes the games over processes, on this machine or in a cluster; the result is the same.

    --json prints {"game","agents","games","seed","wins","draws","rate","interval","episodes"}, and "roles", "standings"
    and "lapses" if there are any. A lapse is a game that a program lost by an invalid answer or a timeout:
    {"game","seat","agent","kind","text"}. --csv writes one row an agent, and one an agent and role; --record keeps
    each episode, with the agent of each seat in "players".
    """
    from abl_cards.agents import HumanAgent, PlayerLeftError
    from abl_cards.cli.match_result import no_result_text, print_result
    from abl_cards.experiments import match_rows
    from abl_cards.games.tables import Listener
    from abl_cards.matches import compute_seatings, play_match

    if len(agents) < 2:
        fail_usage("name two agents, such as greedy and random")
    engine = load_engine(find_game(game_name), directory, profile)
    with usage_errors():
        ways = len(compute_seatings(engine, len(agents)))
    if deals:
        engine, games = _load_fixed_deals(engine, deals, games, ways)
    games = games or DEFAULT_GAMES
    players, names = zip(*(_load_agent(text, engine) for text in agents), strict=True)
    if ray is not None:
        _check_distributable(names, record, log)
        where = (game_name, directory and directory.absolute(), profile)
        result = _play_on_ray(ray, where, engine, names, games, seed, deals, ways)
        print_json(_match_json(result)) if as_json else print_result(result, engine, "en")
        write_csv_file(csv, match_rows(result) if csv else [])
        return
    language = next((player.language for player in players if isinstance(player, HumanAgent)), "en")
    is_interactive = any(isinstance(player, Listener) for player in players)  # a bar would overwrite the table
    bar = nullcontext(lambda done, remark: None) if is_interactive else _show_games(names, games)
    try:
        with open_record_writer(record) as write, open_record_writer(log) as log_round, bar as show:
            progress = _MatchProgress(show)
            result = play_match(
                engine, players, games, seed, names=names, on_progress=progress.show_games,
                on_points=progress.count_episodes, write_record=write, use_fixed_deals=deals is not None, log=log_round,
            )  # fmt: skip
    except PlayerLeftError as left:
        typer.echo(no_result_text(left, language), err=True)
        raise typer.Exit(INTERRUPTED_EXIT) from None
    if as_json:
        print_json(_match_json(result))
    else:
        print_result(result, engine, language)
    write_csv_file(csv, match_rows(result) if csv else [])


class _MatchProgress:
    """Progress of games; where a game has many episodes their number shows that play goes on."""

    def __init__(self, show: Callable[[int, str], None]) -> None:
        self._show, self._num_episodes = show, 0

    def count_episodes(self, games: NDArray[np.int64], points: NDArray[np.float32]) -> None:
        """Count the episodes that have ended."""
        self._num_episodes += len(games)

    def show_games(self, done: int, wins: Sequence[int]) -> None:
        """Show the finished games, the wins of each agent, and the episodes where they are more than the games."""
        more = f", {format_count(self._num_episodes, 'episode')}" if self._num_episodes > done else ""
        self._show(done, " : ".join(map(str, wins)) + more)


def _show_games(names: Sequence[str], games: int) -> AbstractContextManager[ShowProgress]:
    """Show the progress of games that are played side by side."""
    from abl_cards.matches import MAX_PARALLEL_GAMES

    return show_progress(" : ".join(names), games, MAX_PARALLEL_GAMES)


def _match_json(result: MatchResult) -> dict[str, Any]:
    """Return the plain values of a match, with the name of the game first."""
    return {"game": result.game, **result.to_json()}


def _check_distributable(names: Sequence[str], record: Path | None, log: Path | None) -> None:
    """Exit with a usage error for options and agents that need all games in one process."""
    if record or log:
        fail_usage("--record and --botzone-log need all games in one process: leave out --ray")
    if any(name.partition(":")[0] in ("human", "program") for name in names):
        fail_usage("humans and programs play the games one after the other: leave out --ray")


def _play_on_ray(
    address: str, where: tuple[str, Path | None, str | None], engine: Engine, names: Sequence[str], games: int,
    seed: int, deals: Path | None, ways: int,
) -> MatchResult:  # fmt: skip
    """Play a match whose games are Ray tasks."""
    from abl_cards.cluster import MatchSpec, play_match_on_ray
    from abl_cards.core import GameError
    from abl_cards.matches import normalise_records, read_records

    read = [] if deals is None else normalise_records(engine, read_records(deals))
    given = None if deals is None else tuple(record for record in read if not isinstance(record, GameError))
    match = MatchSpec(*where, tuple(names), games, seed, given)
    with connect_cluster(address) as cluster, _show_games(names, games) as show:
        return play_match_on_ray(cluster, match, engine, ways, lambda done: show(done, ""))


def replay(
    game_name: GameName,
    file: Annotated[
        Path,
        path_argument(metavar="FILE", help="Records: one episode per line, .jsonl or .jsonl.gz."),
    ],
    directory: RuleFolder = None,
    profile: Profile = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Read only the first N lines.")
    ] = None,
    csv: CsvFile = None,
    as_json: AsJson = False,
) -> None:
    """Replay records and list all disagreements with the rules: plays, tribute, order of finish, levels.

    Reads the records of "match --record" and of the contest, Botzone logs and DouZero games. Without --profile it uses
    the profile of the first record. An episode of Guandan, on one line:

        {"level":"2", "ranks":["2","2"], "hands":[["S3",…],…],
        "anti":[], "tribute":[[3,0,"HR"]], "back":[[0,3,"D5"]],
        "plays":[[0,["Pair","4",["H4","C4"]]],…], "order":[0,2,1,3]}

    The last line is "E episodes, P plays, D disagreements"; the exit code is 1 if there are disagreements. It is also 1
    for a truncated last line, which a killed process leaves: the complete lines are replayed, and stderr names the
    truncated one. Replay stops after 10,000 disagreements. --csv writes one row a record: agents and points by seat.
    """
    from abl_cards.matches import read_file_profile, replay_file, require_rereadable

    game = find_game(game_name)
    if csv:
        require_rereadable(file, "leave out --csv")
    with show_status(f"reading {file}") as show:
        engine = load_engine(game, directory, profile or read_file_profile(file, list_profiles(game, directory)))

        def on_progress(episodes: int) -> None:
            show(f"replayed {format_count(episodes, 'episode')}")

        result = replay_file(engine, file, limit, on_progress)
    if not result.lines and result.truncated_line is None:
        fail(f"{file}: no records")
    _print_replay(file, result, as_json)
    if csv:
        from abl_cards.experiments import read_rows

        write_csv_file(csv, read_rows(file))
    if result.disagreements or result.truncated_line:
        raise typer.Exit(1)


def _print_replay(file: Path, result: FileReplay, as_json: bool) -> None:
    if result.truncated_line:
        typer.echo(f"{file}:{result.truncated_line}: the last line is truncated", err=True)
    if result.stopped_early:
        number = format_count(len(result.disagreements), "disagreement")
        typer.echo(f"{file}:{result.lines}: stopped here, after {number}", err=True)
    if as_json:
        wrong = [
            {"line": disagreement.line, "text": shorten(disagreement.text)} for disagreement in result.disagreements
        ]
        cut = {"cut": result.truncated_line} if result.truncated_line else {}
        print_json({"episodes": result.episodes, "plays": result.plays, "disagreements": wrong} | cut)
    else:
        for disagreement in result.disagreements:
            typer.echo(f"{file}:{disagreement.line}: {shorten(disagreement.text)}")
        numbers = {"episode": result.episodes, "play": result.plays, "disagreement": len(result.disagreements)}
        typer.echo(", ".join(format_count(number, noun) for noun, number in numbers.items()))


def legal(
    game_name: GameName,
    file: Annotated[
        Path | None,
        path_argument(metavar="[FILE]", help="States, one JSON object per line; default: stdin."),
    ] = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    labels: Annotated[bool, typer.Option("--labels", help="Print the legal labels (pseudo-actions) too.")] = False,
    whole: Annotated[
        bool, typer.Option("--whole-plays", help="List whole plays where a game lays them card by card.")
    ] = False,
) -> None:
    """List the legal moves of states: one JSON object per line in and out, in the same order.

    A state of Guandan, leading and following (optional: "stage":"tribute" or "back", "profile"):

        {"level":"8","hand":["H3","D3","SB"],"to_beat":null}
        {"level":"8","hand":["H5","H8"],"to_beat":["Pair","4",["H4","C4"]]}

    The answer: {"moves":[["PASS","PASS","PASS"],["Pair","5",["H5","H8"]]]}. An invalid line gives
    {"error":"line 3: …"} and exit code 1; the other lines are still answered.

        echo '{"level":"8","hand":["H5","H8"],"to_beat":null}' | abl-cards legal guandan
    """
    from abl_cards.cli import legal as legality
    from abl_cards.core import read_line_batches

    answerer = legality.LegalMoveAnswerer(find_game(game_name), directory, profile, labels, whole)
    problems = 0
    with legality.open_input(file) as stream:
        for batch in read_line_batches(stream):
            for answer in answerer.answer_in_parts(batch):
                problems += "error" in answer
                _print_answer(answer, file)
            typer.get_text_stream("stdout").flush()
    if problems:
        raise typer.Exit(1)


def _load_fixed_deals(engine: Engine, file: Path, games: int | None, ways: int) -> tuple[Engine, int]:
    """Return the game with the deals of a file, and the number of matches that play each deal in every seating."""
    from abl_cards.core import GameError
    from abl_cards.hand_analysis import DealRules
    from abl_cards.matches import normalise_records, read_records

    try:
        rules = DealRules.from_engine(engine)
    except GameError:
        fail_usage(f"--deals: the deals of {engine.game} cannot be given; those of doudizhu can")
    if games is not None:
        fail_usage("--deals: the file determines the number of games; leave out --games")
    records = normalise_records(engine, read_records(file))
    try:
        given = rules.read_deals(records)
        return rules.with_deals(given), len(given.bottom_keys) * ways
    except GameError as problem:
        fail(f"{file}: {problem}")


def _print_answer(answer: dict[str, Any], file: Path | None) -> None:
    print_json(answer)
    if "error" in answer:
        typer.echo(f"{name_input(file)}{answer['error']}", err=True)


def _load_agent(text: str, engine: Engine) -> tuple[Agent, str]:
    """Make an agent, and return it with its full name."""
    from abl_cards.agents import check_agent_name, make_agent

    with usage_errors():
        return make_agent(text, engine), str(check_agent_name(text))
