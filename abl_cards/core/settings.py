"""Settings as frozen dataclasses: every field has a default and a description; read from ``key=value``.

>>> @dataclass(frozen=True)
... class Settings:
...     games: int = setting(1000, "whole matches")
...     agents: tuple[str, ...] = setting(("kb", "greedy"), "agents of the match")
>>> apply_settings(Settings(), ["games=2_000", "agents=kb random"])
Settings(games=2000, agents=('kb', 'random'))
>>> describe_settings(Settings())
[('games', '1000', 'whole matches'), ('agents', 'kb greedy', 'agents of the match')]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

from abl_cards.core.errors import ErrorCode, GameError

__all__ = [
    "SEED_RANGE",
    "UNIT_INTERVAL",
    "FloatRange",
    "SettingError",
    "apply_settings",
    "check_settings",
    "current_keys",
    "dataclass",
    "describe_settings",
    "format_value",
    "setting",
    "settings_to_json",
]

T = TypeVar("T")


class SettingError(ValueError):
    """An assignment ``key=value`` with an unknown key or a wrong value; the message is one line.

    Attributes:
        code: Kind of the error.
    """

    code = ErrorCode.INVALID_SETTING


@dataclass(frozen=True)
class FloatRange:
    """Range of finite numbers, bounds included."""

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high and isfinite(number)

    def __str__(self) -> str:
        if self.high == inf:
            return f"a number from {self.low:g} on"
        return f"a number from {self.low:g} to {self.high:g}"


UNIT_INTERVAL = FloatRange(0, 1)
"""Range of shares and probabilities."""
SEED_RANGE = range(1 << 63)
"""Range of seeds that every source of random numbers accepts."""


def setting(
    default: Any,
    doc: str,
    within: range | FloatRange | None = None,
    formerly: str | None = None,
    is_required: bool = False,
) -> Any:
    """Declare a field of a settings class.

    Args:
        default: Default value; a tuple for several values.
        doc: Description in one line, as ``--settings`` prints it.
        within: Allowed numbers; by default, counts are 1 or more and other numbers are not negative.
        formerly: Former key that files and command lines may still use.
        is_required: Whether a setting with several values needs at least one.

    Returns:
        A dataclass field.
    """
    metadata = {"doc": doc, "within": within, "formerly": formerly, "is_required": is_required}
    return field(default=default, metadata=metadata)


def current_keys(settings: Any, values: Mapping[str, T]) -> dict[str, T]:
    """Replace former keys by current ones.

    Args:
        settings: A settings class, or an object of one.
        values: Values by key, from a file or a command line.

    Returns:
        The values by current key; unknown keys stay.
    """
    former = {item.metadata.get("formerly"): item.name for item in fields(settings)}
    return {former.get(key, key): value for key, value in values.items()}


def apply_settings(defaults: T, assignments: Iterable[str], excluded: Collection[str] = ()) -> T:
    """Return settings with the values of ``key=value`` assignments.

    Args:
        defaults: Settings that hold the other values.
        assignments: Texts ``key=value``. Blanks separate the values of a tuple; ``none`` or nothing is None where the
            field allows it.
        excluded: Names of fields that cannot be set.

    Raises:
        SettingError: A key is unknown, or a value has the wrong type or range.
    """
    known = {item.name: item for item in fields(defaults) if item.name not in excluded}  # type: ignore[arg-type]
    former = {item.metadata.get("formerly"): name for name, item in known.items()}
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        key = former.get(key, key)
        if not equals or key not in known:
            raise SettingError(f"--set {assignment}: write KEY=VALUE, with a key out of {', '.join(known)}")
        kind, within = _type_name(known[key]), _range_of(known[key])
        try:
            values[key] = _parse_value(kind, text)
        except ValueError:
            finite = ", a finite number" if "float" in kind else ""
            raise SettingError(f"--set {assignment}: {key} is of type {kind}{finite}") from None
        if not _is_inside(values[key], within):
            raise SettingError(f"--set {assignment}: {key} is {_describe_range(within)}")
        if values[key] == () and known[key].metadata.get("is_required"):
            raise SettingError(f"--set {assignment}: {key} needs at least one value")
    return replace(defaults, **values)  # type: ignore[type-var]


def _type_name(setting: Field[Any]) -> str:
    """Return the type of a setting as its annotation is written, also where annotations are evaluated.

    >>> from dataclasses import make_dataclass
    >>> types = [("a", int), ("b", "int"), ("c", Path | None), ("d", tuple[str, ...])]
    >>> [_type_name(field) for field in fields(make_dataclass("Config", types))]
    ['int', 'int', 'Path | None', 'tuple[str, ...]']
    """
    kind: Any = setting.type
    return kind.__name__ if type(kind) is type else str(kind).replace("pathlib.", "")


def _range_of(setting: Field[Any]) -> range | FloatRange | None:
    """Return the range of a setting; by default numbers are not negative, and counts with default 1 or more stay so."""
    within: range | FloatRange | None = setting.metadata.get("within")
    kind = _type_name(setting).removesuffix(" | None").removeprefix("tuple[").partition(",")[0]
    if within is not None or kind not in ("int", "float"):
        return within
    if kind == "float":
        return FloatRange(0, inf)
    default: Any = setting.default
    smallest = min(default, default=1) if isinstance(default, tuple) else default
    return range(1 if smallest is None or smallest > 0 else 0, 1 << 63)


def check_settings(settings: Any) -> None:
    """Check types and ranges of settings that were made in Python.

    Args:
        settings: An object of a settings class.

    Raises:
        GameError: A value has the wrong type or range, or is an empty text in place of None.
    """
    for item in fields(settings):
        value, kind, within = getattr(settings, item.name), _type_name(item), _range_of(item)
        if isinstance(value, str) and not value and kind == "str | None":
            raise GameError(f"{item.name}='': give a text, or None", ErrorCode.INVALID_SETTING)
        if not _has_type(value, kind):
            raise GameError(f"{item.name}={value!r}: it is of type {kind}", ErrorCode.INVALID_SETTING)
        if not _is_inside(value, within):
            raise GameError(f"{item.name}={value!r}: it is {_describe_range(within)}", ErrorCode.INVALID_SETTING)
        if isinstance(value, tuple) and not value and item.metadata.get("is_required"):
            raise GameError(f"{item.name}=(): it needs at least one value", ErrorCode.INVALID_SETTING)


def _has_type(value: Any, kind: str) -> bool:
    """Return whether a value is of a type as its annotation is written; numbers of numpy count as numbers."""
    if kind.endswith(" | None"):
        return value is None or _has_type(value, kind.removesuffix(" | None"))
    if kind.startswith("tuple["):
        item_kind = kind.removeprefix("tuple[").partition(",")[0].removesuffix("]")
        return isinstance(value, tuple) and all(_has_type(item, item_kind) for item in value)
    if kind in ("int", "float"):
        return isinstance(value, Integral if kind == "int" else Real) and not isinstance(value, bool)
    return isinstance(value, {"bool": bool, "str": str, "Path": Path}.get(kind, object))


def _is_inside(value: Any, within: range | FloatRange | None) -> bool:
    if within is None or value is None:
        return True
    return all(item in within for item in (value if isinstance(value, tuple) else (value,)))


def _describe_range(within: range | FloatRange | None) -> str:
    return f"a whole number from {within[0]} to {within[-1]}" if isinstance(within, range) else str(within)


def _parse_value(kind: str, text: str) -> Any:
    if kind.endswith(" | None"):
        return None if text.lower() in ("", "none") else _parse_value(kind.removesuffix(" | None"), text)
    if kind.startswith("tuple["):
        item_kind = kind.removeprefix("tuple[").partition(",")[0]
        return tuple(_parse_value(item_kind, item) for item in text.split())
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
    """Return a value as text that `apply_settings` reads."""
    if isinstance(value, tuple):
        return " ".join(map(format_value, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def describe_settings(settings: Any, excluded: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """List the settings.

    Args:
        settings: The settings.
        excluded: Names of fields to leave out.

    Returns:
        Name, value as text and description of each field.
    """
    return [
        (item.name, format_value(getattr(settings, item.name)), str(item.metadata.get("doc", "")))
        for item in fields(settings)
        if item.name not in excluded
    ]


def settings_to_json(settings: Any) -> dict[str, Any]:
    """Return the settings as JSON values by name; paths are strings, tuples are lists."""

    def to_plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [to_plain(item) for item in value]
        return str(value) if isinstance(value, Path) else value

    return {item.name: to_plain(getattr(settings, item.name)) for item in fields(settings)}
