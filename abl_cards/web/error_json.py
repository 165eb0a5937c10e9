"""Errors as JSON values: a code and values, which the browser words, and the message for everybody else."""

from __future__ import annotations

import errno
import os
from typing import Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError

MAX_TEXT = 2000
_WRITE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}
HTTP_CODES = {
    403: ErrorCode.INVALID_KEY, 404: ErrorCode.NOT_FOUND, 413: ErrorCode.TOO_LARGE, 415: ErrorCode.INVALID_REQUEST,
}  # fmt: skip
"""Codes of errors by HTTP status."""


def hide_details(error: Exception) -> GameError:
    """Return an unexpected error as one for the browser, without the folders and the code of the server."""
    if isinstance(error, OSError) and error.errno in _WRITE_ERRORS:
        reason = os.strerror(error.errno)
        return GameError(f"the server cannot write a file: {reason}; see its log", ErrorCode.FILE_NOT_WRITTEN)
    return GameError("internal error; see the log of the server", ErrorCode.INTERNAL_ERROR)


def error_json(error: object) -> dict[str, Any]:
    """Return an error for the browser.

    Args:
        error: An error, or a message without a code.

    Returns:
        Code, values of its text, the message in English, and whether it is one of rule files.
    """
    code = str(error.code) if isinstance(error, GameError | KBError) else ""
    values = list(error.values) if isinstance(error, GameError) else []
    return {"code": code, "values": values, "text": str(error)[:MAX_TEXT], "rules": isinstance(error, KBError)}
