"""Threads in which agents decide, so that the server stays responsive and other tables continue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import TypeVar, cast

T = TypeVar("T")


async def run_in_thread(call: Callable[[], T]) -> T:
    """Run a call in a thread of its own and return its result.

    The thread is a daemon: a cancelled task and the end of the program wait for no agent, unlike with
    ``asyncio.to_thread``.

    Args:
        call: Function without arguments; its exceptions are raised by this function.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def finish(value: T | None, error: BaseException | None) -> None:
        if not done.cancelled():
            done.set_result((value, error))

    def work() -> None:
        outcome: tuple[T | None, BaseException | None]
        try:
            outcome = call(), None
        except BaseException as error:
            outcome = None, error
        with suppress(RuntimeError):  # the loop has been closed
            loop.call_soon_threadsafe(finish, *outcome)

    Thread(target=copy_context().run, args=(work,), name="agent", daemon=True).start()
    value, error = await done
    if error is not None:
        raise error
    return cast(T, value)
