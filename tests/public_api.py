"""Text form of the public API: the names of ``abl_cards.__all__`` with their signatures.

After a deliberate change, write it again and note the change in CHANGELOG.md:

    python -m tests.public_api
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abl_cards

FILE = Path(__file__).with_name("public_api.txt")


def render() -> str:
    """Return the public API as text, one name after the other."""
    return "\n".join(line for name in abl_cards.__all__ for line in _render_name(name, getattr(abl_cards, name))) + "\n"


def _render_name(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
        yield f"class {name}({bases})" if bases else f"class {name}"
        yield from (f"    {line}" for line in _render_members(value))
    elif callable(value):
        yield f"def {name}{_signature(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _render_members(cls: type) -> Iterator[str]:
    """Yield the constructor and the public members that the project defines, sorted by name."""
    fields: set[str] = set()
    if not issubclass(cls, enum.Enum):  # members of enumerations may be added
        yield f"__init__{_signature(cls)}"
        fields = set(inspect.signature(cls).parameters)
    members = {
        name: member
        for base in reversed(cls.__mro__)
        if base.__module__.startswith("abl_cards")
        for name, member in vars(base).items()
        if not name.startswith("_")
        and name not in fields
        and not (isinstance(member, cls) and issubclass(cls, enum.Enum))
    }
    for name, member in sorted(members.items()):
        if isinstance(member, staticmethod | classmethod):
            yield f"{type(member).__name__} {name}{_signature(member.__func__)}"
        elif inspect.isfunction(member):
            yield f"{name}{_signature(member)}"
        else:  # properties, cached properties, fields with a default
            annotations = getattr(getattr(member, "fget", None) or getattr(member, "func", None), "__annotations__", {})
            yield f"{name}: {annotations.get('return', inspect.get_annotations(cls).get(name, type(member).__name__))}"


def _signature(function: Any) -> str:
    """Return a signature with annotations as in the source, and without addresses of objects."""
    signature = inspect.signature(function)
    parameters = [item.replace(annotation=_as_text(item.annotation)) for item in signature.parameters.values()]
    text = str(signature.replace(parameters=parameters, return_annotation=_as_text(signature.return_annotation)))
    return re.sub(r" at 0x[0-9a-f]+>", ">", text).replace("PosixPath(", "Path(")


def _as_text(annotation: Any) -> Any:
    return _Text(annotation) if isinstance(annotation, str) else annotation


class _Text(str):
    """An annotation in source form, printed without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


if __name__ == "__main__":
    FILE.write_text(render(), "utf-8")
