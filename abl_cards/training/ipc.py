"""What the processes of a run say to each other through their pipes: the bytes of ``archive``, one value after another.

The pipes are made by the process that starts the others and have no names, so only our own bytes arrive there. All the
same nothing that arrives is run: a dataclass travels as its plain values, and is made anew by who expects one.

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
    """Say something; raises PeerLost where nobody listens any more."""
    try:
        write_archive(stream, to_plain(value))
        stream.flush()
    except BrokenPipeError as problem:
        raise PeerLost(str(problem)) from problem


def receive(stream: IO[bytes]) -> Any:
    """What is said next, in plain values; raises PeerLost where nobody is there any more."""
    try:
        return read_archive(stream)
    except (EOFError, ArchiveError) as problem:
        raise PeerLost(str(problem)) from problem


def to_plain(value: Any) -> Any:
    """A value without dataclasses and paths."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return type(value)(to_plain(each) for each in value)
    return {key: to_plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def from_plain(value_type: type[T], value: Any) -> T:
    """A value of a type from its plain form: dataclasses in dataclasses, paths, and what may be None."""
    anew: T = _from_plain(value_type, value)
    return anew


def _from_plain(value_type: Any, value: Any) -> Any:
    if is_dataclass(value_type) and isinstance(value_type, type):
        hints = get_type_hints(value_type)
        return value_type(**{each.name: _from_plain(hints[each.name], value[each.name]) for each in fields(value_type)})
    if get_origin(value_type) in (Union, UnionType):
        (inner,) = (each for each in get_args(value_type) if each is not NoneType)
        return None if value is None else _from_plain(inner, value)
    return Path(value) if value_type is Path else value
