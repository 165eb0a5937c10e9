"""Settings as frozen dataclasses: every field has a default and a line that says what it is; read from ``key=value``.

>>> @dataclass(frozen=True)
... class Settings:
...     games: int = setting(1000, "whole matches")
...     agents: tuple[str, ...] = setting(("kb", "greedy"), "who plays")
>>> assign(Settings(), ["games=2_000", "agents=kb random"])
Settings(games=2000, agents=('kb', 'random'))
>>> described(Settings())
[('games', '1000', 'whole matches'), ('agents', 'kb greedy', 'who plays')]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import Field, dataclass, field, fields, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any, TypeVar

__all__ = [
    "SEEDS",
    "SHARE",
    "Between",
    "SettingError",
    "assign",
    "dataclass",
    "described",
    "plain",
    "setting",
    "written",
]

T = TypeVar("T")


class SettingError(ValueError):
    """A word that sets nothing, said in one line."""


@dataclass(frozen=True)
class Between:
    """Numbers with a fraction, from one to another."""

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        if self.high == inf:
            return f"a number from {self.low:g} on"
        return f"a number from {self.low:g} to {self.high:g}"


SHARE = Between(0, 1)
"""Of whatever there is."""
SEEDS = range(1 << 63)
"""What every source of random numbers takes."""


def setting(default: Any, doc: str, within: range | Between | None = None) -> Any:
    """A field with a line for the reader of ``--settings``, and the numbers that it may be."""
    return field(default=default, metadata={"doc": doc, "within": within})


def assign(defaults: T, words: Iterable[str], fixed: Collection[str] = ()) -> T:
    """Settings with the values that ``key=value`` words say, the fixed ones aside; raises SettingError.

    The values of a tuple are separated by blanks; ``none`` and nothing at all are None where a field may be that.
    """
    known = {each.name: each for each in fields(defaults) if each.name not in fixed}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in known:
            raise SettingError(f"--set {word}: write KEY=VALUE, with a key out of {', '.join(known)}")
        kind, within = str(known[key].type), _range_of(known[key])
        try:
            values[key] = _read(kind, text)
        except ValueError:
            raise SettingError(f"--set {word}: {key} is of type {kind}") from None
        if within is not None and values[key] is not None and not _inside(values[key], within):
            limits = f"a whole number from {within[0]} to {within[-1]}" if isinstance(within, range) else within
            raise SettingError(f"--set {word}: {key} is {limits}")
    return replace(defaults, **values)  # type: ignore[type-var]


def _range_of(setting: Field[Any]) -> range | Between | None:
    """Return the range of a setting. Where none is given numbers are not negative, and a count stays 1 or more."""
    within: range | Between | None = setting.metadata.get("within")
    kind = str(setting.type).removesuffix(" | None").removeprefix("tuple[").partition(",")[0]
    if within is not None or kind not in ("int", "float"):
        return within
    if kind == "float":
        return Between(0, inf)
    default: Any = setting.default
    least = min(default, default=1) if isinstance(default, tuple) else default
    return range(1 if least is None or least > 0 else 0, 1 << 63)


def _inside(value: Any, within: range | Between) -> bool:
    return all(each in within for each in (value if isinstance(value, tuple) else (value,)))


def _read(kind: str, text: str) -> Any:
    if kind.endswith(" | None"):
        return None if text.lower() in ("", "none") else _read(kind.removesuffix(" | None"), text)
    if kind.startswith("tuple["):
        each = kind.removeprefix("tuple[").partition(",")[0]
        return tuple(_read(each, word) for word in text.split())
    if kind == "bool":
        return _truth(text.lower())
    if kind == "int":
        return int(text.replace("_", ""))
    if kind == "float" and not isfinite(float(text)):
        raise ValueError(text)
    return {"float": float, "Path": Path}.get(kind, str)(text)


def _truth(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text in ("true", "1")


def written(value: Any) -> str:
    """A value as ``assign`` reads it."""
    if isinstance(value, tuple):
        return " ".join(map(written, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def described(settings: Any, fixed: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """Name, value and meaning of every setting."""
    return [
        (each.name, written(getattr(settings, each.name)), str(each.metadata.get("doc", "")))
        for each in fields(settings)
        if each.name not in fixed
    ]


def plain(settings: Any) -> dict[str, Any]:
    """The values as JSON has them."""

    def value(each: Any) -> Any:
        return (
            [value(part) for part in each] if isinstance(each, tuple) else str(each) if isinstance(each, Path) else each
        )

    return {each.name: value(getattr(settings, each.name)) for each in fields(settings)}
