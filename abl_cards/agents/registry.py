"""Agents by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abl_cards.agents.agent import Agent, Reasoned
from abl_cards.agents.human import human_agent
from abl_cards.agents.learned import KEYS, WORDS, abl_agent
from abl_cards.agents.names import AgentName
from abl_cards.agents.own import is_own, own_agent, source_of
from abl_cards.agents.plain import Greedy, Random, zhiduoxing
from abl_cards.agents.program import KEPT, program_agent
from abl_cards.agents.reasoning import kb_agent
from abl_cards.agents.searching import shensuanzi_agent
from abl_cards.errors import GameError
from abl_cards.games import Engine, Judge
from abl_cards.logic.errors import suggestion


@dataclass(frozen=True)
class Kind:
    """A kind of agent: how one is made, and what its name may say."""

    make: Callable[[AgentName, Engine], Agent]
    keys: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    numbers: int = 0  # that may stand alone


AGENTS: dict[str, Kind] = {
    "random": Kind(lambda name, engine: Random()),
    "greedy": Kind(lambda name, engine: Greedy(engine.traits)),
    "kb": Kind(kb_agent, keys=("without", "kb", "clingo")),
    "abl": Kind(abl_agent, keys=KEYS, words=WORDS),
    "zhiduoxing": Kind(lambda name, engine: zhiduoxing(engine.traits)),
    "shensuanzi": Kind(shensuanzi_agent, keys=("seconds",), words=("cpu",), numbers=2),
    "program": Kind(program_agent, keys=("run", "seconds"), words=(KEPT,)),
    "human": Kind(human_agent, keys=("lang",), words=("both",)),
}
"""Kinds of agents by name."""


def agent(text: str, engine: Engine) -> Agent:
    """An agent by name, for a game; raises GameError for a name that is none."""
    name = checked_name(text)
    if name.kind not in AGENTS:
        return own_agent(name, engine)
    return AGENTS[name.kind].make(name, engine)


def judge(text: str, engine: Engine) -> Judge:
    """The preferences by which an agent decides; raises GameError for one that has none."""
    return reasoned(text, engine).judge


def reasoned(text: str, engine: Engine) -> Reasoned:
    """An agent whose decisions can be explained; raises GameError for one that has no reasons."""
    player = agent(text, engine)
    if not isinstance(player, Reasoned):
        raise GameError(f"agent '{checked_name(text)}' decides by no preferences: choose kb or abl, or a variant")
    return player


def checked_name(text: str) -> AgentName:
    """The name of an agent there is, with options it has, or of a class of the user's; raises GameError."""
    name = AgentName.parse(text)
    if name.kind not in AGENTS and is_own(name):
        source_of(name)
        return name
    if name.kind not in AGENTS:
        advice = _advice(name.kind, tuple(AGENTS))
        raise GameError(f"unknown agent '{name.kind}' ({advice}; or name a class of yours: module:Class)")
    kind = AGENTS[name.kind]
    if len(name.numbers) > kind.numbers:
        raise GameError(f"agent '{name}': {kind.numbers or 'no'} numbers may stand alone")
    for key, value in name.options:
        known = kind.keys if value else kind.words
        if key not in known:
            options = (*(f"{each}=…" for each in kind.keys), *kind.words)
            what = f"unknown option '{key}{'=…' if value else ''}' of agent '{name.kind}'"
            raise GameError(f"{what} ({_advice(f'{key}=…' if value else key, options)})")
    return name


def _advice(word: str, known: tuple[str, ...]) -> str:
    near = suggestion(word, known)
    there = f"there are: {', '.join(sorted(known))}" if known else "it has none"
    return f"{near} {there}" if near else there
