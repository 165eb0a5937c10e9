"""Requests to the rule laboratory, as its page sends them."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.web.conftest import Page


async def open_lab(page: Page, game: str = "president") -> tuple[str, dict[str, Any]]:
    session = (await page.post("/api/labs", {"game": game})).json()
    return f"/api/labs/{session['lab']}", session


async def post(page: Page, lab: str, do: str, **more: Any) -> Any:
    answer = await page.post(lab, {"do": do, **more})
    assert answer.status == 200, answer.body
    return answer.json()


async def run_job(page: Page, lab: str, what: str, **more: Any) -> dict[str, Any]:
    """Run a long job and return its final state."""
    job = (await post(page, lab, "begin", what=what, **more))["job"]
    while job["state"] in ("waiting", "working"):
        await asyncio.sleep(0.02)
        job = (await post(page, lab, "job"))["job"]
    return dict(job)
