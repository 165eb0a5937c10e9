"""Who plays in an experiment, and by what: results belong to the rules and weights that they were found with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from abl_cards.agents import (
    AGENT_FACTORIES,
    Agent,
    AgentName,
    check_agent_name,
    find_plugin_source,
    find_weights,
    make_agent,
)
from abl_cards.core import GameError
from abl_cards.games import Engine


@dataclass(frozen=True)
class AgentSpec:
    """An agent with its name."""

    name: str
    agent: Agent
    fingerprint: str  # changes with the rules, the preferences and the weights it plays by


def load_agents(names: Sequence[str], engine: Engine) -> list[AgentSpec]:
    """Agents by name, each once; raises GameError for a name that is none, and where weights are missing."""
    checked = [check_agent_name(name) for name in names]
    twice = next((name for name in checked if checked.count(name) > 1), None)
    if twice is not None:
        raise GameError(f"agent '{twice}' is named twice")
    return [AgentSpec(str(name), make_agent(str(name), engine), agent_fingerprint(name, engine)) for name in checked]


def agent_variant(name: str, *options: str) -> str:
    """The name of an agent with more options.

    >>> agent_variant("abl:preset=paper", "no-projection")
    'abl:no-projection,preset=paper'
    """
    return str(AgentName.parse(f"{name}{',' if ':' in name else ':'}{','.join(options)}" if options else name))


def rules_fingerprint(engine: Engine) -> str:
    """Of the contents of the rule files."""
    return _digest(engine.preference_model().kb.files)


def agent_fingerprint(name: AgentName, engine: Engine) -> str:
    """Of the contents of the files that an agent plays by."""
    folder = name.value("kb")
    files = [*engine.preference_model().kb.files, *(sorted(Path(folder).rglob("*.lp")) if folder else [])]
    if name.kind not in AGENT_FACTORIES:
        files.append(find_plugin_source(name))
    return _digest([*files, find_weights(name, engine)] if name.kind == "abl" else files)


def files_fingerprint(files: Iterable[Path]) -> str:
    """Of the contents of some files."""
    return _digest(files)


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(_contents(file, file.stat().st_mtime_ns) for file in files)).hexdigest()[:16]


@cache
def _contents(file: Path, changed: int) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
