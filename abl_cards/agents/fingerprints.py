"""Fingerprints of the rules and files that decide how an agent plays, so that stored results match those in use.

Rules count by their ground program. Earlier versions hashed the bytes of files; the results that they stored are found
by the former fingerprints of unchanged files (`abl_cards.core.find_stored_inputs`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from abl_cards.agents.abl_factory import OWN_NETWORK_KEYS, find_weights
from abl_cards.agents.names import AgentName
from abl_cards.agents.plugins import find_plugin_file, find_plugin_source
from abl_cards.agents.registry import AGENT_FACTORIES, make_preference_model
from abl_cards.circuit import KnowledgeBase, program_digest
from abl_cards.core import add_former_fingerprint
from abl_cards.games import Engine
from abl_cards.games.description import SHOW_FILE, Folder, OpenRules


def rules_fingerprint(engine: Engine) -> str:
    """Hash the ground program of the rules and preferences of a game.

    Args:
        engine: Compiled game.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.
    """
    return knowledge_fingerprint(engine.preference_model().kb)


def knowledge_fingerprint(kb: KnowledgeBase) -> str:
    """Hash the ground program of a knowledge base; comments, layout and sentences of preferences do not count.

    Args:
        kb: Loaded knowledge base.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.
    """
    fingerprint = hashlib.sha256(program_digest(kb)).hexdigest()[:16]
    return add_former_fingerprint(fingerprint, files_fingerprint(kb.files)) if _are_readable(kb.files) else fingerprint


def agent_fingerprint(name: AgentName, engine: Engine) -> str:
    """Hash all data that an agent plays by: the ground program of rules and preferences, and its weights or its module.

    The data include the light networks beside the weights, and the rule files that clingo evaluates.

    Args:
        name: Name of the agent, with its options.
        engine: Compiled game.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.

    Raises:
        GameError: The agent has no weights for this game, or its module does not exist.
        KBError: The preferences that the name gives are not valid.
        OSError: A file cannot be read.
    """
    folder, kb = name.value("kb"), engine.preference_model().kb
    programs, files = [program_digest(kb)], list[Path]()
    if folder:
        preferences = AgentName("kb", tuple(option for option in name.options if option[0] in ("kb", "profile")))
        programs.append(program_digest(make_preference_model(str(preferences), engine).kb))
    if open_rules := name.value("clingo"):
        files += OpenRules(Folder(Path(open_rules)), engine.rules.profile).build_request().files
    if name.kind not in AGENT_FACTORIES:
        files.append(find_plugin_source(name))
    if name.kind == "abl":
        files += _list_weights(find_weights(name, engine))
        files += [find_plugin_file(text) for key in OWN_NETWORK_KEYS for text in name.values(key)]
    fingerprint = _hash([*programs, *map(_digest_file, files)])
    own_files = sorted(Path(folder).rglob("*.lp")) if folder else []
    rule_files = [*kb.files, *(file for file in own_files if file.name != SHOW_FILE)]
    if _are_readable(rule_files):
        add_former_fingerprint(fingerprint, files_fingerprint([*rule_files, *files]))
    return fingerprint


def _list_weights(file: Path) -> list[Path]:
    """Return a file of weights, and those of the light networks beside it."""
    from abl_cards.learners import student_weights_files

    return [file, *(beside for beside in student_weights_files(file) if beside.exists())]


def _are_readable(files: Iterable[Path]) -> bool:
    return all(file.is_file() for file in files)


def files_fingerprint(files: Iterable[str | Path]) -> str:
    """Hash the contents of files, in their order.

    Args:
        files: Paths of readable files.

    Returns:
        16 hexadecimal digits of a SHA-256 hash.

    Raises:
        OSError: A file cannot be read.
    """
    return _hash(map(_digest_file, map(Path, files)))


def _hash(digests: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\0".join(digests)).hexdigest()[:16]


def _digest_file(file: Path) -> bytes:
    return _digest(file, file.stat().st_mtime_ns)


@cache
def _digest(file: Path, modified: int) -> bytes:
    """Hash one file; the time of its last change (ns) is part of the cache key."""
    return hashlib.sha256(file.read_bytes()).digest()
