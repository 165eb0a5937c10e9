"""One process of node that runs the modules of all tests: each in a thread of its own, with nothing from the others."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

from abl_cards.web.static_files import STATIC_FOLDER

_SERVER = """
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

function run(source) {
  return new Promise((done) => {
    let printed;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    const timer = setTimeout(() => worker.terminate(), 60_000);
    worker.on('message', (text) => { printed = text; });
    worker.on('error', (error) => done({ error: String(error?.stack ?? error) }));
    worker.on('exit', () => {
      clearTimeout(timer);
      done(printed === undefined ? { error: 'no output' } : { printed });
    });
  });
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\\n`);
"""
_PRELUDE = "import { parentPort } from 'node:worker_threads';\n"
_PRINT = "const print = (value) => parentPort.postMessage(JSON.stringify(value));\n"


@cache
def _node() -> subprocess.Popen[str]:
    """Start the process."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    return subprocess.Popen(
        [node, "--input-type=module", "-e", _SERVER],
        cwd=STATIC_FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip


def stop_node() -> None:
    """End the process, if there is one, so that its time is counted."""
    if _node.cache_info().currsize:
        _node().communicate()
        _node.cache_clear()


def run_module(imports: str, body: str, **values: Any) -> Any:
    """Run a module with the scripts of the page; ``input`` holds the values, ``print`` takes the result."""
    folder = STATIC_FOLDER.resolve().as_uri()
    code = f"{imports}{_PRELUDE}const input = {json.dumps(values)};\n{_PRINT}{body}"
    for opening in ("from '", "import('", "import '"):
        code = code.replace(f"{opening}./", f"{opening}{folder}/")
    process = _node()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{json.dumps(code)}\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "error" not in answer, answer["error"]
    return json.loads(answer["printed"])
