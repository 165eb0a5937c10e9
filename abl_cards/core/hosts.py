"""Names and addresses of hosts, and connections of servers."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

_NO_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


def is_hostname(name: str) -> bool:
    """Return whether a string is a valid host name: labels of 1 to 63 letters, 253 characters in all (RFC 1035).

    Args:
        name: A host name, in Unicode or ASCII.

    >>> is_hostname("localhost"), is_hostname("::1"), is_hostname("a" * 64), is_hostname("a..b")
    (True, True, False, False)
    """
    try:
        return 0 < len(name.encode("idna")) <= 253 and name.isprintable()
    except UnicodeError:
        return False


def report_exhaustion(loop: asyncio.AbstractEventLoop, report: Callable[[str], None]) -> None:
    """Report once that no more connections can be accepted, where an event loop would log a traceback every time.

    Args:
        loop: Event loop of a server; it keeps its handler for all other errors.
        report: Called with a line for the user.
    """
    handle_others, reported = loop.get_exception_handler(), list[str]()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _NO_RESOURCES):
            (handle_others or type(loop).default_exception_handler)(loop, context)
        elif not reported:
            reported.append(f"too many connections ({error.strerror}): new ones wait until others end; see ulimit -n")
            report(reported[0])

    loop.set_exception_handler(handle)
