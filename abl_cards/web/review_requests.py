"""Requests of the section Review."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.protocols.botzone import find_profile
from abl_cards.web import schemas
from abl_cards.web.fairness import LOCAL_CLIENT
from abl_cards.web.limits import MAX_BODY_BYTES
from abl_cards.web.lobby import LAB_PREFIX
from abl_cards.web.reviews import (
    DEFAULT_DEALS,
    MAX_DEALS,
    MAX_LINES,
    ReviewCache,
    ReviewMethod,
    ReviewSession,
    parse_records,
)

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby

MIN_DEALS = 4


class ReviewService:
    """Handles requests about reviews of records."""

    def __init__(self, lobby: Lobby) -> None:
        """Make the service of a lobby."""
        self._lobby, self._cache = lobby, ReviewCache()
        self._jobs: set[asyncio.Task[None]] = set()

    async def open_review(self, message: dict[str, Any], client_id: str = LOCAL_CLIENT) -> dict[str, Any]:
        """Open a review of a record; raises GameError, KBError."""
        chosen_game, chosen_profile = schemas.get_text(message, "game", ""), schemas.get_text(message, "profile", "")
        text, line = message.get("text"), schemas.get_int(message, "line", 1, MAX_LINES, 1)
        if not isinstance(text, str) or len(text) > MAX_BODY_BYTES:
            raise GameError("text: expected records, one per line", ErrorCode.INVALID_REQUEST)
        records = await self._lobby.executor.run(lambda: parse_records(text))
        if line > len(records):
            raise GameError(f"line {line}: there are only {len(records)} records", ErrorCode.NOT_FOUND)
        name = self._find_game_name(records[line - 1], chosen_game)
        game = self._lobby.game(name)
        profile = chosen_profile if name == chosen_game else ""
        profile = profile or find_profile(records[line - 1], game.folder.profiles) or ""
        engine, rules_error = await self._lobby.valid_engine(name, profile or None)
        session = await self._lobby.executor.run(
            lambda: ReviewSession(game.name, self._lobby.game_title(game.name), engine, records, line)
        )
        session.client_id = client_id
        self._cache.add(session)
        return session.to_json() | ({"refused": rules_error} if rules_error else {})

    def _find_game_name(self, record: Mapping[str, Any], chosen: str) -> str:
        """Return the game that a record names, if it is offered; else, and for drafts, the chosen one."""
        named = record.get("game")
        is_draft = chosen.startswith(LAB_PREFIX)
        return named if isinstance(named, str) and named in self._lobby.games and not is_draft else chosen

    async def get_review(self, name: str) -> dict[str, Any]:
        """Return an open review; raises GameError."""
        return self._cache.find(name).to_json()

    async def get_progress(self, name: str) -> dict[str, Any]:
        """Return the progress of the search for mistakes."""
        return self._cache.find(name).progress()

    async def explain_decision(self, name: str, index_text: str, agent: str, language: str) -> dict[str, Any]:
        """Explain a decision of a review; raises GameError."""
        session, executor = self._cache.find(name), self._lobby.executor
        schemas.get_language({"lang": language}, "lang")
        if not index_text.isascii() or not index_text.isdecimal() or len(index_text) > 6:
            raise GameError("place: expected a number", ErrorCode.INVALID_REQUEST)
        return await executor.run(
            lambda: session.explain_decision(
                executor.explainable_agent(agent, session.engine), int(index_text), language
            )
        )

    async def start_review(self, message: dict[str, Any]) -> dict[str, Any]:
        """Start the search for mistakes in the background; raises GameError."""
        session = self._cache.find(schemas.get_text(message, "review"))
        agent_names = schemas.get_text(message, "agent", "kb"), schemas.get_text(message, "onward", "kb")
        deals = schemas.get_int(message, "deals", MIN_DEALS, MAX_DEALS, DEFAULT_DEALS)
        seed, language = schemas.get_seed(message) or 0, schemas.get_language(message, "lang")
        method = ReviewMethod(*agent_names, deals, seed, language)
        if session.state == "working":
            raise GameError("the review is already running", ErrorCode.TOO_MANY_REQUESTS)
        agents = await self._lobby.executor.run(
            lambda: [self._lobby.executor.agent(agent_name, session.engine) for agent_name in agent_names]
        )
        self._cache.check_capacity(session.client_id)
        session.state = "working"
        job = asyncio.create_task(
            self._lobby.executor.run_long(lambda: session.run_review(agents[0], agents[1], method))
        )
        self._jobs.add(job)
        job.add_done_callback(self._on_job_done)
        return session.progress()

    def _on_job_done(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        if not job.cancelled() and job.exception() is not None:
            import logging

            logging.getLogger(__name__).error("a review has failed", exc_info=job.exception())
