"""Classes of custom networks, as weights cards name them. Nothing is ever imported by these names."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners.network_parts import NetworkParts


def describe_parts(parts: NetworkParts) -> dict[str, dict[str, str | None]]:
    """Return class and file of each custom network, as cards hold them.

    Args:
        parts: The custom networks.
    """
    return {
        name: {"class": class_name(part.model_class), "file": class_file(part.model_class)}
        for name, part in parts.items()
    }


def class_name(model_class: type) -> str:
    """Return the dotted name of a class, as cards hold it."""
    return f"{model_class.__module__}.{model_class.__qualname__}"


def class_file(model_class: type) -> str | None:
    """Return the name of the file that defines a class; None where there is none, as in a console."""
    try:
        file = inspect.getsourcefile(model_class)
    except (TypeError, OSError):  # a class of a console, or of a notebook
        return None
    return None if file is None or file.startswith("<") else Path(file).name


def check_class(file: Path, saved: str, model_class: type) -> None:
    """Raise GameError where weights were saved for a class of another name; its module may have moved."""
    if saved.rpartition(".")[2] != class_name(model_class).rpartition(".")[2]:
        message = f"{file}: weights of {saved}, not of {class_name(model_class)}"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH)


def check_classes(file: Path, own: Mapping[str, Mapping[str, str | None]], parts: NetworkParts) -> None:
    """Check that custom networks are those of a file of weights.

    Args:
        file: The file of weights, for messages.
        own: Class and file of each custom network in it, by its name.
        parts: The networks that are given.

    Raises:
        GameError: One is missing (code ``model-class-needed``), or of another class (``weights-mismatch``).
    """
    given = dict(parts.items())
    if missing := [name for name in own if name not in given]:
        options = ",".join(f"{name}={_class_spec(own[name])}" for name in own)
        raise GameError(
            f"{file}: weights of {own[missing[0]]['class']}, a network of your own: name the file of its class, "
            f"abl:weights={file},{options}",
            ErrorCode.MODEL_CLASS_NEEDED,
        )
    if unknown := [name for name in given if name not in own]:
        message = f"{file}: the {unknown[0]} in it is that of the preset; leave {unknown[0]}= out"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH)
    for name, part in given.items():
        check_class(file, own[name]["class"] or "", part.model_class)


def _class_spec(own: Mapping[str, str | None]) -> str:
    """Return how the class of a network is named in the option of an agent: ``FILE.py:CLASS``."""
    return f"{own['file'] or 'FILE.py'}:{(own['class'] or '').rpartition('.')[2]}"
