"""HTTP routes of the web server, and the sockets of its tables."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from abl_cards.asp import KBError
from abl_cards.core import GameError
from abl_cards.web import reports, runs, schemas, spectator_feed
from abl_cards.web.fairness import get_client_id
from abl_cards.web.labs import get_files
from abl_cards.web.limits import MAX_BODY_BYTES
from abl_cards.web.lobby import Lobby
from abl_cards.web.middleware import SecurityMiddleware
from abl_cards.web.review_requests import ReviewService
from abl_cards.web.server import add_security
from abl_cards.web.startup_app import StartupApp

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

log = logging.getLogger(__name__)
Endpoint = Callable[["Request"], Awaitable["Response"]]


class HttpError(Exception):
    """A request that is not answered as it wishes."""

    def __init__(self, status: int, text: str) -> None:
        """A status of HTTP, and a line."""
        super().__init__(text)
        self.status = status


def create_app(lobby: Lobby) -> SecurityMiddleware:
    """Everything behind the port, where the house is there already."""

    async def opening() -> ASGIApp:
        await lobby.start()
        return create_api(lobby)

    return add_security(StartupApp(lobby.config, lobby.prewarmed, opening, lobby.close), lobby.config)


def create_api(lobby: Lobby) -> Starlette:
    """Make the app of the routes that need the engine."""
    from starlette.applications import Starlette
    from starlette.routing import Route, WebSocketRoute

    front = ApiRoutes(lobby)
    routes = [
        Route("/api/games", front.json_endpoint(front.list_games)),
        Route("/api/game", front.json_endpoint(front.get_game)),
        Route("/api/labs", front.json_endpoint(front.open_lab), methods=["POST"]),
        Route("/api/labs/{lab}", front.json_endpoint(front.handle_lab_request), methods=["POST"]),
        Route("/api/labs/{lab}/{folder}.zip", front.download_lab),
        Route("/api/watch", front.json_endpoint(front.list_watched)),
        Route("/api/runs", front.json_endpoint(front.get_run)),
        Route("/api/reports", front.json_endpoint(front.get_report)),
        Route("/api/served", front.json_endpoint(front.get_served_table)),
        Route("/api/tables", front.json_endpoint(front.open_table), methods=["POST"]),
        Route("/api/reviews", front.json_endpoint(front.open_review), methods=["POST"]),
        Route("/api/reviews/work", front.json_endpoint(front.start_review), methods=["POST"]),
        Route("/api/reviews/{review}", front.json_endpoint(front.get_review)),
        Route("/api/reviews/{review}/progress", front.json_endpoint(front.get_review_progress)),
        Route("/api/reviews/{review}/{place}", front.json_endpoint(front.get_review_decision)),
        WebSocketRoute("/api/tables/{table}", front.table_socket),
    ]
    return Starlette(routes=routes)


class ApiRoutes:
    """Handlers of the routes."""

    def __init__(self, lobby: Lobby) -> None:
        """The front of a house."""
        from abl_cards.web.websocket import ConnectionManager

        self._lobby, self._connection_manager = lobby, ConnectionManager(lobby)
        self._review_service = ReviewService(lobby)

    # --- questions ---------------------------------------------------------------------------------------------------

    def json_endpoint(self, handler: Callable[[Request], Awaitable[Any]]) -> Endpoint:
        """An address that answers with JSON, also when it refuses."""
        from starlette.responses import JSONResponse

        async def answered(request: Request) -> Response:
            headers = {"cache-control": "no-store"}
            try:
                return JSONResponse(await handler(request), headers=headers)
            except HttpError as problem:
                return JSONResponse({"error": str(problem)}, problem.status, headers)
            except (GameError, KBError) as problem:
                return JSONResponse({"error": str(problem)[:2000]}, 400, headers)
            except Exception:
                log.exception("%s", request.url.path)
                return JSONResponse({"error": "the page has failed at this; see its log"}, 500, headers)

        return answered

    async def list_games(self, request: Request) -> Any:
        """Return the games."""
        return self._lobby.games_json()

    async def get_game(self, request: Request) -> Any:
        """One of them, compiled."""
        wanted = request.query_params
        return await self._lobby.game_json(wanted.get("name", ""), wanted.get("profile", ""))

    async def list_watched(self, request: Request) -> Any:
        """Return the tables that may be watched, for clients that may open tables."""
        self._check_token(request)
        folders, desk = self._lobby.config.watch_folders, self._lobby.executor
        found = await desk.run(lambda: {"runs": runs.list_runs(folders), "matches": runs.read_match_results(folders),
                                        "reports": reports.list_reports(folders),
                                        "served": spectator_feed.list_served_tables(folders)})  # fmt: skip
        return {"tables": self._lobby.tables_json(), **found}

    async def get_run(self, request: Request) -> Any:
        """The numbers of a run, as far as it has come."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._lobby.config.watch_folders
        return await self._lobby.executor.run(lambda: runs.read_run(folders, name))

    async def get_report(self, request: Request) -> Any:
        """Return the results of an experiment so far."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._lobby.config.watch_folders
        return await self._lobby.executor.run(lambda: reports.read_report(folders, name))

    async def get_served_table(self, request: Request) -> Any:
        """A table that is served elsewhere, as it was seen last."""
        self._check_token(request)
        name, folders = request.query_params.get("name", ""), self._lobby.config.watch_folders
        return await self._lobby.executor.run(lambda: spectator_feed.read_served_table(folders, name))

    async def open_table(self, request: Request) -> Any:
        """Open a table."""
        table = await self._lobby.open_table(await self._read_json(request), get_client_id(request.scope))
        return {"table": table.name, "token": table.owner_token, "watch": table.watch_token}

    async def open_lab(self, request: Request) -> Any:
        """Begin to edit a game."""
        asked, house = await self._read_json(request), self._lobby
        game, profile = house.game(schemas.get_text(asked, "game")), schemas.get_text(asked, "profile", "") or None
        return await house.labs.open_lab(game, profile, get_files(asked), get_client_id(request.scope))

    async def handle_lab_request(self, request: Request) -> Any:
        """Something about a folder that is being edited."""
        asked, name = await self._read_json(request), request.path_params["lab"]
        if asked.get("do") == "save":
            return await self._lobby.labs.save(name, schemas.get_text(asked, "folder"))
        return await self._lobby.labs.handle_request(name, asked)

    async def download_lab(self, request: Request) -> Response:
        """A folder that is being edited, to be taken along; who knows its name has opened it."""
        from starlette.responses import PlainTextResponse, Response

        folder = request.path_params["folder"]
        try:
            body = await self._lobby.labs.to_zip(request.path_params["lab"], folder)
        except (GameError, KBError) as problem:
            return PlainTextResponse(str(problem)[:400], 404)
        headers = {"content-disposition": f'attachment; filename="{folder}.zip"', "cache-control": "no-store"}
        return Response(body, media_type="application/zip", headers=headers)

    # --- records looked over -----------------------------------------------------------------------------------------

    async def open_review(self, request: Request) -> Any:
        """Look over a record."""
        return await self._review_service.open_review(await self._read_json(request), get_client_id(request.scope))

    async def start_review(self, request: Request) -> Any:
        """Find its mistakes."""
        return await self._review_service.start_review(await self._read_json(request))

    async def get_review(self, request: Request) -> Any:
        """A record that is looked over."""
        return await self._review_service.get_review(request.path_params["review"])

    async def get_review_progress(self, request: Request) -> Any:
        """Return the progress of the search for mistakes."""
        return await self._review_service.get_progress(request.path_params["review"])

    async def get_review_decision(self, request: Request) -> Any:
        """One of its decisions."""
        asked, path = request.query_params, request.path_params
        return await self._review_service.explain_decision(
            path["review"], path["place"], asked.get("agent", "kb"), asked.get("lang", "en")
        )

    def _check_token(self, request: Request) -> None:
        """Raise Refused for who does not have it."""
        token = request.headers.get("x-token", "")
        if not secrets.compare_digest(token.encode(), self._lobby.config.token.encode()):
            raise HttpError(403, "open the page by the link that the command has printed")

    async def _read_json(self, request: Request) -> dict[str, Any]:
        """The JSON object of a request that may write; raises Refused, GameError."""
        self._check_token(request)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise HttpError(415, "expected application/json")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BODY_BYTES:
                raise HttpError(413, f"{MAX_BODY_BYTES >> 20} MiB at most")
        return schemas.parse_object(bytes(body))

    # --- sockets -----------------------------------------------------------------------------------------------------

    async def table_socket(self, socket: WebSocket) -> None:
        """A browser at a table."""
        await self._connection_manager.serve_socket(socket)
