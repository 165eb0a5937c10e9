"""HTTP routes of the web server, and the sockets of its tables."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from abl_cards.asp import KBError
from abl_cards.core import GameError
from abl_cards.web import guests, ladders, qr, reports, runs, schemas, spectator_feed
from abl_cards.web.class_requests import ClassService
from abl_cards.web.error_json import error_json, hide_details, refuse_request
from abl_cards.web.fairness import get_client_id
from abl_cards.web.lab_requests import get_files
from abl_cards.web.learn_requests import LearnService
from abl_cards.web.limits import BODY_TIMEOUT, MAX_BODY_BYTES
from abl_cards.web.lobby import Lobby
from abl_cards.web.middleware import SecurityMiddleware
from abl_cards.web.review_requests import ReviewService
from abl_cards.web.server import add_security
from abl_cards.web.startup_app import StartupApp

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log = logging.getLogger(__name__)
Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(lobby: Lobby) -> SecurityMiddleware:
    """Make the whole app of a lobby that is loaded already."""

    async def load_api() -> ASGIApp:
        await lobby.start()
        return create_api(lobby)

    app = StartupApp(lobby.config, lobby.prewarmed, load_api, lobby.close, tiles=lobby.tiles)
    return add_security(app, lobby.config)


def create_api(lobby: Lobby) -> Starlette:
    """Make the app of the routes that need the engine."""
    api = ApiRoutes(lobby)
    reviews = api.review_service
    routes = [
        Route("/api/games", api.json_endpoint(api.list_games)),
        Route("/api/game", api.json_endpoint(api.get_game)),
        Route("/api/how-to", api.json_endpoint(api.learn.get_how_to)),
        Route("/api/how-to/beats", api.json_endpoint(api.learn.get_beats)),
        Route("/api/lesson", api.json_endpoint(api.learn.get_lesson)),
        Route("/api/lesson/answer", api.json_endpoint(api.learn.get_answer)),
        Route("/api/lesson/preview", api.json_endpoint(api.preview_lesson), methods=["POST"]),
        Route("/api/labs", api.json_endpoint(api.open_lab), methods=["POST"]),
        Route("/api/labs/{lab}", api.json_endpoint(api.handle_lab_request), methods=["POST"]),
        Route("/api/labs/{lab}/{folder}.zip", api.download_lab),
        Route("/api/watch", api.json_endpoint(api.list_watched)),
        Route("/api/runs", api.watched_endpoint(runs.read_run)),
        Route("/api/reports", api.watched_endpoint(reports.read_report)),
        Route("/api/gallery", api.watched_endpoint(reports.read_gallery)),
        Route("/api/ladders", api.watched_endpoint(ladders.read_ladders)),
        Route("/api/served", api.watched_endpoint(spectator_feed.read_served_table)),
        Route("/api/tables", api.json_endpoint(api.open_table), methods=["POST"]),
        Route("/api/tables/own", api.json_endpoint(api.list_own_tables), methods=["POST"]),
        Route("/api/tables/{table}/join", api.json_endpoint(api.join_table), methods=["POST"]),
        Route("/api/qr", api.json_endpoint(api.make_qr), methods=["POST"]),
        Route("/api/classes", api.json_endpoint(api.open_class), methods=["POST"]),
        Route("/api/classes/{code}", api.json_endpoint(api.handle_class_request), methods=["POST"]),
        Route("/api/reviews", api.json_endpoint(api.open_review), methods=["POST"]),
        Route("/api/reviews/work", api.json_endpoint(api.start_review), methods=["POST"]),
        Route("/api/reviews/position", api.json_post(reviews.get_position), methods=["POST"]),
        Route("/api/reviews/pick", api.json_post(reviews.interpret_cards), methods=["POST"]),
        Route("/api/reviews/grade", api.json_post(reviews.grade_play), methods=["POST"]),
        Route("/api/reviews/branch", api.json_post(reviews.play_on), methods=["POST"]),
        Route("/api/reviews/remove-branch", api.json_post(reviews.remove_branch), methods=["POST"]),
        Route("/api/reviews/sample", api.json_endpoint(api.open_sample), methods=["POST"]),
        Route("/api/reviews/samples", api.json_endpoint(api.list_samples)),
        Route("/api/reviews/{review}", api.json_endpoint(api.get_review)),
        Route("/api/reviews/{review}/progress", api.json_endpoint(api.get_review_progress)),
        Route("/api/reviews/{review}/record", api.json_endpoint(api.get_review_record)),
        Route("/api/reviews/{review}/{place}", api.json_endpoint(api.get_review_decision)),
        WebSocketRoute("/api/tables/{table}", api.table_socket),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})  # unknown paths and methods


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refuse_request(request.url.path, error.status_code, error.detail, headers=error.headers)


def _json_response(value: Any, status: int = 200) -> Response:
    return Response(schemas.encode_json(value), status, {"cache-control": "no-store"}, "application/json")


class ApiRoutes:
    """Handlers of the routes."""

    def __init__(self, lobby: Lobby) -> None:
        """Make the handlers of a lobby."""
        from abl_cards.web.websocket import ConnectionManager

        self._lobby, self._connection_manager = lobby, ConnectionManager(lobby)
        self.review_service, self.learn = ReviewService(lobby), LearnService(lobby)
        self._class_service = ClassService(lobby, self.review_service)

    # --- requests -----------------------------------------------------------------------------------------------------

    def json_endpoint(self, handler: Callable[[Request], Awaitable[Any]]) -> Endpoint:
        """Wrap a handler: its result, or its error, becomes a JSON response."""

        async def respond(request: Request) -> Response:
            try:
                return _json_response(await handler(request))
            except HTTPException as error:
                return await _refuse(request, error)
            except (GameError, KBError) as error:
                answer = error_json(error)
                return _json_response(answer | {"error": answer["text"]}, 400)
            except ClientDisconnect:  # nobody reads the response
                return Response(status_code=400)
            except Exception as error:
                log.exception("%s", request.url.path)
                answer = error_json(hide_details(error))
                return _json_response(answer | {"error": answer["text"]}, 500)

        return respond

    def json_post(self, handler: Callable[[dict[str, Any]], Awaitable[Any]]) -> Endpoint:
        """Make the endpoint of authorised requests whose JSON object a handler takes."""

        async def handle(request: Request) -> Any:
            return await handler(await self._read_json(request))

        return self.json_endpoint(handle)

    def watched_endpoint(self, read: Callable[[Sequence[Path], str], Any]) -> Endpoint:
        """Make the endpoint of files that are read by name from the watched folders."""

        async def handle(request: Request) -> Any:
            self._check_token(request)
            name, folders = request.query_params.get("name", ""), self._lobby.config.watch_folders
            return await self._lobby.executor.run(lambda: read(folders, name))

        return self.json_endpoint(handle)

    async def list_games(self, request: Request) -> Any:
        """Return the games."""
        return self._lobby.games_json()

    async def get_game(self, request: Request) -> Any:
        """Return the data of a game that needs its compiled rules."""
        parameters = request.query_params
        return await self._lobby.game_json(parameters.get("name", ""), parameters.get("profile", ""))

    async def preview_lesson(self, request: Request) -> Any:
        """Return a dropped lesson, or grade an answer of it."""
        return await self.learn.preview(await self._read_json(request))

    async def list_watched(self, request: Request) -> Any:
        """Return the tables that may be watched, for clients that may open tables."""
        self._check_token(request)
        folders, executor = self._lobby.config.watch_folders, self._lobby.executor
        watched = await executor.run(
            lambda: {
                "runs": runs.list_runs(folders),
                "matches": runs.read_match_results(folders),
                "reports": reports.list_reports(folders),
                "served": spectator_feed.list_served_tables(folders),
            }
        )
        return {"tables": self._lobby.tables_json(), **watched}

    async def open_table(self, request: Request) -> Any:
        """Open a table."""
        table = await self._lobby.open_table(await self._read_json(request), get_client_id(request.scope))
        return {"table": table.name, "token": table.owner_token, "watch": table.watch_token, "join": table.join_token}

    async def list_own_tables(self, request: Request) -> Any:
        """Return how the tables of a browser stand, each for its token."""
        return {"tables": await guests.list_own_tables(self._lobby, await self._read_json(request, False))}

    async def join_table(self, request: Request) -> Any:
        """Give a free seat of a table to a guest with the token of its invitation."""
        message, client_id = await self._read_json(request, False), get_client_id(request.scope)
        return await guests.join_table(self._lobby, request.path_params["table"], message, client_id)

    async def make_qr(self, request: Request) -> Any:
        """Return the QR code of a text."""
        text = schemas.get_text(await self._read_json(request), "text", max_length=qr.MAX_TEXT_LENGTH)
        return await self._lobby.executor.run(lambda: qr.make_qr(text))

    async def open_class(self, request: Request) -> Any:
        """Open a class."""
        return await self._class_service.open_class(await self._read_json(request), get_client_id(request.scope))

    async def handle_class_request(self, request: Request) -> Any:
        """Handle a request about a class, which its code and tokens authorise."""
        message, client_id = await self._read_json(request, False), get_client_id(request.scope)
        return await self._class_service.handle_request(request.path_params["code"], message, client_id)

    async def open_lab(self, request: Request) -> Any:
        """Create a draft of a game."""
        message, lobby = await self._read_json(request), self._lobby
        game, profile = lobby.game(schemas.get_text(message, "game")), schemas.get_text(message, "profile", "") or None
        return await lobby.labs.open_lab(game, profile, get_files(message), get_client_id(request.scope))

    async def handle_lab_request(self, request: Request) -> Any:
        """Handle a request about a draft."""
        message, name = await self._read_json(request), request.path_params["lab"]
        if message.get("do") == "save":
            return await self._lobby.labs.save(name, schemas.get_text(message, "folder"))
        return await self._lobby.labs.handle_request(name, message)

    async def download_lab(self, request: Request) -> Response:
        """Return a draft as a zip archive; its secret name authorises the request."""
        folder = request.path_params["folder"]
        try:
            body = await self._lobby.labs.to_zip(request.path_params["lab"], folder)
        except (GameError, KBError) as error:
            return refuse_request(request.url.path, 404, str(error)[:400])
        headers = {"content-disposition": f'attachment; filename="{folder}.zip"', "cache-control": "no-store"}
        return Response(body, media_type="application/zip", headers=headers)

    # --- reviews ------------------------------------------------------------------------------------------------------

    async def open_review(self, request: Request) -> Any:
        """Open a review of a record."""
        return await self.review_service.open_review(await self._read_json(request), get_client_id(request.scope))

    async def open_sample(self, request: Request) -> Any:
        """Open a review of a record that comes with the package."""
        return await self.review_service.open_sample(await self._read_json(request), get_client_id(request.scope))

    async def list_samples(self, request: Request) -> Any:
        """Return the records that come with the package."""
        return await self.review_service.list_samples()

    async def get_review_record(self, request: Request) -> Any:
        """Return the record of a review with its variations."""
        return await self.review_service.get_record(request.path_params["review"])

    async def start_review(self, request: Request) -> Any:
        """Start the search for mistakes of a review."""
        return await self.review_service.start_review(await self._read_json(request))

    async def get_review(self, request: Request) -> Any:
        """Return an open review."""
        return await self.review_service.get_review(request.path_params["review"])

    async def get_review_progress(self, request: Request) -> Any:
        """Return the progress of the search for mistakes."""
        return await self.review_service.get_progress(request.path_params["review"])

    async def get_review_decision(self, request: Request) -> Any:
        """Explain a decision of a review."""
        parameters, path_parameters = request.query_params, request.path_params
        return await self.review_service.explain_decision(
            path_parameters["review"],
            path_parameters["place"],
            parameters.get("agent", "kb"),
            parameters.get("lang", "en"),
            parameters.get("line", ""),
        )

    def _check_token(self, request: Request) -> None:
        """Raise HTTPException if the request lacks the access key."""
        token = request.headers.get("x-token", "")
        if not secrets.compare_digest(token.encode(), self._lobby.config.token.encode()):
            raise HTTPException(403, "invalid access key: open the page by the link that the command printed")

    async def _read_json(self, request: Request, needs_key: bool = True) -> dict[str, Any]:
        """Return the JSON object of a request, which may need the access key; raises HTTPException, GameError."""
        if needs_key:
            self._check_token(request)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise HTTPException(415, "expected application/json")
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_TIMEOUT):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > MAX_BODY_BYTES:
                        raise HTTPException(413, f"the request is larger than {MAX_BODY_BYTES >> 20} MiB")
        except TimeoutError:
            raise HTTPException(408, f"the request has not arrived within {BODY_TIMEOUT:g} seconds") from None
        return schemas.parse_object(bytes(body))

    # --- sockets -----------------------------------------------------------------------------------------------------

    async def table_socket(self, socket: WebSocket) -> None:
        """Serve the web socket of a browser at a table."""
        await self._connection_manager.serve_socket(socket)
