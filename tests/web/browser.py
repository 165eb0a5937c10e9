"""Browser tests with Debian's chromium, driven by playwright; skipped if either is missing."""

import asyncio
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from abl_cards.web.config import WebConfig
from abl_cards.web.lobby import Lobby

PATIENCE = 90_000
"""Time limit in milliseconds; a first call may compile."""
AXE = Path(__file__).parent / "axe" / "axe.min.js"
PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"


def chromium() -> str:
    """Return the path of the browser; skip the test without one."""
    pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[web]'")
    pytest.importorskip("uvicorn", reason="the page needs uvicorn: pip install 'abl-cards[web]'")
    pytest.importorskip("playwright", reason="no playwright: pip install 'abl-cards[browser]'")
    path = os.environ.get("ABL_CARDS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not path:
        pytest.skip("no chromium: apt-get install chromium fonts-noto-cjk")
    return path


@contextmanager
def served() -> Iterator[tuple[str, Lobby]]:
    """Serve the page on a separate port, in a separate thread."""
    import uvicorn

    from abl_cards.web import limits
    from abl_cards.web.routes import create_app
    from abl_cards.web.server import open_listening_socket

    lobby = Lobby(WebConfig(port=0, prewarm_table=True))
    listening = open_listening_socket("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(create_app(lobby), log_level="error", ws_max_size=2 * limits.MAX_FRAME_BYTES, lifespan="on")
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", lobby
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


class Watched:
    """Page of the browser, with its errors."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address, self.trouble = page, address, list[str]()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._record_console)
        page.on("pageerror", lambda problem: self.trouble.append(str(problem)))
        page.on("request", self._check_request)

    def _record_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(message.text)

    def _check_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, self.address.replace("http", "ws", 1), "data:", "blob:")):
            self.trouble.append(f"asked for {request.url}")

    def open(self, path: str = "") -> None:
        self.page.goto(self.address + path)

    def new_table(self, **wishes: Any) -> None:
        """Open a table as the page does, and go there."""
        if not self.page.url.startswith(self.address):
            self.open("static/vendor/preact.LICENSE.txt")
        made = self.page.evaluate(
            """async ([address, wishes]) => {
              const text = await (await fetch(address)).text();
              const token = /name="token" content="([^"]*)"/.exec(text)[1];
              const answer = await fetch('/api/tables', {method: 'POST', body: JSON.stringify(wishes),
                headers: {'content-type': 'application/json', 'x-token': token}});
              return await answer.json();
            }""",
            [self.address, wishes],
        )
        assert "table" in made, made
        self.open(f"#/play/{made['table']}/{made['token']}")
        self.page.wait_for_selector(".hand .card")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def state(self) -> dict[str, Any]:
        """Return the state of the table in the page."""
        dataset: dict[str, Any] = self.page.evaluate("() => ({...document.querySelector('.felt').dataset})")
        return dataset

    def wait_for_turn(self) -> dict[str, Any]:
        """Wait until this seat is to decide, an episode has ended, or the match is over."""
        self.page.wait_for_function(
            "() => { const d = document.querySelector('.felt')?.dataset; "
            "return d && (d.turn === d.me || d.phase === 'end' || d.phase === 'over'); }"
        )
        return self.state()

    def wait_for_change(self, at: str) -> None:
        """Wait until the table has changed."""
        self.page.wait_for_function(
            "at => { const d = document.querySelector('.felt').dataset; return d.at !== at || d.phase === 'over'; }",
            arg=at,
        )

    def picture(self, name: str) -> None:
        """Take a screenshot for the documentation, if requested."""
        if os.environ.get("ABL_CARDS_PICTURES"):
            PICTURES.mkdir(exist_ok=True)
            self.page.screenshot(path=PICTURES / f"{name}.png")
            _shrink(PICTURES / f"{name}.png")


def _shrink(picture: Path) -> None:
    """Reduce a screenshot to 256 colours, a quarter of the bytes."""
    from PIL import Image

    with Image.open(picture) as image:
        image.convert("RGB").quantize(256).save(picture, optimize=True)


def serious(page: Any) -> list[str]:
    """Return the serious accessibility problems that axe-core finds."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:160]}"
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
