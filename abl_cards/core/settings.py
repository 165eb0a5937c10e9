"""Settings as frozen dataclasses: every field has a default and a line that says what it is; read from ``key=value``.

>>> @dataclass(frozen=True)
... class Settings:
...     games: int = setting(1000, "whole matches")
...     agents: tuple[str, ...] = setting(("kb", "greedy"), "who plays")
>>> apply_settings(Settings(), ["games=2_000", "agents=kb random"])
Settings(games=2000, agents=('kb', 'random'))
>>> describe_settings(Settings())
[('games', '1000', 'whole matches'), ('agents', 'kb greedy', 'who plays')]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any, TypeVar

__all__ = [
    "SEED_RANGE",
    "UNIT_INTERVAL",
    "FloatRange",
    "SettingError",
    "apply_settings",
    "current_keys",
    "dataclass",
    "describe_settings",
    "format_value",
    "setting",
    "settings_to_json",
]

T = TypeVar("T")


class SettingError(ValueError):
    """A word that sets nothing, said in one line."""


@dataclass(frozen=True)
class FloatRange:
    """Numbers with a fraction, from one to another."""

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        if self.high == inf:
            return f"a number from {self.low:g} on"
        return f"a number from {self.low:g} to {self.high:g}"


UNIT_INTERVAL = FloatRange(0, 1)
"""Of whatever there is."""
SEED_RANGE = range(1 << 63)
"""What every source of random numbers takes."""


def setting(default: Any, doc: str, within: range | FloatRange | None = None, formerly: str | None = None) -> Any:
    """Make a field of settings.

    Args:
        default: its value where none is given.
        doc: a line for the reader of ``--settings``.
        within: the numbers that it may be.
        formerly: a key that files and command lines may still give it by.
    """
    return field(default=default, metadata={"doc": doc, "within": within, "formerly": formerly})


def current_keys(settings: Any, values: Mapping[str, T]) -> dict[str, T]:
    """Return values by the keys that a settings class has now, where a file or command line has former ones."""
    former = {each.metadata.get("formerly"): each.name for each in fields(settings)}
    return {former.get(key, key): value for key, value in values.items()}


def apply_settings(defaults: T, assignments: Iterable[str], excluded: Collection[str] = ()) -> T:
    """Settings with the values that ``key=value`` words say, the fixed ones aside; raises SettingError.

    The values of a tuple are separated by blanks; ``none`` and nothing at all are None where a field may be that.
    """
    known = {each.name: each for each in fields(defaults) if each.name not in excluded}  # type: ignore[arg-type]
    former = {each.metadata.get("formerly"): name for name, each in known.items()}
    values: dict[str, Any] = {}
    for word in assignments:
        key, equals, text = word.partition("=")
        key = former.get(key, key)
        if not equals or key not in known:
            raise SettingError(f"--set {word}: write KEY=VALUE, with a key out of {', '.join(known)}")
        kind, within = str(known[key].type), _range_of(known[key])
        try:
            values[key] = _parse_value(kind, text)
        except ValueError:
            raise SettingError(f"--set {word}: {key} is of type {kind}") from None
        if within is not None and values[key] is not None and not _is_inside(values[key], within):
            limits = f"a whole number from {within[0]} to {within[-1]}" if isinstance(within, range) else within
            raise SettingError(f"--set {word}: {key} is {limits}")
    return replace(defaults, **values)  # type: ignore[type-var]


def _range_of(setting: Field[Any]) -> range | FloatRange | None:
    """Return the range of a setting. Where none is given numbers are not negative, and a count stays 1 or more."""
    within: range | FloatRange | None = setting.metadata.get("within")
    kind = str(setting.type).removesuffix(" | None").removeprefix("tuple[").partition(",")[0]
    if within is not None or kind not in ("int", "float"):
        return within
    if kind == "float":
        return FloatRange(0, inf)
    default: Any = setting.default
    least = min(default, default=1) if isinstance(default, tuple) else default
    return range(1 if least is None or least > 0 else 0, 1 << 63)


def _is_inside(value: Any, within: range | FloatRange) -> bool:
    return all(each in within for each in (value if isinstance(value, tuple) else (value,)))


def _parse_value(kind: str, text: str) -> Any:
    if kind.endswith(" | None"):
        return None if text.lower() in ("", "none") else _parse_value(kind.removesuffix(" | None"), text)
    if kind.startswith("tuple["):
        each = kind.removeprefix("tuple[").partition(",")[0]
        return tuple(_parse_value(each, word) for word in text.split())
    if kind == "bool":
        return _parse_bool(text.lower())
    if kind == "int":
        return int(text.replace("_", ""))
    if kind == "float" and not isfinite(float(text)):
        raise ValueError(text)
    return {"float": float, "Path": Path}.get(kind, str)(text)


def _parse_bool(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text in ("true", "1")


def format_value(value: Any) -> str:
    """A value as ``apply_settings`` reads it."""
    if isinstance(value, tuple):
        return " ".join(map(format_value, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def describe_settings(settings: Any, excluded: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """Name, value and meaning of every setting."""
    return [
        (each.name, format_value(getattr(settings, each.name)), str(each.metadata.get("doc", "")))
        for each in fields(settings)
        if each.name not in excluded
    ]


def settings_to_json(settings: Any) -> dict[str, Any]:
    """The values as JSON has them."""

    def value(each: Any) -> Any:
        return (
            [value(part) for part in each] if isinstance(each, tuple) else str(each) if isinstance(each, Path) else each
        )

    return {each.name: value(getattr(settings, each.name)) for each in fields(settings)}
