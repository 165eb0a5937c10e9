"""Who plays in an experiment, and by what: results belong to the rules and weights that they were found with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from abl_cards.agents import AGENTS, Agent, AgentName, agent, checked_name
from abl_cards.agents.learned import weights_of
from abl_cards.agents.own import source_of
from abl_cards.errors import GameError
from abl_cards.games import Engine


@dataclass(frozen=True)
class Player:
    """An agent with its name."""

    name: str
    agent: Agent
    mark: str  # changes with the rules, the preferences and the weights it plays by


def players(names: Sequence[str], engine: Engine) -> list[Player]:
    """Agents by name, each once; raises GameError for a name that is none, and where weights are missing."""
    checked = [checked_name(name) for name in names]
    twice = next((name for name in checked if checked.count(name) > 1), None)
    if twice is not None:
        raise GameError(f"agent '{twice}' is named twice")
    return [Player(str(name), agent(str(name), engine), mark(name, engine)) for name in checked]


def variant(name: str, *options: str) -> str:
    """The name of an agent with more options.

    >>> variant("abl:preset=paper", "no-projection")
    'abl:no-projection,preset=paper'
    """
    return str(AgentName.parse(f"{name}{',' if ':' in name else ':'}{','.join(options)}" if options else name))


def rules_mark(engine: Engine) -> str:
    """Of the contents of the rule files."""
    return _digest(engine.judge().kb.files)


def mark(name: AgentName, engine: Engine) -> str:
    """Of the contents of the files that an agent plays by."""
    folder = name.value("kb")
    files = [*engine.judge().kb.files, *(sorted(Path(folder).rglob("*.lp")) if folder else [])]
    if name.kind not in AGENTS:
        files.append(source_of(name))
    return _digest([*files, weights_of(name, engine)] if name.kind == "abl" else files)


def files_mark(files: Iterable[Path]) -> str:
    """Of the contents of some files."""
    return _digest(files)


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(_contents(file, file.stat().st_mtime_ns) for file in files)).hexdigest()[:16]


@cache
def _contents(file: Path, changed: int) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
