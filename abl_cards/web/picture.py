"""Pictures of positions as SVG, drawn by the page's own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.web.lab_positions import position_json
from abl_cards.web.page_scripts import PageScripts
from abl_cards.web.replay_frames import build_replay_frames
from abl_cards.web.texts import deck_json

SCRIPT = "table/picture.js"


class PictureOptions(NamedTuple):
    """Options of the drawing of a position.

    Attributes:
        width: Width in pixels.
        height: Height in pixels.
        language: "en" or "zh".
        title: Name of the game in both languages; empty texts for none.
        with_move: Whether the move of the act is drawn, as in a review.
    """

    width: int = 760
    height: int = 560
    language: str = "en"
    title: Sequence[str] = ("", "")
    with_move: bool = False


class TablePicture(NamedTuple):
    """A position that can be drawn.

    Attributes:
        request: Position and size for the page's script.
    """

    request: dict[str, Any]

    def to_svg(self) -> str:
        """Return the picture as SVG text, without anything from outside."""
        return str(_scripts().call("picture", self.request))

    def position(self) -> dict[str, Any]:
        """Return the position that the picture shows, as the page has it."""
        position: dict[str, Any] = _scripts().call("picture", self.request | {"asPosition": True})
        return position


@cache
def _scripts() -> PageScripts:
    return PageScripts(SCRIPT)


def picture_of_state(engine: Engine, state: Mapping[str, Any], options: PictureOptions) -> TablePicture:
    """Return the picture of a state: the hand of the seat to act, and what lies on the table.

    Args:
        engine: Engine of the game.
        state: State as ``legal_moves`` reads it.
        options: Size and language.

    Raises:
        GameError: The state is not valid.
    """
    view = engine.read_decision_point(state).decision.view  # raises the error, which position_json hides
    drawn = position_json(engine, state)
    assert drawn is not None
    sizes = view.state.hands[int(view.rows[0])].sum(axis=1).tolist()
    hand_size = len(drawn["hand"])
    cards = [
        hand_size if seat == drawn["seat"] else size if "cards" in state else None for seat, size in enumerate(sizes)
    ]
    return _make_picture(engine, options, {"kind": "state", "drawn": drawn | {"cards": cards}, "isOpen": False})


def picture_of_record(
    engine: Engine, record: Mapping[str, Any], act: int, options: PictureOptions, seat: int | None = None,
    is_open: bool = False,
) -> TablePicture:  # fmt: skip
    """Return the picture of a record before one of its acts.

    Args:
        engine: Engine of the game.
        record: Record of an episode.
        act: Number of the act, from 1.
        options: Size and language.
        seat: Seat at the bottom, whose hand is shown; None for the seat to act.
        is_open: Whether all hands are shown.

    Raises:
        GameError: The record is not valid, or has no such act or seat.
    """
    replay, _, _ = build_replay_frames(engine, record)
    if not 1 <= act <= len(replay.frames):
        raise GameError(f"act {act}: the record has acts 1 to {len(replay.frames)}", ErrorCode.INVALID_VALUE)
    frame = replay.frames[act - 1]
    if seat is not None and not 0 <= seat < len(frame["hands"]):
        raise GameError(f"seat {seat}: the seats are 0 to {len(frame['hands']) - 1}", ErrorCode.INVALID_VALUE)
    if not options.with_move:
        frame = frame | {"act": {"kind": "none", "seat": frame["seat"], "cards": [], "passed": True}}
    review = {
        "deck": deck_json(engine.rules),
        "after": list(engine.rules.seating.next_seat),
        "title": list(options.title),
    }
    request = {"kind": "record", "review": review, "frame": frame, "isOpen": is_open, "agents": _agents(record),
               "seat": frame["seat"] if seat is None else seat}  # fmt: skip
    return _make_picture(engine, options, request)


def _agents(record: Mapping[str, Any]) -> Sequence[str]:
    players = record.get("players")
    return list(map(str, players)) if isinstance(players, list) else []


def _make_picture(engine: Engine, options: PictureOptions, request: dict[str, Any]) -> TablePicture:
    size = {"width": options.width, "height": options.height}
    return TablePicture(
        {
            "agents": [],
            "deck": deck_json(engine.rules),
            "title": options.title,
            "language": options.language,
            "size": size,
        }
        | request
    )
