"""``abl-cards kb test``: run the test cases, rule coverage and mutation tests of a rule folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    Seed,
    check_finite,
    check_output_file,
    fail,
    fail_usage,
    find_game,
    load_engine,
    path_option,
    print_json,
    usage_errors,
)
from abl_cards.cli.progress import show_progress
from abl_cards.core import format_count

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.rulelab.testing import CaseFailure, Edit, Mutant, MutationRun, RuleCoverage

PARTS = ("cases", "coverage", "mutations")
MAX_SHOWN = 20
"""Labels and mutants printed; --json has all."""
MAX_INHERITED_WIDTH = 200
"""Characters printed of the failure of an inherited case; --json has all."""


def run_test(
    game_name: GameName,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PART", help=f"One of {', '.join(PARTS)}; may be repeated."),
    ] = None,
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="Number of games for coverage.")] = 10_000,
    mutations: Annotated[
        int | None,
        typer.Option("--mutations", metavar="N", min=1, help="Number of random mutations; default: all."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="FILE", help="Mutate only this file of the folder; may be repeated."),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0.1,
            callback=check_finite,
            help="Time limit of each proof that a mutation changes nothing.",
        ),
    ] = 20.0,
    propose: Annotated[
        Path | None,
        path_option(
            "--propose-cases",
            metavar="FILE",
            callback=check_output_file,
            help="Write cases that detect more mutations, for review.",
        ),
    ] = None,
    accept: Annotated[
        bool,
        typer.Option("--accept", help="Accept changes of inherited cases: write them into the variant's cases.jsonl."),
    ] = False,
    min_score: Annotated[
        float | None,
        typer.Option(
            "--min-score",
            metavar="PERCENT",
            min=0,
            max=100,
            callback=check_finite,
            help="Fail if fewer mutations are detected.",
        ),
    ] = None,
    profile: Profile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Run the test cases, rule coverage and mutation tests of a rule folder.

    Cases are the lines of cases.jsonl in the folder, and those that a variant inherits from its parents. Inherited
    cases that the variant changes are listed as failures; --accept keeps them with their new values. Coverage lists
    rules, labels and preferences that never fired in many games, with a state in which they would. Mutations are
    one-line edits of the folder's own files; the report lists those that change something and that no case detects.
    The exit code is 1 if a case fails.

        abl-cards kb test president --only cases
        abl-cards kb test my-rules --only cases --accept
        abl-cards kb test mygame --propose-cases more-cases.jsonl
    """
    from abl_cards.rulelab.testing import MutationRun, choose_edits

    parts = _check_parts(only)
    given = {"--file": files, "--propose-cases": propose, "--min-score": min_score is not None}
    _check_options(parts, "mutations", given)
    _check_options(parts, "cases", {"--accept": accept})
    game = find_game(game_name)
    if propose is not None and propose.exists():
        fail(f"{propose} exists already; name a new file")
    engine = load_engine(game, None, profile)
    report: dict[str, Any] = {"game": game.name}
    failed = False
    if "cases" in parts:
        failed |= _run_cases(game, profile, accept, report, as_json)
    if "coverage" in parts:
        _run_coverage(engine, games, seed, report, as_json)
    if "mutations" in parts:
        with usage_errors():
            edits = choose_edits(game.directory, files or [], mutations, seed)
        share = _run_mutations(MutationRun(game.directory, profile, seconds), edits, propose, report, as_json)
        failed |= min_score is not None and share < min_score
    if as_json:
        print_json(report)
    if failed:
        raise typer.Exit(1)


def _check_parts(only: Sequence[str] | None) -> tuple[str, ...]:
    for part in only or ():
        if part not in PARTS:
            fail_usage(f"--only {part}: there are {', '.join(PARTS)}")
    return tuple(only or PARTS)


def _check_options(parts: Sequence[str], part: str, given: Mapping[str, object]) -> None:
    """Reject options of a part that is left out."""
    for option, value in given.items():
        if value and part not in parts:
            fail_usage(f"{option}: add --only {part}, or leave out --only")


# --- cases ------------------------------------------------------------------------------------------------------------


