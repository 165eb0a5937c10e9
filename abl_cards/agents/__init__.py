"""What plays: agents by name, in every game.

``random``, ``greedy``; ``kb``, the preferences of the knowledge base alone, with the variants ``kb:without=NAME`` and
``kb:kb=DIR``; ``abl``, whose networks estimate and decide, see learned.py for its variants; ``human``, who plays
in the terminal.
"""

from abl_cards.agents.agent import Agent, GivenUp, Keys, LeftTable, Reasoned, looks_back
from abl_cards.agents.human import Human
from abl_cards.agents.names import AgentName
from abl_cards.agents.plain import Greedy, Random
from abl_cards.agents.reasoning import Kb
from abl_cards.agents.registry import AGENTS, agent, checked_name, judge, reasoned

__all__ = [
    "AGENTS",
    "Agent",
    "AgentName",
    "GivenUp",
    "Greedy",
    "Human",
    "Kb",
    "Keys",
    "LeftTable",
    "Random",
    "Reasoned",
    "agent",
    "checked_name",
    "judge",
    "looks_back",
    "reasoned",
]
