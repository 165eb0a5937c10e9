"""Fingerprints of the files that decide how an agent plays, so that stored results match the rules in use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from abl_cards.agents.names import AgentName
from abl_cards.agents.neural import OWN_NETWORK_KEYS, find_weights
from abl_cards.agents.plugins import find_plugin_file, find_plugin_source
from abl_cards.agents.registry import AGENT_FACTORIES
from abl_cards.games import Engine


def rules_fingerprint(engine: Engine) -> str:
    """Hash the contents of the rule files of a game.

    Args:
        engine: Compiled game.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.
    """
    return files_fingerprint(engine.preference_model().kb.files)


def agent_fingerprint(name: AgentName, engine: Engine) -> str:
    """Hash the contents of all files that an agent plays by: rules, preferences, weights or its module.

    Args:
        name: Name of the agent, with its options.
        engine: Compiled game.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.

    Raises:
        GameError: The agent has no weights for this game, or its module does not exist.
        OSError: A file cannot be read.
    """
    folder = name.value("kb")
    files = [*engine.preference_model().kb.files, *(sorted(Path(folder).rglob("*.lp")) if folder else [])]
    if name.kind not in AGENT_FACTORIES:
        files.append(find_plugin_source(name))
    if name.kind == "abl":
        files.append(find_weights(name, engine))
        files += [find_plugin_file(text) for key in OWN_NETWORK_KEYS for text in name.values(key)]
    return files_fingerprint(files)


def files_fingerprint(files: Iterable[Path]) -> str:
    """Hash the contents of files, in their order.

    Args:
        files: Paths of readable files.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.

    Raises:
        OSError: A file cannot be read.
    """
    digests = b"\0".join(_digest(file, file.stat().st_mtime_ns) for file in files)
    return hashlib.sha256(digests).hexdigest()[:16]


@cache
def _digest(file: Path, modified: int) -> bytes:
    """Hash one file; the time of its last change (ns) is part of the cache key."""
    return hashlib.sha256(file.read_bytes()).digest()
