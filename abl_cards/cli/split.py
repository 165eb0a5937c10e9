"""The command ``split``: split a hand of Dou dizhu into plays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import AsJson, Profile, RuleFolder, fail_usage, print_json, usage_errors
from abl_cards.cli.progress import show_status

if TYPE_CHECKING:
    from abl_cards.hand_analysis import SplitExplanation


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(split)


def split(
    hand: Annotated[str, typer.Argument(metavar="HAND", help="1 to 20 cards, such as 334556677779TQQKAX.")],
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Weights of a splitter; default: shipped."),
    ] = None,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the reasons.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Split a hand of Dou dizhu into plays, with the tags that the rules repaired and the reasons.

    Tags: 0 for single cards and their chains, 1 for pairs, 2 for trios, 3 for bombs and the rocket; kickers of trios
    and bombs are tagged by their own kind. The minimum is the split with the fewest plays, kickers counted apart.

        abl-cards split 334556677779TQQKAX

    --json prints {"hand","tags","plays","probability","repaired","minimum"}.
    """
    from abl_cards.reasoners.splits import MAX_CARDS, load_split_rules

    rules = load_split_rules(directory, profile)
    with usage_errors():
        key = rules.read_hand(hand)
    if not 1 <= len(hand) <= MAX_CARDS:
        fail_usage(f"{len(hand)} cards; a hand has 1 to {MAX_CARDS}")
    with show_status("splitting"):
        from abl_cards.hand_analysis import split_hand

        answer = split_hand(rules, key, language, weights)
    if as_json:
        print_json(answer.to_json())
    else:
        _print_split(answer)


def _print_split(answer: SplitExplanation) -> None:
    typer.echo(f"hand   {answer.hand}")
    typer.echo(f"tags   {answer.tags}")
    typer.echo(f"split  {' '.join(answer.plays)}   {len(answer.plays)} plays, probability {answer.probability:.1%}")
    for change in answer.changes:
        typer.echo(f"  {change.rank}: {change.old_tags} became {change.new_tags}, because {change.reason}")
    is_fewest = sorted(answer.fewest_plays) == sorted(answer.plays)
    fewest = f"{' '.join(answer.fewest_plays)}   {len(answer.fewest_plays)} plays"
    typer.echo(f"fewest {'the same' if is_fewest else fewest}")
