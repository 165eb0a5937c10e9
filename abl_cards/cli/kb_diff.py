"""``abl-cards kb diff``: compare an edited knowledge base with its original."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    MAX_STATES,
    AsJson,
    GameName,
    Profile,
    Seed,
    fail,
    fail_usage,
    find_game,
    list_profiles,
    load_engine,
    path_argument,
    path_option,
    print_json,
    print_problems,
    print_table,
    shorten,
)
from abl_cards.cli.progress import show_progress, show_status
from abl_cards.core import GameError, format_count

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.rulelab.comparison import KbDifference, ResultComparison
    from abl_cards.rulelab.testing import Balance

MAX_SHOWN = 12
"""Labels and preferences printed; --json has all."""


def diff(
    game_name: GameName,
    directory: Annotated[Path | None, path_argument(metavar="[DIR]", help="The edited rule files.")] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAME", help="Leave out a preference or a group; may be repeated."),
    ] = None,
    states: Annotated[
        int, typer.Option("--states", metavar="N", min=1, max=MAX_STATES, help="Number of states to compare.")
    ] = 1000,
    seed: Seed = 0,
    records: Annotated[
        Path | None,
        path_option("--records", metavar="FILE", help="Compare the states of these records."),
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", metavar="N", min=0, help="Self-play episodes of kb by either rules; 0: none."),
    ] = 200,
    profile: Profile = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME", help="Profile of the second side; default: that of the first."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare an edited copy of the rule files with the game's own, or two profiles of a game.

    States come from play (card exchanges and bids included), then from random sampling, or from records. The report
    begins with the smallest hand that shows a difference. It lists labels, and options of choices, that became legal or
    illegal, and labels that have other card sets; decisions of agent kb that changed, with the preferences responsible
    and examples; and the balance of self-play: wins by role and of the seat that plays first, lengths of episodes,
    bombs, forced moves. Of the fluents, examples show those that the edit touches. The exit code is 0 whatever the
    differences.

        abl-cards kb diff guandan my-rules
        abl-cards kb diff president --without keep_pairs
        abl-cards kb diff guandan --profile standard --against platform
    """
    from abl_cards.agents import AgentName
    from abl_cards.core import format_seed
    from abl_cards.matches import read_file_profile
    from abl_cards.rulelab.comparison import compare_results, compare_rules, minimise_counterexample

    game = find_game(game_name)
    if directory is None and not without and against is None:
        fail_usage("name the edited folder, another profile (--against), or a preference to leave out (--without)")
    players = "kb", str(AgentName("kb", tuple(("without", name) for name in without or ())))
    if records is not None and profile is None:
        profile = read_file_profile(records, list_profiles(game))
    engines = _compile_side(game, None, profile), _compile_side(game, directory, against or profile)
    with show_status("comparing") as show:
        chosen = None if records is None else _read_records(engines[0], records)
        difference = compare_rules(engines, players, states, seed, chosen)
        show("comparing results")
        results = compare_results(*engines, seed)
        show("minimising the counterexample")
        smallest = minimise_counterexample(*engines, difference.distinguishing_states)
    balances, stopped = _measure_balances(list(zip(engines, players, strict=True)), games, seed)
    if as_json:
        parts = {
            "results": results and results.to_json(),
            "smallest": smallest,
            "balance": [balance.to_json() for balance in balances],
            "stopped": stopped,
        }
        settings = {"game": game.name, "directory": str(directory or game.directory), "without": without or [],
                    "profiles": [engine.rules.profile for engine in engines], "seed": format_seed(seed)}  # fmt: skip
        print_json({**settings, **difference.to_json(), **parts})
    else:
        _print_smallest(*engines, smallest)
        _print_comparison(difference, results)
        _print_balance(balances, stopped)


