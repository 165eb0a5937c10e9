"""The command ``split``: split a hand of Dou dizhu into plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import AsJson, Profile, RuleFolder, fail_usage, path_option, print_json, usage_errors
from abl_cards.cli.progress import show_status
from abl_cards.core import format_count, texts_by_language

if TYPE_CHECKING:
    from abl_cards.hand_analysis import SplitExplanation

_TEXTS = texts_by_language({
    "hand": ("hand   {hand}", "手牌  {hand}"),
    "tags": ("tags   {tags}", "标签  {tags}"),
    "split": ("split  {plays}   {count}, probability {share}", "拆分  {plays}   {number} 手，概率 {share}"),
    "change": ("  {change.rank}: {change.old_tags} became {change.new_tags}, because {change.reason}",
               "  {change.rank}：{change.old_tags} 改为 {change.new_tags}，因为{change.reason}"),
    "fewest": ("fewest {plays}   {count}", "最少  {plays}   {number} 手"),
    "same": ("fewest the same", "最少  同上"),
})  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(split)


def split(
    hand: Annotated[str, typer.Argument(metavar="HAND", help="1 to 20 cards, such as 334556677779TQQKAX.")],
    weights: Annotated[
        Path | None,
        path_option("--weights", metavar="FILE", help="Weights of a splitter; default: shipped."),
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
        _print_split(answer, language)


def _print_split(answer: SplitExplanation, language: str) -> None:
    words = _TEXTS[language]
    typer.echo(words["hand"].format(hand=answer.hand))
    typer.echo(words["tags"].format(tags=answer.tags))
    share = f"{answer.probability:.1%}"
    typer.echo(words["split"].format(**_plays_texts(answer.plays), share=share))
    for change in answer.changes:
        typer.echo(words["change"].format(change=change))
    is_fewest = sorted(answer.fewest_plays) == sorted(answer.plays)
    typer.echo(words["same"] if is_fewest else words["fewest"].format(**_plays_texts(answer.fewest_plays)))


def _plays_texts(plays: Sequence[str]) -> dict[str, str]:
    """Return the plays of a split and their number, as a number and with a noun."""
    return {"plays": " ".join(plays), "number": str(len(plays)), "count": format_count(len(plays), "play")}
