"""The port: open at once; what is behind it loads meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from abl_cards.files import InUse, held
from abl_cards.page.bounds import LONGEST_FRAME, MOST_SOCKETS
from abl_cards.page.guard import LOCAL, Guard
from abl_cards.page.laid import Laid
from abl_cards.page.plan import Plan
from abl_cards.page.porch import Porch

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from abl_cards.page.house import House

Say = Callable[[str], None]


class Opening:
    """A house that is made in a thread, while the port answers."""

    def __init__(self, plan: Plan, laid: Laid) -> None:
        """Nothing of the engine is there yet."""
        self._plan, self._laid = plan, laid
        self.house: House | None = None

    async def __call__(self) -> ASGIApp:
        """The rooms; raises GameError for a game that there is none of, KBError for rules that are wrong."""
        self.house = await asyncio.get_running_loop().run_in_executor(None, self._make)
        from abl_cards.page.front import rooms

        await self.house.begin()
        return rooms(self.house)

    def _make(self) -> House:
        from abl_cards.page import front, house, sockets  # noqa: F401 - what takes long is imported here, in a thread

        return house.House(self._plan, self._laid)

    def close(self) -> None:
        """Forget all."""
        if self.house is not None:
            self.house.close()


def guarded(porch: Porch, plan: Plan) -> Guard:
    """The porch behind the door."""
    return Guard(porch, {*LOCAL, *plan.names, *([] if plan.local else [plan.host])}, any_address=not plan.local)


async def serve(plan: Plan, ready: Say = lambda address: None, say: Say = lambda line: None) -> None:
    """Serve the page until it is interrupted; ``ready`` is told its address, ``say`` what is to be known.

    Raises OSError where the port is taken, GameError and KBError for what cannot be played.
    """
    import uvicorn

    from abl_cards.page.connections import PatientProtocol

    with ExitStack() as stack:
        plan = _keeping(plan, stack, say)
        laid = Laid(plan)
        opening = Opening(plan, laid)
        porch = Porch(plan, laid, opening, opening.close)
        config = uvicorn.Config(
            guarded(porch, plan), http=PatientProtocol, log_level="warning", access_log=False,
            ws_max_size=2 * LONGEST_FRAME, ws_ping_interval=20.0, h11_max_incomplete_event_size=1 << 16,
            server_header=False, date_header=False, timeout_graceful_shutdown=2,
            limit_concurrency=4 * MOST_SOCKETS,
        )  # fmt: skip
        listening = stack.enter_context(listen(plan.host, plan.port))
        ready(address_of(plan, listening.getsockname()[1]))
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        rooms = asyncio.create_task(porch.soon())
        await asyncio.wait([serving, rooms], return_when=asyncio.FIRST_COMPLETED)
        if rooms.done() and not rooms.cancelled() and rooms.exception() is not None:
            server.should_exit = True
        await serving
        if rooms.done() and not rooms.cancelled():
            rooms.result()


def _keeping(plan: Plan, stack: ExitStack, say: Say) -> Plan:
    """The plan, without a folder for tables where another page is at work in it."""
    from dataclasses import replace

    if plan.keep is None:
        return plan
    try:
        plan.keep.mkdir(parents=True, exist_ok=True, mode=0o700)
        stack.enter_context(held(plan.keep))
    except InUse:
        say(f"{plan.keep}: another page keeps its tables here; those of this one end with it (or name a --keep DIR)")
    except OSError as problem:
        say(f"{plan.keep}: {problem.strerror or problem}; tables end with the page")
    else:
        return plan
    return replace(plan, keep=None)


def address_of(plan: Plan, port: int) -> str:
    """What somebody opens; with the key, where others can ask as well."""
    host = plan.host
    shown = "127.0.0.1" if host in ("0.0.0.0", "localhost") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" if plan.local else f"http://{shown}:{port}/#key={plan.token}"


def listen(host: str, port: int) -> Any:
    """A socket that listens; raises OSError."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family, backlog=128)
    # Those that it accepts do likewise. asyncio sees to that where the protocol is named, which it is not here: the
    # body of an answer would wait forty milliseconds until the browser acknowledges its head.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setblocking(False)
    return made
