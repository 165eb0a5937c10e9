"""Agents for every game, made by name: ``agent("guandan", "kb")``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.agents.abl_agent import AblAgent
    from abl_cards.agents.abl_factory import find_weights, make_abl_agent, make_network_agent
    from abl_cards.agents.base import (
        Agent,
        ExplainableAgent,
        ForfeitError,
        PlayerLeftError,
        RandomKeys,
        find_compiled_game,
        needs_history,
    )
    from abl_cards.agents.baselines import GreedyAgent, RandomAgent, draw_labels
    from abl_cards.agents.compiled_rollouts import make_compiled_rollouts
    from abl_cards.agents.fingerprints import (
        agent_fingerprint,
        files_fingerprint,
        knowledge_fingerprint,
        rules_fingerprint,
    )
    from abl_cards.agents.human import HumanAgent
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.model_agent import (
        ModelAgent,
        best_cards,
        choose_by_network,
        load_model_policy,
        probe_model,
        probe_parts,
    )
    from abl_cards.agents.model_policy import ChoiceInputs, ModelPolicy
    from abl_cards.agents.names import AgentName, agent_variant
    from abl_cards.agents.plugins import check_own_agent, find_plugin_source
    from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs, sample_labels
    from abl_cards.agents.preference_agent import PreferenceAgent, exclude_files, preference_model_from_name
    from abl_cards.agents.registry import (
        AGENT_FACTORIES,
        agent,
        build_botzone_program,
        check_agent_name,
        make_agent,
        make_explainable_agent,
        make_preference_model,
    )
    from abl_cards.agents.search_agent import ShensuanziAgent
    from abl_cards.agents.search_budget import SearchRound
    from abl_cards.agents.subprocess_agent import SubprocessAgent, attach_shared_script

__all__ = [
    "AGENT_FACTORIES",
    "AblAgent",
    "Agent",
    "AgentName",
    "ChoiceInputs",
    "ExplainableAgent",
    "ForfeitError",
    "GreedyAgent",
    "HumanAgent",
    "Lookahead",
    "ModelAgent",
    "ModelPolicy",
    "NeuroSymbolicPolicy",
    "PlayerLeftError",
    "PolicyInputs",
    "PreferenceAgent",
    "RandomAgent",
    "RandomKeys",
    "SearchRound",
    "ShensuanziAgent",
    "SubprocessAgent",
    "agent",
    "agent_fingerprint",
    "agent_variant",
    "attach_shared_script",
    "best_cards",
    "build_botzone_program",
    "check_agent_name",
    "check_own_agent",
    "choose_by_network",
    "draw_labels",
    "exclude_files",
    "files_fingerprint",
    "find_compiled_game",
    "find_plugin_source",
    "find_weights",
    "knowledge_fingerprint",
    "load_model_policy",
    "make_abl_agent",
    "make_agent",
    "make_compiled_rollouts",
    "make_explainable_agent",
    "make_network_agent",
    "make_preference_model",
    "needs_history",
    "preference_model_from_name",
    "probe_model",
    "probe_parts",
    "rules_fingerprint",
    "sample_labels",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
