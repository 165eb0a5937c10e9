"""Messages between the processes of a run, through pipes: one archive after another.

The pipes have no names, so only these processes can write to them. Received data is never executed: a dataclass is
sent as plain values, and a receiver that expects the class makes it again.

>>> from abl_cards.learners import PPOConfig
>>> from_plain(PPOConfig, to_plain(PPOConfig(minibatch_size=64))).minibatch_size
64
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import IO, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from abl_cards.core import ArchiveError, read_archive, write_archive
from abl_cards.training.process_group import PeerLost

T = TypeVar("T")


def send(stream: IO[bytes], value: Any) -> None:
    """Send a value; raises PeerLost where the pipe is closed."""
    try:
        write_archive(stream, to_plain(value))
        stream.flush()
    except BrokenPipeError as problem:
        raise PeerLost(str(problem)) from problem


def receive(stream: IO[bytes]) -> Any:
    """Return the next value in plain form; raises PeerLost where the pipe is closed."""
    try:
        return read_archive(stream)
    except (EOFError, ArchiveError) as problem:
        raise PeerLost(str(problem)) from problem


def to_plain(value: Any) -> Any:
    """Return a value with dataclasses as dictionaries and paths as texts.

    Args:
        value: Nested values.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return type(value)(to_plain(item) for item in value)
    return {key: to_plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def from_plain(value_type: type[T], value: Any) -> T:
    """Return a value of a type from its plain form.

    Args:
        value_type: A dataclass, ``Path``, an optional of these, or any other type, which is left as it is.
        value: The plain form.
    """
    anew: T = _from_plain(value_type, value)
    return anew


def _from_plain(value_type: Any, value: Any) -> Any:
    if is_dataclass(value_type) and isinstance(value_type, type):
        hints = get_type_hints(value_type)
        return value_type(
            **{field.name: _from_plain(hints[field.name], value[field.name]) for field in fields(value_type)}
        )
    if get_origin(value_type) in (Union, UnionType):
        (inner,) = (option for option in get_args(value_type) if option is not NoneType)
        return None if value is None else _from_plain(inner, value)
    return Path(value) if value_type is Path else value
