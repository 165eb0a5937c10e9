"""Messages of the protocol out of a stream of bytes: headers in every legal form; what is none is refused, and passed.

A stream that has gone wrong is read on at the next Content-Length, as far as one can be found.
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
"""The field of what stands for a message that was refused, a code and a text; nobody else can write one."""
_MAX_LINE_BYTES = 1 << 13
_KEPT_BYTES = 64  # bytes of a line that is longer: a header may begin there
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
            return "charset: utf-8 is wanted"
        return ""


@dataclass
class FrameReader:
    """Reads messages in the form that pygls expects; rejected ones become an object with the reason."""

    stream: IO[bytes]
    _lines: list[bytes] = field(default_factory=list)  # that are waiting to be read
    _body: bytes = b""
    _resyncing: bool = False  # nothing but garbage since the last one that was refused

    def readline(self) -> bytes:
        """The next line of a header; nothing at the end of the stream."""
        if not self._lines:
            body = self._next_body()
            if body is None:
                return b""
            self._body, self._lines = body, [b"Content-Length: %d\r\n" % len(body), b"\r\n"]
        return self._lines.pop(0)

    def read(self, size: int) -> bytes:
        """The message behind a header."""
        return self._body

    def _next_body(self) -> bytes | None:
        """A message that is JSON, or what stands for one that was refused; None at the end of the stream."""
        while (head := self._read_header()) is not None:
            if head.problem:
                lost, self._resyncing = self._resyncing, True
                if head.length is None and lost:
                    continue  # still the same garbage
                return _refused_body(INVALID_REQUEST, head.problem)
            size = int(head.length or b"0")
            body = self.stream.read(size)
            if len(body) < size:
                return _refused_body(PARSE_ERROR, "the stream has ended within a message")
            self._resyncing = False
            return _check_body(body)
        return None

    def _read_header(self) -> _FrameHeader | None:
        """The lines up to a blank one; None at the end of the stream."""
        head, begun, rest = _FrameHeader(), False, b""
        while line := self.stream.readline(_MAX_LINE_BYTES):
            line, rest = rest + line, b""
            if not line.endswith(b"\n"):
                begun, rest = True, line[-_KEPT_BYTES:]
                continue
            if not line.strip():
                if begun:
                    return head
                continue
            begun = True
            _read_header_line(line, head)
        return head if head.length is not None else None


def _read_header_line(line: bytes, header: _FrameHeader) -> None:
    """Parse one header line; a length may follow garbage."""
    if (length := _CONTENT_LENGTH.search(line)) is not None:
        header.length = length[1]
    elif (charset := _CHARSET.match(line)) is not None:
        header.charset = charset[1]


def _check_body(body: bytes) -> bytes:
    """A message that can be read as JSON, or what stands for it."""
    try:
        text = body.decode("utf-8-sig")
        json.loads(text)
    except UnicodeDecodeError:
        return _refused_body(PARSE_ERROR, "not UTF-8 text")
    except RecursionError:
        return _refused_body(PARSE_ERROR, "nested too deeply")
    except ValueError as problem:
        return _refused_body(PARSE_ERROR, f"no JSON: {str(problem)[:200]}")
    return body if body[:1] != b"\xef" else text.encode()


def _refused_body(code: int, problem: str) -> bytes:
    return json.dumps({REFUSED_KEY: [code, problem]}).encode()
