"""Store results in a file of JSON lines, each with the inputs that it depends on, so that a run can continue.

A line is ``{"cell": INPUTS, "result": RESULT}``; a last line that a kill cut off is removed when the file is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abl_cards.core.arguments import check_path
from abl_cards.core.atomic_files import atomic_write, attribute_os_errors
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.jsonl import parse_json_line


def result_key(inputs: Mapping[str, Any]) -> str:
    """Return the key of a result.

    Args:
        inputs: Everything that the result depends on, as plain values.

    Returns:
        JSON text with sorted keys.

    Raises:
        GameError: The inputs are no plain values, or hold NaN or an infinity.
    """
    with _plain_values("the inputs of a result", inputs):
        return json.dumps(inputs, sort_keys=True, allow_nan=False)


@contextmanager
def _plain_values(what: str, inputs: Mapping[str, Any]) -> Iterator[None]:
    """Raise GameError where values cannot be stored such that they are read back."""
    try:
        yield
    except (TypeError, ValueError, RecursionError) as problem:
        text = f"{what} must be plain values: finite numbers, texts, truth values, None, lists and dictionaries"
        message = f"{text} ({problem}; inputs {inputs!r:.200})"
        raise GameError(message, ErrorCode.INVALID_RESULT) from problem


_former_fingerprints: dict[str, str] = {}
"""Fingerprints of the form before, made of the bytes of files, by those of today."""


def add_former_fingerprint(fingerprint: str, former: str) -> str:
    """Store the fingerprint that an earlier version computed for equal inputs.

    Args:
        fingerprint: Fingerprint of today.
        former: Fingerprint of the form before.

    Returns:
        The fingerprint of today.
    """
    _former_fingerprints[fingerprint] = former
    return fingerprint


def former_fingerprint(fingerprint: str) -> str:
    """Return the fingerprint that an earlier version stored for equal inputs, or the given one.

    Args:
        fingerprint: Fingerprint of today.
    """
    return _former_fingerprints.get(fingerprint, fingerprint)


def find_stored_inputs(results: Mapping[str, Any], inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the inputs under which a result is stored, with current or former fingerprints.

    Args:
        results: Results by ``result_key``.
        inputs: Everything that the result depends on, as plain values.

    Returns:
        The given inputs, unless results have those with former fingerprints only.
    """
    if result_key(inputs) in results:
        return inputs
    former: Mapping[str, Any] = _replace_fingerprints(json.loads(json.dumps(inputs)))
    return former if result_key(former) in results else inputs


def _replace_fingerprints(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_fingerprints(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_replace_fingerprints(item) for item in value]
    return former_fingerprint(value) if isinstance(value, str) else value


def append_result(file: str | Path, inputs: Mapping[str, Any], result: Any) -> Any:
    """Append a result to a file.

    Args:
        file: File of results; it is created where there is none.
        inputs: Everything that the result depends on, as plain values.
        result: Plain values.

    Returns:
        The result as ``read_results`` will return it.

    Raises:
        GameError: The result or its inputs are no plain values, or hold NaN or an infinity.
        OSError: The file cannot be written.
    """
    file = check_path("file", file)
    with _plain_values("a result and its inputs", inputs):
        stored = json.loads(json.dumps(result, allow_nan=False))
        line = json.dumps({"cell": dict(inputs), "result": stored}, ensure_ascii=False, allow_nan=False).encode()
    with attribute_os_errors(file), file.open("ab") as stream:
        stream.write(line + b"\n")
    return stored


def read_results(file: str | Path) -> dict[str, Any]:
    """Read all results of a file, and cut off a last line that is not complete.

    Args:
        file: File of results; a missing file holds none.

    Returns:
        Results by ``result_key`` of their inputs.

    Raises:
        GameError: A complete line is no result.
        OSError: The file cannot be read.
    """
    file = check_path("file", file)
    *lines, truncated = file.read_bytes().split(b"\n") if file.exists() else [b""]
    if truncated:
        with atomic_write(file) as stream:
            stream.writelines(line + b"\n" for line in lines)
    results = {}
    for number, line in enumerate(lines, 1):
        try:
            inputs, result = _parse_cell(parse_json_line(line))
            results[result_key(inputs)] = result
        except GameError as problem:
            message = f"{file}, line {number}: no measured cell ({problem}); remove the line or the file"
            raise GameError(message, ErrorCode.INVALID_RESULT) from None
    return results


def _parse_cell(value: Any) -> tuple[Mapping[str, Any], Any]:
    """Return the inputs and the result of a line. Raises GameError."""
    if not isinstance(value, dict) or not isinstance(value.get("cell"), dict) or "result" not in value:
        raise GameError('wanted {"cell": {…}, "result": …}', ErrorCode.INVALID_RESULT)
    return value["cell"], value["result"]
