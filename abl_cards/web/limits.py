"""Limits of clients: sizes, rates, numbers of tables."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_FRAME_BYTES = 1 << 16
"""Bytes of a frame at a table; one that is longer ends its connection."""
MAX_BODY_BYTES = 8 << 20
"""Bytes of a request: a record to look over has some kilobytes, a log of a platform some hundreds."""
MAX_TABLES, MAX_TABLES_PER_CLIENT = 64, 16
"""Tables that are open at a time; and of one person, where that is not this machine."""
MAX_CONNECTIONS, MAX_CONNECTIONS_PER_CLIENT = 256, 64
"""Connections to tables; and of one person, where that is not this machine."""
MAX_STORED_TABLES = 4096
"""Tables on the disk; the oldest are forgotten."""
HANDSHAKE_TIMEOUT = 10.0
"""Seconds to say who one is, and to send the head of a request."""
MAX_CONNECTIONS_PER_TABLE = 32
MAX_REVIEWS = 16
"""Reviews that run or are kept."""
MAX_RUNNING_REVIEWS_EACH = 2
"""Reviews of one person that run, where that is not this machine: they wait for each other in one thread."""
IDLE_TIMEOUT = 3600.0
"""Seconds after which also what somebody looks at makes room, where nothing is played there."""
FRAME_RATE, FRAME_BURST = 30.0, 90.0
"""Frames a second of one connection, and how many may come together."""
REQUEST_RATE, REQUEST_BURST = 120.0, 480.0
"""Requests a second of one client, and how many may come together: a page with a table takes about 50."""
TABLE_OPEN_RATE, TABLE_OPEN_BURST = 0.2, 128.0
"""Tables that one person opens in a second, and how many may be opened together."""
GLOBAL_RATE_FACTOR = 4.0
"""Rate limit of all clients together, in units of that of one client."""
MAX_NAME_LENGTH = 24
"""Characters of what a person is called."""


class TokenBucket:
    """So many tokens a second, and no more than so many at once."""

    def __init__(self, rate: float, capacity: float, clock: Callable[[], float] = time.monotonic) -> None:
        """A full bucket."""
        self._rate, self._capacity, self._clock = rate, capacity, clock
        self._tokens, self._last_refill = capacity, clock()

    def try_acquire(self) -> bool:
        """Take a token from the bucket; returns whether there was one."""
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._last_refill) * self._rate)
        self._last_refill = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def sanitise_name(text: str, max_length: int = MAX_NAME_LENGTH) -> str:
    """A name as it may be shown: so long at most, without what cannot be printed."""
    return "".join(letter for letter in text.strip() if letter.isprintable())[:max_length].strip()
