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
    find_game,
    load_engine,
    misuse,
    print_json,
    profiles_of,
    shorten,
)
from abl_cards.files import written_whole

if TYPE_CHECKING:
    from abl_cards.agents import AgentName
    from abl_cards.lines import Line
    from abl_cards.platforms.botzone.entry import Botzone
    from abl_cards.platforms.botzone.judge import BotzoneJudge


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
    from abl_cards.agents import judge as judge_of
    from abl_cards.errors import GameError
    from abl_cards.platforms.botzone.entry import Botzone

    engine = load_engine(find_game(game_name), directory, profile)
    platform = Botzone.of(engine)
    if platform is None:
        misuse(f"there is no protocol for programs of {game_name}")
    try:
        name = AgentName.parse(agent)
        data = (
            _network_bot(platform, name)
            if name.kind == "abl"
            else platform.bot_source(judge_of(agent, engine)).encode()
        )
    except GameError as problem:
        misuse(problem)
    if file.exists() and not file.is_file():
        fail(f"{file} is there and is no file that could be replaced")
    with written_whole(file) as stream:
        stream.write(data)
    typer.echo(f"{file}: {len(data) >> 10} KiB")


def _network_bot(platform: Botzone, name: AgentName) -> bytes:
    """The zip of an agent with networks; raises GameError."""
    from abl_cards.agents.learned import weights_of
    from abl_cards.agents.reasoning import judge_of
    from learners.store import load_networks

    engine = platform.engine
    return platform.network_bot(judge_of(name, engine), load_networks(weights_of(name, engine), engine))


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
    from abl_cards.errors import GameError
    from abl_cards.platforms.botzone.entry import PLATFORM, Botzone

    game = find_game(game_name)
    if profile is None and PLATFORM in profiles_of(game, directory):
        profile = PLATFORM
    platform = Botzone.of(load_engine(game, directory, profile))
    if platform is None:
        misuse(f"Botzone has no judge of {game_name}: its folder does not say platform({PLATFORM})")
    try:
        judging = platform.judge(_initdata(initdata))
    except GameError as problem:
        misuse(problem)
    problems = 0
    for number, line in _lines(typer.get_binary_stream("stdin")):
        answer = _answered(judging, number, line)
        problems += "error" in answer
        print_json(answer)
        typer.get_text_stream("stdout").flush()
        if not keep_running:
            break
    if problems:
        raise typer.Exit(1)


def _answered(judging: BotzoneJudge, number: int, line: bytes) -> dict[str, Any]:
    """What the judge says to a line; what is wrong is said on stderr too."""
    from abl_cards.errors import GameError
    from abl_cards.lines import parse_line

    try:
        return judging.answer(parse_line(line))
    except GameError as problem:
        text = f"line {number}: {shorten(problem)}"
        typer.echo(text, err=True)
        return {"error": text}


def _lines(stream: IO[bytes]) -> Iterator[Line]:
    """The lines that say something."""
    from abl_cards.lines import batches

    for batch in batches(stream):
        yield from ((number, line) for number, line in batch if line.strip())


def _initdata(text: str | None) -> dict[str, Any]:
    """Raises GameError for what is no JSON object."""
    from abl_cards.errors import GameError
    from abl_cards.lines import parse_line, read_value

    if text is None:
        return {}
    found = parse_line(text.encode()) if text.lstrip().startswith("{") else read_value(Path(text))
    if not isinstance(found, dict):
        raise GameError("--initdata: there must be a JSON object")
    return found