def _compile_side(game: Game, directory: Path | None, profile: str | None) -> Engine:
    """Compile one side; print the errors of ``kb check``, if any, and compile what can be compared."""
    from abl_cards.asp import KBError
    from abl_cards.games import unchecked_engine
    from abl_cards.games.description import Folder

    try:
        return load_engine(game, directory, profile)
    except KBError as problem:
        engine = unchecked_engine(game.folder if directory is None else Folder(directory), profile, game.name)
        print_problems(str(problem).splitlines())
        return engine


def _measure_balances(sides: Sequence[tuple[Engine, str]], games: int, seed: int) -> tuple[list[Balance], str | None]:
    """Measure self-play by each engine from the same seed; also returns the error that stops play, if any."""
    from abl_cards.rulelab.testing import measure_balance

    balances: list[Balance] = []
    with show_progress("balance", 2 * games) as show:
        for engine, player in sides if games else ():
            past = len(balances) * games
            try:

                def on_progress(done: int, past: int = past) -> None:
                    show(past + done, "games")

                balances.append(measure_balance(engine, games, seed, on_progress, player))
            except GameError as problem:
                return balances, f"{'the edited rules' if balances else 'the game'}: {problem}"
    return balances, None


def _print_smallest(before: Engine, after: Engine, state: Any) -> None:
    if state is None:
        return
    (old,), (new,) = before.legal_moves([state]), after.legal_moves([state])
    typer.echo(f"smallest hand that shows it: {json.dumps(state, ensure_ascii=False)}")
    for heading, moves, others in (("removed", old, new), ("new", new, old)):
        if not isinstance(moves, list) or not isinstance(others, list):
            continue  # an error, although both sides listed the moves when they were compared
        changed = [json.dumps(move, ensure_ascii=False) for move in moves if move not in others]
        if changed:
            typer.echo(f"  {heading}: {', '.join(changed[:MAX_SHOWN])}")


def _print_balance(balances: Sequence[Balance], stopped: str | None) -> None:
    if stopped:
        typer.echo(f"balance: play stops by {stopped}")
    if len(balances) < 2:
        return
    before, after = balances
    typer.echo(f"balance, {before.num_episodes} episodes of kb against itself before and {after.num_episodes} now:")
    rows: list[tuple[str, ...]] = [
        (f"  most points, {role}", *(_format_role(side, role) for side in balances))
        for role in dict.fromkeys((*before.roles, *after.roles))
        if len(before.roles) > 1 or len(after.roles) > 1
    ]
    rows += [
        (
            "  most points, first to play",
            *(_format_share(side.first_share, *side.first_interval) for side in balances),
        ),
        (
            "  decisions an episode",
            *(_format_number(side.mean_decisions, *side.decisions_interval) for side in balances),
        ),
    ]
    if any(side.mean_bombs for side in balances):
        bombs = (_format_number(side.mean_bombs, *side.bombs_interval, 2) for side in balances)
        rows.append(("  bombs an episode", *bombs))
    rows += [
        ("  only one move", *(f"{100 * side.forced_share:.1f} %" for side in balances)),
        ("  passes", *(f"{100 * side.pass_share:.1f} %" for side in balances)),
    ]
    print_table(("", "before", "now"), rows, right_aligned=(1, 2))


def _format_role(balance: Balance, role: str) -> str:
    if role not in balance.roles:
        return "–"
    index = balance.roles.index(role)
    return _format_share(balance.role_shares[index], *balance.role_intervals[index])


def _format_share(mean: float, low: float, high: float) -> str:
    return f"{100 * mean:.1f} % ({100 * low:.1f} – {100 * high:.1f})"


def _format_number(mean: float, low: float, high: float, digits: int = 1) -> str:
    return f"{mean:.{digits}f} ({low:.{digits}f} – {high:.{digits}f})"


