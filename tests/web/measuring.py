"""Measure the figures of docs/notes/page.md in a browser: ``python -m tests.web.measuring``.

This is a script and not a test, because timed tests fail on a busy machine.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.browser import Watched, chromium

PORT = 8798
PICKS, HINTS, STARTS = 200, 12, 5

POSITION = '{"hand":["S5","H5","C5","D5","S6"],"to_beat":null,"level":"2"}'
EDITED = ("single(6)", "single(5)", "pair(5)", "triple(5)", "bomb(5,4)")
"""Forms that edits of Guandan's rules remove one by one, each with moves in the position."""

FRAMES = """() => new Promise((done) => {
  const hand = document.querySelector('.hand'), cards = [...hand.querySelectorAll('.card')], times = [];
  let step = 0;
  function frame() {
    const began = performance.now();
    cards[step % cards.length].click();
    times.push(performance.now() - began);
    if (++step < 54) requestAnimationFrame(frame);
    else done({times, cards: cards.length});
  }
  requestAnimationFrame(frame);
})"""


PAINT = """(() => {
  const seen = new MutationObserver(() => {
    if (!document.querySelector('.hand .card')) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.painted = performance.now(); }, 0));
  });
  seen.observe(document, {childList: true, subtree: true});
})()"""
"""Records when the first cards are painted, in milliseconds since the navigation."""


