"""Servers that cannot accept more connections."""

import asyncio
import errno
from typing import Any

from abl_cards.core.hosts import report_exhaustion


def test_exhaustion_is_reported_once_and_other_errors_pass_through() -> None:
    lines: list[str] = []
    others: list[dict[str, Any]] = []

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: others.append(context))
        report_exhaustion(loop, lines.append)
        for error in (OSError(errno.EMFILE, "none left"), OSError(errno.EMFILE, "none left"), ValueError("x")):
            loop.call_exception_handler({"message": "socket.accept()", "exception": error})

    asyncio.run(scene())
    assert len(lines) == 1
    assert [str(context["exception"]) for context in others] == ["x"]
