"""What the page asks for, and the sockets of its tables."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from abl_cards.errors import GameError
from abl_cards.logic import KBError
from abl_cards.page import frames, reports, runs, showing
from abl_cards.page.answers import Reviewing
from abl_cards.page.bounds import LONGEST_BODY
from abl_cards.page.fairness import person_of
from abl_cards.page.guard import Guard
from abl_cards.page.house import House
from abl_cards.page.labs import files_of
from abl_cards.page.porch import Porch
from abl_cards.page.server import guarded

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

log = logging.getLogger(__name__)
Answering = Callable[["Request"], Awaitable["Response"]]


class Refused(Exception):
    """A request that is not answered as it wishes."""

    def __init__(self, status: int, text: str) -> None:
        """A status of HTTP, and a line."""
        super().__init__(text)
        self.status = status


def application(house: House) -> Guard:
    """Everything behind the port, where the house is there already."""

    async def opening() -> ASGIApp:
        await house.begin()
        return rooms(house)

    return guarded(Porch(house.plan, house.laid, opening, house.close), house.plan)


def rooms(house: House) -> Starlette:
    """What needs the engine."""
    from starlette.applications import Starlette
    from starlette.routing import Route, WebSocketRoute

    front = Front(house)
    routes = [
        Route("/api/games", front.answering(front.games)),
        Route("/api/game", front.answering(front.game)),
        Route("/api/labs", front.answering(front.lab), methods=["POST"]),
        Route("/api/labs/{lab}", front.answering(front.at_lab), methods=["POST"]),
        Route("/api/labs/{lab}/{folder}.zip", front.zipped),
        Route("/api/watch", front.answering(front.watch)),
        Route("/api/runs", front.answering(front.runs)),
        Route("/api/reports", front.answering(front.reports)),
        Route("/api/served", front.answering(front.served)),
        Route("/api/tables", front.answering(front.open), methods=["POST"]),
        Route("/api/reviews", front.answering(front.review), methods=["POST"]),
        Route("/api/reviews/work", front.answering(front.work), methods=["POST"]),
        Route("/api/reviews/{review}", front.answering(front.reviewed)),
        Route("/api/reviews/{review}/progress", front.answering(front.progress)),
        Route("/api/reviews/{review}/{place}", front.answering(front.decision)),
        WebSocketRoute("/api/tables/{table}", front.socket),
    ]
    return Starlette(routes=routes)


class Front:
    """What each address answers."""

    def __init__(self, house: House) -> None:
        """The front of a house."""
        from abl_cards.page.sockets import Doors

        self._house, self._doors = house, Doors(house)
        self._reviewing = Reviewing(house)

    # --- questions ---------------------------------------------------------------------------------------------------

    def answering(self, answer: Callable[[Request], Awaitable[Any]]) -> Answering:
        """An address that answers with JSON, also when it refuses."""
        from starlette.responses import JSONResponse

        async def answered(request: Request) -> Response:
            headers = {"cache-control": "no-store"}
            try:
                return JSONResponse(await answer(request), headers=headers)
            except Refused as problem:
                return JSONResponse({"error": str(problem)}, problem.status, headers)
            except (GameError, KBError) as problem:
                return JSONResponse({"error": str(problem)[:2000]}, 400, headers)
            except Exception:
                log.exception("%s", request.url.path)
                return JSONResponse({"error": "the page has failed at this; see its log"}, 500, headers)

        return answered

    async def games(self, request: Request) -> Any:
        """What may be played."""
        return self._house.listed()

    async def game(self, request: Request) -> Any:
        """One of them, compiled."""
        wanted = request.query_params
        return await self._house.about(wanted.get("name", ""), wanted.get("profile", ""))

    async def watch(self, request: Request) -> Any:
        """The tables that one may look at: for whoever may open some."""
        self._check_token(request)
        folders, desk = self._house.plan.watch, self._house.desk
        found = await desk.ask(lambda: {"runs": runs.runs(folders), "matches": runs.matches(folders),
                                        "reports": reports.reports(folders),
                                        "served": showing.served(folders)})  # fmt: skip
        return {"tables": self._house.watched(), **found}

    async def runs(self, request: Request) -> Any:
        """The numbers of a run, as far as it has come."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._house.plan.watch
        return await self._house.desk.ask(lambda: runs.run(folders, name))

    async def reports(self, request: Request) -> Any:
        """What an experiment has found, as far as it has come."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._house.plan.watch
        return await self._house.desk.ask(lambda: reports.report(folders, name))

    async def served(self, request: Request) -> Any:
        """A table that is served elsewhere, as it was seen last."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._house.plan.watch
        return await self._house.desk.ask(lambda: showing.served_table(folders, name))

    async def open(self, request: Request) -> Any:
        """Open a table."""
        table = await self._house.open(await self._written(request), person_of(request.scope))
        return {"table": table.name, "token": table.owner_token, "watch": table.watch_token}

    async def lab(self, request: Request) -> Any:
        """Begin to edit a game."""
        asked, house = await self._written(request), self._house
        game, profile = house.game(frames.word(asked, "game")), frames.word(asked, "profile", "") or None
        return await house.labs.open(game, profile, files_of(asked), person_of(request.scope))

    async def at_lab(self, request: Request) -> Any:
        """Something about a folder that is being edited."""
        asked, name = await self._written(request), request.path_params["lab"]
        if asked.get("do") == "save":
            return await self._house.labs.save(name, frames.word(asked, "folder"))
        return await self._house.labs.answer(name, asked)

    async def zipped(self, request: Request) -> Response:
        """A folder that is being edited, to be taken along; who knows its name has opened it."""
        from starlette.responses import PlainTextResponse, Response

        folder = request.path_params["folder"]
        try:
            body = await self._house.labs.packed(request.path_params["lab"], folder)
        except (GameError, KBError) as problem:
            return PlainTextResponse(str(problem)[:400], 404)
        headers = {"content-disposition": f'attachment; filename="{folder}.zip"', "cache-control": "no-store"}
        return Response(body, media_type="application/zip", headers=headers)

    # --- records looked over -----------------------------------------------------------------------------------------

    async def review(self, request: Request) -> Any:
        """Look over a record."""
        return await self._reviewing.open(await self._written(request), person_of(request.scope))

    async def work(self, request: Request) -> Any:
        """Find its mistakes."""
        return await self._reviewing.look_over(await self._written(request))

    async def reviewed(self, request: Request) -> Any:
        """A record that is looked over."""
        return await self._reviewing.find(request.path_params["review"])

    async def progress(self, request: Request) -> Any:
        """How far its mistakes are looked for."""
        return await self._reviewing.progress(request.path_params["review"])

    async def decision(self, request: Request) -> Any:
        """One of its decisions."""
        asked, path = request.query_params, request.path_params
        return await self._reviewing.decision(
            path["review"], path["place"], asked.get("agent", "kb"), asked.get("lang", "en")
        )

    def _check_token(self, request: Request) -> None:
        """Raise Refused for who does not have it."""
        token = request.headers.get("x-token", "")
        if not secrets.compare_digest(token.encode(), self._house.plan.token.encode()):
            raise Refused(403, "open the page by the link that the command has printed")

    async def _written(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request that may write; raises Refused, GameError."""
        self._check_token(request)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refused(415, "application/json is wanted")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > LONGEST_BODY:
                raise Refused(413, f"{LONGEST_BODY >> 20} MiB at most")
        return frames.read_object(bytes(body))

    # --- sockets -----------------------------------------------------------------------------------------------------

    async def socket(self, socket: WebSocket) -> None:
        """A browser at a table."""
        await self._doors.attend(socket)
