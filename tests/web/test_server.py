"""The port itself."""

import socket

from abl_cards.web.server import open_listening_socket


def test_the_body_of_an_answer_does_not_wait_for_its_head_to_be_acknowledged() -> None:
    """Whom it accepts is sent small pieces at once; forty milliseconds a file is much for a page of twenty files."""
    with open_listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        listening.setblocking(True)
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
