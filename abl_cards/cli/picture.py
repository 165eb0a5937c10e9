"""The command ``picture``: draw a position as SVG."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    fail_usage,
    find_game,
    path_argument,
    usage_errors,
)
from abl_cards.cli.explain import read_state_or_record, report_line
from abl_cards.core import require_extra

if TYPE_CHECKING:
    pass

MIN_SIZE, MAX_SIZE = 240, 4000


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(picture)


def picture(
    game_name: GameName,
    file: Annotated[
        Path | None,
        path_argument(metavar="[FILE]", help="A state or a record, as JSON; default: stdin."),
    ] = None,
    act: Annotated[
        int | None,
        typer.Option("--act", metavar="K", min=1, help="Draw a record before its act K; default: 1."),
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="Line of the file.")] = 1,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Width and height in pixels.")] = "760x560",
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the texts.")] = "en",
    seat: Annotated[
        int | None, typer.Option("--seat", metavar="S", min=0, help="Seat at the bottom; default: the one to act.")
    ] = None,
    is_open: Annotated[bool, typer.Option("--open-hands", help="Show the hands of all seats of a record.")] = False,
    with_move: Annotated[bool, typer.Option("--move", help="Show the move of the act, too.")] = False,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Draw a position as SVG, as the page shows it: for papers, reports and web sites.

    Reads a state, as "legal" does, or a record, as "replay" does. The picture needs nothing from outside.

        abl-cards picture guandan state.json > position.svg
        abl-cards picture guandan games.jsonl --line 3 --act 17 --open-hands --lang zh > position.svg

    --json prints the position that is drawn. This needs the extra "picture".
    """
    from abl_cards.core import check_language
    from abl_cards.web import PictureOptions, bilingual_title, picture_of_record, picture_of_state

    require_extra("picture")
    with usage_errors():
        check_language(language)
    width, height = _read_size(size)
    game = find_game(game_name)
    engine, value = read_state_or_record(game, file, line, directory, profile, "draw")
    options = PictureOptions(width, height, language, bilingual_title(game), with_move)
    with report_line(line, file):
        if "hands" in value or isinstance(value.get("acts"), list):  # a state has the number of its acts
            drawn = picture_of_record(engine, value, act or 1, options, seat, is_open)
        else:
            _check_state_options(act, seat, is_open)
            drawn = picture_of_state(engine, value, options)
    typer.echo(json.dumps(drawn.position(), ensure_ascii=False) if as_json else drawn.to_svg())


def _read_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = map(int, match.groups()) if match else (0, 0)
    if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
        fail_usage(f"--size {text[:40]}: write WxH, {MIN_SIZE} to {MAX_SIZE} pixels each, such as 760x560")
    return width, height


def _check_state_options(act: int | None, seat: int | None, is_open: bool) -> None:
    """Exit with a usage error for options that need a record."""
    if act is not None or seat is not None or is_open:
        fail_usage("--act, --seat and --open-hands need a record: a state has the hand of one seat")
