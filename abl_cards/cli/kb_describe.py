"""``abl-cards kb describe``: the rules of a folder as text."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from abl_cards.games import Engine


class Audience(StrEnum):
    """Audience of a description."""

    AUTHOR = "author"
    PLAYER = "player"


def describe(
    game_name: GameName,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the text.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    audience: Annotated[
        Audience, typer.Option("--for", help="author: all that the rules state; player: how to play.")
    ] = Audience.AUTHOR,
    as_json: AsJson = False,
) -> None:
    """Describe the rules of a folder as text: how the game is played.

    Sections: seating and deal, plays (those that differ in length only are one line), what beats what, scores, what is
    remembered, preferences. With --for player: how to play, with examples of plays and of what beats them, as the page
    shows it.

        abl-cards kb describe president
        abl-cards kb describe guandan --for player --lang zh
        abl-cards kb describe ./my-rules --lang zh
    """
    from abl_cards.core import check_language
    from abl_cards.rulelab.editor import describe_rules

    with usage_errors():
        check_language(language)
    if audience is Audience.PLAYER:
        _describe_for_players(load_engine(find_game(game_name), directory, profile), language, as_json)
        return
    sections = describe_rules(load_engine(find_game(game_name), directory, profile), language)
    if as_json:
        print_json({"sections": [section.to_json() for section in sections]})
        return
    for section in sections:
        typer.echo(f"{section.heading}\n" + "\n".join(f"  {line}" for line in section.lines))


def _describe_for_players(engine: Engine, language: str, as_json: bool) -> None:
    from abl_cards.core import LANGUAGES
    from abl_cards.web import how_to_lines, how_to_play, unmarked_text

    facts = how_to_play(engine)
    if as_json:
        print_json(facts)
        return
    index = LANGUAGES.index(language)
    names = {
        text: card["name"][index] if card["isNamed"] else f"{card['symbol']}{card['rank'].replace('T', '10')}"
        for text, card in facts["deck"].items()
    }
    for heading, lines in how_to_lines(engine, language):
        typer.echo(f"{heading}\n" + "\n".join(f"  {unmarked_text(line, names)}" for line in lines))
