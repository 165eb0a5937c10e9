"""The rules of a run, known by what stands in their files: it goes on by those that it began with, or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.open_rules import OpenRules

Contents = Mapping[str, str]
"""Digests of the rule files by their names, wherever the folder lies, and of constants that are given besides."""

_CONSTANTS = "constants"
_PROFILES = "profiles"


def contents_of(engine: Engine, clingo: Path | None = None) -> Contents:
    """What the rules of an engine are, and those that clingo judges by."""
    kb = engine.judge().kb
    found = {_name(file): _digest(file.read_bytes()) for file in kb.files}
    if clingo is not None:
        asked = OpenRules(Folder(clingo), engine.rules.profile).request().files
        found |= {f"clingo/{_name(file)}": _digest(file.read_bytes()) for file in asked}
    given = sorted(f"{name}={value}" for name, value in kb.constants.items())
    return found | ({_CONSTANTS: _digest("\n".join(given).encode())} if given else {})


def same_rules(begun: Contents, now: Contents) -> None:
    """Raise GameError where what began by some rules would go on by others; it says in which files they differ."""
    changed = [f"{name} has changed" for name in begun if name in now and now[name] != begun[name]]
    changed += [f"{name} is gone" for name in begun if name not in now]
    changed += [f"{name} is new" for name in now if name not in begun]
    if changed:
        raise GameError(f"begun by other rules ({', '.join(changed)}); go on by those, or choose another folder")


def _name(file: Path) -> str:
    return f"{_PROFILES}/{file.name}" if file.parent.name == _PROFILES else file.name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
