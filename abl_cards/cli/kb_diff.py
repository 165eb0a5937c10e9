"""``abl-cards kb diff``: what an edited knowledge base changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    Seed,
    fail,
    fail_usage,
    find_game,
    load_engine,
    print_json,
    print_problems,
    print_table,
    show_progress,
    show_status,
)

if TYPE_CHECKING:
    from abl_cards.games import Engine, Game
    from abl_cards.games.sampling import SituationSet
    from abl_cards.games.tables import Choices, Decisions
    from abl_cards.rulelab.comparison import KbDifference
    from abl_cards.rulelab.testing import Balance

MAX_EXAMPLES = 5
MAX_SHOWN = 12
"""Labels and preferences in the text; the JSON form has them all."""


def diff(
    game_name: GameName,
    directory: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="The edited rule files.")] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAME", help="Leave out a preference, or a group; may be repeated."),
    ] = None,
    states: Annotated[int, typer.Option("--states", metavar="N", min=1, help="States to compare.")] = 1000,
    seed: Seed = 0,
    records: Annotated[
        Path | None, typer.Option("--records", metavar="FILE", help="Take the states from these records.")
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", metavar="N", min=0, help="Episodes of kb against itself, by either rules; 0: none."),
    ] = 200,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Say what an edited copy of the rule files changes, compared with the game's own.

    On states met in play (cards to give and bids among them) and random ones, or on the plays of records: labels that
    became legal or ceased to be, or are laid down by other cards; the smallest hand that shows it; decisions of the
    agent kb that changed, and the preferences that made the difference, with examples. Then the balance: who wins by
    seat, how long it takes, how often a seat has but one move. The exit code is 0, whatever the difference.

        abl-cards kb diff guandan my-rules

        abl-cards kb diff president --without keep_pairs
    """
    from abl_cards.agents import AgentName, make_preference_model
    from abl_cards.core import format_seed
    from abl_cards.rulelab.comparison import ComparedKb, KbDifference, minimise_counterexample

    game = find_game(game_name)
    if directory is None and not without:
        fail_usage("name the folder that differs, or what to leave out: --without NAME")
    players = "kb", str(AgentName("kb", tuple(("without", name) for name in without or ())))
    with show_status("compiling both") as say:
        engines = _compile_side(game, None, profile), _compile_side(game, directory, profile)
        before, after = (
            ComparedKb(engine, make_preference_model(who, engine), _collect_situations(engine, seed))
            for engine, who in zip(engines, players, strict=True)
        )
        found = KbDifference(before, after)
        say("comparing")
        for decisions in _sample_states(engines, states, seed, records):
            found.add(decisions, MAX_EXAMPLES)
        say("looking for the smallest hand")
        least = minimise_counterexample(before.engine, after.engine, found.distinguishing_states)
    balances, stopped = _measure_balances(((before.engine, players[0]), (after.engine, players[1])), games, seed)
    if as_json:
        parts = {"smallest": least, "balance": [each.to_json() for each in balances], "stopped": stopped}
        what = {"game": game.name, "directory": str(directory or game.directory), "without": without or [],
                "seed": format_seed(seed)}  # fmt: skip
        print_json({**what, **found.to_json(), **parts})
    else:
        _print_comparison(found)
        _print_smallest(before.engine, after.engine, least)
        _print_balance(balances, stopped)


def _compile_side(game: Game, directory: Path | None, profile: str | None) -> Engine:
    """Compile a side, which `kb check` may refuse: its errors are printed, and what compiles is compared."""
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
    """How an agent plays by each engine, from the same seed, and what stops play, if anything does."""
    from abl_cards.core import GameError
    from abl_cards.rulelab.testing import measure_balance

    found: list[Balance] = []
    with show_progress("balance", 2 * games) as tell:
        for engine, player in sides if games else ():
            past = len(found) * games
            try:

                def on_progress(done: int, past: int = past) -> None:
                    tell(past + done, "games")

                found.append(measure_balance(engine, games, seed, on_progress, player))
            except GameError as problem:
                return found, f"{'the edited rules' if found else 'the game'}: {problem}"
    return found, None


def _print_smallest(before: Engine, after: Engine, state: Any) -> None:
    if state is None:
        return
    (one,), (two,) = before.legal_moves([state]), after.legal_moves([state])
    typer.echo(f"the smallest hand that shows it: {json.dumps(state, ensure_ascii=False)}")
    for word, moves, others in (("no more", one, two), ("new", two, one)):
        if not isinstance(moves, list) or not isinstance(others, list):
            continue  # both answered before
        some = [json.dumps(move, ensure_ascii=False) for move in moves if move not in others]
        if some:
            typer.echo(f"  {word}: {', '.join(some[:MAX_SHOWN])}")


