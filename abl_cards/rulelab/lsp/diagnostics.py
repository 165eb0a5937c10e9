"""Publish diagnostics: of a text at every change, and of its folder, one at a time, when a file is saved."""

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
"""Largest text in characters that is checked while it is typed; longer ones are checked when they are saved."""


class DiagnosticsPublisher:
    """Publishes the current diagnostics of open files."""

    def __init__(self, server: LanguageServer) -> None:
        """Make a publisher of a server's diagnostics."""
        self._server = server
        self._executor = ThreadPoolExecutor(1, "check")
        self._pending_folders: dict[Path, str | None] = {}  # folders to check, with their profile
        self._saved_diagnostics: dict[Path, list[types.Diagnostic]] = {}  # by file, of the last check of its folder
        self._marked_files: dict[Path, set[Path]] = {}  # by folder, files with published diagnostics
        self._task: asyncio.Task[None] | None = None

    def on_change(self, path: Path, text: str) -> None:
        """Publish the errors of a text, or those of the last save if it has none."""
        problems = check_file_text(path, text) if len(text) <= MAX_TYPED_CHARS else []
        diagnostics = [
            to_lsp_diagnostic(problem, display_location(problem, path.parent), SourceText(text), self._server)
            for problem in problems
        ]
        self._publish(path, diagnostics or self._saved_diagnostics.get(path.resolve(), []))

    def on_save(self, path: Path) -> None:
        """Schedule a check of the folder of a file."""
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
        by_file: dict[Path, list[types.Diagnostic]] = {}
        texts: dict[str, SourceText] = {}
        for problem in problems:
            location = display_location(problem, folder)
            if location.file not in texts:
                texts[location.file] = _read_text(location.file)
            by_file.setdefault(Path(location.file), []).append(
                to_lsp_diagnostic(problem, location, texts[location.file], self._server)
            )
        for file in self._marked_files.get(folder, set()) | set(by_file):
            self._saved_diagnostics[file.resolve()] = by_file.get(file, [])
            self._publish(file, by_file.get(file, []))
        self._marked_files[folder] = set(by_file)

    def _publish(self, path: Path, diagnostics: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(path_to_uri(path), diagnostics))


def _read_text(path: str) -> SourceText:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return SourceText(read_regular_file(path, Limits().file_bytes).decode("utf-8-sig", "replace"))
    except OSError:  # deleted, or never a file
        return SourceText("")
