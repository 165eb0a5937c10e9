"""Diagnostics: of the text at every change, of the whole folder when a file is saved, one folder after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from abl_cards.lab.book import folder_of
from abl_cards.lab.checking import anywhere, checked, typed
from abl_cards.lab.tokens import Text
from abl_cards.logic import Diagnostic, Limits
from abl_cards.logic.files import read_regular
from abl_cards.lsp.desk import told, uri_of

LONGEST_TYPED = 1 << 18
"""Characters; longer files are looked at when they are saved."""


class Checks:
    """What is wrong, as far as it is known."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is known yet."""
        self._server = server
        self._one = ThreadPoolExecutor(1, "check")
        self._waiting: dict[Path, str | None] = {}  # folders to be checked, and by which profile
        self._saved: dict[Path, list[types.Diagnostic]] = {}  # by file, of the last whole check
        self._marked: dict[Path, set[Path]] = {}  # by folder, the files that something was said of
        self._task: asyncio.Task[None] | None = None

    def typed(self, path: Path, text: str) -> None:
        """Say what is wrong with a text as it is; what was wrong when it was saved stands beside it."""
        now = typed(path, text) if len(text) <= LONGEST_TYPED else []
        found = [told(each, anywhere(each, path.parent), Text(text), self._server) for each in now]
        self._publish(path, found or self._saved.get(path.resolve(), []))

    def saved(self, path: Path) -> None:
        """Check the folder of a file, as soon as those before are done."""
        profile = path.stem if path.parent.name == "profiles" else None
        self._waiting[folder_of(path)] = profile
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._waiting:
            folder, profile = self._waiting.popitem()
            problems = await asyncio.get_running_loop().run_in_executor(self._one, checked, folder, profile)
            self._show(folder, problems)

    def _show(self, folder: Path, problems: Sequence[Diagnostic]) -> None:
        found: dict[Path, list[types.Diagnostic]] = {}
        texts: dict[str, Text] = {}
        for each in problems:
            where = anywhere(each, folder)
            if where.file not in texts:
                texts[where.file] = _text_of(where.file)
            found.setdefault(Path(where.file), []).append(told(each, where, texts[where.file], self._server))
        for file in self._marked.get(folder, set()) | set(found):
            self._saved[file.resolve()] = found.get(file, [])
            self._publish(file, found.get(file, []))
        self._marked[folder] = set(found)

    def _publish(self, path: Path, found: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri_of(path), found))


def _text_of(path: str) -> Text:
    """The text that was checked, as far as it can be read."""
    try:
        return Text(read_regular(path, Limits().file_bytes).decode("utf-8-sig", "replace"))
    except OSError:  # gone by now, or never a file
        return Text("")
