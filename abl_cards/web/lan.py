"""Addresses by which other machines of the local network reach this server."""

from __future__ import annotations

import socket
from typing import Any

from abl_cards.web.config import WebConfig

_UNROUTED_ADDRESS = ("192.0.2.1", 9)
"""Documentation address (RFC 5737). A datagram socket that is connected to it sends nothing."""


def local_network_address() -> str:
    """Return the address of this machine in the local network; empty without a network."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_UNROUTED_ADDRESS)
            address = str(probe.getsockname()[0])
    except OSError:
        return ""
    return "" if address.startswith(("127.", "0.")) else address


def network_json(config: WebConfig, server: Any) -> dict[str, Any]:
    """Return whether other machines can connect, by which address, and the command that allows it.

    Args:
        config: Configuration of the server.
        server: Host and port of the request, or None.
    """
    port = server[1] if server and server[1] else config.port
    is_open = not config.is_local
    any_address = config.host in ("0.0.0.0", "::")
    lan_host = local_network_address() if any_address else config.host if is_open else ""
    host = f"[{lan_host}]" if ":" in lan_host else lan_host
    command = f"abl-cards web {config.game} --host 0.0.0.0".replace("  ", " ")
    return {"local": not is_open, "lan": f"http://{host}:{port}" if host else "", "command": command}
