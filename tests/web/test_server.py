"""Tests of the listening socket."""

import socket

from abl_cards.web.server import open_listening_socket


def test_accepted_sockets_set_tcp_nodelay() -> None:
    """Accepted sockets send small packets at once; a delay of 40 ms per file would add up for twenty files."""
    with open_listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        listening.setblocking(True)
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
