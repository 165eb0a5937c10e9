"""Measure the steps of first starts, for the remaining time that the page shows.

``python -m tests.web.kernel_weights`` writes ``abl_cards/web/kernel_weights.json``; it takes minutes on an idle
machine. A step is a kernel with all that is done before it, in processor seconds.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.games import game_names
from abl_cards.web.start_progress import IMPORTS, RULES, TABLE, WEIGHTS_FILE

Step = tuple[str, float]
"""Name of a step, and the processor time at its end."""


def listen(steps: list[Step]) -> None:
    """Append the end of each kernel, and of what is done before the first one."""
    from numba.core import event

    class KernelTimer(event.Listener):
        def on_start(self, compilation: Any) -> None:
            if len(steps) == 1:
                steps.append((RULES, time.process_time()))

        def on_end(self, compilation: Any) -> None:
            function = compilation.data["dispatcher"].py_func
            steps.append((f"{function.__module__}.{function.__qualname__}", time.process_time()))

    event.register("numba:compile", KernelTimer())


async def open_first_table(game: str, steps: list[Step]) -> None:
    """Open a table as the server does, and make its first view."""
    from abl_cards.web import routes, websocket  # noqa: F401 - the server imports them too
    from abl_cards.web.config import WebConfig
    from abl_cards.web.lobby import Lobby
    from abl_cards.web.snapshot import make_snapshot

    steps.append((IMPORTS, time.process_time()))
    listen(steps)
    lobby = Lobby(WebConfig(game=game))
    table = await lobby.open_table({"game": lobby.default_game, "seats": None})
    while table.is_agents_turn:
        await asyncio.sleep(0.05)
    permission = table.permission_of(table.owner_token)
    assert permission is not None
    await lobby.executor.run(lambda: make_snapshot(table, permission))
    steps.append((TABLE, time.process_time()))
    lobby.close()


def measure(game: str) -> list[Step]:
    """Return the steps of a first start of a game, in a process of its own without caches."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "ABL_CARDS_CACHE": folder}
        command = [sys.executable, "-m", "tests.web.kernel_weights", game]
        output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return [(name, end) for name, end in json.loads(output)]


def to_weights(trace: Sequence[Step]) -> dict[str, float]:
    """Return the seconds of each step in their order; later compilations of a function belong to the next step."""
    weights: dict[str, float] = {}
    last = 0.0
    for name, end in trace:
        if name not in weights:
            weights[name], last = round(end - last, 3), end
    return weights


def write(weights: Mapping[str, Mapping[str, float]], file: Path = WEIGHTS_FILE) -> None:
    """Write the weights."""
    file.write_text(json.dumps(weights, indent=1) + "\n")


def main(game: str = "") -> None:
    """Print the steps of a game as JSON, or measure all games and write the weights."""
    if game:
        steps: list[Step] = []
        asyncio.run(open_first_table(game, steps))
        print(json.dumps(steps))
        return
    weights = {name: to_weights(measure(name)) for name in game_names()}
    write(weights)
    for name, plan in weights.items():
        print(f"{name}: {len(plan)} steps, {sum(plan.values()):.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
