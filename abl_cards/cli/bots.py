"""The commands ``bot`` and ``judge``: write an agent as a program for Botzone, and judge rounds as Botzone does."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    GameName,
    Profile,
    RuleFolder,
    fail,
    fail_usage,
    find_game,
    list_profiles,
    load_engine,
    path_argument,
    print_json,
    shorten,
    usage_errors,
)
from abl_cards.core import atomic_write

if TYPE_CHECKING:
    from abl_cards.core import NumberedLine
    from abl_cards.protocols.botzone import BotzoneJudge


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(bot)
    app.command()(judge)


def bot(
    game_name: GameName,
    file: Annotated[Path, path_argument(metavar="FILE", help="Output: a .py file, or a .zip for agent abl.")],
    directory: RuleFolder = None,
    profile: Profile = None,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="A", help="Agent: kb, kb:without=GROUP, kb:kb=DIR; abl, abl:weights=FILE."),
    ] = "kb",
) -> None:
    """Write agent kb as a single-file program for Botzone that needs only Python.

    The file contains the compiled rules and preferences. Agent abl is written as a zip that needs numpy too.
    Programs that use Botzone's JSON protocol play here as agent program:run=COMMAND.

        abl-cards bot doudizhu bot.py --profile botzone
        abl-cards match doudizhu kb "program:run=python3 bot.py" --profile botzone --games 2
    """
    from abl_cards.agents import build_botzone_program
    from abl_cards.protocols.botzone import BotzoneGame

    engine = load_engine(find_game(game_name), directory, profile)
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        fail_usage(f"{game_name} has no protocol for programs")
    if not file.parent.is_dir():
        fail(f"there is no folder {file.parent}")
    with usage_errors():
        data = build_botzone_program(platform, agent)
    if file.exists() and not file.is_file():
        fail(f"{file} exists and is not a file")
    suffix = ".zip" if zipfile.is_zipfile(BytesIO(data)) else ".py"
    if file.suffix != suffix:
        fail_usage(f"{file}: agent {agent} is written as a {suffix} file")
    with atomic_write(file) as stream:
        stream.write(data)
    typer.echo(f"{file}: {len(data) >> 10} KiB")


def judge(
    game_name: GameName,
    directory: RuleFolder = None,
    profile: Profile = None,
    initdata: Annotated[
        str | None,
        typer.Option("--initdata", metavar="JSON", help="Default initdata of rounds: a JSON object, or a file."),
    ] = None,
    keep_running: Annotated[
        bool, typer.Option("--keep-running", help="Answer every line until the input ends.")
    ] = False,
) -> None:
    """Judge a round as Botzone's judge does: read the log so far, print the next output, one JSON line each.

        echo '{"log":[],"initdata":{"seed":7}}' | abl-cards judge doudizhu

    The log alternates outputs of the judge, {"output":{…}}, and responses of a seat,
    {"0":{"verdict":"OK","response":[0,1]}}. initdata has "allocation" and "publiccard", or a "seed", or is empty. The
    answer is {"command":"request","content":{"0":{…}},"display":{…}}, or "finish" with the scores. An invalid response
    ends the round: its seat scores -3, its side 0, the others 1, and the display gives the reason. If a log ends with
    an output of a judge, that output is compared with this judge's; the logs of match --botzone-log end so.

    Without --profile the rules are those of the profile botzone, if the game has one. An invalid log gives
    {"error":"line 1: …"} and exit code 1.
    """
    from abl_cards.protocols.botzone import PLATFORM, BotzoneGame

    game = find_game(game_name)
    if profile is None and PLATFORM in list_profiles(game, directory):
        profile = PLATFORM
    platform = BotzoneGame.from_engine(load_engine(game, directory, profile))
    if platform is None:
        fail_usage(f"Botzone has no judge of {game_name}: its folder has no fact platform({PLATFORM})")
    with usage_errors():
        round_judge = platform.create_judge(_read_initdata(initdata))
    problems = 0
    for number, line in _read_nonempty_lines(typer.get_binary_stream("stdin")):
        answer = _answer_line(round_judge, number, line)
        problems += "error" in answer
        print_json(answer)
        typer.get_text_stream("stdout").flush()
        if not keep_running:
            break
    if problems:
        raise typer.Exit(1)


def _answer_line(round_judge: BotzoneJudge, number: int, line: bytes) -> dict[str, Any]:
    """Return the judge's output for a line; an error is also printed on stderr."""
    from abl_cards.core import GameError, parse_json_line

    try:
        return round_judge.next_output(parse_json_line(line))
    except GameError as problem:
        text = f"line {number}: {shorten(problem)}"
        typer.echo(text, err=True)
        return {"error": text}


def _read_nonempty_lines(stream: IO[bytes]) -> Iterator[NumberedLine]:
    """Read the lines that are not blank, with their numbers."""
    from abl_cards.core import read_line_batches

    for batch in read_line_batches(stream):
        yield from ((number, line) for number, line in batch if line.strip())


def _read_initdata(text: str | None) -> dict[str, Any]:
    """Parse the default initdata, a JSON object or a file; raises GameError for anything else."""
    from abl_cards.core import ErrorCode, GameError, parse_json_line, read_json_file

    if text is None:
        return {}
    initdata = parse_json_line(os.fsencode(text)) if text.lstrip().startswith("{") else read_json_file(Path(text))
    if not isinstance(initdata, dict):
        raise GameError("--initdata: expected a JSON object", ErrorCode.INVALID_JSON)
    return initdata
