"""Diagnostics: of the text at every change, of the whole folder when a file is saved, one folder after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from abl_cards.asp import Diagnostic, Limits, read_regular_file
from abl_cards.rulelab.editor import SourceText, check_file_text, check_folder, display_location, find_rule_folder
from abl_cards.rulelab.lsp.workspace import path_to_uri, to_lsp_diagnostic

MAX_TYPED_CHARS = 1 << 18
"""Characters; longer files are looked at when they are saved."""


class DiagnosticsPublisher:
    """Publishes the current diagnostics of open files."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is known yet."""
        self._server = server
        self._executor = ThreadPoolExecutor(1, "check")
        self._pending_folders: dict[Path, str | None] = {}  # folders to be checked, and by which profile
        self._saved_diagnostics: dict[Path, list[types.Diagnostic]] = {}  # by file, of the last whole check
        self._marked_files: dict[Path, set[Path]] = {}  # by folder, the files that something was said of
        self._task: asyncio.Task[None] | None = None

    def on_change(self, path: Path, text: str) -> None:
        """Say what is wrong with a text as it is; what was wrong when it was saved stands beside it."""
        now = check_file_text(path, text) if len(text) <= MAX_TYPED_CHARS else []
        found = [
            to_lsp_diagnostic(each, display_location(each, path.parent), SourceText(text), self._server) for each in now
        ]
        self._publish(path, found or self._saved_diagnostics.get(path.resolve(), []))

    def on_save(self, path: Path) -> None:
        """Check the folder of a file, as soon as those before are done."""
        profile = path.stem if path.parent.name == "profiles" else None
        self._pending_folders[find_rule_folder(path)] = profile
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._check_pending())

    async def _check_pending(self) -> None:
        while self._pending_folders:
            folder, profile = self._pending_folders.popitem()
            problems = await asyncio.get_running_loop().run_in_executor(self._executor, check_folder, folder, profile)
            self._publish_folder(folder, problems)

    def _publish_folder(self, folder: Path, problems: Sequence[Diagnostic]) -> None:
        found: dict[Path, list[types.Diagnostic]] = {}
        texts: dict[str, SourceText] = {}
        for each in problems:
            where = display_location(each, folder)
            if where.file not in texts:
                texts[where.file] = _read_text(where.file)
            found.setdefault(Path(where.file), []).append(
                to_lsp_diagnostic(each, where, texts[where.file], self._server)
            )
        for file in self._marked_files.get(folder, set()) | set(found):
            self._saved_diagnostics[file.resolve()] = found.get(file, [])
            self._publish(file, found.get(file, []))
        self._marked_files[folder] = set(found)

    def _publish(self, path: Path, found: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(path_to_uri(path), found))


def _read_text(path: str) -> SourceText:
    """The text that was checked, as far as it can be read."""
    try:
        return SourceText(read_regular_file(path, Limits().file_bytes).decode("utf-8-sig", "replace"))
    except OSError:  # gone by now, or never a file
        return SourceText("")
