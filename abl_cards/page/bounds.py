"""How much a client may ask for: sizes, rates, numbers of tables."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_FRAME = 1 << 16
"""Bytes of a frame at a table; one that is longer ends its connection."""
LONGEST_BODY = 8 << 20
"""Bytes of a request: a record to look over has some kilobytes, a log of a platform some hundreds."""
MOST_TABLES, MOST_TABLES_EACH = 64, 16
"""Tables that are open at a time; and of one person, where that is not this machine."""
MOST_SOCKETS, MOST_SOCKETS_EACH = 256, 64
"""Connections to tables; and of one person, where that is not this machine."""
MOST_KEPT = 4096
"""Tables on the disk; the oldest are forgotten."""
HANDSHAKE = 10.0
"""Seconds to say who one is, and to send the head of a request."""
MOST_AT_A_TABLE = 32
MOST_JOBS = 16
"""Reviews that run or are kept."""
MOST_WORKING_EACH = 2
"""Reviews of one person that run, where that is not this machine: they wait for each other in one thread."""
IDLE = 3600.0
"""Seconds after which also what somebody looks at makes room, where nothing is played there."""
FRAMES, FRAMES_AT_ONCE = 30.0, 90.0
"""Frames a second of one connection, and how many may come together."""
REQUESTS, REQUESTS_AT_ONCE = 60.0, 240.0
"""Requests a second of one person, and how many may come together."""
OPENED, OPENED_AT_ONCE = 0.2, 128.0
"""Tables that one person opens in a second, and how many may be opened together."""
ALL_TOGETHER = 4.0
"""How many times as much as one person all persons together may do."""
LONGEST_NAME = 24
"""Characters of what a person is called."""


class Bucket:
    """So many tokens a second, and no more than so many at once."""

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = time.monotonic) -> None:
        """A full bucket."""
        self._rate, self._most, self._clock = rate, most, clock
        self._left, self._then = most, clock()

    def take(self) -> bool:
        """Whether there is one to take; it is taken."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._then) * self._rate)
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def printable(text: str, most: int = LONGEST_NAME) -> str:
    """A name as it may be shown: so long at most, without what cannot be printed."""
    return "".join(letter for letter in text.strip() if letter.isprintable())[:most].strip()
