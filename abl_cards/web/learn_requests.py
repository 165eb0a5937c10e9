"""Requests of the section *Learn*: how to play a game, the plays that beat a play, and lessons with quizzes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abl_cards.asp import Diagnostic, KBError
from abl_cards.core import LANGUAGES, ErrorCode, GameError, parse_json
from abl_cards.games import Engine, Game
from abl_cards.web import schemas
from abl_cards.web.how_to import how_to_play
from abl_cards.web.how_to_plays import beats_json
from abl_cards.web.lesson_tasks import grade_answer, lesson_json
from abl_cards.web.lesson_text import (
    MAX_LESSON_BYTES,
    Lesson,
    find_lessons,
    parse_lesson,
    read_lesson,
)
from abl_cards.web.offers import bilingual_title

if TYPE_CHECKING:
    from starlette.requests import Request

    from abl_cards.web.lobby import Lobby

MAX_BLOCKS = 500
DROPPED_FILE = "lesson.md"
"""Name of a dropped lesson in messages."""


class LearnService:
    """Handlers of the requests.

    Rules and the lessons of a folder are no secrets, so reading them needs no access key; a dropped lesson does.
    """

    def __init__(self, lobby: Lobby) -> None:
        """Make the handlers of a lobby."""
        self._lobby, self._lock = lobby, asyncio.Lock()

    async def _run(self, call: Callable[[], Any]) -> Any:
        """Run a call in a thread of its own, one after the other: a first one takes seconds, and tables go on."""
        async with self._lock:
            return await asyncio.to_thread(call)

    async def get_how_to(self, request: Request) -> Any:
        """Return how a game is played; raises GameError, KBError."""
        name, profile = _game_of(request)
        engine, _ = await self._lobby.valid_engine(name, profile)
        game = self._lobby.game(name)
        facts = await self._run(lambda: how_to_play(engine) | {"lessons": _list_lessons(game)})
        return {"game": name, "profile": engine.rules.profile, "title": bilingual_title(game), **facts}

    async def get_beats(self, request: Request) -> Any:
        """Return the plays that beat a play; raises GameError, KBError."""
        name, profile = _game_of(request)
        label = _number(request, "label")
        engine, _ = await self._lobby.valid_engine(name, profile)
        return await self._run(lambda: beats_json(engine, label))

    async def get_lesson(self, request: Request) -> Any:
        """Return a lesson of a folder, or its errors; raises GameError, KBError."""
        return await self._with_lesson(request, lesson_json)

    async def get_answer(self, request: Request) -> Any:
        """Grade the answer of a quiz in a lesson of a folder; raises GameError, KBError."""
        number, language = _number(request, "block"), schemas.get_language(dict(request.query_params), "lang")
        try:
            answer = parse_json(request.query_params.get("answer", ""))
        except ValueError:
            raise GameError("answer: expected JSON", ErrorCode.INVALID_REQUEST) from None
        return await self._with_lesson(
            request, lambda engine, _, lesson: _grade(engine, lesson, number, answer, language)
        )

    async def preview(self, message: dict[str, Any]) -> Any:
        """Return a dropped lesson, or its errors; or grade the answer of its quiz; raises GameError, KBError."""
        name = schemas.get_text(message, "game")
        text = schemas.get_text(message, "text", max_length=MAX_LESSON_BYTES)
        language = schemas.get_language(message)
        engine, _ = await self._lobby.valid_engine(name, None)
        game = self._lobby.game(name)

        def work() -> dict[str, Any]:
            if "block" not in message:
                return _or_errors(lambda: lesson_json(engine, game, parse_lesson(text, DROPPED_FILE)))
            number = schemas.get_int(message, "block", 0, MAX_BLOCKS)
            return _grade(engine, parse_lesson(text, DROPPED_FILE), number, message.get("answer"), language)

        return await self._run(work)

    async def _with_lesson(self, request: Request, work: Callable[[Engine, Game, Lesson], Any]) -> Any:
        name, _ = _game_of(request)
        language = schemas.get_language(dict(request.query_params), "lang")
        engine, _ = await self._lobby.valid_engine(name, None)
        game, wanted = self._lobby.game(name), request.query_params.get("lesson", "")
        found = [lesson for lesson in find_lessons(game.folder.path) if lesson.name == wanted]
        if not found:
            raise GameError(f"no lesson '{wanted[:80]}'", ErrorCode.NOT_FOUND)

        def read() -> Any:
            return work(engine, game, read_lesson(found[0].path_for(language)))

        result = await self._run(lambda: _or_errors(read))
        return {"game": name, **result}


def _or_errors(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a call, or the errors of a lesson."""
    try:
        return work()
    except KBError as error:
        return {"errors": [_error_json(diagnostic) for diagnostic in error.diagnostics[:50]]}


def _error_json(diagnostic: Diagnostic) -> dict[str, Any]:
    location = diagnostic.location
    return {
        "file": location.file.rpartition("/")[2] if location else "", "line": location.line if location else 1,
        "text": diagnostic.message, "remedy": diagnostic.remedy, "code": str(diagnostic.code),
    }  # fmt: skip


def _grade(engine: Engine, lesson: Lesson, number: int, answer: Any, language: str) -> dict[str, Any]:
    if not 0 <= number < len(lesson.blocks):
        raise GameError(f"block {number}: there is none", ErrorCode.INVALID_REQUEST)
    return grade_answer(engine, lesson.blocks[number], answer, language)


def _list_lessons(game: Game) -> list[dict[str, Any]]:
    """Return names and titles of the lessons of a game; a lesson with errors has its name as title."""
    lessons = []
    for lesson_file in find_lessons(game.folder.path):
        titles = []
        for language in LANGUAGES:
            try:
                titles.append(read_lesson(lesson_file.path_for(language)).title)
            except KBError:
                titles.append(lesson_file.name)
        lessons.append({"name": lesson_file.name, "title": titles})
    return lessons


def _game_of(request: Request) -> tuple[str, str | None]:
    parameters = request.query_params
    return parameters.get("name", ""), parameters.get("profile", "") or None


def _number(request: Request, field: str) -> int:
    text = request.query_params.get(field, "")
    return int(text) if text.isdecimal() and len(text) < 6 else -1
