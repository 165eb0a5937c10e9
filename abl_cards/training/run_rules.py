"""Digests of the rules of a run, which goes on only by the rules that it began with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import Folder, OpenRules

RuleDigests = Mapping[str, str]
"""Digests of the contents of rule files by their names, and of constants."""

_CONSTANTS_KEY = "constants"
_PROFILES_FOLDER = "profiles"


def compute_rule_digests(engine: Engine, clingo: Path | None = None) -> RuleDigests:
    """Compute the digests of the rules of an engine.

    Args:
        engine: The game.
        clingo: Folder of rules that clingo solves besides; None for none.
    """
    kb = engine.preference_model().kb
    digests = {_file_key(file): _digest(file.read_bytes()) for file in kb.files}
    if clingo is not None:
        files = OpenRules(Folder(clingo), engine.rules.profile).build_request().files
        digests |= {f"clingo/{_file_key(file)}": _digest(file.read_bytes()) for file in files}
    given = sorted(f"{name}={value}" for name, value in kb.constants.items())
    return digests | ({_CONSTANTS_KEY: _digest("\n".join(given).encode())} if given else {})


def check_same_rules(original: RuleDigests, current: RuleDigests) -> None:
    """Raise GameError where the rules of a run have changed; the message names the files.

    Args:
        original: Digests at the beginning of the run.
        current: Digests now.
    """
    changed = [f"{name} has changed" for name in original if name in current and current[name] != original[name]]
    changed += [f"{name} is gone" for name in original if name not in current]
    changed += [f"{name} is new" for name in current if name not in original]
    if changed:
        raise GameError(
            f"begun by other rules ({', '.join(changed)}); go on by those, or choose another folder",
            ErrorCode.RUN_MISMATCH,
        )


def _file_key(file: Path) -> str:
    return f"{_PROFILES_FOLDER}/{file.name}" if file.parent.name == _PROFILES_FOLDER else file.name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
