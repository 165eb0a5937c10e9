"""Command ``ablate``: measure the parts of an agent by matches against itself without them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from abl_cards.cli.console import (
    AsJson,
    CsvFile,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    check_finite,
    check_output_file,
    fail_usage,
    find_game,
    folder_option,
    load_engine,
    path_option,
    print_json,
    print_table,
    read_settings,
    usage_errors,
    write_csv_file,
)
from abl_cards.cli.progress import show_progress

if TYPE_CHECKING:
    from abl_cards.ablation import Ablation, AblationPart, LearnedPart, TrainingPlan, WeightSweep
    from abl_cards.games import Engine

DEFAULT_GAMES, MAX_GAMES = 400, 1_000_000
FIXED_SETTINGS = ("directory", "game", "seed", "total_decisions", "kb", "profile")
"""Settings of a training that the ablation sets itself."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(ablate)


def ablate(
    game_name: GameName,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent", metavar="A", help="kb or abl, with options; default: kb, with --train abl:no-lookahead."
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option("--parts", metavar="P,P,…", help="Parts to leave out, one at a time; default: all (see --list)."),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=MAX_GAMES, help="Most games a part.")
    ] = DEFAULT_GAMES,
    seed: Seed = 1,
    sweep: Annotated[
        str | None,
        typer.Option("--sweep", metavar="NAME", help="Scale the weights of a preference or group; see --factors."),
    ] = None,
    factors: Annotated[
        str | None, typer.Option("--factors", metavar="F,F,…", help="Factors of the weights; default: 0,0.5,2,4.")
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="A", help="Another agent to measure like a part; may be repeated."),
    ] = None,
    train: Annotated[
        float | None,
        typer.Option(
            "--train",
            metavar="MINUTES",
            min=0.001,
            callback=check_finite,
            help="Train twins without parts that are learned, so long each.",
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", min=1, help="Most training seeds; default: 3.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of the trainings; may be repeated."),
    ] = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    results: Annotated[
        Path | None,
        folder_option("--dir", metavar="DIR", help="Folder of finished shards; default: runs/ablate-GAME."),
    ] = None,
    plot: Annotated[
        Path | None,
        path_option(
            "--plot",
            metavar="FILE",
            callback=check_output_file,
            help="Draw win rates and intervals: .svg, .pdf or .png.",
        ),
    ] = None,
    csv: CsvFile = None,
    list_only: Annotated[bool, typer.Option("--list", help="List the parts of the agent, and play nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the parts of an agent: it plays against itself without one part at a time.

    Parts are all preferences, their groups (kb:GROUP), rule files (FILE.lp), and for abl the projection, the
    look-ahead, the endgames and the minimiser; kb:NAME is a single preference. Every deal is played once for every way
    to seat the two. Play stops as soon as the interval of the win rate excludes one half, or after --games games: then
    the part is "not decided". The interval is valid although it is computed again and again: for each part it misses
    the true rate with a probability of at most 5 %.

        abl-cards ablate paodekuai
        abl-cards ablate guandan --agent abl --parts projection,kb:bombs,kb:partner --games 400

    --train MINUTES measures parts that are learned: abln, prior, true-hands, opponents, and SETTING=VALUE for any
    setting of a training. The agent is trained for so long; each twin makes as many decisions without the part. This
    is repeated with --seeds N seeds, each with its own deals, and --games games a seed. The interval covers seeds and
    deals together. After 3, 6, 12 … seeds, a part that is decided needs no further ones.

        abl-cards ablate my-rules --train 3 --parts abln

    --variant A measures another agent like a part, so that any agent can be measured.

        abl-cards ablate president --agent greedy --variant random --variant kb:without=leading

    --sweep NAME plays the agent with scaled weights of a preference, or of a group, against itself.

        abl-cards ablate president --sweep structure --factors 0,0.5,2 --plot sweep.png

    Finished shards are stored: a run that was stopped continues when the command is given again.
    --json prints {"game","agent","seed","games","level","rows","skipped","notes"}; a row is {"part","description",
    "variant","games","wins","draws","rate","interval","verdict","episodes","decided"}, and with --train
    "seed_rates" and "p_value".
    """
    from abl_cards.ablation import ablate as run_ablation
    from abl_cards.ablation import sweep_weight
    from abl_cards.core import GameError

    engine = load_engine(find_game(game_name), directory, profile)
    _check_options(parts, sweep, factors, variants, train, seeds, settings, plot)
    agent = agent or ("kb" if train is None else "abl:no-lookahead")
    plan = None if train is None else _make_plan(train, seeds, settings or [])
    if list_only:
        _print_learned_parts(engine, plan, as_json) if plan else _print_parts(engine, agent, as_json)
        return
    names = None if parts is None else _split_names(parts)
    folder = results or Path("runs") / f"ablate-{engine.rules.folder.name}"
    with show_progress(f"{agent} of {engine.game}", None) as show:

        def on_progress(part: AblationPart | LearnedPart, done: int, total: int) -> None:
            show(done, f"games without {part.name}", total)

        def on_training(name: str, done: int, total: int | None, remark: str) -> None:
            show(done, f"training {name}: {remark}", total or done)

        try:
            result: Ablation | WeightSweep = (
                run_ablation(
                    engine, agent, names, games, seed, variants=variants or [], training=plan, folder=folder,
                    on_progress=on_progress, on_training=on_training,
                )
                if sweep is None
                else sweep_weight(
                    engine, sweep, _read_factors(factors), agent, games, seed, folder=folder, on_progress=on_progress
                )
            )  # fmt: skip
        except GameError as problem:
            _fail_by_code(problem)
    if plot is not None:
        result.plot(plot)
    if csv:
        _write_csv(csv, result)
    _print_result(result, as_json)


def _check_options(
    parts: str | None,
    sweep: str | None,
    factors: str | None,
    variants: list[str] | None,
    train: float | None,
    seeds: int | None,
    settings: list[str] | None,
    plot: Path | None,
) -> None:
    """Fail where options do not belong together, or need a library that is missing."""
    from abl_cards.core import INSTALL_COMMAND, check_plot_file, has_matplotlib

    if train is None and (seeds or settings):
        fail_usage("--seeds and --set belong to trainings: add --train MINUTES")
    if sweep is not None and (parts or variants or train is not None):
        fail_usage("--sweep measures factors of one preference: leave out --parts, --variant and --train")
    if sweep is None and factors is not None:
        fail_usage("--factors belong to --sweep NAME")
    if plot is not None:
        if not has_matplotlib():
            fail_usage(f"--plot needs matplotlib: {INSTALL_COMMAND}")
        with usage_errors():
            check_plot_file(plot)


def _split_names(parts: str) -> list[str]:
    """Return the names of parts that are separated by commas; none is a usage error."""
    names = [name.strip() for name in parts.split(",") if name.strip()]
    if not names:
        fail_usage("--parts names no part; see --list")
    return names


def _write_csv(file: Path, result: Ablation | WeightSweep) -> None:
    """Write the rows of a result."""
    from abl_cards.ablation import WeightSweep
    from abl_cards.core import flatten

    common = {"game": result.game, "agent": result.agent}
    rows = result.points if isinstance(result, WeightSweep) else result.sorted_rows()
    write_csv_file(file, [common | flatten(row.to_json()) for row in rows])


def _print_result(result: Ablation | WeightSweep, as_json: bool) -> None:
    """Print a result as a table with its notes, or as JSON."""
    from abl_cards.ablation import WeightSweep

    if as_json:
        print_json(result.to_json())
        return
    typer.echo(result.title)
    header, cells = result.cells()
    print_table(header, cells, right_aligned=(0, 1, 2, 3) if isinstance(result, WeightSweep) else (2, 3, 4, 6, 7))
    for line in result.notes:
        typer.echo(line)


def _read_factors(text: str | None) -> Sequence[float]:
    """Read the factors of a sweep; an invalid one is a usage error."""
    from abl_cards.ablation import DEFAULT_FACTORS

    if text is None:
        return DEFAULT_FACTORS
    try:
        return [check_finite(float(word)) or 0.0 for word in text.split(",")]
    except ValueError:
        fail_usage(f"--factors: numbers separated by commas, not {text!r}")


def _make_plan(minutes: float, seeds: int | None, assignments: list[str]) -> TrainingPlan:
    """Return the budget of the trainings, with the settings of ``--set``; an invalid one is a usage error."""
    from dataclasses import fields

    from abl_cards.ablation import TrainingPlan, default_twin_config

    before = default_twin_config()
    after = read_settings(before, assignments, FIXED_SETTINGS)
    names = [field.name for field in fields(after) if getattr(after, field.name) != getattr(before, field.name)]
    changed = {name: getattr(after, name) for name in names}
    return TrainingPlan(minutes, settings=changed) if seeds is None else TrainingPlan(minutes, seeds, settings=changed)


def _print_learned_parts(engine: Engine, plan: TrainingPlan, as_json: bool) -> None:
    """List the parts that twins can be trained without."""
    from abl_cards.ablation import create_twin_config, list_learned_parts

    parts = list_learned_parts(create_twin_config(engine, plan.settings))
    if as_json:
        print_json({"parts": [{"part": part.name, "description": part.description} for part in parts]})
    else:
        print_table(("part", "what"), [(part.name, part.description) for part in parts])


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
        ErrorCode.UNKNOWN_PREFERENCE, ErrorCode.DUPLICATE_AGENT, ErrorCode.UNKNOWN_PRESET,
    }  # fmt: skip
    if isinstance(problem, GameError) and problem.code in usage:
        fail_usage(problem)
    raise problem
