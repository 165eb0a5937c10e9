"""Read protocol messages from a stream of bytes; invalid ones are replaced by error objects.

After an invalid header, reading continues at the next Content-Length.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass, field
from typing import IO

MAX_MESSAGE_BYTES = 32 << 20
"""Size limit in bytes; editors send far less."""
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
REFUSED_KEY = f"refused {secrets.token_hex(8)}"
"""Field of the object that replaces a rejected message: code and text; random, so that clients cannot send it."""
_MAX_LINE_BYTES = 1 << 13
_KEPT_BYTES = 64  # last bytes kept of an overlong line, where a header may begin
_CONTENT_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n?$", re.IGNORECASE)
_CHARSET = re.compile(rb"content-type[ \t]*:.*charset[ \t]*=[ \t]*\"?([^\s;\"]*)", re.IGNORECASE)


@dataclass
class _FrameHeader:
    """Header lines of a message."""

    length: bytes | None = None
    charset: bytes = b"utf-8"

    @property
    def problem(self) -> str:
        """Error in the header, or an empty text."""
        if self.length is None:
            return "a message without Content-Length"
        if not self.length.isdigit() or not len(self.length.lstrip(b"0")) > 0:
            return "Content-Length: expected a number above 0"
        if len(self.length.lstrip(b"0")) > 10 or int(self.length) > MAX_MESSAGE_BYTES:
            return f"a message of more than {MAX_MESSAGE_BYTES >> 20} MiB"
        if self.charset.lower() not in (b"utf-8", b"utf8"):
            return "charset: expected utf-8"
        return ""


@dataclass
class FrameReader:
    """Reads messages in the form that pygls expects; rejected ones become an object with the reason."""

    stream: IO[bytes]
    _lines: list[bytes] = field(default_factory=list)  # header lines to return
    _body: bytes = b""
    _resyncing: bool = False  # no valid header since the last rejected one

    def readline(self) -> bytes:
        """Return the next line of a header; empty at the end of the stream."""
        if not self._lines:
            body = self._next_body()
            if body is None:
                return b""
            self._body, self._lines = body, [b"Content-Length: %d\r\n" % len(body), b"\r\n"]
        return self._lines.pop(0)

    def read(self, size: int) -> bytes:
        """Return the message after a header."""
        return self._body

    def _next_body(self) -> bytes | None:
        """Return a JSON message, or the error object of a rejected one; None at the end of the stream."""
        while (header := self._read_header()) is not None:
            if header.problem:
                was_resyncing, self._resyncing = self._resyncing, True
                if header.length is None and was_resyncing:
                    continue  # reported already
                return _refused_body(INVALID_REQUEST, header.problem)
            size = int(header.length or b"0")
            body = self.stream.read(size)
            if len(body) < size:
                return _refused_body(PARSE_ERROR, "the stream has ended within a message")
            self._resyncing = False
            return _check_body(body)
        return None

    def _read_header(self) -> _FrameHeader | None:
        """Read header lines up to a blank one; None at the end of the stream."""
        header, has_content, tail = _FrameHeader(), False, b""
        while line := self.stream.readline(_MAX_LINE_BYTES):
            line, tail = tail + line, b""
            if not line.endswith(b"\n"):
                has_content, tail = True, line[-_KEPT_BYTES:]
                continue
            if not line.strip():
                if has_content:
                    return header
                continue
            has_content = True
            _read_header_line(line, header)
        return header if header.length is not None else None


def _read_header_line(line: bytes, header: _FrameHeader) -> None:
    """Parse one header line; a length may follow garbage."""
    if (length := _CONTENT_LENGTH.search(line)) is not None:
        header.length = length[1]
    elif (charset := _CHARSET.match(line)) is not None:
        header.charset = charset[1]


def _check_body(body: bytes) -> bytes:
    """Return a message that is valid JSON, or the error object for it."""
    try:
        text = body.decode("utf-8-sig")
        json.loads(text)
    except UnicodeDecodeError:
        return _refused_body(PARSE_ERROR, "not UTF-8 text")
    except RecursionError:
        return _refused_body(PARSE_ERROR, "nested too deeply")
    except ValueError as error:
        return _refused_body(PARSE_ERROR, f"not JSON: {str(error)[:200]}")
    return body if body[:1] != b"\xef" else text.encode()


def _refused_body(code: int, problem: str) -> bytes:
    return json.dumps({REFUSED_KEY: [code, problem]}).encode()
