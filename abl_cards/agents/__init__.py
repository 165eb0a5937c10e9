"""What plays: agents by name, in every game.

``random``, ``greedy``; ``kb``, the preferences of the knowledge base alone, with the variants ``kb:without=GROUP`` and
``kb:kb=DIR``; ``human``, who plays in the terminal.
"""

from abl_cards.agents.agent import Agent, Keys, LeftTable
from abl_cards.agents.human import Human
from abl_cards.agents.names import AgentName
from abl_cards.agents.plain import Greedy, Random
from abl_cards.agents.reasoning import Kb
from abl_cards.agents.registry import AGENTS, agent, checked_name, judge

__all__ = [
    "AGENTS",
    "Agent",
    "AgentName",
    "Greedy",
    "Human",
    "Kb",
    "Keys",
    "LeftTable",
    "Random",
    "agent",
    "checked_name",
    "judge",
]
