"""Requests of the section Review."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError
from abl_cards.protocols.botzone import find_profile
from abl_cards.web import schemas
from abl_cards.web.fairness import LOCAL_CLIENT
from abl_cards.web.limits import MAX_BODY_BYTES
from abl_cards.web.lobby import LAB_PREFIX
from abl_cards.web.offers import bilingual_title
from abl_cards.web.review_branches import MAX_BRANCHES
from abl_cards.web.review_positions import ReviewPosition
from abl_cards.web.review_samples import read_samples
from abl_cards.web.reviews import (
    DEFAULT_DEALS,
    MAX_DEALS,
    MAX_LINES,
    ReviewCache,
    ReviewMethod,
    ReviewSession,
    parse_record_lines,
)

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby

MIN_DEALS = 4
_MAX_PLACE = 999_999


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
        records = await self._lobby.executor.run(lambda: list(parse_record_lines(text).values()))
        if line > len(records):
            raise GameError(f"line {line}: there are only {len(records)} records", ErrorCode.NOT_FOUND)
        record = records[line - 1]
        if isinstance(record, GameError):
            raise record
        name = self._find_game_name(record, chosen_game)
        game = self._lobby.game(name)
        profile = chosen_profile if name == chosen_game else ""
        profile = profile or find_profile(record, game.folder.profiles) or ""
        engine, rules_error = await self._lobby.valid_engine(name, profile or None)
        session = await self._lobby.executor.run(
            lambda: ReviewSession(name, bilingual_title(game), engine, records, line)
        )
        session.client_id = client_id
        self._cache.add(session)
        return session.to_json() | ({"refused": rules_error} if rules_error else {})

    def _find_game_name(self, record: Mapping[str, Any], chosen: str) -> str:
        """Return the game that a record names, if it is offered; else, and for drafts, the chosen one.

        Records name a rule folder by the last part of its path, as may several games: then the chosen one, or a shipped
        one, goes first.
        """
        named, games = record.get("game"), self._lobby.games
        if not isinstance(named, str) or chosen.startswith(LAB_PREFIX):
            return chosen
        offered = [name for name, game in games.items() if game.folder.name == named]
        return chosen if chosen in offered else next(iter(offered), chosen or named)

    async def open_sample(self, message: dict[str, Any], client_id: str = LOCAL_CLIENT) -> dict[str, Any]:
        """Open a review of a record that comes with the package; raises GameError, KBError."""
        samples = await self._lobby.executor.run(read_samples)
        number = schemas.get_int(message, "sample", 0, len(samples) - 1)
        text = json.dumps(samples[number].record)
        return await self.open_review({"text": text, "game": samples[number].game}, client_id) | {"text": text}

    async def list_samples(self) -> list[dict[str, Any]]:
        """Return the records that come with the package, of games that are offered."""
        samples = await self._lobby.executor.run(read_samples)
        return [
            {"sample": number, "title": self._lobby.game_title(sample.game), "words": sample.words}
            for number, sample in enumerate(samples)
            if sample.game in self._lobby.games
        ]

    async def get_review(self, name: str) -> dict[str, Any]:
        """Return an open review; raises GameError."""
        return self._cache.find(name).to_json()

    async def get_progress(self, name: str) -> dict[str, Any]:
        """Return the progress of the search for mistakes."""
        return self._cache.find(name).progress()

    async def get_record(self, name: str) -> dict[str, Any]:
        """Return the record of a review with its variations; raises GameError."""
        return self._cache.find(name).branch_list.to_record()

    async def explain_decision(
        self, name: str, index_text: str, agent: str, language: str, line_text: str = ""
    ) -> dict[str, Any]:
        """Explain a decision of a review; raises GameError."""
        session, executor = self._cache.find(name), self._lobby.executor
        schemas.get_language({"lang": language}, "lang")
        index, line = _to_number(index_text), _to_number(line_text) if line_text else None

        def explain() -> dict[str, Any]:
            return session.explain_decision(executor.explainable_agent(agent, session.engine), index, language, line)

        return await executor.run(explain)

    # --- positions and variations -------------------------------------------------------------------------------------

    async def get_position(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the options of the seat to decide at a position; raises GameError."""
        session, line, index = self._read_place(message)
        return await self._lobby.executor.run(lambda: session.branch_list.position(line, index).to_json())

    async def interpret_cards(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the plays that selected cards form at a position; raises GameError."""
        session, line, index = self._read_place(message)
        cards = schemas.get_cards(message)
        return await self._lobby.executor.run(
            lambda: session.branch_list.position(line, index).get_selection().interpret(cards)
        )

    async def grade_play(self, message: dict[str, Any]) -> Any:
        """Compare a play of the user with the best one found; raises GameError."""
        session, _, index = self._read_place(message)
        method, value = self._read_method(message), message.get("value")

        def grade() -> Any:
            agents = [self._lobby.executor.agent(name, session.engine) for name in method[:2]]
            return session.grade_play(agents[0], agents[1], method, index, value)

        return await self._lobby.executor.run(grade)

    async def play_on(self, message: dict[str, Any]) -> dict[str, Any]:
        """Try out a decision, and let an agent answer for the other seats; raises GameError."""
        session, line, index = self._read_place(message)
        agent_name, seed = schemas.get_text(message, "agent", "kb"), schemas.get_seed(message) or 0
        to_end, decide = schemas.get_bool(message, "end"), _read_decision(message)

        def run() -> dict[str, Any]:
            agent = self._lobby.executor.agent(agent_name, session.engine)
            branches = session.branch_list
            played = branches.play_on(line, index, decide, agent, agent_name, seed, to_end)
            return {"played": played, "branches": branches.to_json()}

        return await self._lobby.executor.run(run)

    async def remove_branch(self, message: dict[str, Any]) -> dict[str, Any]:
        """Remove a variation; raises GameError."""
        session = self._cache.find(schemas.get_text(message, "review"))
        session.branch_list.remove(schemas.get_int(message, "line", 0, MAX_BRANCHES))
        return {"branches": session.branch_list.to_json()}

    def _read_place(self, message: dict[str, Any]) -> tuple[ReviewSession, int | None, int]:
        """Return the review, the variation or None, and the index of the frame; raises GameError."""
        session = self._cache.find(schemas.get_text(message, "review"))
        line = None if message.get("line") is None else schemas.get_int(message, "line", 0, MAX_BRANCHES)
        return session, line, schemas.get_int(message, "place", 0, _MAX_PLACE)

    def _read_method(self, message: dict[str, Any]) -> ReviewMethod:
        """Return the method of a review; raises GameError."""
        agent_names = schemas.get_text(message, "agent", "kb"), schemas.get_text(message, "onward", "kb")
        deals = schemas.get_int(message, "deals", MIN_DEALS, MAX_DEALS, DEFAULT_DEALS)
        return ReviewMethod(*agent_names, deals, schemas.get_seed(message) or 0, schemas.get_language(message, "lang"))

    # --- all decisions ------------------------------------------------------------------------------------------------

    async def start_review(self, message: dict[str, Any]) -> dict[str, Any]:
        """Start the search for mistakes in the background; raises GameError."""
        session = self._cache.find(schemas.get_text(message, "review"))
        method = self._read_method(message)
        agents = await self._lobby.executor.run(
            lambda: [self._lobby.executor.agent(agent_name, session.engine) for agent_name in method[:2]]
        )
        if session.state == "working":
            raise GameError("the review is already running", ErrorCode.TOO_MANY_REQUESTS)
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


def _to_number(text: str) -> int:
    """Return the number of a place in an address; raises GameError."""
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(_MAX_PLACE)):
        raise GameError("place: expected a number", ErrorCode.INVALID_REQUEST)
    return int(text)


def _read_decision(message: dict[str, Any]) -> Callable[[ReviewPosition], None] | None:
    """Return a function that makes the decision of a request; None where the agent is to make it.

    Raises:
        GameError: The options are no list.
    """
    if "values" in message:
        values = schemas.get_list(message, "values", schemas.MAX_CARDS)
        return lambda position: position.choose(values)
    if "value" not in message:
        return None
    value = message["value"]
    return lambda position: position.play(value)
