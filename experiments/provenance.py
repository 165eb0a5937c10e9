"""Provenance of results: the command that repeats the measurement, and digests of its inputs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from abl_cards.core import format_value

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


def rerun_command(name: str, settings: Any, defaults: Any) -> str:
    """Return the command for these settings, without those that have default values.

    >>> from abl_cards.experiments.big2_depth import EXPERIMENT
    >>> from dataclasses import replace
    >>> rerun_command("big2_depth", replace(EXPERIMENT.settings, depths=(4, 5), deals=20), EXPERIMENT.settings)
    "abl-cards run big2_depth --set 'depths=4 5' --set deals=20"
    """
    differ = [
        field.name for field in fields(settings) if getattr(settings, field.name) != getattr(defaults, field.name)
    ]
    words = [f"--set {shlex.quote(f'{key}={format_value(getattr(settings, key))}')}" for key in differ]
    return " ".join([f"abl-cards run {shlex.quote(name)}", *words])


def find_fingerprints(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and digests of rules, records, weights and agents among the inputs of a cell.

    In a pair, a digest belongs to the name before it. Digests in ``marks`` and ``mark`` belong to the list or name
    beside them. Any other digest is named by its key.

    >>> dict(find_fingerprints({"match": ["kb", "abl"], "marks": ["0123456789abcdef", "123456789abcdef0"], "seed": 1}))
    {'kb': '0123456789abcdef', 'abl': '123456789abcdef0'}
    >>> dict(find_fingerprints({"follow": "kb", "mark": "0123456789abcdef", "records": "123456789abcdef0"}))
    {'kb': '0123456789abcdef', 'records': '123456789abcdef0'}
    """
    names = next(iter(inputs.values()), None)
    for key, value in inputs.items():
        if key == "mark" and _is_fingerprint(value):
            yield (names if isinstance(names, str) else key), value
        elif key == "marks" and isinstance(value, list):
            beside = names if isinstance(names, list) and len(names) == len(value) else ["rules"] * len(value)
            yield from ((str(name), mark) for name, mark in zip(beside, value, strict=True) if _is_fingerprint(mark))
        else:
            yield from _find_nested(key, value)


def _find_nested(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if _is_fingerprint(value):
        yield key, value
    elif isinstance(value, Mapping):
        yield from find_fingerprints(value)
    elif isinstance(value, list | tuple):
        if len(value) == 2 and isinstance(value[0], str) and _is_fingerprint(value[1]):
            yield value[0], value[1]
        else:
            for item in value:
                yield from _find_nested(key, item)


def _is_fingerprint(value: Any) -> bool:
    return isinstance(value, str) and bool(_FINGERPRINT.fullmatch(value))
