"""Agents of an experiment, with fingerprints of the rules and weights that their results depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abl_cards.agents import Agent, agent_fingerprint, check_agent_name, make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine


@dataclass(frozen=True)
class AgentSpec:
    """An agent with its name."""

    name: str
    agent: Agent
    fingerprint: str  # hash of the rules, the preferences and the weights it plays by


def load_agents(names: Sequence[str], engine: Engine) -> list[AgentSpec]:
    """Make agents by name.

    Args:
        names: Agent names; no two may mean the same agent.
        engine: Compiled game.

    Returns:
        The agents in the order of the names.

    Raises:
        GameError: A name is unknown or given twice, or an agent has no weights.
    """
    parsed = [check_agent_name(name) for name in names]
    duplicate = next((name for name in parsed if parsed.count(name) > 1), None)
    if duplicate is not None:
        raise GameError(f"agent '{duplicate}' is named twice", ErrorCode.DUPLICATE_AGENT)
    return [AgentSpec(str(name), make_agent(str(name), engine), agent_fingerprint(name, engine)) for name in parsed]
