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
    fail_usage,
    find_game,
    list_profiles,
    load_engine,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.games.notation import PlayDerivation
    from abl_cards.reasoners.explain import Explanation, MoveAssessment


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
    from abl_cards.agents import make_explainable_agent
    from abl_cards.core import GameError
    from abl_cards.reasoners.explain import LANGUAGES
    from abl_cards.reasoners.explain import explain as explained

    if language not in LANGUAGES:
        fail_usage(f"unknown language '{language}' (there are: {', '.join(LANGUAGES)})")
    game = find_game(game_name)
    value = read_json_object(file, line, directory or game.directory)
    engine, value = load_engine_for(value, line, game, directory, profile)
    try:
        player = make_explainable_agent(agent, engine)
    except GameError as problem:
        fail_usage(problem)
    with report_line(line):
        moment = engine.read_decision_point(value, move, for_explanation=True)
        found = explained(engine, player.preference_model, moment, language, player.compute_model_explanation(moment))
    if png is not None:
        _write_png(found, png)
    readings = [] if why is None else engine.derive_readings(moment, why)
    if as_json:
        more = {"all": [each.to_short_json() for each in found.ranking]} if every else {}
        more |= {"why": [found.derivation_json(each) for each in readings]} if why is not None else {}
        print_json({"game": game.name, **found.to_json(), **more})
    else:
        typer.echo(engine.render_view(moment, language))
        _print_explanation(found, language)
        if every:
            _print_ranking(found)
        for each in readings:
            _print_reading(found, each)


def _print_ranking(found: Explanation) -> None:
    """The columns are those that the agent has: probability and points only where it looks for them."""
    ranking = found.ranking
    likely = any(each.probability is not None for each in ranking)
    ahead = any(each.lookahead is not None and each.lookahead.expected_points is not None for each in ranking)
    columns = ["place", "cost", *(["probability"] if likely else []), *(["points"] if ahead else []), "label", "move"]
    rows = [
        [
            str(each.rank), str(each.cost),
            *([_format_share(each.probability)] if likely else []),
            *([_format_points(each)] if ahead else []), each.label, str(each.action),
        ]
        for each in ranking
    ]  # fmt: skip
    typer.echo()
    print_table(columns, rows, right_aligned=range(len(columns) - 2))


def _format_share(probability: float | None) -> str:
    return "" if probability is None else f"{100 * probability:.1f}%"


def _format_points(verdict: MoveAssessment) -> str:
    points = None if verdict.lookahead is None else verdict.lookahead.expected_points
    return "" if points is None else f"{points:+.2f}"


def _print_reading(found: Explanation, reading: PlayDerivation) -> None:
    from abl_cards.circuit import format_proof
    from abl_cards.reasoners.explain import contrast_lines

    typer.echo(f"\n{reading.label} is {'legal' if reading.move_row is not None else 'not legal'}:")
    for line in format_proof(reading.proof):
        typer.echo(f"  {line}")
    if reading.move_row is not None:
        verdict = found.assess(reading.move_row)
        typer.echo(
            f"\n{verdict.action}: place {verdict.rank} of {len(found.decision_point.actions)}, cost {verdict.cost}"
        )
        for line in contrast_lines(found, verdict) if verdict.rank != found.chosen.rank else ():
            typer.echo(line)


def _print_explanation(found: Explanation, language: str) -> None:
    from abl_cards.cli.model_views import print_heat_map

    typer.echo(f"\n{found}")
    if found.model_explanation is not None and found.model_explanation.estimate is not None:
        typer.echo()
        print_heat_map(found.model_explanation.estimate, language)


def _write_png(found: Explanation, file: Path) -> None:
    from abl_cards.cli.model_views import draw_explanation

    if found.model_explanation is None:
        fail("--png draws what agent abl thinks of a play: here the preferences decide alone")
    draw_explanation(found, file)


@contextmanager
def report_line(line: int) -> Iterator[None]:
    """End the command with the line of the file where what it says is refused."""
    from abl_cards.core import GameError

    try:
        yield
    except GameError as problem:
        fail(f"line {line}: {problem}")


def load_engine_for(
    value: Mapping[str, Any], line: int, game: Game, directory: Path | None, profile: str | None
) -> tuple[Engine, Mapping[str, Any]]:
    """Compile the rules that a state or record of a line goes by, and return it in our form."""
    from abl_cards.core import GameError
    from abl_cards.matches import find_profile, normalise_record

    profiles = list_profiles(game, directory)
    named = profile or find_profile(value, profiles)
    with report_line(line):
        if profile is None and named is not None and profiles and named not in profiles:
            raise GameError(f"profile: {named!r} is none of {', '.join(profiles)}")
        engine = load_engine(game, directory, named)
        return engine, normalise_record(engine, value)


def read_json_object(file: Path | None, line: int, rules: Path) -> Mapping[str, Any]:
    """The JSON object of a line of a file, or of stdin, unless it is of another game than the folder of rules."""
    from abl_cards.cli.legal import open_input
    from abl_cards.core import GameError, parse_json_line, read_line_batches

    with open_input(None if str(file) == "-" else file) as stream:
        lines = chain.from_iterable(read_line_batches(stream, truncate=True))
        found = next((text for number, text in lines if number == line), b"")
    if not found.strip():
        fail(f"line {line} is empty, or there are fewer lines: nothing to explain")
    try:
        value = parse_json_line(found)
    except GameError as problem:
        fail(f"line {line}: {problem}")
    if not isinstance(value, dict):
        fail(f"line {line} is no JSON object")
    name = rules.resolve().name
    if value.get("game", name) != name:
        fail(f"line {line}: game: it is of {value['game']!r}, the rules of {name!r}")
    return value
