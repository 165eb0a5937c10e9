"""Requests of teachers and pupils about classes."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from abl_cards.core import ErrorCode, GameError, format_seed, secret_seed
from abl_cards.web import schemas
from abl_cards.web.class_views import make_pupil_page, make_wall, table_results
from abl_cards.web.classes import ClassSession, Pupil
from abl_cards.web.fairness import LOCAL_CLIENT
from abl_cards.web.guests import take_free_seat
from abl_cards.web.limits import FOLLOW_TIMEOUT, MAX_NAME_LENGTH, MAX_PUPILS, sanitise_name
from abl_cards.web.seats import PERSON, Permission

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby
    from abl_cards.web.review_requests import ReviewService
    from abl_cards.web.table import WebTable

_PLACE = re.compile(r"(?:review/[\w-]{1,40}(?:/[\w.-]{1,60}){0,4})?")
"""Places to which a teacher may lead: reviews, or none."""
Handler = Callable[["ClassService", ClassSession, dict[str, Any], str], Awaitable[dict[str, Any]]]


class ClassService:
    """Handles requests about classes."""

    def __init__(self, lobby: Lobby, reviews: ReviewService) -> None:
        """Make the service of a lobby; reviews of finished deals are opened by ``reviews``."""
        self._lobby, self._reviews = lobby, reviews

    async def open_class(self, message: dict[str, Any], client_id: str = LOCAL_CLIENT) -> dict[str, Any]:
        """Open a class; raises GameError, KBError."""
        lobby = self._lobby
        game = lobby.game(schemas.get_text(message, "game", lobby.default_game))
        profile, agent = schemas.get_text(message, "profile", ""), schemas.get_text(message, "agent", "kb")
        engine, _ = await lobby.valid_engine(game.name, profile or None)
        await lobby.executor.run(lambda: lobby.executor.agent(agent, engine))  # raises GameError if it is not allowed
        seed = schemas.get_seed(message)
        fields = {
            "game": game.name, "profile": profile, "title": lobby.game_title(game.name), "agent": agent,
            "seed": format_seed(secret_seed() if seed is None else seed),
            "num_people": schemas.get_int(message, "people", 1, engine.rules.seating.seats, 1),
            "is_practice": schemas.get_bool(message, "practice"),
        }  # fmt: skip
        session, removed = lobby.classes.create(fields, client_id)
        for other in removed:
            self._delete_tables(other)
        return {"code": session.code, "token": session.teacher_token}

    async def handle_request(self, code: str, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Handle a request about a class; its field ``do`` names it. Raises GameError, KBError."""
        session = self._lobby.classes.find(code, client_id)
        name = schemas.get_text(message, "do")
        if name not in _HANDLERS:
            raise GameError(f"unknown request '{name[:40]}'", ErrorCode.INVALID_REQUEST)
        handler, is_teachers = _HANDLERS[name]
        if is_teachers and not session.is_teacher(schemas.get_text(message, "token")):
            raise GameError("only the teacher may do this", ErrorCode.NOT_ALLOWED)
        return await handler(self, session, message, client_id)

    # --- pupils -------------------------------------------------------------------------------------------------------

    async def _join(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Seat a new pupil at a table with a free seat, or at a new one."""
        name = sanitise_name(schemas.get_text(message, "name", "", 4 * MAX_NAME_LENGTH))
        if not name:
            raise GameError("name: expected a text", ErrorCode.INVALID_REQUEST)
        async with session.lock:
            if len(session.pupils) >= MAX_PUPILS:
                raise GameError(f"the class has {MAX_PUPILS} pupils already", ErrorCode.TOO_LARGE)
            table = await self._find_free_table(session) or await self._open_table(session, client_id)
            async with table.lock:
                pupil = Pupil(name, table.name, take_free_seat(table, name))
            session.pupils.append(pupil)
            self._lobby.classes.save(session)
        table.on_change()
        return {"code": session.code, "token": pupil.token, "table": pupil.table, "seat": pupil.seat_token}

    async def _find_free_table(self, session: ClassSession) -> WebTable | None:
        """Return a table of the class with a free seat; None if there is none."""
        for name, owner_token in session.owner_tokens.items():
            if len(session.pupils_at(name)) < session.num_people and self._lobby.has_table(name):
                table = await self._lobby.find_table(name, owner_token, session.client_id)
                if table is not None and any(seat.kind == PERSON and not seat.is_taken for seat in table.seats):
                    return table
        return None

    async def _open_table(self, session: ClassSession, client_id: str) -> WebTable:
        """Open a table of the class; it counts for the teacher on the server's machine, or else for the pupil."""
        engine, _ = await self._lobby.valid_engine(session.game, session.profile or None)
        num_agents = engine.rules.seating.seats - session.num_people
        message = {
            "game": session.game, "profile": session.profile, "seed": session.seed, "practice": session.is_practice,
            "seats": [PERSON] * session.num_people + [session.agent] * num_agents,
        }  # fmt: skip
        counted_for = LOCAL_CLIENT if session.client_id == LOCAL_CLIENT else client_id
        table = await self._lobby.open_table(message, counted_for, owner_plays=False)
        session.owner_tokens[table.name] = table.owner_token
        return table

    async def _get_state(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Return the wall to the teacher, and to a pupil the own table and the results."""
        token = schemas.get_text(message, "token")
        if session.is_teacher(token):
            known = message.get("known")
            return await make_wall(self._lobby, session, known if isinstance(known, dict) else {})
        return await make_pupil_page(self._lobby, session, self._find_pupil(session, token))

    def _find_pupil(self, session: ClassSession, token: str) -> Pupil:
        pupil = session.find_pupil(token)
        if pupil is None:
            raise GameError("the link is not valid for this class", ErrorCode.NOT_ALLOWED)
        return pupil

    async def _wait(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Return the place to follow, as soon as it differs from that of the given revision."""
        token, revision = schemas.get_text(message, "token"), schemas.get_int(message, "revision", -1, 1 << 30, -1)
        if not session.is_teacher(token):
            self._find_pupil(session, token)
        await session.wait_for_change(revision, FOLLOW_TIMEOUT)
        return {"revision": session.revision, "place": session.place}

    # --- the teacher --------------------------------------------------------------------------------------------------

    async def _lead(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Set the place that all reviews follow; an empty one ends it."""
        place = schemas.get_text(message, "place")
        if not _PLACE.fullmatch(place):
            raise GameError("place: expected a review", ErrorCode.INVALID_REQUEST)
        if place != session.place:
            session.lead_to(place)
        return {"revision": session.revision, "place": session.place}

    async def _review(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Open a review of a deal that has ended at a table."""
        name, episode = schemas.get_text(message, "table"), schemas.get_int(message, "episode", 0, 1 << 20)
        table = await self._lobby.find_table(name, session.owner_tokens.get(name, ""), session.client_id)
        if table is None:
            raise GameError("the class has no such table", ErrorCode.NOT_FOUND)
        async with table.lock:
            records = await self._lobby.executor.run(lambda: table.records(Permission()))
        if episode >= len(records):
            raise GameError("this deal has not ended", ErrorCode.NOT_FOUND)
        text = "\n".join(json.dumps(record) for record in records)
        request = {"game": session.game, "profile": session.profile, "text": text, "line": episode + 1}
        opened = await self._reviews.open_review(request, client_id)
        return {"review": opened["review"]}

    async def _start_next_match(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Start the next match, with the same cards everywhere, at all tables whose match is over."""
        num_started = 0
        for name in session.owner_tokens:
            table = self._lobby.tables.get(name)
            if table is not None and table.is_over:
                async with table.lock:
                    session.add_results(table_results(session, table))
                    await self._lobby.executor.run(partial(table.start_next_match, Permission(is_owner=True)))
                num_started += 1
                table.on_change()
        self._lobby.classes.save(session)
        return {"started": num_started}

    async def _close(self, session: ClassSession, message: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Close the class and all its tables for good."""
        session.lead_to("")
        self._lobby.classes.delete(session)
        self._delete_tables(session)
        return {"closed": True}

    def _delete_tables(self, session: ClassSession) -> None:
        for name in session.owner_tokens:
            self._lobby.delete_table(name)


_HANDLERS: dict[str, tuple[Handler, bool]] = {
    "join": (ClassService._join, False), "state": (ClassService._get_state, False),
    "wait": (ClassService._wait, False), "lead": (ClassService._lead, True), "review": (ClassService._review, True),
    "again": (ClassService._start_next_match, True), "close": (ClassService._close, True),
}  # fmt: skip
"""Requests by name, and whether only the teacher may send them."""
