"""Agents by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abl_cards.agents.base import Agent, ExplainableAgent
from abl_cards.agents.baselines import GreedyAgent, RandomAgent, make_zhiduoxing_agent
from abl_cards.agents.human import make_human_agent
from abl_cards.agents.names import AgentName
from abl_cards.agents.neural import OPTION_FLAGS, OPTION_KEYS, make_abl_agent
from abl_cards.agents.plugins import find_plugin_source, is_plugin, make_plugin_agent
from abl_cards.agents.preference_agent import make_preference_agent
from abl_cards.agents.search_agent import make_shensuanzi_agent
from abl_cards.agents.subprocess_agent import KEEP_RUNNING, make_subprocess_agent
from abl_cards.asp import did_you_mean
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel


@dataclass(frozen=True)
class AgentFactory:
    """A kind of agent: how one is made, and what its name may say."""

    make: Callable[[AgentName, Engine], Agent]
    keys: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    max_numbers: int = 0  # that may stand alone


AGENT_FACTORIES: dict[str, AgentFactory] = {
    "random": AgentFactory(lambda name, engine: RandomAgent()),
    "greedy": AgentFactory(lambda name, engine: GreedyAgent(engine.label_traits)),
    "kb": AgentFactory(make_preference_agent, keys=("without", "kb", "clingo")),
    "abl": AgentFactory(make_abl_agent, keys=OPTION_KEYS, flags=OPTION_FLAGS),
    "zhiduoxing": AgentFactory(lambda name, engine: make_zhiduoxing_agent(engine.label_traits)),
    "shensuanzi": AgentFactory(make_shensuanzi_agent, keys=("seconds",), flags=("cpu",), max_numbers=2),
    "program": AgentFactory(make_subprocess_agent, keys=("run", "seconds"), flags=(KEEP_RUNNING,)),
    "human": AgentFactory(make_human_agent, keys=("lang",), flags=("both",)),
}
"""Kinds of agents by name."""


def make_agent(text: str, engine: Engine) -> Agent:
    """An agent by name, for a game; raises GameError for a name that is none."""
    name = check_agent_name(text)
    if name.kind not in AGENT_FACTORIES:
        return make_plugin_agent(name, engine)
    return AGENT_FACTORIES[name.kind].make(name, engine)


def make_preference_model(text: str, engine: Engine) -> PreferenceModel:
    """The preferences by which an agent decides; raises GameError for one that has none."""
    return make_explainable_agent(text, engine).preference_model


def make_explainable_agent(text: str, engine: Engine) -> ExplainableAgent:
    """An agent whose decisions can be explained; raises GameError for one that has no reasons."""
    player = make_agent(text, engine)
    if not isinstance(player, ExplainableAgent):
        raise GameError(f"agent '{check_agent_name(text)}' decides by no preferences: choose kb or abl, or a variant")
    return player


def check_agent_name(text: str) -> AgentName:
    """The name of an agent there is, with options it has, or of a class of the user's; raises GameError."""
    name = AgentName.parse(text)
    if name.kind not in AGENT_FACTORIES and is_plugin(name):
        find_plugin_source(name)
        return name
    if name.kind not in AGENT_FACTORIES:
        advice = _suggestion_text(name.kind, tuple(AGENT_FACTORIES))
        raise GameError(f"unknown agent '{name.kind}' ({advice}; or name a class of yours: module:Class)")
    kind = AGENT_FACTORIES[name.kind]
    if len(name.numbers) > kind.max_numbers:
        raise GameError(f"agent '{name}': {kind.max_numbers or 'no'} numbers may stand alone")
    for key, value in name.options:
        known = kind.keys if value else kind.flags
        if key not in known:
            options = (*(f"{each}=…" for each in kind.keys), *kind.flags)
            what = f"unknown option '{key}{'=…' if value else ''}' of agent '{name.kind}'"
            raise GameError(f"{what} ({_suggestion_text(f'{key}=…' if value else key, options)})")
    return name


def _suggestion_text(word: str, known: tuple[str, ...]) -> str:
    near = did_you_mean(word, known)
    there = f"there are: {', '.join(sorted(known))}" if known else "it has none"
    return f"{near} {there}" if near else there
