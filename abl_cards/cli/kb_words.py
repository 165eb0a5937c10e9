"""``abl-cards kb words``: the rules of a folder in words."""

from __future__ import annotations

from typing import Annotated

import typer

from abl_cards.cli.console import AsJson, GameName, Profile, RuleFolder, fail_usage, find_game, load_engine, print_json


def words(
    game_name: GameName,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="The language.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Say the rules of a folder in words, as far as they are facts.

    The table, the plays, what is remembered, the preferences.

    abl-cards kb words president

    abl-cards kb words ./my-rules --lang zh
    """
    from abl_cards.rulelab.editor import describe_rules

    if language not in ("en", "zh"):
        fail_usage(f"unknown language '{language}' (there are: en, zh)")
    sections = describe_rules(load_engine(find_game(game_name), directory, profile), language)
    if as_json:
        print_json({"sections": [each.to_json() for each in sections]})
        return
    for each in sections:
        typer.echo(f"{each.heading}\n" + "\n".join(f"  {line}" for line in each.lines))
