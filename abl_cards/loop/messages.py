"""What the processes of a run say to each other through their pipes: the bytes of ``archive``, one value after another.

The pipes are made by the process that starts the others and have no names, so only our own bytes arrive there. All the
same nothing that arrives is run: a dataclass travels as its plain values, and is made anew by who expects one.

>>> from learners.presets import PPO
>>> made(PPO, plain(PPO(batch=64))).batch
64
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import IO, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from abl_cards import archive
from abl_cards.loop.crew import Separated

T = TypeVar("T")


def send(stream: IO[bytes], what: Any) -> None:
    """Say something; raises Separated where nobody listens any more."""
    try:
        archive.write(stream, plain(what))
        stream.flush()
    except BrokenPipeError as problem:
        raise Separated(str(problem)) from problem


def receive(stream: IO[bytes]) -> Any:
    """What is said next, in plain values; raises Separated where nobody is there any more."""
    try:
        return archive.read(stream)
    except (EOFError, archive.Damaged) as problem:
        raise Separated(str(problem)) from problem


def plain(value: Any) -> Any:
    """A value without dataclasses and paths."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return type(value)(plain(each) for each in value)
    return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def made(kind: type[T], value: Any) -> T:
    """A value of a type from its plain form: dataclasses in dataclasses, paths, and what may be None."""
    anew: T = _made(kind, value)
    return anew


def _made(kind: Any, value: Any) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{each.name: _made(hints[each.name], value[each.name]) for each in fields(kind)})
    if get_origin(kind) in (Union, UnionType):
        (inner,) = (each for each in get_args(kind) if each is not NoneType)
        return None if value is None else _made(inner, value)
    return Path(value) if kind is Path else value
