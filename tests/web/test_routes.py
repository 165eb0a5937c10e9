"""Tests of requests whose body is late or incomplete."""

from typing import Any

import pytest

from abl_cards.web import routes
from tests.web.asgi import request

Run = Any


def test_late_request_body_returns_408(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "BODY_TIMEOUT", 0.05)

    async def test(page: Any) -> None:
        answer = await request(page.app, "POST", "/api/tables", b"{", page.headers, leaves_after=30)
        assert (answer.status, answer.json()["code"]) == (408, "invalid-request")

    with_page(test)


def test_disconnect_during_the_body_logs_no_error(with_page: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def test(page: Any) -> None:
        answer = await request(page.app, "POST", "/api/tables", b"{", page.headers, leaves_after=0)
        assert answer.status == 400

    with_page(test)
    assert not caplog.records
