"""Close connections that send no whole request: after a timeout, or earlier if there are too many."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from abl_cards.web.fairness import choose_eviction, get_client_id
from abl_cards.web.limits import HANDSHAKE_TIMEOUT, MAX_CONNECTIONS


class HeaderTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # one of two classes, by what is installed
    """HTTP protocol of uvicorn with a time limit for the header of each request, which uvicorn lacks."""

    client_id, last_used = "", 0.0
    _header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timeout; of too many silent connections, close the oldest of the client with most."""
        super().connection_made(transport)
        self.client_id, self.last_used = get_client_id({"client": self.client}), time.monotonic()
        silent_connections = [
            connection
            for connection in self.connections
            if isinstance(connection, HeaderTimeoutProtocol) and connection.is_silent
        ]
        evicted = choose_eviction(
            self.client_id, silent_connections, MAX_CONNECTIONS, now=self.last_used, idle_timeout=0.0
        )
        if evicted is not None:
            evicted.close_if_silent()
        asyncio.get_running_loop().call_later(HANDSHAKE_TIMEOUT, self.close_if_silent)

    def data_received(self, data: bytes) -> None:
        """Limit the time for the next header, or for data after a response: the first byte ends uvicorn's timeout."""
        super().data_received(data)
        is_http = self in self.connections  # connections that became WebSockets are not counted
        is_between_requests = is_http and self.cycle is not None and self.cycle.response_complete
        if self._header_timer is None and is_between_requests:
            self._header_timer = asyncio.get_running_loop().call_later(HANDSHAKE_TIMEOUT, self.transport.abort)
        elif self._header_timer is not None and not is_between_requests:
            self._header_timer.cancel()
            self._header_timer = None

    @property
    def is_silent(self) -> bool:
        """Return whether no request has arrived yet. Connections that became WebSockets are not counted."""
        return self.cycle is None and self in self.connections

    def close_if_silent(self) -> None:
        """Close the connection if no request has arrived."""
        if self.is_silent:
            self.transport.abort()
