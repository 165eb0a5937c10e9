"""Short requests of the laboratory: files, effects of an edit on positions, reasons, weights, words."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from abl_cards.asp import Diagnostic
from abl_cards.core import ErrorCode, GameError, shared_budget
from abl_cards.matches import normalise_records
from abl_cards.rulelab.editor import (
    MAX_DRAFT_FILES,
    RuleDraft,
    compare_positions,
    describe_rules,
    display_location,
    editor_time_limit,
    is_error,
    own_texts,
)
from abl_cards.web import lab_diff, lab_editor, lab_jobs, lab_reasons, schemas
from abl_cards.web.error_json import error_line
from abl_cards.web.lab_positions import choose_positions, comparison_json, moves_json
from abl_cards.web.limits import MAX_BODY_BYTES
from abl_cards.web.reviews import parse_numbered_records
from abl_cards.web.texts import deck_json

MAX_RECORDS = 2000
MAX_PROBLEMS = 200
_Handler = Callable[[RuleDraft, dict[str, Any]], dict[str, Any]]


def handle(action: str, draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Handle a request; the answer has a mark ``refused`` if the last valid version of the rules was used.

    Args:
        action: One of ACTIONS.
        draft: Rules that are being edited, by the profile of the request.
        request: Fields of the request.

    Returns:
        The answer as JSON.

    Raises:
        GameError: The request is invalid.
        KBError: The rules have errors, and the request needs the current ones.
    """
    handler, draft.compile_error = ACTIONS[action], None
    with editor_time_limit() if handler in _EDITOR_HANDLERS else shared_budget():
        answer = handler(draft, request)
    return answer | ({"refused": error_line(draft.compile_error)} if draft.compile_error is not None else {})


def files_json(draft: RuleDraft) -> list[dict[str, Any]]:
    """Return the files of a draft."""
    return [file.to_json() for file in draft.files]


def _diagnostic_json(draft: RuleDraft, problem: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as JSON; files of the draft by relative path, others by name."""
    location = display_location(problem, draft.folder)
    path = Path(location.file)
    is_own = path.is_relative_to(draft.folder)
    return {
        "file": path.relative_to(draft.folder).as_posix() if is_own else path.name, "own": is_own,
        "line": location.line, "column": location.column, "end_line": location.end_line,
        "end_column": location.end_column, "error": is_error(problem), "text": problem.message,
        "remedy": problem.remedy, "code": str(problem.code),
    }  # fmt: skip


def _version(draft: RuleDraft) -> str:
    """Return a digest of the own files; equal texts give equal digests."""
    return hashlib.sha256(json.dumps(sorted(own_texts(draft).items())).encode()).hexdigest()[:12]


def _look(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the problems of the folder, and the changes in the given positions by its last valid version."""
    states, started_at = lab_jobs.get_states(request), time.perf_counter()
    after = draft.last_valid_engine
    error = draft.compile_error
    problems = after.rules.kb.warnings if error is None else error.diagnostics
    before = draft.original_engine
    pinned = [comparison_json(before, after, item) for item in compare_positions(before, after, states)]
    return {
        "files": files_json(draft), "problems": [_diagnostic_json(draft, item) for item in problems[:MAX_PROBLEMS]],
        "pinned": pinned, "deck": deck_json(after.rules), "version": _version(draft),
        "seconds": round(time.perf_counter() - started_at, 3),
    }  # fmt: skip


def _list_moves(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the legal moves of a position in words."""
    return {"moves": moves_json(draft.last_valid_engine, _get_state(request))}


def _sample(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return a position of play."""
    seed = schemas.get_int(request, "seed", 0, 10**6, 0)
    return {"states": choose_positions(draft.original_engine, 1, seed)}


def _own_files(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the own files of a draft, for a link that contains them, and for copies in a browser."""
    return {"game": draft.original_game.name, "files": own_texts(draft), "version": _version(draft)}


def _read(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"text": draft.read(schemas.get_text(request, "name"))}


def _write(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.write(schemas.get_text(request, "name"), schemas.get_text(request, "text", max_length=MAX_BODY_BYTES))
    return _look(draft, request)


def _revert(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    draft.revert(schemas.get_text(request, "name"))
    return _look(draft, request)


def _restore(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Replace all own files by those of an earlier version."""
    draft.restore(get_files(request))
    return _look(draft, request)


def _check(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    return {"problems": [_diagnostic_json(draft, problem) for problem in draft.check()[:MAX_PROBLEMS]]}


def _explain_play(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Explain why a play is legal or not, by the original and by the edited rules."""
    return lab_reasons.compare_reasons(draft, _get_state(request), schemas.get_text(request, "play"))


def _get_state(request: dict[str, Any]) -> dict[str, Any]:
    state = request.get("state")
    if not isinstance(state, dict):
        raise GameError("state: expected a position", ErrorCode.INVALID_REQUEST)
    return state


def _diff(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Return the lines that differ from the opened version, or from the parent game."""
    base = schemas.get_text(request, "base", lab_diff.OPENED)
    return {"base": base, "files": lab_diff.compare_files(draft, base)}


def _replay(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    """Replay records under the edited rules; returns how many agree, and the first lines that do not."""
    parsed = parse_numbered_records(schemas.get_text(request, "text", max_length=MAX_BODY_BYTES), MAX_RECORDS)
    records = [
        {name: value for name, value in record.items() if name != "game"}  # the draft has another name
        for record in parsed.values()
    ]
    result, lines = draft.last_valid_engine.replay(normalise_records(draft.last_valid_engine, records)), list(parsed)
    mismatches = [{"line": lines[mismatch.line - 1], "text": mismatch.text} for mismatch in result.mismatches[:50]]
    return {
        "episodes": result.episodes,
        "plays": result.plays,
        "different": len(result.mismatches),
        "first": mismatches,
    }


def _rules_text(draft: RuleDraft, request: dict[str, Any]) -> dict[str, Any]:
    language = schemas.get_language(request)
    return {"sections": [section.to_json() for section in describe_rules(draft.last_valid_engine, language)]}


def get_files(request: dict[str, Any]) -> dict[str, str]:
    """Return the rule files of a request by name; raises GameError."""
    files = request.get("files", {})
    if not isinstance(files, dict) or len(files) > MAX_DRAFT_FILES:
        raise GameError(f"files: expected at most {MAX_DRAFT_FILES} texts by name", ErrorCode.INVALID_REQUEST)
    return {name: schemas.get_text(files, name, max_length=MAX_BODY_BYTES) for name in files}


ACTIONS: Mapping[str, _Handler] = {
    "look": _look, "moves": _list_moves, "sample": _sample, "read": _read, "own": _own_files, "write": _write,
    "revert": _revert, "restore": _restore, "check": _check, "why": _explain_play, "diff": _diff, "replay": _replay,
    "words": _rules_text, "typed": lab_editor.check_syntax, "complete": lab_editor.complete,
    "hover": lab_editor.hover, "define": lab_editor.find_definitions, "rename": lab_editor.rename,
    "weights": lab_jobs.weights_json, "weigh": lab_jobs.compare_weights, "reweigh": lab_jobs.save_weights,
}  # fmt: skip
"""Short requests by name."""
_EDITOR_HANDLERS = (
    lab_editor.check_syntax,
    lab_editor.complete,
    lab_editor.hover,
    lab_editor.find_definitions,
    lab_editor.rename,
)
