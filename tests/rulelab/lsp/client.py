"""Client of the language server, which runs as a separate process."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.in_process import LOW_LIMITS

PROGRAM = f"""
from abl_cards.asp import Limits
Limits.__init__.__defaults__ = {LOW_LIMITS}
from abl_cards.cli import main
main()
"""
"""The command, with limits that hostile rules exceed soon."""

PATIENCE = 120.0
"""Time limit of an answer in seconds."""


class Editor:
    """Server process with its received messages."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", PROGRAM, "lsp"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )
        self._received: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["result"]
        self.notify("initialized", {})

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                self._received.put(None)
                return
            self._received.put(json.loads(stream.read(length)))

    def send(self, data: bytes, header: bytes | None = None) -> None:
        """Send bytes with a header."""
        assert self._process.stdin is not None
        self._process.stdin.write((header or b"Content-Length: %d\r\n\r\n" % len(data)) + data)
        self._process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and return its answer; other messages are skipped."""
        self._number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode())
        return self.receive(lambda message: message.get("id") == self._number)

    def receive(self, condition: Any) -> dict[str, Any]:
        """Return the next message that satisfies a condition."""
        while True:
            message = self._received.get(timeout=PATIENCE)
            if message is None:
                raise EOFError("the server has gone")
            if condition(message):
                return message

    def diagnostics(self, file: Path, condition: Any = lambda items: True) -> list[dict[str, Any]]:
        """Return the next diagnostics of a file that satisfy a condition."""

        def matches(message: dict[str, Any]) -> bool:
            params = message.get("params") or {}
            named = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == file.as_uri()
            return named and condition(params["diagnostics"])

        items: list[dict[str, Any]] = self.receive(matches)["params"]["diagnostics"]
        return items

    def open(self, file: Path) -> None:
        document = {"uri": file.as_uri(), "languageId": "clingo", "version": 1, "text": file.read_text("utf-8")}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, file: Path, text: str, version: int) -> None:
        document = {"uri": file.as_uri(), "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def save(self, file: Path) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})

    def close(self) -> int:
        """Shut the server down by the protocol; return its exit code."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self._process.wait(PATIENCE)

    def wait_for_exit(self) -> int:
        """Close the stream; return the exit code of the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(PATIENCE)
        assert self._process.stderr is not None
        self._process.stderr.close()
        return code