def _run_cases(game: Game, profile: str | None, accept: bool, report: dict[str, Any], quiet: bool) -> bool:
    """Check the cases, and accept changes of inherited ones; returns whether any fails."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError, shared_budget
    from abl_cards.rulelab.testing import accept_changes, find_failures, read_all_cases

    def engine_of(named: str | None) -> Engine:
        with shared_budget():  # inherited cases may name many profiles: each has the whole time limit
            return load_engine(game, None, named or profile)

    accepted: tuple[int, int] | None = None
    try:
        cases = read_all_cases(game.folder)
        failures = sorted(find_failures(cases, engine_of), key=lambda failure: (failure.case.owner, failure.case.line))
        if accept:
            accepted = accept_changes(game.directory, failures, engine_of)
    except (KBError, GameError) as problem:
        fail(problem)
    failed = [failure for failure in failures if not (accept and failure.case.owner)]
    report["cases"] = {
        "number": len(cases),
        "inherited": sum(case.owner != "" for case in cases),
        "failed": [failure.to_json() for failure in failed],
        **({} if accepted is None else {"accepted": {"changed": accepted[0], "dropped": accepted[1]}}),
    }
    if not quiet:
        _print_cases(game, len(cases), failed, accepted)
    return bool(failed)


def _print_cases(game: Game, number: int, failed: Sequence[CaseFailure], accepted: tuple[int, int] | None) -> None:
    from abl_cards.rulelab.testing import CASES_FILE

    for failure in failed:
        text = str(failure)
        is_long = failure.case.owner and len(text) > MAX_INHERITED_WIDTH
        typer.echo(f"{text[:MAX_INHERITED_WIDTH]} …" if is_long else text)
    if accepted and any(accepted):
        changed, dropped = accepted
        cases = format_count(changed, "inherited case")
        typer.echo(f"{game.directory / CASES_FILE}: {cases} with new values, {dropped} dropped")
    none = f"no cases in {game.directory / CASES_FILE}; --propose-cases FILE writes some for review"
    typer.echo(f"cases: {number - len(failed)} of {number} hold" if number else none)
    inherited = sum(failure.case.owner != "" for failure in failed)
    if inherited:
        typer.echo(f"inherited cases that fail: {inherited}; if these changes are meant, accept them: --accept")


# --- coverage ---------------------------------------------------------------------------------------------------------


def _run_coverage(engine: Engine, games: int, seed: int, report: dict[str, Any], quiet: bool) -> None:
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.rulelab.testing import measure_coverage

    try:
        with show_progress("coverage", games) as show:
            coverage = measure_coverage(engine, games, seed, lambda done: show(done, "games"))
    except (KBError, GameError) as problem:
        fail(problem)
    report["coverage"] = coverage.to_json()
    if not quiet:
        _print_coverage(coverage, engine.rules.profile)


def _print_coverage(coverage: RuleCoverage, profile: str | None) -> None:
    fired = coverage.num_rules - len(coverage.unfired_rules)
    typer.echo(f"coverage: {fired} of {coverage.num_rules} rules fired in {coverage.num_games:,} games")
    irrelevant = [
        rule for rule in coverage.unfired_rules if rule.is_common and rule.verdict in ("impossible", "unread")
    ]
    for rule in coverage.unfired_rules:
        if rule not in irrelevant:
            typer.echo(f"  {rule.rule.location}: never fired: {rule.rule.text}")
            typer.echo(f"    {_verdict_text(rule.verdict, rule.question, rule.state, profile)}")
            if rule.position:
                typer.echo(f"    {json.dumps(rule.position, ensure_ascii=False)}")
    if irrelevant:
        count = format_count(len(irrelevant), "rule")
        typer.echo(f"  {count} of common files cannot fire, or serve nothing here; other games use them")
    for names, noun, verb in (
        (coverage.unplayed_labels, "label", "played"),
        (coverage.unchosen_options, "option", "chosen"),
        (coverage.unfired_preferences, "preference", "fired"),
    ):
        if names:
            more = f" … and {len(names) - MAX_SHOWN:,} more (--json has them all)" if len(names) > MAX_SHOWN else ""
            count = format_count(len(names), noun)
            typer.echo(f"  {count} never {verb}: {', '.join(names[:MAX_SHOWN])}{more}")


def _verdict_text(verdict: str, question: str, state: Sequence[str], profile: str | None) -> str:
    if verdict == "possible":
        return f"it fires for the query {question} in this state: {', '.join(state) or 'no input is true'}"
    return {
        "unmet": f"it can fire for the query {question}, but its conditions never held together in these games",
        "impossible": f"it cannot fire in any state{f' by the profile {profile}' if profile else ''} (proved)",
        "unread": "nothing that the engine reads depends on it",
        "unknown": "no state was found within the time limit (--seconds)",
    }[verdict]


# --- mutations --------------------------------------------------------------------------------------------------------


def _run_mutations(
    trial: MutationRun, edits: Sequence[Edit], propose: Path | None, report: dict[str, Any], quiet: bool
) -> float:
    """Try edits, and write the cases that detect more; returns the share of detected ones in percent."""
    from abl_cards.core import write_text
    from abl_cards.rulelab.testing import CAUGHT, compute_caught_share, mutants_to_json, try_edits

    outcomes: list[str] = []
    with show_progress("mutations", len(edits)) as bar:

        def on_mutant(mutant: Mutant) -> None:
            outcomes.append(mutant.outcome)
            bar(len(outcomes), f"{sum(outcome in CAUGHT for outcome in outcomes)} detected")

        mutants = try_edits(trial, edits, on_mutant)
    share = 100 * compute_caught_share(mutants)
    report["mutations"] = mutants_to_json(mutants)
    if not quiet:
        _print_mutations(mutants, share)
    if propose is not None:
        lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in trial.found_cases)
        write_text(propose, "".join(lines))
        if not quiet:
            number = len(trial.found_cases)
            cases = format_count(number, "case")
            typer.echo(f"{propose}: {cases} for mutations that none detected; review them and keep what is meant")
    return share


def _print_mutations(all_mutants: Sequence[Mutant], share: float) -> None:
    from abl_cards.rulelab.testing import LOST, MISSED, NOTICED, REFUSED, SAME, UNCLEAR, filter_by_outcome

    counts = Counter(mutant.outcome for mutant in all_mutants)
    differing = len(all_mutants) - counts[SAME]
    by = f"{counts[REFUSED]} by kb check, {counts[NOTICED]} by cases"
    caught = counts[NOTICED] + counts[REFUSED]
    typer.echo(f"mutations: {caught} of {differing} detected, {share:.1f} % ({by}); {counts[SAME]} change nothing")
    texts = {
        MISSED: "not detected, and it changes results",
        UNCLEAR: "not detected, unknown whether it changes results",
        LOST: "the worker process died",
        SAME: "changes nothing",
    }
    for outcome, text in texts.items():
        mutants = list(filter_by_outcome(all_mutants, outcome))
        for mutant in mutants[:MAX_SHOWN]:
            typer.echo(f"  {text}: {mutant.edit_text}\n    {mutant.message}")
        if len(mutants) > MAX_SHOWN:
            typer.echo(f"  … and {len(mutants) - MAX_SHOWN:,} more of these (--json has all)")
