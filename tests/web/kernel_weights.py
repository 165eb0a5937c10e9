"""Measure the times to compile the kernels of first tables, for the progress of a first start.

``python -m tests.web.kernel_weights`` writes ``abl_cards/web/kernel_weights.json``; it takes minutes.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from typing import Any

from abl_cards.web.start_progress import WEIGHTS_FILE

MIN_SHARE = 5e-4
"""Kernels with a smaller share of the whole time are left out."""


def listen(seconds: dict[str, float]) -> None:
    """Add the time of each kernel, without that of kernels compiled within it."""
    from numba.core import event

    stacks: dict[int, list[list[float]]] = {}

    class KernelTimer(event.Listener):
        def on_start(self, compilation: Any) -> None:
            stacks.setdefault(threading.get_ident(), []).append([time.perf_counter(), 0.0])

        def on_end(self, compilation: Any) -> None:
            stack = stacks[threading.get_ident()]
            began, within = stack.pop()
            spent = time.perf_counter() - began
            if stack:
                stack[-1][1] += spent
            function = compilation.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__qualname__}"
            seconds[name] = seconds.get(name, 0.0) + spent - within

    event.register("numba:compile", KernelTimer())


async def open_first_table(game: str) -> None:
    """Open a table, and make its first view."""
    from abl_cards.web.config import WebConfig
    from abl_cards.web.lobby import Lobby
    from abl_cards.web.snapshot import make_snapshot

    lobby = Lobby(WebConfig(game=game))
    table = await lobby.open_table({"game": lobby.default_game, "seats": None})
    while table.is_agents_turn:
        await asyncio.sleep(0.05)
    permission = table.permission_of(table.owner_token)
    assert permission is not None
    await lobby.executor.run(lambda: make_snapshot(table, permission))
    lobby.close()


def main(game: str = "") -> None:
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"NUMBA_CACHE_DIR": folder, "ABL_CARDS_CACHE": folder}
        listen(seconds)
        asyncio.run(open_first_table(game))
    total = sum(seconds.values())
    shares = {name: round(spent / total, 5) for name, spent in sorted(seconds.items()) if spent / total >= MIN_SHARE}
    WEIGHTS_FILE.write_text(json.dumps(shares, indent=1) + "\n")
    print(f"{len(shares)} of {len(seconds)} kernels, {total:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