def main() -> None:
    """Print the figures as one JSON object."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "abl_cards", "web", "--port", str(PORT)]
    with sync_playwright() as player, tempfile.TemporaryDirectory() as keep:
        command += ["--state-dir", keep]
        running = player.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        begun = measure_starts(running, command, Path(keep) / "first.json")
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout
            address = server.stdout.readline().strip()
            figures = measure_page(lambda: Watched(running.new_page(), address))
            print(json.dumps({**begun, **figures, "load": os.getloadavg()[0]}))
        finally:
            server.terminate()
            running.close()


def measure_starts(running: Any, command: list[str], ready: Path) -> dict[str, Any]:
    """Measure restarts: until the server answers, until a table is painted, and until it can be played."""
    address = f"http://127.0.0.1:{PORT}/"
    with started(command):
        while not ready.exists():
            time.sleep(0.1)
    times: dict[str, list[float]] = {"answer": [], "answer_cpu": [], "painted": [], "painted_cpu": [], "live": []}
    for _ in range(STARTS):
        context = running.new_context()
        page, began = context.new_page(), time.perf_counter()
        page.set_default_timeout(90_000)
        page.add_init_script(PAINT)
        session = context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        with started(command) as server:
            wait_for(address)
            times["answer"].append(1000 * (time.perf_counter() - began))
            times["answer_cpu"].append(1000 * cpu_of(server.pid))
            page.goto(address + "#/play")
            times["painted"].append(page.wait_for_function("() => window.painted").json_value())
            metrics = session.send("Performance.getMetrics")["metrics"]
            times["painted_cpu"].append(
                1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
            )
            page.wait_for_function("() => document.querySelector('.turn').textContent.match(/Your turn|to act/)")
            times["live"].append(1000 * (time.perf_counter() - began))
            while not ready.exists():  # another table is prewarmed for the next start
                time.sleep(0.1)
        context.close()
    return {
        f"start_{name}_ms": [round(min(values)), round(statistics.median(values))] for name, values in times.items()
    }


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def cpu_of(process: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_page(open_browser: Callable[[], Watched]) -> dict[str, Any]:
    """Measure all figures."""
    here = open_browser()
    wait_for(here.address)
    here.open("#/play")
    here.page.wait_for_selector(".hand .card")
    figures: dict[str, Any] = {}
    painted = []
    for _ in range(STARTS):
        fresh = open_browser()
        fresh.page.add_init_script(PAINT)
        fresh.open("#/play")
        painted.append(fresh.page.wait_for_function("() => window.painted").json_value())
        fresh.page.close()
    figures["table_painted_ms"] = [round(min(painted)), round(statistics.median(painted))]
    here.new_table(game="guandan", seed=11, seats=["person", "kb", "kb", "kb"])
    here.wait_for_turn()
    figures["picks"] = time_requests(here, "pick", PICKS)
    figures["hint_kb"] = time_requests(here, "hint", HINTS, "kb")
    time_requests(here, "hint", 1, "abl")
    figures["hint_abl"] = time_requests(here, "hint", HINTS, "abl")
    frames = here.page.evaluate(FRAMES)
    figures["frame_ms"] = {"cards": frames["cards"], "median": round(statistics.median(frames["times"]), 2),
                         "longest": round(max(frames["times"]), 2)}  # fmt: skip
    figures["loaded_bytes"] = table_bytes(open_browser())
    return figures | measure_edits(open_browser())


def measure_edits(here: Watched) -> dict[str, Any]:
    """Measure edits of Guandan's rules, in milliseconds from the last key to the display of the removed moves.

    The time includes the pause in which the page waits for more keys.
    """
    here.open("#/rules/guandan")
    page = here.page
    page.locator(".lab .status", has_text="loaded in").wait_for()
    sizes = page.evaluate("() => performance.getEntriesByType('resource').map((entry) => entry.encodedBodySize)")
    page.locator("summary", has_text="Add").click()
    page.locator(".menu-list textarea").fill(POSITION)
    page.get_by_role("button", name="Add the position").click()
    page.locator(".cell").first.locator(".table-space .card").first.wait_for()
    page.evaluate("() => document.addEventListener('keydown', () => { window.typed = performance.now(); }, true)")
    times = []
    for form in EDITED:
        page.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        lost = page.locator(".moves.lost .move").count()
        page.keyboard.type(f"\nlacking({form}).")
        shown = "([lost]) => document.querySelectorAll('.moves.lost .move').length > lost && performance.now()"
        now = page.wait_for_function(shown, arg=[lost], polling="raf").json_value()
        times.append(now - page.evaluate("() => window.typed"))
    return {"edit_ms": [round(statistics.median(times)), round(max(times))], "lab_bytes": int(sum(sizes))}


def wait_for(address: str) -> None:
    """Wait until the port answers."""
    for _ in range(200):
        try:
            urllib.request.urlopen(f"{address}static/icon.svg").read()
            return
        except OSError:
            time.sleep(0.02)


ASK = """async ([what, times, agent]) => {
  const place = JSON.parse(sessionStorage.getItem('table') || 'null') || location.hash.split('/').slice(2);
  const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/api/tables/${place[0]}`);
  const messages = []; let wake = null;
  socket.onmessage = (event) => { messages.push(JSON.parse(event.data)); wake && wake(); };
  const until = async (kind) => {
    for (;;) {
      const index = messages.findIndex((message) => message.type === kind || message.type === 'error');
      if (index >= 0) return messages.splice(0, index + 1).at(-1);
      await new Promise((go) => { wake = go; });
    }
  };
  await new Promise((go) => { socket.onopen = go; });
  socket.send(JSON.stringify({token: place[1]}));
  let seen = await until('table');
  const times_ = [];
  for (let n = 0; n < times; n++) {
    const cards = seen.hand.slice(n % 20, n % 20 + 1 + n % 5);
    const began = performance.now();
    socket.send(JSON.stringify({do: what, at: seen.at, n, cards, agent}));
    const answer = await until({pick: 'picked', hint: 'hint'}[what]);
    if (answer.type === 'error') throw new Error(answer.text);
    times_.push(performance.now() - began);
    if (what === 'pick') await new Promise((go) => setTimeout(go, 40));
  }
  socket.close();
  return times_;
}"""


def time_requests(here: Watched, what: str, times: int, agent: str = "kb") -> dict[str, Any]:
    """Return the milliseconds from a request to its answer in the browser."""
    hash_ = here.page.evaluate("() => location.hash.split('/').slice(2)")
    here.page.evaluate("place => sessionStorage.setItem('table', JSON.stringify(place))", hash_)
    durations = sorted(here.page.evaluate(ASK, [what, times, agent]))
    return {"n": times, "median_ms": round(statistics.median(durations), 1),
            "p99_ms": round(durations[min(len(durations) - 1, int(0.99 * len(durations)))], 1)}  # fmt: skip


def table_bytes(fresh: Watched) -> int:
    """Return the compressed bytes of a table."""
    fresh.open("#/play")
    fresh.page.wait_for_selector(".hand .card")
    sizes = fresh.page.evaluate("() => performance.getEntriesByType('resource').map((entry) => entry.encodedBodySize)")
    page = fresh.page.evaluate("() => performance.getEntriesByType('navigation')[0].encodedBodySize")
    return int(sum(sizes) + page)


if __name__ == "__main__":
    main()
