"""Command ``ablate``: measure the parts of an agent by matches against itself without them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    fail_usage,
    find_game,
    load_engine,
    print_json,
    print_table,
    show_progress,
)

if TYPE_CHECKING:
    from abl_cards.ablation import AblationPart
    from abl_cards.games import Engine

DEFAULT_GAMES, MAX_GAMES = 400, 1_000_000


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(ablate)


def ablate(
    game_name: GameName,
    agent: Annotated[str, typer.Option("--agent", metavar="A", help="kb or abl, with options.")] = "kb",
    parts: Annotated[
        str | None,
        typer.Option("--parts", metavar="P,P,…", help="Parts to leave out, one at a time; default: all (see --list)."),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=MAX_GAMES, help="Most games a part.")
    ] = DEFAULT_GAMES,
    seed: Seed = 1,
    directory: RuleFolder = None,
    profile: Profile = None,
    results: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="Folder of finished shards; default: runs/ablate-GAME."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw win rates and intervals as a PNG file.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="List the parts of the agent, and play nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the parts of an agent: it plays against itself without one part at a time.

    Parts are all preferences, their groups (kb:GROUP), rule files (FILE.lp), and for abl the projection, the
    look-ahead, the endgames and the minimiser; kb:NAME is a single preference. Every deal is played once for every way
    to seat the two. Play stops as soon as the interval of the win rate excludes one half, or after --games games: then
    the part is "not decided". The interval is valid although it is computed again and again: over all looks at a part
    it misses the true rate with a probability of at most 5 %.

        abl-cards ablate paodekuai

        abl-cards ablate guandan --agent abl --parts projection,kb:bombs,kb:partner --games 400

    Finished shards are stored: a run that was stopped continues when the command is given again.
    --json prints {"game","agent","seed","games","level","rows"}; a row is {"part","description","variant","games",
    "wins","draws","rate","interval","verdict","episodes","decided"}.
    """
    from abl_cards.ablation import ablate as run_ablation
    from abl_cards.core import GameError, has_matplotlib

    engine = load_engine(find_game(game_name), directory, profile)
    names = None if parts is None else [name.strip() for name in parts.split(",") if name.strip()]
    if list_only:
        _print_parts(engine, agent, as_json)
        return
    if names is not None and not names:
        fail_usage("--parts names no part; see --list")
    if plot is not None and not has_matplotlib():
        from abl_cards.core import INSTALL_COMMAND

        fail_usage(f"--plot needs matplotlib: {INSTALL_COMMAND}")
    folder = results or Path("runs") / f"ablate-{engine.rules.folder.name}"
    with show_progress(f"{agent} of {engine.game}", None) as show:

        def on_progress(part: AblationPart, done: int, total: int) -> None:
            show(done, f"games without {part.name}", total)

        try:
            result = run_ablation(engine, agent, names, games, seed, folder=folder, on_progress=on_progress)
        except GameError as problem:
            _fail_by_code(problem)
    if plot is not None:
        result.plot(plot)
    if as_json:
        print_json(result.to_json())
        return
    typer.echo(result.title)
    header, rows = result.cells()
    print_table(header, rows, right_aligned=(2, 3, 4))


def _print_parts(engine: Engine, agent: str, as_json: bool) -> None:
    """List the parts of an agent with the names of the agent without them."""
    from abl_cards.ablation import list_parts
    from abl_cards.core import GameError

    try:
        parts = list_parts(engine, agent)
    except GameError as problem:
        _fail_by_code(problem)
    if as_json:
        print_json({"parts": [_part_json(part, agent) for part in parts]})
    else:
        print_table(("part", "what"), [(part.name, part.description) for part in parts])


def _part_json(part: AblationPart, agent: str) -> dict[str, str]:
    return {"part": part.name, "description": part.description, "variant": part.variant_of(agent)}


def _fail_by_code(problem: Exception) -> NoReturn:
    """End the command: exit code 2 for an argument that is wrong, 1 for anything that fails later."""
    from abl_cards.core import ErrorCode, GameError

    usage = {
        ErrorCode.UNKNOWN_PART, ErrorCode.UNKNOWN_AGENT, ErrorCode.UNKNOWN_AGENT_OPTION, ErrorCode.INVALID_VALUE,
        ErrorCode.INVALID_AGENT_NAME, ErrorCode.INVALID_AGENT_OPTION, ErrorCode.AGENT_NOT_APPLICABLE,
    }  # fmt: skip
    if isinstance(problem, GameError) and problem.code in usage:
        fail_usage(problem)
    raise problem
