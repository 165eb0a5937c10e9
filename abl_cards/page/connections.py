"""Connections that send nothing: they are closed after some seconds, and make room for others before."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from abl_cards.page.bounds import HANDSHAKE, MOST_SOCKETS
from abl_cards.page.fairness import Holding, person_of, yielding


class PatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # one of two classes, by what is installed
    """The HTTP protocol of uvicorn, which itself waits for ever for the head of a first request."""

    since = 0.0

    def connection_made(self, transport: Any) -> None:
        """Give the connection some seconds; of too many silent ones the oldest of the person with most is closed."""
        super().connection_made(transport)
        self.since = time.monotonic()
        silent = [each for each in self.connections if isinstance(each, PatientProtocol) and each.silent]
        holdings = [Holding(each, person_of({"client": each.client}), False, each.since) for each in silent]
        other = yielding(person_of({"client": self.client}), holdings, MOST_SOCKETS, MOST_SOCKETS, self.since, 0.0)
        if other is not None:
            other.close_silent()
        asyncio.get_running_loop().call_later(HANDSHAKE, self.close_silent)

    @property
    def silent(self) -> bool:
        """Whether no request has come yet. A connection that became a WebSocket is another protocol's."""
        return self.cycle is None and self in self.connections

    def close_silent(self) -> None:
        """Close the connection, unless a request has come."""
        if self.silent:
            self.transport.abort()