def _read_records(engine: Engine, file: Path) -> list[Mapping[str, Any]]:
    """Read the records of a file that the rules confirm; report the others, and exit if there are none."""
    from abl_cards.matches import normalise_records, read_records, skip_blank_lines

    lines, read = skip_blank_lines(read_records(file))
    records = normalise_records(engine, read)
    if not records:
        fail(f"{file}: no records")
    mismatches = engine.replay(records).mismatches
    left_out = {mismatch.line for mismatch in mismatches}
    confirmed = [
        record
        for line, record in enumerate(records, start=1)
        if line not in left_out and not isinstance(record, GameError)
    ]
    if mismatches:
        first = mismatches[0]
        text = f"{file}:{lines[first.line - 1]}: {first.text} (left out: {len(left_out):,} of {len(records):,} records)"
        if not confirmed:
            fail(text)
        typer.echo(shorten(text), err=True)
    return confirmed


def _print_comparison(difference: KbDifference, results: ResultComparison | None) -> None:
    left_out = (
        f" ({difference.unreachable} left out: unreachable by the edited rules)" if difference.unreachable else ""
    )
    states = format_count(difference.states, "state")
    typer.echo(f"{states} compared, {difference.choices} of them card exchanges or bids{left_out}")
    if difference.dead_ends:
        typer.echo(f"no legal move in {format_count(difference.dead_ends, 'state')}: play would stop there")
    if results and results.different:
        number = f"{results.different:,} of {format_count(results.episodes, 'episode')}"
        typer.echo(f"results: {number} with the same moves come out otherwise, such as {shorten(results.example)}")
    if difference.is_empty:
        found = "no difference" if not (results and results.different) else "no other difference"
        typer.echo(f"{found}: legal labels, chosen moves and weights are equal")
        return
    _print_labels(difference)
    _print_weights(difference)
    _print_decisions(difference)


def _print_labels(difference: KbDifference) -> None:
    added, removed = difference.label_changes
    for text, labels in (("labels added", added), ("labels removed", removed)):
        if labels:
            typer.echo(f"{text}: {', '.join(labels)}")
    if not difference.gained and not difference.lost:
        typer.echo("labels: equal in every state")
    for label, count in difference.form_changes.most_common(MAX_SHOWN):
        example = difference.form_examples[label]
        typer.echo(f"other cards for {label} in {format_count(count, 'state')}, such as")
        typer.echo(_indent(example.view))
        for heading, moves in (("removed", example.removed_moves), ("new", example.added_moves)):
            if moves:
                typer.echo(f"  {heading}: {', '.join(moves)}")
    for word, counter in (("gained", difference.gained), ("lost", difference.lost)):
        for label, count in counter.most_common(MAX_SHOWN):
            kind = "label" if label in difference.known_labels else "option"
            typer.echo(f"{kind} {word}: {label} in {format_count(count, 'state')}, such as")
            typer.echo(_indent(difference.label_examples[word, label]))
        if len(counter) > MAX_SHOWN:
            typer.echo(f"  … and {len(counter) - MAX_SHOWN} more {word}")


def _print_weights(difference: KbDifference) -> None:
    for name, (before, after) in difference.reweighted.items():
        old, new = (" ".join(map(str, weights)) or "none" for weights in (before, after))
        typer.echo(f"weight of {name}: {old} → {new}")


def _print_decisions(difference: KbDifference) -> None:
    if not difference.changed:
        typer.echo("decisions: equal in every state")
        return
    causes = ", ".join(f"{count} by {cause}" for cause, count in difference.causes.most_common())
    typer.echo(f"decisions changed: {difference.changed} of {difference.states} ({causes})")
    if difference.shares:
        typer.echo("preferences responsible:")
        rows = [
            (f"  {name}", difference.group(name), f"{share:+d}", str(difference.decision_counts[name]))
            for name, share in difference.ranked_preferences[:MAX_SHOWN]
        ]
        print_table(("  preference", "group", "share", "decisions"), rows, right_aligned=(2, 3))
    for number, example in enumerate(difference.examples, 1):
        typer.echo(f"example {number}, by {example.cause}:")
        typer.echo(_indent(example.view))
        typer.echo(f"  before: {example.before}")
        typer.echo(f"  now:    {example.after}")
        for name, share in example.shares:
            typer.echo(f"    {share:+4d} {name}")


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
