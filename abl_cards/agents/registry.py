"""Make agents by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abl_cards.agents.abl_factory import OPTION_FLAGS, OPTION_KEYS, find_weights, make_abl_agent
from abl_cards.agents.base import Agent, ExplainableAgent
from abl_cards.agents.baselines import GreedyAgent, RandomAgent, make_zhiduoxing_agent
from abl_cards.agents.bid_value import compute_bid_values
from abl_cards.agents.human import make_human_agent
from abl_cards.agents.names import AgentName
from abl_cards.agents.plugins import check_plugin_options, find_plugin_source, is_plugin, make_plugin_agent
from abl_cards.agents.preference_agent import make_preference_agent, preference_model_from_name
from abl_cards.agents.search_agent import make_shensuanzi_agent
from abl_cards.agents.subprocess_agent import KEEP_RUNNING, make_subprocess_agent
from abl_cards.agents.trick_value import avoids_tricks
from abl_cards.asp import did_you_mean
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.preferences import PreferenceModel

if TYPE_CHECKING:
    from abl_cards.protocols.botzone import BotzoneGame


@dataclass(frozen=True)
class AgentFactory:
    """Constructor of a kind of agent, and the options that its name may have.

    Attributes:
        make: Makes an agent from its name and the compiled game.
        keys: Options with a value.
        flags: Options without a value.
        max_numbers: Numbers that may be given without a key.
    """

    make: Callable[[AgentName, Engine], Agent]
    keys: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    max_numbers: int = 0


AGENT_FACTORIES: dict[str, AgentFactory] = {
    "random": AgentFactory(lambda name, engine: RandomAgent()),
    "greedy": AgentFactory(lambda name, engine: make_greedy_agent(engine)),
    "kb": AgentFactory(make_preference_agent, keys=("without", "scale", "kb", "clingo")),
    "abl": AgentFactory(make_abl_agent, keys=OPTION_KEYS, flags=OPTION_FLAGS),
    "zhiduoxing": AgentFactory(lambda name, engine: make_zhiduoxing_agent(engine.label_traits, engine.rules)),
    "shensuanzi": AgentFactory(make_shensuanzi_agent, keys=("seconds",), flags=("cpu",), max_numbers=2),
    "program": AgentFactory(make_subprocess_agent, keys=("run", "seconds"), flags=(KEEP_RUNNING,)),
    "human": AgentFactory(make_human_agent, keys=("lang",), flags=("both",)),
}
"""Kinds of agents by name."""


def agent(game: Game | Engine | str, spec: str) -> Agent:
    """Make an agent for a game.

    >>> agent("paodekuai", "kb:without=leading").preference_model.preferences()["pass"]
    'following'

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        spec: Name with options: ``kb``, ``abl``, ``greedy``, ``random``, ``kb:without=bombs``,
            ``abl:weights=FILE``, or a custom class, ``module:Class``.

    Returns:
        An agent: ``play(decisions, keys)`` and ``choose(choices, keys)`` decide for many tables at once.

    Raises:
        GameError: The name or an option is unknown, or the agent cannot play this game.
        KBError: The rules of the game, or the preferences of the agent, do not compile.
    """
    return make_agent(spec, compile_engine(game))


def make_greedy_agent(engine: Engine) -> GreedyAgent:
    """Make ``greedy``, which takes tricks unless they cost points, and makes the bid with the highest mean points."""
    traits, rules = engine.label_traits, engine.rules
    shuns = traits.has_tricks and avoids_tricks(rules)
    has_bids = traits.has_tricks and not shuns and len(rules.contexts) == 1 and bool(rules.schema.options)
    return GreedyAgent(traits, shuns, compute_bid_values(rules) if has_bids else None, rules)


def make_agent(text: str, engine: Engine) -> Agent:
    """Make an agent for a compiled game; ``agent`` takes the name of a game as well.

    Args:
        text: Name of the agent, with options.
        engine: Compiled game.

    Returns:
        The agent.

    Raises:
        GameError: The name or an option is unknown, or the agent cannot play this game.
        KBError: The preferences of the agent do not compile.
    """
    name = check_agent_name(text)
    if name.kind not in AGENT_FACTORIES:
        return make_plugin_agent(name, engine)
    return AGENT_FACTORIES[name.kind].make(name, engine)


def make_preference_model(text: str, engine: Engine) -> PreferenceModel:
    """Return the preferences that an agent decides by.

    Args:
        text: Name of the agent, with options.
        engine: Compiled game.

    Returns:
        The preferences.

    Raises:
        GameError: The agent is unknown, or has no preferences.
    """
    return make_explainable_agent(text, engine).preference_model


def make_explainable_agent(text: str, engine: Engine) -> ExplainableAgent:
    """Make an agent whose decisions can be explained.

    Args:
        text: Name of the agent, with options.
        engine: Compiled game.

    Returns:
        The agent.

    Raises:
        GameError: The agent is unknown, or has no preferences to explain its decisions by.
    """
    made = make_agent(text, engine)
    if not isinstance(made, ExplainableAgent):
        problem = f"agent '{check_agent_name(text)}' decides by no preferences: choose kb or abl, or a variant"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
    return made


def build_botzone_program(game: BotzoneGame, spec: str) -> bytes:
    """Build the program of an agent for Botzone.

    Args:
        game: Game on Botzone.
        spec: Name of an agent that decides by preferences, or of agent abl.

    Returns:
        Python source in UTF-8; a zip with the weights for agent abl.

    Raises:
        GameError: The agent is unknown, or the program does not support the rules, the preferences or the networks.
    """
    engine, name = game.engine, AgentName.parse(spec)
    if name.kind != "abl":
        return game.bot_source(make_preference_model(spec, engine)).encode()
    from abl_cards.learners import load_networks

    return game.network_bot_zip(
        preference_model_from_name(name, engine), load_networks(find_weights(name, engine), engine)
    )


def check_agent_name(text: str) -> AgentName:
    """Parse the name of an agent, and check that this agent and its options exist.

    Args:
        text: Name of an agent of this package, or of a custom class.

    Returns:
        The parsed name.

    Raises:
        GameError: The agent or an option is unknown.
    """
    name = AgentName.parse(text)
    if name.kind not in AGENT_FACTORIES:
        check_plugin_options(name)
    if name.kind not in AGENT_FACTORIES and is_plugin(name):
        find_plugin_source(name)
        return name
    if name.kind not in AGENT_FACTORIES:
        advice = _suggestion_text(name.kind, tuple(AGENT_FACTORIES))
        problem = f"unknown agent '{name.kind}' ({advice}; or name a class of yours: module:Class)"
        raise GameError(problem, ErrorCode.UNKNOWN_AGENT, [name.kind])
    factory = AGENT_FACTORIES[name.kind]
    if len(name.numbers) > factory.max_numbers:
        problem = f"agent '{name}': {factory.max_numbers or 'no'} numbers may stand alone"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    for key, value in name.options:
        if key not in (factory.keys if value else factory.flags):
            options = (*(f"{known}=…" for known in factory.keys), *factory.flags)
            problem = f"unknown option '{key}{'=…' if value else ''}' of agent '{name.kind}'"
            advice = _suggestion_text(f"{key}=…" if value else key, options)
            raise GameError(f"{problem} ({advice})", ErrorCode.UNKNOWN_AGENT_OPTION)
    return name


def _suggestion_text(word: str, known: tuple[str, ...]) -> str:
    """Name the most similar known word, and list all."""
    similar = did_you_mean(word, known)
    listing = f"there are: {', '.join(sorted(known))}" if known else "it has none"
    return f"{similar} {listing}" if similar else listing
