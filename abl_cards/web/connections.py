"""Connections that send nothing: they are closed after some seconds, and make room for others before."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from abl_cards.web.fairness import Allocation, choose_eviction, get_client_id
from abl_cards.web.limits import HANDSHAKE_TIMEOUT, MAX_CONNECTIONS


class HeaderTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # one of two classes, by what is installed
    """The HTTP protocol of uvicorn, which itself waits for ever for the head of a first request."""

    connected_at = 0.0

    def connection_made(self, transport: Any) -> None:
        """Give the connection some seconds; of too many silent ones the oldest of the person with most is closed."""
        super().connection_made(transport)
        self.connected_at = time.monotonic()
        silent = [each for each in self.connections if isinstance(each, HeaderTimeoutProtocol) and each.is_silent]
        holdings = [
            Allocation(each, get_client_id({"client": each.client}), False, each.connected_at) for each in silent
        ]
        other = choose_eviction(
            get_client_id({"client": self.client}), holdings, MAX_CONNECTIONS, MAX_CONNECTIONS, self.connected_at, 0.0
        )
        if other is not None:
            other.close_if_silent()
        asyncio.get_running_loop().call_later(HANDSHAKE_TIMEOUT, self.close_if_silent)

    @property
    def is_silent(self) -> bool:
        """Return whether no request has arrived yet. Connections that became WebSockets are not counted."""
        return self.cycle is None and self in self.connections

    def close_if_silent(self) -> None:
        """Close the connection, unless a request has come."""
        if self.is_silent:
            self.transport.abort()
