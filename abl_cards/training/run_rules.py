"""Digests of the rules of a run, which can be resumed only with the rules that it began with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from abl_cards.asp import Limits, read_sources, tokenize
from abl_cards.circuit import program_digest
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import Folder, OpenRules

RuleDigests = Mapping[str, str]
"""Digests of ground programs by profile, of the contents of rule files by their names, and of constants."""

_CONSTANTS_KEY = "constants"
_PROFILES_FOLDER = "profiles"
_PROGRAM_PREFIX = "program of "
_OPEN_RULES_PREFIX = "clingo/"


def compute_rule_digests(engine: Engine, clingo: str | Path | None = None) -> RuleDigests:
    """Compute the digests of the rules of an engine.

    Args:
        engine: The game.
        clingo: Further rule folder, which clingo evaluates; None for none.
    """
    clingo = None if clingo is None else Path(clingo)
    kb = engine.preference_model().kb
    digests = {_file_key(file): _digest(file.read_bytes()) for file in kb.files}
    digests[f"{_PROGRAM_PREFIX}{engine.rules.profile or 'the rules'}"] = program_digest(kb).hex()[:16]
    if clingo is not None:
        request = OpenRules(Folder(clingo), engine.rules.profile).build_request()
        digests |= {f"{_OPEN_RULES_PREFIX}{_file_key(file)}": _digest(file.read_bytes()) for file in request.files}
        digests[f"{_PROGRAM_PREFIX}clingo"] = _digest_code(request.files, request.library)
    given = sorted(f"{name}={value}" for name, value in kb.constants.items())
    return digests | ({_CONSTANTS_KEY: _digest("\n".join(given).encode())} if given else {})


def check_same_rules(original: RuleDigests, current: RuleDigests) -> None:
    """Raise GameError where the rules of a run have changed; the message names the files.

    Files count where the ground programs differ, or where the run began before ground programs were stored.

    Args:
        original: Digests at the beginning of the run.
        current: Digests now.
    """
    programs, programs_now = _select_programs(original), _select_programs(current)
    if programs and programs == programs_now and original.get(_CONSTANTS_KEY) == current.get(_CONSTANTS_KEY):
        return
    files, files_now = original.keys() - programs.keys(), current.keys() - programs_now.keys()
    changed = [f"{name} has changed" for name in sorted(files & files_now) if current[name] != original[name]]
    changed += [f"{name} is gone" for name in sorted(files - files_now)]
    changed += [f"{name} is new" for name in sorted(files_now - files)]
    if programs and not changed:  # an included file has changed
        changed = [f"{name} has changed" for name in sorted(programs.keys() | programs_now.keys())]
    if changed:
        raise GameError(
            f"begun by other rules ({', '.join(changed)}); go on by those, or choose another folder",
            ErrorCode.RUN_MISMATCH,
        )


def _select_programs(digests: RuleDigests) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name.startswith(_PROGRAM_PREFIX)}


def _digest_code(files: Sequence[Path], library: Sequence[Path]) -> str:
    """Return a digest of the text of rule files without comments and layout."""
    sources = read_sources(files, Limits().file_bytes, library)[0].files
    return _digest(" ".join(token.text for source in sources for token in tokenize(source.scan.code)).encode())


def _file_key(file: Path) -> str:
    return f"{_PROFILES_FOLDER}/{file.name}" if file.parent.name == _PROFILES_FOLDER else file.name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
