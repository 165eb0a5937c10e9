"""``abl-cards kb describe``: the rules of a folder as text."""

from __future__ import annotations

from typing import Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    find_game,
    load_engine,
    print_json,
    usage_errors,
)


def describe(
    game_name: GameName,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the text.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Describe the rules of a folder as text: how the game is played.

    Sections: seating and deal, plays (those that differ in length only are one line), what beats what, scores, what is
    remembered, preferences. The page shows the text as "How to play".

        abl-cards kb describe president

        abl-cards kb describe ./my-rules --lang zh
    """
    from abl_cards.core import check_language
    from abl_cards.rulelab.editor import describe_rules

    with usage_errors():
        check_language(language)
    sections = describe_rules(load_engine(find_game(game_name), directory, profile), language)
    if as_json:
        print_json({"sections": [section.to_json() for section in sections]})
        return
    for section in sections:
        typer.echo(f"{section.heading}\n" + "\n".join(f"  {line}" for line in section.lines))
