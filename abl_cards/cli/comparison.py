"""``abl-cards kb diff``: what an edited knowledge base changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import AsJson, GameName, Profile, Seed, fail, find_game, print_json, print_table, waiting

if TYPE_CHECKING:
    from abl_cards.games import Decisions, Engine, Exchanges
    from reasoners.differences import KbDifference

EXAMPLES = 5
MOST_SHOWN = 12
"""Labels and preferences in the text; the JSON form has them all."""


def diff(
    game_name: GameName,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The edited rule files.")],
    states: Annotated[int, typer.Option("--states", metavar="N", min=1, help="States to compare.")] = 1000,
    seed: Seed = 0,
    records: Annotated[
        Path | None, typer.Option("--records", metavar="FILE", help="Take the states from these records.")
    ] = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Say what an edited copy of the rule files changes, compared with the game's own.

    On states met in play (cards to give and bids among them) and random ones, or on the plays of records: labels that
    became legal or ceased to be, decisions of the agent kb that changed, and the preferences that made the difference,
    with examples. The exit code is 0, whatever the difference.

        abl-cards kb diff guandan my-rules
    """
    from abl_cards.agents import judge
    from reasoners.differences import KbDifference, Side

    game = find_game(game_name)
    with waiting("compiling both") as say:
        engines = game.engine(None, profile), game.engine(directory, profile)
        before, after = (Side(engine, judge("kb", engine)) for engine in engines)
        found = KbDifference(before, after)
        say("comparing")
        for decisions in _states(before.engine, states, seed, records):
            found.add(decisions, EXAMPLES)
    if as_json:
        print_json({"game": game.name, "directory": str(directory), "seed": seed, **found.to_json()})
    else:
        _print(found)


def _states(engine: Engine, states: int, seed: int, records: Path | None) -> Iterator[Decisions | Exchanges]:
    """Out of records; or of all kinds."""
    from abl_cards.games import GameError
    from abl_cards.positions import of_all_kinds, out_of_records
    from abl_cards.records import read_records

    if records is not None:
        read = [record for record in read_records(records) if not isinstance(record, GameError)]
        if not read:
            fail(f"{records}: no records")
        yield out_of_records(engine, read, states, seed)
        return
    yield from of_all_kinds(engine, states, seed)


def _print(found: KbDifference) -> None:
    left_out = f" ({found.left_out} left out: they cannot come up any more)" if found.left_out else ""
    typer.echo(f"{found.states} states compared, {found.exchanges} of them a card to give or a bid{left_out}")
    if found.nothing:
        typer.echo("no difference: the same labels are legal, the same moves are chosen, the weights are the same")
        return
    _print_labels(found)
    _print_weights(found)
    _print_decisions(found)


def _print_labels(found: KbDifference) -> None:
    added, removed = found.new_labels
    for text, labels in (("labels added", added), ("labels removed", removed)):
        if labels:
            typer.echo(f"{text}: {', '.join(labels)}")
    if not found.gained and not found.lost:
        typer.echo("labels: the same are legal in every state")
    for word, counter in (("gained", found.gained), ("lost", found.lost)):
        for label, count in counter.most_common(MOST_SHOWN):
            typer.echo(f"label {word}: {label} in {count} states, such as")
            typer.echo(_indented(found.label_examples[word, label]))
        if len(counter) > MOST_SHOWN:
            typer.echo(f"  … and {len(counter) - MOST_SHOWN} more labels {word}")


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
            (f"  {name}", found.group(name), f"{share:+d}", str(found.concerned[name]))
            for name, share in found.responsible[:MOST_SHOWN]
        ]
        print_table(("  preference", "group", "share", "decisions"), rows, right=(2, 3))
    for number, example in enumerate(found.examples, 1):
        typer.echo(f"example {number}, by {example.cause}:")
        typer.echo(_indented(example.view))
        typer.echo(f"  before: {example.before}")
        typer.echo(f"  now:    {example.after}")
        for name, share in example.shares:
            typer.echo(f"    {share:+4d} {name}")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
