"""Errors as JSON values: a code and values, which the browser words, and the message for everybody else."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError

MAX_TEXT = 2000
_WRITE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}
HTTP_CODES = {
    403: ErrorCode.INVALID_KEY, 404: ErrorCode.NOT_FOUND, 413: ErrorCode.TOO_LARGE, 429: ErrorCode.TOO_MANY_REQUESTS,
}  # fmt: skip
"""Codes of errors by HTTP status; ``invalid-request`` for any other."""


def hide_details(error: Exception) -> GameError:
    """Return an unexpected error as one for the browser, without the folders and the code of the server."""
    if isinstance(error, OSError) and error.errno in _WRITE_ERRORS:
        reason = os.strerror(error.errno)
        return GameError(f"the server cannot write a file: {reason}; see its log", ErrorCode.FILE_NOT_WRITTEN)
    return GameError("internal error; see the log of the server", ErrorCode.INTERNAL_ERROR)


def error_text(error: object) -> str:
    """Return the message of an error; of one of rule files without the folders of the server, such as that of a draft.

    The temporary folder of a draft has most of its secret name.
    """
    text = str(error)
    files = {item.location.file for item in error.diagnostics if item.location} if isinstance(error, KBError) else set()
    for folder in sorted({re.split(r"[^/\\]*$", file)[0] for file in files} - {""}, key=len):
        text = text.replace(folder, "")
    return text[:MAX_TEXT]


def error_line(error: object) -> str:
    """Return the first line of the message of an error; empty for None."""
    return "" if error is None else error_text(error).partition("\n")[0]


def error_json(error: object) -> dict[str, Any]:
    """Return an error for the browser.

    Args:
        error: An error, or a message without a code.

    Returns:
        Code, values of its text, the message in English, and whether it is one of rule files.
    """
    code = str(error.code) if isinstance(error, GameError | KBError) else ""
    values = list(error.values) if isinstance(error, GameError) else []
    return {"code": code, "values": values, "text": error_text(error), "rules": isinstance(error, KBError)}


def refuse_request(
    path: str, status: int, text: str, code: ErrorCode | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response to a request that is refused: JSON for the paths of the API, else plain text.

    Args:
        path: Path of the request.
        status: HTTP status.
        text: Message in English.
        code: Code of the error; by default that of the status.
        headers: More headers of the response.
    """
    if not path.startswith("/api/"):
        return PlainTextResponse(text, status, headers)
    answer = {"error": text, "code": code or HTTP_CODES.get(status, ErrorCode.INVALID_REQUEST), "values": []}
    return JSONResponse(answer, status, {"cache-control": "no-store", **(headers or {})})
