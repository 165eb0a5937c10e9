"""Limits of clients: sizes, rates, numbers of tables."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_FRAME_BYTES = 1 << 16
"""Largest frame of a web socket in bytes; much longer ones end the connection."""
MAX_BODY_BYTES = 8 << 20
"""Largest request body in bytes; records have some kilobytes, logs of platforms some hundred."""
MAX_TABLES, MAX_TABLES_PER_CLIENT = 256, 128
"""Largest number of open tables, in total and of one remote client, such as a school; each takes up to 1 MB."""
MAX_CONNECTIONS, MAX_CONNECTIONS_PER_CLIENT = 512, 256
"""Largest number of connections to tables, in total and of one remote client."""
MAX_STORED_TABLES = 4096
"""Largest number of stored tables; the oldest are deleted."""
HANDSHAKE_TIMEOUT = 10.0
"""Time limit in seconds for the first frame of a web socket and for the header of a request."""
BODY_TIMEOUT = 60.0
"""Time limit in seconds for the body of a request."""
MAX_CONNECTIONS_PER_TABLE = 32
MAX_CLASSES, MAX_CLASSES_PER_CLIENT = 32, 4
"""Largest number of classes, in total and of one remote client."""
MAX_PUPILS = 120
"""Largest number of pupils of a class."""
MAX_STORED_RESULTS = 64
"""Largest number of deals of earlier matches whose results a class keeps."""
CLASS_GUESS_RATE, CLASS_GUESS_BURST = 0.2, 20.0
"""Wrong codes of classes per second of one client, and the largest burst."""
FOLLOW_TIMEOUT = 20.0
"""Seconds after which a request that waits for the teacher's next place is answered."""
MAX_REVIEWS = 16
"""Largest number of running and finished reviews."""
MAX_RUNNING_REVIEWS_EACH = 2
"""Largest number of running reviews of one remote client; all reviews share one thread."""
IDLE_TIMEOUT = 3600.0
"""Seconds without use after which also tables with viewers may be evicted."""
FRAME_RATE, FRAME_BURST = 30.0, 90.0
"""Frames per second of one connection, and the largest burst."""
REQUEST_RATE, REQUEST_BURST = 600.0, 9600.0
"""Requests per second of one client, and the largest burst: a class of 120 behind one address, each with 80 files."""
TABLE_OPEN_RATE, TABLE_OPEN_BURST = 0.2, 128.0
"""Tables opened per second by one client, and the largest burst."""
GLOBAL_RATE_FACTOR = 4.0
"""Rate limit of all clients together, in units of that of one client."""
MAX_NAME_LENGTH = 24
"""Largest length of a player's name in characters."""


class TokenBucket:
    """Token bucket: a rate of tokens per second, up to a capacity."""

    def __init__(self, rate: float, capacity: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Make a full bucket."""
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
    """Return a name without unprintable characters, cut to a maximum length."""
    return "".join(letter for letter in text.strip() if letter.isprintable())[:max_length].strip()
