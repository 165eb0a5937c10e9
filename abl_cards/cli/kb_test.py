"""``abl-cards kb test``: a folder's cases, what its rules never do, and the edits that no case notices."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    Seed,
    check_finite,
    fail,
    fail_usage,
    find_game,
    load_engine,
    print_json,
    show_progress,
)

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.rulelab.testing import CaseFailure, Edit, Mutant, RuleCoverage

PARTS = ("cases", "coverage", "mutations")
MAX_SHOWN = 20
"""Labels and edits that are printed; --json has all."""


def run_test(
    game_name: GameName,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="PART", help=f"One of {', '.join(PARTS)}; may be repeated.")
    ] = None,
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="Games that coverage plays.")] = 10_000,
    edits: Annotated[
        int | None,
        typer.Option("--edits", metavar="N", min=1, help="Try so many edits, drawn by the seed; default: all."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="FILE", help="Edit this file of the folder alone; may be repeated."),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0.1,
            callback=check_finite,
            help="What the proof that nothing differs may take.",
        ),
    ] = 20.0,
    propose: Annotated[
        Path | None,
        typer.Option("--propose", metavar="FILE", help="Write cases here that would notice more, to be read over."),
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(
            "--at-least",
            metavar="PERCENT",
            min=0,
            max=100,
            callback=check_finite,
            help="Fail where fewer edits are noticed.",
        ),
    ] = None,
    profile: Profile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Test a folder: its cases, coverage, and mutations.

    Cases are the lines of cases.jsonl in the folder. Coverage says which rules, labels and preferences never came up in
    many games, and shows a state in which they would. Mutations are one-line edits of the folder's own files: which
    ones does no case notice, though something differs? A case that does not hold makes the exit code 1.

        abl-cards kb test president --only cases

        abl-cards kb test mygame --propose more-cases.jsonl
    """
    parts = _check_parts(only)
    game = find_game(game_name)
    if propose is not None and propose.exists():
        fail(f"{propose} is there already, and nothing is overwritten; name a new file")
    engine = load_engine(game, None, profile)
    report: dict[str, Any] = {"game": game.name}
    failed = False
    if "cases" in parts:
        failed |= _run_cases(game, profile, report, as_json)
    if "coverage" in parts:
        _run_coverage(engine, games, seed, report, as_json)
    if "mutations" in parts:
        failed |= _run_mutations(game, profile, files or [], edits, seconds, seed, propose, at_least, report, as_json)
    if as_json:
        print_json(report)
    if failed:
        raise typer.Exit(1)


def _check_parts(only: Sequence[str] | None) -> tuple[str, ...]:
    for part in only or ():
        if part not in PARTS:
            fail_usage(f"--only {part}: there are {', '.join(PARTS)}")
    return tuple(only or PARTS)


# --- cases ------------------------------------------------------------------------------------------------------------


def _run_cases(game: Game, profile: str | None, report: dict[str, Any], quiet: bool) -> bool:
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.rulelab.testing import CASES_FILE, find_failures, read_cases

    found: list[CaseFailure] = []
    try:
        cases = read_cases(game.directory)
        wrong = find_failures(cases, lambda each: load_engine(game, None, each or profile))
        found = sorted(wrong, key=lambda each: each.case.line)
    except (KBError, GameError) as problem:
        fail(problem)
    report["cases"] = {
        "number": len(cases),
        "failed": [{"line": each.case.line, "said": each.message} for each in found],
    }
    if not quiet:
        for each in found:
            typer.echo(str(each))
        none = f"no cases: {game.directory} has no {CASES_FILE}; --propose FILE writes some, to be read over"
        typer.echo(f"cases: {len(cases) - len(found)} of {len(cases)} hold" if cases else none)
    return bool(found)


# --- coverage ---------------------------------------------------------------------------------------------------------


def _run_coverage(engine: Engine, games: int, seed: int, report: dict[str, Any], quiet: bool) -> None:
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.rulelab.testing import measure_coverage

    try:
        with show_progress("coverage", games) as tell:
            found = measure_coverage(engine, games, seed, lambda done: tell(done, "games"))
    except (KBError, GameError) as problem:
        fail(problem)
    report["coverage"] = found.to_json()
    if not quiet:
        _print_coverage(found)


