"""The commands ``bot`` and ``judge``: our agent as one file for somebody else's platform, and that platform's judge."""

from __future__ import annotations

from collections.abc import Iterator
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
    print_json,
    shorten,
)
from abl_cards.core import atomic_write

if TYPE_CHECKING:
    from abl_cards.agents import AgentName
    from abl_cards.core import NumberedLine
    from abl_cards.protocols.botzone import BotzoneGame, BotzoneJudge


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(bot)
    app.command()(judge)


def bot(
    game_name: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the bot is written: a .py file, a .zip of abl.")],
    directory: RuleFolder = None,
    profile: Profile = None,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="A", help="Who: kb, kb:without=GROUP, kb:kb=DIR; abl, abl:weights=FILE."),
    ] = "kb",
) -> None:
    """Write the agent kb as a program in one file, to be uploaded to Botzone; it needs nothing but Python.

    The rules and preferences are compiled into it. The agent abl becomes a zip that needs numpy as well.
    Programs that read Botzone's JSON play at our tables as the agent program:run=COMMAND.

        abl-cards bot doudizhu bot.py --profile botzone

        abl-cards match doudizhu kb "program:run=python3 bot.py" --profile botzone --games 2
    """
    from abl_cards.agents import AgentName
    from abl_cards.agents import make_preference_model as judge_of
    from abl_cards.core import GameError
    from abl_cards.protocols.botzone import BotzoneGame

    engine = load_engine(find_game(game_name), directory, profile)
    platform = BotzoneGame.from_engine(engine)
    if platform is None:
        fail_usage(f"there is no protocol for programs of {game_name}")
    try:
        name = AgentName.parse(agent)
        data = (
            _build_network_bot(platform, name)
            if name.kind == "abl"
            else platform.bot_source(judge_of(agent, engine)).encode()
        )
    except GameError as problem:
        fail_usage(problem)
    if file.exists() and not file.is_file():
        fail(f"{file} is there and is no file that could be replaced")
    with atomic_write(file) as stream:
        stream.write(data)
    typer.echo(f"{file}: {len(data) >> 10} KiB")


def _build_network_bot(platform: BotzoneGame, name: AgentName) -> bytes:
    """The zip of an agent with networks; raises GameError."""
    from abl_cards.agents import find_weights, preference_model_from_name
    from abl_cards.learners import load_networks

    engine = platform.engine
    return platform.network_bot_zip(
        preference_model_from_name(name, engine), load_networks(find_weights(name, engine), engine)
    )


def judge(
    game_name: GameName,
    directory: RuleFolder = None,
    profile: Profile = None,
    initdata: Annotated[
        str | None,
        typer.Option("--initdata", metavar="JSON", help="What rounds begin with that do not say it; or a file."),
    ] = None,
    keep_running: Annotated[
        bool, typer.Option("--keep-running", help="Answer line by line until the input ends.")
    ] = False,
) -> None:
    """Judge a round as Botzone's judge does: the log so far in, what comes next out, a line of JSON each.

        echo '{"log":[],"initdata":{"seed":7}}' | abl-cards judge doudizhu

    The log alternates what the judge has said, {"output":{…}}, and what a seat responds,
    {"0":{"verdict":"OK","response":[0,1]}}. initdata has "allocation" and "publiccard", or a "seed", or nothing. The
    answer is {"command":"request","content":{"0":{…}},"display":{…}}, or "finish" with the scores. A wrong response
    ends the round: its seat has -3, those of its side 0, the others 1, and the display says what was wrong. Of a log
    that ends with what a judge has said, that is compared with what this one says: so are those of match --log.

    The rules are those of the profile botzone, where the game has one and --profile says nothing. What is no log is
    answered by {"error":"line 1: …"}, and the exit code is 1.
    """
    from abl_cards.core import GameError
    from abl_cards.protocols.botzone import PLATFORM, BotzoneGame

    game = find_game(game_name)
    if profile is None and PLATFORM in list_profiles(game, directory):
        profile = PLATFORM
    platform = BotzoneGame.from_engine(load_engine(game, directory, profile))
    if platform is None:
        fail_usage(f"Botzone has no judge of {game_name}: its folder does not say platform({PLATFORM})")
    try:
        judging = platform.create_judge(_read_initdata(initdata))
    except GameError as problem:
        fail_usage(problem)
    problems = 0
    for number, line in _read_nonempty_lines(typer.get_binary_stream("stdin")):
        answer = _answer_line(judging, number, line)
        problems += "error" in answer
        print_json(answer)
        typer.get_text_stream("stdout").flush()
        if not keep_running:
            break
    if problems:
        raise typer.Exit(1)


def _answer_line(judging: BotzoneJudge, number: int, line: bytes) -> dict[str, Any]:
    """What the judge says to a line; what is wrong is said on stderr too."""
    from abl_cards.core import GameError, parse_json_line

    try:
        return judging.next_output(parse_json_line(line))
    except GameError as problem:
        text = f"line {number}: {shorten(problem)}"
        typer.echo(text, err=True)
        return {"error": text}


def _read_nonempty_lines(stream: IO[bytes]) -> Iterator[NumberedLine]:
    """The lines that say something."""
    from abl_cards.core import read_line_batches

    for batch in read_line_batches(stream):
        yield from ((number, line) for number, line in batch if line.strip())


def _read_initdata(text: str | None) -> dict[str, Any]:
    """Raises GameError for what is no JSON object."""
    from abl_cards.core import GameError, parse_json_line, read_json_file

    if text is None:
        return {}
    found = parse_json_line(text.encode()) if text.lstrip().startswith("{") else read_json_file(Path(text))
    if not isinstance(found, dict):
        raise GameError("--initdata: there must be a JSON object")
    return found
