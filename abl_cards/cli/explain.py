"""The command ``explain``: reasons for a move in a state or a record."""

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
    check_output_file,
    fail,
    find_game,
    list_profiles,
    load_engine,
    name_input,
    path_argument,
    path_option,
    print_json,
    print_table,
    usage_errors,
)
from abl_cards.core import texts_by_language

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.games.notation import PlayDerivation
    from abl_cards.reasoners.explain import Explanation, MoveAssessment

_TEXTS = texts_by_language({
    "place": ("place", "名次"), "cost": ("cost", "代价"), "probability": ("probability", "概率"),
    "points": ("points", "得分"), "label": ("label", "牌型"), "move": ("move", "出法"),
    "legal": ("{label} is legal:", "{label} 合法："), "illegal": ("{label} is not legal:", "{label} 不合法："),
    "judged": ("{move}: place {place} of {moves}, cost {cost}", "{move}：{moves} 种中第 {place} 位，代价 {cost}"),
})  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(explain)


def explain(
    game_name: GameName,
    file: Annotated[
        Path | None,
        path_argument(metavar="[FILE]", help="States or records, one JSON object per line; default: stdin."),
    ] = None,
    move: Annotated[
        int | None, typer.Option("--move", metavar="N", min=1, help="Number of the play in the record.")
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="Line of the file.")] = 1,
    directory: RuleFolder = None,
    profile: Profile = None,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="A", help="Agent to explain: kb, abl, or a variant such as kb:without=GROUP."),
    ] = "kb",
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the explanation.")] = "en",
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="MOVE", help="Another move, such as 'S5 H5', pass or an option: legality, cost."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Rank all legal moves.")] = False,
    png: Annotated[
        Path | None,
        path_option(
            "--png",
            metavar="FILE",
            callback=check_output_file,
            help="Plot labels, card sets and estimated hands of abl.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a decision: the chosen move, its cost by named preference, the runner-up, and the other candidates.

    Reads states, as "legal" does. A state may have the numbers of cards of the other seats and the seat to beat:

        {"level":"8","hand":["H4","H4","C4"],"to_beat":["Pair","3",["S3","D3"]],"cards":[9,2,14],"top":"next"}

    Also reads records, as "replay" does, Botzone logs included. --move selects the play, and the recorded move is
    assessed too. Of an unfinished record the decision after the last act is explained. A record of Guandan's contest
    then names the "seat" to move. The hands of other seats may be null: they are never read.

    Agent abl uses the history of the record; in a state it needs "cards". Its explanation has the probabilities of the
    labels, the costs of the card sets of the chosen label, and a heat map of the estimated hands.

        abl-cards explain guandan state.json --lang zh
        abl-cards explain guandan games.jsonl --line 3 --move 17
        abl-cards explain guandan games.jsonl --line 3 --move 17 --agent abl --png why.png

    --why MOVE explains another play, or another option of a choice: whether it is legal, the proof from the rules, and
    its cost compared with the chosen move. --all ranks all legal moves.

        abl-cards explain president state.json --why "S5 H5" --all
    """
    from abl_cards.agents import make_explainable_agent
    from abl_cards.core import check_language
    from abl_cards.games.notation import derive_readings, include_play, render_view
    from abl_cards.reasoners.explain import explain as explained

    with usage_errors():
        check_language(language)
    game = find_game(game_name)
    engine, value = read_state_or_record(game, file, line, directory, profile, "explain")
    with usage_errors():
        player = make_explainable_agent(agent, engine)
    with report_line(line, file):
        point = engine.read_decision_point(value, move, for_explanation=True)
        point = point if why is None else include_play(engine.rules, point, why)
        explanation = explained(
            engine, player.preference_model, point, language, player.compute_model_explanation(point)
        )
    if png is not None:
        _write_png(explanation, png)
    readings = [] if why is None else derive_readings(engine.rules, point, why)
    if as_json:
        more = {"all": [verdict.to_short_json() for verdict in explanation.ranking]} if every else {}
        more |= {"why": [explanation.derivation_json(reading) for reading in readings]} if why is not None else {}
        print_json({"game": game.name, **explanation.to_json(), **more})
    else:
        typer.echo(render_view(engine.rules, point, language))
        _print_explanation(explanation, language)
        if every:
            _print_ranking(explanation)
        for reading in readings:
            _print_reading(explanation, reading)


def _print_ranking(explanation: Explanation) -> None:
    """Print all moves; columns of probability and points only if the agent computes them."""
    ranking = explanation.ranking
    has_probability = any(move.probability is not None for move in ranking)
    has_points = any(move.lookahead is not None and move.lookahead.expected_points is not None for move in ranking)
    optional = [name for name, shown in (("probability", has_probability), ("points", has_points)) if shown]
    texts, words = explanation.texts, _TEXTS[explanation.texts.language]
    columns = [words[name] for name in ("place", "cost", *optional, "label", "move")]
    rows = [
        [
            str(move.rank), str(move.cost),
            *([_format_share(move.probability)] if has_probability else []),
            *([_format_points(move)] if has_points else []), texts.label_text(move.label),
            texts.move_text(move.label, move.action),
        ]
        for move in ranking
    ]  # fmt: skip
    typer.echo()
    print_table(columns, rows, right_aligned=range(len(columns) - 2))


def _format_share(probability: float | None) -> str:
    return "" if probability is None else f"{100 * probability:.1f}%"


def _format_points(verdict: MoveAssessment) -> str:
    points = None if verdict.lookahead is None else verdict.lookahead.expected_points
    return "" if points is None else f"{points:+.2f}"


def _print_reading(explanation: Explanation, reading: PlayDerivation) -> None:
    from abl_cards.circuit import format_proof
    from abl_cards.reasoners.explain import contrast_lines

    texts, words = explanation.texts, _TEXTS[explanation.texts.language]
    key = "legal" if reading.move_row is not None else "illegal"
    typer.echo("\n" + words[key].format(label=texts.label_text(reading.label)))
    for line in format_proof(reading.proof):
        typer.echo(f"  {line}")
    if reading.move_row is not None:
        verdict = explanation.assess(reading.move_row)
        move, num_moves = texts.move_text(verdict.label, verdict.action), len(explanation.decision_point.actions)
        typer.echo("\n" + words["judged"].format(move=move, place=verdict.rank, moves=num_moves, cost=verdict.cost))
        for line in contrast_lines(explanation, verdict) if verdict.rank != explanation.chosen.rank else ():
            typer.echo(line)


def _print_explanation(explanation: Explanation, language: str) -> None:
    from abl_cards.cli.model_views import print_heat_map

    typer.echo(f"\n{explanation}")
    if explanation.model_explanation is not None and explanation.model_explanation.estimate is not None:
        typer.echo()
        print_heat_map(explanation.model_explanation.estimate, language)


def _write_png(explanation: Explanation, file: Path) -> None:
    from abl_cards.cli.model_views import draw_explanation

    if explanation.model_explanation is None:
        fail("--png needs a decision of agent abl about a play: here the preferences decide alone")
    draw_explanation(explanation, file)


@contextmanager
def report_line(line: int, file: Path | None) -> Iterator[None]:
    """Report a GameError with file and line, and exit."""
    from abl_cards.core import GameError

    try:
        yield
    except GameError as problem:
        fail(f"{name_input(file)}line {line}: {problem}")


def read_state_or_record(
    game: Game, file: Path | None, line: int, directory: Path | None, profile: str | None, verb: str
) -> tuple[Engine, Mapping[str, Any]]:
    """Read a state or record of any form, normalise it, and compile its rules; exit if this is not possible.

    Args:
        game: Game of the command.
        file: File of JSON lines; None for stdin.
        line: Number of the line, from 1.
        directory: Folder of rule files to use instead of the game's.
        profile: Profile of the command; by default that of the state or record.
        verb: Verb of the command for messages, such as ``explain``.

    Returns:
        The compiled rules and the normalised state or record.
    """
    from abl_cards.core import ErrorCode, GameError
    from abl_cards.matches import find_profile, normalise_record

    value = _read_json_line(file, line, directory or game.directory, verb)
    profiles = list_profiles(game, directory)
    named = profile or find_profile(value, profiles)
    with report_line(line, file):
        if profile is None and named is not None and profiles and named not in profiles:
            known = ", ".join(profiles)
            raise GameError(f"profile: unknown profile {named!r} (there are: {known})", ErrorCode.UNKNOWN_PROFILE)
        engine = load_engine(game, directory, named)
        return engine, normalise_record(engine, value)


def _read_json_line(file: Path | None, line: int, rules: Path, verb: str) -> Mapping[str, Any]:
    """Read the JSON object in a line of a file or of stdin; exit if it belongs to another game than the rules."""
    from abl_cards.cli.legal import open_input
    from abl_cards.core import parse_json_line, read_line_batches
    from abl_cards.games.description import Folder

    place = f"{name_input(file)}line {line}"
    with open_input(None if str(file) == "-" else file) as stream:
        lines = chain.from_iterable(read_line_batches(stream, truncate=True))
        content = next((text for number, text in lines if number == line), b"")
    if not content.strip():
        fail(f"{place} is empty or missing: nothing to {verb}")
    with report_line(line, file):
        value = parse_json_line(content)
    if not isinstance(value, dict):
        fail(f"{place} is not a JSON object")
    names = Folder(rules).record_names
    if value.get("game", names[0]) not in names:
        fail(f"{place}: game: {value['game']!r}, but the rules are those of {' or '.join(map(repr, names))}")
    return value