def _print_coverage(found: RuleCoverage) -> None:
    fired = found.num_rules - len(found.unfired_rules)
    typer.echo(f"coverage: {fired} of {found.num_rules} rules fired in {found.num_games:,} games")
    elsewhere = [each for each in found.unfired_rules if each.is_common and each.verdict == "impossible"]
    for each in found.unfired_rules:
        if each not in elsewhere:
            typer.echo(f"  {each.rule.location}: never fired: {each.rule.text}")
            typer.echo(f"    {_verdict_text(each.verdict, each.question, each.state)}")
            if each.position:
                typer.echo(f"    {json.dumps(each.position, ensure_ascii=False)}")
    if elsewhere:
        typer.echo(f"  {len(elsewhere)} rules of common files never fired, and cannot: they are for other games")
    for names, what in (
        (found.unplayed_labels, "labels never laid"),
        (found.unchosen_options, "options never chosen"),
        (found.unfired_preferences, "preferences never fired"),
    ):
        if names:
            more = f" … and {len(names) - MAX_SHOWN:,} more (--json has them all)" if len(names) > MAX_SHOWN else ""
            typer.echo(f"  {len(names):,} {what}: {', '.join(names[:MAX_SHOWN])}{more}")


def _verdict_text(verdict: str, question: str, state: Sequence[str]) -> str:
    if verdict == "possible":
        return f"it would, where {question} is asked, in this state: {', '.join(state) or 'nothing is true'}"
    return {
        "unmet": f"it would, where {question} is asked, but in no state that play comes to: what it needs was never "
        "there together in these games",
        "impossible": "it cannot, in any state that the engine tells (proved): what it asks for is never there",
        "unknown": "no state was found in the time; --seconds gives it more",
    }[verdict]


# --- mutations --------------------------------------------------------------------------------------------------------


def _run_mutations(
    game: Game, profile: str | None, files: Sequence[str], number: int | None, seconds: float, seed: int,
    propose: Path | None, at_least: float | None, report: dict[str, Any], quiet: bool,
) -> bool:  # fmt: skip
    from abl_cards.rulelab.testing import CAUGHT, MutationRun, compute_caught_share, try_edits

    every = _select_edits(game, files)
    chosen = every if number is None or number >= len(every) else Random(seed).sample(every, number)
    trial = MutationRun(game.directory, profile, seconds)
    counts: Counter[str] = Counter()
    with show_progress("mutations", len(chosen)) as bar:

        def tell(mutant: Mutant) -> None:
            counts[mutant.outcome] += 1
            caught = sum(counts[each] for each in CAUGHT)
            bar(counts.total(), f"{caught} noticed")

        found = try_edits(trial, chosen, tell)
    share = compute_caught_share(found)
    report["mutations"] = {
        "edits": len(found), **{name: counts[name] for name in sorted(counts)}, "noticed_share": round(share, 4),
        "not_noticed": [each.to_json() for each in found if each.outcome not in CAUGHT],
    }  # fmt: skip
    if propose is not None:
        lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in trial.found_cases)
        propose.write_text("".join(lines), "utf-8")
    if not quiet:
        _print_mutations(found, share)
        if propose is not None:
            many = f"{len(trial.found_cases)} cases that would notice more lie in {propose}"
            typer.echo(f"{many}: read them over, and keep what is meant")
    return at_least is not None and 100 * share < at_least


def _select_edits(game: Game, files: Sequence[str]) -> list[Edit]:
    """Those of some files of the folder; of all where none is named."""
    from abl_cards.rulelab.testing import list_edits

    every = list_edits(game.directory)
    there = list(dict.fromkeys(each.file for each in every))
    for file in files:
        if file not in there:
            fail_usage(f"--file {file}: there is nothing to edit there; there are {', '.join(there)}")
    return [each for each in every if not files or each.file in files]


def _print_mutations(found: Sequence[Mutant], share: float) -> None:
    from abl_cards.rulelab.testing import LOST, MISSED, NOTICED, REFUSED, SAME, UNCLEAR, filter_by_outcome

    counts = Counter(each.outcome for each in found)
    differing = len(found) - counts[SAME]
    by = f"{counts[REFUSED]} by kb check, {counts[NOTICED]} by cases"
    caught = counts[NOTICED] + counts[REFUSED]
    typer.echo(
        f"mutations: {caught} of {differing} edits noticed, {100 * share:.1f} % ({by}); {counts[SAME]} change nothing"
    )
    said = {
        MISSED: "no case notices, and it differs", UNCLEAR: "no case notices, and it is not known whether it differs",
        LOST: "the process was lost", SAME: "changes nothing",
    }  # fmt: skip
    for outcome, what in said.items():
        mine = list(filter_by_outcome(found, outcome))
        for each in mine[:MAX_SHOWN]:
            typer.echo(f"  {what}: {each.edit_text}\n    {each.message}")
        if len(mine) > MAX_SHOWN:
            typer.echo(f"  … and {len(mine) - MAX_SHOWN:,} more of these (--json has them all)")
