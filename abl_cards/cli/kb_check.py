"""``abl-cards kb check``: check rule files, with sizes, the share of the limits used, and the costliest rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    find_game,
    list_profiles,
    load_engine,
    load_knowledge,
    print_json,
    print_problems,
    print_table,
)
from abl_cards.core import pause_gc

if TYPE_CHECKING:
    from abl_cards.asp import Diagnostic, KBError
    from abl_cards.circuit import KnowledgeBase
    from abl_cards.games import Game


def check(
    game_name: GameName,
    directory: RuleFolder = None,
    profile: Profile = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ground again, without the disk cache.")] = False,
    as_json: AsJson = False,
) -> None:
    """Parse, ground and compile rule files with every profile, and play a few episodes at random.

    Prints sizes, the share of the limits that grounding the largest profile takes, and the costliest rules. Errors go
    to stderr, one per line, with file, line and columns; the exit code is then 1. At most 50 errors and 50 warnings are
    printed; --json has all. For sound rules without show.lp a hint is printed.
    Lessons are checked too: their blocks, and the answers that they claim.

        abl-cards kb check guandan
        abl-cards kb check my-rules --profile standard
    """
    from abl_cards.cli.progress import show_status

    game = find_game(game_name)
    chosen: list[str | None] = [profile] if profile else [*list_profiles(game, directory)] or [None]
    with pause_gc():
        with show_status(f"rules of {game.name}"):
            reports = [_check_profile(game, directory, name, not no_cache) for name in chosen]
        grounding = _measure_largest(reports, not no_cache)
        is_sound = not any(report.to_json["errors"] for report in reports)
        lesson_errors = _check_lessons(game, directory, profile) if is_sound else []
    hints = _find_hints(game, directory) if is_sound and not lesson_errors else []
    if as_json:
        print_json(
            {
                "game": game.name,
                "directory": str(directory or game.directory),
                "profiles": [report.to_json for report in reports],
                "lessons": [asdict(diagnostic) for diagnostic in lesson_errors],
                "grounding": grounding,
                "hints": hints,
            }
        )
    else:
        print_problems(list(map(str, lesson_errors)))
        _print_reports(game, directory or game.directory, reports)
        _print_limits(grounding)
        for hint in hints:
            typer.echo(f"hint: {hint}")
        _print_verdict(reports, len(lesson_errors))
    if lesson_errors or not is_sound:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _ProfileReport:
    """Result of checking a profile: its JSON object, its problems as lines, and the rules if they are sound."""

    to_json: dict[str, Any]
    lines: list[str]
    knowledge: KnowledgeBase | None = None


def _check_profile(game: Game, folder: Path | None, profile: str | None, cache: bool) -> _ProfileReport:
    from abl_cards.asp import KBError
    from abl_cards.core import GameError, shared_budget

    try:
        with shared_budget():  # each profile has the whole limit, so that the verdict does not depend on their number
            knowledge = load_knowledge(game, folder, profile, cache)
            auxiliary = list(game.auxiliary_rules(folder, profile, cache))
            sizes = _compute_sizes(knowledge)
            limits = game.warnings(knowledge, folder, profile)
            if show_errors := game.show_errors(knowledge, folder, profile):
                raise KBError(show_errors)
    except KBError as problem:
        errors = {"profile": profile, "warnings": [], "errors": _diagnostics_to_json(problem)}
        return _ProfileReport(errors, str(problem).splitlines())
    except GameError as problem:
        error = {"code": str(problem.code), "location": None, "message": str(problem), "remedy": ""}
        return _ProfileReport({"profile": profile, "warnings": [], "errors": [error]}, [f"error: {problem}"])
    program_warnings = [warning for program in (knowledge, *auxiliary) for warning in program.warnings]
    warnings = list(dict.fromkeys(map(str, [*program_warnings, *limits])))
    return _ProfileReport({"profile": profile, **sizes, "warnings": warnings, "errors": []}, warnings, knowledge)


def _find_hints(game: Game, folder: Path | None) -> list[str]:
    """Return advice that changes neither the verdict nor the exit code."""
    from abl_cards.asp import KBError
    from abl_cards.games.description import SHOW_FILE, Folder

    try:
        layers = (game.folder if folder is None else Folder(folder)).layers
    except KBError:  # reported with the profiles
        return []
    if layers.show_file is not None or not layers.files:
        return []
    return [
        f"no {SHOW_FILE}: the table shows all public facts, in the order of the rules (docs/reference/predicates.md)"
    ]


def _compute_sizes(knowledge: KnowledgeBase) -> dict[str, Any]:
    circuit = knowledge.circuit(*map(str, knowledge.request.outputs))
    return {
        "files": [str(file) for file in knowledge.files],
        "rules": len(knowledge.ground.kinds),
        "inputs": len(knowledge.input_atoms),
        "outputs": len(circuit.outputs),
        "gates": circuit.num_gates,
    }


def _measure_largest(reports: Sequence[_ProfileReport], cache: bool) -> dict[str, Any] | None:
    """Measure grounding of the profile with most ground rules; None without a sound profile."""
    from abl_cards.asp import Limits, report_grounding

    sound = [report for report in reports if report.knowledge is not None]
    if not sound:
        return None
    largest, limits = max(sound, key=lambda report: int(report.to_json["rules"])), Limits()
    assert largest.knowledge is not None
    measured = report_grounding(largest.knowledge.request, largest.knowledge.cache_name, limits, cache)
    if measured is None:
        return None
    bounds = {"rules": limits.rules, "seconds": limits.seconds, "memory": limits.memory}
    sizes = {name: largest.to_json[name] for name in ("profile", "rules")}
    return {**measured.to_json(), **sizes, "limits": bounds}


def _diagnostics_to_json(problem: KBError) -> list[dict[str, Any]]:
    return [
        {
            "code": str(diagnostic.code),
            "location": asdict(diagnostic.location) if diagnostic.location else None,
            "message": diagnostic.message,
            "remedy": diagnostic.remedy,
        }
        for diagnostic in problem.diagnostics
    ]


def _print_reports(game: Game, folder: Path, reports: Sequence[_ProfileReport]) -> None:
    print_problems([line for report in reports for line in report.lines])
    columns = ("profile", "files", "ground rules", "inputs", "outputs", "gates")
    sound = [report.to_json for report in reports if not report.to_json["errors"]]
    if sound:
        typer.echo(f"{game.title} {game.name}, rule files in {folder}")
        rows = [
            (
                report["profile"] or "–",
                *(f"{_count_items(report[name]):,}" for name in ("files", "rules", *columns[3:])),
            )
            for report in sound
        ]
        print_table(columns, rows, right_aligned=range(1, len(columns)))


def _print_limits(grounding: dict[str, Any] | None) -> None:
    """Print the share of the limits that grounding takes, and the costliest rules."""
    if grounding is None:
        return
    limits = grounding["limits"]
    used = [
        f"{grounding['rules']:,} of {limits['rules']:,} ground rules ({_percent(grounding, 'rules')})",
        f"{grounding['seconds']:.1f} of {limits['seconds']:g} s ({_percent(grounding, 'seconds')})",
    ]
    if grounding["memory"]:
        memory = f"{grounding['memory'] >> 20:,} of {limits['memory'] >> 20:,} MiB"
        used.append(f"{memory} ({_percent(grounding, 'memory')})")
    profile = f" of {grounding['profile']}" if grounding["profile"] else ""
    typer.echo(f"grounding{profile} takes {', '.join(used)}; most of it:")
    for cost in grounding["costliest"]:
        typer.echo(f"  {cost['location']}: {cost['rules']:,} ground rules, {cost['seconds']:.2f} s")


def _percent(grounding: dict[str, Any], name: str) -> str:
    return f"{100 * grounding[name] / grounding['limits'][name]:.1f} %"


def _check_lessons(game: Game, directory: Path | None, profile: str | None) -> list[Diagnostic]:
    """Return the errors of the lessons of a folder, whose quizzes the engine answers."""
    from abl_cards.web import check_lessons, find_lessons, misnamed_lessons

    folder = directory or game.directory
    if not find_lessons(folder):
        return misnamed_lessons(folder)
    return check_lessons(load_engine(game, directory, profile), game, folder)


def _print_verdict(reports: Sequence[_ProfileReport], num_lesson_errors: int) -> None:
    if num_lesson_errors:
        typer.echo(f"{num_lesson_errors} errors in lessons", err=True)
        return
    sound = sum(not report.to_json["errors"] for report in reports)
    rejected = len(reports) - sound
    typer.echo(f"{sound} of {len(reports)} profiles are sound" if rejected else "no errors", err=bool(rejected))


def _count_items(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)