def _print_balance(balances: Sequence[Balance], stopped: str | None) -> None:
    if stopped:
        typer.echo(f"balance: play stops by {stopped}")
    if len(balances) < 2:
        return
    before, after = balances
    typer.echo(f"balance, {before.num_episodes} episodes of kb against itself before and {after.num_episodes} now:")
    rows: list[tuple[str, ...]] = [
        (f"  most points, seat {seat}", _format_share(one, *low), _format_share(two, *high))
        for seat, (one, low, two, high) in enumerate(
            zip(before.win_shares, before.win_intervals, after.win_shares, after.win_intervals, strict=False)
        )
    ]
    rows += [
        (
            "  decisions an episode",
            *(_format_number(each.mean_decisions, *each.decisions_interval) for each in balances),
        ),
        ("  only one move", *(f"{100 * each.forced_share:.1f} %" for each in balances)),
        ("  passes", *(f"{100 * each.pass_share:.1f} %" for each in balances)),
    ]
    print_table(("", "before", "now"), rows, right_aligned=(1, 2))


def _format_share(mean: float, low: float, high: float) -> str:
    return f"{100 * mean:.1f} % ({100 * low:.1f} – {100 * high:.1f})"


def _format_number(mean: float, low: float, high: float) -> str:
    return f"{mean:.1f} ({low:.1f} – {high:.1f})"


def _collect_situations(engine: Engine, seed: int) -> SituationSet | None:
    """What play by an engine brings together; None where play stops, which the balance reports."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.matches import collect_situations

    try:
        return collect_situations(engine, seed)
    except (GameError, KBError):
        return None


def _sample_states(
    engines: Sequence[Engine], states: int, seed: int, records: Path | None
) -> Iterator[Decisions | Choices]:
    """Out of records; or of all kinds, half of them met by either rules, as far as these can be played by."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.matches import normalise_records, read_records, sample_from_records, sample_positions

    engine = engines[0]
    if records is not None:
        found = normalise_records(engine, read_records(records))
        read = [record for record in found if not isinstance(record, GameError)]
        if not read:
            fail(f"{records}: no records")
        yield sample_from_records(engine, read, states, seed)
        return
    halves = states - states // 2, states // 2
    met: list[Decisions | Choices] = []
    for number, (played, other) in enumerate(zip(engines, engines[::-1], strict=True)):
        try:
            met += sample_positions(played, halves[number], seed)
        except (GameError, KBError):  # play stops by these rules
            met += sample_positions(other, halves[number], seed + 1)
    yield from met


def _print_comparison(found: KbDifference) -> None:
    left_out = f" ({found.unreachable} left out: they cannot come up any more)" if found.unreachable else ""
    typer.echo(f"{found.states} states compared, {found.choices} of them a card to give or a bid{left_out}")
    if found.dead_ends:
        typer.echo(f"no move is left in {found.dead_ends} states: play would stop there")
    if found.is_empty:
        typer.echo("no difference: the same labels are legal, the same moves are chosen, the weights are the same")
        return
    _print_labels(found)
    _print_weights(found)
    _print_decisions(found)


def _print_labels(found: KbDifference) -> None:
    added, removed = found.label_changes
    for text, labels in (("labels added", added), ("labels removed", removed)):
        if labels:
            typer.echo(f"{text}: {', '.join(labels)}")
    if not found.gained and not found.lost:
        typer.echo("labels: the same are legal in every state")
    for label, count in found.form_changes.most_common(MAX_SHOWN):
        example = found.form_examples[label]
        typer.echo(f"other cards for {label} in {count} states, such as")
        typer.echo(_indent(example.view))
        for word, moves in (("no more", example.removed_moves), ("new", example.added_moves)):
            if moves:
                typer.echo(f"  {word}: {', '.join(moves)}")
    for word, counter in (("gained", found.gained), ("lost", found.lost)):
        for label, count in counter.most_common(MAX_SHOWN):
            typer.echo(f"label {word}: {label} in {count} states, such as")
            typer.echo(_indent(found.label_examples[word, label]))
        if len(counter) > MAX_SHOWN:
            typer.echo(f"  … and {len(counter) - MAX_SHOWN} more labels {word}")


def _print_weights(found: KbDifference) -> None:
    for name, (before, after) in found.reweighted.items():
        old, new = (" ".join(map(str, weights)) or "none" for weights in (before, after))
        typer.echo(f"weight of {name}: {old} → {new}")


def _print_decisions(found: KbDifference) -> None:
    if not found.changed:
        typer.echo("decisions: the same move is chosen in every state")
        return
    causes = ", ".join(f"{count} by {cause}" for cause, count in found.causes.most_common())
    typer.echo(f"decisions changed: {found.changed} of {found.states} ({causes})")
    if found.shares:
        typer.echo("preferences responsible:")
        rows = [
            (f"  {name}", found.group(name), f"{share:+d}", str(found.decision_counts[name]))
            for name, share in found.ranked_preferences[:MAX_SHOWN]
        ]
        print_table(("  preference", "group", "share", "decisions"), rows, right_aligned=(2, 3))
    for number, example in enumerate(found.examples, 1):
        typer.echo(f"example {number}, by {example.cause}:")
        typer.echo(_indent(example.view))
        typer.echo(f"  before: {example.before}")
        typer.echo(f"  now:    {example.after}")
        for name, share in example.shares:
            typer.echo(f"    {share:+4d} {name}")


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
